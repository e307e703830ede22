"""Tilegrind in the place of JAX's interpreter: the same results as JAX's, under every transformation, and what
it says when a kernel is wrong."""

import contextlib
import re
import threading

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import tilegrind.pallas as tp
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from kernels import OUTSIDE_PLACE, X, blocks_of_two, double_kernel, outside_call, shaped
from tilegrind.ir.dtypes import IR_NAMES


def double(x):
    return pl.pallas_call(double_kernel, out_shape=shaped(*x.shape, dtype=x.dtype), interpret=True)(x)


@contextlib.contextmanager
def expecting(runs, lowered=None, **options):
    """A block in Tilegrind, in which kernels run just so many times."""
    before = tp.statistics()
    with tp.interpreter(**options):
        yield
    after = tp.statistics()
    assert after.runs - before.runs == runs
    assert after.refused == before.refused
    assert lowered is None or after.lowered - before.lowered == lowered


@contextlib.contextmanager
def expecting_runs(runs):
    before = tp.statistics().runs
    yield
    assert tp.statistics().runs == before + runs


# -- transformations: (function of X, number of runs) --


@jax.custom_vjp
def with_gradient(x):
    return double(x)


with_gradient.defvjp(lambda x: (double(x), None), lambda _, g: (double(g),))

TRANSFORMED = {
    "eager": (double, 1),
    "jit": (jax.jit(double), 1),
    "vmap": (lambda x: jax.vmap(double)(jnp.stack([x, x + 1])), 1),
    "vmap of vmap": (lambda x: jax.vmap(jax.vmap(double))(x.reshape(2, 2, 2)), 1),
    "vmap over another axis": (lambda x: jax.vmap(double, 1, 1)(x.reshape(2, 4)), 1),
    "scan": (lambda x: jax.lax.scan(lambda c, _: (double(c), c), x, None, length=5)[0], 5),
    "while": (lambda x: jax.lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, double(c[1])),
                                           (0, x))[1], 3),
    "cond": (lambda x: jax.jit(lambda i, x: jax.lax.cond(i > 0, double, lambda x: x, x))(1, x), 1),
    "twice": (lambda x: jax.jit(lambda x: double(double(x)))(x), 2),
    "jvp": (lambda x: jax.jvp(double, (x,), (x + 1,))[1], 1),
    "gradient": (lambda x: jax.jit(jax.grad(lambda x: (with_gradient(x) ** 2).sum()))(x), 2),
    "remat": (lambda x: jax.grad(lambda x: (jax.checkpoint(with_gradient)(x) ** 2).sum())(x), None),
    "compiled ahead": (lambda x: jax.jit(double).lower(x).compile()(x), 1),
    "pmap": (lambda x: jax.pmap(double)(x[None]), 1),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformation(name):
    function, runs = TRANSFORMED[name]
    expected = function(X)
    before = tp.statistics()
    with tp.interpreter():
        found = function(X)
    after = tp.statistics()
    np.testing.assert_array_equal(found, expected)
    assert after.runs - before.runs == runs or (runs is None and after.runs > before.runs)
    assert after.failed == before.failed


def test_without_jit():
    with expecting(1), jax.disable_jit():
        np.testing.assert_array_equal(double(X), 2 * X)


def test_outside_of_the_block_nothing_runs():
    call = jax.jit(double)
    with expecting(1):
        call(X)
    before = tp.statistics()
    np.testing.assert_array_equal(call(X), 2 * X)
    assert tp.statistics() == before


def test_unused_and_equal_calls():
    with expecting(1):  # XLA drops the one and merges the others
        jax.jit(lambda x: (double(x) + double(x), double(x + 1))[0])(X)


def test_dynamic_grid():
    def kernel(o_ref):
        o_ref[pl.program_id(0)] = pl.num_programs(0)

    @jax.jit
    def run(steps):
        return pl.pallas_call(kernel, out_shape=shaped(4, dtype=jnp.int32), grid=(steps,), interpret=True,
                              input_output_aliases={})()

    with expecting(2, lowered=1, findings="warn"):
        assert run(4).tolist() == [4] * 4
        with pytest.warns(tp.FindingWarning, match="no program wrote 2 of the 4"):
            assert run(2)[:2].tolist() == [2, 2]
    with expecting(1), pytest.raises((ValueError, jax.errors.JaxRuntimeError),
                                     match="axis 0 of the grid has size -1"):
        jax.block_until_ready(run(4))
        jax.block_until_ready(run(-1))


def test_dynamic_grid_of_an_array_with_one_element():
    def kernel(o_ref):
        o_ref[pl.program_id(0)] = pl.num_programs(0)

    @jax.jit
    def run(steps):
        return pl.pallas_call(kernel, out_shape=shaped(4, dtype=jnp.int32), grid=(steps,), interpret=True)()

    with expecting(1):
        assert run(jnp.asarray([4], jnp.int32)).tolist() == [4] * 4


def test_dynamic_size_in_an_index_map():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    @jax.jit
    def backwards(steps, x):
        backward = pl.BlockSpec((2,), lambda i: (pl.num_programs(0) - 1 - i,))
        return pl.pallas_call(kernel, out_shape=shaped(8), grid=(steps,), in_specs=[backward],
                              out_specs=pl.BlockSpec((2,), lambda i: (i,)), interpret=True)(x)

    with expecting(1):
        np.testing.assert_array_equal(backwards(4, X), X.reshape(4, 2)[::-1].reshape(-1))


def test_scalar_prefetch():
    def kernel(n_ref, x_ref, o_ref):
        o_ref[...] = x_ref[...] * n_ref[pl.program_id(0)]

    spec = pl.BlockSpec((2,), lambda i, n_ref: (n_ref[i],))
    grid = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(4,), in_specs=[spec], out_specs=spec)
    n = jnp.asarray([3, 1, 0, 2], jnp.int32)
    call = jax.jit(pl.pallas_call(kernel, out_shape=shaped(8), grid_spec=grid, interpret=True))
    expected = call(n, X)
    with expecting(1):
        np.testing.assert_array_equal(call(n, X), expected)


def add_to_first(x_ref, o_ref):
    o_ref[0] = x_ref[0] + 1


def test_alias_keeps_what_is_not_written_and_the_input():
    call = pl.pallas_call(add_to_first, out_shape=shaped(8), input_output_aliases={0: 0}, interpret=True)
    x = jnp.asarray(X)
    with expecting(3):
        assert jax.jit(call)(x).tolist() == [1, *X[1:]]
        assert jax.jit(call, donate_argnums=0)(x + 0).tolist() == [1, *X[1:]]
        assert jax.jit(lambda x: (call(x), x))(x)[1].tolist() == X.tolist()
    assert x.tolist() == X.tolist()


def test_inputs_that_the_kernel_writes_stay():
    def kernel(x_ref, o_ref):
        x_ref[...] = x_ref[...] + 1
        o_ref[...] = x_ref[...]

    x = jnp.asarray(X)
    with expecting(1):
        out = pl.pallas_call(kernel, out_shape=shaped(8), interpret=True)(x)
    assert out.tolist() == (X + 1).tolist() and x.tolist() == X.tolist()


@pytest.mark.parametrize("count", [1, 40])
def test_many_operands_and_results(count):
    def kernel(*refs):
        for source, target in zip(refs[:count], refs[count:]):
            target[...] = source[...] + 1

    with expecting(1):
        outs = pl.pallas_call(kernel, out_shape=[shaped(3)] * count, interpret=True)(
            *[jnp.full(3, i, jnp.float32) for i in range(count)])
    assert [out.tolist() for out in outs] == [[i + 1] * 3 for i in range(count)]


def test_arrays_without_elements():
    with expecting(0):
        assert double(jnp.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("name", IR_NAMES)
def test_dtype(name):
    if name.endswith("64"):
        context = jax.enable_x64(True)
    else:
        context = contextlib.nullcontext()
    with context:
        x = jnp.asarray([0, 1, 1, 0, 1, 1, 1]).astype(name)
        if jnp.issubdtype(x.dtype, jnp.integer) and x.dtype.name.startswith("int"):
            x = -x
        with expecting(1):
            out = pl.pallas_call(lambda x_ref, o_ref: o_ref.__setitem__(..., x_ref[...]),
                                 out_shape=shaped(7, dtype=x.dtype), interpret=True)(x)
        assert out.dtype == x.dtype and np.asarray(out).tobytes() == np.asarray(x).tobytes()


@pytest.mark.parametrize("dtype", [ml_dtypes.int4, ml_dtypes.uint4])
def test_packed_elements(dtype):
    values = np.arange(-8 if dtype == ml_dtypes.int4 else 0, 8 if dtype == ml_dtypes.int4 else 16)
    x = jnp.asarray(values[:15].reshape(3, 5).astype(dtype))
    aliased = pl.pallas_call(lambda x_ref, o_ref: o_ref.__setitem__((0, 1), x_ref[2, 4]),
                             out_shape=shaped(3, 5, dtype=dtype), input_output_aliases={0: 0}, interpret=True)
    with expecting(2):
        wide = pl.pallas_call(lambda x_ref, o_ref: o_ref.__setitem__(..., x_ref[...].astype(jnp.int32)),
                              out_shape=shaped(3, 5, dtype=jnp.int32), interpret=True)(x)
        np.testing.assert_array_equal(wide, values[:15].reshape(3, 5))
        expected = values[:15].copy()
        expected[1] = expected[14]
        np.testing.assert_array_equal(np.asarray(aliased(x)).astype(int).ravel(), expected)


def test_denormal_numbers():
    x = jnp.asarray([1e-40, -3e-45, 1.5e-38, 1.0], jnp.float32)
    with expecting(2):
        out = double(x)
        later = jax.jit(lambda x: double(x).sum())(x)  # XLA's own threads keep their environment
    assert np.asarray(out).tobytes() == (2 * np.asarray(x)).tobytes()
    assert np.isfinite(later)


# -- options --


@pytest.mark.parametrize("options", [
    {"order": "reversed"}, {"order": "shuffled:3"}, {"order": "interleaved"}, {"order": "parallel"},
    {"order": "parallel", "threads": 3}, {"order": "parallel:2"}, {"compat": "jax"}])
def test_options(options):
    with expecting(1, **options):
        np.testing.assert_array_equal(blocks_of_two(double_kernel)(X), 2 * X)


def test_order_is_kept():
    def kernel(x_ref, o_ref):  # every program writes all of it: the last one wins
        o_ref[...] = jnp.full((1,), pl.program_id(0), jnp.float32)

    call = jax.jit(pl.pallas_call(kernel, out_shape=shaped(1), grid=(4,), interpret=True))
    with tp.interpreter():
        assert call(X[:1]).tolist() == [3]
        with tp.interpreter("reversed"):
            assert call(X[:1]).tolist() == [0]
        assert call(X[:1]).tolist() == [3]
    with tp.interpreter("reversed", grid_semantics="arbitrary"):
        assert call(X[:1]).tolist() == [3]


@pytest.mark.parametrize("options, message", [
    ({"order": "sideways"}, "sideways"), ({"order": "shuffled:x"}, "shuffled:x"),
    ({"compat": "numpy"}, "numpy"), ({"profile": "quick"}, "quick"), ({"findings": "ignore"}, "ignore"), ({"threads": 2}, "threads"),
    ({"order": "parallel", "threads": 0}, "parallel:0")])
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        with tp.interpreter(**options):
            pass
    with pytest.raises(ValueError, match=message):
        tp.install(**options)


def test_install():
    try:
        tp.install()
        tp.install(order="reversed")
        before = tp.statistics()
        np.testing.assert_array_equal(double(X), 2 * X)
        assert tp.statistics().runs == before.runs + 1
    finally:
        tp.uninstall()
    before = tp.statistics()
    double(X)
    tp.uninstall()
    assert tp.statistics() == before


def test_install_inside_of_a_block():
    """Whichever ends first."""
    try:
        with tp.interpreter():
            tp.install(order="reversed")
        with expecting_runs(1):
            double(X)
    finally:
        tp.uninstall()
    with expecting_runs(0):
        double(X)
    with tp.interpreter():
        tp.install(order="reversed")
        tp.uninstall()
        with expecting_runs(1):
            double(X)


def test_capture_sees_what_tilegrind_computes(tmp_path):
    with expecting(1), tp.capture(tmp_path) as captured:
        np.testing.assert_array_equal(double(X), 2 * X)
        assert len(captured.cases) == 1


def test_tpu_interpreter():
    call = pl.pallas_call(double_kernel, out_shape=shaped(8), interpret=pltpu.InterpretParams())
    with expecting(2):
        np.testing.assert_array_equal(call(X), 2 * X)
        np.testing.assert_array_equal(jax.jit(call)(X), 2 * X)


# -- what is wrong with a kernel --


def test_findings_are_exceptions_with_the_kernels_line():
    before = tp.statistics()
    with tp.interpreter():
        with pytest.raises(jax.errors.JaxRuntimeError) as caught:
            jax.block_until_ready(jax.jit(outside_call)(X[:4]))
    assert tp.statistics().failed == before.failed + 1
    message = str(caught.value)
    assert f"{OUTSIDE_PLACE}: access-outside-ref: load reaches index 4" in message
    assert message.startswith("FAILED_PRECONDITION: kernel outside, program (1), load at ")


def test_findings_as_warnings():
    with tp.interpreter(findings="warn"):
        with pytest.warns(tp.FindingWarning, match=re.escape(f"{OUTSIDE_PLACE}: access-outside-ref")):
            out = jax.block_until_ready(jax.jit(outside_call)(X[:4]))
    assert out[:3].tolist() == [0, 1, 3] and np.isnan(out[3])


def test_findings_stay_with_their_mode():
    with tp.interpreter(findings="warn"), pytest.warns(tp.FindingWarning):
        jax.block_until_ready(jax.jit(outside_call)(X[:4]))
    with tp.interpreter(), pytest.raises(jax.errors.JaxRuntimeError, match="access-outside-ref"):
        jax.block_until_ready(jax.jit(outside_call)(X[:4]))


def unsupported(x_ref, o_ref):
    o_ref[...] = jax.lax.erf_inv(jax.lax.conv(x_ref[...], x_ref[...], (1,), "SAME"))


def unsupported_call(x):
    return pl.pallas_call(unsupported, out_shape=shaped(1, 1, 4), interpret=True)(x)


def test_what_has_no_counterpart_is_refused():
    x = X[:4].reshape(1, 1, 4)
    before = tp.statistics()
    with tp.interpreter():
        with pytest.raises(tp.ExportError, match="conv_general_dilated") as caught:
            jax.jit(unsupported_call).lower(x)
    assert caught.value.line == unsupported.__code__.co_firstlineno + 1
    after = tp.statistics()
    assert len(after.refused) == len(before.refused) + 1 and after.lowered == before.lowered
    assert after.refused[-1] is caught.value or str(after.refused[-1]) == str(caught.value)


def test_transforms_of_arguments_are_refused():
    from jax._src.pallas.mosaic_gpu.interpret import interpret_pallas_call as place

    with tp.interpreter(), pytest.raises(tp.ExportError, match="layout transforms of the kernel's arguments"):
        place.interpret_pallas_call(kernel_arg_transforms=((), ("a transform",)))


def test_fallback_is_counted():
    x = X[:4].reshape(1, 1, 4)
    expected = unsupported_call(x)
    before = tp.statistics()
    with tp.interpreter(fallback=True):
        np.testing.assert_array_equal(unsupported_call(x), expected)
        np.testing.assert_array_equal(double(X), 2 * X)
    after = tp.statistics()
    assert [error.primitive for error in after.refused[len(before.refused):]] == ["conv_general_dilated"]
    assert after.runs == before.runs + 1


def test_errors_of_jax_come_from_jax():
    with tp.interpreter():
        with pytest.raises(ValueError, match="should return None"):
            pl.pallas_call(lambda x_ref, o_ref: x_ref[...], out_shape=shaped(8), interpret=True)(X)
        with pytest.raises(ValueError, match="Only interpret mode"):
            pl.pallas_call(double_kernel, out_shape=shaped(8))(X)


# -- debug_print --


def test_print(capsys):
    def kernel(o_ref):
        jax.debug.print("program {}", pl.program_id(0))
        o_ref[...] = jnp.zeros((8,), jnp.int32)

    call = pl.pallas_call(kernel, out_shape=shaped(8, dtype=jnp.int32), grid=(3,), interpret=True)
    with tp.interpreter("reversed"):
        jax.block_until_ready(jax.jit(call)())
    assert capsys.readouterr().out.splitlines() == ["program 2", "program 1", "program 0"]


def test_print_without_outputs(capsys):
    def kernel(x_ref):
        jax.debug.print("{}", x_ref[1])

    with tp.interpreter():
        jax.jit(pl.pallas_call(kernel, out_shape=(), interpret=True))(jnp.arange(8))
    printed = capsys.readouterr().out
    # From JAX 0.11 on JAX itself drops a call without results before it is lowered.
    assert printed == "1\n" or (printed == "" and jax.__version_info__ >= (0, 11))


# -- threads --


def test_threads_at_once():
    call = jax.jit(blocks_of_two(double_kernel))
    wrong = []

    def work(number):
        for n in range(30):
            x = X + 100 * number + n
            if not np.array_equal(call(x), 2 * x):
                wrong.append(number)

    with expecting(120, lowered=1):
        call.lower(X)  # one lowering for all
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


# -- export --


@pytest.mark.parametrize("platforms", [("cpu",), ("cpu", "cuda")])
def test_lowered_for_several_platforms(platforms):
    with tp.interpreter():
        lowered = jax.jit(double).trace(X).lower(lowering_platforms=platforms)
        assert "@tilegrind" in lowered.as_text()
