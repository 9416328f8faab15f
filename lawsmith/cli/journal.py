"""The log of one run: JSON lines under runs/, and one line a paper where -v asks for it."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lawsmith.cli import console
from lawsmith.gateways.store import RunLog
from lawsmith.runs import StageContext, all_dispositions, furthest_by_paper
from lawsmith.stages.supersession import counted, superseded_families
from schemas.source import Disposition

if TYPE_CHECKING:
    from pipelines.main_job import Outcome


@dataclass
class Journal:
    """What one command did, as it is written down."""

    context: StageContext
    log: RunLog
    before: frozenset[Disposition]
    """What was decided before the run."""

    def tell(self, outcome: "Outcome") -> None:
        """Write the jobs that ran, what each stage decided in this run, and every paper."""
        at = self.context.now()
        for job, run_id in outcome.runs:
            self.log.write("job_done", at=at, job=job, dagster_run=run_id)
        dispositions = all_dispositions(self.context.store, self.context.collection)
        fresh = [item for item in dispositions if item not in self.before]
        for stage in sorted({item.stage for item in fresh}):
            counts = Counter(
                f"{item.outcome}/{item.reason_code.value}" for item in fresh if item.stage == stage
            )
            self.log.write("stage_done", at=at, stage=stage, decided=dict(sorted(counts.items())))
        superseded = superseded_families(self.context)
        for one in superseded:
            about = {"family": one.id, "paper": one.paper_id, "why": one.why}
            self.log.write("family_superseded", at=at, **about)
        papers = furthest_by_paper(counted(dispositions, superseded))
        for paper, item in sorted(papers.items()):
            self.log.write(
                "paper",
                at=at,
                paper=paper,
                stage=item.stage,
                outcome=item.outcome,
                reason_code=item.reason_code.value,
                sentence=item.sentence,
                decided_at=item.at,
            )
            console.detail(
                f"{paper} {item.stage} {item.outcome} {item.reason_code.value}: {item.sentence}"
            )
        for path, new in outcome.releases:
            self.log.write("release", at=at, release=path.name, written=new)


@contextmanager
def journal(context: StageContext, run: str, command: str, **terms: object) -> Iterator[Journal]:
    """Write the start of a run, and its end however it ends.

    Args:
        context: whose store and clock.
        run: label of the run, the name of its file.
        command: what was asked for.
        terms: on which terms, JSON data.
    """
    log = RunLog(context.store, run)
    before = frozenset(all_dispositions(context.store, context.collection))
    log.write("run_started", at=context.now(), run=run, command=command, **terms)
    end = "run_failed"
    problem = "interrupted"
    try:
        yield Journal(context, log, before)
        end, problem = "run_finished", ""
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise
    finally:
        log.write(end, at=context.now(), run=run, problem=problem)
