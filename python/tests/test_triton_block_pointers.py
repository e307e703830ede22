"""Block pointers of Triton: boxes that know where they begin, and that look only in some dimensions whether they are inside."""

import numpy as np
import pytest
from triton_texts import launch, run

from tilegrind.triton import ExportError

RNG = np.random.default_rng(0)


def test_blocks_along_a_loop():
    x, o = RNG.random((2, 8, 12), np.float32)
    before = o.copy()
    run("blocks/add_columns", x, o, 6, 12, 3)  # of 8 rows the block pointers know 6
    expected = before.copy()
    expected[3:6] += x[3:6]
    np.testing.assert_array_equal(o, expected)


def test_columns_that_the_block_pointers_do_not_know():
    x, o = RNG.random((2, 66), np.float32)
    expected = o + np.where(np.arange(66) < 33, 0, x)
    run("blocks/add_columns", x, o, 6, 11, 3)
    np.testing.assert_array_equal(o, expected)


@pytest.mark.parametrize("name, padding", [("pad_zero", 0), ("pad_nan", np.nan)])
def test_padding_on_both_sides(name, padding):
    x, o = RNG.random((6, 11), np.float32), np.zeros((4, 8), np.float32)
    run(f"blocks/{name}", x, o, 6, 11, 3)
    expected = np.full((4, 8), padding, np.float32)
    expected[:3, 2:] = x[3:6, :6]
    np.testing.assert_array_equal(o, expected)


def test_without_padding_what_is_outside_is_undefined():
    x, o = RNG.random((6, 11), np.float32), np.zeros((4, 8), np.float32)
    findings, _ = launch("blocks/pad_nothing", x, o, 6, 11, 3)
    assert [(one.kind, one.line) for one in findings] == [("undefined-output", 29)]
    o[:] = 1
    assert not launch("blocks/pad_nothing", x, o, 6, 11, 3, compat="zero")[0]
    assert not o[3].any() and not o[:, :2].any()


def test_dimensions_without_a_check_go_on_in_memory():
    x, o = RNG.integers(0, 100, (3, 6)).astype(np.int32), np.zeros((8, 4), np.int32)
    findings, _ = launch("blocks/transpose_rows", x, o, 3, 6)
    assert {one.kind for one in findings} == {"access-outside-ref", "undefined-output"}  # the last row has no next one
    x = RNG.integers(0, 100, 20).astype(np.int32)
    run("blocks/transpose_rows", x, o, 3, 6)
    expected = [[x[row * 6 + column] for row in range(3)] + [0] for column in range(8)]
    np.testing.assert_array_equal(o, expected)


@pytest.mark.parametrize("which", [0, 1])
def test_branches_that_give_other_tensors(which):
    x, y, o = *RNG.random((2, 8), np.float32), np.zeros(4, np.float32)
    run("blocks/either_block", x, y, o, which, 3)
    np.testing.assert_array_equal(o, [*x[3:7]] if which else [0, 0, 0, y[0]])
    run("blocks/either_block", x, y, o, which, 6)
    np.testing.assert_array_equal(o, [*x[6:8], 0, 0] if which else [0, 0, 0, 0])


def test_nan_is_no_padding_of_integers():
    with pytest.raises(ExportError, match=r"kernels.py:\d+: tt.load: NaN as the padding of i32"):
        launch("blocks/transpose_rows", *np.zeros((2, 32), np.int32), 3, 6, replace=[("padding = 1", "padding = 2")])


def test_only_block_pointers_advance():
    with pytest.raises(ExportError, match=r"kernels.py:\d+: tt.advance: its operand is no block pointer"):
        launch("blocks/add_columns", *np.zeros((2, 8, 12), np.float32), 6, 12, 3, replace=[("tt.advance %source_11,", "tt.advance %x,")])
