"""The Greek letters and letter-like signs that LaTeX has a command for."""

from typing import Final

_NAMES: Final = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma tau"
    " upsilon phi chi psi omega varepsilon vartheta varrho varsigma varphi varpi varkappa Gamma"
    " Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega hbar ell pi"
)
GREEK: Final = frozenset(_NAMES.split())
"""Their names, which are the commands without the backslash."""
