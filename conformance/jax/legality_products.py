"""Kernels with products on tensor cores and with tensor memory, legal and illegal."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import jax.numpy as jnp
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from conformance.jax.legality_table import (
    ALL_REFUSE, ALL_TAKE, JAX_LACKS, JAX_LEAVES, LANES_LACK, WARPGROUPS_INFER, Kernel, Made, launch, shaped, swizzled)

f16, bf16, f32, f8, i8, i32 = jnp.float16, jnp.bfloat16, jnp.float32, jnp.float8_e4m3fn, jnp.int8, jnp.int32


def transposed(ref: Any) -> Any:
    return plgpu.transpose_ref(ref, (1, 0))


def wgmma(m: int = 64, n: int = 64, k: int = 64, dtype: Any = f16, out: Any = f32, *, of_a: Sequence[Any] | None = None,
          of_b: Sequence[Any] | None = None, a_in_registers: bool = False, turn_a: bool = False, turn_b: bool = False,
          out_shape: Sequence[int] | None = None, in_warp: bool = False) -> Callable[[Any], Made]:
    """A product of a (m, k) and b (k, n), either held the other way round if it is turned; `of_a`, `of_b`: their transforms."""

    def make(params: Any) -> Made:
        def body(o_ref: Any, a_ref: Any, b_ref: Any) -> None:
            def scope(acc: Any) -> Any:
                a = transposed(a_ref) if turn_a else a_ref
                if a_in_registers:
                    a = plgpu.load(a_ref, (), layout=plgpu.Layout.WGMMA, optimized=False)
                b = transposed(b_ref) if turn_b else b_ref
                if in_warp:
                    pl.core_map(plgpu.WarpMesh(axis_name="warp"))(lambda: plgpu.wgmma(acc, a, b))
                else:
                    plgpu.wgmma(acc, a, b)
                plgpu.wgmma_wait(0)

            pl.run_scoped(scope, plgpu.ACC(tuple(out_shape or (m, n)), out))

        own = swizzled(dtype)
        scratch = [plgpu.SMEM((k, m) if turn_a else (m, k), dtype, transforms=own if of_a is None else tuple(of_a)),
                   plgpu.SMEM((n, k) if turn_b else (k, n), dtype, transforms=own if of_b is None else tuple(of_b))]
        return launch(body, shaped((m, n), out), scratch, params), ()

    return make


def tcgen05(m: int = 128, n: int = 128, k: int = 64, dtype: Any = f16, out: Any = f32, *, of_a: Sequence[Any] | None = None,
            of_b: Sequence[Any] | None = None, a_in_tensor_memory: bool = False, ordered: bool = True,
            turn_b: bool = False) -> Callable[[Any], Made]:
    """A product of a (m, k) and b (k, n) in tensor memory."""

    def make(params: Any) -> Made:
        def body(o_ref: Any, a_ref: Any, b_ref: Any, acc: Any, done: Any) -> None:
            del o_ref
            plgpu.tcgen05_mma(acc, a_ref, transposed(b_ref) if turn_b else b_ref, done, accumulate=False)
            plgpu.barrier_wait(done)

        own = swizzled(dtype)
        a = plgpu.TMEM((m, k), dtype, packed=True) if a_in_tensor_memory else plgpu.SMEM(
            (m, k), dtype, transforms=own if of_a is None else tuple(of_a))
        b = plgpu.SMEM((n, k) if turn_b else (k, n), dtype, transforms=own if of_b is None else tuple(of_b))
        scratch = [a, b, plgpu.TMEM((m, n), out, packed=None if jnp.dtype(out).itemsize == 4 else False),
                   plgpu.Barrier(orders_tensor_core=ordered)]
        return launch(body, shaped((m, n), out), scratch, params), ()

    return make


def allocated(*memory: Any) -> Callable[[Any], Made]:
    """A kernel that allocates memory and does nothing; `memory`: functions, since some of it is refused when it is made."""

    def make(params: Any) -> Made:
        def body(o_ref: Any, *refs: Any) -> None:
            del refs
            o_ref[...] = jnp.zeros((128,), f32)

        return launch(body, shaped((128,)), [make_memory() for make_memory in memory], params), ()

    return make


def tensor_memory(*shape: int, dtype: Any = f32, **options: Any) -> Callable[[], Any]:
    return lambda: plgpu.TMEM(shape, dtype, **options)


KERNELS = (
    # wgmma: shapes
    Kernel("wgmma", wgmma(), ALL_TAKE),
    Kernel("wgmma of 128 rows", wgmma(m=128), ALL_TAKE),
    Kernel("wgmma of 32 rows", wgmma(m=32), ALL_REFUSE),
    Kernel("wgmma of 96 rows", wgmma(m=96), ALL_REFUSE),
    Kernel("wgmma of 256 columns", wgmma(n=256), ALL_TAKE),
    Kernel("wgmma of 320 columns", wgmma(n=320), ALL_REFUSE),
    Kernel("wgmma of 8 columns, turned", wgmma(n=8, turn_b=True), ALL_TAKE),
    Kernel("wgmma of 12 columns, turned", wgmma(n=12, turn_b=True), ALL_REFUSE),
    Kernel("wgmma of K = 32 with a swizzle of 128 bytes", wgmma(k=32), ALL_REFUSE),
    Kernel("wgmma of K = 32 with a swizzle of 64 bytes", wgmma(k=32, of_a=swizzled(f16, 64), of_b=swizzled(f16, 64)), ALL_TAKE),
    Kernel("wgmma of K = 16 with a swizzle of 32 bytes", wgmma(k=16, of_a=swizzled(f16, 32), of_b=swizzled(f16, 32)), ALL_TAKE),
    Kernel("wgmma of K = 8", wgmma(k=8, of_a=(), of_b=()), ALL_REFUSE),
    Kernel("wgmma with an accumulator of another shape", wgmma(out_shape=(64, 128)), ALL_REFUSE),
    # wgmma: how operands are held
    Kernel("wgmma without a swizzle", wgmma(of_a=(plgpu.TilingTransform((8, 8)),), of_b=(plgpu.TilingTransform((8, 8)),)),
           JAX_LACKS,
           "JAX has no products without a swizzle"),
    Kernel("wgmma of rows without tiles", wgmma(of_a=(), of_b=()), WARPGROUPS_INFER),
    Kernel("wgmma of b without tiles", wgmma(of_b=()), WARPGROUPS_INFER),
    Kernel("wgmma of tiles without their swizzle", wgmma(of_a=(plgpu.TilingTransform((8, 64)),)), WARPGROUPS_INFER),
    Kernel("wgmma with two swizzles", wgmma(of_a=swizzled(f16, 64)), JAX_LACKS, "JAX wants the same swizzle of both"),
    Kernel("wgmma of tiles of 16 rows", wgmma(of_a=swizzled(f16, rows=16)), ALL_REFUSE),
    Kernel("wgmma of a that is turned", wgmma(turn_a=True), ALL_TAKE),
    Kernel("wgmma of b that is turned", wgmma(turn_b=True), ALL_TAKE),
    Kernel("wgmma of a in registers", wgmma(a_in_registers=True), ALL_TAKE),
    Kernel("wgmma by one warp", wgmma(in_warp=True), ALL_REFUSE),
    # wgmma: dtypes
    Kernel("wgmma of bf16", wgmma(dtype=bf16), ALL_TAKE),
    Kernel("wgmma of f16 with a sum of f16", wgmma(out=f16), ALL_TAKE),
    Kernel("wgmma of bf16 with a sum of bf16", wgmma(dtype=bf16, out=bf16), ALL_REFUSE),
    Kernel("wgmma of bf16 with a sum of f16", wgmma(dtype=bf16, out=f16), ALL_REFUSE),
    Kernel("wgmma of f32, turned", wgmma(dtype=f32, k=32, turn_b=True), ALL_TAKE),
    Kernel("wgmma of f32", wgmma(dtype=f32, k=32), ALL_REFUSE),
    Kernel("wgmma of f32 in registers", wgmma(dtype=f32, k=32, turn_b=True, a_in_registers=True), JAX_LACKS,
           "JAX has no such operands"),
    Kernel("wgmma of f8, turned", wgmma(dtype=f8, k=128, turn_b=True), ALL_TAKE),
    Kernel("wgmma of f8", wgmma(dtype=f8, k=128, n=128), ALL_REFUSE),
    Kernel("wgmma of i8, turned", wgmma(dtype=i8, out=i32, k=128, turn_b=True), ALL_TAKE),
    Kernel("wgmma of i8 with a sum of f32", wgmma(dtype=i8, out=f32, k=128, turn_b=True), ALL_REFUSE),
    Kernel("wgmma of i8 of 40 columns", wgmma(dtype=i8, out=i32, k=128, n=40, turn_b=True), JAX_LEAVES,
           "JAX leaves it to ptxas"),
    Kernel("wgmma of i16", wgmma(dtype=jnp.int16, out=i32), ALL_REFUSE),
    Kernel("wgmma of i32", wgmma(dtype=i32, out=i32, k=32, turn_b=True), ALL_REFUSE),
    # tcgen05: shapes
    Kernel("tcgen05", tcgen05(), ALL_TAKE),
    Kernel("tcgen05 of 64 rows", tcgen05(m=64), ALL_TAKE),
    Kernel("tcgen05 of 32 rows", tcgen05(m=32), ALL_REFUSE),
    Kernel("tcgen05 of 96 rows", tcgen05(m=96), ALL_REFUSE),
    Kernel("tcgen05 of 256 rows", tcgen05(m=256), ALL_REFUSE),
    Kernel("tcgen05 of 512 columns", tcgen05(n=512), ALL_TAKE),
    Kernel("tcgen05 of 320 columns", tcgen05(n=320), JAX_LACKS, "JAX does not divide it into several products"),
    Kernel("tcgen05 of 12 columns, turned", tcgen05(n=12, turn_b=True), ALL_REFUSE),
    Kernel("tcgen05 of 8 columns, turned", tcgen05(n=8, turn_b=True), ALL_TAKE),
    Kernel("tcgen05 of K = 32 with a swizzle of 128 bytes", tcgen05(k=32), ALL_REFUSE),
    Kernel("tcgen05 of K = 8", tcgen05(k=8, of_a=(plgpu.TilingTransform((8, 8)),), of_b=(plgpu.TilingTransform((8, 8)),)),
           ALL_REFUSE),
    # tcgen05: operands
    Kernel("tcgen05 of rows without tiles", tcgen05(of_a=(), of_b=()), WARPGROUPS_INFER),
    Kernel("tcgen05 of tiles without their swizzle", tcgen05(of_b=(plgpu.TilingTransform((8, 64)),)), WARPGROUPS_INFER),
    Kernel("tcgen05 of tiles of 16 rows", tcgen05(of_a=swizzled(f16, rows=16)), ALL_REFUSE),
    Kernel("tcgen05 with two swizzles", tcgen05(of_a=swizzled(f16, 64)), LANES_LACK, "JAX wants the same swizzle of both"),
    Kernel("tcgen05 of a in tensor memory", tcgen05(a_in_tensor_memory=True), ALL_TAKE),
    Kernel("tcgen05 of a of 64 rows in tensor memory", tcgen05(m=64, a_in_tensor_memory=True), JAX_LACKS, "JAX has 128 rows only"),
    Kernel("tcgen05 with a barrier that does not order tensor cores", tcgen05(ordered=False), ALL_REFUSE),
    Kernel("tcgen05 of f8", tcgen05(dtype=f8, k=128, turn_b=True), ALL_TAKE),
    Kernel("tcgen05 of bf16 with a sum of f16", tcgen05(dtype=bf16, out=f16), ALL_REFUSE),
    Kernel("tcgen05 of i8", tcgen05(dtype=i8, out=i32, k=128, turn_b=True), ALL_TAKE),
    Kernel("tcgen05 of i8 with a sum of f32", tcgen05(dtype=i8, out=f32, k=128, turn_b=True), ALL_REFUSE),
    Kernel("tcgen05 of i8 of 40 columns", tcgen05(dtype=i8, out=i32, k=128, n=40, turn_b=True), ALL_REFUSE),
    Kernel("tcgen05 of i16", tcgen05(dtype=jnp.int16, out=i32), ALL_REFUSE),
    Kernel("tcgen05 of f32, turned", tcgen05(dtype=f32, k=32, turn_b=True), JAX_LACKS, "JAX has no products of tf32"),
    # tensor memory
    Kernel("tensor memory", allocated(tensor_memory(128, 64)), ALL_TAKE),
    Kernel("all of tensor memory", allocated(tensor_memory(128, 512)), ALL_TAKE),
    Kernel("tensor memory of 640 columns", allocated(tensor_memory(128, 640)), ALL_REFUSE),
    Kernel("two halves of tensor memory", allocated(tensor_memory(128, 256), tensor_memory(128, 256)), ALL_TAKE),
    Kernel("three halves of tensor memory", allocated(tensor_memory(128, 256), tensor_memory(128, 256), tensor_memory(128, 256)),
           ALL_REFUSE),
    Kernel("packed tensor memory of 1,024 elements", allocated(tensor_memory(128, 1024, dtype=f16, packed=True)), ALL_TAKE),
    Kernel("tensor memory of 1,024 elements", allocated(tensor_memory(128, 1024, dtype=f16, packed=False)), ALL_REFUSE),
    Kernel("tensor memory of 16 bits, packed or not", allocated(tensor_memory(128, 64, dtype=f16)), ALL_REFUSE),
    Kernel("tensor memory of 32 rows", allocated(tensor_memory(32, 64)), ALL_REFUSE),
    Kernel("tensor memory of 256 rows", allocated(tensor_memory(256, 64)), ALL_REFUSE),
    Kernel("tensor memory of 1 dimension", allocated(tensor_memory(128)), ALL_REFUSE),
    Kernel("tensor memory of two blocks in a kernel without clusters", allocated(tensor_memory(128, 64, collective=True)),
           ALL_REFUSE),
    Kernel("tensor memory of one block and of two", allocated(tensor_memory(128, 64), tensor_memory(128, 64, collective=True)),
           ALL_REFUSE),
)
