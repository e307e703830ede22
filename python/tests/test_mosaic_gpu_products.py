"""Products of Mosaic GPU's wgmma: accumulators in flight, on a CPU in every order."""

import functools
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import tilegrind
import tilegrind.pallas as tp
from mosaic_kernels import ORDERS, kinds_among, runs, tiles

kinds = functools.partial(kinds_among, ("product-in-flight", "product-not-awaited"))
M, N, K = 64, 128, 64


def product(scope, dtype=jnp.float16, out=jnp.float32, b_shape=(K, N)):
    """A kernel that has a (M, K) and b in shared memory, and stores what `scope` returns of them."""

    def kernel(a_ref, b_ref, o_ref, a, b, ready):
        for source, target in ((a_ref, a), (b_ref, b)):
            plgpu.copy_gmem_to_smem(source, target, ready)
        plgpu.barrier_wait(ready)
        o_ref[...] = scope(a, b)

    return plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((M, N), out), scratch_types=[
        plgpu.SMEM((M, K), dtype, transforms=tiles(dtype)), plgpu.SMEM(b_shape, dtype, transforms=tiles(dtype)),
        plgpu.Barrier(num_arrivals=2)])


def factors(dtype=jnp.float16, b_shape=(K, N)):
    if jnp.issubdtype(dtype, jnp.integer):
        return (jax.random.randint(jax.random.key(i), shape, -128, 127, dtype) for i, shape in enumerate(((M, K), b_shape)))
    return (jax.random.normal(jax.random.key(i), shape, jnp.float32).astype(dtype) for i, shape in enumerate(((M, K), b_shape)))


def in_accumulator(body, dtype=jnp.float32):
    return lambda a, b: pl.run_scoped(lambda acc: body(acc, a, b), plgpu.ACC((M, N), dtype))


def multiply(acc, a, b):
    plgpu.wgmma(acc, a, b)
    return acc[...]


def exact(a, b, out=jnp.float32):
    """The same sums by the interpreter's own dot."""
    def kernel(a_ref, b_ref, o_ref):
        o_ref[...] = jax.lax.dot(a_ref[...], b_ref[...], preferred_element_type=out)

    with tp.interpreter():
        return np.asarray(pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((a.shape[0], b.shape[1]), out), interpret=True)(a, b))


# -- values --


@pytest.mark.parametrize(("dtype", "out"), [
    (jnp.float16, jnp.float32), (jnp.float16, jnp.float16), (jnp.bfloat16, jnp.float32), (jnp.float32, jnp.float32),
    (jnp.float8_e4m3fn, jnp.float32), (jnp.float8_e5m2, jnp.float32), (jnp.int8, jnp.int32)])
def test_dtypes(dtype, out):
    """The bits of a dot: of f32 as well, which hardware cuts to tf32.  Only elements of 16 bits may be contiguous along N."""
    is_turned = jnp.dtype(dtype).itemsize != 2

    def scope(acc, a, b):
        plgpu.wgmma(acc, a, plgpu.transpose_ref(b, (1, 0)) if is_turned else b)
        return acc[...]

    b_shape = (N, K) if is_turned else (K, N)
    a, b = factors(dtype, b_shape)
    for result in runs(product(in_accumulator(scope, out), dtype, out, b_shape), a, b):
        np.testing.assert_array_equal(result, exact(a, b.T if is_turned else b, out))


def test_products_of_a_loop_accumulate():
    def scope(acc, a, b):
        def step(i, _):
            plgpu.wgmma(acc, a, b)
            plgpu.wgmma_wait(1)
            return ()

        jax.lax.fori_loop(0, 3, step, ())
        return acc[...]

    a, b = factors()
    once = exact(a, b)
    for result in runs(product(in_accumulator(scope)), a, b):
        np.testing.assert_array_equal(result, once + once + once)


def test_factors_of_all_but_the_newest_product_may_be_overwritten():
    def scope(acc, a, b):
        def step(i, _):
            plgpu.wgmma(acc, a, b.at[i])
            others = b.at[1 - i]
            others[...] = others[...] * 2
            plgpu.commit_smem()
            return ()

        jax.lax.fori_loop(0, 2, step, ())
        return acc[...]

    def kernel(a_ref, b_ref, o_ref, a, b, ready):
        for source, target in ((a_ref, a), (b_ref, b.at[0]), (b_ref, b.at[1])):
            plgpu.copy_gmem_to_smem(source, target, ready)
        plgpu.barrier_wait(ready)
        o_ref[...] = in_accumulator(scope)(a, b)

    launch = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((M, N), jnp.float32), scratch_types=[
        plgpu.SMEM((M, K), jnp.float16, transforms=tiles(jnp.float16)), plgpu.SMEM((2, K, N), jnp.float16, transforms=tiles(jnp.float16)),
        plgpu.Barrier(num_arrivals=3)])
    a, b = factors()
    for result in runs(launch, a, b):
        np.testing.assert_allclose(result, 3 * exact(a, b), rtol=1e-4, atol=1e-4)


def test_a_left_factor_in_registers():
    def scope(acc, a, b):
        plgpu.wgmma(acc, a[...] * 2, b)
        return acc[...]

    a, b = factors()
    for result in runs(product(in_accumulator(scope)), a, b):
        np.testing.assert_array_equal(result, exact(a * 2, b))


def test_transposed_factors():
    def scope(acc, a, b):
        plgpu.wgmma(acc, plgpu.transpose_ref(a, (1, 0)), plgpu.transpose_ref(b, (1, 0)))
        return acc[...]

    a, b = factors(b_shape=(N, K))
    for result in runs(product(in_accumulator(scope), b_shape=(N, K)), a, b):
        np.testing.assert_array_equal(result, exact(a.T, b.T))


def test_a_part_of_an_accumulator():
    def scope(acc, a, b):
        plgpu.wgmma(acc.at[:, pl.ds(64, 64)], a, b.at[:, pl.ds(0, 64)])
        return acc[...]

    a, b = factors()
    for result in runs(product(in_accumulator(scope)), a, b):
        np.testing.assert_array_equal(result, np.pad(exact(a, b)[:, :64], ((0, 0), (64, 0))))


def test_an_accumulator_begins_as_zeros():
    def kernel(o_ref, acc):
        o_ref[...] = acc[...]

    for result in runs(plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((M, N), jnp.float32), scratch_types=[plgpu.ACC((M, N))])):
        assert not result.any()


def test_an_accumulator_with_an_initial_value():
    def scope(a, b):
        def body(acc):
            acc[...] += 1
            plgpu.wgmma(acc, a, b)

        return pl.run_state(body)(plgpu.ACC.init(jnp.full((M, N), 2, jnp.float32)))

    a, b = factors()
    for result in runs(product(scope), a, b):
        np.testing.assert_array_equal(result, 3 + exact(a, b))


def test_what_the_function_returns_comes_before_the_accumulator():
    """As in JAX's lowering for Mosaic GPU."""
    def scope(a, b):
        del a, b
        return pl.run_state(lambda acc: acc[...] * 5)(plgpu.ACC.init(jnp.full((M, N), 2, jnp.float32)))

    for result in runs(product(scope), *factors()):
        np.testing.assert_array_equal(result, np.full((M, N), 10))


def test_shared_memory_that_a_run_state_closes_over():
    def scope(a, b):
        def body(acc):
            plgpu.wgmma(acc, a[...], b)

        return pl.run_state(body)(plgpu.ACC.init(jnp.zeros((M, N), jnp.float32)))

    a, b = factors()
    for result in runs(product(scope), a, b):
        np.testing.assert_array_equal(result, exact(a, b))


def test_accumulators_of_several_threads():
    def kernel(a_ref, b_ref, o_ref, a, b, ready):
        thread = jax.lax.axis_index("thread")

        @pl.when(thread == 0)
        def _load():
            plgpu.copy_gmem_to_smem(a_ref, a, ready)
            plgpu.copy_gmem_to_smem(b_ref, b, ready)

        plgpu.barrier_wait(ready)
        columns = pl.ds(thread * 64, 64)

        def scope(acc):
            plgpu.wgmma(acc, a, b.at[:, columns])
            return acc[...]

        o_ref[:, columns] = pl.run_scoped(scope, plgpu.ACC((M, 64)))

    launch = plgpu.kernel(kernel, out_type=jax.ShapeDtypeStruct((M, N), jnp.float32), num_threads=2, thread_name="thread",
                          scratch_types=[plgpu.SMEM((M, K), jnp.float16, transforms=tiles(jnp.float16)),
                                         plgpu.SMEM((K, N), jnp.float16, transforms=tiles(jnp.float16)),
                                         plgpu.Barrier(num_arrivals=2)])
    a, b = factors()
    for result in runs(launch, a, b):
        np.testing.assert_array_equal(result, exact(a, b))


# -- what is found --


def test_an_accumulator_that_is_read_too_early():
    def scope(acc, a, b):
        plgpu.wgmma(acc, a, b)
        early = plgpu.wgmma_accumulator_load(acc, wait_n=None)
        plgpu.wgmma_wait(0)
        return early

    for order in ORDERS:
        assert kinds(product(in_accumulator(scope)), *factors(), order=order) == {"product-in-flight"}


def test_an_accumulator_that_is_read_too_early_has_other_values():
    def scope(acc, a, b):
        plgpu.wgmma(acc, a, b)
        early = plgpu.wgmma_accumulator_load(acc, wait_n=1)
        plgpu.wgmma_wait(0)
        return early

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with tp.interpreter(findings="warn"):
            assert not np.asarray(product(in_accumulator(scope))(*factors())).any()


def test_a_factor_that_is_overwritten_too_early():
    def scope(acc, a, b):
        plgpu.wgmma(acc, a, b)
        a[...] = jnp.zeros((M, K), jnp.float16)
        return acc[...]

    for order in ORDERS:
        assert kinds(product(in_accumulator(scope)), *factors(), order=order) == {"product-in-flight"}


def test_a_product_that_nobody_waits_for():
    def scope(acc, a, b):
        plgpu.wgmma(acc, a, b)
        return jnp.zeros((M, N), jnp.float32)

    assert kinds(product(in_accumulator(scope)), *factors()) == {"product-not-awaited"}


# -- what is exported --


def test_the_kernel():
    [exported] = tp.export(product(in_accumulator(multiply)), *factors()).kernels
    scoped = next(op for op in exported["body"]["ops"] if op["op"] == "scoped")
    ops = scoped["regions"][0]["ops"]
    start = next(op for op in ops if op["op"] == "dot_start")
    names = [op["op"] for op in ops if op["op"] == "load" or op["op"].startswith("dot_")]
    assert names[-5:] == ["dot_start", "dot_commit", "dot_wait_groups", "dot_wait_groups", "load"]
    assert start["instruction"] == "wgmma"


def test_layouts_of_the_factors():
    """The check for layouts knows what wgmma takes: it would read rows of 128 bytes without a swizzle wrongly."""
    a, b = (np.asarray(factor) for factor in factors())
    exported = tp.export(product(in_accumulator(multiply)), a, b)
    names = [param["name"] for param in exported.kernels[0]["params"][:2]]

    def found():
        report = tilegrind.loads(exported.dumps()).run(dict(zip(names, (a, b))), checks="layouts", layouts="physical")
        return {finding.kind for finding in report.findings}

    assert found() == set()
    held = next(param for param in exported.kernels[0]["params"] if param["name"] == "a")
    held["layout"] = held["layout"].partition(" o ")[2]
    assert found() == {"layout-mismatch"}
