"""Sentences that papers may use, by which the wording of a packet is changed.

Two pools each: the gates were written with the first in view, the second is for the other seed.
"""

from typing import Final

Pool = tuple[tuple[str, ...], tuple[str, ...]]

PAIRED: Final[Pool] = (
    (
        "came each with a value of its own in settings that were not crossed",
        "were only set in pairs, one value of each, as Table 1 lists them",
        "were raised together from run to run, so that no other pairs exist",
        "were varied one at a time around a middle setting",
        "were tied to each other by the valve",
        "rose together along a single path through the settings",
        "were measured at paired settings only",
        "could not be varied independently",
        "went up in step, one and the same index for all",
    ),
    (
        "formed a sequence of matched settings, each value with its partner",
        "were changed in lockstep, a low one with a low one and a high one with a high one",
        "appear in these tuples and in no others",
        "were coupled through the pump, so that one fixes the other",
        "were not combined with one another",
        "followed one line through the plane of settings",
        "were sampled along the diagonal only",
        "took their values jointly, run by run",
    ),
)
APPROXIMATE: Final[Pool] = (
    (
        "To leading order the result is approximately",
        "In the limit of long times it approaches asymptotically",
        "Roughly, the data behave as the approximation",
        "The following is a good approximation",
    ),
    (
        "A simplified expression, valid to first order, is",
        "It is well approximated by",
        "As a rough estimate one may take",
        "To within a few percent the quantity is nearly",
        "An approximate form reads",
    ),
)
PROPORTIONAL: Final[Pool] = (
    (
        "We find only that the quantity is proportional to the following",
        "The quantity scales as",
        "Up to a factor that we did not determine the quantity varies as",
    ),
    (
        "The dependence, its prefactor left open, is",
        "All that the data support is a scaling law",
        "It grows as the product below, whose constant belongs to the sample",
    ),
)
CREDITS: Final[Pool] = (
    (
        "We use the expression given by Moreau et al. [7],",
        "The well-known relation reads",
        "Following Moreau et al. [7] we write",
        "The relation was derived by [7] and is repeated here,",
        "The standard expression of textbooks is",
        "We adopt the form proposed by Moreau in earlier work,",
    ),
    (
        "The formula, due to Moreau and Lind (2004), is",
        "As was shown previously [7], one has",
        "We take the relation from Ref. [7],",
        "The relation published by Moreau et al. states",
        "According to [7] the quantity obeys",
        "The same law as in the original paper of Moreau is",
        "The classic law, found in any handbook, reads",
    ),
)
JOINT: Final[Pool] = (
    (
        "All settings used satisfy {}.",
        "Settings were run only where {} holds.",
        "The design was cut at {}.",
    ),
    (
        "Only those with {} were kept.",
        "Runs that break {} were discarded.",
        "Throughout, {} was respected.",
    ),
)

__all__ = ("APPROXIMATE", "CREDITS", "JOINT", "PAIRED", "PROPORTIONAL")
