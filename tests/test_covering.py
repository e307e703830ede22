"""Covering arrays, judged by counting."""

import itertools
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from conformance.covering import Covered, count_pairs, covering, picks_of, prime_for  # noqa: E402

# As of kernels of the acceptance table; more factors than choices; a factor without a choice to make.
COUNTS = [(30,) * 11, (30, 30, 30, 4, 30), (16, 9, 9, 1, 1, 16, 3, 3), (20, 24, 20), (2,) * 12, (1, 5, 1), (7, 3)]


def pairs_of(rows):
    """By loops of their own: for each two factors, which choices occur together."""
    pairs = {}
    for row in rows:
        for i in range(len(row)):
            for j in range(i):
                pairs.setdefault((j, i), set()).add((row[j], row[i]))
    return pairs


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_every_pair_occurs(counts):
    rows = list(covering(counts))
    assert all(0 <= pick < count for row in rows for pick, count in zip(row, counts, strict=True))
    for (j, i), found in pairs_of(rows).items():
        assert found == set(itertools.product(range(counts[j]), range(counts[i])))
    assert len(rows) == prime_for(counts) ** 2


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_each_choice_occurs_in_the_first_rows(counts):
    first = list(itertools.islice(covering(counts), prime_for(counts)))
    assert [len({row[i] for row in first}) for i in range(len(counts))] == list(counts)


def test_rows_with_one_choice_for_all_factors():
    rows = set(covering((5, 5, 5, 5)))
    assert {(k,) * 4 for k in range(5)} <= rows


@pytest.mark.parametrize("counts, prime", [((30, 30), 31), ((2, 2, 2), 3), ((2,) * 8, 11), ((1,), 2), ((31, 4), 31), ((24, 9), 29)])
def test_primes(counts, prime):
    assert prime_for(counts) == prime


def test_few_combinations_occur_all():
    assert sorted(picks_of((2, 3, 4), 24)) == list(itertools.product(range(2), range(3), range(4)))


def test_rows_are_different_and_always_the_same():
    rows = list(picks_of((6, 5, 4, 3), 1))
    assert rows == list(picks_of((6, 5, 4, 3), 1))
    assert len(rows) == len(set(rows)) > 6 * 5 and set(rows) == set(covering((6, 5, 4, 3)))


def test_drawn_rows_follow_until_there_are_enough():
    rows = list(picks_of((4, 4, 4, 4), 60))
    assert len(rows) == len(set(rows)) == 60 and set(covering((4,) * 4)) <= set(rows)


def test_pairs_are_counted():
    covered = Covered()
    for row in [(0, 1, 2), (0, 1, 3), (0, 1, 2)]:
        covered.add(row)
    assert covered.count == 5  # of three and three, one is the same
    for row in itertools.product(range(3), range(2), range(4)):
        covered.add(row)
    assert covered.count == count_pairs((3, 2, 4)) == 3 * 2 + 3 * 4 + 2 * 4
