"""Gates on claims: nothing stronger than the anchored words, nothing copied beyond the licence.

The word lists decide only where the words leave no room: a status is refused when the lines
that the relation itself is anchored to speak of a weaker one and of nothing else. Everything
finer is the reviewer's.
"""

import re
from collections.abc import Iterator
from typing import Final

from lawsmith.curation.admission.context import Bench
from lawsmith.curation.admission.known_laws import CandidateLaw, restated_by
from lawsmith.curation.admission.numbers import prose_of
from lawsmith.curation.evidence import (
    ESTIMATED,
    FIT,
    Reason,
    plain_symbols,
    prose,
    shared_shingle,
    spellings,
)
from schemas.card import Relation
from schemas.source import ReasonCode

REDISTRIBUTABLE: Final = re.compile(r"CC0-1\.0|CC-BY(-SA)?-\d\.\d|CC-PDDC|PDDL-1\.0")
"""SPDX identifiers under which text of a paper may be passed on, attribution given."""

NEARBY: Final = 8
"""Lines before and behind an anchor in which the sentence around it is looked for."""

_NEGATED_FIT = re.compile(r"\b(?:not|never|n't|rather than|instead of|without)\s+(?:\w+\s+)?fit\w*")
_EQUALS = re.compile(r"[=≡≃]")
_GIVEN_BY = re.compile(r"\\equiv|\bequals?\b|\bgiven by\b|\bdefined as\b")
_PROPORTIONAL = re.compile(
    r"\bproportional\w*|\bscal(?:es?|ing) (?:as|like|with|law)\b|∝|\\propto|\bvar(?:y|ies) as\b"
    r"|\bgrows? as\b|∼|\\sim\b|\btrend\b"
)
_ROUGH = re.compile(
    r"\border[- ]of[- ]magnitude\b|\bby eye\b|\bguides? (?:to|for) the eye\b|\bof the order of\b"
    r"|\bof order\b"
)
_APPROXIMATE = re.compile(
    r"\bapproximate\w*|\bapproximation\b|\brough(?:ly)?\b|\bcrude\w*|\bto within a(?:bout)?\b"
    r"|\b(?:is|are) nearly\b|\bnearly (?:equal|proportional|linear)\b"
    r"|\bto (?:leading|first|lowest) order\b|≈"
    r"|\\approx\b|\bin the limit\b|\basymptotic\w*"
)
_PREDICTED = re.compile(r"\bpredict(?:s|ed|ion|ions)?\b|\bexpected (?:from|by)\b")
_EXACT: Final = ("equality", "definition", "prediction")
"""What is neither fitted to data nor approximate."""
_BY_OTHERS = (
    r"(?:by|in|from|of|to) (?:refs?\b|\[|\\cite|\w+ et al|\w+ and \w+[,]? \(?\d{4}"
    r"|others\b|earlier\b|previous\b)"
)
_TAKEN_OVER = re.compile(
    r"\bwell[- ]known\b|\btextbooks?\b|\b(?:taken|adopted|borrowed) from\b|\bproposed (?:by|in)\b"
    r"|\b(?:derived|given|reported|introduced|obtained|found|published|described|established"
    r"|developed|suggested|stated|known|due|used|formulated|presented)"
    rf" (?:earlier |first |originally )?{_BY_OTHERS}"
    r"|\b(?:models?|forms?|laws?|relations?|equations?|formula\w*|expressions?|approach|theory)"
    r" of (?:refs?\b|\[|\\cite|\w+ et al)"
    r"|\w(?:\^\d+|\s?\[\d+\]|\s?\(\d{4}\)|\s?\\cite\w*\{[^}]*\}|\bet al\.?)\s"
    r"(?:used|uses|proposed?|introduced|developed|derived|gave|published|formulated|described)\b"
    r"|\b(?:following|after|according to|due to) (?:ref\b|refs\b|\[|\\cite|\w+ et al)"
    r"|\b(?:classical|standard|familiar|usual|established)"
    r" (?:law|relation|formula|result|expression|equation)\b"
    r"|\bas (?:presented|given|described|stated|derived|reported) in the (?:\w+ )?"
    r"(?:papers?|publications?|articles?|literature|textbooks?)\b"
    r"|\b(?:in|of|from) the original (?:paper|publication|article|study|work|model)\b"
    r"|\b(?:already )?(?:shown|known|established) (?:elsewhere|before|earlier|previously|since)\b"
    r"|\b(?:earlier|previous|prior) (?:work|paper|stud(?:y|ies)|authors?)\b|\bquoted from\b"
)
_OWN = re.compile(
    r"\bwe (?:fit|fitted|find|found|derive|derived|obtain|obtained|measure|measured|propose)\b"
    r"|\bour (?:data|fit|model|measurements?|results?)\b|\bfitted\b|\bleast[- ]squares\b|\ba fit\b"
)


def status_gate(bench: Bench) -> Iterator[Reason]:
    """The status of each relation is borne by the words of its anchored lines."""
    for i, relation in enumerate(bench.card.relations):
        words = prose(bench.anchored(relation.anchors))
        problem = (
            _status_problem(relation, words, _states_equation(bench, relation))
            or _unfitted(bench, relation, words)
            or _fitted_constants(bench, relation)
        )
        if problem is not None:
            yield Reason(
                ReasonCode.STATUS_TOO_STRONG,
                f"/relations/{i}/status",
                f"status {relation.status!r}, but {problem}",
            )


def _status_problem(relation: Relation, words: str, equation: bool) -> str | None:
    status = relation.status
    if status in ("proportionality", "qualitative"):
        return None
    fits = _speaks_of_fit(words)
    rough = _ROUGH.search(words)
    if rough is not None and status != "approximation":
        return f"the anchored lines say {rough[0]!r}"
    weak = _PROPORTIONAL.search(words)
    if weak is not None and not fits and not equation:
        return f"the anchored lines say only {weak[0]!r}, with no equation and no fit"
    if status in _EXACT:
        if fits:
            return "the anchored lines speak of a fit"
        if about := _APPROXIMATE.search(words):
            return f"the anchored lines say {about[0]!r}"
    if status == "equality" and (predicted := _PREDICTED.search(words)):
        return f"the anchored lines say {predicted[0]!r}"
    return None


def _states_equation(bench: Bench, relation: Relation) -> bool:
    """Whether the lines of a relation state an equation and not only the value of a symbol."""
    text = bench.anchored(relation.anchors)
    if _GIVEN_BY.search(prose(text)):
        return True
    card = bench.card
    valued = {s for parameter in card.parameters for s in spellings(parameter)}
    valued |= {s for control in card.controls for s in spellings(control)}
    plain = plain_symbols(text)
    before = (re.search(r"([A-Za-z]\w*)\s*$", plain[: m.start()]) for m in _EQUALS.finditer(plain))
    return any(left is None or left[1].replace("_", "") not in valued for left in before)


def _unfitted(bench: Bench, relation: Relation, words: str) -> str | None:
    """A fit must be spoken of where the relation or one of its fitted parameters stands."""
    if relation.status != "fitted":
        return None
    if relation.origin.constants == "chosen":
        return "its constants are called chosen, which no fit gives"
    fitted = [part.anchors for part in bench.card.parameters if part.role == "fitted"]
    near = [prose(bench.nearby(anchors, NEARBY)) for anchors in (relation.anchors, *fitted)]
    if any(_speaks_of_fit(text) or ESTIMATED.search(text) for text in (words, *near)):
        return None
    return "no line on or near its anchors speaks of a fit"


def _fitted_constants(bench: Bench, relation: Relation) -> str | None:
    """Constants of a fit belong to a fit: what is exact has them through one, or has none."""
    if relation.status not in _EXACT:
        return None
    others = [r for r in bench.card.relations if r is not relation and r.status not in _EXACT]
    borne = bench.used(*(other.expression for other in others))
    for parameter in bench.card.parameters:
        own = parameter.name in bench.used(relation.expression) - borne
        if parameter.role == "fitted" and own:
            return f"its constant {parameter.name!r} comes from a fit"
    return None


def _speaks_of_fit(words: str) -> bool:
    return FIT.search(_NEGATED_FIT.sub(" ", words)) is not None


def origin_gate(bench: Bench) -> Iterator[Reason]:
    """The form of a relation that its lines credit to others only is not called the paper's."""
    for i, relation in enumerate(bench.card.relations):
        words = prose(bench.anchored(relation.anchors))
        credit = _TAKEN_OVER.search(words)
        taken = relation.origin.form in ("taken_over", "textbook")
        if not taken and credit is not None and not _OWN.search(words):
            yield Reason(
                ReasonCode.STATUS_TOO_STRONG,
                f"/relations/{i}/origin",
                f"{relation.origin}, but the anchored lines say {credit[0]!r}",
            )


def restated_gate(bench: Bench) -> Iterator[Reason]:
    """A case is more than definitions and relations of which neither part is the paper's own."""
    relations = bench.card.relations
    claims = [relation for relation in relations if relation.status != "definition"]
    if all(relation.origin.restated for relation in claims or relations):
        yield Reason(
            ReasonCode.RESTATED, "/relations", "every relation is restated from other work"
        )


def known_gate(bench: Bench) -> Iterator[Reason]:
    """No relation set has the form of a known law; families known already are duplicates."""
    card = bench.card
    claims = tuple(
        CandidateLaw(law, bench.units[relation.readout])
        for relation, law in zip(card.relations, bench.laws, strict=True)
        if relation.status != "definition"
    )
    for law in restated_by(claims, card.controls, bench.known):
        code = ReasonCode.DUPLICATE if law.kind == "family" else ReasonCode.TEMPORAL_RESTATED
        yield Reason(code, "/relations", f"has the form of the {law.kind} law {law.id!r}")


def licence_gate(bench: Bench) -> Iterator[Reason]:
    """Without a licence to pass text on, no released sentence repeats a run of the paper."""
    if bench.licence is not None and REDISTRIBUTABLE.fullmatch(bench.licence):
        return
    source = bench.packet.text
    for path, text in [("/title", bench.card.title), *((p, t) for p, t, _ in prose_of(bench))]:
        run = shared_shingle(text, source)
        if run is not None:
            yield Reason(
                ReasonCode.BEYOND_LICENCE,
                path,
                f"repeats {run!r} of the paper under licence {bench.licence!r}",
            )


__all__ = (
    "REDISTRIBUTABLE",
    "known_gate",
    "licence_gate",
    "origin_gate",
    "restated_gate",
    "status_gate",
)
