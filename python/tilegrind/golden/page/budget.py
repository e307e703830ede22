"""How much of large outputs a page holds, so that it has at most some 25 MB."""

import math
from dataclasses import dataclass

_ELEMENTS, _CELLS = 160_000, 400_000  # over all outputs on all input sets
_MOST_ELEMENTS, _MOST_SIDE = 65_536, 256


@dataclass(frozen=True)
class Budget:
    """Of each output on each input set: how many elements are kept with their exact values, and how many cells a side of
    its map has."""

    elements: int
    side: int

    @classmethod
    def of(cls, outputs):
        """For so many outputs, over all input sets."""
        share = max(outputs, 1)
        return cls(min(_MOST_ELEMENTS, max(64, _ELEMENTS // share)), min(_MOST_SIDE, max(8, math.isqrt(_CELLS // share))))
