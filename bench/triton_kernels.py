"""Triton kernels that are measured: those of Triton's tutorials in kind and size, written for this benchmark, with their numpy references.

Triton must be there, torch need not."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import triton
import triton.language as tl


class Storage:
    """Memory of a `Tensor`, with what Triton's interpreter asks of it."""

    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data

    def nbytes(self):
        return self.array.nbytes

    def cpu(self):
        return Storage(self.array.copy())

    def copy_(self, other):
        self.array[...] = other.array


class Tensor:
    """A dense numpy array, with what Triton and its interpreter ask of a tensor."""

    def __init__(self, array):
        self.array, self.dtype, self.shape = array, array.dtype, array.shape

    def data_ptr(self):
        return self.array.ctypes.data

    def untyped_storage(self):
        return Storage(self.array)

    def new_empty(self, size, device=None):
        return Tensor(np.empty(size, self.dtype))

    def set_(self, storage, offset, size, stride):
        self.__init__(storage.array)

    def storage_offset(self):
        return 0

    def size(self):
        return self.shape

    def stride(self):
        return tuple(stride // self.dtype.itemsize for stride in self.array.strides)


@triton.jit
def copy(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at))


@triton.jit
def add(x, y, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(x, out, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * stride
    column = tl.arange(0, BLOCK)
    inside = column < columns
    logits = tl.load(x + row + column, mask=inside, other=-float("inf"))
    weights = tl.exp(logits - tl.max(logits, axis=0))
    tl.store(out + row + column, weights / tl.sum(weights, axis=0), mask=inside)


@triton.jit
def layer_norm(x, weight, bias, out, mean_out, rstd_out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * columns
    out += row * columns
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < columns, other=0.0)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        apart = tl.where(at < columns, tl.load(x + at, mask=at < columns, other=0.0) - mean, 0.0)
        squares += apart * apart
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(mean_out + row, mean)
    tl.store(rstd_out + row, rstd)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        scaled = (tl.load(x + at, mask=inside, other=0.0) - mean) * rstd
        tl.store(out + at, scaled * tl.load(weight + at, mask=inside) + tl.load(bias + at, mask=inside), mask=inside)


@triton.jit
def matmul(a, b, out, M, N, K, TM: tl.constexpr, TN: tl.constexpr, TK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, TM), tl.cdiv(N, TN)
    first = pid // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first, GROUP)
    tile_m = first + pid % (GROUP * tiles_n) % height
    tile_n = pid % (GROUP * tiles_n) // height
    row, column, inner = tile_m * TM + tl.arange(0, TM), tile_n * TN + tl.arange(0, TN), tl.arange(0, TK)
    at_a = a + (row % M)[:, None] * K + inner[None, :]
    at_b = b + inner[:, None] * N + (column % N)[None, :]
    total = tl.zeros((TM, TN), tl.float32)
    for k in range(0, tl.cdiv(K, TK)):
        left = tl.load(at_a, mask=inner[None, :] < K - k * TK, other=0.0)
        right = tl.load(at_b, mask=inner[:, None] < K - k * TK, other=0.0)
        total = tl.dot(left, right, total)
        at_a += TK
        at_b += TK * N
    inside = (row[:, None] < M) & (column[None, :] < N)
    tl.store(out + row[:, None] * N + column[None, :], total.to(tl.float16), mask=inside)


@triton.jit
def attention(q, k, v, out, scale, length, WIDTH: tl.constexpr, TM: tl.constexpr, TN: tl.constexpr):
    head = tl.program_id(1) * length * WIDTH
    row, column, lane = tl.program_id(0) * TM + tl.arange(0, TM), tl.arange(0, TN), tl.arange(0, WIDTH)
    query = tl.load(q + head + row[:, None] * WIDTH + lane[None, :])
    most = tl.full([TM], -float("inf"), tl.float32)
    weight = tl.zeros([TM], tl.float32)
    total = tl.zeros([TM, WIDTH], tl.float32)
    for start in range(0, length, TN):
        key = tl.load(k + head + (start + column)[None, :] * WIDTH + lane[:, None])
        scores = tl.dot(query, key) * (scale * 1.44269504)
        now = tl.maximum(most, tl.max(scores, 1))
        scores = tl.math.exp2(scores - now[:, None])
        kept = tl.math.exp2(most - now)
        weight = weight * kept + tl.sum(scores, 1)
        value = tl.load(v + head + (start + column)[:, None] * WIDTH + lane[None, :])
        total = tl.dot(scores.to(tl.float16), value, total * kept[:, None])
        most = now
    tl.store(out + head + row[:, None] * WIDTH + lane[None, :], (total / weight[:, None]).to(tl.float16))


def normal(seed, *shape, dtype=np.float32):
    return np.random.default_rng(seed).standard_normal(shape, np.float32).astype(dtype)


@dataclass
class Launch:
    """A kernel with its arguments; `out` is what it writes, `wanted` what that should be, to within `tolerance`."""

    kernel: object
    grid: tuple
    args: tuple
    meta: dict
    out: Tensor
    wanted: np.ndarray
    tolerance: float

    def __call__(self):
        self.kernel[self.grid](*self.args, **self.meta)

    def difference(self):
        """The greatest |got - want| / (1 + |want|)."""
        got = self.out.array.astype(np.float64)
        return float(np.max(np.abs(got - self.wanted) / (1 + np.abs(self.wanted))))


def launch_copy():
    x, out = Tensor(normal(1, 16)), Tensor(np.zeros(16, np.float32))
    return Launch(copy, (1,), (x, out), {"BLOCK": 16}, out, x.array, 0)


def launch_add():
    x, y, out = (Tensor(a) for a in (normal(1, 1 << 20), normal(2, 1 << 20), np.zeros(1 << 20, np.float32)))
    return Launch(add, (1024,), (x, y, out, 1 << 20), {"BLOCK": 1024}, out, x.array + y.array, 0)


def launch_softmax():
    x, out = Tensor(normal(1, 4096, 1024)), Tensor(np.zeros((4096, 1024), np.float32))
    weights = np.exp(x.array.astype(np.float64))
    return Launch(softmax, (4096,), (x, out, 1024, 1024), {"BLOCK": 1024}, out, weights / weights.sum(1, keepdims=True), 1e-6)


def launch_layer_norm():
    x, weight, bias = Tensor(normal(1, 1151, 8192)), Tensor(normal(2, 8192)), Tensor(normal(3, 8192))
    out, mean, rstd = (Tensor(np.zeros(shape, np.float32)) for shape in ((1151, 8192), 1151, 1151))
    exact = x.array.astype(np.float64)
    wanted = (exact - exact.mean(1, keepdims=True)) / np.sqrt(exact.var(1, keepdims=True) + 1e-5) * weight.array + bias.array
    return Launch(layer_norm, (1151,), (x, weight, bias, out, mean, rstd, 8192, 1e-5), {"BLOCK": 1024}, out, wanted, 1e-5)


def launch_matmul(tm, tn, tk):
    a, b = (Tensor(normal(seed, 1024, 1024, dtype=np.float16)) for seed in (1, 2))
    out = Tensor(np.zeros((1024, 1024), np.float16))
    wanted = a.array.astype(np.float64) @ b.array.astype(np.float64)
    return Launch(matmul, (1024 // tm * 1024 // tn,), (a, b, out, 1024, 1024, 1024), {"TM": tm, "TN": tn, "TK": tk, "GROUP": 8}, out, wanted, 1e-3)


def launch_attention():
    q, k, v = (Tensor(normal(seed, 4, 1024, 64, dtype=np.float16)) for seed in (1, 2, 3))
    out = Tensor(np.zeros((4, 1024, 64), np.float16))
    exact = [a.array.astype(np.float64) for a in (q, k, v)]
    weights = np.exp(exact[0] @ exact[1].transpose(0, 2, 1) * 0.125)
    wanted = weights / weights.sum(2, keepdims=True) @ exact[2]
    return Launch(attention, (8, 4), (q, k, v, out, 0.125, 1024), {"WIDTH": 64, "TM": 128, "TN": 64}, out, wanted, 1e-3)


LAUNCHES = {"add 2^20, blocks of 1024": launch_add, "softmax 4096 x 1024": launch_softmax, "layer norm 1151 x 8192": launch_layer_norm,
            "matmul 1024, f16, tiles of 128 x 64 x 32": partial(launch_matmul, 128, 64, 32), "matmul 1024, f16, tiles of 128 x 128 x 64": partial(launch_matmul, 128, 128, 64), "attention 4 x 1024 x 64, f16": launch_attention}
