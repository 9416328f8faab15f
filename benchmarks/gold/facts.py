"""One compared fact, and the counts of a field."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Compared:
    """One fact of one field on either side."""

    field: str
    what: str
    gold: str | None
    """None: gold has no such fact."""
    draft: str | None
    """None: the draft has no such fact."""
    agrees: bool
    path: str
    """JSON Pointer into the draft; empty where the draft has nothing."""


@dataclass
class Tally:
    """Counts of one field."""

    right: int = 0
    found: int = 0
    """Gold facts among the right ones; a true statement that no reader has to give is none."""
    in_gold: int = 0
    in_draft: int = 0

    def add(self, fact: Compared) -> None:
        """Count one fact."""
        self.right += fact.agrees
        self.found += fact.agrees and fact.gold is not None
        self.in_gold += fact.gold is not None
        self.in_draft += fact.draft is not None

    @property
    def precision(self) -> float | None:
        """Share of judged draft facts that agree; None without any."""
        return self.right / self.in_draft if self.in_draft else None

    @property
    def recall(self) -> float | None:
        """Share of gold facts that the draft has; None without any."""
        return self.found / self.in_gold if self.in_gold else None


__all__ = ("Compared", "Tally")
