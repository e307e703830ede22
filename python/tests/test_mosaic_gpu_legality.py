"""Kernels of Mosaic GPU that no GPU can run: each rule refuses a kernel, and JAX's own lowering is the judge of both."""

import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import tilegrind.pallas as tp
from mosaic_kernels import TILES, f32, ints, launch_of, numbers, refusal, runs
from tilegrind._demands import DEMANDS
from tilegrind.pallas import legality as refusing
from tilegrind.pallas.legality.registers import registers_of
from tilegrind.pallas.tracing import jaxprs

from conformance.jax import legality, suites
from conformance.jax import run as jax_suites
from conformance.jax.legality_table import Kernel

of_tables = pytest.mark.skipif(jax.__version__ != suites.VERSION, reason="the tables are of another JAX")


def copied(part=lambda ref: ref, into=lambda ref: ref, shape=(64, 64), tile=(64, 64), transforms=(), **options):
    def body(x_ref, o_ref, tile_ref, ready):
        plgpu.copy_gmem_to_smem(part(x_ref), into(tile_ref), ready)
        plgpu.barrier_wait(ready)
        o_ref[...] = tile_ref[...]

    return launch_of(body, out=f32(*tile), scratch=[plgpu.SMEM(tile, jnp.float32, transforms=transforms), plgpu.Barrier()],
                     **options), numbers(*shape)


def here(name):
    """A pattern of the place of a line of this file, before the primitive."""
    return rf"{re.escape(Path(__file__).name)}:\d+: {name}: "


# -- the tables --


@of_tables
@pytest.mark.parametrize("table", legality.TABLES)
def test_tilegrind_answers_as_the_tables_say(table):
    wrong = []
    for kernel in legality.TABLES[table]:
        found = " ".join("-" if legality.converted(kernel, one) else "+" for one in legality.SEMANTICS)
        if found != " ".join(pair[1] for pair in kernel.answers.split()):
            wrong.append(f"{kernel.name}: {found}, {kernel.answers} in the table")
    assert wrong == []


@of_tables
def test_each_rule_refuses_a_kernel_of_the_tables():
    """The rules are those that the front end names."""
    sources = "".join(path.read_text() for path in Path(refusing.__file__).parent.glob("*.py"))
    tried = {rule for rule in DEMANDS if f'"{rule}"' in sources}
    broken = set()
    for table in legality.TABLES.values():
        for kernel in table:
            text = legality.converted(kernel, legality.SEMANTICS[0]) or ""
            broken |= {rule for rule in tried if f": {rule}: " in text and text.endswith(f"({DEMANDS[rule][1]})")}
    assert broken == tried


@of_tables
def test_jax_is_asked_with_both_semantics(capsys):
    assert legality.main(["a copy of 25? rows", "wgmma of b without tiles"]) == 0
    told = capsys.readouterr().out
    assert "++ ++  a copy of 256 rows" in told and "-- --  a copy of 257 rows" in told and "-- ++  wgmma of b without tiles" in told
    assert told.endswith("3 kernels: agree 3\n")


@of_tables
def test_an_answer_that_is_not_in_the_table_fails(monkeypatch, capsys, tmp_path):
    [kernel] = [kernel for kernel in legality.TABLES["copies"] if kernel.name == "a copy of rows"]
    monkeypatch.setattr(legality, "TABLES", {"copies": [Kernel(kernel.name, kernel.make, "-- --")]})
    assert legality.main(["--json", str(tmp_path / "out.json")]) == 1
    told = capsys.readouterr().out
    assert "UNEXPECTED: -- -- in the table" in told and "lane: JAX: takes it" in told and "1 UNEXPECTED" in told
    assert '"found": "++ ++"' in (tmp_path / "out.json").read_text()


def test_the_document_has_the_differences_of_the_tables():
    assert legality.DIFFERENCES.read_text() == legality.differences()


def test_kernels_have_names_of_their_own_and_reasons_where_both_differ():
    kernels = [kernel for table in legality.TABLES.values() for kernel in table]
    assert len({kernel.name for kernel in kernels}) == len(kernels) >= 60
    for kernel in kernels:
        assert re.fullmatch(r"[+-]{2} [+-]{2}", kernel.answers)
        assert bool(kernel.why) == bool({"+-", "-+"} & set(kernel.answers.split())), kernel.name


@pytest.mark.parametrize("answers, verdict", [
    (("++", "--"), "agree"), (("+-", "++"), "we refuse more"), (("-+", "--"), "we refuse less"), (("-+", "+-"), "both refuse more")])
def test_verdicts(answers, verdict):
    said = {"+": None, "-": "no"}
    row = legality.Row("table", "name", "", "", tuple(legality.Answer("lane", said[jax_], said[ours]) for jax_, ours in answers))
    assert (row.found, row.verdict) == (" ".join(answers), verdict)


@of_tables
@of_tables
def test_what_tracing_refuses_is_counted(capsys):
    assert legality.main(["a swizzle of * bytes"]) == 0
    assert capsys.readouterr().out.endswith("2 kernels: agree 2; JAX's tracing refuses 2 of them, before either is asked\n")


@of_tables
def test_the_suites_reach_it(capsys):
    assert jax_suites.main(["--legality", "a copy of 256 rows"]) == 0
    assert "a copy of 256 rows" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        jax_suites.main([])
    assert "--jax, or --legality" in capsys.readouterr().err


# -- what is told --


def test_a_box_that_is_too_long_is_told_with_line_operands_rule_and_source():
    text = refusal(*copied(shape=(512, 64), tile=(512, 64)))
    assert re.search(here("copy_gmem_to_smem") + re.escape(
        "tma_box: dimension 0 of the box (512, 64) has 512, from x_ref to tile_ref; a box has 1 to 256 elements in each dimension "
        "(CUDA driver API, cuTensorMapEncodeTiled)") + "$", text)


def test_memory_of_a_block_of_a_cluster_is_named():
    text = refusal(*copied(shape=(512, 64), tile=(512, 64), cluster=(2,), cluster_names=("rank",)))
    assert "from x_ref to tile_ref; a box has" in text


@pytest.mark.parametrize("run", [tp.interpreter, tp.check])
def test_what_is_refused_does_not_run(run):
    launch, x = copied(shape=(512, 64), tile=(512, 64))
    with pytest.raises(tp.ExportError, match="tma_box"), run():
        jax.block_until_ready(launch(x))


def test_a_scope_is_told_that_exceeds_shared_memory():
    def body(o_ref, first):
        first[0] = 0.0
        pl.run_scoped(lambda ref: o_ref.__setitem__(0, ref[0]), plgpu.SMEM((128 * 256,), jnp.float32), collective_axes=())

    launch = launch_of(body, out=f32(8), scratch=[plgpu.SMEM((128 * 256,), jnp.float32)])
    assert re.search(here("run_scoped") + "shared_memory: 262144 bytes are allocated", refusal(launch))


def test_a_launch_is_told_that_has_too_many_threads():
    launch = launch_of(lambda o_ref: None, out=f32(8), num_threads=9, thread_name="thread")
    assert "threads: a block has 9 threads; a block has at most 1,024 lanes" in refusal(launch)


# -- what is not judged --


def test_a_launch_that_is_interpreted_is_for_no_gpu():
    from jax._src.pallas.mosaic_gpu.interpret.params import InterpretGPUParams

    launch, x = copied(shape=(512, 64), tile=(512, 64), interpret=InterpretGPUParams())
    for result in runs(launch, x):
        np.testing.assert_array_equal(result, x)


def test_a_dynamic_index_is_not_judged():
    """Of rows of 16 bytes, every eighth begins at an address that a copy can have."""
    def into(ref):
        return ref.at[pl.ds(jax.lax.axis_index("block"), 8)]

    def launch(where):
        return copied(part=lambda ref: ref.at[pl.ds(0, 8)], into=where, shape=(16, 4), tile=(16, 4), grid=(1,), grid_names=("block",))

    assert tp.export(*launch(into)).kernels
    assert "tma_shared_address: it begins at 16," in refusal(*launch(lambda ref: ref.at[pl.ds(1, 8)]))


def test_memory_that_jax_lays_out_is_not_judged():
    """With the semantics of warpgroups, and only with operations that say which layout they want."""
    def product(semantics):
        def body(o_ref, a, b):
            def scope(acc):
                plgpu.wgmma(acc, a, b)
                o_ref[...] = acc[...]

            pl.run_scoped(scope, plgpu.ACC((64, 64)))

        return launch_of(body, out=f32(64, 64), scratch=[plgpu.SMEM((64, 64), jnp.float16)] * 2,
                         compiler_params=plgpu.CompilerParams(lowering_semantics=semantics))

    assert tp.export(product(plgpu.LoweringSemantics.Warpgroup)).kernels
    assert "wgmma_tile: A has no tiles and no swizzle" in refusal(product(plgpu.LoweringSemantics.Lane))
    warpgroups = plgpu.CompilerParams(lowering_semantics=plgpu.LoweringSemantics.Warpgroup)
    assert "tma_box" in refusal(*copied(shape=(512, 64), tile=(512, 64), compiler_params=warpgroups))


@pytest.mark.parametrize("tile, is_taken", [((8, 1, 64), True), ((4, 1, 64), False)])
def test_a_tile_of_rows_that_are_merged(tile, is_taken):
    """A tile that is one element wide along a dimension is that of the merged rows."""
    def body(o_ref, a, b):
        def scope(acc):
            plgpu.wgmma(acc, a, b.reshape(64, 128))
            o_ref[...] = acc[...]

        pl.run_scoped(scope, plgpu.ACC((64, 128)))

    swizzle = plgpu.SwizzleTransform(128)
    launch = launch_of(body, out=f32(64, 128), scratch=[
        plgpu.SMEM((64, 64), jnp.float16, transforms=(plgpu.TilingTransform((8, 64)), swizzle)),
        plgpu.SMEM((64, 2, 64), jnp.float16, transforms=(plgpu.TilingTransform(tile), swizzle))])
    if is_taken:
        assert tp.export(launch).kernels
    else:
        assert "B has tiles of (4, 1, 64)" in refusal(launch)


def test_boxes_of_tiles_and_of_indices_are_taken():
    for shape, tile, part, transforms in (((512, 32), (512, 32), lambda ref: ref, TILES),
                                          ((4, 4, 4, 4, 8, 32), (8, 32), lambda ref: ref.at[1, 2, 3, 0], TILES)):
        launch, x = copied(part, shape=shape, tile=tile, transforms=transforms)
        for result in runs(launch, x):
            np.testing.assert_array_equal(result, part(np.asarray(x)) if x.ndim == 2 else np.asarray(x)[1, 2, 3, 0])


def test_a_scalar_of_the_program_around_is_refused():
    one = jnp.int32(1)

    def body(o_ref):
        o_ref[...] = one + 1

    text = refusal(launch_of(body, out=ints()))
    assert f"{Path(__file__).name}:{body.__code__.co_firstlineno}: mpmd_map: the kernel closes over a scalar of the program around it" in text


# -- registers --


def registers(body, threads=2):
    launch = launch_of(lambda o_ref: body(jax.lax.axis_index("thread")), out=f32(8), num_threads=threads, thread_name="thread")
    [eqn] = [eqn for eqn in jaxprs.all_eqns(jax.make_jaxpr(launch)()) if eqn.primitive.name == "mpmd_map"]
    return registers_of(eqn.params["jaxprs"][0], eqn.params["meshes"][0])


def set_to(count, action="decrease"):
    return lambda: plgpu.set_max_registers(count, action=action)


def test_registers_of_threads_by_their_branches():
    def body(thread):
        pl.when(thread == 0)(set_to(40))
        pl.when((thread > 0) & (thread < 3))(set_to(200, "increase"))

    assert registers(body, 4) == {0: 40, 1: 200, 2: 200}


def test_integers_and_truth_values_of_a_thread_are_followed():
    def body(thread):
        pl.when(~(thread == 0))(set_to(40))
        pl.when(~thread == -3)(set_to(64))
        pl.when(thread.astype(jnp.bool_) == (thread < 1))(set_to(72))

    assert registers(body, 3) == {1: 40, 2: 64}


def test_floats_of_a_thread_are_not_followed():
    def body(x_ref, o_ref):
        thread = jax.lax.axis_index("thread")
        pl.when(thread.astype(jnp.float32) < 1)(set_to(40))
        o_ref[...] = jnp.where(x_ref[...] > 0, x_ref[...], -jnp.inf)

    launch = launch_of(body, out=f32(8), num_threads=2, thread_name="thread")
    [eqn] = [eqn for eqn in jaxprs.all_eqns(jax.make_jaxpr(launch)(numbers(8))) if eqn.primitive.name == "mpmd_map"]
    assert registers_of(eqn.params["jaxprs"][0], eqn.params["meshes"][0]) == {0: 40, 1: 40}


def test_the_last_number_of_a_thread_counts():
    def body(thread):
        set_to(40)()
        pl.when(thread == 1)(set_to(232, "increase"))

    assert registers(body) == {0: 40, 1: 232}


def test_branches_inside_of_branches_loops_and_calls_are_followed():
    def body(thread):
        @pl.when(thread != 5)
        def _branch():
            @pl.loop(0, 3)
            def _step(i):
                del i
                pl.when(thread == 1)(set_to(48))

        jax.jit(lambda: pl.when(thread == 0)(set_to(56)))()

    assert registers(body) == {0: 56, 1: 48}


def test_of_branches_that_are_not_known_the_most_registers_count():
    launch = launch_of(lambda x_ref, o_ref: jax.lax.cond(x_ref[0] > 0, set_to(40), set_to(64)), out=f32(8))
    [eqn] = [eqn for eqn in jaxprs.all_eqns(jax.make_jaxpr(launch)(numbers(8))) if eqn.primitive.name == "mpmd_map"]
    assert registers_of(eqn.params["jaxprs"][0], eqn.params["meshes"][0]) == {0: 64}


def test_registers_of_all_threads_are_told_where_one_increases_them():
    def body(o_ref):
        plgpu.set_max_registers(240, action="increase")

    launch = launch_of(body, out=f32(8), num_threads=3, thread_name="thread")
    assert re.search(here(r"set_max_registers\w*") + re.escape(
        "registers: the lanes of its threads have 92160 (thread 0: 240, thread 1: 240, thread 2: 240); a block has 65,536 registers"),
        refusal(launch))
