"""Dynamic scheduling of Mosaic GPU: a cluster asks for the work of one that has not begun, and there is none to take over."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src.pallas.mosaic_gpu import helpers
from jax.experimental.pallas import mosaic_gpu as plgpu

import tilegrind.pallas as tp
from mosaic_kernels import runs


def test_a_dynamic_scheduling_loop():
    def body(x_ref, o_ref):
        thread = jax.lax.axis_index("thread")

        @plgpu.dynamic_scheduling_loop(grid_names=("block",), thread_axis="thread")
        def loop(info):
            [block] = info.index
            o_ref[block, thread] = x_ref[block, thread] + 1

    launch = plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((5, 2, 128), jnp.float32), grid=(5,), grid_names=("block",),
                          num_threads=2, thread_name="thread")
    x = jnp.arange(5 * 2 * 128, dtype=jnp.float32).reshape(5, 2, 128)
    for result in runs(launch, x):
        np.testing.assert_array_equal(result, x + 1)
    with tp.check():
        launch(x)


def exported(function):
    def body(o_ref):
        function()
        o_ref[...] = jnp.zeros((8,), jnp.int32)

    return tp.export(plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((8,), jnp.int32)))


def test_a_fence_that_is_inserted_as_text():
    [kernel] = exported(lambda: helpers.inline_ptx("fence.proxy.async.shared::cta;")).kernels
    assert "proxy_fence" in [op["op"] for op in kernel["body"]["ops"]]


@pytest.mark.parametrize("function, message", [
    (lambda: plgpu.inline_mgpu()(lambda _: None)(), "code that emits MLIR has no values here"),
    (lambda: helpers.inline_ptx(" nanosleep.u32 1;"), "inline PTX is not supported: nanosleep.u32 1;")], ids=["MLIR", "PTX"])
def test_other_code_that_is_inserted_is_refused(function, message):
    with pytest.raises(tp.ExportError, match=message):
        exported(function)
