"""The kernels of "The Correctness Illusion in LLM-Generated GPU Kernels" (arXiv:2606.20128, table 1), rebuilt: 16 controls and
10 kernels with errors of transcription.  The code is ours.

Controls compute as kernels on GPUs do: rows are padded to a power of two, sums of products go over blocks, attention keeps a
running maximum.  `plain` is what a golden is made of.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Callable

import jax
import jax.numpy as jnp

from .vacuous_tasks import Shapes, softmax

Compute = Callable[..., jax.Array]
_BLOCK = 16


@dataclass(frozen=True)
class Pair:
    """A control, and the kernel with an error that goes with it, if there is one.

    shapes  those that goldens have: no extent is a power of two or a multiple of a block
    fixed   those of a benchmark that has one shape
    bug     what is wrong; "" where there is no such kernel
    """

    control: str
    plain: Compute
    right: Compute
    shapes: Shapes
    fixed: Shapes
    buggy: str = ""
    bug: str = ""
    wrong: Compute | None = None


def _padded(x: jax.Array, multiple: int, value: float) -> jax.Array:
    return jnp.pad(x, ((0, 0), (0, -x.shape[1] % multiple)), constant_values=value)


def _power_of_two(extent: int) -> int:
    return 1 << (extent - 1).bit_length()


def _rows(compute: Compute, value: float = 0.0) -> Compute:
    """On rows padded to a power of two, of which the first elements are stored."""
    return lambda x: compute(_padded(x, _power_of_two(x.shape[1]), value))[:, :x.shape[1]]


def _softmax(x: jax.Array) -> jax.Array:
    return softmax(x, 1)


def _unmasked(x: jax.Array) -> jax.Array:
    """Softmax over whole blocks of 128: what is beyond the row joins the sum."""
    return _softmax(_padded(x, 128, 0.0))[:, :x.shape[1]]


def _layer_norm(x: jax.Array) -> jax.Array:
    centred = x - jnp.mean(x, axis=1, keepdims=True)
    return centred / jnp.sqrt(jnp.mean(centred * centred, axis=1, keepdims=True) + 1e-5)


def _layer_norm_by_rsqrt(x: jax.Array) -> jax.Array:
    centred = x - jnp.mean(x, axis=1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.mean(centred * centred, axis=1, keepdims=True) + 1e-5)


def _rms_norm(x: jax.Array, root: Compute = jnp.sqrt) -> jax.Array:
    return x / root(jnp.sum(x * x, axis=1, keepdims=True) / x.shape[1] + 1e-6)


def _rms_norm_padded(x: jax.Array, root: Compute = jnp.sqrt) -> jax.Array:
    wide = _padded(x, _power_of_two(x.shape[1]), 0.0)
    return x / root(jnp.sum(wide * wide, axis=1, keepdims=True) / x.shape[1] + 1e-6)


def _l2_norm(x: jax.Array, root: Compute = jnp.sqrt) -> jax.Array:
    return x / root(jnp.sum(x * x, axis=1, keepdims=True) + 1e-6)


def _identity(x: jax.Array) -> jax.Array:
    return x


def _gelu(x: jax.Array, scale: float = 0.5) -> jax.Array:
    return scale * x * (1.0 + jax.lax.erf(x * 0.5**0.5))


def _silu(x: jax.Array, beta: float = 1.0) -> jax.Array:
    return x / (1.0 + jnp.exp(-beta * x))


def _leaky_relu(x: jax.Array, alpha: float = 0.01) -> jax.Array:
    return jnp.where(x > 0, x, alpha * x)


def _elu(x: jax.Array) -> jax.Array:
    return jnp.where(x > 0, x, jnp.exp(x) - 1.0)


def _dot(x: jax.Array, y: jax.Array) -> jax.Array:
    return jnp.dot(x, y, preferred_element_type=jnp.float32)


def _dot_in_blocks(x: jax.Array, y: jax.Array, adds: bool = True) -> jax.Array:
    x, y = _padded(x, _BLOCK, 0.0), _padded(y.T, _BLOCK, 0.0)
    parts = [_dot(x[:, at:at + _BLOCK], y[:, at:at + _BLOCK].T) for at in range(0, x.shape[1], _BLOCK)]
    return functools.reduce(jnp.add, parts) if adds else parts[-1]


def _attention(q: jax.Array, k: jax.Array, v: jax.Array, scale: float = 0.25) -> jax.Array:
    return _dot(softmax(_dot(q, k.T) * scale, 1), v)


def _attention_padded(q: jax.Array, k: jax.Array, v: jax.Array, scale: float = 0.25) -> jax.Array:
    return _dot(_rows(_softmax, -jnp.inf)(_dot(q, k.T) * scale), v)


def _flash(q: jax.Array, k: jax.Array, v: jax.Array, rescales: bool = True) -> jax.Array:
    """Over blocks of keys, with a running maximum."""
    most, total, sums = None, None, None
    for at in range(0, k.shape[0], _BLOCK):
        scores = _dot(q, k[at:at + _BLOCK].T) * 0.25
        here = jnp.max(scores, axis=1, keepdims=True)
        now = here if most is None else jnp.maximum(most, here)
        p = jnp.exp(scores - now)
        part, weighted = jnp.sum(p, axis=1, keepdims=True), _dot(p, v[at:at + _BLOCK])
        if most is None:
            total, sums = part, weighted
        else:
            alpha = jnp.exp(most - now)
            total, sums = total * alpha + part, (sums * alpha if rescales else sums) + weighted
        most = now
    return sums / total


_ROWS, _ROWS_FIXED = ((5, 200),), ((8, 256),)
_MATRICES, _MATRICES_FIXED = ((7, 50), (50, 15)), ((16, 16), (16, 16))
_HEADS, _HEADS_FIXED = ((6, 16), (70, 16), (70, 16)), ((8, 16), (16, 16), (16, 16))


def _on_rows(control: str, plain: Compute, right: Compute, **more) -> Pair:
    return Pair(control, plain, right, _ROWS, _ROWS_FIXED, **more)


PAIRS = (
    _on_rows("softmax", _softmax, _rows(_softmax, -jnp.inf), buggy="softmax_llm_buggy", bug="tail of the row not masked",
             wrong=_unmasked),
    _on_rows("layernorm", _layer_norm, _layer_norm_by_rsqrt),
    Pair("matmul", _dot, lambda x, y: _dot(y.T, x.T).T, _MATRICES, _MATRICES_FIXED),
    _on_rows("softmax_triton", _softmax, _rows(_softmax, -jnp.inf), buggy="softmax_triton_buggy",
             bug="masked lanes are 0, not -inf", wrong=_rows(_softmax, 0.0)),
    _on_rows("gelu_triton", _gelu, _rows(_gelu), buggy="gelu_triton_buggy", bug="factor 0.5 left out",
             wrong=functools.partial(_gelu, scale=1.0)),
    _on_rows("silu_triton", _silu, _rows(_silu), buggy="silu_triton_buggy", bug="sigmoid(2x)",
             wrong=functools.partial(_silu, beta=2.0)),
    _on_rows("rmsnorm_triton", _rms_norm, _rms_norm_padded, buggy="rmsnorm_triton_buggy", bug="root left out",
             wrong=functools.partial(_rms_norm_padded, root=_identity)),
    _on_rows("l2norm_triton", _l2_norm, _rows(_l2_norm), buggy="l2norm_triton_buggy", bug="root left out",
             wrong=_rows(functools.partial(_l2_norm, root=_identity))),
    _on_rows("relu_triton", lambda x: jnp.maximum(x, 0.0), lambda x: jnp.where(x > 0, x, jnp.where(x == x, 0.0, x))),
    _on_rows("leaky_relu_triton", _leaky_relu, _rows(_leaky_relu), buggy="leaky_relu_triton_buggy", bug="0.1 for 0.01",
             wrong=functools.partial(_leaky_relu, alpha=0.1)),
    _on_rows("sigmoid_triton", lambda x: 1.0 / (1.0 + jnp.exp(-x)), _rows(lambda x: 1.0 / (1.0 + jnp.exp(-x)))),
    _on_rows("tanh_triton", jnp.tanh, _rows(jnp.tanh)),
    _on_rows("elu_triton", _elu, _rows(_elu)),
    Pair("matmul_triton", _dot, _dot_in_blocks, _MATRICES, _MATRICES_FIXED, "matmul_triton_buggy", "acc = for acc +=",
         functools.partial(_dot_in_blocks, adds=False)),
    Pair("attention_triton", _attention, _attention_padded, _HEADS, _HEADS_FIXED, "attention_triton_buggy",
         "factor 1/sqrt(D) left out", functools.partial(_attention_padded, scale=1.0)),
    Pair("flash_attention_triton", _attention, _flash, _HEADS, _HEADS_FIXED, "flash_attention_triton_buggy",
         "sums not rescaled when the maximum grows", functools.partial(_flash, rescales=False)),
)
