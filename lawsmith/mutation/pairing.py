"""From a card to a certified family: the search through candidates, and its refusals."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from lawsmith.keyed_draws import check_key, generator
from lawsmith.measurement import definedness, dense_design
from lawsmith.mutation.candidates import (
    HISTORICAL_DRAWS,
    Candidate,
    Identity,
    Pool,
    historical_candidates,
    identity_of,
)
from lawsmith.mutation.difficulty_strata import by_move, reachable
from lawsmith.mutation.forge_session import Workbench
from lawsmith.mutation.laws import (
    CARD_FAULTS,
    DENSE_POINTS,
    ForgeError,
    blend_size,
    float_values,
    laws_of,
    refusal_of,
)
from lawsmith.mutation.prescreen import Sieve, Sifted
from lawsmith.mutation.proposals import candidate_of
from lawsmith.mutation.screening import BOXES
from schemas.card import Card
from schemas.expression import MAX_NODES
from schemas.family import Family, ForgeReport, MoveKind, RejectedCandidate, Stratum
from schemas.historical_card import HistoricalCard
from schemas.source import ReasonCode

CANDIDATES: Final = 24
"""How many candidates are taken through all certificates before a card is refused."""
SHARE: Final = 4
"""How many of one kind of move are tried before the next kind has its turn."""
_FROM_CANDIDATES: Final = frozenset(
    {ReasonCode.BLEND_TOO_LARGE, ReasonCode.BACKGROUND_LEAKS, ReasonCode.UNDEFINED_ON_DOMAIN}
)
"""Codes that a card takes over when all its candidates failed for that one reason."""
_SHOWN: Final = 3


def forge_family(
    card: Card | HistoricalCard,
    key: bytes,
    difficulty: Stratum | None = None,
    background: str | None = None,
    move: MoveKind | None = None,
    candidates: int | None = None,
) -> Family:
    """The certified family of a card.

    Args:
        card: an admitted card or a Historical card.
        key: the collection key.
        difficulty: take only candidates of this measured stratum.
        background: the background text; None = the template over the card.
        move: take only candidates with a move of this kind; None = the kinds in the card's
            keyed order, so that releases balance them.
        candidates: how many are taken through all certificates before giving up; None = 24, or
            8 draws of a Historical card.

    Raises:
        ForgeError: no family can be forged; it carries the reason code and what was tried.
    """
    report = forge(card, key, difficulty, background, move, candidates)
    if report.family is None:
        raise ForgeError(
            report.sentence,
            reason_code=report.reason_code,
            path=card.id,
            rejected=report.rejected,
        )
    return report.family


def forge(
    card: Card | HistoricalCard,
    key: bytes,
    difficulty: Stratum | None = None,
    background: str | None = None,
    move: MoveKind | None = None,
    candidates: int | None = None,
) -> ForgeReport:
    """What the forge makes of a card; a refused card is a report, not an exception.

    Args: as `forge_family`.

    Raises:
        InputError: the key has not its length.
    """
    check_key(key)
    try:
        bench = Workbench(card, key, background)
        unfit = _too_large(bench) or _undefined(bench)
        if unfit is not None:
            return unfit
        return _first(bench, _wanted(bench, difficulty, move, candidates), difficulty)
    except CARD_FAULTS as error:
        return _refused(*refusal_of(error))


def judge_candidates(
    card: Card | HistoricalCard, key: bytes, candidates: int | None = None
) -> tuple[tuple[Family, ...], tuple[RejectedCandidate, ...]]:
    """Every candidate that the search may reach, not only up to the first that passes.

    Args:
        card: an admitted card or a Historical card.
        key: the collection key.
        candidates: as `forge_family`.

    Returns:
        The families of those that pass all certificates, in order of preference, and those that
        fail, with the reason.

    Raises:
        ForgeError, DesignError, UndefinedValueError: as `workbench.Workbench`.
    """
    bench = Workbench(card, key)
    found = (bench.tried(one) for one in _wanted(bench, None, None, candidates))
    passed = tuple(family for family in found if family is not None)
    return passed, tuple(bench.rejected)


def forge_proposed(
    card: Card,
    key: bytes,
    proposals: Sequence[str],
    difficulty: Stratum | None = None,
    background: str | None = None,
) -> ForgeReport:
    """What the forge makes of a card and of Counterfactuals that somebody else proposes.

    Proposals are data (`proposals.Proposal` in wire form). Each must declare every change it
    makes; then it goes through the same screen, order and certificates as the keyed moves.

    Args:
        card: an admitted card.
        key: the collection key, for the designs.
        proposals: JSON, one object each.
        difficulty: take only proposals of this measured stratum.
        background: the background text; None = the template over the card.

    Raises:
        InputError: the key has not its length.
    """
    check_key(key)
    try:
        bench = Workbench(card, key, background)
        unfit = _too_large(bench) or _undefined(bench)
        if unfit is not None:
            return unfit
        sound: list[Candidate] = []
        for text in proposals:
            try:
                sound.append(candidate_of(text, bench.ground))
            except CARD_FAULTS as error:
                reason = f"malformed proposal: {error}"
                bench.rejected.append(
                    RejectedCandidate(
                        moves=(),
                        paths=(),
                        reason_code=ReasonCode.INVALID_EXPRESSION,
                        reason=reason,
                        certificate=None,
                    )
                )
        ranked = Sieve(bench.ground, bench.rejected).ranked(sound)
        wanted = (one.candidate for one in ranked if _may_be(bench, one, difficulty))
        return _first(bench, wanted, difficulty)
    except CARD_FAULTS as error:
        return _refused(*refusal_of(error))


def _wanted(
    bench: Workbench,
    difficulty: Stratum | None,
    move: MoveKind | None,
    limit: int | None,
) -> Iterator[Candidate]:
    """The candidates of a card in order of preference, as many as may be tried."""
    card = bench.card
    if isinstance(card, HistoricalCard):
        rng = generator(bench.key, "historical", bench.id)
        drawn = historical_candidates(card, bench.original, rng, limit or HISTORICAL_DRAWS)
        return (one for one in drawn if move is None or move in one.moves)
    pool = Pool(bench.ground, generator(bench.key, "moves", bench.id), bench.rejected)
    kinds = pool.kinds if move is None else (move,)
    most = limit or CANDIDATES
    return islice(_dealt(bench, pool, kinds, difficulty), most)


def _first(
    bench: Workbench, candidates: Iterator[Candidate], difficulty: Stratum | None
) -> ForgeReport:
    """The first candidate, in order of preference, that passes every certificate."""
    for candidate in candidates:
        family = bench.tried(candidate, difficulty)
        if family is not None:
            return ForgeReport(
                family=family,
                reason_code=ReasonCode.OK,
                sentence=f"{len(by_move(family.mutations))} moves, {family.difficulty}",
                rejected=tuple(bench.rejected),
            )
    return _none_left(bench, difficulty)


def _dealt(
    bench: Workbench,
    pool: Pool,
    kinds: Sequence[MoveKind],
    difficulty: Stratum | None,
) -> Iterator[Candidate]:
    """The candidates of each kind in turn, `SHARE` at a time, each law once.

    First those whose size suits the card's keyed coin, then the others.

    The share is a number of its own: were it the trials over the kinds, one more kind would
    change it.
    """
    seen: set[Identity] = set()
    kept: dict[MoveKind, list[Sifted]] = {}
    kinds = pool.in_turn(kinds)
    for wanted in (pool.is_wanted, lambda sifted: not pool.is_wanted(sifted)):
        left = {kind: _asked(pool, kind, kept, wanted) for kind in kinds}
        while left:
            for kind in tuple(left):
                given = 0
                for sifted in left[kind]:
                    law = identity_of(sifted.candidate)
                    if law in seen or not _may_be(bench, sifted, difficulty):
                        continue
                    seen.add(law)
                    yield sifted.candidate
                    given += 1
                    if given == SHARE:
                        break
                else:
                    del left[kind]


def _asked(
    pool: Pool,
    kind: MoveKind,
    kept: dict[MoveKind, list[Sifted]],
    wanted: Callable[[Sifted], bool],
) -> Iterator[Sifted]:
    """The candidates of a kind that are wanted; a kind is screened once, when first asked for."""
    if kind not in kept:
        kept[kind] = list(pool.of_kind(kind))
    yield from filter(wanted, kept[kind])


def _may_be(bench: Workbench, sifted: Sifted, difficulty: Stratum | None) -> bool:
    """Whether a candidate may turn out to be of a stratum; if not, the reason is kept."""
    candidate = sifted.candidate
    strata = reachable(len(candidate.moves), sifted.distance)
    if difficulty is None or difficulty in strata:
        return True
    reason = f"difficulty {' or '.join(sorted(strata))}"
    bench.reject(candidate, ReasonCode.NO_CANDIDATE, reason, None)
    return False


def _too_large(bench: Workbench) -> ForgeReport | None:
    """The refusal of a card whose Original leaves a blend no room for a law of its size.

    Only a Counterfactual that lost most of the Original could fit; such are not searched for.
    """
    size = blend_size(bench.original, bench.original)
    if size <= MAX_NODES:
        return None
    sentence = f"the Original and a law of its size blend to {size} nodes; {MAX_NODES} are allowed"
    return _refused(ReasonCode.BLEND_TOO_LARGE, sentence)


def _undefined(bench: Workbench) -> ForgeReport | None:
    """The refusal of a card whose Original has no value somewhere inside its domain."""
    controls, constraints = bench.interface.controls, bench.interface.constraints
    points = dense_design(controls, constraints, DENSE_POINTS)
    laws = laws_of(bench.original)
    float_values(laws, controls, points)
    for readout, law in laws.items():
        gap = definedness(law, controls, constraints, points, BOXES).hole
        if gap is not None:
            at = dict(zip((c.name for c in controls), gap.inputs, strict=True))
            sentence = f"{readout} {gap.path or '/'}: {gap.problem} at {at!r}"
            return _refused(ReasonCode.UNDEFINED_ON_DOMAIN, sentence)
    return None


def _none_left(bench: Workbench, difficulty: Stratum | None) -> ForgeReport:
    tried = tuple(bench.rejected)
    if not tried:
        return _refused(ReasonCode.NO_CANDIDATE, "no move applies to this card's relations")
    # What the cheap screening refused says less than what came after it.
    judged = [tried[i] for i in bench.late] or tried
    reasons = sorted({one.reason for one in judged})
    codes = {one.reason_code for one in judged}
    code = ReasonCode.CERTIFICATE_FAILED
    if len(codes) == 1 and codes <= _FROM_CANDIDATES:
        code = judged[0].reason_code
    sentence = f"{len(tried)} candidates failed: {'; '.join(reasons[:_SHOWN])}"
    # A candidate gets this code only for being of another stratum than was asked for.
    if ReasonCode.NO_CANDIDATE in codes:
        code, sentence = ReasonCode.NO_CANDIDATE, f"none is {difficulty}; {sentence}"
    return ForgeReport(family=None, reason_code=code, sentence=sentence, rejected=tried)


def _refused(code: ReasonCode, sentence: str) -> ForgeReport:
    return ForgeReport(family=None, reason_code=code, sentence=sentence, rejected=())


__all__ = (
    "CANDIDATES",
    "forge",
    "forge_family",
    "forge_proposed",
    "judge_candidates",
)
