"""Code that kernels of Mosaic GPU insert: PTX as text, and what somebody says that MLIR does."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax._src.pallas.mosaic_gpu import helpers
from jax.experimental.pallas import mosaic_gpu as plgpu

import tilegrind.pallas as tp
from mosaic_kernels import TILES, f32, found, ints, launch_of, numbers, refusal, runs

LAYOUT = plgpu.Layout.WGMMA
SHAPE = (64, 64)


def emitted(*_):
    raise AssertionError("MLIR is emitted")


def exported(function):
    def body(o_ref):
        function()
        o_ref[...] = jnp.zeros((8,), jnp.int32)

    return tp.export(launch_of(body, out=ints(8)))


def test_a_fence_that_is_inserted_as_text():
    [kernel] = exported(lambda: helpers.inline_ptx("fence.proxy.async.shared::cta;")).kernels
    assert "proxy_fence" in [op["op"] for op in kernel["body"]["ops"]]


def test_other_text_that_is_inserted_is_refused():
    with pytest.raises(tp.ExportError, match="inline PTX is not supported: nanosleep.u32 1;"):
        exported(lambda: helpers.inline_ptx(" nanosleep.u32 1;"))


def tiled_sum():
    """A kernel that loads by one inserted function, from memory in tiles, and stores by another one."""

    def body(x_ref, o_ref, tile, arrived):
        plgpu.copy_gmem_to_smem(x_ref, tile.at[1], arrived)
        plgpu.barrier_wait(arrived)

        @plgpu.inline_mgpu(arg_types=(plgpu.RefType(TILES),), return_type=plgpu.ShapeDtypeStruct(SHAPE, jnp.float32, layout=LAYOUT))
        def twice(ctx, ref):
            emitted(ctx, ref)

        @plgpu.inline_mgpu(arg_types=(LAYOUT, plgpu.RefType(TILES), plgpu.RefType()))
        def put(ctx, value, ref, out):
            emitted(ctx, value, ref, out)

        put(twice(tile.at[1]), tile, o_ref)

    return launch_of(body, out=f32(*SHAPE), scratch=[plgpu.SMEM((2, *SHAPE), jnp.float32, transforms=TILES), plgpu.Barrier()])


def twice(ref):
    return ref[...] + ref[...]


def put(value, ref, out):
    ref[0] = value
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(ref.at[0], out)
    plgpu.wait_smem_to_gmem(0)


def put_without_fence(value, ref, out):
    ref[0] = value
    plgpu.copy_smem_to_gmem(ref.at[0], out)
    plgpu.wait_smem_to_gmem(0)


def test_what_inserted_functions_do():
    x = numbers(*SHAPE)
    with tp.inline_effects({"twice": twice, "put": put}):
        for result in runs(tiled_sum(), x):
            np.testing.assert_array_equal(result, x + x)
        assert found(tiled_sum(), x) == set()


def test_an_effect_may_have_constants():
    x, weights = numbers(*SHAPE), jnp.sqrt(numbers(*SHAPE))
    with tp.inline_effects({"twice": lambda ref: ref[...] + weights, "put": put}), tp.interpreter():
        np.testing.assert_array_equal(tiled_sum()(x), x + weights)


def test_an_effect_is_checked_as_the_kernel_around_it_is():
    with tp.inline_effects({"twice": twice, "put": put_without_fence}):
        assert found(tiled_sum(), numbers(*SHAPE)) == {"proxy-fence-missing"}


def test_a_finding_in_an_effect_names_its_line():
    with tp.inline_effects({"twice": twice, "put": put_without_fence}), tp.check(on_finding="collect") as checked:
        jax.block_until_ready(tiled_sum()(numbers(*SHAPE)))
    line = put_without_fence.__code__.co_firstlineno + 2
    [finding] = checked.findings
    assert f"{Path(__file__).name}:{line} in put_without_fence" in str(finding)
    assert "called from" in str(finding) and "in tiled_sum.<locals>.body" in str(finding)


def body_of_threads(o_ref):
    @plgpu.inline_mgpu(arg_types=(plgpu.RefType(), plgpu.Layout.WG_SPLAT), return_type=(
        plgpu.ShapeDtypeStruct((), jnp.int32, layout=plgpu.Layout.WG_SPLAT),))
    def number(ctx, ref, value):
        emitted(ctx, ref, value)

    at = lax.axis_index("block"), lax.axis_index("thread")
    [result] = number(o_ref.at[at], jnp.int32(5))
    o_ref[at] = o_ref[at] + result


def number(ref, value):
    ref[...] = value
    return (10 * lax.axis_index("block") + lax.axis_size("thread"),)


def threads():
    return launch_of(body_of_threads, out=ints(2, 3), grid=(2,), grid_names=("block",), num_threads=3, thread_name="thread")


def test_an_effect_may_ask_for_the_axes_of_the_kernel():
    with tp.inline_effects({"number": number}):
        for result in runs(threads()):
            np.testing.assert_array_equal(result, [[8, 8, 8], [18, 18, 18]])


@pytest.mark.parametrize("outer, inner, wanted", [
    ({"number": 1}, {"number": 2}, 2),
    ({"body_of_threads.<locals>.number": 1}, {"number": 2}, 1),
    ({"number": 1}, {"umber": 2}, 1)], ids=["the innermost", "the longest", "whole names"])
def test_which_of_several_effects_counts(outer, inner, wanted):
    def returns(result):
        return lambda ref, value: (jnp.int32(result),)

    def effects(names):
        return tp.inline_effects({name: returns(result) for name, result in names.items()})

    def body(o_ref):
        o_ref[...] = jnp.zeros((2, 3), jnp.int32)
        body_of_threads(o_ref)

    launch = launch_of(body, out=ints(2, 3), grid=(1,), grid_names=("block",), num_threads=1, thread_name="thread")
    with effects(outer), effects(inner), tp.interpreter():
        assert launch()[0, 0] == wanted


def test_an_effect_ends_with_its_block():
    with tp.inline_effects({"number": number}), tp.interpreter():
        threads()()
    assert "the inserted code raises AssertionError: MLIR is emitted; inline_effects can say what it does" in refusal(threads())


@pytest.mark.parametrize("effect, message", [
    (lambda ref, value: None, "returns nothing, and the code in its place int32[]"),
    (lambda ref, value: value, "returns PyTreeDef(*), and the code in its place PyTreeDef((*,))"),
    (lambda ref, value: (jnp.zeros((2,), jnp.float32),), "returns float32[2], and the code in its place int32[]")],
    ids=["nothing", "no tuple", "another type"])
def test_results_of_an_effect_must_be_those_of_the_code(effect, message):
    with tp.inline_effects({"number": effect}):
        assert message in refusal(threads())
