r"""TeX source as packet lines: what the main file reaches, without comments, in reading order.

Files that no \input or \include reaches are not part of the paper and never read.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from lawsmith.curation.packets.failure import PacketError
from schemas.source import ReasonCode

MAX_DEPTH = 16
MAX_BYTES = 20_000_000
_PREFERRED = ("main", "ms", "paper", "article", "manuscript")

_CLASS = re.compile(r"\\document(?:class|style)\b")
_INPUT = re.compile(r"\\(?:input|include|subfile)(?:\s*\{\s*([^{}]+?)\s*\}|\s+([^\s\\{}%]+))")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_LITERAL = re.compile(r"\\(begin|end)\s*\{(verbatim\*?|Verbatim|lstlisting|minted)\}")
_SECTION = re.compile(r"\\(?:sub)*section\*?\s*(?:\[[^\]]*\])?\s*\{|\\chapter\*?\s*\{")
_ABSTRACT = re.compile(r"\\begin\s*\{abstract\}|\\abstract\b")
_SKIPPED = (
    (re.compile(r"\\begin\s*\{comment\}"), re.compile(r"\\end\s*\{comment\}")),
    (re.compile(r"\\iffalse\b"), re.compile(r"\\(?:fi|else)\b")),
)


@dataclass
class TexText:
    """What a TeX source says.

    Attributes:
        lines: text lines in reading order.
        sections: heading above each line, None before the first.
        files: files read, relative to the main file's folder, in reading order.
        missing: inputs that are not there (class files, generated tables).
    """

    lines: list[str] = field(default_factory=list)
    sections: list[str | None] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def main_file(candidates: Iterable[Path]) -> Path:
    r"""The one file that LaTeX is run on: it has a \documentclass outside comments.

    Of several the one with a usual name, then the first by name.

    Raises:
        PacketError: none has one.
    """
    ordered = sorted(candidates)
    mains = [path for path in ordered if _CLASS.search("\n".join(_lines_of(path)))]
    if not mains:
        raise PacketError(
            ReasonCode.TEX_UNREADABLE,
            r"no file has a \documentclass",
            path=", ".join(path.name for path in ordered) or "TeX source",
        )
    named = {path.stem.lower(): path for path in reversed(mains)}
    return next((named[name] for name in _PREFERRED if name in named), mains[0])


def read_tex(main: Path) -> TexText:
    r"""The text of a TeX source from its main file to \end{document}.

    A line that is all comment is gone, blank lines in a row are one, and an included file
    stands where its command stood. Text in \iffalse and comment environments is gone.

    Raises:
        PacketError: files include each other in a circle, are too deep or too large.
    """
    found = TexText()
    flat: list[str] = []
    _flatten(main, main.parent, found, (), flat)
    body = _until_end(_without_skipped(flat))
    section: str | None = None
    for position, line in enumerate(body):
        if not line and (not found.lines or not found.lines[-1]):
            continue
        section = _heading(body, position) or section
        found.lines.append(line)
        found.sections.append(section)
    while found.lines and not found.lines[-1]:
        found.lines.pop()
        found.sections.pop()
    return found


def reachable_tex(main: Path) -> list[str]:
    """The files that a main file reaches, itself first, relative to its folder."""
    return read_tex(main).files


def _lines_of(path: Path) -> list[str]:
    raw = path.read_bytes()
    if len(raw) > MAX_BYTES:
        raise PacketError(
            ReasonCode.TEX_UNREADABLE, f"{len(raw)} bytes are more than {MAX_BYTES}", path=path.name
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Every byte is a character in Latin-1, the usual encoding of older sources.
        text = raw.decode("latin-1")
    text = re.sub(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]", "\n", text)
    text = "".join(char if char >= " " or char == "\n" else " " for char in text)
    return _without_comments(text.rstrip().split("\n"))


def _without_comments(lines: list[str]) -> list[str]:
    kept: list[str] = []
    literal = False
    for line in lines:
        marks = _LITERAL.findall(line)
        if literal or marks:
            literal = marks[-1][0] == "begin" if marks else literal
            kept.append(line.rstrip())
            continue
        bare = _COMMENT.sub(r"\1", line).rstrip()
        if bare or not line.strip():
            kept.append(bare)
    return kept


def _flatten(
    path: Path, root: Path, found: TexText, above: tuple[Path, ...], flat: list[str]
) -> None:
    if path in above or len(above) >= MAX_DEPTH:
        chain = " > ".join(item.name for item in (*above, path))
        raise PacketError(
            ReasonCode.TEX_UNREADABLE, f"files include each other: {chain}", path=path.name
        )
    found.files.append(path.relative_to(root).as_posix())
    for line in _lines_of(path):
        rest = 0
        for match in _INPUT.finditer(line):
            target = _resolve(match.group(1) or match.group(2), root)
            if target is None:
                found.missing.append(match.group(1) or match.group(2))
                continue
            _append(flat, line[rest : match.start()])
            _flatten(target, root, found, (*above, path), flat)
            rest = match.end()
        if rest == 0:
            flat.append(line)
        else:
            _append(flat, line[rest:])
    if sum(map(len, flat)) > MAX_BYTES:
        raise PacketError(ReasonCode.TEX_UNREADABLE, "the whole text is too large", path=path.name)


def _append(flat: list[str], text: str) -> None:
    if text.strip():
        flat.append(text.rstrip())


def _resolve(name: str, root: Path) -> Path | None:
    """The included file, None when it is not there or lies outside the source's folder."""
    for candidate in (root / f"{name}.tex", root / name):
        if candidate.is_file() and candidate.resolve().is_relative_to(root.resolve()):
            return candidate
    return None


def _without_skipped(lines: list[str]) -> list[str]:
    kept: list[str] = []
    closing: re.Pattern[str] | None = None
    depth = 0
    for line in lines:
        rest = line
        if closing is None:
            starts = [(pair[0].search(line), pair[1]) for pair in _SKIPPED]
            opened = next(((start, end) for start, end in starts if start), None)
            if opened is None:
                kept.append(line)
                continue
            _append(kept, line[: opened[0].start()])
            closing, depth, rest = opened[1], 0, line[opened[0].end() :]
        end, depth = _closing(rest, closing, depth)
        if end is not None:
            _append(kept, rest[end:])
            closing = None
    return kept


def _closing(line: str, closing: re.Pattern[str], depth: int) -> tuple[int | None, int]:
    r"""Where a skipped part ends in a line, and how many inner \if are open after it."""
    if "fi" not in closing.pattern:
        match = closing.search(line)
        return (match.end() if match else None), 0
    for token in re.finditer(r"\\(if[a-zA-Z]*|else|fi)\b", line):
        name = token.group(1)
        if name.startswith("if"):
            depth += 1
        elif depth == 0:
            return token.end(), 0
        elif name == "fi":
            depth -= 1
    return None, depth


def _until_end(lines: list[str]) -> list[str]:
    for position, line in enumerate(lines):
        if re.search(r"\\end\s*\{document\}", line):
            return lines[: position + 1]
    return lines


def _heading(lines: list[str], position: int) -> str | None:
    line = lines[position]
    if _ABSTRACT.search(line):
        return "Abstract"
    match = _SECTION.search(line)
    if not match:
        return None
    # A heading may run over a few lines.
    text = " ".join([line[match.end() :], *lines[position + 1 : position + 4]])
    depth = 1
    for end, char in enumerate(text):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if depth == 0:
            return re.sub(r"\s+", " ", re.sub(r"\\label\{[^}]*\}", "", text[:end])).strip() or None
    return None


__all__ = ("TexText", "main_file", "reachable_tex", "read_tex")
