"""How assets are cut: weeks of a paper's first submission, and release ids."""

import dagster as dg

WEEKS = dg.WeeklyPartitionsDefinition(start_date="1991-07-01", day_offset=1, timezone="UTC")
"""ISO weeks, Monday 00:00Z, from before arXiv began; the literal never moves."""

RELEASES = dg.DynamicPartitionsDefinition(name="releases")
"""One key a release id; a cut adds one."""

SINGLE_RUN = dg.BackfillPolicy.single_run()
"""A span of weeks is one run: a step costs more than a quiet week's work."""
