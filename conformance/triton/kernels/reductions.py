"""Reductions, scans, sorts and what is made of them."""

from __future__ import annotations

import numpy as np
import triton
import triton.language as tl

from .case import DTYPES, Case, floats, integers, zeros


@triton.jit
def row_sum(x, o, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(o + tl.arange(0, M), tl.sum(tl.load(x + at), 1))


@triton.jit
def column_sum(x, o, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(o + tl.arange(0, N), tl.sum(tl.load(x + at), 0))


@triton.jit
def whole_max(x, o, B: tl.constexpr):
    tl.store(o, tl.max(tl.load(x + tl.arange(0, B))))


@triton.jit
def argmax(x, o, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(o + tl.arange(0, M), tl.argmax(tl.load(x + at), 1))


@triton.jit
def both(a, b):
    return a * b + a + b


@triton.jit
def own_reduction(x, o, B: tl.constexpr):
    tl.store(o, tl.reduce(tl.load(x + tl.arange(0, B)), 0, both))


@triton.jit
def exclusive_or(x, o, B: tl.constexpr):
    tl.store(o, tl.xor_sum(tl.load(x + tl.arange(0, B)), 0))


@triton.jit
def cumulative_sum(x, o, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(o + at, tl.cumsum(tl.load(x + at), AXIS, reverse=REVERSE))


@triton.jit
def cumulative_product(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.cumprod(tl.load(x + at), 0))


@triton.jit
def sort(x, o, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(o + at, tl.sort(tl.load(x + at)))


@triton.jit
def top(x, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(o + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :], tl.topk(tl.load(x + at), K))


@triton.jit
def histogram(x, o, B: tl.constexpr, BINS: tl.constexpr):
    tl.store(o + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, B)), BINS))


@triton.jit
def softmax(x, o, stride, n, B: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * stride + at, mask=at < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(o + row * stride + at, e / tl.sum(e, 0), mask=at < n)


@triton.jit
def layer_norm(x, weight, bias, o, n, eps, B: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, B)
    mask = at < n
    v = tl.load(x + row * n + at, mask=mask, other=0.0)
    mean = tl.sum(v, 0) / n
    centred = tl.where(mask, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, 0) / n + eps)
    tl.store(o + row * n + at, centred * scale * tl.load(weight + at, mask=mask) + tl.load(bias + at, mask=mask), mask=mask)


@triton.jit
def rms_norm(x, weight, o, n, eps, B: tl.constexpr):
    """Block by block, twice over the row."""
    row = tl.program_id(0)
    total = tl.zeros((B,), tl.float32)
    for start in range(0, n, B):
        at = start + tl.arange(0, B)
        v = tl.load(x + row * n + at, mask=at < n, other=0.0).to(tl.float32)
        total += v * v
    scale = tl.rsqrt(tl.sum(total, 0) / n + eps)
    for start in range(0, n, B):
        at = start + tl.arange(0, B)
        v = tl.load(x + row * n + at, mask=at < n, other=0.0).to(tl.float32)
        w = tl.load(weight + at, mask=at < n, other=0.0)
        tl.store(o + row * n + at, (v * scale * w).to(o.dtype.element_ty), mask=at < n)


@triton.jit
def cross_entropy(x, label, o, n, B: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
    most = tl.max(v, 0)
    picked = tl.load(x + row * n + tl.load(label + row))
    tl.store(o + row, tl.log(tl.sum(tl.exp(v - most), 0)) + most - picked)


ORDER = "sums have another order"
FUNCTIONS = "sums have another order, functions of the GPU are approximate"
SQUARE = {"M": 16, "N": 64}

CASES = [
    Case("row sum", row_sum, lambda rng: [floats(rng, 16, 64), zeros(16)], SQUARE, within=1e-5, why=ORDER),
    Case("row sum f16", row_sum, lambda rng: [floats(rng, 16, 64, dtype=np.float16), zeros(16, dtype=np.float16)], SQUARE, within=5e-2, why=ORDER),
    Case("row sum i32", row_sum, lambda rng: [integers(rng, 16, 64), zeros(16, dtype=np.int32)], SQUARE),
    Case("column sum", column_sum, lambda rng: [floats(rng, 16, 64), zeros(64)], SQUARE, within=1e-5, why=ORDER),
    Case("column sum, few", column_sum, lambda rng: [floats(rng, 8, 8), zeros(8)], {"M": 8, "N": 8}, within=1e-5, why=ORDER),
    Case("max of all", whole_max, lambda rng: [floats(rng, 1024), zeros(1)], {"B": 1024}),
    Case("argmax", argmax, lambda rng: [floats(rng, 16, 64), zeros(16, dtype=np.int32)], SQUARE),
    Case("own reduction", own_reduction, lambda rng: [integers(rng, 256), zeros(1, dtype=np.int32)], {"B": 256}),
    Case("exclusive or", exclusive_or, lambda rng: [integers(rng, 512), zeros(1, dtype=np.int32)], {"B": 512}),
    Case("scan of rows", cumulative_sum, lambda rng: [integers(rng, 16, 64), zeros(16, 64, dtype=np.int32)], {**SQUARE, "AXIS": 1, "REVERSE": False}),
    Case("scan of columns backwards", cumulative_sum, lambda rng: [integers(rng, 64, 8), zeros(64, 8, dtype=np.int32)],
         {"M": 64, "N": 8, "AXIS": 0, "REVERSE": True}),
    Case("scan of f32", cumulative_sum, lambda rng: [floats(rng, 4, 128), zeros(4, 128)], {"M": 4, "N": 128, "AXIS": 1, "REVERSE": False},
         within=1e-5, why=ORDER),
    Case("product scan", cumulative_product, lambda rng: [integers(rng, 256, below=5), zeros(256, dtype=np.int32)], {"B": 256}),
    Case("sort", sort, lambda rng: [integers(rng, 4, 64), zeros(4, 64, dtype=np.int32)], {"M": 4, "N": 64}),
    Case("sort f32", sort, lambda rng: [floats(rng, 2, 128), zeros(2, 128)], {"M": 2, "N": 128}),
    Case("top 4", top, lambda rng: [floats(rng, 8, 64), zeros(8, 4)], {"M": 8, "N": 64, "K": 4}),
    Case("histogram", histogram, lambda rng: [integers(rng, 512, dtype=np.uint32, below=32), zeros(32, dtype=np.int32)], {"B": 512, "BINS": 32}),
    Case("softmax", softmax, lambda rng: [floats(rng, 4, 200), zeros(4, 200), 200, 200], {"B": 256}, (4,), within=1e-6, why=FUNCTIONS),
    Case("softmax, eight warps", softmax, lambda rng: [floats(rng, 4, 1000), zeros(4, 1000), 1000, 1000], {"B": 1024, "num_warps": 8}, (4,),
         within=1e-6, why=FUNCTIONS),
    Case("layer norm", layer_norm, lambda rng: [floats(rng, 4, 300), floats(rng, 300), floats(rng, 300), zeros(4, 300), 300, 1e-5], {"B": 512}, (4,),
         within=1e-5, why=FUNCTIONS),
    Case("RMS norm bf16", rms_norm, lambda rng: [floats(rng, 3, 500, dtype=DTYPES["bf16"]), floats(rng, 500), zeros(3, 500, dtype=DTYPES["bf16"]),
                                                 500, 1e-5], {"B": 256}, (3,), within=4e-2, why=FUNCTIONS),
    Case("cross entropy", cross_entropy, lambda rng: [floats(rng, 8, 100), integers(rng, 8, dtype=np.uint32, below=100), zeros(8), 100], {"B": 128},
         (8,), within=1e-5, why=FUNCTIONS),
]
