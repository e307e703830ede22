"""What stands for Mosaic GPU's arrays while a function that `plgpu.inline_mgpu` inserts is called: values of JAX.

`array_class` makes the class that the function finds in the place of `mgpu.FragmentedArray`.  It has the methods whose results do not
depend on how values are held in registers; anything else is refused by name.
"""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, Callable

import jax.numpy as jnp
import numpy as np
from jax import lax

from ...ir.errors import Unsupported
from .ops import dtype_of, same_bits
from .views import NO_SWIZZLE, View

if TYPE_CHECKING:
    from .code import Emission


class _Named(type):
    """Refuses what the class lacks."""

    def __getattr__(cls, name: str) -> Any:
        raise refused(f"FragmentedArray.{name}", name)


def refused(what: str, name: str) -> Exception:
    """An error for what the inserted code asks for; Python's own protocols ask for names that need not be there."""
    return AttributeError(name) if name.startswith("__") else Unsupported(f"the inserted code uses {what}, which has no counterpart here")


class EmittedArray(metaclass=_Named):
    """value   of JAX
    layout  of Mosaic GPU: must fit where two arrays meet"""

    emission: Emission

    def __init__(self, value: Any, layout: Any) -> None:
        self.value, self.layout = value, layout

    def __getattr__(self, name: str) -> Any:
        raise refused(f"FragmentedArray.{name}", name)

    __hash__ = None  # type: ignore[assignment]

    # -- where they come from --

    @classmethod
    def splat(cls, value: Any, shape: Any, layout: Any = None, *, is_signed: bool | None = None) -> EmittedArray:
        scalar = same_bits(cls.emission.scalar(value), dtype_of(value.type, is_signed))
        return cls(jnp.broadcast_to(scalar, tuple(shape)), layout or cls.emission.splat_layout(tuple(shape)))

    @classmethod
    def load_strided(cls, ref: Any, *, is_signed: bool | None = None, vec_size: int | None = None) -> EmittedArray:
        layouts, view = cls.emission.layouts, cls.emission.view(ref)
        if vec_size is None:
            layout = layouts.WGStridedFragLayout.from_shaped_type(ref.type)
            if layout is None:
                raise Unsupported(f"the inserted code loads {view.shape} elements, which 128 lanes cannot divide among themselves")
        else:
            layout = layouts.WGStridedFragLayout(shape=view.shape, vec_size=vec_size)
        return cls._loaded(view, ref, (), NO_SWIZZLE, layout, is_signed)

    @classmethod
    def load_untiled(cls, ref: Any, *, layout: Any, swizzle: int = NO_SWIZZLE, is_signed: bool | None = None, optimized: bool = True) -> EmittedArray:
        del optimized  # it says how, not what
        return cls._loaded(cls.emission.view(ref), ref, (), swizzle, layout, is_signed)

    @classmethod
    def load_tiled(cls, ref: Any, swizzle: int | None, *, is_signed: bool | None = None, layout: Any = None, optimized: bool = True,
                   tiling_rank: int | None = None) -> EmittedArray:
        del optimized
        tile = _tile(ref, tiling_rank)
        return cls._loaded(cls.emission.view(ref), ref, tile, swizzle, layout or cls.emission.layouts.WGMMA_LAYOUT, is_signed)

    @classmethod
    def _loaded(cls, view: View, ref: Any, tile: tuple[int, ...], swizzle: int | None, layout: Any, is_signed: bool | None) -> EmittedArray:
        _check_held(view, tile, swizzle)
        return cls(same_bits(view.ref[...], dtype_of(ref.type.element_type, is_signed)), layout)

    # -- where they go --

    def store_untiled(self, ref: Any, *, swizzle: int = NO_SWIZZLE, optimized: bool = True) -> None:
        del optimized
        self._store(ref, (), swizzle)

    def store_tiled(self, ref: Any, swizzle: int | None, optimized: bool = True, tiling_rank: int | None = None) -> None:
        del optimized
        self._store(ref, _tile(ref, tiling_rank), swizzle)

    def _store(self, ref: Any, tile: tuple[int, ...], swizzle: int | None) -> None:
        view = self.emission.view(ref)
        _check_held(view, tile, swizzle)
        view.ref[...] = same_bits(self.value, view.ref.dtype)

    @property
    def registers(self) -> Any:
        """Of a scalar, its value for MLIR."""
        if self.shape:
            raise Unsupported("the inserted code looks at the registers of an array, which has none here")
        registers = np.empty((), object)
        registers[()] = self.emission.named(self.value)
        return registers

    # -- what they are --

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.value.shape)

    @property
    def mlir_dtype(self) -> Any:
        return self.emission.mlir_dtype(self.value.dtype)

    @property
    def is_signed(self) -> bool | None:
        return None if self.value.dtype.kind not in "iu" else self.value.dtype.kind == "i"

    @property
    def is_splat(self) -> bool:
        return type(self.layout).__name__ == "WGSplatFragLayout"

    # -- other shapes, layouts and types --

    def to_layout(self, new_layout: Any) -> EmittedArray:
        return self._with(self.value, new_layout)

    def copy(self) -> EmittedArray:
        return self._with(self.value)

    def broadcast(self, shape: Any) -> EmittedArray:
        if not self.is_splat:
            raise Unsupported("the inserted code broadcasts an array that is no splat without a layout")
        return self._with(jnp.broadcast_to(self.value, tuple(shape)), self.emission.splat_layout(tuple(shape)))

    def broadcast_in_dim(self, shape: Any, source_dimensions: Any, layout: Any) -> EmittedArray:
        return self._with(lax.broadcast_in_dim(self.value, tuple(shape), tuple(source_dimensions)), layout)

    def astype(self, new_dtype: Any, *, is_signed: bool | None = None) -> EmittedArray:
        return self._with(lax.convert_element_type(self.value, dtype_of(new_dtype, is_signed)))

    def _with(self, value: Any, layout: Any = None) -> EmittedArray:
        return type(self)(value, self.layout if layout is None else layout)

    # -- element by element --

    def _pointwise(self, compute: Callable[..., Any], *others: Any, kinds: str = "iuf") -> EmittedArray:
        self.emission.reach()
        if (self.value.dtype.itemsize == 1 and self.value.dtype != bool) or _kind(self.value) not in kinds:
            raise Unsupported(f"the inserted code computes with {self.value.dtype} what has no counterpart here")
        arrays = [self, *(self._like(other) for other in others)]
        of_registers = [one for one in arrays if not one.is_splat]
        if any(one.layout != of_registers[0].layout for one in of_registers):
            raise Unsupported("the inserted code computes with arrays in different layouts")
        shape = of_registers[0].shape if of_registers else np.broadcast_shapes(*(one.shape for one in arrays))
        layout = of_registers[0].layout if of_registers else self.emission.splat_layout(shape)
        return self._with(compute(*(jnp.broadcast_to(one.value, shape) for one in arrays)), layout)

    def _like(self, other: Any) -> EmittedArray:
        """Another operand, of this one's dtype."""
        if isinstance(other, numbers.Number):
            if isinstance(other, float) and _kind(self.value) != "f":
                raise Unsupported("the inserted code computes with an integer and a float")
            return self._with(jnp.full(self.shape, other, self.value.dtype))
        if not isinstance(other, EmittedArray):
            other = type(self).splat(other, self.shape, self.layout)
        return other._with(same_bits(other.value, self.value.dtype))

    def select(self, on_true: Any, on_false: Any) -> EmittedArray:
        chosen = on_true._pointwise(lambda one, _: one, on_false)
        if self.value.dtype != bool or (not self.is_splat and self.layout != chosen.layout):
            raise Unsupported("the inserted code selects by what is no mask of the same layout")
        mask = jnp.broadcast_to(self.value, chosen.shape)
        return on_true._pointwise(lambda one, another: jnp.where(mask, one, another), on_false)


def _kind(value: Any) -> str:
    kind = value.dtype.kind
    return "f" if kind in "fV" else kind  # of ml_dtypes' own floats it is V


def _tile(ref: Any, rank: int | None) -> tuple[int, ...]:
    shape = tuple(ref.type.shape)
    return shape[len(shape) - (len(shape) // 2 if rank is None else rank):]


def _check_held(view: View, tile: tuple[int, ...], swizzle: int | None) -> None:
    """Raises Unsupported if inserted code takes memory for something else than it is."""
    if view.tile != tile or view.swizzle != (swizzle or NO_SWIZZLE):
        raise Unsupported(f"the inserted code takes memory in tiles of {list(view.tile)} with a swizzle of {view.swizzle} bytes "
                          f"for one in tiles of {list(tile)} with {swizzle or NO_SWIZZLE}")


def _operator(name: str, compute: Callable[..., Any], kinds: str = "iuf") -> None:
    def method(self: EmittedArray, *others: Any) -> EmittedArray:
        return self._pointwise(compute, *others, kinds=kinds)

    method.__name__ = name
    setattr(EmittedArray, name, method)


def _function(name: str, compute: Callable[..., Any]) -> None:
    def method(self: EmittedArray, *, approx: bool = False) -> EmittedArray:
        del approx  # as little as approx_math changes here
        return self._pointwise(compute, kinds="f")

    method.__name__ = name
    setattr(EmittedArray, name, method)


for _name, _compute in {"add": lax.add, "sub": lax.sub, "mul": lax.mul}.items():
    _operator(f"__{_name}__", _compute)
    _operator(f"__r{_name}__", lambda mine, other, compute=_compute: compute(other, mine))
for _name, _compute in {"and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor}.items():
    _operator(f"__{_name}__", _compute, "iub")
    _operator(f"__r{_name}__", _compute, "iub")
for _name, _compute in {"eq": lax.eq, "ne": lax.ne, "lt": lax.lt, "le": lax.le, "gt": lax.gt, "ge": lax.ge}.items():
    _operator(f"__{_name}__", _compute)
_operator("__truediv__", lax.div, "f")
_operator("__rtruediv__", lambda mine, other: lax.div(other, mine), "f")
_operator("__neg__", lax.neg)
_operator("__invert__", lax.bitwise_not, "iub")
_operator("max", lax.max)
_operator("min", lax.min)
_operator("abs", lax.abs)
for _name in ("exp", "exp2", "log", "log2", "sin", "cos", "tanh", "rsqrt"):
    _function(_name, getattr(jnp, _name, None) or getattr(lax, _name))


def array_class(emission: Emission) -> type[EmittedArray]:
    """The arrays of one inserted function."""
    return type(EmittedArray)("FragmentedArray", (EmittedArray,), {"emission": emission})


