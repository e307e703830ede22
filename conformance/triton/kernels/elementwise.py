"""Elementwise kernels, conversions and gathers."""

from __future__ import annotations

import numpy as np
import triton
import triton.language as tl
from triton.language.extra import libdevice

from .case import DTYPES, Array, Case, floats, integers, zeros


@triton.jit
def add(x, y, o, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    mask = at < n
    tl.store(o + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def functions(x, o, n, B: tl.constexpr):
    at = tl.arange(0, B)
    v = tl.load(x + at)
    tl.store(o + at, tl.exp(v))
    tl.store(o + n + at, tl.log(tl.abs(v) + 0.5))
    tl.store(o + 2 * n + at, tl.sqrt(tl.abs(v)))
    tl.store(o + 3 * n + at, tl.rsqrt(tl.abs(v) + 0.25))
    tl.store(o + 4 * n + at, tl.sigmoid(v))
    tl.store(o + 5 * n + at, tl.exp2(v))
    tl.store(o + 6 * n + at, tl.log2(tl.abs(v) + 0.5))


@triton.jit
def functions_f64(x, o, n, B: tl.constexpr):
    at = tl.arange(0, B)
    v = tl.load(x + at)
    tl.store(o + at, tl.exp(v))
    tl.store(o + n + at, tl.log(tl.abs(v) + 0.5))
    tl.store(o + 2 * n + at, tl.sqrt(tl.abs(v)))


@triton.jit
def trigonometry(x, o, n, B: tl.constexpr):
    at = tl.arange(0, B)
    v = tl.load(x + at)
    tl.store(o + at, tl.sin(v))
    tl.store(o + n + at, tl.cos(v))
    tl.store(o + 2 * n + at, libdevice.tanh(v))
    tl.store(o + 3 * n + at, tl.erf(v))


@triton.jit
def rounding(x, o, n, B: tl.constexpr):
    at = tl.arange(0, B)
    v = tl.load(x + at)
    tl.store(o + at, tl.floor(v))
    tl.store(o + n + at, tl.ceil(v))
    tl.store(o + 2 * n + at, tl.sqrt_rn(tl.abs(v)))
    tl.store(o + 3 * n + at, tl.div_rn(v, 3.0))
    tl.store(o + 4 * n + at, tl.fma(v, v, v))
    tl.store(o + 5 * n + at, tl.clamp(v, -0.5, 0.5))


@triton.jit
def integer_arithmetic(x, y, o, n, B: tl.constexpr):
    at = tl.arange(0, B)
    a, b = tl.load(x + at), tl.load(y + at)
    tl.store(o + at, a * b + (a >> 3))
    tl.store(o + n + at, a // b)
    tl.store(o + 2 * n + at, a % b)
    tl.store(o + 3 * n + at, tl.umulhi(a, b))
    tl.store(o + 4 * n + at, (a & b) ^ (a | (b << 2)))
    tl.store(o + 5 * n + at, tl.minimum(a, b) - tl.maximum(a, b))


@triton.jit
def cast(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.load(x + at).to(o.dtype.element_ty))


@triton.jit
def select(x, y, o, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    a = tl.load(x + at, mask=at < n, other=-1.0)
    b = tl.load(y + at, mask=at < n, other=2.0)
    tl.store(o + at, tl.where(a > b, a * 2, b - a), mask=at < n)


@triton.jit
def take_rows(table, rows, o, W: tl.constexpr, B: tl.constexpr):
    row = tl.load(rows + tl.arange(0, B))
    column = tl.arange(0, W)
    tl.store(o + tl.arange(0, B)[:, None] * W + column[None, :], tl.load(table + row[:, None] * W + column[None, :]))


@triton.jit
def gather(x, index, o, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(o + at, tl.gather(tl.load(x + at), tl.load(index + at), 1))


@triton.jit
def random_numbers(o, seed, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + at, tl.rand(seed, at))


@triton.jit
def transpose(x, o, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    tl.store(o + n[:, None] * M + m[None, :], tl.trans(tl.load(x + m[:, None] * N + n[None, :])))


@triton.jit
def interleave(x, y, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + tl.arange(0, 2 * B), tl.interleave(tl.load(x + at), tl.load(y + at)))


@triton.jit
def countdown(x, o, B: tl.constexpr):
    """A loop whose count is in memory."""
    at = tl.arange(0, B)
    left, total = tl.load(x), tl.zeros((B,), tl.int32)
    while left > 0:
        total += left * at
        left -= 3
    tl.store(o + at, total)


def _casts() -> list[Case]:
    types = {"f32": np.float32, "f16": np.float16, "f64": np.float64, "i8": np.int8, "i32": np.int32, "i64": np.int64, "u8": np.uint8, **DTYPES}
    pairs = ["f32-f16", "f16-f32", "f32-bf16", "bf16-f32", "f32-i32", "i32-f32", "f16-i8", "i8-f16", "i64-f64", "f64-f32", "bf16-f16",
             "u8-bf16", "f32-f8e5m2", "f8e5m2-f16", "f32-f8e4m3", "f8e4m3-f32", "f8e4m3-bf16"]
    cases = []
    for pair in pairs:
        source, to = pair.split("-")
        cases.append(Case(f"cast {source} to {to}", cast, lambda rng, a=types[source], b=types[to]: [
            Array((rng.standard_normal(256) * 20).astype(np.float32 if a not in (np.int8, np.uint8) else np.int8).astype(a)), zeros(256, dtype=b)],
            {"B": 256}, least=90 if "f8e4m3" in pair else 80))
    return cases


APPROXIMATE = "functions of the GPU are approximate"

CASES = [
    Case("add", add, lambda rng: [floats(rng, 1000), floats(rng, 1000), zeros(1000), 1000], {"B": 256}, (4,)),
    Case("add f16", add, lambda rng: [floats(rng, 1000, dtype=np.float16), floats(rng, 1000, dtype=np.float16), zeros(1000, dtype=np.float16), 1000],
         {"B": 1024}),
    Case("add bf16", add, lambda rng: [floats(rng, 1000, dtype=DTYPES["bf16"]), floats(rng, 1000, dtype=DTYPES["bf16"]),
                                       zeros(1000, dtype=DTYPES["bf16"]), 1000], {"B": 1024}),
    Case("add f64", add, lambda rng: [Array(rng.standard_normal(500)), Array(rng.standard_normal(500)), zeros(500, dtype=np.float64), 500], {"B": 512}),
    Case("functions", functions, lambda rng: [floats(rng, 256), zeros(7 * 256), 256], {"B": 256}, within=1e-5, why=APPROXIMATE),
    Case("functions f64", functions_f64, lambda rng: [Array(rng.standard_normal(128)), zeros(3 * 128, dtype=np.float64), 128], {"B": 128},
         within=1e-14, why="functions of the GPU's library have errors of their own"),
    Case("trigonometry", trigonometry, lambda rng: [floats(rng, 256), zeros(4 * 256), 256], {"B": 256}, within=1e-5, why=APPROXIMATE),
    Case("rounding", rounding, lambda rng: [floats(rng, 256), zeros(6 * 256), 256], {"B": 256}),
    Case("integer arithmetic", integer_arithmetic, lambda rng: [integers(rng, 256), Array(rng.integers(1, 9, 256).astype(np.int32)),
                                                                zeros(6 * 256, dtype=np.int32), 256], {"B": 256}),
    Case("select", select, lambda rng: [floats(rng, 300), floats(rng, 300), zeros(300), 300], {"B": 128}, (3,)),
    Case("rows of a table", take_rows, lambda rng: [floats(rng, 50, 32), integers(rng, 16, below=50, dtype=np.uint32), zeros(16, 32)],
         {"W": 32, "B": 16}),
    Case("gather", gather, lambda rng: [floats(rng, 8, 64), Array(rng.integers(0, 64, (8, 64)).astype(np.int32)), zeros(8, 64)], {"M": 8, "N": 64}),
    Case("random numbers", random_numbers, lambda rng: [zeros(512), 1234], {"B": 256}, (2,)),
    Case("transpose", transpose, lambda rng: [floats(rng, 32, 64), zeros(64, 32)], {"M": 32, "N": 64}),
    Case("interleave", interleave, lambda rng: [floats(rng, 128), floats(rng, 128), zeros(256)], {"B": 128}),
    Case("countdown", countdown, lambda rng: [Array(np.array([20], np.int32)), zeros(128, dtype=np.int32)], {"B": 128}),
    *_casts(),
]
