"""What tensor cores demand of products: their shapes, elements, and how operands are held in shared memory."""

from __future__ import annotations

from typing import Any, Sequence

import jax

from ...ir import dtypes
from ...ir.builder import Value
from ..tracing.jaxprs import unflattened
from .demands import broken
from .judging import Scene, judges
from .selection import Tile, tile_of

_TILE_ROWS = 8
_K_BITS = 256
_SWIZZLES = (16, 32, 64, 128)  # bytes; the first is none

_SUMS = {"f16": ("f16", "f32"), "bf16": ("f32",), "f32": ("f32",), "i8": ("i32",), "u8": ("i32",),
         "f8e4m3fn": ("f16", "f32"), "f8e5m2": ("f16", "f32")}


@judges("wgmma_ref")
def _wgmma(scene: Scene, eqn: Any, operands: Sequence[Value]) -> None:
    transforms, _ = unflattened(eqn, operands[3:], "acc_transforms_tree", "a_transforms_tree", "b_transforms_tree")
    dtype, acc = eqn.invars[2].aval.dtype, tile_of(eqn.invars[0].aval, transforms[0])
    tiles = [_operand(eqn.invars[at].aval, transforms[at]) for at in (1, 2)]
    k = _depth(tiles[0], tiles[1], eqn.invars[1].aval)
    _check_types("wgmma_types", dtype, eqn.invars[0].aval.dtype)
    if acc is not None and acc.selection is not None:
        _check_wgmma_shape(*acc.selection.shape[-2:], k, dtype)
    for letter, tile, is_across in (("A", tiles[0], _is_turned(tiles[0])), ("B", tiles[1], not _is_turned(tiles[1]))):
        _check_tile("wgmma_tile", scene, tile, letter)
        if is_across and tile is not None and tile.tiling and jax.dtypes.itemsize_bits(dtype) != 16:
            broken("wgmma_major", f"{letter} is contiguous along {'M' if letter == 'A' else 'N'}, with elements of "
                                  f"{jax.dtypes.itemsize_bits(dtype)} bits")


def _is_turned(tile: Tile | None) -> bool:
    return tile is not None and tile.is_turned


def _operand(aval: Any, transforms: Sequence[Any]) -> Tile | None:
    """The operand in shared memory; None if it is elsewhere, or held in tiles of tiles."""
    space = str(getattr(getattr(aval, "memory_space", None), "value", ""))
    return tile_of(aval, transforms) if space == "smem" else None


def _depth(a: Tile | None, b: Tile | None, a_aval: Any) -> int | None:
    """K of the product, if it is known."""
    if a is None and not hasattr(a_aval, "inner_aval"):
        return a_aval.shape[-1]
    for tile, at in ((a, -1), (b, -2)):
        if tile is None:
            continue
        steps = [t for t in tile.steps if not hasattr(t, "permutation")]
        selection = Tile(tile.dtype, tile.held, tile.tiling, tile.swizzle, steps).selection
        if selection is not None and len(selection.shape) == 2:
            return selection.shape[::-1][at] if tile.is_turned else selection.shape[at]
    return None


def _check_types(rule: str, dtype: Any, total: Any) -> None:
    of, to = dtypes.ir_dtype(dtype), dtypes.ir_dtype(total)
    if to not in _SUMS.get(of, ()):
        broken(rule, f"products of {of} sum to {to}")


def _check_wgmma_shape(m: int, n: int, k: int | None, dtype: Any) -> None:
    if m % 64:
        broken("wgmma_m", f"M is {m}")
    if n % 8 or n > 256:
        broken("wgmma_n", f"N is {n}")
    if dtypes.ir_dtype(dtype) in ("i8", "u8") and n not in (8, 24) and n % 16:
        broken("wgmma_n_integer", f"N is {n}")
    bits = jax.dtypes.itemsize_bits(dtype)
    if k is not None and k * bits % _K_BITS:
        broken("wgmma_k", f"K is {k} elements of {bits} bits")


def _check_tile(rule: str, scene: Scene, tile: Tile | None, letter: str) -> None:
    """Whether an operand is in tiles of 8 rows as long as its swizzle, which is 16 bytes where there is none; extents of 1 in between do not
    move an element.  JAX may infer tiles and swizzle, or the swizzle."""
    if tile is None or (scene.infers and not tile.tiling and not tile.swizzle):
        return
    swizzles = _SWIZZLES if scene.infers and not tile.swizzle else (tile.swizzle or _SWIZZLES[0],)
    bits = jax.dtypes.itemsize_bits(tile.dtype)
    if tuple(extent for extent in tile.tiling or () if extent != 1) not in [(_TILE_ROWS, swizzle * 8 // bits) for swizzle in swizzles]:
        tiles = f"tiles of {tile.tiling}" if tile.tiling else "no tiles"
        swizzle = f"a swizzle of {tile.swizzle} bytes" if tile.swizzle else "no swizzle"
        broken(rule, f"{letter} has {tiles} and {swizzle}")


@judges("tcgen05_mma")
def _tcgen05(scene: Scene, eqn: Any, operands: Sequence[Value]) -> None:
    params = eqn.params
    if params.get("scaled") or params.get("sparse"):
        return
    transforms, _ = unflattened(eqn, operands[4 + bool(params["arrive"]) :], "acc_transforms_tree", "a_transforms_tree",
                                "b_transforms_tree")
    a, b = (_operand(eqn.invars[at].aval, transforms[at]) for at in (1, 2))
    for letter, tile in (("A", a), ("B", b)):
        _check_tile("tcgen05_tile", scene, tile, letter)
    dtype = eqn.invars[2].aval.dtype
    acc = tile_of(eqn.invars[0].aval, transforms[0])
    if acc is None:
        return
    _check_types("tcgen05_types", dtype, acc.dtype)
    if acc.selection is not None:
        blocks = 2 if params.get("collective_axis") is not None else 1
        _check_tcgen05_shape(acc.selection.shape[-1], _depth(a, b, eqn.invars[1].aval), dtype, blocks)


def _check_tcgen05_shape(n: int, k: int | None, dtype: Any, blocks: int) -> None:
    """M is that of the accumulator, whose memory JAX refuses to make with another, and tiles make N a multiple of 8."""
    if dtypes.ir_dtype(dtype) in ("i8", "u8") and (n % 32 if blocks == 2 else n not in (8, 24) and n % 16):
        broken("tcgen05_n_integer", f"N is {n}")
    bits = jax.dtypes.itemsize_bits(dtype)
    if k is not None and k * bits % _K_BITS:
        broken("tcgen05_k", f"K is {k} elements of {bits} bits")
