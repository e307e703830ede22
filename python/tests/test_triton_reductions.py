"""Reductions and scans of Triton, with any combine function; functions of elements; elements that indices choose."""

import numpy as np
import pytest
from triton_texts import launch, run

from tilegrind.triton.lowering.choices import Choices

RNG = np.random.default_rng(0)


def recurrence(slopes, values):
    """v[i] = s[i] * v[i - 1] + v[i] along the first dimension, each step rounded."""
    out = values.copy()
    for i in range(1, len(out)):
        out[i] = slopes[i] * out[i - 1] + values[i]
    return out


@pytest.mark.parametrize("name, turn", [("recurrences", 1), ("recurrences_back", -1)])
def test_scans_with_a_function_of_four_numbers(name, turn):
    x, y = RNG.random((2, 8, 4), np.float32)
    o = np.zeros((8, 4), np.float32)
    run(name, x, y, o)
    # The function combines (a, b) and (c, d) to (a c, b c + d), the earlier pair first.
    np.testing.assert_array_equal(o[::turn], recurrence(x[::turn], y[::turn]))


def test_a_scan_as_a_tree_rounds_in_another_order():
    x = RNG.random(64, np.float32)
    from_first, tree = np.zeros((2, 64), np.float32)
    run("running", x, from_first)
    run("running", x, tree, choices=Choices(scans="tree"))
    expected, doubled = x.copy(), x.copy()
    for i in range(1, 64):
        expected[i] += expected[i - 1]
    for distance in (1, 2, 4, 8, 16, 32):
        doubled[distance:] += doubled[:-distance].copy()
    np.testing.assert_array_equal(from_first, expected)
    np.testing.assert_array_equal(tree, doubled)
    assert (tree != from_first).any()


@pytest.mark.parametrize("operation, wanted", [("maxnumf", np.fmax), ("minnumf", np.fmin), ("maximumf", np.maximum), ("minimumf", np.minimum)])
def test_scans_drop_or_keep_nan(operation, wanted):
    x, o = RNG.random(64, np.float32), np.zeros(64, np.float32)
    x[[0, 20]] = np.nan
    run("running", x, o, replace=[("arith.addf", f"arith.{operation}")])
    np.testing.assert_array_equal(o, wanted.accumulate(x))


@pytest.mark.parametrize("name, turn", [("recurrences", 1), ("recurrences_back", -1)])
def test_a_tree_has_the_same_elements(name, turn):
    x, y = RNG.integers(0, 3, (2, 8, 4)).astype(np.float32)
    o = np.zeros((8, 4), np.float32)
    run(name, x, y, o, choices=Choices(scans="tree"))
    np.testing.assert_array_equal(o[::turn], recurrence(x[::turn], y[::turn]))


def test_unknown_orders_of_scans_are_refused():
    with pytest.raises(ValueError, match="scans='random' is none of 'sequential', 'tree'"):
        Choices(scans="random")


def test_the_greatest_with_the_first_of_its_places():
    x = RNG.integers(0, 4, (4, 8)).astype(np.float32)
    o = np.zeros(8, np.float32)
    run("farthest", x, o)
    np.testing.assert_array_equal(o, [*x.max(1), *x.argmax(1)])


def collatz(number):
    steps = 0
    while number != 1:
        number = 3 * number + 1 if number % 2 else number // 2
        steps += 1
    return steps


def test_a_function_with_branches_runs_on_each_element():
    x, o = np.arange(1, 17, dtype=np.int32), np.zeros(16, np.int32)
    run("steps_of", x, o)
    np.testing.assert_array_equal(o, [collatz(number) for number in x])


@pytest.mark.parametrize("scans", ["sequential", "tree"])
def test_combine_functions_with_branches(scans):
    x, o = RNG.integers(-3, 4, (8, 4)).astype(np.int32), np.zeros(80, np.int32)
    assert run("sizes", x, o, choices=Choices(scans=scans)) == ""
    flat, places = x.ravel(), np.arange(32).reshape(8, 4)

    def smallest(of):
        return min(of, key=lambda place: (abs(flat[place]), place))

    wanted = np.array([smallest(row) for row in places])
    np.testing.assert_array_equal(o[:16], [*flat[wanted], *wanted])
    wanted = np.array([[smallest(places[:row + 1, column]) for column in range(4)] for row in range(8)]).ravel()
    np.testing.assert_array_equal(o[16:], [*flat[wanted], *wanted])


def test_a_function_of_neighbours():
    x, y = RNG.integers(0, 100, (2, 8)).astype(np.int32)
    o = np.zeros((2, 4, 2), np.int32)
    run("neighbours", x, y, o)
    first, second = x.reshape(4, 2).T
    np.testing.assert_array_equal(o[0], np.stack([first + second, first - second], 1))
    third, fourth = y.reshape(4, 2).T
    np.testing.assert_array_equal(o[1], np.stack([third + fourth, third - fourth], 1))


def test_gathers_along_an_axis():
    x, index = RNG.random((8, 4), np.float32), RNG.integers(0, 8, (16, 4)).astype(np.int32)
    o = np.zeros((16, 4), np.float32)
    run("choose", x, index, o)
    np.testing.assert_array_equal(o, np.take_along_axis(x, index, 0))


@pytest.mark.parametrize("wrong", [8, -1])
def test_an_index_of_gather_that_is_outside_is_found(wrong):
    x, index = RNG.random((8, 4), np.float32), RNG.integers(0, 8, (16, 4)).astype(np.int32)
    index[3, 2] = wrong
    findings, _ = launch("choose", x, index, np.zeros((16, 4), np.float32), checks="none")
    assert findings[0].message == "gather: an index is outside 0 to 7: first at element (3, 2)"
    assert findings[0].file == "tests/data/triton_ops/kernels.py"


def test_histograms_leave_out_what_is_outside_or_masked_off():
    x = RNG.integers(-3, 12, 32).astype(np.int32)
    o = np.full(16, -1, np.int32)
    run("count", x, o)
    np.testing.assert_array_equal(o[:8], [(x == i).sum() for i in range(8)])
    np.testing.assert_array_equal(o[8:], [(x == i).sum() if i % 2 == 0 else 0 for i in range(8)])
