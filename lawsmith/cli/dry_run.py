"""`refresh --dry-run`: papers, open requests, tokens and USD by role, before any spend."""

from collections.abc import Sequence

from lawsmith.cli import console
from lawsmith.gateways.models import open_requests
from lawsmith.runs import StageContext
from lawsmith.stages.open_requests import open_conversations


def show_dry_run(context: StageContext, weeks: Sequence[str], *, as_json: bool) -> None:
    """Print what a refresh would ask now, and its upper bounds.

    Packets are built, since nobody can count requests without them; no model is asked and
    nothing is downloaded twice.
    """
    talks = open_conversations(context, weeks, build=True)
    with context.ledger() as ledger:
        found = open_requests(talks.conversations, context.roster(), ledger)
    roles = [
        (role, bound.requests, bound.tokens, "unknown" if bound.usd is None else f"{bound.usd:.4f}")
        for role, bound in sorted(found.by_role.items())
    ]
    if as_json:
        console.as_json(
            {
                "weeks": list(weeks),
                "papers": talks.papers,
                "answered_at_hand": found.finished,
                "roles": [
                    dict(
                        zip(("role", "requests", "tokens_at_most", "usd_at_most"), row, strict=True)
                    )
                    for row in roles
                ],
                "failing": {key: value.sentence for key, value in found.failed.items()},
            }
        )
        return
    console.say(f"{talks.papers} papers in {weeks[0]}..{weeks[-1]}.")
    console.say(f"{found.finished} conversations are answered by ledger or recording already.")
    console.table("Open requests", ("role", "requests", "tokens at most", "USD at most"), roles)
    console.say("Later rounds (repairs, reviews of new cards) are not known before these answers.")
