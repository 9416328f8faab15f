r"""A TeX author's own macros put in place of their uses, so that equations and numbers read.

Only content is expanded: macros with plain arguments whose bodies draw no conclusions and set
nothing. Their definitions stay where they stand. A macro that redefines one of LaTeX's own
commands is left alone. Work is counted: a source whose macros grow without end is left as it is.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

MAX_DEPTH: Final = 20
MAX_USES: Final = 100_000
MAX_GROWTH: Final = 2_000_000
"""Characters that a source may grow by."""
MAX_ARGUMENT: Final = 20_000
"""Characters of an argument; a brace that closes later counts as open."""
MAX_SCANNED: Final = 5_000_000
"""Characters looked through for arguments, so that hostile braces end in bounded time."""

_TOKEN = re.compile(r"\\(?:[a-zA-Z@]+|[^a-zA-Z@])|[{}]", re.DOTALL)
_LITERAL = re.compile(
    r"\\begin\s*\{(verbatim\*?|Verbatim|lstlisting|minted)\}.*?\\end\s*\{\1\}"
    r"|\\(?:verb|lstinline)\*?([^a-zA-Z*\s{]).*?\2",
    re.DOTALL,
)
_MACHINERY = re.compile(
    r"@|\\(?:if[a-zA-Z]*|else|fi|[egx]?def|let|(?:re|provide)?newcommand|csname|expandafter"
    r"|futurelet|catcode|global|write|input|include[a-z]*|usepackage|newenvironment"
    r"|(?:set|addto|step|refstep)(?:counter|length))(?![a-zA-Z])"
)
_NAME = re.compile(r"\s*(?:\{\s*\\([a-zA-Z]+)\s*\}|\\([a-zA-Z]+))")
_COUNT = re.compile(r"\s*\[\s*(\d)\s*\]")
_PARAMETERS = re.compile(r"((?:#\d)*)(?=\{)")
_COMMANDS: Final = frozenset({"newcommand", "providecommand", "renewcommand"})
_OPERATORS: Final = frozenset({"DeclareMathOperator", "DeclarePairedDelimiter"})
_DEFINING: Final = _COMMANDS | _OPERATORS | {"def", "NewDocumentCommand"}


@dataclass(frozen=True)
class Macro:
    """What a use of a macro stands for.

    Attributes:
        body: with #1, #2 for its arguments.
        arguments: how many, an optional one included.
        default: of the first argument where that is optional.
        starred: whether a star after the name is part of its use.
    """

    body: str
    arguments: int = 0
    default: str | None = None
    starred: bool = False


class _TooMuchError(Exception):
    """The macros grow without end."""


@dataclass
class _State:
    macros: dict[str, Macro] = field(default_factory=dict)
    uses: int = 0
    growth: int = 0
    scanned: int = 0


def expand_macros(text: str) -> tuple[str, int]:
    """A TeX source with its own macros expanded, and how many uses that were.

    The source comes back as it was, with -1, when the macros grow beyond the limits.
    """
    state = _State()
    try:
        return _expand(text, state, 0), state.uses
    except _TooMuchError:
        return text, -1


def _expand(text: str, state: _State, depth: int) -> str:
    if depth > MAX_DEPTH:
        raise _TooMuchError
    pieces: list[str] = []
    literal = {match.start(): match.end() for match in _LITERAL.finditer(text)}
    position = 0
    while token := _TOKEN.search(text, position):
        start, end = token.start(), token.end()
        name = token.group()[1:]
        if start in literal:
            end = literal[start]
        elif name in _DEFINING and depth == 0:
            end = _define(name, text, end, state.macros)
        elif name in state.macros:
            use = _use(state.macros[name], text, end)
            state.scanned += MAX_ARGUMENT if use is None else use[1] - start
            if state.scanned > MAX_SCANNED:
                raise _TooMuchError
            if use is not None:
                put, end = use
                pieces += [text[position:start], _counted(put, end - start, state, depth)]
                if _glues(pieces[-1], text[end : end + 1]):
                    pieces.append(" ")
                position = end
                continue
        pieces.append(text[position:end])
        position = end
    return "".join(pieces) + text[position:]


def _counted(put: str, length: int, state: _State, depth: int) -> str:
    state.uses += 1
    state.growth += max(0, len(put) - length)
    if state.uses > MAX_USES or state.growth > MAX_GROWTH:
        raise _TooMuchError
    return _expand(put, state, depth + 1)


def _use(macro: Macro, text: str, position: int) -> tuple[str, int] | None:
    """What a use stands for and where it ends, None where its arguments are not there."""
    if macro.starred and text[position : position + 1] == "*":
        position += 1
    given: list[str] = []
    if macro.default is not None:
        optional = re.compile(r"\s*\[([^\[\]]*)\]").match(text, position)
        given.append(optional.group(1) if optional else macro.default)
        position = optional.end() if optional else position
    while len(given) < macro.arguments:
        argument = argument_at(text, position)
        if argument is None:
            return None
        given.append(argument[0])
        position = argument[1]
    return _filled(macro.body, {str(n): value for n, value in enumerate(given, start=1)}), position


def _filled(body: str, values: Mapping[str, str]) -> str:
    pieces: list[str] = []
    for n, piece in enumerate(re.split(r"#(\d)", body)):
        put = values.get(piece, "") if n % 2 else piece
        if pieces and _glues(pieces[-1], put[:1]):
            pieces.append(" ")
        pieces.append(put)
    return "".join(pieces)


def _glues(before: str, after: str) -> bool:
    r"""Whether `\alpha` before and a letter after would become one command."""
    return after.isalpha() and re.search(r"\\[a-zA-Z]+$", before) is not None


def argument_at(text: str, position: int) -> tuple[str, int] | None:
    """The argument that follows a position, without its braces, and where it ends."""
    while position < len(text) and text[position].isspace():
        if text.startswith("\n\n", position):
            return None
        position += 1
    if position >= len(text) or text[position] == "}":
        return None
    if text[position] == "{":
        end = closing_brace(text, position)
        return None if end is None else (text[position + 1 : end], end + 1)
    token = _TOKEN.match(text, position)
    end = token.end() if token else position + 1
    return text[position:end], end


def closing_brace(text: str, position: int) -> int | None:
    """Where the brace that opens at a position closes, None if it does not."""
    depth = 0
    for token in _TOKEN.finditer(text, position, position + MAX_ARGUMENT):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if depth == 0:
            return token.start()
    return None


def _define(kind: str, text: str, position: int, macros: dict[str, Macro]) -> int:
    """Take note of a definition; where it ends, or the same position if it cannot be read."""
    star = re.compile(r"\s*\*").match(text, position)
    named = _NAME.match(text, star.end() if star else position)
    if named is None:
        return position
    name = named.group(1) or named.group(2)
    read = _READERS.get(kind, _read_command)(text, named.end())
    if read is None:
        macros.pop(name, None)
        return named.end()
    macro, end = read
    ours = name in macros
    if _MACHINERY.search(macro.body):
        macros.pop(name, None)
    elif (kind == "renewcommand") == ours or (ours and kind != "providecommand"):
        macros[name] = macro
    return end


def _read_command(text: str, position: int) -> tuple[Macro, int] | None:
    count = _COUNT.match(text, position)
    position = count.end() if count else position
    default = re.compile(r"\s*\[([^\[\]]*)\]").match(text, position) if count else None
    body = argument_at(text, default.end() if default else position)
    if body is None:
        return None
    given = default.group(1) if default else None
    return Macro(body[0], int(count.group(1)) if count else 0, given), body[1]


def _read_def(text: str, position: int) -> tuple[Macro, int] | None:
    parameters = _PARAMETERS.match(text, position)
    if parameters is None:
        return None
    body = argument_at(text, parameters.end())
    return None if body is None else (Macro(body[0], len(parameters.group(1)) // 2), body[1])


def _read_operator(text: str, position: int) -> tuple[Macro, int] | None:
    body = argument_at(text, position)
    return None if body is None else (Macro(rf"\operatorname{{{body[0]}}}"), body[1])


def _read_delimiter(text: str, position: int) -> tuple[Macro, int] | None:
    left = argument_at(text, position)
    right = argument_at(text, left[1]) if left else None
    if left is None or right is None:
        return None
    return Macro(rf"\left{left[0]} #1\right{right[0]}", 1, starred=True), right[1]


def _read_document_command(text: str, position: int) -> tuple[Macro, int] | None:
    kinds = argument_at(text, position)
    if kinds is None or set(kinds[0]) - {"m", " "}:
        return None
    body = argument_at(text, kinds[1])
    return None if body is None else (Macro(body[0], kinds[0].count("m")), body[1])


_READERS: Final = {
    "def": _read_def,
    "DeclareMathOperator": _read_operator,
    "DeclarePairedDelimiter": _read_delimiter,
    "NewDocumentCommand": _read_document_command,
}

__all__ = ("Macro", "argument_at", "closing_brace", "expand_macros")
