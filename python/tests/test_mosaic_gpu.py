"""Kernels of Mosaic GPU: launched by `plgpu.kernel`, exported, and run on a CPU in every order."""

import ast
import functools
import importlib
import warnings
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import tilegrind.pallas as tp
from mosaic_kernels import ORDERS, TILES, kinds_among, launch_of as kernel, refusal, runs

kinds = functools.partial(kinds_among, ("deadlock", "dma-in-flight", "dma-not-awaited"))


def rows(count, columns=64, dtype=jnp.float32):
    return jnp.arange(count * columns).reshape(count, columns).astype(dtype)


# -- copies --


def add_one(x_ref, o_ref, tile, ready):
    at = pl.ds(jax.lax.axis_index("block") * 128, 128)
    plgpu.copy_gmem_to_smem(x_ref.at[at], tile, ready)
    plgpu.barrier_wait(ready)
    tile[...] = tile[...] + 1
    plgpu.commit_smem()
    plgpu.copy_smem_to_gmem(tile, o_ref.at[at])
    plgpu.wait_smem_to_gmem(0)


def launch_of(body, count, transforms=TILES, **options):
    return kernel(body, out=jax.ShapeDtypeStruct((count, 64), jnp.float32), grid=(-(-count // 128),),
                  grid_names=("block",), scratch=[plgpu.SMEM((128, 64), jnp.float32, transforms=transforms),
                                                  plgpu.Barrier()], **options)


def test_a_copy_in_and_a_copy_out():
    x = rows(256)
    for result in runs(launch_of(add_one, 256), x):
        np.testing.assert_array_equal(result, x + 1)


def test_memory_has_its_logical_shape_and_a_layout():
    [exported] = tp.export(launch_of(add_one, 256), rows(256)).kernels
    assert exported["grid"] == [{"size": 2, "semantics": "parallel", "name": "block"}]
    assert (exported["name"], [p["name"] for p in exported["params"]]) == ("add_one", ["x_ref", "o_ref", "tile", "ready"])
    assert [(p["role"], p["type"], p.get("space")) for p in exported["params"]] == [
        ("input", "f32[256,64]", "gmem"), ("output", "f32[256,64]", "gmem"), ("scratch", "f32[128,64]", "smem"),
        ("scratch", exported["params"][3]["type"], None)]
    assert exported["params"][3]["type"] in ("barrier[1]", "barrier[]")  # by the version of JAX
    tile, ready = exported["params"][2:]
    assert (tile["name"], tile["layout"]) == ("tile", "Sw<3,2,3> o (16,8,2,32):(512,32,256,1)")
    assert ready["arrivals"] == 1


def test_a_file_is_parsed_once_for_the_names_of_its_kernels(monkeypatch):
    parsed, parse = [], ast.parse
    monkeypatch.setattr(ast, "parse", lambda *args, **options: parsed.append(args) or parse(*args, **options))
    for count in (128, 256):
        [exported] = tp.export(launch_of(add_one, count), rows(count)).kernels
        assert exported["params"][0]["name"] == "x_ref"
    assert len(parsed) <= 1  # none if a test before this one has exported a kernel


def test_a_box_that_reaches_outside_is_filled_with_zeros():
    """And what it holds beyond the array is not written back."""
    x = rows(200)
    for result in runs(launch_of(add_one, 200), x):
        np.testing.assert_array_equal(result, x + 1)


def test_zeros_outside_are_defined():
    def body(x_ref, o_ref, tile, ready):
        plgpu.copy_gmem_to_smem(x_ref.at[pl.ds(72 + jax.lax.axis_index("block"), 128)], tile, ready)
        plgpu.barrier_wait(ready)
        o_ref[...] = tile[...]

    x = rows(128)
    for result in runs(launch_of(body, 128), x):
        np.testing.assert_array_equal(result, jnp.pad(x[72:], ((0, 72), (0, 0))))


def test_a_read_before_the_wait_is_found():
    def body(x_ref, o_ref, tile, ready):
        plgpu.copy_gmem_to_smem(x_ref, tile, ready)
        o_ref[...] = tile[...]
        plgpu.barrier_wait(ready)

    for order in ORDERS:
        assert kinds(launch_of(body, 128), rows(128), order=order) == {"dma-in-flight"}


def test_a_read_before_the_wait_gives_wrong_values():
    def body(x_ref, o_ref, tile, ready):
        tile[...] = jnp.zeros((128, 64), jnp.float32)
        plgpu.copy_gmem_to_smem(x_ref, tile, ready)
        o_ref[...] = tile[...]
        plgpu.barrier_wait(ready)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with tp.interpreter(findings="warn"):
            result = np.asarray(launch_of(body, 128)(rows(128) + 1))
    assert not result.any()


def test_a_source_that_is_overwritten_while_it_is_stored_is_found():
    def body(x_ref, o_ref, tile, ready):
        del ready
        tile[...] = x_ref[...]
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(tile, o_ref)
        tile[...] = jnp.zeros((128, 64), jnp.float32)
        plgpu.wait_smem_to_gmem(0)

    assert kinds(launch_of(body, 128), rows(128)) == {"dma-in-flight"}


def test_a_store_that_nobody_waits_for_is_found():
    def body(x_ref, o_ref, tile, ready):
        del ready
        tile[...] = x_ref[...]
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(tile, o_ref)

    assert kinds(launch_of(body, 128), rows(128)) == {"dma-not-awaited"}


def test_a_barrier_that_lacks_an_arrival_is_a_deadlock():
    def body(x_ref, o_ref, tile, ready):
        o_ref[...] = x_ref[...]
        plgpu.barrier_wait(ready)

    assert kinds(launch_of(body, 128), rows(128)) == {"deadlock"}


@pytest.mark.parametrize("chosen", (True, False))
def test_a_predicate_of_a_store(chosen):
    def body(x_ref, o_ref, tile, ready):
        del ready
        tile[...] = x_ref[...]
        o_ref[...] = jnp.zeros((128, 64), jnp.float32)
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(tile, o_ref, predicate=jax.lax.axis_index("block") == (0 if chosen else 1))
        plgpu.wait_smem_to_gmem(0)

    x = rows(128)
    for result in runs(launch_of(body, 128), x):
        np.testing.assert_array_equal(result, x if chosen else 0 * x)


# -- pipelines, threads --


def test_an_emitted_pipeline():
    def body(x_ref, o_ref):
        def step(index, x_tile, o_tile):
            del index
            o_tile[...] = x_tile[...] * 2

        spec = plgpu.BlockSpec((64, 64), lambda i: (i, 0), transforms=TILES)
        plgpu.emit_pipeline(step, grid=(5,), in_specs=[spec], out_specs=[spec], max_concurrent_steps=2)(x_ref, o_ref)

    x = rows(320)
    for result in runs(kernel(body, out=jax.ShapeDtypeStruct((320, 64), jnp.float32)), x):
        np.testing.assert_array_equal(result, 2 * x)


def warp_specialised(wait_for_free):
    """Thread 0 brings blocks, thread 1 doubles them."""
    def body(x_ref, o_ref, tile, ready, free):
        thread = jax.lax.axis_index("thread")

        @pl.when(thread == 0)
        def _():
            @pl.loop(0, 4)
            def _(step):
                if wait_for_free:
                    @pl.when(step > 0)
                    def _():
                        plgpu.barrier_wait(free)
                plgpu.copy_gmem_to_smem(x_ref.at[pl.ds(step * 64, 64)], tile, ready)

        @pl.when(thread == 1)
        def _():
            @pl.loop(0, 4)
            def _(step):
                plgpu.barrier_wait(ready)
                o_ref[pl.ds(step * 64, 64), :] = tile[...] * 2
                plgpu.barrier_arrive(free)

    return kernel(body, out=jax.ShapeDtypeStruct((256, 64), jnp.float32), num_threads=2, thread_name="thread",
                  scratch=[plgpu.SMEM((64, 64), jnp.float32, transforms=TILES), plgpu.Barrier(), plgpu.Barrier()])


def test_warp_specialisation():
    x = rows(256)
    for result in runs(warp_specialised(True), x):
        np.testing.assert_array_equal(result, 2 * x)


@pytest.mark.parametrize("order", ORDERS)
def test_a_slot_that_is_refilled_too_early_is_found(order):
    assert kinds(warp_specialised(False), rows(256), order=order)


def test_every_check_in_every_order():
    x = rows(256)
    with tp.check():
        np.testing.assert_array_equal(warp_specialised(True)(x), 2 * x)


def test_a_slot_that_is_refilled_too_early_is_found_by_check():
    with pytest.raises(tp.FindingError), tp.check():
        jax.block_until_ready(warp_specialised(False)(rows(256)))


def test_vmap_adds_an_axis():
    x = jnp.stack([rows(256), 3 * rows(256)])
    for result in runs(jax.vmap(launch_of(add_one, 256)), x):
        np.testing.assert_array_equal(result, x + 1)


def test_blocks_of_a_cluster():
    def body(o_ref):
        place = jax.lax.axis_index("grid") * 2 + jax.lax.axis_index("rank")
        o_ref[place] = place

    launch = kernel(body, out=jax.ShapeDtypeStruct((6,), jnp.int32), grid=(3,), grid_names=("grid",), cluster=(2,),
                    cluster_names=("rank",))
    for result in runs(launch):
        np.testing.assert_array_equal(result, np.arange(6))


def test_an_atomic_store():
    """Of two threads, which nothing else orders."""
    def body(o_ref, sums, zeroed):
        thread = jax.lax.axis_index("thread")

        @pl.when(thread == 0)
        def _():
            sums[...] = jnp.zeros((8,), jnp.int32)

        plgpu.barrier_arrive(zeroed)
        plgpu.barrier_wait(zeroed)
        plgpu.atomic_add(sums, jnp.full((8,), thread + 1))
        plgpu.barrier_arrive(zeroed)
        plgpu.barrier_wait(zeroed)

        @pl.when(thread == 1)
        def _():
            o_ref[...] = sums[...]

    launch = kernel(body, out=jax.ShapeDtypeStruct((8,), jnp.int32), num_threads=2, thread_name="thread",
                    scratch=[plgpu.SMEM((8,), jnp.int32), plgpu.Barrier(num_arrivals=2)])
    for result in runs(launch):
        np.testing.assert_array_equal(result, np.full(8, 3))


# -- copies of rows that an array lists --


def gathered(x_ref, rows_ref, o_ref, tile, ready):
    plgpu.copy_gmem_to_smem(x_ref.at[rows_ref[...], pl.ds(32, 64)], tile, ready)
    plgpu.barrier_wait(ready)
    o_ref[...] = tile[...]


def gather(count, body=gathered):
    return kernel(body, out=jax.ShapeDtypeStruct((count, 64), jnp.float32),
                  scratch=[plgpu.SMEM((count, 64), jnp.float32, transforms=TILES), plgpu.Barrier()])


def test_rows_that_an_array_lists_are_gathered():
    x, listed = rows(64, columns=128), jnp.array([3, 63, 0, 3, 17, 40, 8, 9], jnp.uint32)
    for result in runs(gather(8), x, listed):
        np.testing.assert_array_equal(result, x[listed, 32:96])


def test_listed_rows_outside_are_zeros():
    x, listed = rows(64, columns=128) + 1, jnp.array([3, 64, 0, 2**31 - 1, 17, 40, 8, 70], jnp.uint32)
    wanted = jnp.where(listed[:, None] < 64, x[jnp.minimum(listed, 63), 32:96], 0)
    for result in runs(gather(8), x, listed):
        np.testing.assert_array_equal(result, wanted)


def test_a_gather_is_not_there_before_all_its_rows_are():
    def body(x_ref, rows_ref, o_ref, tile, ready):
        plgpu.copy_gmem_to_smem(x_ref.at[rows_ref[...], pl.ds(32, 64)], tile, ready)
        o_ref[...] = tile[...]
        plgpu.barrier_wait(ready)

    assert "dma-in-flight" in kinds(gather(8, body), rows(64, columns=128), jnp.arange(8, dtype=jnp.uint32))


def test_rows_are_scattered():
    def body(x_ref, rows_ref, o_ref, tile):
        tile[...] = x_ref[...]
        plgpu.commit_smem()
        plgpu.copy_smem_to_gmem(tile, o_ref.at[rows_ref[...]])
        plgpu.wait_smem_to_gmem(0)

    launch = kernel(body, out=jax.ShapeDtypeStruct((8, 64), jnp.float32),
                    scratch=[plgpu.SMEM((8, 64), jnp.float32, transforms=TILES)])
    x, listed = rows(8), jnp.array([5, 0, 7, 1, 2, 6, 4, 3], jnp.uint32)
    for result in runs(launch, x, listed):
        np.testing.assert_array_equal(result[listed], x)


def test_columns_that_an_array_lists_are_refused():
    def body(x_ref, rows_ref, o_ref, tile, ready):
        plgpu.copy_gmem_to_smem(x_ref.at[pl.ds(0, 8), rows_ref[...]], tile, ready)
        plgpu.barrier_wait(ready)
        o_ref[...] = tile[...]

    message = refusal(gather(8, body), rows(64, columns=128), jnp.arange(64, dtype=jnp.uint32))
    assert "an array can only list the rows of what is copied" in message


# -- copies that reduce --


def reduced(kind, dtype):
    def kernel_of(refs):
        x_ref, o_ref = refs

        @pl.core_map(plgpu.Mesh(grid=(5,), grid_names=("block",)))
        def _():
            def inside(tile):
                tile[...] = x_ref[jax.lax.axis_index("block")]
                plgpu.commit_smem()
                plgpu.copy_smem_to_gmem(tile, o_ref, reduction_op=kind)
                plgpu.wait_smem_to_gmem(0)

            pl.run_scoped(inside, plgpu.SMEM((128,), dtype))

    return jax.jit(lambda x, first: pl.run_state(kernel_of)((x, first))[1])


@pytest.mark.parametrize("kind, dtype", [("add", jnp.float32), ("add", jnp.bfloat16), ("max", jnp.int32), ("xor", jnp.int32)])
def test_blocks_reduce_to_one_array(kind, dtype):
    x = (jnp.arange(5 * 128) * 7 % 100 - 50).reshape(5, 128).astype(dtype)
    combined = {"add": jnp.sum, "max": jnp.max, "xor": lambda x, axis: functools.reduce(jnp.bitwise_xor, x)}[kind]
    for result in runs(reduced(kind, dtype), x, jnp.zeros((128,), dtype)):
        np.testing.assert_array_equal(result, combined(jnp.concatenate([x, jnp.zeros((1, 128), dtype)]), axis=0))


def test_a_reduction_that_wraps_is_refused():
    with pytest.raises(tp.ExportError, match="a copy that reduces by inc is not supported"), tp.interpreter():
        reduced("inc", jnp.int32)(jnp.zeros((5, 128), jnp.int32), jnp.zeros((128,), jnp.int32))


# -- semaphores --


def blocks(body, count, out, scratch=(), **threads):
    return kernel(body, out=jax.ShapeDtypeStruct(out, jnp.int32), grid=(count,), grid_names=("block",), scratch=scratch, **threads)


def test_a_semaphore_of_the_whole_device():
    def body(o_ref):
        block, done = jax.lax.axis_index("block"), pl.get_global(plgpu.SemaphoreType.REGULAR)
        pl.semaphore_signal(done, 2)
        plgpu.semaphore_wait(done, 8, decrement=False, memory_scope="gpu")
        o_ref[block] = pl.semaphore_read(done)

    for result in runs(blocks(body, 4, (4,))):
        np.testing.assert_array_equal(result, [8, 8, 8, 8])


def test_each_semaphore_of_the_device_is_its_own():
    def body(o_ref):
        block = jax.lax.axis_index("block")
        first, others = pl.get_global(plgpu.SemaphoreType.REGULAR), pl.get_global(plgpu.SemaphoreType.REGULAR((2,)))

        @pl.when(block == 0)
        def _():
            plgpu.semaphore_signal_parallel(plgpu.SemaphoreSignal(others.at[1], device_id=None, inc=3),
                                            plgpu.SemaphoreSignal(first, device_id=None))

        @pl.when(block == 1)
        def _():
            pl.semaphore_wait(others.at[1], 2)
            pl.semaphore_wait(first)
            o_ref[0], o_ref[1], o_ref[2] = (pl.semaphore_read(one) for one in (first, others.at[0], others.at[1]))

    for result in runs(blocks(body, 2, (3,))):
        np.testing.assert_array_equal(result, [0, 0, 1])


def test_a_wait_for_a_block_that_does_not_signal_is_a_deadlock():
    def body(o_ref):
        done = pl.get_global(plgpu.SemaphoreType.REGULAR)

        @pl.when(jax.lax.axis_index("block") == 0)
        def _():
            pl.semaphore_wait(done)

        o_ref[jax.lax.axis_index("block")] = 1

    assert "deadlock" in kinds(blocks(body, 2, (2,)))


def test_a_semaphore_of_a_block_belongs_to_its_threads():
    def body(o_ref, ready):
        thread = jax.lax.axis_index("thread")

        @pl.when(thread == 0)
        def _():
            plgpu.semaphore_signal(ready)

        @pl.when(thread == 1)
        def _():
            plgpu.semaphore_wait(ready)
            o_ref[jax.lax.axis_index("block")] = 5

    launch = blocks(body, 3, (3,), [plgpu.SemaphoreType.REGULAR], num_threads=2, thread_name="thread")
    for result in runs(launch):
        np.testing.assert_array_equal(result, [5, 5, 5])


def test_a_semaphore_of_another_device_is_refused():
    def body(o_ref):
        pl.semaphore_signal(pl.get_global(plgpu.SemaphoreType.REGULAR), device_id=jnp.int32(1), device_id_type=pl.DeviceIdType.LOGICAL)

    assert "other devices can be reached only in a shard_map over all axes of its mesh" in refusal(blocks(body, 2, (2,)))


# -- parameters of JAX's interpreter --


def write_all(o_ref):
    o_ref[...] = jax.lax.axis_index("thread") * jnp.float32(2)


def of_two_threads(**params):
    interpreted = importlib.import_module("jax._src.pallas.mosaic_gpu.interpret.params").InterpretGPUParams(**params)
    return kernel(write_all, out=jax.ShapeDtypeStruct((), jnp.float32), num_threads=2, thread_name="thread", interpret=interpreted)


@pytest.mark.parametrize("detects", [False, True])
def test_races_are_looked_for_if_jax_would(detects):
    launch = of_two_threads(detect_races=detects)
    with warnings.catch_warnings(record=True) as caught, tp.interpreter(findings="warn"):
        warnings.simplefilter("always")
        jax.block_until_ready(launch())
    assert any(": race: " in str(one.message) for one in caught) == detects


def test_floats_are_skipped_if_jax_would():
    with tp.interpreter():
        assert of_two_threads(skip_floating_point_ops=True)() == jnp.inf


# -- views of memory --


def union_of(*members):
    return plgpu.RefUnion(*(plgpu.SMEM(*member) if isinstance(member, tuple) else member for member in members))


def bits(body, words, out, *scratch):
    """The words that a kernel without inputs leaves in its output of unsigned integers."""
    launch = kernel(body, out=jax.ShapeDtypeStruct((words,), out), scratch=scratch)
    [first, *others] = [result for result in runs(launch)]
    for other in others:
        np.testing.assert_array_equal(other, first)
    return first


def test_members_of_a_union_have_the_same_bits():
    """At the same width, and wider and narrower."""
    def body(o_ref, both):
        floats, words, halves = both
        floats[...] = jnp.arange(64, dtype=jnp.float32)
        words[...] = words[...] + 1  # reads floats as integers
        o_ref[...] = halves[...]

    found = bits(body, 128, jnp.uint16, union_of(((64,), jnp.float32), ((64,), jnp.uint32), ((128,), jnp.uint16)))
    wanted = np.arange(64, dtype=np.float32).view(np.uint32) + 1
    np.testing.assert_array_equal(found, wanted.view(np.uint16))


def test_members_of_one_group_lie_one_behind_the_other():
    """Each begins at the next 1024 bytes."""
    def body(o_ref, both):
        whole, (first, second) = both
        whole[...] = jnp.arange(512, dtype=jnp.int32)
        o_ref[...] = jnp.where(first[...] == jnp.arange(8), second[...], 0).astype(jnp.uint32)

    found = bits(body, 8, jnp.uint32,
                 union_of(((512,), jnp.int32), [plgpu.SMEM((8,), jnp.int32), plgpu.SMEM((8,), jnp.int32)]))
    np.testing.assert_array_equal(found, np.arange(256, 264))


def swizzled(tile):
    """A tile of (8, 32) words as memory holds it: pieces of four words change places within their row."""
    pieces = tile.reshape(8, 8, 4)
    return np.stack([pieces[row][np.arange(8) ^ row] for row in range(8)]).reshape(-1)


def test_members_of_a_union_are_held_in_their_own_ways():
    """What is written in tiles with a swizzle is read as it is held."""
    def body(o_ref, both):
        tiled, plain = both
        tiled[...] = jnp.arange(8 * 64, dtype=jnp.uint32).reshape(8, 64)
        o_ref[...] = plain[...]

    found = bits(body, 512, jnp.uint32, plgpu.RefUnion(
        plgpu.SMEM((8, 64), jnp.uint32, transforms=TILES), plgpu.SMEM((512,), jnp.uint32)))
    written = np.arange(8 * 64, dtype=np.uint32).reshape(8, 64)
    np.testing.assert_array_equal(found, np.concatenate([swizzled(written[:, :32]), swizzled(written[:, 32:])]))


@pytest.mark.parametrize("waits", [True, False])
def test_a_copy_into_one_member_is_seen_in_the_other(waits):
    def body(x_ref, o_ref, both, ready):
        floats, halves = both
        plgpu.copy_gmem_to_smem(x_ref, floats, ready)
        if waits:
            plgpu.barrier_wait(ready)
        o_ref[...] = halves[...]

    launch = kernel(body, out=jax.ShapeDtypeStruct((256,), jnp.uint16),
                    scratch=[union_of(((128,), jnp.float32), ((256,), jnp.uint16)), plgpu.Barrier()])
    x = jnp.arange(128, dtype=jnp.float32)
    if waits:
        for result in runs(launch, x):
            np.testing.assert_array_equal(result, np.asarray(x).view(np.uint16))
    else:
        assert "dma-in-flight" in kinds(launch, x)


def test_a_union_of_elements_of_less_than_a_byte_is_refused():
    def body(o_ref, both):
        o_ref[...] = both[0][...]

    launch = kernel(body, out=jax.ShapeDtypeStruct((8,), jnp.int32), scratch=[union_of(((8,), jnp.int32), ((64,), jnp.int4))])
    assert "a union of references to elements of less than a byte is not supported" in refusal(launch)


# -- docs --


def test_the_example_of_the_docs():
    text = (Path(__file__).parents[2] / "docs" / "pallas.md").read_text(encoding="utf-8")
    code = text.split("## Kernels of Mosaic GPU", 1)[1].split("```python\n", 1)[1].split("```", 1)[0]
    with pytest.warns(tp.FindingWarning) as warned:
        exec(compile(code, "docs/pallas.md", "exec"), {})  # what users copy
    said = code.split("# FindingWarning: ... ", 1)[1].strip()
    assert any(said in str(one.message) for one in warned)


def test_a_kernel_whose_source_does_not_name_its_arrays():
    """Those of a partial function are not the first arguments of the function."""
    def body(factor, x_ref, o_ref):
        o_ref[...] = factor * x_ref[...]

    launch = kernel(functools.partial(body, 2), out=jax.ShapeDtypeStruct((8,), jnp.float32))
    [exported] = tp.export(launch, jnp.ones(8)).kernels
    assert [p["name"] for p in exported["params"]] == ["input_0", "output_0"]


# -- what is refused --


@pytest.mark.parametrize("axes, message", [
    ((), "memory that each thread allocates for itself is not supported"),
    (("rank", "thread"), "memory that blocks share along 'rank' is not supported"),
    (("elsewhere",), "memory is to be shared along 'elsewhere', but the mesh has no such axis")])
def test_memory_belongs_to_a_block(axes, message):
    def body(o_ref):
        def inside(tile):
            o_ref[...] = tile[...]

        pl.run_scoped(inside, plgpu.SMEM((8,), jnp.float32), collective_axes=axes)

    launch = kernel(body, out=jax.ShapeDtypeStruct((8,), jnp.float32), cluster=(2,), cluster_names=("rank",), num_threads=2,
                    thread_name="thread")
    assert message in refusal(launch)
