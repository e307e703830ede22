"""Triton's own PTX beside the reference: equal where the kernel says so, and a difference, a race or a bad access is told."""

from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import tilegrind
import tilegrind.emulator
from conformance.triton import ptx
from conformance.triton.kernels.case import Array, floats, zeros
from conftest import ROOT
from tilegrind.triton import NotCompared, capture, crosscheck
from tilegrind.triton.ptx.first_difference import First


QUICK = ["add", "select", "cast f32 to bf16", "row sum", "softmax", "layer norm", "sort f32", "atomic count", "dot f16", "dot i8", "dot f64",
         "dot of a warpgroup", "matmul f16", "attention"]


@pytest.mark.parametrize("target", ptx.TARGETS)
@pytest.mark.parametrize("case", [case for case in ptx.CASES if case.name in QUICK], ids=lambda case: case.name)
def test_kernels_are_as_their_rows_say(case, target):
    done = ptx.run(case, target, explain=True)
    is_fine, text = ptx.verdict(case, done)
    assert is_fine, text
    assert done.equal or isinstance(done.first, First), done.first


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
    assert done.effect == "with seeds 0, 1, 2, 3, and no look at races, the memory is as the reference leaves it" in str(done)
    assert crosscheck(scale, x, x, 64, 0.5, grid=(1,), B=64, num_warps=2).equal
    assert crosscheck(scale, x, x, 64, 0.5, grid=(1,), B=64, races=False).equal


@triton.jit
def told_to_all(x, o, B: tl.constexpr):
    """All threads read the number that the first one then changes."""
    number = tl.load(x)
    tl.store(x, number + 1)
    tl.store(o + tl.arange(0, B), tl.zeros((B,), tl.int32) + number)


def test_what_a_race_does_is_told():
    x, o = zeros(1, dtype=np.int32), zeros(1024, dtype=np.int32)
    done = crosscheck(told_to_all, x, o, grid=(1,), B=1024, num_warps=8)
    assert done.trap and done.trap.kind == "global-race" and not o.array.any()
    assert done.effect.startswith("with seed ") and "o: " in done.effect and "1 by Triton's PTX" in done.effect


def test_a_launch_without_programs_and_one_without_elements(tmp_path):
    x, o, none = floats(np.random.default_rng(1), 64), zeros(64), zeros(0)
    with capture(tmp_path, ptx=80):
        scale[(0,)](x, o, 64, 2.0, B=64)
    assert crosscheck(scale, x, o, 64, 2.0, grid=(0,), B=64).equal and not o.array.any()
    assert crosscheck(scale, x, none, 0, 2.0, grid=(1,), B=64).equal
    done = subprocess.run([os.environ.get("TILEGRIND", ROOT / "build" / "tilegrind"), "crosscheck", "--backends", "cpu,triton-ptx", tmp_path],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "1 equal" in done.stdout


def test_arrays_that_overlap_are_one_memory():
    """The last 32 elements of x are the first ones of o; one warp reads all before it writes."""
    whole = np.arange(96, dtype=np.float32)
    done = crosscheck(scale, Array(whole[:64]), Array(whole[32:]), 64, 2.0, grid=(1,), B=64, num_warps=1, races=False)
    assert done.equal and [one.name for one in done.differences] == ["x, o"]
    assert np.array_equal(whole[32:], np.arange(64) * 2)


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


@triton.jit
def columns(x, o, stride, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.load(x + at * stride))


@triton.jit
def products(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.load(x + at) * tl.load(x + at) + 0.1)


def test_places_are_those_in_a_tensor_if_it_is_all_of_its_memory():
    x, whole = floats(np.random.default_rng(1), 8, 16), zeros(9, 16)
    for o, wanted in ((zeros(8, 16), lambda index: list(divmod(index, 16))), (Array(whole.array[1:]), lambda index: index)):
        told = crosscheck(products, x, o, grid=(1,), B=128).differences[1]
        assert told.name == "o" and told.differing and told.place == wanted(told.index) and f"at {wanted(told.index)} " in str(told)


def test_views_of_larger_memory():
    whole, o = np.arange(64, dtype=np.float32).reshape(16, 4), zeros(24)
    assert crosscheck(columns, Array(whole[4:, 1]), Array(o.array[8:]), 4, grid=(1,), B=8, num_warps=1).equal
    assert np.array_equal(o.array[8:16], np.arange(17, 49, 4))


def test_memory_that_is_not_aligned_is_refused():
    """Triton's PTX may rely on it, if the tensor's own address is aligned."""
    whole = np.zeros(1024 + 16, np.uint8)
    start = (-whole.ctypes.data + 4) % 16
    held = np.frombuffer(memoryview(whole)[start:start + 512], np.float32)
    with pytest.raises(NotCompared, match="the memory of x is not aligned to 16 bytes"):
        crosscheck(scale, Array(held[:64]), zeros(64), 64, 1.0, grid=(1,), B=64)


@triton.jit
def through_f8(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    narrow = tl.load(x + at).to(tl.float8e4nv)
    tl.store(o + at, narrow.to(tl.float32))


def test_what_triton_does_not_compile_is_told_with_its_line():
    """sm_80 lacks the type."""
    x, o = floats(np.random.default_rng(1), 128), zeros(128)
    with pytest.raises(NotCompared) as told:
        crosscheck(through_f8, x, o, grid=(1,), B=128)
    assert told.value.file == __file__ and told.value.line == through_f8.starting_line_number + 3
    assert "Triton does not compile it for sm_80: type fp8e4nv not supported" in told.value.why
    assert crosscheck(through_f8, x, o, grid=(1,), B=128, target=90).equal


@triton.jit
def gathered(x, at, o):
    i = tl.arange(0, 8)
    rows = tl.make_tensor_descriptor(x, [64, 32], [32, 1], [1, 32]).gather(tl.load(at + i), 0)
    tl.store(o + i[:, None] * 32 + tl.arange(0, 32)[None, :], rows)


def test_what_the_assembler_does_not_accept_is_told():
    """Only sm_100 gathers rows."""
    x, at, o = zeros(64, 32), Array(np.arange(8, dtype=np.int32)), zeros(8, 32)
    with pytest.raises(NotCompared, match=r"Triton does not compile it for sm_90: .*gather4.* requires .target sm_100 or higher$"):
        crosscheck(gathered, x, at, o, grid=(1,), target=90)


@triton.jit
def summed(box, o, B: tl.constexpr):
    tl.store(o + tl.arange(0, B), tl.sum(box.load([0, 0]), 0))


@triton.jit
def by_address(addresses, o):
    tl.store(o, tl.load(tl.load(addresses).to(tl.pointer_type(tl.float32))))


@triton.jit
def address_of(x, o):
    tl.store(o, x.to(tl.int64))


def test_arguments_that_are_more_than_numbers_and_addresses():
    x, o = zeros(16, 16), zeros(16)
    with pytest.raises(NotCompared, match="^the program passes a tensor descriptor$"):
        crosscheck(summed, TensorDescriptor(x, [16, 16], [16, 1], [16, 16]), o, grid=(1,), B=16)
    with pytest.raises(NotCompared, match="^the kernel makes pointers of numbers$"):
        crosscheck(by_address, Array(np.array([x.data_ptr()])), o, grid=(1,))
    with pytest.raises(NotCompared, match="^the kernel makes numbers of pointers$"):
        crosscheck(address_of, x, zeros(1, dtype=np.int64), grid=(1,))


def test_a_target_that_is_none():
    with pytest.raises(ValueError, match="target=70 is none of 80, 90"):
        crosscheck(scale, zeros(64), zeros(64), 64, 1.0, grid=(1,), B=64, target=70)


@triton.jit
def product_and_sum(x, y, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.load(x + at) * tl.load(y + at) + tl.load(o + at))


def test_options_of_the_launch_are_those_of_the_ptx():
    rng = np.random.default_rng(1)
    given = [floats(rng, 128) for _ in range(3)]
    fused = crosscheck(product_and_sum, *given, grid=(1,), B=128, num_warps=2, races=False)
    assert "fma.rn.f32" in fused.ptx and ".reqntid 64" in fused.ptx
    apart = crosscheck(product_and_sum, *given, grid=(1,), B=128, enable_fp_fusion=False)
    assert "fma.rn.f32" not in apart.ptx and ".reqntid 128" in apart.ptx and apart.equal


@triton.jit
def endless(flag, o):
    while tl.load(flag, volatile=True) == 0:
        pass
    tl.store(o, 1)


def test_a_limit_of_instructions_is_no_difference():
    flag = Array(np.ones(1, np.int32))
    assert crosscheck(endless, flag, zeros(1, dtype=np.int32), grid=(1,)).equal
    with pytest.raises(NotCompared, match="stopped after 5 instructions of warps"):
        crosscheck(endless, flag, zeros(1, dtype=np.int32), grid=(1,), instruction_limit=5)


def test_the_emulator_says_where_it_does_not_understand():
    with pytest.raises(tilegrind.Error, match="2:1: "):
        tilegrind.emulator.load(".version 8.0\n.frob\n")


def test_cases_of_views_and_of_numbers(tmp_path):
    """Four parameters, two of which are in one memory that begins before them."""
    whole = Array(np.arange(256, dtype=np.float32))
    x, o = Array(whole.array[16:80]), Array(whole.array[128:])
    with capture(tmp_path, ptx=90, compare={"ulp": 1}) as kept:
        scale[(2,)](x, o, 64, 0.1, B=32)
        columns[(1,)](x, Array(np.zeros(8, np.float32)), 4, B=8)
    assert len(kept.cases) == 2 and not kept.without_ptx
    told = json.loads((kept.cases[0] / "case.json").read_text())["ptx"]
    assert told["file"] == "triton-sm_90.ptx" and told["threads"] == 128 and told["arguments"][:4] == [
        {"memory": "x, o.before", "offset": 64}, {"memory": "x, o.before", "offset": 512}, {"number": "n"}, {"number": "factor"}]
    done = subprocess.run([os.environ.get("TILEGRIND", ROOT / "build" / "tilegrind"), "crosscheck", "--backends", "cpu,triton-ptx,triton-ptx:7",
                           tmp_path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "2 cases, 2 runs each: 4 equal, 0 different" in done.stdout


def test_cases_for_another_target(tmp_path):
    with pytest.raises(ValueError, match="target=70 is none of 80, 90"), capture(tmp_path, ptx=70):
        pass
