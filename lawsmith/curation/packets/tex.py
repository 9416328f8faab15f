r"""TeX source as packet lines: what the main file reaches, without comments, in reading order.

Files that no \input or \include reaches are not part of the paper and never read. Parts that are
switched off are gone, the author's own macros stand expanded, labelled equations are numbered.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from lawsmith.curation.packets.failure import PacketError
from lawsmith.curation.packets.tex_conditions import resolve_flags, without_skipped
from lawsmith.curation.packets.tex_equations import number_equations
from lawsmith.curation.packets.tex_macros import expand_macros
from schemas.source import ReasonCode

MAX_DEPTH = 16
MAX_BYTES = 20_000_000
_PREFERRED = ("main", "ms", "paper", "article", "manuscript")

_CLASS = re.compile(r"\\document(?:class|style)\b")
_INPUT = re.compile(r"\\(?:input|include|subfile)(?:\s*\{\s*([^{}]+?)\s*\}|\s+([^\s\\{}%]+))")
_ENDINPUT = re.compile(r"\\endinput(?![a-zA-Z@])")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_LITERAL = re.compile(r"\\(begin|end)\s*\{(verbatim\*?|Verbatim|lstlisting|minted)\}")
_SECTION = re.compile(r"\\(?:sub)*section\*?\s*(?:\[[^\]]*\])?\s*\{|\\chapter\*?\s*\{")
_ABSTRACT = re.compile(r"\\begin\s*\{abstract\}|\\abstract\b")
_BEGIN = re.compile(r"\\begin\s*\{document\}")
_END = re.compile(r"\\end\s*\{document\}")
_ASIDE = re.compile(r"supp|letter|response|reply|rebuttal|referee|cover|diff|old|draft|template")
"""Names of files that come with a paper and are none."""


@dataclass
class TexText:
    """What a TeX source says.

    Attributes:
        lines: text lines in reading order.
        sections: heading above each line, None before the first.
        files: files read, relative to the main file's folder, in reading order.
        missing: inputs that are not there (class files, generated tables).
        figures: uses of macros that were expanded (-1: their growth had no end), equations with
            a label, references that became numbers, whether some numbers are unknown.
    """

    lines: list[str] = field(default_factory=list)
    sections: list[str | None] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)


def main_file(candidates: Iterable[Path]) -> Path:
    r"""The one file that LaTeX is run on: it has a \documentclass outside comments.

    Of several: not one that others include or that only sets parts, not a letter or a
    supplement, one with a usual name, one with a bibliography made, the first by name.

    Raises:
        PacketError: none has one.
    """
    ordered = sorted(candidates)
    texts = {path: "\n".join(_lines_of(path)) for path in ordered}
    mains = [path for path in ordered if _CLASS.search(texts[path])]
    if not mains:
        raise PacketError(
            ReasonCode.TEX_UNREADABLE,
            r"no file has a \documentclass",
            path=", ".join(path.name for path in ordered) or "TeX source",
        )
    if len(mains) == 1:
        return mains[0]
    included = {
        Path(match.group(1) or match.group(2)).stem
        for text in texts.values()
        for match in _INPUT.finditer(text)
    }
    return min(mains, key=lambda path: _rank(path, texts[path], included))


def _rank(path: Path, text: str, included: set[str]) -> tuple[bool | int | str, ...]:
    """How far a file is from being the main one; the smallest is."""
    name = path.stem.lower()
    return (
        not _BEGIN.search(text),
        path.stem in included,
        bool(_ASIDE.search(name)),
        _PREFERRED.index(name) if name in _PREFERRED else len(_PREFERRED),
        # A bibliography that was made bears the name of what LaTeX was run on.
        not path.with_suffix(".bbl").is_file(),
        path.as_posix(),
    )


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
    body = _read_as_printed(_until_end(flat), found)
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


def _read_as_printed(lines: list[str], found: TexText) -> list[str]:
    """The lines with flags, macros and numbers of equations resolved."""
    text, expanded = expand_macros(resolve_flags("\n".join(lines)))
    numbered = number_equations(text)
    found.figures = {
        "expanded_macros": expanded,
        "labelled_equations": len(numbered.numbers),
        "resolved_references": numbered.resolved,
        "unknown_equation_numbers": numbered.unknown,
    }
    return [line.rstrip() for line in numbered.text.split("\n")]


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
    lines = without_skipped(_lines_of(path))
    for line in _inner(lines) if above else lines:
        end = _ENDINPUT.search(line)
        _flatten_line(line[: end.start()] if end else line, path, root, found, above, flat)
        if end:
            break
    if sum(map(len, flat)) > MAX_BYTES:
        raise PacketError(ReasonCode.TEX_UNREADABLE, "the whole text is too large", path=path.name)


def _flatten_line(
    line: str,
    path: Path,
    root: Path,
    found: TexText,
    above: tuple[Path, ...],
    flat: list[str],
) -> None:
    rest = 0
    for match in _INPUT.finditer(line):
        name = (match.group(1) or match.group(2)).strip('"')
        target = _resolve(name, root)
        if target is None:
            found.missing.append(name)
            continue
        _append(flat, line[rest : match.start()])
        _flatten(target, root, found, (*above, path), flat)
        rest = match.end()
    if rest == 0:
        flat.append(line)
    else:
        _append(flat, line[rest:])


def _inner(lines: list[str]) -> list[str]:
    """What an included file that could stand alone gives to the one that includes it."""
    begin = next((n for n, line in enumerate(lines) if _BEGIN.search(line)), None)
    if begin is None or not any(_CLASS.search(line) for line in lines[: begin + 1]):
        return lines
    head = _BEGIN.split(lines[begin], maxsplit=1)[-1]
    inner = [*([head] if head.strip() else []), *lines[begin + 1 :]]
    end = next((n for n, line in enumerate(inner) if _END.search(line)), len(inner))
    tail = _END.split(inner[end], maxsplit=1)[0] if end < len(inner) else ""
    return [*inner[:end], *([tail] if tail.strip() else [])]


def _append(flat: list[str], text: str) -> None:
    if text.strip():
        flat.append(text.rstrip())


def _resolve(name: str, root: Path) -> Path | None:
    """The included file, None when it is not there or lies outside the source's folder."""
    for candidate in (root / f"{name}.tex", root / name):
        try:
            inside = candidate.is_file() and candidate.resolve().is_relative_to(root.resolve())
        except (OSError, ValueError, RuntimeError):
            # No file can have such a name, or links go round in a circle.
            continue
        if inside:
            return candidate
    return None


def _until_end(lines: list[str]) -> list[str]:
    for position, line in enumerate(lines):
        if _END.search(line):
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
