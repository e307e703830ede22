"""Profile `fast` through the Python interface: what it changes, and what not."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind
from jax.experimental import pallas as pl
from tilegrind.pallas import export, interpreter


def exp_kernel(x_ref, o_ref):
    o_ref[...] = jnp.exp(x_ref[...])


def exp_module(dtype):
    shape = jax.ShapeDtypeStruct((4096,), dtype)
    module = export(pl.pallas_call(exp_kernel, out_shape=shape), shape)
    return tilegrind.loads(module.dumps())


def run(dtype, **options):
    """The bits of exp over [-20, 20], and the profile that the report names."""
    x = np.linspace(-20, 20, 4096).astype(dtype)
    module = exp_module(dtype)
    name, = (p.name for p in module.params() if p.role == "input")
    done = module.run({name: x}, **options)
    output, = done.outputs.values()
    return output.view(f"u{output.dtype.itemsize}").astype(np.int64), done.profile


def run_fast(dtype, **options):
    skip_without_sleef()
    return run(dtype, profile="fast", **options)


def skip_without_sleef():
    try:
        run(jnp.float32, profile="fast")
    except tilegrind.Error as error:
        assert error.status == "ERR_UNSUPPORTED" and "SLEEF" in str(error)
        pytest.skip(str(error))


def test_reference_is_the_default():
    assert run(jnp.float32)[1] == "reference"
    assert np.array_equal(run(jnp.float32)[0], run(jnp.float32, profile="reference")[0])


def test_f32_is_within_one_step_with_the_same_bits_on_every_instruction_set():
    bits, profile = run_fast(jnp.float32)
    assert profile == "fast"
    far = np.abs(bits - run(jnp.float32)[0])
    assert far.max() == 1, "some results differ, none by more than a step"
    assert np.array_equal(bits, run_fast(jnp.float32, isa="baseline")[0])


def test_narrow_floats_stay_as_they_are():
    assert np.array_equal(run_fast(jnp.bfloat16)[0], run(jnp.bfloat16)[0])


def test_unknown_profile():
    with pytest.raises(tilegrind.Error, match="neither reference nor fast"):
        run(jnp.float32, profile="quick")


@pytest.mark.parametrize("profile", [None, "reference", "fast"])
def test_in_the_place_of_jax_interpreter(profile):
    """The same bits as a run of the exported kernel in that profile."""
    if profile == "fast":
        skip_without_sleef()
    x = np.linspace(-20, 20, 4096).astype(np.float32)
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    with interpreter(**({} if profile is None else {"profile": profile})):
        found = pl.pallas_call(exp_kernel, out_shape=shape, interpret=True)(x)
        found = np.asarray(found).view(np.uint32)
    assert np.array_equal(found, run(jnp.float32, profile=profile)[0])
