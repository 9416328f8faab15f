"""The rules of a release and their versions: the one table, and the check against a manifest.

A release states in its manifest, as policies named `<rule>-<version>`, by which rules it was
made, is verified, played and scored; policies count in its content digest. Change what a rule
does, and raise its version here. The version before moves to `kept`, if its implementation
stays (then whoever applies the rule chooses by version), or to `last`, with the last Lawsmith
that applied it: an older release is treated by its own rules or refused by name, never judged
by rules that it was not made by. The releases in tests/release/frozen hold all of this.
"""

import importlib.metadata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from lawsmith.errors import PrerequisiteError
from schemas.record import strict_json
from schemas.release import PublicManifest

Use = Literal["read", "verify", "play", "score"]


@dataclass(frozen=True)
class Rule:
    """One rule: its version, what else is known of it, and who applies it."""

    version: int | None
    """The one that releases of this code are made by; None: the rule is gone."""
    uses: frozenset[Use]
    """What applies it to a release that stands; reading needs the form of its rows alone."""
    what: str
    of: Literal["all", "problems", "some"] = "all"
    """Which releases state it: all, those with tasks on real data, or those that it concerns."""
    kept: tuple[int, ...] = ()
    """Older versions that are still applied."""
    last: Mapping[int, str] = field(default_factory=dict)
    """Older version -> the last Lawsmith that applied it."""

    def applies(self, version: int) -> bool:
        """Whether this code applies a version of the rule."""
        return version == self.version or version in self.kept


WHERE: Final = "public/manifest.json/policies"
_NOTHING: Final[frozenset[Use]] = frozenset()
_READ: Final[frozenset[Use]] = frozenset({"read", "verify", "play", "score"})
_VERIFY: Final[frozenset[Use]] = frozenset({"verify"})
_PLAY: Final[frozenset[Use]] = frozenset({"play"})
_SCORE: Final[frozenset[Use]] = frozenset({"score"})
_FIRST: Final[Mapping[int, str]] = {1: "0.1.0"}
"""For rules of which Lawsmith 0.1.0 applied version 1."""

RULES: Final[Mapping[str, Rule]] = {
    "records": Rule(2, _READ, "the fields of manifests and rows", last=_FIRST),
    "content": Rule(1, _VERIFY, "the content digest"),
    "cut": Rule(1, _VERIFY, "dates and marks of the cut"),
    "allow": Rule(1, _NOTHING, "journals and categories of the cut", of="some"),
    "tol": Rule(1, _VERIFY, "tolerances and resolutions"),
    "designs": Rule(1, _VERIFY, "fixed and hidden inputs"),
    "scale": Rule(2, _NOTHING, "reference scales", last=_FIRST),
    "search": Rule(2, _NOTHING, "the order in which Counterfactuals are tried", last=_FIRST),
    "strata": Rule(2, _VERIFY, "difficulty", last=_FIRST),
    "starts": Rule(1, _VERIFY, "blind starts of certificate 7"),
    "cert": Rule(2, _VERIFY, "the certificates, each with its own version", last=_FIRST),
    "truth": Rule(1, _VERIFY, "laws at 50 digits, rounded once"),
    "tasks": Rule(1, _VERIFY, "ids, texts, candidates and observations of tasks"),
    "pages": Rule(1, _VERIFY, "the galleries and the README, made of the rows"),
    "gates": Rule(1, _VERIFY, "what reviews, cards and certificates must say"),
    "leak": Rule(1, _VERIFY, "what no public row may tell"),
    "protocol": Rule(1, _PLAY | _SCORE, "budgets, stopping rule and report of an episode"),
    "score": Rule(2, _SCORE, "verdicts on an episode", last=_FIRST),
    "dense": Rule(1, _SCORE, "the dense inputs of the verdict `form`"),
    "delta": Rule(None, _SCORE, "tolerances of single constants", of="some", last=_FIRST),
    "admission": Rule(1, _VERIFY, "which data sets are problems", of="problems"),
    "calibration": Rule(1, _VERIFY, "calibrated worlds and their budgets", of="problems"),
    "hidden": Rule(2, _VERIFY, "hidden laws and their screens", of="problems", last=_FIRST),
    "noise": Rule(2, _PLAY, "the noise of a world's readings", of="problems", last=_FIRST),
    "structure": Rule(1, _VERIFY | _SCORE, "S_N, S_V and S_S", of="problems"),
}
"""Every rule that is applied to a release after it was written, and those written into it."""


def named(rule: str) -> str:
    """The rule with its version, as it stands in manifests: `tol-1`."""
    return f"{rule}-{RULES[rule].version}"


def check_rules(
    policies: Iterable[str], use: Use, *, release: str, made_by: str, problems: bool
) -> dict[str, int]:
    """Rule -> version of every rule that a release states, all of them applied by this code.

    Args:
        policies: names of the policies in its manifest.
        use: what is to be done with it; rules that this does not apply may have any version.
        release: its id, for the message.
        made_by: the Lawsmith that wrote it.
        problems: it has tasks on real data.

    Raises:
        PrerequisiteError: a rule is of another version; the message names the Lawsmith to use.
            Or, but for `verify`, which lists it as a fault, a rule is not stated.
    """
    stated = stated_rules(policies)
    for rule in ("records", *sorted(stated.keys() - {"records"})):
        _check(rule, stated[rule], use, release, made_by)
    missing = [rule for rule in unstated(stated, problems) if use in RULES[rule].uses]
    if missing and use != "verify":
        raise PrerequisiteError(
            f"{release} does not state its version of the rules {', '.join(missing)}",
            path=WHERE,
            fix="run `lawsmith verify` on it, and take it from its source again",
        )
    return stated


def stated_rules(policies: Iterable[str]) -> dict[str, int]:
    """Rule -> version of the policies that are named so.

    A release that does not state the form of its rows is of the first form: it is stated from
    version 2 on.
    """
    split = [(name.rpartition("-")[0], name.rpartition("-")[2]) for name in policies]
    found = {rule: int(n) for rule, n in split if rule and n.isascii() and n.isdigit()}
    return {"records": 1, **found}


def unstated(stated: Mapping[str, int], problems: bool) -> list[str]:
    """The rules that a release of this code states and this one does not."""
    due = ("all", "problems") if problems else ("all",)
    return [rule for rule, known in RULES.items() if known.of in due and rule not in stated]


def check_manifest(text: str, use: Use) -> dict[str, int]:
    """`check_rules` for the text of public/manifest.json, before its records are read.

    A text that is no manifest has no rules to check; what is wrong with it is for its reader.

    Raises:
        PrerequisiteError: as `check_rules`.
    """
    try:
        data = strict_json(text)
        policies = [str(item["name"]) for item in data["policies"]]
        release, made_by = str(data["id"]), str(data["code_version"])
        problems = bool(data.get("problems", 0))
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}
    return check_rules(policies, use, release=release, made_by=made_by, problems=problems)


def rules_of(manifest: PublicManifest, use: Use) -> dict[str, int]:
    """`check_rules` for a manifest that was read.

    Raises:
        PrerequisiteError: as `check_rules`.
    """
    return check_rules(
        (policy.name for policy in manifest.policies),
        use,
        release=manifest.id,
        made_by=manifest.code_version,
        problems=manifest.problems > 0,
    )


def _check(rule: str, version: int, use: Use, release: str, made_by: str) -> None:
    known = RULES.get(rule)
    where, here = WHERE, importlib.metadata.version("lawsmith")
    if known is None:
        if use == "read":
            return
        raise PrerequisiteError(
            f"{release} was made by Lawsmith {made_by} and states a rule {rule!r}, which"
            f" Lawsmith {here} does not know",
            path=where,
            fix="update Lawsmith",
        )
    if use not in known.uses or known.applies(version):
        return
    if version in known.last:
        last = known.last[version]
        raise PrerequisiteError(
            f"{release} goes by {rule}-{version} ({known.what}), which Lawsmith {here} no longer"
            f" applies; Lawsmith {last} is the last that does",
            path=where,
            fix=f"use Lawsmith {last} for this release",
        )
    raise PrerequisiteError(
        f"{release} was made by Lawsmith {made_by} and goes by {rule}-{version} ({known.what});"
        f" Lawsmith {here} knows up to {named(rule)}",
        path=where,
        fix="update Lawsmith",
    )


__all__ = (
    "RULES",
    "WHERE",
    "Rule",
    "Use",
    "check_manifest",
    "check_rules",
    "named",
    "rules_of",
    "stated_rules",
    "unstated",
)
