"""Programs for tests of the command crosscheck."""

PROGRAM = """
import sys
import numpy as np
import triton
import triton.language as tl
from arrays import Array, iota, zeros


@triton.jit
def softmax(x, o, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    e = tl.exp(tl.load(x + at) - tl.max(tl.load(x + at)))
    tl.store(o + at, e / tl.sum(e))


@triton.jit
def product(a, b, c, B: tl.constexpr):
    i = tl.arange(0, B)
    at = i[:, None] * B + i[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))


@triton.jit
def negated(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, -tl.load(x + at))


@triton.jit
def through_f8(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.load(x + at).to(tl.float8e4nv).to(tl.float32))


@triton.jit
def last_ticket(tickets, o):
    ticket = tl.atomic_add(tickets, 1, sem="relaxed")
    tl.store(o, ticket)


words = sys.argv[1:]
rng = np.random.default_rng(0)
x = Array(rng.standard_normal((4, 128), np.float32))
o = zeros(128)
negated[(1,)](x, o, B=128)
if "softmax" in words:
    softmax[(4,)](x, zeros(4, 128), N=128)
if "tf32" in words:
    a, b = (Array(rng.standard_normal((16, 16), np.float32)) for _ in range(2))
    product[(1,)](a, b, zeros(16, 16), B=16)
if "f8" in words:
    through_f8[(1,)](x, zeros(128), B=128)
if "race" in words:
    last_ticket[(4,)](zeros(1, dtype=np.int32), zeros(1, dtype=np.int32))
if "outside" in words:
    negated[(1,)](x, zeros(64), B=128)
assert np.array_equal(o.array, -x.array[0])
print("ended")
"""
