"""Tasks of KernelBench whose results say little, as Pallas kernels.

The tasks are those that the filters of robust-kbench flag by their stored results, with the shapes of KernelBench v0, and those of
KernelBench#165 and #108.  The code is ours.  A convolution is a product of matrices over patches, so the kernels have patches
as inputs; weights are scaled as torch initialises them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

Shapes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Task:
    """A task.

    label     its number: "1/23"
    original  its shapes
    why       what makes its results insensitive
    compute   of arrays of these shapes and dtype
    longest   the length of its longest sum
    constant  whether it is the same function of all finite inputs, in exact arithmetic
    """

    label: str
    title: str
    source: str
    original: str
    why: str
    compute: Callable[..., jax.Array]
    shapes: Shapes
    longest: int
    constant: bool = False
    dtype: str = "float32"

    @property
    def name(self) -> str:
        return f"kb_{self.label.replace('/', '_')}"

    @property
    def inputs(self) -> list[np.ndarray]:
        return [np.ones(shape, jnp.dtype(self.dtype)) for shape in self.shapes]

    def call(self, *arrays: jax.Array) -> jax.Array:
        """The task as one kernel."""
        return pl.pallas_call(self._body, out_shape=jax.eval_shape(self.compute, *arrays), interpret=True)(*arrays)

    def _body(self, *refs: jax.Array) -> None:
        refs[-1][...] = self.compute(*(ref[...] for ref in refs[:-1]))


TASKS: list[Task] = []
_FLAGGED = "robust-kbench@078f5ba, KernelBench v0"


def _task(label: str, title: str, original: str, why: str, shapes: Shapes, longest: int, source: str = "", **more) -> Callable:
    def enter(compute):
        TASKS.append(Task(label, title, source or _FLAGGED, original, why, compute, shapes, longest,
                          **more))
        return compute

    return enter


def gemm(x: jax.Array, w: jax.Array) -> jax.Array:
    """A linear layer whose weights have about the size that torch gives them, (3 k)^-1/2: the next power of two, which keeps
    products of whole numbers exact."""
    return jnp.dot(x, w, preferred_element_type=jnp.float32) * 2.0 ** round(-0.5 * math.log2(3 * w.shape[0]))


def softmax(x: jax.Array, axis: int) -> jax.Array:
    e = jnp.exp(x - jnp.max(x, axis=axis, keepdims=True))
    return e / jnp.sum(e, axis=axis, keepdims=True)


def normalised(x: jax.Array, axes: int | tuple[int, ...]) -> jax.Array:
    """To mean 0 and variance 1 along axes."""
    centred = x - jnp.mean(x, axis=axes, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred * centred, axis=axes, keepdims=True) + 1e-5)


def group_norm(x: jax.Array, groups: int) -> jax.Array:
    """Over (rows, channels): each sample is a row."""
    rows, channels = x.shape
    return normalised(x.reshape(rows, groups, channels // groups), 2).reshape(rows, channels)


def swish(x: jax.Array) -> jax.Array:
    return x * jax.nn.sigmoid(x)


def gelu(x: jax.Array) -> jax.Array:
    return 0.5 * x * (1.0 + jax.lax.erf(x * 0.5**0.5))


# ---- level 1 ----

_task("1/23", "Softmax", "16 x 16384", "results of 1/16384", ((16, 16384),), 16384)(lambda x: softmax(x, 1))
_task("1/37", "FrobeniusNorm", "16 x 64 x 256 x 256", "divided by the norm of 67 million numbers", ((256, 1024),), 262144)(
    lambda x: x / jnp.sqrt(jnp.sum(x * x)))
_task("1/38", "L1Norm", "16 x 16384", "divided by the sum of 16384 sizes", ((16, 16384),), 16384)(
    lambda x: x / jnp.sum(jnp.abs(x), axis=1, keepdims=True))
_task("1/39", "L2Norm", "16 x 16384", "divided by the norm of 16384 numbers", ((16, 16384),), 16384)(
    lambda x: x / jnp.sqrt(jnp.sum(x * x, axis=1, keepdims=True)))
_task("1/50", "Product reduction", "16 x 256 x 256", "products of 256 normal numbers underflow", ((256, 64),), 256)(
    lambda x: jnp.prod(x, axis=0, keepdims=True))
_task("1/94", "MSELoss", "128 x 4096, twice", "one number, the mean of 524288", ((128, 4096),) * 2, 524288)(
    lambda x, y: jnp.mean((x - y) ** 2).reshape(1, 1))


@_task("1/96", "HuberLoss", "128 x 4096, twice", "one number, the mean of 524288", ((128, 4096),) * 2, 524288)
def _huber(x, y):
    d = jnp.abs(x - y)
    return jnp.mean(jnp.where(d < 1.0, 0.5 * d * d, d - 0.5)).reshape(1, 1)


@_task("1/97", "CosineSimilarityLoss", "128 x 4096, twice", "near 1: random vectors are orthogonal", ((128, 4096),) * 2, 4096)
def _cosine(x, y):
    sizes = jnp.sqrt(jnp.sum(x * x, axis=1)) * jnp.sqrt(jnp.sum(y * y, axis=1))
    return jnp.mean(1 - jnp.sum(x * y, axis=1) / sizes).reshape(1, 1)


@_task("1/98", "KLDivLoss", "128 x 4096, twice", "one number; the softmax of its inputs is part of the kernel", ((128, 4096),) * 2, 4096)
def _divergence(x, y):
    p, q = softmax(x, 1), softmax(y, 1)
    return (jnp.sum(q * (jnp.log(q) - jnp.log(p))) / x.shape[0]).reshape(1, 1)


# ---- level 2: patches x, weights w ----

_task("2/9", "Matmul Subtract Multiply ReLU", "128 x 10, weights 10 x 5", "nearly all results are 0", ((128, 10), (10, 5)), 10)(
    lambda x, w: jax.nn.relu((gemm(x, w) - 2.0) * 1.5))
_task("2/13", "ConvTranspose3d Mean Add Softmax Tanh Scaling", "16 x 8 x 16 x 32 x 32, 16 channels", "softmax of one number is 1",
      ((64, 27), (27, 16), (1, 1)), 27, constant=True)(
    lambda x, w, b: jnp.tanh(softmax(jnp.mean(gemm(x, w), axis=1, keepdims=True) + b, 1)) * 2.0)
_task("2/23", "Conv3d GroupNorm Mean", "128 x 3 x 16 x 32 x 32, 16 channels, 8 groups", "the mean of what has mean 0",
      ((64, 81), (81, 16)), 81, constant=True)(lambda x, w: jnp.mean(group_norm(gemm(x, w), 4), axis=1, keepdims=True))


@_task("2/27", "Conv3d HardSwish ReLU Softmax Mean", "128 x 3 x 16 x 32 x 32, 16 channels", "means of a softmax over 16 channels",
       ((512, 81), (81, 16)), 512)
def _hardswish_mean(x, w):
    y = gemm(x, w)
    return jnp.mean(softmax(jax.nn.relu(y * jnp.clip(y + 3, 0, 6) / 6), 1), axis=0, keepdims=True)


@_task("2/36", "ConvTranspose2d Min Sum GELU Add", "128 x 3 x 32 x 32, 16 channels", "GELU of a large negative number is 0",
       ((8, 32, 27), (27, 16), (1, 1)), 32)
def _min_sum(x, w, b):
    y = gemm(x.reshape(-1, x.shape[2]), w).reshape(*x.shape[:2], w.shape[1])
    return gelu(jnp.sum(jnp.min(y, axis=2), axis=1, keepdims=True)) + b


_task("2/41", "Gemm BatchNorm GELU GroupNorm Mean ReLU", "128 x 512, weights 512 x 1024, 8 groups", "the mean of what has mean 0",
      ((128, 512), (512, 1024)), 1024, constant=True)(
    lambda x, w: jax.nn.relu(jnp.mean(group_norm(gelu(normalised(gemm(x, w), 0)), 8), axis=1, keepdims=True)))
_task("2/44", "ConvTranspose2d Multiply GlobalAvgPool GlobalAvgPool Mean", "128 x 3 x 32 x 32, 16 channels",
      "the mean of two million numbers around 0", ((1024, 27), (27, 16)), 16384)(
    lambda x, w: jnp.mean(gemm(x, w) * 0.5).reshape(1, 1))
_task("2/48", "Conv3d Scaling Tanh Multiply Sigmoid", "128 x 3 x 16 x 32 x 32, 16 channels", "factors of 0.02: near 0.5",
      ((256, 81), (81, 16), (1, 16), (1, 16)), 81)(
    lambda x, w, s, b: jax.nn.sigmoid(jnp.tanh(gemm(x, w) * (0.02 * s)) * (0.02 * b)))
_task("2/49", "ConvTranspose3d Softmax Sigmoid", "16 x 32 x 16 x 32 x 32, 64 channels", "near 0.5", ((128, 108), (108, 64)), 108)(
    lambda x, w: jax.nn.sigmoid(softmax(gemm(x, w), 1)))


@_task("2/58", "ConvTranspose3d LogSumExp HardSwish Subtract Clamp Max", "128 x 3 x 16 x 32 x 32, 16 channels", "in a narrow range",
       ((256, 27), (27, 16), (1, 16)), 27)
def _logsumexp(x, w, b):
    y = gemm(x, w)
    most = jnp.max(y, axis=1, keepdims=True)
    y = jnp.log(jnp.sum(jnp.exp(y - most), axis=1, keepdims=True)) + most
    return jnp.max(jnp.clip(y * jax.nn.sigmoid(y + 3) / 6 - 0.02 * b, -1, 1), axis=1, keepdims=True)


_task("2/66", "Matmul Dropout Mean Softmax", "128 x 100, weights 100 x 50", "softmax of one number is 1; no dropout in inference",
      ((128, 100), (100, 50)), 100, constant=True)(lambda x, w: softmax(jnp.mean(gemm(x, w), axis=1, keepdims=True), 1))


@_task("2/80", "Gemm Max Subtract GELU", "128 x 512, weights 512 x 1024", "one number less its own mean", ((128, 512), (512, 1024)), 512,
       constant=True)
def _max_subtract(x, w):
    y = jnp.max(gemm(x, w), axis=1, keepdims=True)
    return gelu(y - jnp.mean(y, axis=1, keepdims=True))


_task("2/84", "Gemm BatchNorm Scaling Softmax", "128 x 1024, weights 1024 x 512", "a factor of 0.02: near 1/512",
      ((128, 1024), (1024, 512), (1, 1)), 1024)(lambda x, w, s: softmax(normalised(gemm(x, w), 0) * (0.02 * s), 1))
_task("2/88", "Gemm GroupNorm Swish Multiply Swish", "128 x 512, weights 512 x 1024, 16 groups", "factors of 0.02: near 0",
      ((128, 512), (512, 1024), (1, 1024)), 512)(
    lambda x, w, m: swish(swish(group_norm(gemm(x, w), 16)) * (0.02 * m)))


@_task("2/89", "ConvTranspose3d MaxPool Softmax Subtract Swish Max", "128 x 3 x 16 x 32 x 32, 16 channels", "in a narrow range",
       ((64, 8, 27), (27, 16), (1, 16)), 27)
def _pool_softmax(x, w, s):
    y = jnp.max(gemm(x.reshape(-1, x.shape[2]), w).reshape(*x.shape[:2], w.shape[1]), axis=1)
    return jnp.max(swish(softmax(y, 1) - 0.02 * s), axis=1, keepdims=True)


_task("2/91", "ConvTranspose2d Softmax BiasAdd Scaling Sigmoid", "128 x 32 x 16 x 16, 64 channels", "near 0.5",
      ((128, 128), (128, 64), (1, 64)), 128)(lambda x, w, b: jax.nn.sigmoid((softmax(gemm(x, w), 1) + 0.02 * b) * 2.0))


@_task("2/96", "ConvTranspose3d Multiply Max GlobalAvgPool Clamp", "128 x 3 x 16 x 32 x 32, 16 channels",
       "means of 3375 maxima: alike", ((64, 8, 27), (27, 16)), 64)
def _pool_mean(x, w):
    y = gemm(x.reshape(-1, x.shape[2]), w).reshape(*x.shape[:2], w.shape[1])
    return jnp.clip(jnp.mean(jnp.max(y * 0.5, axis=1), axis=0, keepdims=True), 0, 1)


# ---- KernelBench#165: bf16, today's shapes ----

_165 = "KernelBench#165"
_task("1/23-bf16", "Softmax", "4096 x 393216 in bf16", "results of 1/393216", ((2, 16384),), 16384, _165, dtype="bfloat16")(
    lambda x: softmax(x.astype(jnp.float32), 1).astype(x.dtype))
_task("1/37-bf16", "FrobeniusNorm", "112 x 64 x 512 x 512 in bf16", "divided by the norm of all", ((32, 1024),), 32768, _165,
      dtype="bfloat16")(
    lambda x: (x.astype(jnp.float32) / jnp.sqrt(jnp.sum(jnp.square(x.astype(jnp.float32))))).astype(x.dtype))
_task("1/39-bf16", "L2Norm", "32768 x 65535 in bf16", "divided by the norm of 65535 numbers", ((2, 16384),), 16384, _165,
      dtype="bfloat16")(lambda x: (x.astype(jnp.float32) / jnp.sqrt(jnp.sum(
          jnp.square(x.astype(jnp.float32)), axis=1, keepdims=True))).astype(x.dtype))
_task("1/53-bf16", "Min reduction over a dimension", "128 x 4096 x 4095 in bf16", "the least of 4096 sizes", ((4096, 16),), 1, _165,
      dtype="bfloat16")(lambda x: jnp.min(jnp.abs(x), axis=0, keepdims=True))

# ---- KernelBench#108: a constant, or an op that changes nothing ----

_108 = "KernelBench#108"
_task("2/7", "Conv3d ReLU LeakyReLU GELU Sigmoid BiasAdd", "64 x 8 x 32 x 64 x 64, 32 channels", "LeakyReLU after ReLU changes nothing",
      ((64, 72), (72, 32), (1, 32)), 72, _108)(
    lambda x, w, b: jax.nn.sigmoid(gelu(jax.nn.leaky_relu(jax.nn.relu(gemm(x, w))))) + b)
_task("2/81", "Gemm Swish Divide Clamp Tanh Clamp", "1024 x 8192, weights 8192 x 8192", "a clamp of what is within it already",
      ((32, 128), (128, 64)), 128, _108)(lambda x, w: jnp.clip(jnp.tanh(jnp.clip(swish(gemm(x, w)) / 2.0, -1, 1)), -1, 1))
_task("2/83", "Conv3d GroupNorm Min Clamp Dropout", "128 x 3 x 16 x 64 x 64, 16 channels", "min(x, 0), then at least 0",
      ((64, 81), (81, 16)), 81, _108, constant=True)(
    lambda x, w: jnp.clip(jnp.minimum(group_norm(gemm(x, w), 4), 0.0), 0.0, 1.0))
_task("2/95", "Matmul Add Swish Tanh GELU Hardtanh", "1024 x 8192, weights 8192 x 8192", "a clamp of what is within it already",
      ((32, 128), (128, 64), (1, 64)), 128, _108)(
    lambda x, w, b: jnp.clip(gelu(jnp.tanh(swish(gemm(x, w) + b))), -1, 1))
