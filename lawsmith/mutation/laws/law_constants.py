"""Which numbers of a family's laws are constants, free to take other values, and which structure.

The literals of `literal_paths` are constants, those of an exponent that varies with a control
among them. The exponent of a power of something that varies is a constant where the Original
declares it as a parameter (fitted or independent); a literal exponent, and one that only a
parameter of zero (a correction of the super-family) or one that a move introduced fills, is
structure. The flag belongs to the family's own relation sets, is the same in both environments,
and is never read from how a submission prints its digits.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from lawsmith.expressions import (
    evaluate_exact,
    fold_constants,
    literal_paths,
    replace_literals,
    without_zeros,
)
from lawsmith.mutation.laws.relation_sets import folded, folded_laws, laws_of
from schemas.expression import Expression, Op, Var, names_of, substitute, walk
from schemas.family import Environment, Family, RelationSet


@dataclass(frozen=True)
class LawForm:
    """A folded law with its free constants named."""

    expression: Expression
    """Over controls and constants. Parameters of 1 stand here also as a factor or an exponent."""
    values: dict[str, float]
    """Constant -> its value in the law, none zero, in document order."""


def free_constant_paths(
    family: Family, environment: Environment, *, folded: bool = False
) -> dict[str, tuple[str, ...]]:
    """Readout -> JSON Pointers of the free constants of its law, in document order.

    Every pointer leads to a literal other than zero, none of a term that is zero whatever it
    holds. Constants may be redundant (a product of
    two counts as two). They serve as `free_constants` of `same_form`.

    Args:
        family: its Original says which parameters are declared.
        environment: whose laws.
        folded: pointers into `folded_laws(relations)[readout]`, the law with constants folded;
            else into `laws_of(relations)[readout]`, the law as the world computes it, over the
            literals of its parameters.
    """
    relations: RelationSet = getattr(family, environment)
    declared = declared_parameters(family.original)
    laws = folded_laws(relations) if folded else laws_of(relations)
    found: dict[str, tuple[str, ...]] = {}
    for readout, law in laws.items():
        exponents = (
            _folded_exponents(relations, readout, declared)
            if folded
            else _exponents(_open_laws(relations)[readout], declared, _parameters(relations))
        )
        gone = tuple(f"{path}/" for path, node in walk(law) if without_zeros(node) == 0.0)
        free = {p for p in (*literal_paths(law), *exponents) if not p.startswith(gone)}
        found[readout] = tuple(path for path, _ in walk(law) if path in free)
    return found


def declared_parameters(original: RelationSet) -> frozenset[str]:
    """Parameters of an Original that are constants also where they stand in an exponent."""
    return frozenset(p.name for p in original.parameters if p.value != 0.0)


def law_forms(relations: RelationSet, declared: Collection[str]) -> dict[str, LawForm]:
    """Readout -> its folded law with every free constant named.

    Args:
        relations: one environment's.
        declared: parameters whose exponents are constants; the other exponents keep their value.
    """
    return {
        readout: _form(law, _parameters(relations), declared)
        for readout, law in _open_laws(relations).items()
    }


def _form(law: Expression, parameters: Mapping[str, float], declared: Collection[str]) -> LawForm:
    marked, marks = _marked(law, parameters, declared)
    short = folded(marked)
    names = (f"free_{i}" for i in count())
    literals = frozenset(literal_paths(short))
    named: dict[str, Expression] = {}
    values: dict[str, float] = {}
    for path, node in walk(short):
        if path in literals and isinstance(node, float):
            value = node
        elif isinstance(node, Var) and node.var in marks:
            value = evaluate_exact(marks[node.var], {})
        else:
            continue
        name = next(names)
        named[path] = Var(name)
        values[name] = value
    return LawForm(replace_literals(short, named), values)


def _open_laws(relations: RelationSet) -> dict[str, Expression]:
    """Readout -> law over controls and parameters: definitions alone are substituted."""
    known: dict[str, Expression] = {}
    for definition in relations.definitions:
        known[definition.name] = substitute(definition.expression, known)
    return {r.readout: substitute(r.expression, known) for r in relations.relations}


def _parameters(relations: RelationSet) -> dict[str, float]:
    return {p.name: p.value for p in relations.parameters}


def _is_declared_exponent(
    node: Expression, parameters: Mapping[str, float], declared: Collection[str]
) -> bool:
    """Whether a node is a power of something that varies to an exponent made of parameters."""
    if not isinstance(node, Op) or node.op != "pow":
        return False
    base, exponent = node.args
    held = names_of(exponent)
    return bool(
        names_of(base) - parameters.keys()
        and held & set(declared)
        and not held - parameters.keys()
        and not _is_zero(substitute(exponent, dict(parameters)))
    )


def _is_zero(exponent: Expression) -> bool:
    return evaluate_exact(exponent, {}) == 0.0


def _exponents(
    law: Expression, declared: Collection[str], parameters: Mapping[str, float]
) -> Iterator[str]:
    """Pointers of the declared parameters in exponents of powers that do not vary."""
    for path, node in walk(law):
        if isinstance(node, Op) and _is_declared_exponent(node, parameters, declared):
            for inner, leaf in walk(node.args[1], f"{path}/args/1"):
                if isinstance(leaf, Var) and leaf.var in declared and parameters[leaf.var]:
                    yield inner


def _marked(
    law: Expression,
    parameters: Mapping[str, float],
    declared: Collection[str],
    *,
    ones: bool = True,
) -> tuple[Expression, dict[str, Expression]]:
    """The law over controls alone but for names in place of what folding would hide, and those.

    Args:
        law: over controls and parameters.
        parameters: their values.
        declared: those that are constants in an exponent too; such exponents get a name.
        ones: parameters of 1 get one too, which as factors would leave the law.
    """
    taken = names_of(law)
    names = (name for i in count() if (name := f"marked_{i}") not in taken)
    marks: dict[str, Expression] = {}
    known: dict[str, Expression] = dict(parameters)

    def name_of(value: Expression) -> Var:
        name = next(names)
        marks[name] = value
        return Var(name)

    def mark(node: Expression) -> Expression:
        if isinstance(node, Var):
            return name_of(1.0) if ones and parameters.get(node.var) == 1.0 else node
        if not isinstance(node, Op):
            return node
        if node.op == "pow" and names_of(node.args[1]) <= parameters.keys():
            base, exponent = node.args
            if _is_declared_exponent(node, parameters, declared):
                return Op("pow", (mark(base), name_of(substitute(exponent, known))))
            return Op("pow", (mark(base), exponent))
        return Op(node.op, tuple(map(mark, node.args)))

    return substitute(mark(law), known), marks


def _folded_exponents(
    relations: RelationSet, readout: str, declared: Collection[str]
) -> Iterator[str]:
    """Pointers of declared exponents into the folded law; one of 1 has left it."""
    parameters = _parameters(relations)
    law = _open_laws(relations)[readout]
    marked, exponents = _marked(law, parameters, declared, ones=False)
    bodies = {name: _exponent(exponent) for name, exponent in exponents.items()}
    gone: dict[str, Expression] = {name: 1.0 for name, body in bodies.items() if body == 1.0}
    for path, node in walk(folded(substitute(marked, gone))):
        if isinstance(node, Var) and node.var in bodies:
            body = bodies[node.var]
            yield from (
                f"{path}{inner}" for inner, leaf in walk(body) if isinstance(leaf, float) and leaf
            )


def _exponent(exponent: Expression) -> Expression:
    """An exponent as folding leaves it."""
    whole = fold_constants(Op("pow", (Var("base"), exponent)))
    return whole.args[1] if isinstance(whole, Op) else exponent


__all__ = ("LawForm", "declared_parameters", "free_constant_paths", "law_forms")
