"""Kernels of Mosaic GPU whose barriers or fences are wrong, and kernels that are right and must not be accused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import tilegrind
import tilegrind.pallas as tp

ORDERS = ("sequential", "reversed", "shuffled:1", "shuffled:2", "interleaved:5", "interleaved:6")
TILES = (plgpu.TilingTransform((8, 32)), plgpu.SwizzleTransform(128))
SLOT = plgpu.SMEM((64, 64), jnp.float32, transforms=TILES)


def rows(count):
    return jnp.arange(count * 64).reshape(count, 64).astype(jnp.float32)


def launch_of(body, *, out=(64, 64), threads=None, scratch=(), **options):
    if threads:
        options.update(num_threads=threads, thread_name="thread")
    return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct(out, jnp.float32), scratch_types=list(scratch), **options)


def found(launch, *args, checks="all", among=None):
    """The kinds of findings, or those of them that are asked for; they must be the same in every order."""
    exported = tp.export(launch, *args)
    [kernel] = exported.kernels
    inputs = [param["name"] for param in kernel["params"] if param["role"] == "input"]
    module = tilegrind.loads(exported.dumps())
    kinds = {order: frozenset(finding.kind for finding in module.run(dict(zip(inputs, args)), order=order, checks=checks).findings
                              if (finding.kind in among if among else finding.kind != "layout-unchecked")) for order in ORDERS}
    assert len(set(kinds.values())) == 1, kinds
    return set(kinds["sequential"])


# -- pipelines of JAX: nothing is found --


@pytest.mark.parametrize("steps", (1, 2, 3))
def test_emit_pipeline(steps):
    def body(x_ref, o_ref):
        def step(index, x_tile, o_tile):
            del index
            o_tile[...] = x_tile[...] * 2

        spec = plgpu.BlockSpec((64, 64), lambda i: (i, 0), transforms=TILES)
        plgpu.emit_pipeline(step, grid=(5,), in_specs=[spec], out_specs=[spec], max_concurrent_steps=steps)(x_ref, o_ref)

    assert found(launch_of(body, out=(320, 64)), rows(320)) == set()


def warp_specialised(*, workers=1, slots=2, repeats=1, **manual):
    """The pipeline of JAX, in which one thread brings what the others work on."""
    def body(x_ref, o_ref):
        def step(index, x_tile, o_tile, *barriers):
            del index
            part = pl.ds(jax.lax.axis_index("thread") * 64, 64)
            o_tile[part] = x_tile[part] * 2
            for barrier in barriers:
                plgpu.barrier_arrive(barrier)

        spec = plgpu.BlockSpec((64 * workers, 64), lambda i: (i, 0), transforms=TILES)
        pipeline = plgpu.emit_pipeline_warp_specialized(
            step, grid=(6,), in_specs=[spec], out_specs=[spec], max_concurrent_steps=slots, num_compute_wgs=workers,
            memory_registers=40, wg_axis="thread", **manual)
        for _ in range(repeats):
            pipeline(x_ref, o_ref)

    return launch_of(body, out=(384 * workers, 64), threads=workers + 1)


@pytest.mark.parametrize("slots", (1, 2, 3))
@pytest.mark.parametrize("repeats", (1, 3))
def test_emit_pipeline_warp_specialized(slots, repeats):
    assert found(warp_specialised(slots=slots, repeats=repeats), rows(384)) == set()


def test_a_pipeline_whose_step_frees_its_slot():
    assert found(warp_specialised(manual_consumed_barriers=True), rows(384)) == set()


# -- rings by hand --


def ring(slots, *, threads=2, arrivals=1, wait=True, arrive=True, twice=False, commit=True, late_commit=False):
    """Thread 0 fills slots in turn, the others double what is in them, and the last of them stores it by a copy."""
    def body(x_ref, o_ref, tiles, results, ready, free):
        thread = jax.lax.axis_index("thread")

        @pl.when(thread == 0)
        def _():
            @pl.loop(0, 6)
            def _(step):
                slot = jax.lax.rem(step, slots)
                if wait:
                    @pl.when(step >= slots)
                    def _():
                        plgpu.barrier_wait(free.at[slot])
                plgpu.copy_gmem_to_smem(x_ref.at[pl.ds(step * 64, 64)], tiles.at[slot], ready.at[slot])

        @pl.when(thread > 0)
        def _():
            mine = results.at[thread - 1]

            @pl.loop(0, 6)
            def _(step):
                slot = jax.lax.rem(step, slots)
                plgpu.barrier_wait(ready.at[slot])
                plgpu.wait_smem_to_gmem(0)
                if late_commit:
                    plgpu.commit_smem()
                mine[...] = tiles[slot] * 2
                if commit and not late_commit:
                    plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(mine, o_ref.at[thread - 1, pl.ds(step * 64, 64)])
                if arrive:
                    @pl.when(step < 6 - slots)
                    def _():
                        plgpu.barrier_arrive(free.at[slot])
                        if twice:
                            plgpu.barrier_arrive(free.at[slot])
            plgpu.wait_smem_to_gmem(0)

    return launch_of(body, out=(threads - 1, 384, 64), threads=threads, scratch=[
        plgpu.SMEM((slots, 64, 64), jnp.float32, transforms=TILES),
        plgpu.SMEM((threads - 1, 64, 64), jnp.float32, transforms=TILES),
        plgpu.Barrier(num_barriers=slots), plgpu.Barrier(num_arrivals=arrivals, num_barriers=slots)])


@pytest.mark.parametrize("slots", (1, 2, 3))
@pytest.mark.parametrize("workers", (1, 2))
def test_a_ring(slots, workers):
    x = rows(384)
    launch = ring(slots, threads=workers + 1, arrivals=workers)
    assert found(launch, x) == set()
    with tp.interpreter(order="interleaved:3"):
        np.testing.assert_array_equal(launch(x), np.stack([2 * x] * workers))


OVERRUN = {"barrier-overrun"}  # other findings follow from it, in some orders


def test_a_ring_without_a_wait_for_a_free_slot():
    """Copies start for a phase that nobody is known to have waited for."""
    assert found(ring(2, wait=False), rows(384), among=OVERRUN) == OVERRUN


def test_a_ring_whose_threads_are_not_counted():
    """Two threads arrive where one arrival completes a phase."""
    assert found(ring(2, threads=3, arrivals=1), rows(384), among=OVERRUN) == OVERRUN


def test_a_ring_whose_thread_arrives_twice():
    assert found(ring(2, twice=True), rows(384), among=OVERRUN) == OVERRUN


@pytest.mark.parametrize("how", ({"commit": False}, {"late_commit": True}))
def test_a_ring_whose_result_is_not_committed(how):
    assert found(ring(2, **how), rows(384)) == {"proxy-fence-missing"}


def test_what_a_gpu_does_without():
    """The slot is filled again when its reader has arrived, without a fence behind the read."""
    assert found(ring(2, late_commit=True), rows(384), checks="gpu-strict") == {"overwrite-unfenced"}
    assert found(ring(2), rows(384), checks="gpu-strict") == set()


# -- barriers of JAX's own tests --


def scalar(body, threads, **barrier):
    """A kernel of several threads and one barrier, without memory."""
    def whole(o_ref, ready):
        o_ref[...] = jnp.zeros((), jnp.float32)
        body(jax.lax.axis_index("thread"), ready)

    return plgpu.kernel(whole, out_type=jax.ShapeDtypeStruct((), jnp.float32), scratch_types=[plgpu.Barrier(**barrier)],
                        num_threads=threads, thread_name="thread")


def of_thread(thread, number):
    return pl.when(thread == number)


def test_a_barrier_is_completed_twice_in_one_thread():
    def body(thread, ready):
        del thread
        plgpu.barrier_arrive(ready)
        plgpu.barrier_arrive(ready)

    assert found(scalar(body, 1)) == {"phase-unobserved"}


def test_a_barrier_is_completed_twice_by_two_threads():
    def body(thread, ready):
        del thread
        plgpu.barrier_arrive(ready)

    assert "barrier-overrun" in found(scalar(body, 2), checks="none")


@pytest.mark.parametrize("arriving, waiting", ((1, 1), (1, 3), (3, 1), (2, 4)))
def test_several_threads_wait(arriving, waiting):
    def body(thread, ready):
        @pl.when(thread < arriving)
        def _():
            plgpu.barrier_arrive(ready)

        @pl.when(thread >= 4 - waiting)
        def _():
            plgpu.barrier_wait(ready)

    assert found(scalar(body, 4, num_arrivals=arriving), checks="none") == set()


def passing_on(thread, ready, between=lambda: None):
    """Thread 1 waits for the first phase and completes the second one."""
    @of_thread(thread, 0)
    def _():
        plgpu.barrier_arrive(ready)

    @of_thread(thread, 1)
    def _():
        plgpu.barrier_wait(ready)
        between()
        plgpu.barrier_arrive(ready)


def test_a_thread_does_not_wait_for_the_last_phase():
    assert found(scalar(passing_on, 2), checks="gpu-strict") == {"phases-left"}
    assert found(scalar(passing_on, 2), checks="none") == set()


def test_a_thread_misses_a_phase():
    def body(thread, ready):
        passing_on(thread, ready)

        @of_thread(thread, 2)
        def _():
            plgpu.barrier_wait(ready)

    assert found(scalar(body, 3), checks="none") == {"phase-missed"}


def test_a_thread_that_has_told_that_it_has_waited_misses_nothing():
    def body(thread, barriers):
        ready, seen = barriers.at[0], barriers.at[1]
        passing_on(thread, ready, lambda: plgpu.barrier_wait(seen))

        @of_thread(thread, 2)
        def _():
            plgpu.barrier_wait(ready)
            plgpu.barrier_arrive(seen)

    assert found(scalar(body, 3, num_barriers=2), checks="none") == set()


def test_arrivals_that_are_left_say_how_many_threads_arrive():
    def body(thread, ready):
        @of_thread(thread, 1)
        def _():
            plgpu.barrier_arrive(ready)

    with pytest.raises(jax.errors.JaxRuntimeError, match="1 of the 2 arrivals of phase 0 .*; 1 thread arrives at it"), \
            tp.interpreter():
        jax.block_until_ready(scalar(body, 2, num_arrivals=2)())


# -- proxies --


def copied_out(commits):
    """JAX's test of the same name has these three places."""
    before, between, behind = commits

    def body(x_ref, o_ref, tile):
        if before:
            plgpu.commit_smem()
        tile[...] = x_ref[...]
        if between:
            plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(tile, o_ref)
        if behind:
            plgpu.commit_smem()
        plgpu.wait_smem_to_gmem(0)

    return launch_of(body, scratch=[SLOT])


@pytest.mark.parametrize("before", (False, True))
@pytest.mark.parametrize("between", (False, True))
@pytest.mark.parametrize("behind", (False, True))
def test_fences_of_one_thread(before, between, behind):
    expected = set() if between else {"proxy-fence-missing"}
    assert found(copied_out((before, between, behind)), rows(64)) == expected


def filled(places, threads):
    """Memory that was written by a thread is filled by a copy, of the same thread or of another one."""
    def body(x_ref, o_ref, tile, told, copied):
        fence = iter([plgpu.commit_smem if place else lambda: None for place in places])
        thread = jax.lax.axis_index("thread")

        @of_thread(thread, 0)
        def _():
            next(fence)()
            tile[...] = jnp.zeros((64, 64), jnp.float32)
            next(fence)()
            plgpu.barrier_arrive(told)

        @of_thread(thread, threads - 1)
        def _():
            next(fence)()
            plgpu.barrier_wait(told)
            next(fence)()
            plgpu.copy_gmem_to_smem(x_ref, tile, copied)
            next(fence)()
            plgpu.barrier_wait(copied)
            o_ref[...] = tile[...]

    return launch_of(body, threads=threads, scratch=[SLOT, plgpu.Barrier(), plgpu.Barrier()])


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("threads", (1, 2))
def test_fences_before_a_copy_overwrites(place, threads):
    """Only a fence behind the store and before the copy counts: that is the strict level, as in JAX."""
    fenced = place in ((1, 2, 3) if threads == 1 else (1, 3))
    launch = filled([number == place for number in range(5)], threads)
    assert found(launch, rows(64), checks="gpu-strict") == (set() if fenced else {"overwrite-unfenced"})
    assert found(launch, rows(64)) == set()


def test_the_element_and_the_store_are_named():
    with pytest.raises(tp.FindingError) as raised, tp.check():
        jax.block_until_ready(copied_out((True, False, True))(rows(64)))
    assert "proxy-fence-missing" in str(raised.value) and "tile[0, 0]" in str(raised.value)
    assert "it was written by" in str(raised.value)
