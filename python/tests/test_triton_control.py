"""Loops, conditions, calls and early returns of Triton."""

import numpy as np
import pytest
from triton_texts import launch, run

from tilegrind.triton import ExportError


UNSIGNED = [("scf.for %i", "scf.for unsigned %i")]


@pytest.mark.parametrize("replace, expected", [(UNSIGNED, 7 + 7 + 8 + 8), ((), 0)])
def test_counters_around_the_greatest_signed_number(replace, expected):
    o = np.full(1, -1, np.int32)
    run("far", o, 2**31 - 5, 2**31 + 5, replace=replace)
    assert o[0] == expected  # of signed counters the end is less than the beginning


def test_unsigned_counters_of_64_bits_are_refused():
    wide = [("%first: i32", "%first: i64"), ("%end: i32", "%end: i64"),
            ("%c3_i32 = arith.constant 3 : i32", "%c3_i32 = arith.constant 3 : i64"), ("i32 to i32 loc(#loc2)", "i64 to i64 loc(#loc2)")]
    with pytest.raises(ExportError, match=r"kernels.py:\d+: scf.for: unsigned counters of 64 bits are not supported"):
        launch("far", np.zeros(1, np.int32), 0, 1, replace=UNSIGNED + wide)


@pytest.mark.parametrize("n, expected", [(0, [0] * 8), (-1, [-5] * 8), (3, [5 + 3 * i for i in range(8)])])
def test_early_returns(n, expected):
    x, o = np.full(8, 5, np.int32), np.zeros(8, np.int32)
    run("early", x, o, n)
    np.testing.assert_array_equal(o, expected)


def test_a_broken_promise_is_found():
    findings, _ = launch("early", np.zeros(8, np.int32), np.zeros(8, np.int32), 5)
    assert [one.message for one in findings] == ["what tl.assume promises does not hold"]
    assert findings[0].level == "error"


@pytest.mark.parametrize("n, expected", [(17, [17, 20]), (4, [3, 1])])
def test_functions_with_several_results(n, expected):
    o = np.zeros(4, np.int32)
    run("several_results", o, n, grid=(1, 1, 1))
    np.testing.assert_array_equal(o, [*expected, 111, 0])


def test_the_order_of_the_axes():
    o = np.zeros(4, np.int32)
    launch("several_results", o, 4, grid=(2, 3, 4), checks="none")  # all programs store the same
    assert o[2] == 2 + 30 + 400
