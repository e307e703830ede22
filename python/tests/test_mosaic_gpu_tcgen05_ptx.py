"""Kernels of Mosaic GPU with tcgen05 as PTX: the interpreter's bits with tensor core sm100, and traps where a wait is missing."""

import jax.numpy as jnp
import pytest

import tilegrind
from ptx_runs import BACKENDS, module_of, same_bits
from tcgen05_kernels import (COPIED_FACTOR, added_to_two, by_a_copied_factor, factors, once, product, read_too_early, stored_by_another_thread,
                             three_times)


def check(launch, args, tmp_path):
    module, inputs = module_of(launch, args, tmp_path)
    same_bits(module, inputs, tensor_core="sm100")


@pytest.mark.parametrize(("dtype", "out"), [(jnp.float16, jnp.float32), (jnp.bfloat16, jnp.float32), (jnp.float32, jnp.float32),
                                            (jnp.float8_e4m3fn, jnp.float32), (jnp.int8, jnp.int32)])
def test_dtypes(dtype, out, tmp_path):
    check(product(once, dtype, out), factors(dtype), tmp_path)


def test_products_of_a_loop(tmp_path):
    check(product(three_times), factors(), tmp_path)


def test_a_value_in_tensor_memory(tmp_path):
    check(product(added_to_two), factors(), tmp_path)


def test_a_left_factor_in_tensor_memory(tmp_path):
    """The threads copy it, so that the arrival is theirs as well."""
    check(product(by_a_copied_factor, extra=[COPIED_FACTOR]), factors(), tmp_path)


def test_another_thread_takes_the_result(tmp_path):
    check(product(stored_by_another_thread, threads=2), factors(), tmp_path)


def test_a_sum_that_is_read_too_early(tmp_path):
    module, inputs = module_of(product(read_too_early), factors(), tmp_path)
    for backend in BACKENDS:
        with pytest.raises(tilegrind.Error, match="tensor-race"):
            module.run(inputs, backend=backend, tensor_core="sm100")
