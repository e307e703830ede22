"""Kernels that several tests launch."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, o, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    here = at < n
    tl.store(o + at, tl.load(x + at, mask=here) + tl.load(y + at, mask=here), mask=here)


@triton.jit
def last_wins(x, o):
    tl.store(o, tl.load(x + tl.program_id(0)))


@triton.jit
def all_ones(o):
    tl.store(o, 1.0)


@triton.jit
def too_far(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.load(x + at + 1))
