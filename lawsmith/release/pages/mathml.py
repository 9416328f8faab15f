"""Expression -> presentation MathML, for people; it is never read back.

The tree is printed as it stands, with the fewest brackets: fractions, roots and powers as
such, products without a sign where none is needed, `e` to a power, and squares of sines in
their usual place. Subtrees can be marked, which puts them in a row of class `hit`.
"""

from collections.abc import Collection
from decimal import Decimal
from typing import Final, NamedTuple

from lawsmith.expressions import OPERATORS, number_text
from lawsmith.release.pages.symbols import Symbols, is_word, name_mathml
from schemas.expression import Expression, Op, Var

_SUM: Final = 1
_PRODUCT: Final = 2
_CALL: Final = 3
_POWER: Final = 4
_ATOM: Final = 5

PI: Final = Op("acos", (-1.0,))
PLAIN_DIGITS: Final = 7
"""Longer whole numbers are shown with a power of ten."""

_TIMES: Final = "<mo>&#x2062;</mo>"
_APPLY: Final = "<mo>&#x2061;</mo>"
_SPACE: Final = '<mspace width="0.14em"></mspace>'
_THIN: Final = _TIMES + _SPACE
_DOT: Final = "<mo>⋅</mo>"
_MINUS: Final = "<mo>−</mo>"


class _Piece(NamedTuple):
    """A printed subtree: its text, how tightly it binds, and what its ends are."""

    text: str
    level: int
    begins: str = "symbol"
    """`number`, `word`, `bracket` or `symbol`."""
    signed: bool = False
    """Begins with a minus sign."""
    ends: str = "symbol"


def mathml(expression: Expression, symbols: Symbols, marks: Collection[str] = frozenset()) -> str:
    """The rows inside a `math` element.

    Args:
        expression: what to print.
        symbols: name -> MathML; other names are printed by `name_mathml`.
        marks: JSON Pointers of subtrees to highlight.
    """
    return _Printer(symbols, frozenset(marks)).piece(expression, "").text


def equation(left: str, right: str, sign: str = "=") -> str:
    """A whole `math` element of two printed sides."""
    return math(f"{left}<mo>{sign}</mo>{right}")


def math(rows: str, *, display: bool = True) -> str:
    """A `math` element."""
    style = ' displaystyle="true"' if display else ""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{style}><mrow>{rows}</mrow></math>'


def number_mathml(value: float) -> str:
    """A number, with a power of ten where its digits alone would be hard to read."""
    mantissa, power = decimal_parts(abs(value))
    sign = _MINUS if value < 0 else ""
    text = f"<mn>{mantissa}</mn>"
    if power:
        text += f"<mo>×</mo><msup><mn>10</mn>{_signed_digits(power)}</msup>"
    return f"<mrow>{sign}{text}</mrow>" if sign or power else text


def decimal_parts(value: float) -> tuple[str, int]:
    """(decimal text, power of ten) of a number's shortest text; power 0 where it reads well."""
    text = number_text(value)
    digits = Decimal(text).normalize()
    power = digits.adjusted()
    long = "." not in text and "e" not in text and len(text.lstrip("-")) > PLAIN_DIGITS
    if "e" not in text and not long:
        return text.replace("-", "−"), 0
    return f"{digits.scaleb(-power).normalize():f}".replace("-", "−"), power


def _signed_digits(power: int) -> str:
    return f"<mrow>{_MINUS}<mn>{-power}</mn></mrow>" if power < 0 else f"<mn>{power}</mn>"


class _Printer:
    def __init__(self, symbols: Symbols, marks: frozenset[str]) -> None:
        self._symbols = symbols
        self._marks = marks

    def piece(self, node: Expression, path: str) -> _Piece:
        """The printed subtree at a path."""
        made = self._printed(node, path)
        if path not in self._marks:
            return made
        return made._replace(text=f'<mrow class="hit">{made.text}</mrow>')

    def _printed(self, node: Expression, path: str) -> _Piece:
        if isinstance(node, Var):
            text = self._symbols.get(node.var) or name_mathml(node.var)
            kind = "word" if is_word(text) else "symbol"
            return _Piece(text, _ATOM, kind, False, kind)
        if not isinstance(node, Op):
            text = number_mathml(node)
            level = _PRODUCT if "×" in text or node < 0 else _ATOM
            return _Piece(text, level, "number", node < 0, "number")
        if node == PI:
            return _Piece("<mi>π</mi>", _ATOM)
        makers = {
            "sum": self._sum,
            "product": self._product,
            "fraction": self._fraction,
            "power": self._power,
            "sign": self._minus,
            "exponential": self._exponential,
            "root": self._root,
            "fences": self._in_fences,
            "modulo": self._modulo,
            "call": self._call,
        }
        return makers[OPERATORS[node.op].mathml.shape](node, path)

    def _args(self, node: Op, path: str) -> list[_Piece]:
        return [self.piece(arg, f"{path}/args/{i}") for i, arg in enumerate(node.args)]

    def _sum(self, node: Op, path: str) -> _Piece:
        parts = self._args(node, path)
        text = parts[0].text
        for i, part in enumerate(parts[1:], start=1):
            here = f"{path}/args/{i}"
            arg = node.args[i]
            subtracted = node.op == "sub"
            if part.signed and not subtracted and here not in self._marks:
                positive = self._without_sign(arg, here)
                if positive is not None:
                    text += _MINUS + _within(positive, _PRODUCT)
                    continue
            bracketed = part.level < (_PRODUCT if subtracted else _SUM) or part.signed
            text += (_MINUS if subtracted else "<mo>+</mo>") + (
                _bracketed(part.text) if bracketed else part.text
            )
        return _Piece(f"<mrow>{text}</mrow>", _SUM, parts[0].begins, parts[0].signed)

    def _without_sign(self, node: Expression, path: str) -> _Piece | None:
        """A term that begins with a minus sign, without it."""
        if isinstance(node, float):
            return self._printed(-node, path)
        if isinstance(node, Op) and node.op == "neg":
            return self.piece(node.args[0], f"{path}/args/0")
        return None

    def _product(self, node: Op, path: str) -> _Piece:
        parts = self._args(node, path)
        text, last = "", parts[0]
        for i, part in enumerate(parts):
            bracketed = part.level < _PRODUCT or (i > 0 and part.signed)
            inner = _bracketed(part.text) if bracketed else part.text
            if i > 0:
                text += _join(last, part, bracketed) + inner
            else:
                text = inner
            last = part._replace(ends="bracket") if bracketed else part
        signed = parts[0].signed and parts[0].level >= _PRODUCT
        begins = "bracket" if parts[0].level < _PRODUCT else parts[0].begins
        return _Piece(f"<mrow>{text}</mrow>", _PRODUCT, begins, signed, last.ends)

    def _fraction(self, node: Op, path: str) -> _Piece:
        above, below = self._args(node, path)
        # The bar groups: neither part needs brackets.
        return _Piece(f"<mfrac>{_row(above)}{_row(below)}</mfrac>", _CALL)

    def _power(self, node: Op, path: str) -> _Piece:
        base, exponent = node.args
        above = f"<mrow>{self._linear(exponent, f'{path}/args/1')}</mrow>"
        # The -1st power of a sine would be read as its inverse.
        whole = isinstance(exponent, float) and exponent >= 2.0 and exponent.is_integer()
        raised = whole and f"{path}/args/0" not in self._marks
        if raised and isinstance(base, Op) and OPERATORS[base.op].mathml.raised:
            inner = self.piece(base.args[0], f"{path}/args/0/args/0")
            head = f"<msup><mi>{OPERATORS[base.op].mathml.text}</mi>{above}</msup>"
            return _called(head, inner)
        lower = self.piece(base, f"{path}/args/0")
        inner_text = _bracketed(lower.text) if lower.level < _ATOM or lower.signed else lower.text
        return _Piece(f"<msup>{_one(inner_text)}{above}</msup>", _POWER, lower.begins)

    def _linear(self, node: Expression, path: str) -> str:
        """An exponent: a simple fraction on one line, anything else as it is."""
        if isinstance(node, Op) and node.op == "div" and path not in self._marks:
            above, below = self._args(node, path)
            if below.level >= _POWER and above.level >= _PRODUCT and "<mfrac" not in above.text:
                return f'{above.text}<mo lspace="0" rspace="0">/</mo>{below.text}'
        if isinstance(node, Op) and node.op == "neg" and path not in self._marks:
            inner = node.args[0]
            if not (isinstance(inner, Op) and inner.op in ("add", "sub", "neg")):
                return _MINUS + self._linear(inner, f"{path}/args/0")
        return self.piece(node, path).text

    def _minus(self, node: Op, path: str) -> _Piece:
        first = self._args(node, path)[0]
        inner = _bracketed(first.text) if first.level < _PRODUCT or first.signed else first.text
        return _Piece(f"<mrow>{_MINUS}{inner}</mrow>", _PRODUCT, first.begins, True)

    def _exponential(self, node: Op, path: str) -> _Piece:
        above = self._linear(node.args[0], f"{path}/args/0")
        if "<mfrac" not in above:
            return _Piece(f"<msup><mi>e</mi><mrow>{above}</mrow></msup>", _POWER)
        return _listed(f"<mi>{OPERATORS[node.op].mathml.text}</mi>", self._args(node, path))

    def _root(self, node: Op, path: str) -> _Piece:
        under, degree = _row(self._args(node, path)[0]), OPERATORS[node.op].mathml.text
        if not degree:
            return _Piece(f"<msqrt>{under}</msqrt>", _ATOM)
        return _Piece(f"<mroot>{under}<mn>{degree}</mn></mroot>", _ATOM)

    def _in_fences(self, node: Op, path: str) -> _Piece:
        fences = OPERATORS[node.op].mathml.text
        inside = self._args(node, path)[0].text
        return _Piece(_fenced(inside, fences[0], fences[1]), _ATOM, "bracket")

    def _modulo(self, node: Op, path: str) -> _Piece:
        sides = "<mo>mod</mo>".join(_within(part, _CALL) for part in self._args(node, path))
        return _Piece(_bracketed(sides), _ATOM, "bracket")

    def _call(self, node: Op, path: str) -> _Piece:
        form, parts = OPERATORS[node.op].mathml, self._args(node, path)
        head = f"<mi>{form.text}</mi>"
        if form.subscript:
            head = f"<msub>{head}<mn>{form.subscript}</mn></msub>"
        if len(parts) == 1 and form.bare:
            return _called(head, parts[0])
        return _listed(head, parts)


def _join(left: _Piece, right: _Piece, bracketed: bool) -> str:
    """The sign between two factors."""
    if left.ends == "call" or (not bracketed and right.begins == "number"):
        return _DOT
    if bracketed:
        return _DOT if "×" in left.text else _TIMES
    return _DOT if left.ends == "word" else _THIN


def _called(head: str, argument: _Piece) -> _Piece:
    """A function of one argument, which stands bare where it is one symbol."""
    bare = argument.level >= _ATOM and not argument.signed and argument.begins != "bracket"
    inside = f"{_SPACE}{argument.text}" if bare else _bracketed(argument.text)
    ends = "call" if bare else "bracket"
    return _Piece(f"<mrow>{head}{_APPLY}{inside}</mrow>", _CALL, "word", False, ends)


def _listed(head: str, parts: list[_Piece]) -> _Piece:
    """A function whose arguments stand in brackets."""
    inside = '<mo separator="true">,</mo>'.join(part.text for part in parts)
    return _Piece(f"<mrow>{head}{_APPLY}{_bracketed(inside)}</mrow>", _CALL, "word")


def _within(piece: _Piece, lowest: int) -> str:
    return piece.text if piece.level >= lowest and not piece.signed else _bracketed(piece.text)


def _bracketed(text: str) -> str:
    return _fenced(text, "(", ")")


def _fenced(text: str, left: str, right: str) -> str:
    return (
        f'<mrow><mo fence="true" form="prefix">{left}</mo>{text}'
        f'<mo fence="true" form="postfix">{right}</mo></mrow>'
    )


def _row(piece: _Piece) -> str:
    return _one(piece.text)


def _one(text: str) -> str:
    """One element, as scripts and fractions need it."""
    return f"<mrow>{text}</mrow>"


__all__ = ("PI", "decimal_parts", "equation", "math", "mathml", "number_mathml")
