"""How much of large outputs a page holds, so that it has at most some 25 MB."""

import math
from dataclasses import dataclass

_ELEMENTS, _CELLS = 160_000, 400_000  # over all outputs on all input sets
_MOST_ELEMENTS, _MOST_SIDE = 65_536, 220
_LEAST_ELEMENTS, _LEAST_SIDE = 64, 8


@dataclass(frozen=True)
class Budget:
    """Of each output on each input set: how many elements are kept with their exact values, and how many cells a side of
    its map has."""

    elements: int
    side: int

    @classmethod
    def of(cls, sizes):
        """For outputs of so many elements, each on each input set."""
        cells = _level(sizes, _CELLS, _MOST_SIDE**2)
        return cls(max(_LEAST_ELEMENTS, _level(sizes, _ELEMENTS, _MOST_ELEMENTS)), max(_LEAST_SIDE, math.isqrt(cells)))


def _level(sizes, total, most):
    """How many each may have, so that all together have no more than `total`: what small ones leave, large ones have."""
    for number, size in enumerate(ordered := sorted(sizes)):
        share = total // (len(ordered) - number)
        if size > share:
            return min(most, share)
        total -= size
    return most
