"""Triton's own PTX beside the reference: equal where the kernel says so, and a difference, a race or a bad access is told."""

from __future__ import annotations

import numpy as np
import pytest
import triton
import triton.language as tl

import tilegrind
import tilegrind.emulator
from conformance.triton import ptx
from conformance.triton.kernels.case import Array, floats, zeros
from tilegrind.triton import crosscheck


QUICK = ["add", "select", "cast f32 to bf16", "row sum", "softmax", "layer norm", "sort f32", "atomic count", "dot f16", "dot i8", "dot f64",
         "dot of a warpgroup", "matmul f16", "attention"]


@pytest.mark.parametrize("target", ptx.TARGETS)
@pytest.mark.parametrize("case", [case for case in ptx.CASES if case.name in QUICK], ids=lambda case: case.name)
def test_kernels_are_as_their_rows_say(case, target):
    is_fine, text = ptx.verdict(case, ptx.run(case, target))
    assert is_fine, text


@triton.jit
def scale(x, o, n, factor, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + at, tl.load(x + at, mask=at < n) * factor, mask=at < n)


@pytest.mark.parametrize("seed", [0, 7])
def test_the_reference_writes_the_arrays_and_the_emulator_copies(seed):
    x, o = floats(np.random.default_rng(1), 100), zeros(100)
    done = crosscheck(scale, x, o, 100, 3.0, grid=lambda bound: (triton.cdiv(bound["n"], bound["B"]),), seed=seed, B=64)
    assert done.equal and done.target == 80 and ".entry scale(" in done.ptx
    assert np.array_equal(o.array, x.array * np.float32(3))
    assert str(done).splitlines()[0] == "sm_80: equal"


def test_an_array_may_be_given_twice():
    x = floats(np.random.default_rng(1), 128)
    before = x.array.copy()
    assert crosscheck(scale, x, x, 128, 0.5, grid=(1,), B=128).equal
    assert np.array_equal(x.array, before / 2)


def test_threads_that_hold_copies_of_an_element_read_it_too():
    """64 elements by 128 threads: each is loaded by two threads and stored by one, in no order (docs/triton-ptx.md)."""
    x = floats(np.random.default_rng(1), 64)
    done = crosscheck(scale, x, x, 64, 0.5, grid=(1,), B=64)
    assert done.trap and done.trap.kind == "global-race"
    assert crosscheck(scale, x, x, 64, 0.5, grid=(1,), B=64, num_warps=2).equal
    assert crosscheck(scale, x, x, 64, 0.5, grid=(1,), B=64, races=False).equal


def test_arrays_that_overlap_otherwise_are_refused():
    whole = np.zeros(96, np.float32)
    with pytest.raises(ValueError, match="x and o overlap"):
        crosscheck(scale, Array(whole[:64]), Array(whole[32:]), 64, 1.0, grid=(1,), B=64)


@triton.jit
def unmasked(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.load(x + at))


def test_an_access_outside_is_told_by_both():
    done = crosscheck(unmasked, floats(np.random.default_rng(1), 100), zeros(128), grid=(1,), B=128)
    assert done.trap and done.trap.kind == "out-of-bounds" and done.trap.at.source_line == unmasked.starting_line_number + 4
    assert done.findings and not done.equal and not done.within(1e9)


@triton.jit
def truncated(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    row = tl.load(x + at[:, None] * B + at[None, :])
    tl.store(o + at[:, None] * B + at[None, :], tl.dot(row, row, input_precision="ieee"))


def test_a_difference_is_told_with_both_values():
    """A sum of another order: 2^24 and ones."""
    x = np.ones((16, 16), np.float32)
    x[0, 0] = 2.0**12
    done = crosscheck(truncated, Array(x * np.float32(1.1)), zeros(16, 16), grid=(1,), B=16)
    told = [one for one in done.differences if one.name == "o"][0]
    assert done.within(64.0) and (not told.differing or "by the reference" in str(told))


def test_arrays_with_gaps_are_refused():
    with pytest.raises(ValueError, match="x: not an array, or one that is not C-contiguous"):
        crosscheck(scale, Array(np.zeros((8, 8), np.float32)[:, :4]), zeros(64), 32, 1.0, grid=(1,), B=32)


def test_types_that_the_reference_lacks_are_refused_by_name():
    class Odd(Array):
        pass

    odd = Odd(np.zeros(4, np.float32))
    odd.dtype = "fp8e4b15"
    with pytest.raises(TypeError, match="x: an argument of type"):
        crosscheck(unmasked, odd, zeros(4), grid=(1,), B=4)


def test_the_emulator_says_where_it_does_not_understand():
    with pytest.raises(tilegrind.Error, match="2:1: "):
        tilegrind.emulator.load(".version 8.0\n.frob\n")
