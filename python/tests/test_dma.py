"""Semaphores and copies that run beside the program: exported, and inside JAX, against what JAX's own interpreter gives."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind
from jax._src.pallas.mosaic import tpu_info
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from tilegrind.pallas import ExportError, export, interpreter

ORDERS = ("sequential", "reversed", "shuffled:3", "interleaved:1", "parallel:2")
X = np.arange(64, dtype=np.float32).reshape(16, 4)
ANY = pl.BlockSpec(memory_space=pl.ANY)
DMA = pltpu.SemaphoreType.DMA
REGULAR = pltpu.SemaphoreType.REGULAR


def call_of(kernel, like=X, in_specs=(ANY,), out_specs=ANY, **options):
    out = jax.ShapeDtypeStruct(like.shape, like.dtype)
    return functools.partial(pl.pallas_call, kernel, out_shape=out, in_specs=list(in_specs), out_specs=out_specs,
                             **options)


def same_as_jax(call, *inputs):
    """In every order, exported and in the place of JAX's interpreter."""
    wanted = np.asarray(call(interpret=True)(*inputs))
    module = tilegrind.loads(export(call(), *inputs).dumps())
    names = [p.name for p in module.params() if p.role in ("prefetch", "input")]
    for order in ORDERS:
        result = module.run(dict(zip(names, map(np.asarray, inputs), strict=True)), order=order)
        assert not result.findings, result.findings
        [found] = result.outputs.values()
        np.testing.assert_array_equal(found, wanted)
        with interpreter(order=order):
            np.testing.assert_array_equal(call(interpret=True)(*inputs), wanted)


def by_way_of_scratch(x_ref, o_ref, scratch, sems):
    copy_in = pltpu.make_async_copy(x_ref, scratch, sems.at[0])
    copy_in.start()
    copy_in.wait()
    scratch[...] += 1
    copy_out = pltpu.make_async_copy(scratch, o_ref, sems.at[1])
    copy_out.start()
    copy_out.wait()


SCRATCH = [pltpu.VMEM((16, 4), jnp.float32), DMA((2,))]


def test_copies_and_waits():
    same_as_jax(call_of(by_way_of_scratch, scratch_shapes=SCRATCH), X)


def test_scoped_memory_and_sync_copy():
    def kernel(x_ref, o_ref):
        def body(scratch, sem):
            pltpu.sync_copy(x_ref.at[pl.ds(4, 8)], scratch)
            copy = pltpu.async_copy(scratch, o_ref.at[pl.ds(0, 8)], sem)
            copy.wait()
            pltpu.sync_copy(scratch, o_ref.at[pl.ds(8, 8)])

        pl.run_scoped(body, pltpu.VMEM((8, 4), jnp.float32), DMA)

    same_as_jax(call_of(kernel), X)


def double_buffered(x_ref, o_ref, buffers, sems):
    """A step starts the copy that the next one awaits."""
    step, last = pl.program_id(0), pl.num_programs(0) - 1

    def copy(number):
        slot = number % 2
        return pltpu.make_async_copy(x_ref.at[pl.ds(4 * number, 4)], buffers.at[slot], sems.at[slot])

    @pl.when(step == 0)
    def _():
        copy(step).start()

    @pl.when(step < last)
    def _():
        copy(step + 1).start()

    copy(step).wait()
    o_ref[...] = buffers[step % 2] * 2


DOUBLE_BUFFERED = call_of(
    double_buffered, out_specs=pl.BlockSpec((4, 4), lambda i: (i, 0)), grid=(4,),
    scratch_shapes=[pltpu.VMEM((2, 4, 4), jnp.float32), DMA((2,))],
    compiler_params=pltpu.CompilerParams(dimension_semantics=("arbitrary",)))


def test_from_step_to_step():
    same_as_jax(DOUBLE_BUFFERED, X)


def test_the_interpreter_of_the_tpu():
    with interpreter(order="reversed"):
        np.testing.assert_array_equal(DOUBLE_BUFFERED(interpret=pltpu.InterpretParams())(X), 2 * X)


def test_starts_at_run_time():
    def kernel(n_ref, x_ref, o_ref, sem):
        for row in range(4):
            copy = pltpu.make_async_copy(x_ref.at[pl.ds(n_ref[row], 4), pl.ds(1, 3)],
                                         o_ref.at[pl.ds(4 * row, 4), pl.ds(0, 3)], sem)
            copy.start()
            copy.wait()
        copy = pltpu.make_async_copy(x_ref.at[:, 2], o_ref.at[:, 3], sem)
        copy.start()
        copy.wait()

    grid_spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(), in_specs=[ANY], out_specs=ANY,
                                             scratch_shapes=[DMA])
    call = functools.partial(pl.pallas_call, kernel, out_shape=jax.ShapeDtypeStruct(X.shape, X.dtype),
                             grid_spec=grid_spec)
    same_as_jax(call, np.array([3, 12, 0, 7], np.int32), X)


def lengths(start, size):
    """`size` rows from `start` on, copied to the first rows of zeros."""
    def kernel(n_ref, x_ref, zeros_ref, o_ref, sem):
        del zeros_ref
        part = pl.ds(n_ref[0], n_ref[1])
        copy = pltpu.make_async_copy(x_ref.at[part, 1:3], o_ref.at[pl.ds(0, n_ref[1]), 0:2], sem)
        copy.start()
        copy.wait()

    grid_spec = pltpu.PrefetchScalarGridSpec(num_scalar_prefetch=1, grid=(), in_specs=[ANY, ANY], out_specs=ANY,
                                             scratch_shapes=[DMA])
    call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 4), X.dtype), grid_spec=grid_spec,
                          input_output_aliases={2: 0}, interpret=True)
    return call(np.array([start, size], np.int32), X, np.zeros((8, 4), X.dtype))


@pytest.mark.parametrize("start, size", [(0, 8), (5, 3), (16, 0), (9, 7)])
def test_lengths_at_run_time(start, size):
    """Of which JAX's own interpreter knows nothing."""
    wanted = np.zeros((8, 4), X.dtype)
    wanted[:size, :2] = X[start:start + size, 1:3]
    for order in ORDERS:
        with interpreter(order=order):
            np.testing.assert_array_equal(lengths(start, size), wanted)


@pytest.mark.parametrize("start, size", [(0, 9), (12, 5)])
def test_lengths_that_reach_outside(start, size):
    with interpreter(), pytest.raises(jax.errors.JaxRuntimeError, match="access-outside-ref: view_part"):
        jax.block_until_ready(lengths(start, size))


def test_signals_waits_and_reads():
    def kernel(o_ref, sems):
        pl.semaphore_signal(sems.at[1], 3)
        pl.semaphore_wait(sems.at[1], 1)
        o_ref[0] = pl.semaphore_read(sems.at[1])
        o_ref[1] = pl.semaphore_read(sems.at[0])
        pl.semaphore_wait(sems.at[1], 2)

    same_as_jax(call_of(kernel, np.zeros(2, np.int32), in_specs=(), scratch_shapes=[REGULAR((2,))],
                        out_specs=pl.BlockSpec(memory_space=pltpu.SMEM)))


def test_a_wait_that_keeps():
    def kernel(o_ref, sem):
        pl.semaphore_signal(sem, 2)
        pl.semaphore_wait(sem, 2, decrement=False)
        o_ref[0] = pl.semaphore_read(sem)
        pl.semaphore_wait(sem, 2)

    call = call_of(kernel, np.zeros(1, np.int32), in_specs=(), scratch_shapes=[REGULAR],
                   out_specs=pl.BlockSpec(memory_space=pltpu.SMEM))
    [result] = tilegrind.loads(export(call()).dumps()).run({}).outputs.values()
    assert result.tolist() == [2]


# ---- emitted pipelines ----


@pytest.fixture
def a_tpu(monkeypatch):
    """Pipelines ask what hardware they are for."""
    info = tpu_info.get_tpu_info_for_chip(tpu_info.ChipVersion.TPU_V5E, 1)
    monkeypatch.setitem(tpu_info.registry, "cpu", lambda: info)


def in_every_order(call, *inputs):
    """What the call gives, the same in every order and without a finding."""
    results = []
    for order in ORDERS:
        with interpreter(order=order):
            results.append(np.asarray(call(interpret=pltpu.InterpretParams())(*inputs)))
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
    return results[0]


def test_a_pipeline_of_products(a_tpu):
    def step(x_ref, y_ref, o_ref):
        @pl.when(pl.program_id(2) == 0)
        def _():
            o_ref[...] = jnp.zeros_like(o_ref)

        o_ref[...] += x_ref[...] @ y_ref[...]

    def kernel(*refs):
        pltpu.emit_pipeline(step, grid=(2, 2, 3),
                            in_specs=[pl.BlockSpec((8, 128), lambda i, j, k: (i, k)),
                                      pl.BlockSpec((128, 128), lambda i, j, k: (k, j))],
                            out_specs=[pl.BlockSpec((8, 128), lambda i, j, k: (i, j))])(*refs)

    random = np.random.default_rng(0)
    x = random.integers(-4, 5, (16, 384)).astype(np.float32)
    y = random.integers(-4, 5, (384, 256)).astype(np.float32)
    call = call_of(kernel, np.zeros((16, 256), np.float32), in_specs=(ANY, ANY))
    np.testing.assert_array_equal(in_every_order(call, x, y), x @ y)


@pytest.mark.parametrize("rows, columns, dtype", [(20, 128, np.float32), (37, 200, np.int32), (37, 256, jnp.bfloat16)])
def test_a_pipeline_over_edges(a_tpu, rows, columns, dtype):
    """The last block is copied in whole tiles, which end in the padding of the arrays."""
    def step(x_ref, o_ref):
        o_ref[...] = x_ref[...] + x_ref[...]

    def kernel(x_ref, o_ref):
        spec = pl.BlockSpec((16, 128), lambda i, j: (i, j))
        pltpu.emit_pipeline(step, grid=(pl.cdiv(rows, 16), pl.cdiv(columns, 128)), in_specs=[spec],
                            out_specs=[spec])(x_ref, o_ref)

    x = (np.arange(rows * columns).reshape(rows, columns) % 100).astype(dtype)
    np.testing.assert_array_equal(in_every_order(call_of(kernel, x), x), x + x)


# ---- what is wrong ----


def in_flight(x_ref, o_ref, scratch, sem):
    copy = pltpu.make_async_copy(x_ref, scratch, sem)
    copy.start()
    o_ref[...] = scratch[...]
    copy.wait()


def never_awaited(x_ref, o_ref, scratch, sem):
    pltpu.make_async_copy(x_ref, scratch, sem).start()
    o_ref[...] = jnp.zeros((16, 4), jnp.float32)


def stuck(x_ref, o_ref, scratch, sem):
    o_ref[...] = scratch[...] * 0
    pltpu.make_async_copy(x_ref, scratch, sem).wait()


@pytest.mark.parametrize("kernel, kind, line", [
    (in_flight, "dma-in-flight", 3),
    (never_awaited, "dma-not-awaited", 1),
    (stuck, "deadlock", 2),
])
def test_findings(kernel, kind, line):
    call = call_of(kernel, out_specs=pl.BlockSpec(), scratch_shapes=[pltpu.VMEM((16, 4), jnp.float32), DMA])
    module = tilegrind.loads(export(call(), X).dumps())
    for order in ORDERS:
        [finding] = module.run({"x_ref": X}, order=order).findings
        assert finding.kind == kind
        assert finding.line == kernel.__code__.co_firstlineno + line
        with interpreter(order=order), pytest.raises(jax.errors.JaxRuntimeError, match=kind):
            jax.block_until_ready(call(interpret=True)(X))


# ---- what is refused ----


def signal_elsewhere(x_ref, o_ref, sem):
    pl.semaphore_signal(sem, device_id=0)


def signal_core(x_ref, o_ref, sem):
    pl.semaphore_signal(sem, core_index=0)


def barrier(x_ref, o_ref, sem):
    pl.semaphore_signal(pltpu.get_barrier_semaphore())


@pytest.mark.parametrize("kernel, message", [
    (signal_elsewhere, "semaphore_signal: other devices can be reached only in a shard_map over all axes of its mesh"),
    (signal_core, "semaphore_signal: the grid has no axis of cores, so there is no other core"),
    (barrier, "get_barrier_semaphore: other devices can be reached only in a shard_map over all axes of its mesh"),
])
def test_refused(kernel, message):
    call = call_of(kernel, scratch_shapes=[REGULAR], compiler_params=pltpu.CompilerParams(collective_id=0))
    with pytest.raises(ExportError, match=message):
        export(call(), X)


def elsewhere(x_ref, o_ref, sem):
    copy = pltpu.make_async_remote_copy(x_ref, o_ref, sem.at[0], sem.at[1], device_id=0)
    copy.start()
    copy.wait()


def adding(x_ref, o_ref, sem):
    copy = pltpu.make_async_copy(x_ref, o_ref, sem.at[0])
    copy.start(add=True)
    copy.wait()


@pytest.mark.parametrize("kernel, message", [
    (elsewhere, "dma_start: other devices can be reached only in a shard_map over all axes of its mesh"),
    (adding, "dma_start: a copy that adds is not supported"),
])
def test_copies_refused(kernel, message):
    with pytest.raises(ExportError, match=message):
        export(call_of(kernel, scratch_shapes=[DMA((2,))])(), X)
