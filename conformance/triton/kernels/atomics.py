"""Atomics, and programs that work together through them."""

from __future__ import annotations

import numpy as np
import triton
import triton.language as tl

from .case import Array, Case, floats, integers, zeros


@triton.jit
def count(x, o, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(o + tl.load(x + at), 1)


@triton.jit
def total(x, o, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(o, tl.sum(tl.load(x + at)), sem="relaxed")


@triton.jit
def total_f16(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.atomic_add(o + at, tl.load(x + tl.program_id(0) * B + at))


@triton.jit
def extremes(x, o, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + at)
    tl.atomic_max(o + tl.arange(0, B), v)
    tl.atomic_min(o + B + tl.arange(0, B), v)


@triton.jit
def bits(x, o, B: tl.constexpr):
    v = tl.load(x + tl.program_id(0) * B + tl.arange(0, B))
    tl.atomic_or(o + tl.arange(0, B), v)
    tl.atomic_and(o + B + tl.arange(0, B), v)
    tl.atomic_xor(o + 2 * B + tl.arange(0, B), v)


@triton.jit
def locked(x, lock, o, B: tl.constexpr):
    """Each program adds to the same block while it holds the lock."""
    at = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * B + at)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(o + at, tl.load(o + at) + v)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def last_sums(x, part, counter, o, PROGRAMS: tl.constexpr, B: tl.constexpr):
    """The last program that is done adds what all have left."""
    me = tl.program_id(0)
    tl.store(part + me, tl.sum(tl.load(x + me * B + tl.arange(0, B))))
    tl.debug_barrier()
    if tl.atomic_add(counter, 1, sem="acq_rel") == PROGRAMS - 1:
        tl.store(o, tl.sum(tl.load(part + tl.arange(0, PROGRAMS))))


def _extremes(rng: np.random.Generator) -> list[Array]:
    low, high = np.full(128, -1000, np.int32), np.full(128, 1000, np.int32)
    return [integers(rng, 512), Array(np.concatenate([low, high]))]


CASES = [
    Case("atomic count", count, lambda rng: [Array(rng.integers(0, 16, 512).astype(np.int32)), zeros(16, dtype=np.int32)], {"B": 128}, (4,)),
    Case("atomic sum", total, lambda rng: [floats(rng, 512), zeros(1)], {"B": 128}, (4,), within=1e-4, why="sums have another order"),
    Case("atomic sum f16", total_f16, lambda rng: [floats(rng, 512, dtype=np.float16), zeros(128, dtype=np.float16)], {"B": 128}, (4,), within=1e-2,
         why="sums have another order"),
    Case("atomic extremes", extremes, _extremes, {"B": 128}, (4,)),
    Case("atomic extremes f32", extremes, lambda rng: [floats(rng, 512), zeros(256)], {"B": 128}, (4,)),
    Case("atomic bits", bits, lambda rng: [integers(rng, 256, below=1 << 30), integers(rng, 384, below=1 << 30)], {"B": 128}, (2,)),
    Case("lock", locked, lambda rng: [integers(rng, 512), zeros(1, dtype=np.int32), zeros(128, dtype=np.int32)], {"B": 128}, (4,)),
    Case("last program", last_sums, lambda rng: [integers(rng, 512), zeros(4, dtype=np.int32), zeros(1, dtype=np.int32), zeros(1, dtype=np.int32)],
         {"PROGRAMS": 4, "B": 128}, (4,)),
]
