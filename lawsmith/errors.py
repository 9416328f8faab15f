"""One family of errors: each names the field path, the value, the bound and the fix."""


class LawsmithError(Exception):
    """The base of everything Lawsmith raises on purpose.

    Attributes:
        path: where it went wrong (a field path, JSON Pointer or file), `""` if nowhere.
        problem: what is wrong, with the value and the bound.
        fix: what to do about it, `""` if there is nothing to add.
    """

    def __init__(self, problem: str, *, path: str = "", fix: str = "") -> None:
        self.problem = problem
        self.path = path
        self.fix = fix
        where = f"{path}: " if path else ""
        then = f"; {fix}" if fix else ""
        super().__init__(f"{where}{problem}{then}")


class InputError(LawsmithError, ValueError):
    """Data given by a person, a paper, a model or a file breaks a rule."""


class ParseError(InputError):
    """A text is not an expression.

    Attributes:
        position: 0-based offset of the first character at fault, None when unknown.
    """

    def __init__(self, problem: str, *, position: int | None = None, fix: str = "") -> None:
        self.position = position
        super().__init__(problem, path="" if position is None else f"at {position}", fix=fix)


class UndefinedValueError(LawsmithError, ArithmeticError):
    """An expression has no real, finite value at an input.

    Attributes:
        inputs: the first offending input, name -> value.
    """

    def __init__(self, problem: str, *, path: str, inputs: dict[str, float]) -> None:
        self.inputs = inputs
        super().__init__(f"{problem} at {inputs!r}", path=path or "/")


class DimensionError(InputError):
    """Two quantities of unlike dimension meet, or one stands where none may."""


class CoherenceError(InputError):
    """Quantities of one dimension meet whose units need a factor, or an offset, between them."""


class UnitError(InputError):
    """A unit text is unknown or cannot be used; units are never guessed."""


class PrerequisiteError(LawsmithError, RuntimeError):
    """The user's set-up lacks something: a key, a cap, a recorded reply, a writable store."""


class LockHeldError(PrerequisiteError):
    """Another process holds the lock; the message says who."""


class IntegrityError(LawsmithError, ValueError):
    """Stored bytes are not what their digest, hash or certificate says."""


class ReleaseConflictError(IntegrityError):
    """A release version exists with other content, or a law changed under an old task id."""
