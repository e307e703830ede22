"""Implementations of sums of products, right and faulty ones: of f64 arrays x (rows, k) and y (k, columns), f64 results."""

from __future__ import annotations

import functools
from typing import Callable

import ml_dtypes
import numpy as np

Round = Callable[[np.ndarray], np.ndarray]
Implementation = Callable[[np.ndarray, np.ndarray], np.ndarray]
_TOWARD_ZERO, _TO_NEAREST = np.trunc, np.rint


def bits(count: int, direction: Callable, values: np.ndarray) -> np.ndarray:
    """Rounded to so many bits, exponents unbounded."""
    fraction, exponent = np.frexp(values)
    return np.ldexp(direction(np.ldexp(fraction, count)), exponent - count)


def through(dtype: type, values: np.ndarray) -> np.ndarray:
    return values.astype(dtype).astype(np.float64)


_F32 = functools.partial(through, np.float32)
_F16 = functools.partial(through, np.float16)
_BF16 = functools.partial(through, ml_dtypes.bfloat16)
_TF32 = functools.partial(bits, 11, _TO_NEAREST)


def _chain(rounded: Round, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Term after term, each sum rounded."""
    total = np.zeros((x.shape[0], y.shape[1]))
    for k in range(x.shape[1]):
        total = rounded(total + np.multiply.outer(x[:, k], y[k]))
    return total


def _in_blocks(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Sums of 16 terms in turn, the last block first."""
    parts = [_chain(_F32, x[:, at:at + 16], y[at:at + 16]) for at in range(0, x.shape[1], 16)]
    return functools.reduce(lambda total, part: _F32(total + part), reversed(parts))


def _tree(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """In a tree of halves."""
    if x.shape[1] == 1:
        return _F32(x @ y)
    half = x.shape[1] // 2
    return _F32(_tree(x[:, :half], y[:half]) + _tree(x[:, half:], y[half:]))


def _operands(rounded: Round, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return _chain(_F32, rounded(x), rounded(y))


def _products(rounded: Round, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    total = np.zeros((x.shape[0], y.shape[1]))
    for k in range(x.shape[1]):
        total = _F32(total + rounded(np.multiply.outer(x[:, k], y[k])))
    return total


def _results(change: Round, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return change(_F32(x @ y))


def _without(term: int, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return _chain(_F32, np.delete(x, term, 1), np.delete(y, term, 0))


def _first_twice(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return _F32(_chain(_F32, x, y) + x[:, :1] @ y[:1])


def _swapped(values: np.ndarray) -> np.ndarray:
    return np.roll(values, 1, 0)


def _one_sign(values: np.ndarray) -> np.ndarray:
    changed = values.copy()
    changed.flat[np.argmax(np.abs(values))] *= -1
    return changed


RIGHT: dict[str, Implementation] = {
    "exact, rounded once": np.matmul,
    "term after term": functools.partial(_chain, _F32),
    "in a tree of halves": _tree,
    "blocks of 16, last first": _in_blocks,
}
FAULTY: dict[str, Implementation] = {
    "first term dropped": functools.partial(_without, 0),
    "last term dropped": functools.partial(_without, -1),
    "first term twice": _first_twice,
    "operands in bf16": functools.partial(_operands, _BF16),
    "operands in f16": functools.partial(_operands, _F16),
    "operands in tf32": functools.partial(_operands, _TF32),
    "products in bf16": functools.partial(_products, _BF16),
    "products in tf32": functools.partial(_products, _TF32),
    "accumulator bf16": functools.partial(_chain, _BF16),
    "accumulator f16": functools.partial(_chain, _F16),
    "accumulator of 14 bits, truncated": functools.partial(_chain, functools.partial(bits, 14, _TOWARD_ZERO)),
    "accumulator of 19 bits": functools.partial(_chain, functools.partial(bits, 19, _TO_NEAREST)),
    "accumulator of 21 bits": functools.partial(_chain, functools.partial(bits, 21, _TO_NEAREST)),
    "accumulator f32, truncated": functools.partial(_chain, functools.partial(bits, 24, _TOWARD_ZERO)),
    "results in bf16": functools.partial(_results, _BF16),
    "results in tf32": functools.partial(_results, _TF32),
    "results of 16 bits, truncated": functools.partial(_results, functools.partial(bits, 16, _TOWARD_ZERO)),
    "results of 20 bits, truncated": functools.partial(_results, functools.partial(bits, 20, _TOWARD_ZERO)),
    "results times 1 + 2^-7": functools.partial(_results, lambda values: values * (1 + 2.0**-7)),
    "results times 1 + 2^-14": functools.partial(_results, lambda values: values * (1 + 2.0**-14)),
    "results times 1 + 2^-18": functools.partial(_results, lambda values: values * (1 + 2.0**-18)),
    "results zero": functools.partial(_results, np.zeros_like),
    "results of the next row": functools.partial(_results, _swapped),
    "one sign": functools.partial(_results, _one_sign),
}
