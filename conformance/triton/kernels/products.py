"""Products of matrices, and attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import triton
import triton.language as tl

from .case import DTYPES, Array, Case, floats, integers, zeros


@triton.jit
def dot(a, b, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, HOW: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    tl.store(o + m[:, None] * N + n[None, :], tl.dot(x, y, input_precision=HOW, out_dtype=o.dtype.element_ty))


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    """Programs in groups of rows; blocks of k one after the other; leaky ReLU at the end."""
    pid = tl.program_id(0)
    wide = tl.cdiv(n, BN)
    first = pid // (GROUP * wide) * GROUP
    rows = min(tl.cdiv(m, BM) - first, GROUP)
    row, column = first + pid % (GROUP * wide) % rows, pid % (GROUP * wide) // rows
    at_m, at_n, at_k = (row * BM + tl.arange(0, BM)) % m, (column * BN + tl.arange(0, BN)) % n, tl.arange(0, BK)
    pa, pb = a + at_m[:, None] * k + at_k[None, :], b + at_k[:, None] * n + at_n[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for i in range(0, tl.cdiv(k, BK)):
        x = tl.load(pa, mask=at_k[None, :] < k - i * BK, other=0.0)
        y = tl.load(pb, mask=at_k[:, None] < k - i * BK, other=0.0)
        total = tl.dot(x, y, total)
        pa += BK
        pb += BK * n
    total = tl.where(total >= 0, total, 0.01 * total)
    om, on = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN)
    tl.store(c + om[:, None] * n + on[None, :], total.to(c.dtype.element_ty), mask=(om[:, None] < m) & (on[None, :] < n))


@triton.jit
def matmul_described(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The same with tensor descriptors."""
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    da = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [k, n], [n, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])
    total = tl.zeros((BM, BN), tl.float32)
    for i in range(0, k, BK):
        total = tl.dot(da.load([row, i]), db.load([i, column]), total)
    dc.store([row, column], total.to(c.dtype.element_ty))


@triton.jit
def attention(q, k, v, o, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """Flash attention of one head: a block of queries, blocks of keys one after the other."""
    rows, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + d[None, :])
    most = tl.full((BM,), -float("inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, D), tl.float32)
    end = tl.minimum(n, (tl.program_id(0) + 1) * BM) if CAUSAL else n
    for start in range(0, end, BN):
        at = start + tl.arange(0, BN)
        key = tl.load(k + at[:, None] * D + d[None, :])
        score = tl.dot(query, tl.trans(key)) * scale
        if CAUSAL:
            score = tl.where(rows[:, None] >= at[None, :], score, -float("inf"))
        higher = tl.maximum(most, tl.max(score, 1))
        p = tl.exp2(score - higher[:, None])
        shrink = tl.exp2(most - higher)
        weight = weight * shrink + tl.sum(p, 1)
        value = tl.load(v + at[:, None] * D + d[None, :])
        out = tl.dot(p.to(value.dtype), value, out * shrink[:, None])
        most = higher
    tl.store(o + rows[:, None] * D + d[None, :], (out / weight[:, None]).to(o.dtype.element_ty))


def _dot(a: Any, o: Any = np.float32, k: int = 32) -> Any:
    def make(rng: np.random.Generator) -> list[Any]:
        if np.dtype(a).kind in "iu":
            return [integers(rng, 32, k, dtype=a), integers(rng, k, 32, dtype=a), zeros(32, 32, dtype=o)]
        return [floats(rng, 32, k, dtype=a), floats(rng, k, 32, dtype=a), zeros(32, 32, dtype=o)]
    return make


def _matmul(dtype: Any, m: int, n: int, k: int) -> Any:
    return lambda rng: [floats(rng, m, k, dtype=dtype), floats(rng, k, n, dtype=dtype), zeros(m, n, dtype=dtype), m, n, k]


def _attention(n: int, d: int, dtype: Any) -> Any:
    return lambda rng: [*(floats(rng, n, d, dtype=dtype) for _ in range(3)), zeros(n, d, dtype=dtype), n, 1.4427 / d**0.5]


UNITS = "matrix units add in an order of their own"
SIZES = {"M": 32, "N": 32, "K": 32}
BLOCKS = {"BM": 64, "BN": 64, "BK": 32, "GROUP": 2}

CASES = [
    Case("dot f16", dot, _dot(np.float16), {**SIZES, "HOW": None}, within=1e-4, why=UNITS),
    Case("dot f16 to f16", dot, _dot(np.float16, np.float16), {**SIZES, "HOW": None}, within=5e-2, why=UNITS),
    Case("dot bf16", dot, _dot(DTYPES["bf16"]), {**SIZES, "HOW": None}, within=1e-4, why=UNITS),
    Case("dot tf32", dot, _dot(np.float32), {**SIZES, "HOW": "tf32"}, within=5e-2, why="tf32 is truncated there and rounded here"),
    Case("dot tf32x3", dot, _dot(np.float32), {**SIZES, "HOW": "tf32x3"}, within=1e-4, why=UNITS),
    Case("dot f32", dot, _dot(np.float32), {**SIZES, "HOW": "ieee"}, within=1e-4, why="sums have another order"),
    Case("dot i8", dot, _dot(np.int8, np.int32), {**SIZES, "HOW": None}),
    Case("dot f64", dot, lambda rng: [Array(rng.standard_normal((32, 32))), Array(rng.standard_normal((32, 32))), zeros(32, 32, dtype=np.float64)],
         {**SIZES, "HOW": None}, within=1e-12, why="sums have another order"),
    Case("dot f8e5m2", dot, _dot(DTYPES["f8e5m2"]), {**SIZES, "HOW": None}, within=1e-2, why=UNITS),
    Case("dot f8e4m3", dot, _dot(DTYPES["f8e4m3"]), {**SIZES, "HOW": None}, within=1e-2, why=UNITS, least=90),
    Case("dot of a warpgroup", dot, lambda rng: [floats(rng, 64, 64, dtype=np.float16), floats(rng, 64, 64, dtype=np.float16), zeros(64, 64)],
         {"M": 64, "N": 64, "K": 64, "HOW": None}, within=1e-4, why=UNITS),
    Case("matmul f16", matmul, _matmul(np.float16, 100, 120, 96), BLOCKS, (4,), within=4e-2, why=UNITS),
    Case("matmul f32", matmul, _matmul(np.float32, 64, 64, 64), BLOCKS, (1,), within=5e-2, why="tf32 is truncated there and rounded here"),
    Case("matmul, descriptors", matmul_described, _matmul(np.float16, 128, 64, 64), {"BM": 64, "BN": 64, "BK": 32}, (2, 1), within=4e-2, why=UNITS),
    Case("attention", attention, _attention(128, 32, np.float16), {"D": 32, "BM": 64, "BN": 32, "CAUSAL": False}, (2,), within=1e-2, why=UNITS),
    Case("causal attention", attention, _attention(128, 64, np.float16), {"D": 64, "BM": 64, "BN": 64, "CAUSAL": True}, (2,), within=1e-2, why=UNITS),
]
