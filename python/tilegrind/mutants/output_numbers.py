"""Output mutants that round, scale or change single elements."""

from __future__ import annotations

from typing import Iterator

import ml_dtypes
import numpy as np

from .outputs import Change, Output, bits_of, element, first_middle_last, from_bits, int_limits, kind


_SORTED = 65536  # so many elements are sorted at most


def keep_bits(numbers: np.ndarray, digits: int) -> np.ndarray:
    """f64 numbers rounded to this many binary digits, ties to even."""
    with np.errstate(invalid="ignore"):
        mantissa, exponent = np.frexp(numbers)
        return np.ldexp(np.rint(np.ldexp(mantissa, digits)), exponent - digits)


def _through(o: Output, dtype: str) -> Iterator[Change]:
    """The output rounded to a dtype and back."""
    if o.is_float and o.values.dtype.name != dtype:
        with np.errstate(over="ignore", invalid="ignore"):
            yield "", o.cast(o.wide.astype(np.dtype(dtype)).astype(np.float64))


@kind("rounded-bf16")
def rounded_bf16(o: Output) -> Iterator[Change]:
    yield from _through(o, "bfloat16")


@kind("rounded-f16")
def rounded_f16(o: Output) -> Iterator[Change]:
    yield from _through(o, "float16")


@kind("rounded-tf32")
def rounded_tf32(o: Output) -> Iterator[Change]:
    if o.is_float:
        yield "", o.cast(keep_bits(o.wide, 11))


@kind("rounded-e4m3")
def rounded_e4m3(o: Output) -> Iterator[Change]:
    yield from _through(o, "float8_e4m3fn")


@kind("rounded-toward-zero")
def rounded_toward_zero(o: Output) -> Iterator[Change]:
    exact = o.of(o.context.exact)
    if exact is not None and o.is_float:
        with np.errstate(invalid="ignore"):
            away = np.isfinite(o.wide) & np.isfinite(exact) & (np.abs(o.wide) > np.abs(exact))
        bits = bits_of(o.values)
        yield "", from_bits(np.where(away, bits - bits.dtype.type(1), bits), o.values.dtype)


@kind("scaled")
def scaled(o: Output) -> Iterator[Change]:
    if o.is_float:
        yield "", o.cast(o.wide * (1 + 2**-7))


def _with(o: Output, flat: int, value: float) -> Change:
    changed = o.values.copy()
    changed.reshape(-1)[flat] = o.cast(np.float64(value))
    return f"element {element(o.values.shape, flat)}", changed


@kind("sign-flipped")
def sign_flipped(o: Output) -> Iterator[Change]:
    numbers = o.wide.reshape(-1)
    by_size = _ascending(np.flatnonzero(np.isfinite(numbers) & (numbers != 0)), np.abs(numbers))
    if o.is_float and by_size.size:
        flat = int(by_size[len(by_size) // 2])
        yield _with(o, flat, -numbers[flat])


def _ascending(flat: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Elements by their keys; of very many, some evenly between."""
    flat = flat[::-(-len(flat) // _SORTED) or 1]
    return flat[np.argsort(keys[flat], kind="stable")]


def _bounded(o: Output) -> np.ndarray:
    """The elements that are finite and have a finite bound above 0, those with the least bound first."""
    exact, bound = o.of(o.context.exact), o.of(o.context.bound)
    if exact is None or bound is None or not o.is_float:
        return np.array([], int)
    usable = np.isfinite(exact) & np.isfinite(bound) & (bound > 0) & np.isfinite(o.wide)
    return _ascending(np.flatnonzero(usable), bound.reshape(-1))


def _off_by(o: Output, flat: np.ndarray, bounds: float) -> tuple[np.ndarray, np.ndarray]:
    """Elements' exact values plus so many bounds, rounded to their dtype, or the next values if those are what the output
    has; and how many bounds these are off."""
    exact, bound = o.of(o.context.exact).reshape(-1)[flat], o.of(o.context.bound).reshape(-1)[flat]
    given, value = o.values.reshape(-1)[flat], o.cast(exact + bounds * bound)
    bits = bits_of(given)
    value = np.where(value == given, from_bits(bits + bits.dtype.type(1), given.dtype), value).astype(np.float64)
    return value, np.abs(value - exact) / bound


@kind("two-bounds-off", "die")
def two_bounds_off(o: Output) -> Iterator[Change]:
    flat = _bounded(o)
    if flat.size:
        value, off = _off_by(o, flat, 2)
        chosen = np.flatnonzero((off > 1) & np.isfinite(value))
        yield from (_with(o, int(flat[i]), value[i]) for i in first_middle_last(chosen))


@kind("half-bound-off", "live")
def half_bound_off(o: Output) -> Iterator[Change]:
    flat = _bounded(o)
    if flat.size:
        value, off = _off_by(o, flat, 0.5)
        chosen = np.flatnonzero((off <= 0.75) & np.isfinite(value))
        yield from (_with(o, int(flat[i]), value[i]) for i in first_middle_last(chosen))


@kind("specials-to-zero")
def specials_to_zero(o: Output) -> Iterator[Change]:
    if o.is_float:
        yield "", np.where(np.isfinite(o.wide), o.values, o.values.dtype.type(0))


@kind("finite-to-nan")
def finite_to_nan(o: Output) -> Iterator[Change]:
    finite = np.flatnonzero(np.isfinite(o.wide))
    if o.is_float and finite.size:
        yield _with(o, int(finite[len(finite) // 2]), np.nan)


@kind("subnormals-flushed")
def subnormals_flushed(o: Output) -> Iterator[Change]:
    if o.is_float:
        least = float(np.asarray(_least_normal(o.values.dtype), np.float64))
        small = (np.abs(o.wide) < least) & (o.wide != 0)
        yield "", np.where(small, o.cast(np.copysign(0.0, o.wide)), o.values)


def _least_normal(dtype: np.dtype) -> float:
    return float(ml_dtypes.finfo(dtype).smallest_normal)


@kind("zero-sign-lost")
def zero_sign_lost(o: Output) -> Iterator[Change]:
    if o.is_float:
        yield "", np.where(o.wide == 0, o.values.dtype.type(0), o.values)


@kind("integer-off-by-one")
def integer_off_by_one(o: Output) -> Iterator[Change]:
    for flat in first_middle_last(range(o.values.size)) if not o.is_float else ():
        changed = o.values.copy()
        bits = changed.reshape(-1)
        up = int(bits[flat]) + 1
        bits[flat] = (not bits[flat]) if o.values.dtype == bool else _wrapped(up, o.values.dtype)
        yield f"element {element(o.values.shape, flat)}", changed


def _wrapped(number: int, dtype: np.dtype) -> int:
    low, high = int_limits(dtype)
    return low if number > high else number


@kind("saturated-wrapped")
def saturated_wrapped(o: Output) -> Iterator[Change]:
    if not o.is_float and o.values.dtype != bool:
        low, high = (np.asarray(limit).astype(o.values.dtype) for limit in int_limits(o.values.dtype))
        yield "", np.where(o.values == high, low, np.where((o.values == low) & (low < 0), high, o.values))
