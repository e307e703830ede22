"""Products of tcgen05 with scales, and of sparse matrices, on a CPU in every order."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

from mosaic_kernels import ORDERS, f32, found, kinds_among, launch_of, refusal, runs, tiles

pytestmark = pytest.mark.slow  # all of them together

M, N, K = 128, 64, 128
BLOCK = 32  # elements along K of one scale
SCALES, METADATA = plgpu.TMEMLayout.SCALES_LAYOUT, plgpu.TMEMLayout.SPARSE_METADATA_LAYOUT
F8, E8M0 = jnp.float8_e4m3fn, jnp.float8_e8m0fnu


def in_tiles(scales):
    """As the copy to tensor memory wants them."""
    rows, columns = scales.shape
    return scales.reshape(rows // 128, 4, 32, columns // 4, 4).transpose(0, 3, 2, 1, 4).reshape(rows // 128, columns // 4, 32, 16)


def scales_of(seed, rows, block=BLOCK, dtype=E8M0):
    """Powers of two."""
    exponents = jax.random.randint(jax.random.key(seed), (rows, K // block), -3, 4)
    return (2.0 ** exponents).astype(dtype)


def numbers(seed, shape, dtype=F8):
    """Small integers, whose sums are exact."""
    return jax.random.randint(jax.random.key(seed), shape, -4, 5).astype(dtype)


def launch(body, lhs, rhs, *, out=jnp.float32, shared=(), tensor=(), barriers=1, **options):
    """A kernel with factors (M, K) and (N, K) in shared memory, more inputs that are copied there as they are, and memory in tensor memory."""
    inputs = [plgpu.SMEM(lhs.shape, lhs.dtype, transforms=tiles(lhs.dtype)), plgpu.SMEM(rhs.shape, rhs.dtype, transforms=tiles(rhs.dtype)),
              *(plgpu.SMEM(array.shape, array.dtype) for array in shared)]

    def kernel(*refs):
        sources, o_ref = refs[:len(inputs)], refs[len(inputs)]
        *held, ready, done, acc = refs[len(inputs) + 1:2 * len(inputs) + 4]
        for source, target in zip(sources, held):
            plgpu.copy_gmem_to_smem(source, target, ready)
        plgpu.barrier_wait(ready)
        a, b, *more = held
        body(acc, done, a, plgpu.transpose_ref(b, (1, 0)), *more, *refs[2 * len(inputs) + 4:])
        plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(acc)

    return launch_of(kernel, out=jax.ShapeDtypeStruct((M, N), out), scratch=[
        *inputs, plgpu.Barrier(num_arrivals=len(inputs)), plgpu.Barrier(orders_tensor_core=True),
        plgpu.TMEM((M, N), out), *tensor], **options)


# -- scales --


def scaled(acc, done, a, b, a_tiles, b_tiles, a_scale, b_scale):
    plgpu.async_copy_scales_to_tmem(a_tiles, a_scale)
    plgpu.async_copy_scales_to_tmem(b_tiles, b_scale)
    plgpu.tcgen05_mma(acc, a, b, done, a_scale=a_scale, b_scale=b_scale, accumulate=False)


def with_scales(body=scaled, block=BLOCK, dtype=E8M0):
    a, b = numbers(0, (M, K)), numbers(1, (N, K))
    a_scale, b_scale = scales_of(2, M, block, dtype), scales_of(3, 128, block, dtype)
    args = [a, b, in_tiles(a_scale), in_tiles(b_scale)]
    memory = plgpu.TMEM((128, K // block), dtype, layout=SCALES)
    wanted = np.asarray(a, np.float32) * np.repeat(np.asarray(a_scale, np.float32), block, 1)
    wanted = wanted @ (np.asarray(b, np.float32) * np.repeat(np.asarray(b_scale, np.float32)[:N], block, 1)).T
    return launch(body, a, b, shared=args[2:], tensor=[memory, memory]), args, wanted


@pytest.mark.parametrize(("block", "dtype"), [(32, E8M0), (16, F8)])
def test_products_with_scales(block, dtype):
    """The scales of more rows than b has columns are there, and are not used."""
    kernel, args, wanted = with_scales(block=block, dtype=dtype)
    for result in runs(kernel, *args):
        np.testing.assert_array_equal(result, wanted)
    assert found(kernel, *args) == set()


def test_scales_that_are_copied_behind_the_product():
    """It comes in order with the copies before it alone: those behind it may overwrite what it still reads."""
    def late(acc, done, a, b, a_tiles, b_tiles, a_scale, b_scale):
        plgpu.async_copy_scales_to_tmem(a_tiles, a_scale)
        plgpu.tcgen05_mma(acc, a, b, a_scale=a_scale, b_scale=b_scale, accumulate=False)
        plgpu.async_copy_scales_to_tmem(b_tiles, b_scale)
        plgpu.tcgen05_commit_arrive(done)

    kernel, args, _ = with_scales(late)
    assert "product-in-flight" in found(kernel, *args)


def test_scales_that_are_overwritten_too_early():
    def spoilt(acc, done, a, b, a_tiles, b_tiles, a_scale, b_scale):
        scaled(acc, done, a, b, a_tiles, b_tiles, a_scale, b_scale)
        a_tiles[...] = jnp.zeros(a_tiles.shape, a_tiles.dtype)

    kernel, args, _ = with_scales(spoilt)
    for order in ORDERS:
        assert kinds_among(("dma-in-flight",), kernel, *args, order=order) == {"dma-in-flight"}


def test_scales_of_another_shape_are_refused():
    def body(o_ref, held, scale):
        plgpu.async_copy_scales_to_tmem(held, scale)

    memory = plgpu.TMEM((128, 8), E8M0, layout=SCALES)
    kernel = launch_of(body, out=f32(M, N), scratch=[plgpu.SMEM((2, 1, 32, 16), E8M0), memory])
    assert "scales of shape (2, 1, 32, 16) do not fill tensor memory of shape (128, 8)" in refusal(kernel)


# -- sparse matrices --


def selection(rows):
    """Two of each four elements."""
    pairs = np.array([pair for pair in np.ndindex(4, 4) if pair[0] < pair[1]])
    return pairs[np.random.default_rng(4).integers(0, len(pairs), (rows, K // 4))]


def expanded(a, chosen):
    whole = np.zeros((a.shape[0], K // 4, 4), np.float32)
    np.put_along_axis(whole, chosen, np.asarray(a, np.float32).reshape(chosen.shape), axis=-1)
    return whole.reshape(a.shape[0], K)


def sparse(acc, done, a, b, chosen, metadata):
    plgpu.async_copy_sparse_metadata_to_tmem(chosen, metadata)
    plgpu.tcgen05_mma(acc, a, b, done, a_sparse_metadata=metadata, accumulate=False)


METADATA_MEMORY = plgpu.TMEM((M, K // 2), jnp.uint2, layout=METADATA)


@pytest.mark.parametrize(("dtype", "out"), [(jnp.float16, jnp.float32), (jnp.bfloat16, jnp.float32), (F8, jnp.float32),
                                            (jnp.int8, jnp.int32)])
def test_sparse_products(dtype, out):
    a, b, chosen = numbers(0, (M, K // 2), dtype), numbers(1, (N, K), dtype), selection(M)
    args = [a, b, plgpu.format_tcgen05_sparse_metadata(jnp.asarray(chosen, jnp.uint2), dtype)]
    kernel = launch(sparse, a, b, out=out, shared=args[2:], tensor=[METADATA_MEMORY])
    for result in runs(kernel, *args):
        np.testing.assert_array_equal(result, expanded(a, chosen) @ np.asarray(b, np.float32).T)
    assert found(kernel, *args) == set()


def test_what_is_left_out_is_not_multiplied():
    """A factor of 0 would make NaN of an infinity."""
    dtype = jnp.float16
    a, chosen = jnp.ones((M, K // 2), dtype), np.broadcast_to([0, 2], (M, K // 4, 2))
    b = jnp.where(jnp.arange(K) % 2 == 0, jnp.ones((N, K)), jnp.inf).astype(dtype)
    args = [a, b, plgpu.format_tcgen05_sparse_metadata(jnp.asarray(chosen, jnp.uint2), dtype)]
    for result in runs(launch(sparse, a, b, shared=args[2:], tensor=[METADATA_MEMORY]), *args):
        np.testing.assert_array_equal(result, np.full((M, N), K // 2))


def test_metadata_that_nobody_has_copied():
    def body(acc, done, a, b, chosen, metadata):
        plgpu.tcgen05_mma(acc, a, b, done, a_sparse_metadata=metadata, accumulate=False)

    a, b = numbers(0, (M, K // 2), jnp.float16), numbers(1, (N, K), jnp.float16)
    args = [a, b, plgpu.format_tcgen05_sparse_metadata(jnp.asarray(selection(M), jnp.uint2), jnp.float16)]
    assert "undefined-output" in found(launch(body, a, b, shared=args[2:], tensor=[METADATA_MEMORY]), *args)


def test_metadata_of_another_shape_are_refused():
    def body(o_ref, held, metadata):
        plgpu.async_copy_sparse_metadata_to_tmem(held, metadata)

    kernel = launch_of(body, out=f32(M, N), scratch=[plgpu.SMEM((1, 2, 128, 64), jnp.uint2), METADATA_MEMORY])
    assert "metadata of shape (1, 2, 128, 64) do not fill tensor memory of shape (128, 64)" in refusal(kernel)


# -- scales and two blocks together --


@pytest.mark.parametrize("rows", [64, 128])
def test_scales_of_two_blocks(rows):
    """Each block has the scales of its own rows and of all columns; with 64 rows those of the halves of the columns are apart."""
    columns = 64
    a, b = numbers(0, (2 * rows, K)), numbers(1, (K, columns))
    a_scale, b_scale = scales_of(2, 2 * rows), scales_of(3, columns)
    of_rows = jnp.stack([in_tiles(jnp.pad(part, ((0, 128 - rows), (0, 0)))) for part in jnp.split(a_scale, 2)])
    if rows == 128:
        tiled = in_tiles(jnp.pad(b_scale, ((0, 128 - columns), (0, 0))))
    else:
        tiled = jnp.pad(b_scale.reshape(1, 2, 32, 1, 4).transpose(0, 3, 1, 2, 4).reshape(1, 1, 64, 4), ((0, 0),) * 3 + ((0, 12),))

    def kernel(a_ref, b_ref, rows_ref, columns_ref, o_ref, a, b, of_rows, of_columns, ready, both, done, acc, a_scale, b_scale):
        rank = jax.lax.axis_index("x")
        parts = (a_ref.at[pl.ds(rank * rows, rows)], b_ref.at[:, pl.ds(rank * columns // 2, columns // 2)], rows_ref.at[rank], columns_ref)
        for source, target in zip(parts, (a, b, of_rows, of_columns)):
            plgpu.copy_gmem_to_smem(source, target, ready)
        plgpu.barrier_wait(ready)
        plgpu.barrier_arrive(both)
        plgpu.barrier_wait(both)
        plgpu.async_copy_scales_to_tmem(of_rows, a_scale, collective_axis="x")
        plgpu.async_copy_scales_to_tmem(of_columns, b_scale, collective_axis="x")
        plgpu.tcgen05_mma(acc, a, b, done, a_scale=a_scale, b_scale=b_scale, accumulate=False, collective_axis="x")
        plgpu.barrier_wait(done)
        o_ref[pl.ds(rank * rows, rows)] = plgpu.async_load_tmem(acc)

    narrow = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(32))
    apart = dict(layout=plgpu.TMEMLayout.SCALES_M64_COLLECTIVE_LAYOUT if rows == 64 else SCALES, collective=True)
    launch = launch_of(kernel, out=f32(2 * rows, columns), cluster=(2,), cluster_names=("x",), scratch=[
        plgpu.SMEM((rows, K), F8, transforms=narrow), plgpu.SMEM((K, columns // 2), F8, transforms=narrow),
        plgpu.SMEM(of_rows.shape[1:], E8M0), plgpu.SMEM(tiled.shape, E8M0), plgpu.Barrier(num_arrivals=4),
        plgpu.ClusterBarrier(collective_axes=("x",)), plgpu.Barrier(orders_tensor_core=True),
        plgpu.TMEM((rows, columns), jnp.float32, collective=True),
        plgpu.TMEM((128, K // BLOCK), E8M0, layout=SCALES, collective=True),
        plgpu.TMEM((256 if rows == 64 else 128, K // BLOCK), E8M0, **apart)])
    wanted = np.asarray(a, np.float32) * np.repeat(np.asarray(a_scale, np.float32), BLOCK, 1)
    wanted = wanted @ (np.asarray(b, np.float32) * np.repeat(np.asarray(b_scale, np.float32), BLOCK, 1).T)
    for result in runs(launch, a, b, of_rows, tiled):
        np.testing.assert_array_equal(result, wanted)
