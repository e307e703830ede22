"""Shapes of Triton's tensors, of any number of dimensions."""

import numpy as np
import pytest
from triton_texts import run

from tilegrind.ir.builder import Builder
from tilegrind.triton.lowering import ranks
from tilegrind.triton.lowering.errors import Unsupported

RNG = np.random.default_rng(0)


def drawn(*shape):
    return RNG.integers(-1000, 1000, shape).astype(np.int32)


def empty(*shape):
    return np.full(shape, -7, np.int32)


def test_sorts_rows_by_way_of_nine_dimensions():
    x, o = drawn(4, 128), empty(4, 128)
    run("sort_rows", x, o)
    np.testing.assert_array_equal(o, -np.sort(-x, axis=1))


def test_flips_by_way_of_ten_dimensions():
    x, o = drawn(1024), empty(1024)
    run("flip", x, o)
    np.testing.assert_array_equal(o, x[::-1])


def test_takes_the_greatest():
    x, o = drawn(512), empty(4)
    run("top", x, o)
    np.testing.assert_array_equal(o, np.sort(x)[:-5:-1])


def test_permutes_nine_dimensions():
    x, o = drawn(512), empty(512)
    run("reorder", x, o)
    np.testing.assert_array_equal(o, x.reshape((2,) * 9).transpose(4, 5, 6, 7, 8, 2, 0, 1, 3).reshape(-1))


def test_joins_splits_and_appends():
    x, y, o = drawn(8), drawn(8), empty(40)
    run("pairs", x, y, o)
    np.testing.assert_array_equal(o[:16], np.stack([x, y], 1).reshape(-1))
    np.testing.assert_array_equal(o[16:24], y - x)
    np.testing.assert_array_equal(o[24:40], np.concatenate([x, y]))


def test_what_needs_too_many_dimensions_is_refused():
    builder = Builder()
    with builder.region():
        value = builder.constant(0, "i32", (1024,))
        with pytest.raises(Unsupported, match="an array of 10 dimensions; there are at most 8"):
            ranks.transpose(builder, value, (2,) * 10, range(9, -1, -1))
        with pytest.raises(Unsupported, match="an array of 9 dimensions"):
            ranks.broadcast(builder, builder.constant(0, "i32", (32,)), (2, 1) * 4 + (2,), (2, 2) * 4 + (2,))
