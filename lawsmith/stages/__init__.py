"""One module a stage: read the rows of the stage before, call the engine, write rows.

The same functions run under the orchestrator and without it. They hold no science and no
Dagster; they know where rows live, what is already done, and what a subject's state is.
"""
