"""Numbers as programs see them: fp8e4b15, which Triton leaves to the backend, and which functions of libdevice there are."""

import pathlib
import re

import numpy as np
import pytest
import triton
import triton.language as tl
from arrays import Array, zeros
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as of_cuda

import tilegrind.triton as tt
from tilegrind.triton.rules.libdevice import FUNCTIONS

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/triton-numerics.md"


@triton.jit
def from_e4b15(x, o, N: tl.constexpr, TO: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(o + at, tl.load(x + at).to(tl.float8e4b15, bitcast=True).to(TO))


@triton.jit
def to_e4b15(x, o, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(o + at, tl.load(x + at).to(tl.float8e4b15).to(tl.uint8, bitcast=True))


def values_of_e4b15():
    codes = np.arange(256, dtype=np.uint16)
    return ((codes & 0x7F) << 7 | (codes & 0x80) << 8).astype(np.uint16).view(np.float16)


@pytest.mark.parametrize("to, dtype", [(tl.float16, np.float16), (tl.float32, np.float32)])
def test_every_fp8e4b15_is_exact(to, dtype):
    x, o = Array(np.arange(256, dtype=np.uint8)), zeros(256, dtype=dtype)
    with tt.interpreter():
        from_e4b15[(1,)](x, o, N=256, TO=to)
    assert np.array_equal(o.array.view(np.uint8), values_of_e4b15().astype(dtype).view(np.uint8))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_fp8e4b15_rounds_ties_away_and_ends_at_the_greatest(dtype):
    values = np.array([0, -0.0, 1, 1.0625, -1.0625, 1.75, 1.8, 2, -np.inf, np.inf, np.nan, 2.0**-18, 2.0**-17, 0.7, -0.1, 1.05], dtype)
    x, o = Array(values), zeros(16, dtype=np.uint8)
    with tt.interpreter():
        to_e4b15[(1,)](x, o, N=16)
    found = values_of_e4b15()[o.array].astype(np.float64)
    wanted = [0, -0.0, 1, 1.125, -1.125, 1.75, 1.75, 1.75, -1.75, 1.75, 1.75, 2.0**-17, 2.0**-17, 0.6875, -0.1015625, 1]
    assert found.tolist() == wanted and np.signbit(found[1])


@triton.jit
def of_libdevice(x, o, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(o + at, libdevice.add_rz(libdevice.tanh(tl.load(x + at)), 1.0))


def test_a_kernel_that_calls_libdevice():
    x, o = Array(np.linspace(-2, 2, 8, dtype=np.float32)), zeros(8)
    with tt.interpreter():
        of_libdevice[(1,)](x, o, N=8)
    assert np.allclose(o.array, np.tanh(x.array) + 1, rtol=1e-6)


def test_the_page_names_the_functions_that_are_not_there():
    there = set(re.findall(r"__nv_(\w+)", pathlib.Path(of_cuda.__file__).read_text(encoding="utf-8")))
    told = re.search(r"^Refused are: (.*)\.$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert sorted(re.findall(r"`(\w+)`", told)) == sorted(there - set(FUNCTIONS))


@triton.jit
def greater(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def greatest(x, kept, dropped, N: tl.constexpr):
    rows = tl.load(x + tl.arange(0, 4)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(kept + tl.arange(0, 4), tl.reduce(rows, 1, greater))
    tl.store(dropped + tl.arange(0, 4), tl.max(rows, 1))


def test_one_kernel_keeps_and_drops_nan_in_reductions():
    values = np.arange(32, dtype=np.float32).reshape(4, 8)
    values[1, 3] = values[2] = np.nan
    kept, dropped = zeros(4), zeros(4)
    with tt.interpreter():
        greatest[(1,)](Array(values), kept, dropped, N=8)
    np.testing.assert_array_equal(kept.array, [7, np.nan, np.nan, 31])
    np.testing.assert_array_equal(dropped.array, [7, 15, np.nan, 31])
