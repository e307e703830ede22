"""Rules for random bits.  An array of keys is an array of u32 with further dimensions for the words of a key.

JAX's generators are functions on words, so the bits are those of JAX; `tracing/keys.py` makes operations on shapes
work on arrays of keys."""

from __future__ import annotations

import importlib
from typing import Any, Callable

import jax

from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, result_type, rule
from ..tracing import keys

_HASHES = ("threefry2x32", "threefry4x32", "philox2x32", "philox4x32")


def _definition(name: str) -> Callable[..., Any]:
    """JAX's own definition of a hash, with integer operations."""
    for module in (f"jax._src.random.{name}", "jax._src.prng"):
        try:
            return getattr(importlib.import_module(module), f"_{name}_lowering")
        except (ImportError, AttributeError):
            continue
    raise Unsupported("this version of JAX does not say how it is computed")


@rule("random", *_HASHES)
def _hash(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    shape = result_type(eqn)[1]
    words = [conv.builder.broadcast(value, shape) for value in operands]
    return conv.expand(_definition(eqn.primitive.name), words)


def _for_each(rank: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, applied along the first `rank` dimensions of its arguments."""
    for _ in range(rank):
        function = jax.vmap(function)
    return function


def _generator(aval: Any) -> Any:
    """The implementation of a key: functions of one key's words."""
    return aval.dtype._impl


@rule("random", "random_seed")
def _seed(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    seed = _for_each(len(operands[0].shape), eqn.params["impl"].seed)
    return conv.expand(seed, operands)


@rule("random", "random_split")
def _split(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    aval = eqn.invars[0].aval
    shape, generator = eqn.params["shape"], _generator(aval)
    return conv.expand(_for_each(len(aval.shape), lambda key: generator.split(key, shape)), operands)


@rule("random", "random_fold_in")
def _fold_in(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Keys and numbers are broadcast to one shape first."""
    words, numbers = operands
    result = eqn.outvars[0].aval
    words = keys.broadcast(conv, words, eqn.invars[0].aval, result.shape)
    numbers = conv.builder.broadcast(numbers, result.shape)
    fold = _for_each(len(result.shape), _generator(result).fold_in)
    return conv.expand(fold, [words, numbers])


@rule("random", "random_bits")
def _bits(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    aval = eqn.invars[0].aval
    width, shape, generator = eqn.params["bit_width"], eqn.params["shape"], _generator(aval)
    draw = _for_each(len(aval.shape), lambda key: generator.random_bits(key, width, shape))
    return conv.expand(draw, operands)


@rule("random", "random_wrap", "random_unwrap", "random_clone")
def _words(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    del conv, eqn
    return operands


@rule("random", "iota_2x32_shape")
def _iota_2x32(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The upper and lower words of the row-major index."""
    del operands
    build, shape = conv.builder, eqn.params["shape"]
    low = build.emit1("iota", [], ("u64", (_count(shape),)), axis=0)
    low = build.reshape(low, shape)
    width = build.broadcast(build.constant(32, "u64"), shape)
    high = build.emit1("shift_right_logical", [low, width], low.type)
    return [build.convert(high, "u32"), build.convert(low, "u32")]


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count
