"""Kernels that copy between global and shared memory, legal and illegal."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.mosaic.gpu.launch_context import CopyPartition
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.jax.legality_table import (
    ALL_REFUSE, ALL_TAKE, JAX_LACKS, JAX_LEAVES, LANES_LACK, WARPGROUPS_LACK, Kernel, Made, launch, shaped, swizzled)

Part = Callable[[Any], Any]

f16, f32 = jnp.float16, jnp.float32


def whole(ref: Any) -> Any:
    return ref


def copied(shape: Sequence[int], tile: Sequence[int] | None = None, dtype: Any = f32, *, transforms: Sequence[Any] = (),
           part: Part = whole, into: Part = whole, mesh: dict[str, Any] = {}, **options: Any) -> Callable[[Any], Made]:
    """A copy of `part` of an array of `shape` to `into` of shared memory of shape `tile`."""

    def make(params: Any) -> Made:
        def body(x_ref: Any, o_ref: Any, tile_ref: Any, ready: Any) -> None:
            del o_ref
            plgpu.copy_gmem_to_smem(part(x_ref), into(tile_ref), ready, **options)
            plgpu.barrier_wait(ready)

        scratch = [plgpu.SMEM(tuple(tile or shape), dtype, transforms=tuple(transforms)), plgpu.Barrier()]
        return launch(body, shaped(shape, dtype), scratch, params, **mesh), (shaped(shape, dtype),)

    return make


def stored(shape: Sequence[int], tile: Sequence[int] | None = None, dtype: Any = f32, *, transforms: Sequence[Any] = (),
           part: Part = whole, source: Part = whole, predicate: bool = False, **options: Any) -> Callable[[Any], Made]:
    """A copy of `source` of shared memory of shape `tile` to `part` of an array of `shape`."""

    def make(params: Any) -> Made:
        def body(o_ref: Any, tile_ref: Any) -> None:
            chosen = {"predicate": jax.lax.axis_index("block") == 0} if predicate else {}
            plgpu.copy_smem_to_gmem(source(tile_ref), part(o_ref), **options, **chosen)
            plgpu.wait_smem_to_gmem(0)

        scratch = [plgpu.SMEM(tuple(tile or shape), dtype, transforms=tuple(transforms))]
        return launch(body, shaped(shape, dtype), scratch, params, grid=(2,), grid_names=("block",)), ()

    return make


def gathered(rows: int, columns: int = 64, dtype: Any = f32, indices: Any = jnp.uint32, *, layout: Any = plgpu.Layout.TMA_INDICES,
             transforms: Sequence[Any] = ()) -> Callable[[Any], Made]:
    """A copy of rows that an array lists."""

    def make(params: Any) -> Made:
        def body(x_ref: Any, rows_ref: Any, o_ref: Any, tile_ref: Any, ready: Any) -> None:
            del o_ref
            listed = plgpu.load(rows_ref, (), layout=layout, optimized=False)
            plgpu.copy_gmem_to_smem(x_ref.at[listed], tile_ref, ready)
            plgpu.barrier_wait(ready)

        scratch = [plgpu.SMEM((rows, columns), dtype, transforms=tuple(transforms)), plgpu.Barrier()]
        args = (shaped((512, columns), dtype), shaped((rows,), indices))
        return launch(body, shaped((rows, columns), dtype), scratch, params), args

    return make


def at(*index: Any) -> Part:
    return lambda ref: ref.at[index]


def transposed(ref: Any) -> Any:
    return plgpu.transpose_ref(ref, (1, 0))


PAIR = {"cluster": (2,), "cluster_names": ("rank",)}
FOUR = {"cluster": (4,), "cluster_names": ("rank",)}

KERNELS = (
    # boxes
    Kernel("a copy of rows", copied((64, 64)), ALL_TAKE),
    Kernel("a copy of 256 rows", copied((256, 64)), ALL_TAKE),
    Kernel("a copy of 257 rows", copied((257, 64)), ALL_REFUSE),
    Kernel("a copy of 512 rows", copied((512, 64)), ALL_REFUSE),
    Kernel("a copy of rows of 260 elements", copied((16, 260)), ALL_REFUSE),
    Kernel("a copy of 1,024 elements in a row", copied((1024,)), ALL_REFUSE),
    Kernel("a copy of 1,024 elements in a row, promised inside", copied((1024,), oob_mode=plgpu.OOBFillMode.PROMISE_IN_BOUNDS),
           ALL_TAKE),
    Kernel("a copy of 512 rows in tiles", copied((512, 32), transforms=swizzled(f32)), ALL_TAKE),
    Kernel("a copy of 4,096 rows in tiles", copied((4096, 8), transforms=(plgpu.TilingTransform((8, 8)),)), ALL_REFUSE),
    Kernel("a copy of 5 dimensions", copied((2, 2, 2, 8, 32)), ALL_TAKE),
    Kernel("a copy of 6 dimensions", copied((2, 2, 2, 2, 8, 32)), ALL_REFUSE),
    Kernel("a copy of 6 dimensions, one of extent 1", copied((2, 2, 1, 2, 8, 32)), ALL_TAKE),
    Kernel("a copy of 4 dimensions in tiles", copied((2, 2, 16, 64), transforms=swizzled(f32)), ALL_REFUSE),
    Kernel("a copy of 3 dimensions in tiles", copied((2, 16, 64), transforms=swizzled(f32)), ALL_TAKE),
    Kernel("a copy at an index of 6 dimensions", copied((4, 4, 4, 4, 8, 32), (8, 32), part=at(1, 2, 3, 0)), ALL_TAKE),
    # multiples of 16 bytes
    Kernel("a copy of rows of 12 bytes", copied((64, 3)), ALL_REFUSE),
    Kernel("a copy of rows of 16 bytes", copied((64, 4)), ALL_TAKE),
    Kernel("a copy out of rows of 264 bytes", copied((64, 66), (64, 32), part=at(slice(None), pl.ds(0, 32))), ALL_REFUSE),
    Kernel("a copy of 24 bytes of each row", copied((64, 64), (64, 6), part=at(slice(None), pl.ds(0, 6))), ALL_REFUSE),
    Kernel("a copy of 30 elements in a row", copied((30,)), ALL_REFUSE),
    Kernel("a copy of rows of 8 bytes of 8 bits", copied((64, 8), dtype=jnp.int8), ALL_REFUSE),
    Kernel("a copy of 16 elements of 8 bits", copied((64, 16), dtype=jnp.int8), ALL_TAKE),
    Kernel("a copy of one element", copied((64, 64), (1, 1), part=at(pl.ds(3, 1), pl.ds(3, 1))), ALL_REFUSE),
    # swizzles and tiles
    Kernel("tiles of a swizzle of 64 bytes", copied((64, 64), transforms=swizzled(f32, 64)), ALL_TAKE),
    Kernel("tiles of a swizzle of 32 bytes", copied((64, 64), transforms=swizzled(f32, 32)), ALL_TAKE),
    Kernel("a swizzle of 48 bytes", lambda params: copied((64, 64), transforms=swizzled(f32, 48))(params), ALL_REFUSE),
    Kernel("a swizzle of 16 bytes", lambda params: copied((64, 64), transforms=swizzled(f32, 16))(params), ALL_REFUSE),
    Kernel("tiles as wide as half the swizzle", copied((64, 64), transforms=(
        plgpu.TilingTransform((8, 16)), plgpu.SwizzleTransform(128))), ALL_REFUSE),
    Kernel("a swizzle of rows that are twice as wide", copied((64, 64), transforms=(plgpu.SwizzleTransform(128),)), ALL_REFUSE),
    Kernel("a swizzle without tiles", copied((64, 32), transforms=(plgpu.SwizzleTransform(128),)), WARPGROUPS_LACK,
           "JAX wants tiles with it"),
    Kernel("tiles without a swizzle", copied((64, 64), transforms=(plgpu.TilingTransform((8, 32)),)), ALL_TAKE),
    Kernel("tiles that do not divide the rows", copied((60, 64), transforms=swizzled(f32)), ALL_REFUSE),
    Kernel("tiles that do not divide the columns", copied((64, 48), transforms=swizzled(f32)), ALL_REFUSE),
    Kernel("tiles of 3 dimensions in memory of 2", copied((64, 64), transforms=(plgpu.TilingTransform((2, 8, 32)),)), ALL_REFUSE),
    Kernel("tiles of rows of 8 bytes", copied((64, 64), transforms=(plgpu.TilingTransform((8, 2)),)), ALL_REFUSE),
    Kernel("tiles of 64 rows of a swizzle", copied((64, 64), dtype=f16, transforms=swizzled(f16, rows=64)), ALL_TAKE),
    Kernel("tiles of tiles", copied((64, 64), transforms=(plgpu.TilingTransform((16, 32)), plgpu.TilingTransform((8, 32)))),
           "+- --", "nothing here is held so"),
    # the side of shared memory
    Kernel("a copy to half the rows", copied((32, 64), (64, 64), into=at(pl.ds(32, 32))), ALL_TAKE),
    Kernel("a copy to half the columns", copied((64, 32), (64, 64), into=at(slice(None), pl.ds(0, 32))), ALL_REFUSE),
    Kernel("a copy to half the columns, in tiles", copied((64, 32), (64, 64), into=at(slice(None), pl.ds(32, 32)),
                                                          transforms=swizzled(f32)), ALL_REFUSE),
    Kernel("a copy to half the rows, in tiles", copied((32, 64), (64, 64), into=at(pl.ds(32, 32)), transforms=swizzled(f32)),
           ALL_TAKE),
    Kernel("a copy to rows within tiles", copied((8, 64), (64, 64), into=at(pl.ds(4, 8)), transforms=swizzled(f32)), ALL_REFUSE),
    Kernel("a copy to columns within tiles", copied((64, 32), (64, 64), into=at(slice(None), pl.ds(16, 32)),
                                                    transforms=swizzled(f32)), ALL_REFUSE),
    Kernel("a copy to an address of 16 bytes", copied((32, 4), (64, 4), into=at(pl.ds(1, 32))), JAX_LEAVES,
           "JAX does not look at it"),
    Kernel("a copy to an address of 128 bytes", copied((32, 4), (64, 4), into=at(pl.ds(8, 32))), ALL_TAKE),
    Kernel("a copy with other dimensions", copied((64, 64), (32, 128)), ALL_REFUSE),
    Kernel("a copy to half as many rows", copied((64, 64), (32, 64)), ALL_REFUSE),
    Kernel("a copy of numbers of another view", copied((64, 64), part=lambda ref: ref.bitcast(jnp.int32)), ALL_REFUSE),
    Kernel("a copy to numbers of another view", copied((64, 64), into=lambda ref: ref.bitcast(jnp.int32)), ALL_REFUSE),
    Kernel("a copy between two views of other numbers", copied((64, 64), part=lambda ref: ref.bitcast(jnp.int32),
                                                               into=lambda ref: ref.bitcast(jnp.int32)), JAX_LACKS,
           "JAX has no such views in copies"),
    Kernel("a copy to every second row", copied((32, 64), (64, 64), into=at(pl.ds(0, 32, 2))), ALL_REFUSE),
    Kernel("a copy of every second row", copied((64, 64), (32, 64), part=at(pl.ds(0, 32, 2))), LANES_LACK,
           "JAX has no strides"),
    # dtypes
    Kernel("a copy of f16", copied((64, 64), dtype=f16), ALL_TAKE),
    Kernel("a copy of f8", copied((64, 64), dtype=jnp.float8_e4m3fn), ALL_TAKE),
    Kernel("a copy of i4", copied((64, 64), dtype=jnp.int4), ALL_TAKE),
    Kernel("a copy of f4", copied((64, 64), dtype=jnp.float4_e2m1fn), ALL_TAKE),
    Kernel("a copy of bool", copied((64, 64), dtype=jnp.bool_), JAX_LACKS, "JAX takes it for 1 bit, where arrays have 8"),
    Kernel("a copy of i16", copied((64, 64), dtype=jnp.int16), ALL_TAKE),
    Kernel("a copy between dtypes", lambda params: _between_dtypes(params), ALL_REFUSE),
    # copies out
    Kernel("a copy out", stored((64, 64)), ALL_TAKE),
    Kernel("a copy out of 512 rows", stored((512, 64)), ALL_TAKE),
    Kernel("a copy out of 512 rows of wider ones", stored((512, 128), (512, 64), part=at(slice(None), pl.ds(0, 64))), ALL_REFUSE),
    Kernel("a copy out of rows of 12 bytes", stored((64, 3)), ALL_REFUSE),
    Kernel("a copy out of part of the columns", stored((64, 32), (64, 64), source=at(slice(None), pl.ds(0, 32))), ALL_REFUSE),
    Kernel("a copy out with a predicate", stored((64, 64), predicate=True), ALL_TAKE),
    Kernel("a sum of f32", stored((64, 64), reduction_op="add"), ALL_TAKE),
    Kernel("a sum of i8", stored((64, 64), dtype=jnp.int8, reduction_op="add"), ALL_REFUSE),
    Kernel("a sum of i16", stored((64, 64), dtype=jnp.int16, reduction_op="add"), ALL_REFUSE),
    Kernel("a sum of f8", stored((64, 64), dtype=jnp.float8_e5m2, reduction_op="add"), ALL_REFUSE),
    Kernel("a maximum of f16", stored((64, 64), dtype=f16, reduction_op="max"), ALL_TAKE),
    Kernel("a maximum of f32", stored((64, 64), reduction_op="max"), ALL_REFUSE),
    Kernel("a minimum of f32", stored((64, 64), reduction_op="min"), ALL_REFUSE),
    Kernel("a maximum of i32", stored((64, 64), dtype=jnp.int32, reduction_op="max"), JAX_LACKS, "JAX names it smax"),
    Kernel("a signed maximum of i32", stored((64, 64), dtype=jnp.int32, reduction_op="smax"), JAX_LEAVES, "it is max here"),
    Kernel("an and of i32", stored((64, 64), dtype=jnp.int32, reduction_op="and"), ALL_TAKE),
    Kernel("an and of f32", stored((64, 64), reduction_op="and"), ALL_REFUSE),
    Kernel("an and of i8", stored((64, 64), dtype=jnp.int8, reduction_op="and"), ALL_REFUSE),
    Kernel("a sum that wraps", stored((64, 64), dtype=jnp.int32, reduction_op="inc"), JAX_LEAVES, "it is not computed here"),
    Kernel("a product of elements", stored((64, 64), reduction_op="mul"), ALL_REFUSE),
    # clusters
    Kernel("a copy to two blocks", copied((64, 64), mesh=PAIR, collective_axes="rank"), ALL_TAKE),
    Kernel("a copy to two blocks along no axis", copied((64, 64), mesh=PAIR, collective_axes="elsewhere"), ALL_REFUSE),
    Kernel("a copy to blocks of a kernel without clusters", copied((64, 64), collective_axes="rank"), ALL_REFUSE),
    Kernel("a copy of 512 rows to two blocks", copied((512, 64), mesh=PAIR, collective_axes="rank"), ALL_TAKE),
    Kernel("a copy of 512 rows to four blocks", copied((2048, 16), mesh=FOUR, collective_axes="rank"), ALL_REFUSE),
    Kernel("a copy of 3 rows of 5 to two blocks", copied((3, 20), mesh=PAIR, collective_axes="rank"), ALL_REFUSE),
    Kernel("a copy divided among two blocks", copied((64, 64), (32, 64), mesh=PAIR, collective_axes="rank",
                                                     leader_tracked=CopyPartition.PARTITIONED(0)), ALL_TAKE),
    Kernel("a copy divided among four blocks", copied((64, 64), (16, 64), mesh=FOUR, collective_axes="rank",
                                                      leader_tracked=CopyPartition.PARTITIONED(0)), ALL_REFUSE),
    Kernel("a copy divided among blocks without an axis", lambda params: copied(
        (64, 64), (32, 64), mesh=PAIR, leader_tracked=CopyPartition.PARTITIONED(0))(params), ALL_REFUSE),
    # rows that an array lists
    Kernel("a copy of 16 listed rows", gathered(16), ALL_TAKE),
    Kernel("a copy of 64 listed rows of tiles", gathered(64, transforms=swizzled(f32)), ALL_TAKE),
    Kernel("a copy of 6 listed rows", gathered(6), ALL_REFUSE),
    Kernel("a copy of listed rows of 16 bytes", gathered(16, 4), ALL_REFUSE),
    Kernel("a copy of 4 listed rows of 32 bytes", gathered(4, 8, layout=plgpu.Layout.TMA_INDICES_4), ALL_TAKE),
    Kernel("rows listed by signed numbers", gathered(16, indices=jnp.int32), LANES_LACK,
           "JAX wants unsigned ones, the hardware takes 32 bits"),
    Kernel("rows listed by floats", gathered(16, indices=f32), ALL_REFUSE),
    Kernel("rows listed in another layout", gathered(128, layout=plgpu.Layout.WG_STRIDED((128,), 1)), JAX_LACKS,
           "layouts of values are not taken over here"),
    Kernel("a copy of 512 listed rows", gathered(512), ALL_TAKE),
)


def _between_dtypes(params: Any) -> Made:
    def body(x_ref: Any, o_ref: Any, tile_ref: Any, ready: Any) -> None:
        del o_ref
        plgpu.copy_gmem_to_smem(x_ref, tile_ref, ready)
        plgpu.barrier_wait(ready)

    return launch(body, shaped((64, 64)), [plgpu.SMEM((64, 64), f16), plgpu.Barrier()], params), (shaped((64, 64)),)
