"""Data sets S0 to S5 and the rule DOT_PRODUCT of Arm's TOSA reference model (reference_model@9131f8a:
generate_dot_product_states.cc, verify_dot_product.cc, tosa_test_gen.py).  The code is ours.

Sums of products of f32 accumulators are judged by a run in f64 and one on absolute values, element by element, and over the
whole tensor by the squares of errors, and by their sum.
"""

from __future__ import annotations

import functools
import math

import ml_dtypes
import numpy as np

SETS = range(6)
_ACCUMULATOR_FRACTION = 23  # bits of f32
_FACTOR = 0x705A5E75
_LEAST_TENSOR = 1000  # elements; smaller ones are not judged as a whole


def data(chosen: int, position: int, length: int, bound: float, places: np.ndarray) -> np.ndarray:
    """The elements of operand 0 or 1 in set `chosen`, f32, for the places k of elements in their sums of `length` terms."""
    return _SETS[chosen](position, length, np.float32(bound), places).astype(np.float32)


@functools.lru_cache(maxsize=32)
def _random(seed: int, count: int) -> np.ndarray:
    """Numbers between -1 and 1 of a linear congruential generator, f32."""
    factor = (8 * seed + 1) * _FACTOR & 0xFFFFFFFF
    state, states = factor + 1 & 0xFFFFFFFF, np.empty(count, np.uint32)
    for i in range(count):
        states[i] = state
        state = state * factor + 1 & 0xFFFFFFFF
    sizes = (states & 0x7FFFFFFF).astype(np.float32) / np.float32(0x7FFFFFFF)
    return np.where(states >> 31, -sizes, sizes)


def _zero_products(position: int, length: int, bound: np.float32, places: np.ndarray) -> np.ndarray:
    side, value = (_random(seed, places.size).reshape(places.shape) for seed in (0, 1))
    return np.where((side < 0) == (position == 1), value, 0)


def _large_positive(position: int, length: int, bound: np.float32, places: np.ndarray) -> np.ndarray:
    shares = 0.75 + 0.25 * _random(3 + position, places.size).reshape(places.shape)
    return bound / np.sqrt(np.float32(length + 1)) * shares


def _small_onto_large(position: int, length: int, bound: np.float32, places: np.ndarray) -> np.ndarray:
    return np.where(places == 0, 1, _random(4 + position, places.size).reshape(places.shape) / np.sqrt(np.float32(length)))


def _varying_onto_large(position: int, length: int, bound: np.float32, places: np.ndarray) -> np.ndarray:
    pairs = _random(6 + position, 2 * places.size).reshape(*places.shape, 2)
    return np.where(places == 0, 16, np.exp(2 * pairs[..., 0]) * pairs[..., 1])


def _mostly_zero_products(position: int, length: int, bound: np.float32, places: np.ndarray) -> np.ndarray:
    side, value = (_random(seed, places.size).reshape(places.shape) for seed in (8, 9))
    rest = np.where((side < 0) == (position == 1), bound / np.sqrt(np.float32(length)) * value, 0)
    return np.where(places == length // 2, -0.5 if position else 0.5, rest)


def _signed_large(position: int, length: int, bound: np.float32, places: np.ndarray) -> np.ndarray:
    return bound / np.sqrt(np.float32(length + 1)) * _random(15 + position, places.size).reshape(places.shape)


_SETS = (_zero_products, _large_positive, _small_onto_large, _varying_onto_large, _mostly_zero_products, _signed_large)


def failing(chosen: int, exact: np.ndarray, sizes: np.ndarray, got: np.ndarray, length: int) -> str:
    """What of the rule a result breaks: "element", "variance", "bias", or "".

    exact, sizes  the sums of products, and of their absolute values, in f64
    """
    kind = ml_dtypes.finfo(got.dtype)
    terms = math.ceil(length / 2 ** ((_ACCUMULATOR_FRACTION - kind.nmant) / 2))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        overflows = np.isinf((sizes * (1 + 2.0 ** (-1 - kind.nmant))).astype(got.dtype).astype(np.float64))
        value = got.astype(np.float64)
        errors = (value - exact) / np.maximum(sizes * 2.0 ** (-1 - kind.nmant), float(kind.smallest_normal))
    is_zero = (sizes == 0) & ~overflows
    if np.any(is_zero & ((value != 0) | (exact != 0))):
        return "element"
    errors = np.where(is_zero | overflows, 0.0, errors)
    if not np.all(np.abs(errors) <= 2 * terms):  # NaN fails
        return "element"
    if got.size < _LEAST_TENSOR:
        return ""
    if np.sum(errors**2) > 4 * 0.4 * terms * got.size:
        return "variance"
    return "bias" if chosen >= 3 and abs(np.sum(errors)) > math.sqrt(10 * 1.6 * terms * got.size) else ""
