"""Covering arrays: runs in which every two choices of different factors occur together.

Row (a, b) of the array gives factor j the choice (a + b j) mod p, for all a and b below a prime p that is at least the number of
factors and of any factor's choices.  For two factors i and j and two choices of theirs, i - j has an inverse modulo p, so there is
one b, and then one a, with which both occur.  So p^2 rows cover all pairs, where the product of the two greatest numbers of choices
is the least that any array needs.  A number that is no choice of its factor stands for another one.
"""

from __future__ import annotations

import itertools
import random
from typing import Iterable, Iterator, Sequence

FIRST = 7  # the b of the first rows, in which each choice occurs, next to different ones
SEED = 1

Picks = tuple[int, ...]  # the number of a choice for each factor


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))


def prime_for(counts: Sequence[int]) -> int:
    """The p of an array for factors with so many choices each."""
    return next(n for n in itertools.count(max(*counts, len(counts), 2)) if _is_prime(n))


def covering(counts: Sequence[int]) -> Iterator[Picks]:
    """The rows, some of them perhaps equal.  Each choice occurs in the first p; then come those with the same for all factors."""
    p = prime_for(counts)
    steps = sorted(range(p), key=lambda b: (b != FIRST % p, b))
    for b, a in itertools.product(steps, range(p)):
        yield tuple((a + b * j) % p % count for j, count in enumerate(counts))


def picks_of(counts: Sequence[int], most: int) -> Iterator[Picks]:
    """All combinations of choices where there are no more than `most`; else different ones that cover all pairs, and then drawn
    ones until there are `most`."""
    rows: Iterable[Picks] = itertools.product(*map(range, counts))
    if sum(1 for _ in itertools.islice(rows, most + 1)) <= most:
        yield from itertools.product(*map(range, counts))
        return
    covers = list(dict.fromkeys(covering(counts)))
    yield from covers
    dice, seen = random.Random(SEED), set(covers)
    while len(seen) < most:
        picks = tuple(map(dice.randrange, counts))
        if picks not in seen:
            seen.add(picks)
            yield picks


# ---- counting ----

def count_pairs(counts: Sequence[int]) -> int:
    """How many pairs of choices of different factors there are."""
    return sum(a * b for a, b in itertools.combinations(counts, 2))


class Covered:
    """Counts the pairs that occur in the rows it is shown."""

    def __init__(self) -> None:
        self._pairs: set[tuple[int, int, int, int]] = set()

    def add(self, picks: Picks) -> None:
        self._pairs.update((i, j, a, b) for (i, a), (j, b) in itertools.combinations(enumerate(picks), 2))

    @property
    def count(self) -> int:
        return len(self._pairs)
