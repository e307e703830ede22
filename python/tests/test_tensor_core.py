"""Products as tensor cores sum them: the option, from Pallas to the sum."""

import os
import subprocess

import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import tilegrind.pallas as tp
from mosaic_kernels import ORDERS, f32, launch_of

CORES = ("exact", "sm90", "sm100")
TILES = {n: (plgpu.TilingTransform((8, n)), plgpu.SwizzleTransform(128)) for n in (64, 128)}


def product(x_ref, y_ref, o_ref):
    o_ref[...] = jnp.dot(x_ref[...], y_ref[...], preferred_element_type=jnp.float32)


def product_of(x, y):
    return pl.pallas_call(product, out_shape=f32(x.shape[0], y.shape[1]), interpret=True)(x, y)


def chain(dtype, *terms, k=16):
    """A row and a column whose product is 1 and these terms, each a pair of factors."""
    row, column = np.zeros((1, k)), np.zeros((k, 1))
    for i, (a, b) in enumerate(((1, 1), *terms)):
        row[0, i], column[i, 0] = a, b
    return jnp.asarray(row, dtype), jnp.asarray(column, dtype)


@pytest.mark.parametrize("dtype, terms, wanted", [
    (jnp.float16, [(2**-12, 2**-13)] * 8, [1, 1 + 2**-22, 1 + 2**-22]),
    (jnp.bfloat16, [(2**-12, -(2**-13))], [1, 1 - 2**-24, 1 - 2**-24]),
    (jnp.float32, [(2**-20 * (1 + 2**-13), 2)], [1 + 2**-19, 1 + 2**-19, 1 + 2**-19]),
    (jnp.float32, [(1 + 2**-13, 1)], [2 + 2**-13, 2, 2]),
    (jnp.float8_e4m3fn, [(2**-7, 2**-7)] * 15, [1 + 15 * 2**-14, 1, 1 + 15 * 2**-14]),
    (jnp.int8, [(100, 100)], [10001, 10001, 10001]),
])
def test_a_dot(dtype, terms, wanted):
    for core, value in zip(CORES, wanted, strict=True):
        with tp.interpreter(tensor_core=core):
            assert product_of(*chain(dtype, *terms))[0, 0] == value, core


def test_highest_precision_is_no_tf32():
    def exact(x_ref, y_ref, o_ref):
        o_ref[...] = jnp.dot(x_ref[...], y_ref[...], precision="highest")

    x, y = chain(jnp.float32, (1 + 2**-13, 1))
    with tp.interpreter(tensor_core="sm90"):
        assert pl.pallas_call(exact, out_shape=f32(1, 1), interpret=True)(x, y)[0, 0] == 2 + 2**-13


def wgmma(a_ref, b_ref, o_ref, a_tile, b_tile, ready):
    plgpu.copy_gmem_to_smem(a_ref, a_tile, ready)
    plgpu.copy_gmem_to_smem(b_ref, b_tile, ready)
    plgpu.barrier_wait(ready)

    def sums(acc):
        plgpu.wgmma(acc, a_tile, b_tile)
        plgpu.wgmma(acc, a_tile, b_tile)
        return acc[...]

    o_ref[...] = pl.run_scoped(sums, plgpu.ACC((64, 64), jnp.float32))


def aligned(bits, terms):
    """The sum of these terms, each truncated `bits` below the leading bit of the greatest, truncated to f32."""
    step = 2.0 ** (max(np.frexp(abs(term))[1] - 1 for term in terms if term) - bits) if any(terms) else 1.0
    total = sum(np.trunc(term / step) for term in terms) * step
    nearest = np.float32(total)
    return np.nextafter(nearest, np.float32(0)) if abs(float(nearest)) > abs(total) else nearest


def test_wgmma_adds_to_what_the_accumulator_holds():
    rng = np.random.default_rng(3)
    # Factors without a mantissa: the leading bit of a product is the sum of theirs by any reading.
    a, b = (np.exp2(rng.integers(-9, 5, (64, 64))) * rng.choice([-1, 1], (64, 64)) for _ in range(2))
    tiles = (plgpu.TilingTransform((8, 64)), plgpu.SwizzleTransform(128))
    launch = launch_of(wgmma, out=f32(64, 64), scratch=[plgpu.SMEM((64, 64), jnp.float16, transforms=tiles)] * 2
                       + [plgpu.Barrier(num_arrivals=2)])
    wanted = np.zeros((2, 64), np.float32)
    for row, column in ((0, c) for c in range(64)):
        for k in (*range(0, 64, 16), *range(0, 64, 16)):
            wanted[0, column] = aligned(25, [wanted[0, column], *(a[row, k : k + 16] * b[k : k + 16, column])])
    results = []
    for core in CORES:
        for order in ORDERS:
            with tp.interpreter(order=order, tensor_core=core):
                results.append(np.asarray(launch(jnp.asarray(a, jnp.float16), jnp.asarray(b, jnp.float16))))
    exact, sm90, sm100 = results[:: len(ORDERS)]
    for n, result in enumerate(results):
        np.testing.assert_array_equal(result, (exact, sm90, sm100)[n // len(ORDERS)])
    np.testing.assert_array_equal(sm90, sm100)
    np.testing.assert_array_equal(sm90[0], wanted[0])
    assert (exact != sm90).any()


@pytest.mark.parametrize("dtype, n", [(jnp.float16, 64), (jnp.bfloat16, 64), (jnp.float8_e4m3fn, 128)])
@pytest.mark.parametrize("backend", ["emulator", "emulator:1", "emulator:5"])
def test_wgmma_as_ptx_has_the_same_sums(dtype, n, backend):
    rng = np.random.default_rng(5)
    a, b = (jnp.asarray(rng.normal(size=shape) * np.exp2(rng.integers(-4, 3, shape)), dtype) for shape in ((64, n), (n, 64)))

    def kernel(a_ref, b_ref, o_ref, a_tile, b_tile, ready):
        plgpu.copy_gmem_to_smem(a_ref, a_tile, ready)
        plgpu.copy_gmem_to_smem(b_ref, b_tile, ready)
        plgpu.barrier_wait(ready)

        def sums(acc):
            plgpu.wgmma(acc, a_tile, plgpu.transpose_ref(b_tile, (1, 0)))
            return acc[...]

        o_ref[...] = pl.run_scoped(sums, plgpu.ACC((64, 64), jnp.float32))

    launch = launch_of(kernel, out=f32(64, 64), scratch=[plgpu.SMEM((64, n), dtype, transforms=TILES[n])] * 2
                       + [plgpu.Barrier(num_arrivals=2)])
    results = []
    for options in ({}, {"backend": backend}):
        with tp.interpreter(tensor_core="sm90", **options):
            results.append(np.asarray(launch(a, b.T)))
    with tp.interpreter():
        exact = np.asarray(launch(a, b.T))
    np.testing.assert_array_equal(*results)
    assert (exact != results[0]).any()


def test_from_the_command_line(tmp_path):
    x, y = chain(jnp.float16, *[(2**-12, 2**-13)] * 8)
    tp.export(product_of, x, y).save(tmp_path / "k.json")
    np.savez(tmp_path / "in.npz", x_ref=x, y_ref=y)
    sums = []
    for core in CORES:
        subprocess.run([os.environ["TILEGRIND"], "run", "k.json", "--in", "in.npz", "--out", "out.npz", "--tensor-core", core],
                       cwd=tmp_path, check=True)
        sums.append(np.load(tmp_path / "out.npz")["o_ref"][0, 0])
    assert sums == [1, 1 + 2**-22, 1 + 2**-22]
    done = subprocess.run([os.environ["TILEGRIND"], "run", "k.json", "--in", "in.npz", "--tensor-core", "sm80"], cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.returncode == 2 and 'tensor core "sm80" is none of exact, sm90, sm100' in done.stderr


def test_an_unknown_core_is_an_error_at_the_with_line():
    with pytest.raises(ValueError, match="none of exact, sm90, sm100"), tp.interpreter(tensor_core="sm80"):
        pass


def test_a_check_uses_it_in_all_orders():
    x, y = chain(jnp.float16, *[(2**-12, 2**-13)] * 8)
    with tp.check(tensor_core="sm90"):
        assert product_of(x, y)[0, 0] == 1 + 2**-22
