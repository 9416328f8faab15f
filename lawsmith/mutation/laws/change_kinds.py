"""Which kind of move a change is, read from the trees and never from what it is called."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lawsmith.expressions import evaluate, same_form, without_zeros
from lawsmith.mutation.laws.relation_sets import at_pointer, folded_laws, laws_of, meanings_of
from schemas.card import Choices, Domain
from schemas.expression import Expression, Op, Var, names_of, substitute
from schemas.family import Family, FamilyControl, MoveKind, Mutation, RelationSet

STRUCTURAL: Final = frozenset(
    {
        "exponent",
        "transform",
        "interaction",
        "operator_swap",
        "term_added",
        "term_removed",
        "historical_correction",
    }
)
"""Kinds of move that change the form of a law, not only its constants."""
_CONSTANT: Final = "#"
_FACTORS: Final = frozenset({"mul", "div", "neg", "sqrt", "cbrt"})
_TERMS: Final = frozenset({"add", "sub"})
_LOGARITHMS: Final = frozenset({"log", "log2", "log10"})
_POWERS: Final[Mapping[str, float]] = {"sqrt": 1 / 2, "cbrt": 1 / 3}
_ORDERLESS: Final = frozenset({"min", "max"})


def alike(original: RelationSet, counterfactual: RelationSet) -> bool:
    """Whether all laws of two relation sets have the same shape: only constants moved."""
    before, after = laws_of(original), laws_of(counterfactual)
    reader = _Reader()
    return before.keys() == after.keys() and all(
        reader.shape(without_zeros(law)) == reader.shape(without_zeros(after[name]))
        for name, law in before.items()
    )


def other_constants(
    original: RelationSet, counterfactual: RelationSet, controls: Sequence[FamilyControl]
) -> bool:
    """Whether every law of the Counterfactual is the Original's in other constants.

    Dearer than `alike`: where the shapes differ, the Original's constants are solved for.
    """
    if alike(original, counterfactual):
        return True
    before, after = folded_laws(original), folded_laws(counterfactual)
    domain = {control.name: _bounds(control.domain) for control in controls}
    return all(
        same_form(after[name], law, domain=domain).verdict == "equal"
        for name, law in before.items()
    )


def kind_of(mutation: Mutation, original: RelationSet, counterfactual: RelationSet) -> MoveKind:
    """The kind of one change, from what stood there and what stands there now.

    A value is an exponent where its parameter stands as a whole exponent and nowhere else, else
    a coefficient. Of a subtree, the innermost part that differs is judged: constants alone are a
    coefficient, powers alone an exponent; more terms, fewer terms, the same terms joined
    otherwise, and one more factor in which two inputs act together are what they are called;
    anything else is a transform.

    Args:
        mutation: its `move` is not read.
        original: where its path leads into.
        counterfactual: gives the introduced parameters their values.

    Raises:
        InputError: the path leads nowhere.
    """
    if mutation.path.startswith("/parameters"):
        at_pointer(original, mutation.path)
        name = original.parameters[int(mutation.path.split("/")[2])].name
        return "exponent" if name in exponents_of(original) else "coefficient"
    known = meanings_of(original) | meanings_of(counterfactual)
    constant = {name: body for name, body in known.items() if not names_of(body)}
    before, after = _innermost(mutation.before, mutation.after)
    return _judged(substitute(before, constant), substitute(after, constant))


def kinds_of(
    mutations: Sequence[Mutation], original: RelationSet, counterfactual: RelationSet
) -> tuple[Mutation, ...]:
    """The mutations under the kinds that they are, each by itself.

    A readout that follows another through an identity keeps the kind of the move that it follows.
    """
    return tuple(
        m if m.follows else m.model_copy(update={"move": kind_of(m, original, counterfactual)})
        for m in mutations
    )


def structural_changes(family: Family) -> int:
    """How many mutations of a family change the form of a law, counted from its trees.

    A Historical card's parameters and corrections are told by its rules, so their names hold.
    What only follows another readout is not counted.
    """
    if alike(family.original, family.counterfactual):
        return 0
    own = tuple(m for m in family.mutations if not m.follows)
    read = own
    if family.kind == "temporal":
        read = kinds_of(own, family.original, family.counterfactual)
    return sum({one.move, other.move} <= STRUCTURAL for one, other in zip(own, read, strict=True))


def _bounds(domain: Domain) -> tuple[float, float] | list[float]:
    return list(domain.choices) if isinstance(domain, Choices) else (domain.low, domain.high)


def exponents_of(relations: RelationSet) -> frozenset[str]:
    """Parameters that stand as a whole exponent everywhere they stand."""
    whole: set[str] = set()
    elsewhere: set[str] = set()
    bodies = [definition.expression for definition in relations.definitions]
    for body in (*bodies, *(relation.expression for relation in relations.relations)):
        _sort_names(body, whole, elsewhere)
    return frozenset(whole - elsewhere)


def _sort_names(node: Expression, whole: set[str], elsewhere: set[str]) -> None:
    if isinstance(node, Var):
        elsewhere.add(node.var)
    if not isinstance(node, Op):
        return
    for place, arg in enumerate(node.args):
        if node.op == "pow" and place == 1 and isinstance(arg, Var):
            whole.add(arg.var)
        else:
            _sort_names(arg, whole, elsewhere)


def _innermost(before: Expression, after: Expression) -> tuple[Expression, Expression]:
    """The one place inside two trees at which they differ; the trees where there are several."""
    while isinstance(before, Op) and isinstance(after, Op) and before.op == after.op:
        if len(before.args) != len(after.args):
            break
        pairs = zip(before.args, after.args, strict=True)
        differing = [(one, other) for one, other in pairs if one != other]
        # An exponent belongs to its power.
        if len(differing) != 1 or (before.op == "pow" and before.args[1] != after.args[1]):
            break
        before, after = differing[0]
    return before, after


def _judged(before: Expression, after: Expression) -> MoveKind:
    full, powerless = _Reader(), _Reader(powers=False)
    if full.shape(before) == full.shape(after):
        return "coefficient"
    terms, more = full.terms(before), full.terms(after)
    if terms != more and terms <= more:
        return "term_added"
    if terms != more and terms >= more:
        return "term_removed"
    if _parts(full, before) == _parts(full, after):
        return "operator_swap"
    if powerless.shape(before) == powerless.shape(after):
        return "exponent"
    if _acts_together(full, before, after) or _newly_joint(before, after):
        return "interaction"
    return "transform"


def _parts(reader: "_Reader", node: Expression) -> Counter[Any]:
    """What a sum, a difference, an extreme or a root of squares joins, whatever joins it."""
    if isinstance(node, Op) and node.op in _ORDERLESS:
        return Counter(reader.shape(arg) for arg in node.args)
    if isinstance(node, Op) and node.op == "sqrt" and isinstance(node.args[0], Op):
        squares = node.args[0].args
        if node.args[0].op == "add" and all(
            isinstance(one, Op) and one.op == "pow" and one.args[1] == 2.0 for one in squares
        ):
            return Counter(reader.shape(one.args[0]) for one in squares if isinstance(one, Op))
    return Counter(shape for _, shape in reader.terms(node).elements())


def _acts_together(reader: "_Reader", before: Expression, after: Expression) -> bool:
    """Whether what is new are factors that hold a constant beside a product of two names."""
    old, new = reader.factors(before)[1], reader.factors(after)[1]
    extra = {base: power - old.get(base, 0.0) for base, power in new.items()}
    extra = {base: power for base, power in extra.items() if power}
    if not extra or any(base not in new for base in old):
        return False
    inner = {term for base in extra if base[0] == "add" for _, term in base[1]}
    products = [term for term in inner if term[0] == "mul" and len(term[2]) > 1]
    return bool(products) and reader.shape(before) not in inner


def _newly_joint(before: Expression, after: Expression) -> bool:
    """Whether names stand in one term that stood in terms apart."""
    old = _joint_names(before)
    return any(not any(one <= other for other in old) for one in _joint_names(after))


def _joint_names(node: Expression) -> set[frozenset[str]]:
    """Names of every term, at any depth; of a tree that is no sum, of the whole."""
    found = {names_of(node)}
    if isinstance(node, Op):
        if node.op in _TERMS:
            found.clear()
        for arg in node.args:
            found |= _joint_names(arg)
    return found


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the shape of a tree: what is left when constants, order and grouping are forgotten.

    Products, quotients and constant powers are one thing (bases with exponents), so are sums and
    differences (signed terms), c^u and exp(u), and logarithms of any base. A sign is kept where no
    constant stands beside it that could take it up.
    """

    powers: bool = True
    """Whether exponents count."""

    def shape(self, node: Expression) -> Any:
        """A hashable, equal for trees that differ in constants alone."""
        if not names_of(node):
            return _CONSTANT
        if isinstance(node, Var):
            return ("var", node.var)
        if not isinstance(node, Op):
            return _CONSTANT
        if node.op in _FACTORS or (node.op == "pow" and not names_of(node.args[1])):
            return self._product(node)
        if node.op in _TERMS:
            return self._sum(node)
        if node.op == "exp" or (node.op == "pow" and not names_of(node.args[0])):
            return ("exp", self._without_constants(node.args[-1]))
        if node.op in _LOGARITHMS:
            return ("log", self.shape(node.args[0]))
        parts = [self.shape(arg) for arg in node.args]
        return (node.op, tuple(sorted(parts, key=repr) if node.op in _ORDERLESS else parts))

    def terms(self, node: Expression) -> Counter[Any]:
        """(sign, shape) of every term of a sum, all constants one; other trees are one term."""
        found: list[tuple[int, Any]] = []
        self._gather(node, 1, found)
        constant = (1, _CONSTANT)
        return Counter(
            one for i, one in enumerate(found) if one != constant or one not in found[:i]
        )

    def factors(self, node: Expression) -> tuple[int, dict[Any, float]]:
        """(sign, base -> exponent) of a product; a tree that is none is one factor.

        The sign is 0 where a constant factor could take it up.
        A base with constants inside may be another one above a line than below it.
        """
        found: dict[Any, float] = {}
        sign = self._multiply(node, 1.0, found)
        return sign, {base: power for base, power in found.items() if power}

    def _product(self, node: Expression) -> Any:
        sign, found = self.factors(node)
        bases = sorted(found.items() if self.powers else ((b, 1.0) for b in found), key=repr)
        if not bases:
            return _CONSTANT
        sign = sign or 1
        if sign > 0 and len(bases) == 1 and bases[0][1] == 1.0:
            return bases[0][0]
        return ("mul", sign, tuple(bases))

    def _sum(self, node: Expression) -> Any:
        (first, *more) = sorted(self.terms(node).elements(), key=repr)
        return first[1] if not more and first[0] > 0 else ("add", (first, *more))

    def _without_constants(self, node: Expression) -> Any:
        terms = [term for term in self.terms(node).elements() if term[1] != _CONSTANT]
        return tuple(sorted(terms, key=repr))

    def _gather(self, node: Expression, sign: int, found: list[tuple[int, Any]]) -> None:
        if isinstance(node, Op) and node.op in _TERMS and names_of(node):
            for place, arg in enumerate(node.args):
                flipped = node.op == "sub" and place == 1
                self._gather(arg, -sign if flipped else sign, found)
            return
        own, _ = self.factors(node)
        shape = self.shape(node)
        if isinstance(shape, tuple) and shape[0] == "mul":
            shape = ("mul", 1, shape[2])
            if len(shape[2]) == 1 and shape[2][0][1] == 1.0:
                shape = shape[2][0][0]
        found.append((1 if shape == _CONSTANT or not own else sign * own, shape))

    def _multiply(self, node: Expression, power: float, found: dict[Any, float]) -> int:
        """1, -1, or 0 where a constant factor makes the sign that of a constant."""
        if not names_of(node):
            return 0
        if isinstance(node, Op) and node.op in ("neg", "mul", "div"):
            sign = -1 if node.op == "neg" else 1
            for place, arg in enumerate(node.args):
                under = node.op == "div" and place == 1
                sign *= self._multiply(arg, -power if under else power, found)
            return sign
        inner, raised = self._power(node)
        if raised is not None:
            sign = self._multiply(inner, power * raised, found)
            return sign if raised % 2 == 1 or not sign else 1
        shape = self.shape(node)
        base = shape if shape[0] == "var" or power > 0 or not self.powers else ("under", shape)
        found[base] = round(found.get(base, 0.0) + power, 12)
        return 1

    def _power(self, node: Expression) -> tuple[Expression, float | None]:
        """(base, exponent) of a root or of a power with a constant exponent."""
        if isinstance(node, Op) and node.op in _POWERS:
            return node.args[0], _POWERS[node.op]
        if isinstance(node, Op) and node.op == "pow" and not names_of(node.args[1]):
            return node.args[0], float(evaluate(node.args[1], {}))
        return node, None


__all__ = (
    "STRUCTURAL",
    "alike",
    "exponents_of",
    "kind_of",
    "kinds_of",
    "other_constants",
    "structural_changes",
)
