r"""Parts of a TeX source that are switched off: comment environments, \iffalse, own flags."""

import re
from typing import Final

MAX_FLAGS: Final = 100
_TOKEN = re.compile(r"\\(if[a-zA-Z@]*|else|fi)(?![a-zA-Z@])")
_NO_CONDITION: Final = frozenset(
    {
        "iff",
        "ifthenelse",
        "iftoggle",
        "ifbool",
        "ifblank",
        "ifdef",
        "ifundef",
        "ifstrequal",
        "ifstrempty",
        "ifnumcomp",
        "ifnumequal",
        "ifdefempty",
        "ifdefstring",
        "ifcsdef",
    }
)
r"""Commands with such a name that no \fi ends."""
_NEW = re.compile(r"\\newif\s*\\if([a-zA-Z@]+)")
_COMMENT = (re.compile(r"\\begin\s*\{comment\}"), re.compile(r"\\end\s*\{comment\}"))
_OFF = re.compile(r"\\iffalse(?![a-zA-Z@])")


def without_skipped(lines: list[str]) -> list[str]:
    r"""The lines without comment environments and what \iffalse switches off."""
    kept: list[str] = []
    closing: re.Pattern[str] | None = None
    depth = 0
    for line in lines:
        rest = line
        if closing is None:
            opened = _COMMENT[0].search(line) or _OFF.search(line)
            if opened is None:
                kept.append(line)
                continue
            _append(kept, line[: opened.start()])
            closing = _COMMENT[1] if opened.group().startswith(r"\begin") else _TOKEN
            depth, rest = 0, line[opened.end() :]
        end, depth = _closing(rest, closing, depth)
        if end is not None:
            _append(kept, rest[end:])
            closing = None
    return kept


def _append(kept: list[str], text: str) -> None:
    if text.strip():
        kept.append(text.rstrip())


def _closing(line: str, closing: re.Pattern[str], depth: int) -> tuple[int | None, int]:
    r"""Where a skipped part ends in a line, and how many inner \if are open after it."""
    if closing is not _TOKEN:
        match = closing.search(line)
        return (match.end() if match else None), 0
    for token in _conditions(line):
        name = token.group(1)
        if name.startswith("if"):
            depth += 1
        elif depth == 0:
            return token.end(), 0
        elif name == "fi":
            depth -= 1
    return None, depth


def _conditions(text: str) -> list[re.Match[str]]:
    return [token for token in _TOKEN.finditer(text) if token.group(1) not in _NO_CONDITION]


def resolve_flags(text: str) -> str:
    r"""The source with the branches of its own flags that are off taken out.

    Only flags made by \newif that are set before the document and not in it; a source whose
    conditions do not close stays as it is.
    """
    flags = _flags(text)
    if not flags:
        return text
    cuts = _cuts(text, flags)
    if cuts is None:
        return text
    pieces: list[str] = []
    rest = 0
    for start, end in cuts:
        if start >= rest:
            pieces.append(text[rest:start])
        rest = max(rest, end)
    pieces.append(text[rest:])
    return "".join(pieces)


def _flags(text: str) -> dict[str, bool]:
    begin = text.find(r"\begin{document}")
    head, body = (text[:begin], text[begin:]) if begin >= 0 else (text, "")
    flags: dict[str, bool] = {}
    for name in _NEW.findall(head)[:MAX_FLAGS]:
        setting = re.compile(rf"\\{re.escape(name)}(true|false)(?![a-zA-Z@])")
        # A flag set inside a condition or a definition is set by more than its place tells.
        if setting.search(body) or len(setting.findall(head)) > 1:
            continue
        match = setting.search(head)
        flags[f"if{name}"] = match is not None and match.group(1) == "true"
    return flags


def _cuts(text: str, flags: dict[str, bool]) -> list[tuple[int, int]] | None:
    """Parts to take out, in order; None where the conditions do not close."""
    cuts: list[tuple[int, int]] = []
    open_ones: list[list[re.Match[str]]] = []
    made = {match.end() for match in _NEW.finditer(text)}
    for token in _conditions(text):
        name = token.group(1)
        if token.end() in made:
            continue
        if name.startswith("if"):
            open_ones.append([token])
        elif not open_ones:
            return None
        elif name == "else":
            open_ones[-1].append(token)
        else:
            parts = [*open_ones.pop(), token]
            if parts[0].group(1) in flags:
                cuts += _branch_cuts(parts, on=flags[parts[0].group(1)])
    return None if open_ones else sorted(cuts)


def _branch_cuts(parts: list[re.Match[str]], *, on: bool) -> list[tuple[int, int]]:
    first, last = parts[0], parts[-1]
    middle = parts[1] if len(parts) == 3 else None
    if on:
        return [first.span(), ((middle or last).start(), last.end())]
    if middle is None:
        return [(first.start(), last.end())]
    return [(first.start(), middle.end()), last.span()]


__all__ = ("resolve_flags", "without_skipped")
