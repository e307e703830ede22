"""Kernels whose first operation that differs is known."""

import triton
import triton.language as tl


@triton.jit
def turns(x, o, n, B: tl.constexpr):
    at = tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for i in range(n):
        half = total * 0.5
        e = tl.exp(tl.load(x + i * B + at))
        total = half + e
    most = tl.max(total)
    if most > 2.0:
        most = most - 1.0
    above = total > most
    tl.store(o + at, tl.where(above, most, total))


@triton.jit
def fused(x, y, z, o, B: tl.constexpr):
    at = tl.program_id(1) * B + tl.arange(0, B)
    product = tl.load(x + at) * tl.load(y + at)
    tl.store(o + at, product + tl.load(z + at))


@triton.jit
def running_sum(x, o, n, B: tl.constexpr):
    at = tl.arange(0, B)
    total = tl.load(x + at)
    for i in range(1, n):
        total = tl.load(x + i * B + at) * 0.3 + total
    tl.store(o + at, total)


@triton.jit
def sum_inlined(x, o, B: tl.constexpr):
    row = tl.load(x + tl.arange(0, B))
    tl.store(o, tl.sum(row) * 2.0)


@triton.jit
def beside_a_counter(x, o, places, counter, B: tl.constexpr, KEEPS: tl.constexpr):
    at = tl.arange(0, B)
    place = tl.atomic_add(counter + at // 64, 1)
    e = tl.exp(tl.load(x + at) * 3.0)
    tl.store(o + at, e)
    if KEEPS:
        tl.store(places + at, place)
