"""Tensor descriptors of Triton: what is outside is padding when it is read, and is not written."""

import numpy as np
import pytest
from triton_texts import Box, launch, run

from tilegrind.triton import ExportError

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("name, padding", [("copy_box", 0), ("copy_box_nan", np.nan)])
def test_boxes_that_reach_outside(name, padding):
    x, o = RNG.random((8, 12), np.float32), np.zeros((8, 12), np.float32)
    run(name, x, o, 6, 12, 3, -3)  # of 8 rows the descriptors know 6
    wide = np.full((16, 32), padding, np.float32)
    wide[:6, 8:20] = x[:6]
    expected = np.zeros((8, 12), np.float32)
    box = wide[3:7, 5:13] + 1
    expected[4:6, :5] = box[:2, 3:]
    np.testing.assert_array_equal(o, expected)


def test_strides_must_be_multiples_of_16_bytes():
    x = np.zeros(96, np.float32)
    findings, _ = launch("copy_box", x, x.copy(), 6, 13, 0, 0)
    assert {one.message for one in findings} == {"a stride of a tensor descriptor is no multiple of 16 bytes"}


def test_rows_that_indices_choose():
    x, index, o = RNG.integers(0, 100, (8, 16)).astype(np.int32), RNG.permutation(8).astype(np.int32), np.zeros((8, 16), np.int32)
    run("move_rows", x, index, o)
    expected = np.zeros((8, 16), np.int32)
    expected[7 - index, 8:] = x[index, 4:12]
    np.testing.assert_array_equal(o, expected)


def test_rows_that_are_outside():
    x, o = RNG.integers(0, 100, (8, 16)).astype(np.int32), np.full((8, 16), -1, np.int32)
    index = np.array([0, 1, 2, 3, 4, 5, 6, 9], np.int32)
    run("move_rows", x, index, o)
    expected = np.full((8, 16), -1, np.int32)
    expected[7 - index[:7], 8:] = x[index[:7], 4:12]
    np.testing.assert_array_equal(o, expected)


def test_sums_of_overlapping_boxes_of_two_programs():
    o = np.zeros((8, 16), np.int32)
    run("add_boxes", o, grid=(2, 1, 1), order="shuffled:3")
    np.testing.assert_array_equal(o, np.where(np.arange(16) < 8, 0, np.repeat([1, 2], 4)[:, None]))


def test_the_greatest_of_unsigned_integers():
    x, o = RNG.integers(0, 2**32, (2, 8, 16)).astype(np.uint32)
    expected = np.maximum(x, o)
    run("greatest_boxes", x, o)
    np.testing.assert_array_equal(o, expected)


def test_other_kinds_of_reductions_are_refused():
    with pytest.raises(ExportError, match=r"kernels.py:\d+: tt.descriptor_reduce: inc is not supported"):
        launch("greatest_boxes", *np.zeros((2, 8, 16), np.uint32), replace=[("descriptor_reduce max", "descriptor_reduce inc")])


def test_a_loop_carries_a_descriptor():
    x, o = RNG.integers(0, 100, (8, 16)).astype(np.int32), np.zeros((2, 16), np.int32)
    run("next_tile", x, o, 4)
    np.testing.assert_array_equal(o, x[0:2] + x[1:3] + x[6:8] + np.concatenate([x[7:8], 0 * x[:1]]))


def test_a_descriptor_keeps_its_padding():
    inner = "[%tile_15, %tile_16] : <i32>"
    with pytest.raises(ExportError, match="a descriptor or block pointer that becomes one with other boxes"):
        launch("next_tile", np.zeros((8, 16), np.int32), np.zeros((2, 16), np.int32), 4,
               replace=[(inner, inner.replace(" :", " {padding = 2 : i32} :"))])


def test_descriptors_of_programs():
    x, o = RNG.random((8, 16), np.float32), np.zeros((4, 8), np.float32)
    run("of_host", Box(x), o)
    expected = np.zeros((4, 8), np.float32)
    expected[:2] = x[6:, 2:10]
    np.testing.assert_array_equal(o, expected + 16 + 16)


def test_a_program_chooses_the_padding():
    x, o = RNG.random((8, 16), np.float32), np.zeros((4, 8), np.float32)
    run("of_host", Box(x, "nan"), o)
    assert np.isnan(o[2:]).all() and not np.isnan(o[:2]).any()


def test_a_program_has_its_elements_rounded_to_tf32():
    x, o = RNG.random((8, 16), np.float32), np.zeros((4, 8), np.float32)
    box = Box(x)
    box.round_f32_to_tf32 = True
    run("of_host", box, o)
    bits = (x[6:, 2:10].copy().view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)
    np.testing.assert_array_equal(o[:2], bits.view(np.float32) + 16 + 16)
