"""The tolerance that captured cases get."""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from tilegrind.pallas import export
from tilegrind.ir.tolerance import default_tolerance


def _tolerance(kernel, dtype, *operands):
    call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((16, 16), dtype), interpret=True)
    return default_tolerance(export(call, *operands).json()["kernels"][0])


def test_element_wise_kernels_round_each_operation_once():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...] * 2 + 1

    assert _tolerance(kernel, jnp.float32, jnp.ones((16, 16))) == {"ulp": 4, "scale_ulp": 4}


def test_sums_allow_for_their_terms():
    def kernel(x_ref, y_ref, o_ref):
        o_ref[...] = jax.lax.fori_loop(0, 2, lambda i, acc: acc + x_ref[...] @ y_ref[...],
                                       jnp.zeros((16, 16)))

    operands = jnp.ones((16, 32)), jnp.ones((32, 16))
    assert _tolerance(kernel, jnp.float32, *operands) == {"ulp": 4, "scale_ulp": 4 + 4 * 32}


def test_a_narrow_output_hides_the_error_of_a_sum_in_f32():
    def kernel(x_ref, o_ref):
        rows = jnp.sum(x_ref[...].astype(jnp.float32), axis=1, keepdims=True)
        o_ref[...] = jnp.broadcast_to(rows, (16, 16)).astype(jnp.float16)

    operand = jnp.ones((16, 16), jnp.float16)
    assert _tolerance(kernel, jnp.float16, operand) == {"ulp": 4, "scale_ulp": 4}
