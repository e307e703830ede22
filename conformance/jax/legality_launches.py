"""Kernels with meshes, memory, barriers and registers within and beyond what there is."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.jax.legality_table import (
    ALL_REFUSE, ALL_TAKE, JAX_LACKS, JAX_LEAVES, Kernel, Made, launch, shaped, swizzled)
from conformance.jax.legality_products import allocated

f16, f32 = jnp.float16, jnp.float32
KIB = 1024


def meshed(**mesh: Any) -> Callable[[Any], Made]:
    """A kernel that does nothing on a mesh."""

    def make(params: Any) -> Made:
        def body(o_ref: Any) -> None:
            del o_ref

        return launch(body, shaped((128,)), [], params, **mesh), ()

    return make


def shared_memory(*shape: int, dtype: Any = jnp.uint8, **options: Any) -> Callable[[], Any]:
    return lambda: plgpu.SMEM(shape, dtype, **options)


def barrier(**options: Any) -> Callable[[], Any]:
    return lambda: plgpu.Barrier(**options)


def registers(*of_each: tuple[int, str] | None, in_warp: bool = False) -> Callable[[Any], Made]:
    """Threads that set the number of their registers, each to its own."""

    def make(params: Any) -> Made:
        def body(o_ref: Any) -> None:
            del o_ref
            for thread, one in enumerate(of_each):
                if one is None:
                    continue

                @pl.when(jax.lax.axis_index("thread") == thread)
                def _set(count: int = one[0], action: Any = one[1]) -> None:
                    if in_warp:
                        pl.core_map(plgpu.WarpMesh(axis_name="warp"))(lambda: plgpu.set_max_registers(count, action=action))
                    else:
                        plgpu.set_max_registers(count, action=action)

        return launch(body, shaped((128,)), [], params, num_threads=len(of_each), thread_name="thread"), ()

    return make


def scoped(*sizes: int, **options: Any) -> Callable[[Any], Made]:
    """A kernel that allocates bytes of shared memory in one scope after the other."""

    def make(params: Any) -> Made:
        def body(o_ref: Any) -> None:
            def scope(ref: Any) -> None:
                ref[0] = jnp.uint8(0)

            del o_ref
            for size in sizes:
                pl.run_scoped(scope, plgpu.SMEM((size,), jnp.uint8), **options)

        return launch(body, shaped((128,)), [], params), ()

    return make


def in_warps(section: Callable[..., None], scratch: Sequence[Callable[[], Any]], **mesh: Any) -> Callable[[Any], Made]:
    """Memory, and what each warp does with it."""

    def make(params: Any) -> Made:
        def body(x_ref: Any, o_ref: Any, *refs: Any) -> None:
            pl.core_map(plgpu.WarpMesh(axis_name="warp"))(lambda: section(x_ref, o_ref, *refs))

        return launch(body, shaped((64, 64)), [make_memory() for make_memory in scratch], params, **mesh), (shaped((64, 64)),)

    return make


def _copy(x_ref: Any, o_ref: Any, tile: Any, ready: Any) -> None:
    del o_ref
    pl.when(jax.lax.axis_index("warp") == 0)(lambda: plgpu.copy_gmem_to_smem(x_ref, tile, ready))


def _copy_listed(x_ref: Any, o_ref: Any, tile: Any, ready: Any) -> None:
    del o_ref
    plgpu.copy_gmem_to_smem(x_ref.at[jnp.arange(16, dtype=jnp.uint32)], tile, ready)


def _arrive(x_ref: Any, o_ref: Any, ready: Any) -> None:
    del x_ref, o_ref
    plgpu.barrier_arrive(ready)


def _commit(x_ref: Any, o_ref: Any) -> None:
    del x_ref, o_ref
    plgpu.commit_smem()


def _array(x_ref: Any, o_ref: Any) -> None:
    o_ref[...] = x_ref[...] + 1


def _warps(x_ref: Any, o_ref: Any) -> None:
    del x_ref, o_ref
    pl.core_map(plgpu.WarpMesh(axis_name="inner"))(lambda: None)


def pipelined(block: Sequence[int] = (64, 64), shape: Sequence[int] = (256, 256), steps: int = 2, transforms: Sequence[Any] = (),
              index_map: Callable[..., Any] = lambda i, j: (i, j), dtype: Any = f32) -> Callable[[Any], Made]:
    """An `emit_pipeline` over blocks of an array."""

    def make(params: Any) -> Made:
        def body(x_ref: Any, o_ref: Any) -> None:
            def step(indices: Any, x: Any, o: Any) -> None:
                del indices
                o[...] = x[...] + x[...]

            spec = plgpu.BlockSpec(tuple(block), index_map, transforms=tuple(transforms))
            out = plgpu.BlockSpec(tuple(block), lambda i, j: (i, j), transforms=tuple(transforms))
            grid = tuple(extent // size for extent, size in zip(shape, block))
            plgpu.emit_pipeline(step, grid=grid, in_specs=[spec], out_specs=[out], max_concurrent_steps=steps)(x_ref, o_ref)

        return launch(body, shaped(shape, dtype), [], params), (shaped(shape, dtype),)

    return make


UP, DOWN = "increase", "decrease"

KERNELS = (
    # meshes
    Kernel("8 threads", meshed(num_threads=8, thread_name="thread"), ALL_TAKE),
    Kernel("9 threads", meshed(num_threads=9, thread_name="thread"), JAX_LEAVES,
           "JAX counts up to 16, for 2,048 lanes; a block has 1,024"),
    Kernel("17 threads", meshed(num_threads=17, thread_name="thread"), ALL_REFUSE),
    Kernel("threads without a name", meshed(num_threads=2), ALL_REFUSE),
    Kernel("a cluster of 8 blocks", meshed(cluster=(8,), cluster_names=("rank",)), ALL_TAKE),
    Kernel("a cluster of 16 blocks", meshed(cluster=(4, 4), cluster_names=("x", "y")), ALL_TAKE),
    Kernel("a cluster of 32 blocks", meshed(cluster=(8, 4), cluster_names=("x", "y")), JAX_LEAVES, "JAX leaves it to the driver"),
    Kernel("a cluster of 4 axes", meshed(cluster=(2, 1, 1, 1), cluster_names=("x", "y", "z", "w")), ALL_REFUSE),
    Kernel("a grid of 4 axes", meshed(grid=(2, 2, 2, 2), grid_names=("a", "b", "c", "d")), ALL_TAKE),
    Kernel("a grid of 70,000 along the last axis", meshed(grid=(2, 70000), grid_names=("a", "b")), ALL_TAKE),
    Kernel("a grid of 70,000 along the last axis but one", meshed(grid=(70000, 2), grid_names=("a", "b")), JAX_LEAVES,
           "JAX leaves it to the driver"),
    Kernel("a grid of 90,000 along the first axes of four", meshed(grid=(300, 300, 1, 1), grid_names=("a", "b", "c", "d")),
           JAX_LEAVES,
           "JAX leaves it to the driver"),
    Kernel("a grid with too few names", meshed(grid=(2, 2), grid_names=("a",)), ALL_REFUSE),
    # shared memory
    Kernel("226 KiB of shared memory", allocated(shared_memory(226 * KIB)), ALL_TAKE),
    Kernel("228 KiB of shared memory", allocated(shared_memory(228 * KIB)), ALL_REFUSE),
    Kernel("two times 128 KiB of shared memory", allocated(shared_memory(128 * KIB), shared_memory(128 * KIB)), ALL_REFUSE),
    Kernel("128 KiB of shared memory, twice", scoped(128 * KIB, 128 * KIB, collective_axes=()), ALL_TAKE),
    Kernel("228 KiB of shared memory in a scope", scoped(KIB, 228 * KIB, collective_axes=()), ALL_REFUSE),
    Kernel("228 pieces of 16 bytes, each in 1 KiB", allocated(*[shared_memory(16)] * 228), ALL_REFUSE),
    Kernel("steps of a pipeline in 256 KiB", pipelined(steps=8), ALL_REFUSE),
    # barriers
    Kernel("32 barriers", allocated(barrier(num_barriers=32)), ALL_TAKE),
    Kernel("33 barriers", allocated(barrier(num_barriers=33)), JAX_LACKS, "JAX has 32 bits for their phases"),
    Kernel("a barrier of no arrivals", allocated(lambda: plgpu.Barrier(num_arrivals=0)), ALL_REFUSE),
    Kernel("a barrier of 8,191 arrivals", allocated(barrier(num_arrivals=8191)), ALL_TAKE),
    Kernel("a barrier of 8,192 arrivals", allocated(barrier(num_arrivals=8192)), "+- ++",
           "each lane arrives, where lanes are lowered; JAX leaves it to the GPU, where the number wraps"),
    Kernel("a barrier of a cluster in a kernel without one", allocated(lambda: plgpu.ClusterBarrier(collective_axes=("rank",))),
           ALL_REFUSE),
    # registers
    Kernel("registers of two threads", registers((40, DOWN), (232, UP)), ALL_TAKE),
    Kernel("registers that are no multiple of 8", registers((42, DOWN), (232, UP)), ALL_REFUSE),
    Kernel("16 registers", registers((16, DOWN), (232, UP)), ALL_REFUSE),
    Kernel("264 registers", registers((40, DOWN), (264, UP)), ALL_REFUSE),
    Kernel("more registers than there are", registers((240, UP), (240, UP), (240, UP)), JAX_LEAVES,
           "JAX leaves it to the GPU, where it hangs"),
    Kernel("as many registers as there are", registers((40, DOWN), (232, UP), (240, UP)), ALL_TAKE),
    Kernel("registers of a warp", registers((40, DOWN), (232, UP), in_warp=True), ALL_REFUSE),
    Kernel("registers that change in no direction", registers((40, "keep"), (232, UP)), JAX_LEAVES,
           "JAX takes what is not an increase for a decrease"),
    # warps
    Kernel("a copy by a warp", in_warps(_copy, [shared_memory(64, 64, dtype=f32), barrier()]), ALL_TAKE),
    Kernel("a copy of listed rows by a warp", in_warps(_copy_listed, [shared_memory(16, 64, dtype=f32), barrier()]), JAX_LACKS,
           "JAX has no listed rows of warps"),
    Kernel("an arrival of a warp", in_warps(_arrive, [barrier(num_arrivals=4)]), ALL_TAKE),
    Kernel("an arrival of a warp at a barrier of a cluster", in_warps(_arrive, [
        lambda: plgpu.ClusterBarrier(collective_axes=("rank",))], cluster=(2,), cluster_names=("rank",)), JAX_LACKS, "JAX has no such arrivals"),
    Kernel("a fence of a warp", in_warps(_commit, []), JAX_LACKS, "JAX has no fences of warps"),
    Kernel("arrays of a warp", in_warps(_array, []), JAX_LACKS, "JAX has no arrays of warps"),
    Kernel("warps of a warp", in_warps(_warps, []), ALL_REFUSE),
    # pipelines
    Kernel("a pipeline", pipelined(), ALL_TAKE),
    Kernel("a pipeline of tiles", pipelined(transforms=swizzled(f32)), ALL_TAKE),
    Kernel("a pipeline of blocks that tiles do not divide", pipelined(block=(64, 16), transforms=swizzled(f32)), ALL_REFUSE),
    Kernel("a pipeline of blocks of rows of 8 bytes", pipelined(block=(64, 2)), ALL_REFUSE),
    Kernel("a pipeline of blocks of 512 rows", pipelined(block=(512, 8), shape=(1024, 256)), ALL_REFUSE),
    Kernel("a pipeline whose index map has too few results", pipelined(index_map=lambda i, j: (i,)), ALL_REFUSE),
    Kernel("a pipeline whose index map takes too few indices", pipelined(index_map=lambda i: (i, 0)), ALL_REFUSE),
    Kernel("a pipeline whose index map is a float", pipelined(index_map=lambda i, j: (i * 0.5, j)), ALL_REFUSE),
)
