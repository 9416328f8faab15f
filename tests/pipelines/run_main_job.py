"""The main job of the bundled sample, run in this process with a fixed clock.

Run as a script it fills LAWSMITH_HOME, so that a test can do so under another hash seed.
"""

from threading import Event

from assets.resources import Engine
from lawsmith.eligibility.date_windows import parse_window, weeks_of
from lawsmith.gateways.papers.opening import sample_terms
from lawsmith.runs.opening import AMBIENT, Ambient, open_context
from pipelines.main_job import Outcome, build_historical, cut_next, refresh

NOW = "2026-11-05T06:00:00Z"


def run_main_job(at: str = NOW) -> Outcome:
    """Refresh the sample window, build and cut Historical, cut Temporal."""
    token = AMBIENT.set(Ambient(lambda _what, _done, _of: None, Event(), lambda: at))
    try:
        context = open_context(source="sample", run="test")
        engine = Engine(source="sample", run="test")
        terms = sample_terms(context.settings)
        outcome = refresh(context, weeks_of(parse_window(terms.window)), engine)
        build_historical(engine, "historical-dev", outcome)
        cut_next(
            context,
            engine,
            outcome,
            series=terms.series,
            cutoff=terms.cutoff,
            until=terms.until,
        )
        return outcome
    finally:
        AMBIENT.reset(token)


if __name__ == "__main__":
    run_main_job()
