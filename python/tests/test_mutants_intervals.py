"""Ranges of integers, by which mutants that cannot differ are left out: no number may be outside."""

import itertools
import math

import pytest
from mutant_kernels import GRID, INDICES, SUM, pointwise
from test_mutants_kernels import module_of
from tilegrind.mutants.intervals import Ranges, _RULES
from tilegrind.mutants.ir import Kernel

SMALL = [(low, high) for low in range(-3, 4) for high in range(low, 4)]
OPS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "min": min, "max": max,
    "div": lambda a, b: math.trunc(a / b), "rem": math.fmod,
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
}


@pytest.mark.parametrize("name", OPS)
def test_every_pair_of_numbers_is_inside(name):
    for a, b in itertools.product(SMALL, SMALL):
        low, high = _RULES[name](a, b)
        for x, y in itertools.product(range(a[0], a[1] + 1), range(b[0], b[1] + 1)):
            if y != 0 or name not in ("div", "rem"):
                assert low <= OPS[name](x, y) <= high, (a, b, x, y)


@pytest.mark.parametrize("name", [name for name in OPS if name not in ("div", "rem")])
def test_ends_are_reached(name):
    """A range that is too wide hides nothing, but finds less."""
    for a, b in itertools.product(SMALL, SMALL):
        numbers = [OPS[name](x, y) for x in range(a[0], a[1] + 1) for y in range(b[0], b[1] + 1)]
        assert _RULES[name](a, b) == (min(numbers), max(numbers)), (a, b)


def test_unknown_numbers():
    unknown = (-math.inf, math.inf)
    for name in OPS:
        low, high = _RULES[name](unknown, (1, 2))
        assert not math.isnan(low) and not math.isnan(high) and low <= high


def ranges_of(row):
    kernel = Kernel(module_of(row)[0]["kernels"][0])
    return kernel, Ranges(kernel)


def test_indices_of_programs():
    kernel, ranges = ranges_of(GRID)
    assert [ranges.of(i) for i in kernel.params[0]["index_map"]["yield"]] == [(0, 1), (0, 3)]


def test_counters_of_loops():
    kernel, ranges = ranges_of(SUM)
    [loop] = kernel.in_body("for")
    counters = [ranges.of(arg["id"]) for arg in loop.regions[0]["args"] if arg["type"] == "i32[]"]
    assert (0, 7) in counters and all(found[0] >= 0 and found[1] <= 7 for found in counters)


def test_loaded_numbers_are_unknown():
    kernel, ranges = ranges_of(pointwise(lambda x: x + 1, INDICES, dtype=INDICES.dtype))
    [add] = kernel.in_body("add")
    assert ranges.of(add.out) == (-math.inf, math.inf) and not ranges.decided(add.out)
