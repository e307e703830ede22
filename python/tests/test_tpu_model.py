"""What InterpretParams ask for: cores, orders, what is outside and what is undefined; kernels of several cores."""

import functools
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

import tilegrind
from tilegrind.findings import KINDS
from tilegrind.pallas import ExportError, FindingWarning, export, interpreter
from tilegrind.pallas.lowering.cores import divide
from tilegrind.pallas.lowering.tpu_model import model_of

ORDERS = ["sequential", "reversed", "shuffled:3", "parallel:2", "interleaved:5"]
X = np.arange(16 * 128, dtype=np.int32).reshape(16, 128)


@pytest.fixture(params=ORDERS)
def order(request):
    with interpreter(order=request.param):
        yield request.param


# ---- cores of a core_map ----


def over_cores(body, cores, *refs, **params):
    """Runs `body` on each core, on references to arrays; their contents at the end."""
    mesh = pltpu.create_tensorcore_mesh("core", num_cores=cores)

    @jax.jit
    def run(*arrays):
        return pl.run_state(lambda held: pl.core_map(mesh, interpret=pltpu.InterpretParams(**params))(
            functools.partial(body, *held)))(arrays)

    return run(*refs)


def relay(x_ref, y_ref):
    """Each core waits for the one before it, and copies what that has written one row further."""
    core = jax.lax.axis_index("core")

    def with_memory(row, dma, sem):
        @pl.when(core > 0)
        def _():
            pl.semaphore_wait(sem, 1)

        @pl.when(core == 0)
        def _():
            pltpu.async_copy(x_ref.at[pl.ds(0, 1)], row, dma).wait()

        @pl.when(core > 0)
        def _():
            pltpu.async_copy(y_ref.at[pl.ds(core - 1, 1)], row, dma).wait()

        row[...] = row[...] + 1
        pltpu.async_copy(row, y_ref.at[pl.ds(core, 1)], dma).wait()

        @pl.when(core + 1 < jax.lax.axis_size("core"))
        def _():
            pl.semaphore_signal(sem, 1, core_index=core + 1)

    pl.run_scoped(with_memory, pltpu.VMEM((1, 128), jnp.int32), pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.REGULAR)


def test_cores_wait_for_each_other(order):
    _, y = over_cores(relay, 4, X, np.zeros((4, 128), np.int32), detect_races=True)
    np.testing.assert_array_equal(y, X[:1] + np.arange(1, 5)[:, None])


def unordered(x_ref, y_ref):
    def with_memory(shared):
        pltpu.sync_copy(x_ref, shared)
        pltpu.sync_copy(shared, y_ref)

    pl.run_scoped(with_memory, pltpu.HBM(X.shape, X.dtype))


def test_hbm_is_shared_by_cores():
    with interpreter(findings="warn"), pytest.warns(FindingWarning, match="race: .* scoped_0_shared"):
        _, y = over_cores(unordered, 2, X, np.zeros_like(X), detect_races=True, allow_hbm_allocation_in_run_scoped=True)
        np.testing.assert_array_equal(y, X)


def test_hbm_is_refused_as_jax_does():
    with interpreter(), pytest.raises(ValueError, match="Cannot allocate HBM"):
        over_cores(unordered, 2, X, np.zeros_like(X))


def stuck(x_ref, y_ref):
    def with_memory(sem):
        pl.semaphore_wait(sem, 1)
        pltpu.sync_copy(x_ref, y_ref)

    pl.run_scoped(with_memory, pltpu.SemaphoreType.REGULAR)


def test_cores_that_nobody_signals(order):
    with pytest.raises(jax.errors.JaxRuntimeError, match="deadlock: semaphore_wait waits for scoped_0"):
        jax.block_until_ready(over_cores(stuck, 2, X, X))


# ---- a grid divided among cores ----

SEMANTICS = pltpu.CompilerParams(dimension_semantics=("parallel", "arbitrary"))


def count(s_ref, x_ref, o_ref):
    step = s_ref[0]
    s_ref[0] = step + 1
    size = pl.num_programs(0) * pl.num_programs(1)
    place = pl.program_id(0) * pl.num_programs(1) + pl.program_id(1)
    o_ref[...] = jnp.full_like(o_ref, step * size + place) + x_ref[...] * 0


def counted(order="sequential", **params):
    """By program of a grid of 4 by 2: in which step of its core it ran; each finds its own place in the grid."""
    call = pl.pallas_call(
        count, grid=(4, 2), out_shape=jax.ShapeDtypeStruct((32, 256), jnp.int32),
        in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM), pl.BlockSpec((8, 128), lambda i, j: (i, j))],
        out_specs=pl.BlockSpec((8, 128), lambda i, j: (i, j)), compiler_params=SEMANTICS,
        interpret=pltpu.InterpretParams(**params))
    with interpreter(order=order):
        out = np.asarray(jax.jit(call)(jnp.zeros(1, jnp.int32), jnp.zeros((32, 256), jnp.int32)))[::8, ::128]
    np.testing.assert_array_equal(out % 8, np.arange(8).reshape(4, 2))
    return out // 8


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_seed_permutes_as_jax_does(seed):
    key = jax.random.split(jax.random.key(seed))[1]
    places = np.asarray(jax.random.permutation(key, 4))
    one = counted(random_seed=seed)
    for turn, place in enumerate(places):
        np.testing.assert_array_equal(one[place], [2 * turn, 2 * turn + 1])


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_each_core_counts_for_itself(order):
    two = counted(order, num_cores_or_threads=2, detect_races=True)
    assert sorted(two.ravel()) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_recorder_sees_every_program():
    seen = []
    counted(num_cores_or_threads=2, random_seed=3, grid_point_recorder=lambda token, place, core: seen.append((core, place)))
    jax.effects_barrier()
    assert [core for core, _ in seen] == [0] * 4 + [1] * 4
    assert sorted(place for _, place in seen) == [(i, j) for i in range(4) for j in range(2)]


@pytest.mark.parametrize("sizes, semantics, cores", [
    ((5, 2), ("parallel", "arbitrary"), 2),  # does not come out even
    ((4, 2), ("arbitrary", "arbitrary"), 2),
    ((4, 2), ("arbitrary", "parallel"), 2),
    ((0, 2), ("parallel", "arbitrary"), 2),
    (("dynamic", 2), ("parallel", "arbitrary"), 2),
])
def test_what_is_not_divided(sizes, semantics, cores):
    assert divide(sizes, semantics, cores, None) is None


def test_no_more_cores_than_places():
    division = divide((3, 2), ("parallel", "arbitrary"), 8, 1)
    assert (division.cores, division.steps) == (3, 2)
    assert len(list(division.programs())) == 6


# ---- what is outside, and what is undefined ----


def read_outside(x_ref, o_ref):
    start = pl.multiple_of(x_ref[0, 0], 4)
    o_ref[...] = x_ref[pl.ds(start, 8)]


def outside(**params):
    call = pl.pallas_call(read_outside, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.int32),
                          interpret=pltpu.InterpretParams(**params))
    return np.asarray(call(jnp.full((16, 128), 12, jnp.int32)))


def test_reads_outside_raise():
    with interpreter(), pytest.raises(jax.errors.JaxRuntimeError, match="access-outside-ref: load reaches index 19"):
        outside()


@pytest.mark.parametrize("fill, value", [("nan", 2**31 - 1), ("zero", 0)])
def test_reads_outside_are_undefined(fill, value, recwarn):
    with interpreter():
        out = outside(out_of_bounds_reads="uninitialized", uninitialized_memory=fill)
    np.testing.assert_array_equal(out, np.where(np.arange(8)[:, None] < 4, 12, value) + np.zeros((1, 128), int))
    assert not [w for w in recwarn if w.category is FindingWarning]


def write_outside(x_ref, o_ref, scratch):
    scratch[...] = jnp.zeros_like(scratch)
    at = x_ref[0, 0]
    scratch[pl.ds(at, 8), :] = jnp.ones((8, 128), jnp.int32)
    o_ref[...] = scratch[pl.ds(at, 8), :]


def padded(space, at, **params):
    call = pl.pallas_call(write_outside, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.int32),
                          scratch_shapes=[space((10, 128), jnp.int32)], interpret=pltpu.InterpretParams(**params))
    with interpreter():
        return np.asarray(call(jnp.full((8, 128), at, jnp.int32)))


def test_padding_may_be_accessed():
    out = padded(pltpu.VMEM, 8, buffer_bounds="padded", uninitialized_memory="zero")
    np.testing.assert_array_equal(out, np.repeat(np.arange(8) < 2, 128).reshape(8, 128))


@pytest.mark.parametrize("space, at, bounds", [(pltpu.VMEM, 8, "logical"), (pltpu.SMEM, 8, "padded"), (pltpu.VMEM, 9, "padded")])
def test_what_is_no_padding(space, at, bounds):
    with pytest.raises(jax.errors.JaxRuntimeError, match="access-outside-ref"):
        padded(space, at, buffer_bounds=bounds)


def test_slices_that_are_known_to_lie_outside():
    def kernel(x_ref, o_ref, sem):
        pltpu.async_copy(x_ref.at[pl.ds(jnp.int32(12), 8)], o_ref, sem).wait()

    call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.int32),
                          scratch_shapes=[pltpu.SemaphoreType.DMA], interpret=True)
    with interpreter(), pytest.raises(jax.errors.JaxRuntimeError, match="access-outside-ref: view reaches index 19"):
        jax.block_until_ready(call(X))


def undefined(o_ref, p_ref, q_ref, scratch):
    o_ref[...] = scratch[...]
    p_ref[...] = scratch[...] > 0
    q_ref[...] = jnp.zeros_like(q_ref)


@pytest.mark.parametrize("fill, value", [("nan", 2**15 - 1), ("zero", 0)])
def test_undefined_memory(fill, value):
    shapes = [jax.ShapeDtypeStruct((8, 128), dtype) for dtype in (jnp.int16, jnp.bool_, jnp.float32)]
    call = pl.pallas_call(undefined, out_shape=shapes, scratch_shapes=[pltpu.VMEM((8, 128), jnp.int16)],
                          interpret=pltpu.InterpretParams(uninitialized_memory=fill))
    with interpreter():
        out = call()
    np.testing.assert_array_equal(out[0], np.full((8, 128), value))
    np.testing.assert_array_equal(out[1], np.full((8, 128), value > 0))


def test_blocks_outside_are_told_only():
    call = pl.pallas_call(lambda x_ref, o_ref: o_ref.__setitem__(..., x_ref[...]), grid=(2,),
                          out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32),
                          in_specs=[pl.BlockSpec((8, 128), lambda i: (i + 1, 0))], out_specs=pl.BlockSpec((8, 128), lambda i: (i, 0)),
                          interpret=pltpu.InterpretParams(out_of_bounds_reads="uninitialized"))
    with interpreter(), pytest.warns(FindingWarning, match="block-outside-array"):
        out = np.asarray(call(jnp.zeros((16, 128))))
    assert not out[:8].any() and np.isnan(out[8:]).all()


# ---- other fields ----


def test_kernels_of_a_tpu_do_not_load_from_hbm():
    call = pl.pallas_call(lambda x_ref, o_ref: o_ref.__setitem__(..., x_ref[...]), out_shape=jax.ShapeDtypeStruct(X.shape, X.dtype),
                          in_specs=[pl.BlockSpec(memory_space=pl.ANY)], interpret=pltpu.InterpretParams())
    with interpreter(), pytest.raises(ValueError, match="get_p: Buffers with a memory space of HBM"):
        call(X)


def test_floats_are_skipped():
    def kernel(x_ref, n_ref, o_ref, m_ref):
        o_ref[...] = jnp.dot(x_ref[...], x_ref[...].T)[:8, :] + jax.lax.fori_loop(0, 3, lambda i, s: s + 1.0, 0.0)
        m_ref[...] = n_ref[...] + 1

    call = pl.pallas_call(kernel, out_shape=[jax.ShapeDtypeStruct((8, 8), jnp.float32), jax.ShapeDtypeStruct((8, 128), jnp.int32)],
                          interpret=pltpu.InterpretParams(skip_floating_point_ops=True))
    args = jnp.ones((8, 128)), jnp.ones((8, 128), jnp.int32)
    with interpreter():
        o, m = call(*args)
        assert "dot_general" not in jax.jit(call).lower(*args).as_text()
    assert np.isposinf(o).all() and (np.asarray(m) == 2).all()


def test_races_are_looked_for_where_asked_for():
    def kernel(o_ref):
        o_ref[...] = jnp.full_like(o_ref, pl.program_id(0))

    def run(**params):
        call = pl.pallas_call(kernel, grid=(2,), out_shape=jax.ShapeDtypeStruct((8, 128), jnp.int32), compiler_params=pltpu.CompilerParams(
            dimension_semantics=("parallel",)), interpret=pltpu.InterpretParams(**params))
        jax.block_until_ready(call())

    with interpreter():
        run()
        with pytest.raises(jax.errors.JaxRuntimeError, match=" race: "):
            run(detect_races=True)


def test_other_parameters_ask_for_nothing():
    assert model_of(None) == model_of(True)
    assert model_of(None).compat("jax") == "jax"
    assert model_of(pltpu.InterpretParams()).compat("jax") == "jax"


@pytest.mark.parametrize("given, wanted", [
    ("raise", "warn:block-outside-array"), ("warn", "warn"), ("raise:race,block-outside-array", "raise:race"),
    ("warn:race", "warn:race,block-outside-array"),
])
def test_findings_of_blocks(given, wanted):
    assert model_of(pltpu.InterpretParams(out_of_bounds_reads="uninitialized")).findings(given) == wanted


def test_findings_of_some_kinds():
    def kernel(o_ref):
        o_ref[0:4] = jnp.zeros((4, 128))

    call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), interpret=True)
    with interpreter(findings="raise:race"), pytest.warns(FindingWarning, match="output-unwritten"):
        jax.block_until_ready(call())
    with interpreter(findings="raise:race,output-unwritten"), pytest.raises(jax.errors.JaxRuntimeError, match="output-unwritten"):
        jax.block_until_ready(call())
    with pytest.raises(ValueError, match="'racing' is no kind of finding"), interpreter(findings="warn:racing"):
        pass


def test_cores_need_an_axis():
    def kernel(o_ref, sem):
        pl.semaphore_signal(sem, 1, core_index=1)
        o_ref[...] = jnp.zeros_like(o_ref)

    call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), scratch_shapes=[pltpu.SemaphoreType.REGULAR])
    with pytest.raises(ExportError, match="the grid has no axis of cores"):
        export(call)


def test_kinds_of_findings_are_those_of_the_library():
    table = Path(tilegrind.__file__).parents[2] / "report" / "checks.def"
    assert set(re.findall(r'^TG_FINDING\(\w+, "([a-z-]+)"', table.read_text(encoding="utf-8"), re.M)) == KINDS


def grow(x_ref, o_ref):
    o_ref[...] = x_ref[...] + 1.0


@pytest.mark.slow
@pytest.mark.parametrize("semantics", ["arbitrary", "parallel"])
def test_inputs_stay_as_they_were_brought(semantics, order):
    """The output takes the place of the input; but the core has had it since its first step."""
    call = pl.pallas_call(grow, grid=(3,), out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32), input_output_aliases={0: 0},
                          in_specs=[pl.BlockSpec((8, 128), lambda i: (0, 0))], out_specs=pl.BlockSpec((8, 128), lambda i: (0, 0)),
                          compiler_params=pltpu.CompilerParams(dimension_semantics=(semantics,)), interpret=pltpu.InterpretParams(
                              random_seed=None if semantics == "arbitrary" else 1))
    np.testing.assert_array_equal(call(jnp.zeros((8, 128))), np.ones((8, 128)))


# ---- blocks that are come back to ----


def visits(kernel, index_map, **params):
    spec = pl.BlockSpec((8, 128), index_map)
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((16, 128), jnp.int32), grid=(4,), out_specs=spec,
                          interpret=pltpu.InterpretParams(**params))()


def fill(o_ref):
    o_ref[...] = jnp.full_like(o_ref, pl.program_id(0))


def come_back(o_ref):
    @pl.when(pl.program_id(0) < 2)
    def _():
        o_ref[...] = jnp.zeros_like(o_ref)

    o_ref[...] += 1


@pytest.mark.parametrize("params", [{}, {"detect_races": True}])
def test_a_block_that_is_come_back_to_is_an_error(params):
    with interpreter(), pytest.raises(jax.errors.JaxRuntimeError, match="block-revisited: the block of o_ref, output 0, with"):
        jax.block_until_ready(visits(come_back, lambda i: (i % 2, 0), **params))


@pytest.mark.parametrize("index_map, last", [(lambda i: (i % 2, 0), [2, 3]), (lambda i: (i // 2, 0), [1, 3])])
def test_a_block_that_is_written_anew_is_none(index_map, last):
    with interpreter():
        np.testing.assert_array_equal(visits(fill, index_map)[::8, 0], last)


def test_other_calls_are_not_looked_at():
    spec = pl.BlockSpec((8, 128), lambda i: (i % 2, 0))
    with interpreter(grid_semantics="arbitrary"):
        out = pl.pallas_call(come_back, out_shape=jax.ShapeDtypeStruct((16, 128), jnp.int32), grid=(4,), out_specs=spec,
                             interpret=True)()
    np.testing.assert_array_equal(out, np.full((16, 128), 2))
