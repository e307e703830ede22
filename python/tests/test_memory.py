"""Memory, references and control against JAX's own interpreter, or numpy where that one refuses."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind
from jax import lax
from jax._src.state.discharge import run_state
from jax._src.state.primitives import ref_addupdate
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.experimental.pallas import triton as plgpu
from tilegrind.pallas import ExportError, export

X = np.arange(48, dtype=np.float32).reshape(6, 8)
SPACE = pltpu.VMEM


def run(call, *inputs, compat=None, findings=0, prints=None):
    """Outputs of the one kernel in `call(*inputs)`, run by Tilegrind."""
    module = tilegrind.loads(export(call, *inputs).dumps())
    params = [p for p in module.params() if p.role in ("prefetch", "input")]
    given = {p.name: np.asarray(x) for p, x in zip(params, inputs, strict=True)}
    result = module.run(given, compat=compat, print=prints)
    assert len(result.findings) == findings, result.findings
    return list(result.outputs.values())


def call_of(kernel, out=X, **options):
    shapes = jax.tree.map(lambda x: jax.ShapeDtypeStruct(np.shape(x), np.asarray(x).dtype), out)
    return functools.partial(pl.pallas_call, kernel, out_shape=shapes, **options)


def same_as_jax(kernel, *inputs, out=X, **options):
    call = call_of(kernel, out, **options)
    wanted = jax.tree.leaves(call(interpret=True)(*inputs))
    for found, want in zip(run(call(), *inputs), wanted, strict=True):
        np.testing.assert_array_equal(found, np.asarray(want))


def gives(kernel, *inputs, wanted, **options):
    [found] = run(call_of(kernel, wanted, **options)(), *inputs)
    np.testing.assert_array_equal(found, wanted)


# ---- references in another shape, order or dtype ----


def test_reads_through_reshaped_and_bitcast_references():
    def kernel(x_ref, o_ref, i_ref, h_ref):
        o_ref[...] = x_ref.at[1:5].reshape(4, 2, 4).at[:, 1].reshape(2, 8)[...]
        i_ref[...] = x_ref.bitcast(jnp.int32)[2:4]
        h_ref[...] = x_ref.bitcast(jnp.uint16).at[3:9][...]

    same_as_jax(kernel, X, out=[X[:2], X[:2].view(np.int32), np.zeros((6, 8), np.uint16)])


def test_writes_through_reshaped_references():
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)
        o_ref.reshape(48).at[5:29][...] = x_ref.at[:, 2:6].reshape(24)[...]

    wanted = np.zeros(48, np.float32)
    wanted[5:29] = X[:, 2:6].reshape(24)
    gives(kernel, X, wanted=wanted.reshape(6, 8))


def test_transposed_references():
    def kernel(x_ref, o_ref):
        o_ref[...] = jnp.zeros_like(o_ref)
        turned = o_ref.transpose([1, 0])
        turned[...] = x_ref[...] * 2
        ref_addupdate(turned, (slice(1, 3), 0), x_ref.at[1:3].transpose([1, 0])[0])

    wanted = np.zeros((8, 6), np.float32)
    wanted[...] = 2 * X.T
    wanted[0, 1:3] += X[1:3, 0]
    gives(kernel, X, wanted=wanted)


def test_writes_through_bitcast_references():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]
        bits = o_ref.bitcast(jnp.int32)
        bits[0] = bits[0] | jnp.int32(-2**31)
        o_ref.bitcast(jnp.uint16).at[pl.ds(2, 2)][...] = jnp.zeros((2, 8), jnp.uint16)

    wanted = X.copy()
    wanted[0] = -wanted[0]
    wanted[1] = 0
    gives(kernel, X, wanted=wanted)


def test_squeezed_views_in_a_loop():
    def kernel(x_ref, o_ref):
        def body(i, _):
            row = o_ref.at[i]
            row.at[2:6][...] = x_ref.at[5 - i].at[0:4][...]
            row.at[pl.ds(0, 2)][...] = jnp.full(2, i, jnp.float32)
            row.at[pl.ds(6, 2)][...] = jnp.zeros(2)
            return 0
        lax.fori_loop(0, 6, body, 0)

    same_as_jax(kernel, X)


# ---- indices ----

ROWS, COLUMNS = np.array([4, 0, 2]), np.array([7, 1, 3])
Y = np.arange(6 * 5 * 8, dtype=np.int32).reshape(6, 5, 8)


@pytest.mark.parametrize("index", [
    lambda i, j: (i, slice(None), j), lambda i, j: (i, slice(1, 4)), lambda i, j: (2, slice(None), j),
    lambda i, j: (i[:, None], j[None] % 5, slice(2, 6)), lambda i, j: (slice(1, 3), i, j),
    lambda i, j: (slice(None), i, slice(0, 8, 2)), lambda i, j: (i, j % 5, 3),
    lambda i, j: (slice(0, 6, 3), 1, j)])
def test_index_arrays_among_slices(index):
    wanted = Y[index(ROWS, COLUMNS)]

    def kernel(x_ref, i_ref, j_ref, o_ref, c_ref):
        at = index(i_ref[...], j_ref[...])
        o_ref[...] = x_ref[at]
        c_ref[...] = jnp.zeros_like(c_ref)
        c_ref[at] = o_ref[...] + 1

    written = np.zeros_like(Y)
    written[index(ROWS, COLUMNS)] = wanted + 1
    found = run(call_of(kernel, [wanted, Y])(), Y, ROWS.astype(np.int32), COLUMNS.astype(np.int32))
    np.testing.assert_array_equal(found[0], wanted)
    np.testing.assert_array_equal(found[1], written)


@pytest.mark.parametrize("index", [
    lambda i, j: (i, slice(None), j), lambda i, j: (slice(0, 6, 2), slice(1, 5, 2), slice(0, 8, 3)),
    lambda i, j: (slice(1, 3), i, j), lambda i, j: (slice(None), 2, j)])
def test_masks_with_strides_and_index_arrays(index):
    shape = Y[index(ROWS, COLUMNS)].shape
    mask = np.random.default_rng(0).random(shape) < 0.5

    def kernel(x_ref, i_ref, j_ref, m_ref, o_ref, c_ref):
        at = index(i_ref[...], j_ref[...])
        o_ref[...] = plgpu.load(x_ref.at[at], mask=m_ref[...], other=-1)
        c_ref[...] = x_ref[...]
        plgpu.store(c_ref.at[at], -o_ref[...], mask=m_ref[...])

    loaded = np.where(mask, Y[index(ROWS, COLUMNS)], -1)
    stored = Y.copy()
    stored[index(ROWS, COLUMNS)] = np.where(mask, -loaded, Y[index(ROWS, COLUMNS)])
    found = run(call_of(kernel, [loaded, Y])(), Y, ROWS.astype(np.int32),
                COLUMNS.astype(np.int32), mask)
    np.testing.assert_array_equal(found[0], loaded)
    np.testing.assert_array_equal(found[1], stored)


def test_slices_of_stride_0_repeat_an_element():
    def kernel(i_ref, x_ref, o_ref, p_ref):
        o_ref[...] = x_ref[pl.ds(4, 6, 0), :]
        p_ref[...] = x_ref[i_ref[0], pl.ds(i_ref[1], 3, 0)]

    index = np.int32([2, 5])
    found = run(call_of(kernel, (X, X[0, :3]))(), index, X)
    np.testing.assert_array_equal(found[0], np.broadcast_to(X[4], X.shape))
    np.testing.assert_array_equal(found[1], [X[2, 5]] * 3)


def test_masks_broadcast():
    def kernel(x_ref, o_ref):
        mask = (jnp.arange(8) < 5)[None]
        o_ref[...] = plgpu.load(x_ref.at[...], mask=mask, other=jnp.float32(9))

    gives(kernel, X, wanted=np.where(np.arange(8) < 5, X, np.float32(9)))


# ---- atomics ----

KINDS = {"xchg": lambda a, b: b, "add": np.add, "max": np.maximum, "min": np.minimum,
         "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
FLOATS = ("float16", "bfloat16", "float32", "float64")
INTS = ("uint8", "int32", "uint32", "int64", "uint64")  # JAX traces no int8 and int16


@pytest.mark.parametrize("kind, dtype", [(kind, dtype) for kind in KINDS for dtype in FLOATS + INTS
                                         if dtype in INTS or kind == "add" or
                                         dtype != "float16" and kind in ("xchg", "max", "min")])
def test_atomics(kind, dtype):
    with jax.enable_x64(True):
        dtype = jnp.dtype(dtype)
        x, y = np.array([5, 3, 9, 1], dtype), np.array([4, 6, 2, 7], dtype)
        mask = np.array([True, True, False, True])

        def kernel(x_ref, y_ref, m_ref, o_ref, old_ref):
            old_ref[...] = getattr(plgpu, f"atomic_{kind}")(o_ref, (pl.ds(0, 4),), y_ref[...],
                                                            mask=m_ref[...])

        out, old = run(call_of(kernel, [x, x], input_output_aliases={0: 0})(), x, y, mask)
    np.testing.assert_array_equal(out, np.where(mask, KINDS[kind](x, y), x).astype(dtype))
    np.testing.assert_array_equal(old[mask], x[mask])


# ---- scoped memory, state, references ----


def test_run_scoped_nested_with_results():
    def kernel(x_ref, o_ref, n_ref):
        def outer(a_ref, b_ref):
            a_ref[...] = x_ref[...]

            def inner(c_ref):
                c_ref[...] = a_ref[...] + 1
                b_ref[...] = c_ref[...].sum(0)
                return c_ref[0, 0], b_ref[...]
            first, sums = pl.run_scoped(inner, SPACE((6, 8), jnp.float32))
            return first + sums

        def turn(i, total):
            return total + lax.cond(i % 2 == 0, lambda: pl.run_scoped(
                outer, SPACE((6, 8), jnp.float32), SPACE((8,), jnp.float32)), lambda: jnp.zeros(8))
        n_ref[...] = lax.fori_loop(0, 3, turn, jnp.zeros(8))
        o_ref[...] = x_ref[...]

    same_as_jax(kernel, X, out=[X, X[0]])


def test_run_state():
    def kernel(x_ref, o_ref):
        def body(refs):
            a_ref, b_ref = refs
            a_ref[...] = a_ref[...] * 2 + x_ref[...]
            b_ref[...] += a_ref[0, 1]
        a, b = run_state(body)((x_ref[...], jnp.float32(3)))
        o_ref[...] = a + b

    gives(kernel, X, wanted=3 * X + 3 + 3 * X[0, 1])


def test_new_ref_and_freeze():
    def kernel(x_ref, o_ref):
        ref = jax.new_ref(x_ref[...])

        @pl.loop(0, 3)
        def _(i):
            ref[i] = ref[i] + 10

        o_ref[...] = jax.freeze(ref)

    wanted = X.copy()
    wanted[:3] += 10
    gives(kernel, X, wanted=wanted)


# ---- control ----


def test_scan_with_inputs_and_outputs():
    def kernel(x_ref, o_ref, c_ref):
        for reverse, unroll, row in ((False, 1, 0), (True, 2, 1)):
            def turn(carry, x, row=row):
                c_ref[row] = carry
                return carry + x, carry * x.sum()
            last, stacked = lax.scan(turn, jnp.zeros(8), x_ref[...], reverse=reverse, unroll=unroll)
            o_ref[row] = stacked + last
        c_ref[2:] = jnp.zeros((4, 8))

    same_as_jax(kernel, X, out=[np.zeros((2, 6, 8), np.float32), X])


def test_while_whose_condition_reads_memory():
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]
        limit = x_ref[3, 3]

        def condition(i):
            return (o_ref[0, 0] < limit) & (i < 40)

        def turn(i):
            o_ref[0, 0] = o_ref[0, 0] + 4
            return i + 1
        o_ref[1, 1] = lax.while_loop(condition, turn, 0).astype(jnp.float32)

    wanted = X.copy()  # JAX's interpreter does not see what the body writes
    wanted[0, 0], wanted[1, 1] = 28, 7
    gives(kernel, X, wanted=wanted)


def test_switch_of_many_branches():
    def kernel(x_ref, o_ref):
        def turn(i, _):
            o_ref[i] = lax.switch(i - 1, [lambda: x_ref[0], lambda: x_ref[1] * 2, lambda: x_ref[2] * 3])
            return 0
        lax.fori_loop(0, 6, turn, 0)

    same_as_jax(kernel, X)


def test_calls():
    @jax.custom_jvp
    def double(x):
        return 2 * x

    @jax.custom_vjp
    def triple(x):
        return 3 * x
    double.defjvp(lambda p, t: (double(*p), t[0]))
    triple.defvjp(lambda x: (triple(x), None), lambda _, g: (g,))

    def kernel(x_ref, o_ref):
        o_ref[...] = jax.checkpoint(lambda x: jnp.where(x > 4, double(x), triple(x)))(x_ref[...])
        pl.delay(100)

    gives(kernel, X, wanted=np.where(X > 4, 2 * X, 3 * X))


def test_platform_index():
    def kernel(x_ref, o_ref):
        o_ref[...] = lax.platform_dependent(x_ref[...], tpu=lambda x: -x, default=lambda x: x + 1)

    gives(kernel, X, wanted=X + 1)


def test_program_ids_in_loops_branches_and_index_maps():
    def kernel(x_ref, o_ref):
        def turn(i, total):
            return total + lax.cond(pl.program_id(0) > 1, lambda: pl.program_id(0) * pl.num_programs(0),
                                    lambda: i)
        o_ref[...] = x_ref[...] + lax.fori_loop(0, pl.program_id(0) + 1, turn, 0).astype(jnp.float32)

    spec = pl.BlockSpec((2, 8), lambda i: (lax.rem(i + 1, 3), 0))
    add = np.repeat([0, 1, 3 * 2 * 3], 2)[:, None]
    wanted = np.roll(np.roll(X, -2, 0) + add, 2, 0).astype(np.float32)
    gives(kernel, X, wanted=wanted, grid=(3,), in_specs=[spec], out_specs=spec)


def test_writes_to_prefetched_scalars():
    def kernel(s_ref, x_ref, o_ref):
        s_ref[0] = s_ref[0] + 1
        o_ref[...] = x_ref[...] + s_ref[0]

    grid = pltpu.PrefetchScalarGridSpec(
        num_scalar_prefetch=1, grid=(3,), in_specs=[pl.BlockSpec((2, 8), lambda i, s: (i, 0))],
        out_specs=pl.BlockSpec((2, 8), lambda i, s: (i, 0)))
    scalars = np.array([10], np.int32)
    gives(kernel, scalars, X, grid_spec=grid,
          wanted=(X + np.repeat([11, 12, 13], 2)[:, None]).astype(np.float32))


def test_closed_over_references():
    def kernel(x_ref, o_ref):
        def row(i):
            o_ref[i] = x_ref[i] + 1
        @functools.partial(jax.jit, static_argnums=())
        def all_rows(n):
            lax.fori_loop(0, n, lambda i, _: row(i), None)
        all_rows(6)

    gives(kernel, X, wanted=X + 1)


# ---- checks ----


def checked(x_ref, o_ref):
    pl.debug_check(x_ref[0, 0] > 0, "the first element is not positive")
    o_ref[...] = x_ref[...]


def test_failed_check():
    with pl.enable_debug_checks():
        module = tilegrind.loads(export(call_of(checked)(), X).dumps())
    result = module.run({"x_ref": X})
    [finding] = result.findings
    assert (finding.kind, finding.message) == ("check-failed", "the first element is not positive")
    assert finding.file.endswith("test_memory.py") and finding.line == checked.__code__.co_firstlineno + 1
    assert not module.run({"x_ref": X + 1}).findings


def test_checks_are_off_by_default():
    assert run(call_of(checked)(), X)[0].tolist() == X.tolist()


# ---- what is refused ----


@pytest.mark.parametrize("kernel, message", [
    (lambda x, o: pl.semaphore_signal(pl.get_global(pltpu.SemaphoreType.REGULAR)),
     "get_global: only kernels of Mosaic GPU have semaphores of the whole device"),
    (lambda x, o: pl.run_scoped(pl.semaphore_signal, pltpu.SemaphoreType.BARRIER),
     "run_scoped: dtype .*has no counterpart"),
    (lambda x, o: o.__setitem__(pl.ds(0, 6, 0), x[...]), "swap: a slice with stride 0 can only be loaded"),
    (lambda x, o: o.__setitem__(..., x.at[pl.ds(0, 6, 0)].at[...][...]),
     "get: a slice with stride 0 can only be loaded"),
])
def test_refused(kernel, message):
    with pytest.raises(ExportError, match=message):
        export(call_of(kernel)(), X)
