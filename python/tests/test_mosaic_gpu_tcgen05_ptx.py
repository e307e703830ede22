"""Kernels of Mosaic GPU with tcgen05 as PTX: the interpreter's bits with tensor core sm100, and traps where a wait is missing."""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu
from test_mosaic_gpu_tcgen05 import K, M, N, factors, once, product

import tilegrind
from tilegrind.pallas import export

BACKENDS = ("emulator", "emulator:1", "emulator:2")


def module_of(launch, args, tmp_path):
    """The kernel, and its inputs by name."""
    path = tmp_path / "kernel.json"
    export(launch, *args).save(str(path))
    names = [param["name"] for param in json.loads(path.read_text())["kernels"][0]["params"] if param["role"] == "input"]
    return tilegrind.load(path), dict(zip(names, map(np.asarray, args)))


def check(launch, args, tmp_path):
    module, inputs = module_of(launch, args, tmp_path)
    [want] = module.run(inputs, tensor_core="sm100").outputs.values()
    for backend in BACKENDS:
        run = module.run(inputs, backend=backend, tensor_core="sm100")
        [got] = run.outputs.values()
        assert not run.findings and got.tobytes() == want.tobytes(), backend


@pytest.mark.parametrize(("dtype", "out"), [(jnp.float16, jnp.float32), (jnp.bfloat16, jnp.float32), (jnp.float32, jnp.float32),
                                            (jnp.float8_e4m3fn, jnp.float32), (jnp.int8, jnp.int32)])
def test_dtypes(dtype, out, tmp_path):
    check(product(once, dtype, out), factors(dtype), tmp_path)


def test_products_of_a_loop(tmp_path):
    def body(a, b, acc, done, o_ref):
        @pl.loop(0, 3)
        def _step(i):
            plgpu.tcgen05_mma(acc, a, b, accumulate=i > 0)

        plgpu.tcgen05_commit_arrive(done)
        plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(acc)

    check(product(body), factors(), tmp_path)


def test_a_value_in_tensor_memory(tmp_path):
    def body(a, b, acc, done, o_ref):
        plgpu.async_store_tmem(acc, jnp.full((M, N), 2, jnp.float32))
        plgpu.commit_tmem()
        plgpu.tcgen05_mma(acc, a, b, done)
        plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(acc)

    check(product(body), factors(), tmp_path)


def test_a_left_factor_in_tensor_memory(tmp_path):
    """The threads copy it, so that the arrival is theirs as well."""
    def body(a, b, acc, done, o_ref, left):
        plgpu.async_copy_smem_to_tmem(a, left)
        plgpu.tcgen05_mma(acc, left, b, done, accumulate=False)
        plgpu.barrier_wait(done)
        o_ref[...] = plgpu.async_load_tmem(acc)

    check(product(body, extra=[plgpu.TMEM((M, K), jnp.float16, packed=True)]), factors(), tmp_path)


def test_another_thread_takes_the_result(tmp_path):
    def body(a, b, acc, done, o_ref):
        @pl.when(jax.lax.axis_index("thread") == 0)
        def _multiply():
            plgpu.tcgen05_mma(acc, a, b, done, accumulate=False)

        @pl.when(jax.lax.axis_index("thread") == 1)
        def _store():
            plgpu.barrier_wait(done)
            o_ref[...] = plgpu.async_load_tmem(acc)

    check(product(body, threads=2), factors(), tmp_path)


def test_a_sum_that_is_read_too_early(tmp_path):
    def body(a, b, acc, done, o_ref):
        plgpu.tcgen05_mma(acc, a, b, done, accumulate=False)
        o_ref[...] = plgpu.async_load_tmem(acc)
        plgpu.barrier_wait(done)

    module, inputs = module_of(product(body), factors(), tmp_path)
    for backend in BACKENDS:
        with pytest.raises(tilegrind.Error, match="tensor-race"):
            module.run(inputs, backend=backend, tensor_core="sm100")
