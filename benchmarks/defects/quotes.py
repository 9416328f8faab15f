"""Defects of quotes and sentences: moved, altered, negated.

Each maker takes a base, a generator and the number of the wording pool, and returns one
defective card beside its packet, or None where the base has no site.
"""

import re

from benchmarks.defects.bases import Base, Data
from benchmarks.defects.edits import (
    STATEMENTS,
    Made,
    Rng,
    anchors_with_parts,
    another_digit,
    copied,
    pick,
    replaced,
)


def _far_lines(base: Base, anchor: Data) -> list[int]:
    return [
        n
        for n, line in enumerate(base.packet.lines, 1)
        if len(line.split()) >= 5 and abs(n - anchor["first_line"]) > 4
    ]


def _moved(base: Base, rng: Rng, anchor: Data, numbers: list[float]) -> bool:
    places = _far_lines(base, anchor)
    for _ in range(20):
        n = pick(rng, places)
        line = base.packet.lines[n - 1]
        printed = {float(text) for text in re.findall(r"\d+(?:\.\d+)?", line)}
        quote = line.strip()[:120].rstrip()
        if printed.intersection(numbers) or len(base.view.find(quote)) != 1:
            continue
        anchor.update(first_line=n, last_line=n, quote=quote)
        return True
    return False


def moved_number(base: Base, rng: Rng, seed: int) -> Made | None:
    """The anchor of a number now stands, with a true quote, where the number does not."""
    draft = copied(base)
    parts: list[tuple[Data, list[float]]] = [
        (p, [float(p["value"])]) for p in draft["parameters"] if p["value"] is not None
    ]
    parts += [(c, [c["low"], c["high"]]) for c in draft["controls"] if c["low"] is not None]
    part, numbers = pick(rng, parts)
    part["anchors"] = [part["anchors"][-1]]
    return (base, draft) if _moved(base, rng, part["anchors"][0], numbers) else None


def moved_words(base: Base, rng: Rng, seed: int) -> Made | None:
    """The anchor of a sentence without a number now stands at another true quote."""
    draft = copied(base)
    parts = [
        part
        for table in STATEMENTS
        for part in draft[table]
        if not re.search(r"\d", part["statement"])
    ]
    if not parts:
        return None
    part = pick(rng, parts)
    part["anchors"] = [part["anchors"][0]]
    return (base, draft) if _moved(base, rng, part["anchors"][0], []) else None


def quote_altered(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    _, _, anchor = pick(rng, list(anchors_with_parts(draft)))
    words = anchor["quote"].split(" ")
    letters = [n for n, word in enumerate(words) if re.fullmatch(r"[a-z]{4,}", word)]
    way = int(rng.integers(4))
    if way == 0 and re.search(r"\d", anchor["quote"]):
        anchor["quote"] = (
            another_digit(rng, anchor["quote"])
            if False
            else re.sub(
                r"\d",
                lambda m: str((int(m[0]) + 1 + int(rng.integers(8))) % 10),
                anchor["quote"],
                count=1,
            )
        )
    elif letters and way == 1:
        del words[pick(rng, letters)]
        anchor["quote"] = " ".join(words)
    elif letters and way == 2:
        place = pick(rng, letters)
        words[place] = words[place][:-2] + words[place][-1] + words[place][-2]
        anchor["quote"] = " ".join(words)
    elif letters:
        words[pick(rng, letters)] = pick(rng, ["larger", "always", "constant", "measured"])
        anchor["quote"] = " ".join(words)
    else:
        return None
    gone = not base.view.find(anchor["quote"]) and len(anchor["quote"]) >= 8
    return (base, draft) if gone else None


def quote_negated(base: Base, rng: Rng, seed: int) -> Made | None:
    draft = copied(base)
    _, _, anchor = pick(rng, list(anchors_with_parts(draft)))
    place = re.search(r"\b(?:is|was|were|are|be|been|has|have|had|holds?)\b", anchor["quote"])
    if place is None:
        return None
    anchor["quote"] = replaced(anchor["quote"], place, f"{place[0]} not")
    return base, draft


_AUXILIARY = re.compile(r"\b(?:is|was|were|are|can|could|has|have|had)\b")


def statement_negated(base: Base, rng: Rng, seed: int) -> Made | None:
    """The card denies what the quote, left as it is, affirms."""
    draft = copied(base)
    parts = [
        part
        for table in STATEMENTS
        for part in draft[table]
        if _AUXILIARY.search(part["statement"])
        # Of the paper's own silence no line can say anything.
        and not re.search(r"print|state|sa(?:y|id)|report|give", part["statement"])
        and not _negative(part["statement"])
        and not any(_negative(_around(base, a)) for a in part["anchors"])
    ]
    if not parts:
        return None
    part = pick(rng, parts)
    place = _AUXILIARY.search(part["statement"])
    assert place is not None
    word = pick(rng, ["not", "never"])
    part["statement"] = replaced(part["statement"], place, f"{place[0]} {word}")
    if rng.random() < 0.5:
        part["statement"] = part["statement"].rstrip(".")
    return base, draft


def negation_cut(base: Base, rng: Rng, seed: int) -> Made | None:
    """A true quote that begins behind the `not` of its clause, and a sentence that affirms it."""
    draft = copied(base)
    sites = [
        (n, match)
        for n, line in enumerate(base.packet.lines, 1)
        for match in re.finditer(r"\b(?:not|cannot|never)\s+(\w+(?: [\w-]+){2,9})", line)
        if not re.match(r"(?:all|only|every|just|yet)\b", match[1])
    ]
    sites = [(n, m) for n, m in sites if len(base.view.find(m[1])) == 1 and len(m[1]) >= 8]
    if not sites:
        return None
    n, match = pick(rng, sites)
    table = pick(rng, list(STATEMENTS))
    lead = pick(
        rng, ["The authors find that this is so", "It holds that", "According to the paper"]
    )
    words = match[1]
    if _negative(words) or re.search(r"\b(?:un|in|non)\w+|\bless\b|only", words):
        return None
    anchor = {"first_line": n, "last_line": n, "quote": words, "support": f"says {words}"}
    draft[table].append({"statement": f"{lead}: {words}.", "anchors": [anchor]})
    return base, draft


def _negative(text: str) -> bool:
    pattern = (
        r"\b(?:not|no|never|nor|neither|none|cannot|nothing|nowhere|without|only|outside|beyond"
        r"|except|exclud\w*|unless|fail\w*|rather|instead|but|too|out of|less|fewer|limited"
        r"|little|lost|restrict\w*|against|unknown|un\w{4,}|in\w{4,}|im\w{4,}|non\w+|\w+less)\b"
    )
    return re.search(pattern, text, re.IGNORECASE) is not None


def _around(base: Base, anchor: Data) -> str:
    return " ".join(base.packet.lines[max(0, anchor["first_line"] - 4) : anchor["last_line"] + 3])


__all__ = (
    "moved_number",
    "moved_words",
    "negation_cut",
    "quote_altered",
    "quote_negated",
    "statement_negated",
)
