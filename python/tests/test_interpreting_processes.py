"""Tilegrind inside JAX where a process of its own is needed: several devices, programs that another process
compiled, forks."""

import os
import subprocess
import sys
import textwrap

import pytest
from conftest import ROOT

COMMON = """\
import os, sys
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import pallas as pl
import tilegrind.pallas as tp

def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2

def double(x):
    return pl.pallas_call(double_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)

X = jnp.arange(32.0).reshape(8, 4)
"""

TWO_DEVICES = """\
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
assert len(jax.devices()) == 2
mesh = Mesh(np.array(jax.devices()), ("a",))
SPREAD = NamedSharding(mesh, P("a"))
S = jax.device_put(X, SPREAD)

def rows(kernel, *operands, width=4, **options):
    walked = pl.BlockSpec((2, 4), lambda i: (i, 0))
    fixed = pl.BlockSpec((2, 4), lambda i: (0, 0))
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 4), jnp.float32), grid=(4,),
                          in_specs=[walked, fixed][:len(operands)], out_specs=walked, interpret=True,
                          **options)(*operands)

def run(function, *args):
    before = tp.statistics().programs
    compiled = jax.jit(function).lower(*args).compile()
    out = jax.block_until_ready(compiled(*args))
    return np.asarray(out), out.sharding.spec, "all-gather" in compiled.as_text(), \\
        tp.statistics().programs - before
"""


def python(source, *args, **env):
    """Runs a program; returns its words."""
    done = subprocess.run(
        [sys.executable, "-c", COMMON + textwrap.dedent(source), *map(str, args)], text=True, capture_output=True,
        timeout=240, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), "JAX_PLATFORMS": "cpu", **env})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split()


def two_devices(source):
    return python(TWO_DEVICES + textwrap.dedent(source),
                  XLA_FLAGS="--xla_force_host_platform_device_count=2")


# -- several devices --


def test_spread_arrays_stay_spread():
    two_devices("""
        def kernel(x_ref, w_ref, o_ref):
            o_ref[...] = x_ref[...] * 2 + w_ref[...]

        W = jnp.ones((2, 4))
        with tp.interpreter():
            out, spec, gathers, programs = run(lambda x, w: rows(kernel, x, w), S, W)
            np.testing.assert_array_equal(out, 2 * X + 1)
            assert spec == P("a") and not gathers and programs == 4, (spec, gathers, programs)
            out, spec, gathers, programs = run(lambda x: jax.vmap(double)(x), S)
            np.testing.assert_array_equal(out, 2 * X)
            assert spec == P("a") and not gathers and programs == 8, (spec, gathers, programs)
    """)


def test_two_cuts():
    """A product of matrices, whose operands follow one axis of the grid each."""
    two_devices("""
        def kernel(x_ref, w_ref, o_ref):
            o_ref[...] = x_ref[...] @ w_ref[...]

        def matmul(x, w):
            return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 6), jnp.float32), grid=(4, 2),
                                  in_specs=[pl.BlockSpec((2, 4), lambda i, j: (i, 0)),
                                            pl.BlockSpec((4, 3), lambda i, j: (0, j))],
                                  out_specs=pl.BlockSpec((2, 3), lambda i, j: (i, j)), interpret=True)(x, w)

        W = jnp.arange(24.0).reshape(4, 6)
        columns = jax.device_put(W, NamedSharding(mesh, P(None, "a")))
        with tp.interpreter():
            for args, expected in (((S, W), P("a")), ((X, columns), P(None, "a"))):
                out, spec, gathers, programs = run(matmul, *args)
                np.testing.assert_array_equal(out, X @ W)
                assert spec == expected and not gathers and programs == 8, (spec, gathers, programs)
    """)


@pytest.mark.slow
def test_what_cannot_be_cut_runs_whole():
    two_devices("""
        def place(x_ref, o_ref):
            o_ref[...] = x_ref[...] + pl.program_id(0)

        def last(x_ref, o_ref):
            o_ref[...] = x_ref[...]

        def uneven(x):
            spec = pl.BlockSpec((3, 4), lambda i: (i, 0))
            return pl.pallas_call(last, out_shape=jax.ShapeDtypeStruct((8, 4), jnp.float32), grid=(3,),
                                  in_specs=[spec], out_specs=spec, interpret=True)(x)

        def shifted(x):
            return pl.pallas_call(last, out_shape=jax.ShapeDtypeStruct((8, 4), jnp.float32), grid=(4,),
                                  in_specs=[pl.BlockSpec((2, 4), lambda i: ((i + 1) % 4, 0))],
                                  out_specs=pl.BlockSpec((2, 4), lambda i: (i, 0)), interpret=True)(x)

        def reduced(x):
            return pl.pallas_call(last, out_shape=jax.ShapeDtypeStruct((2, 4), jnp.float32), grid=(4,),
                                  in_specs=[pl.BlockSpec((2, 4), lambda i: (i, 0))],
                                  out_specs=pl.BlockSpec((2, 4), lambda i: (0, 0)), interpret=True)(x)

        cases = [(lambda x: rows(place, x), X + jnp.repeat(jnp.arange(4.0), 2)[:, None], 4),
                 (uneven, X, 3), (shifted, jnp.roll(X, -2, 0), 4), (reduced, X[6:], 4), (double, 2 * X, 1)]
        with tp.interpreter():
            for function, expected, programs in cases:
                out, spec, gathers, found = run(function, S)
                np.testing.assert_array_equal(out, expected)
                assert gathers and found == 2 * programs, (gathers, found)  # on each device all of it
    """)


@pytest.mark.slow
def test_spread_alias_print_and_dynamic_grid():
    words = two_devices("""
        def bump(x_ref, o_ref):
            o_ref[...] = x_ref[...] + 1

        def shout(x_ref, o_ref):
            jax.debug.print("here")
            o_ref[...] = x_ref[...]

        def stretch(x, n):
            spec = pl.BlockSpec((2, 4), lambda i: (i, 0))
            return pl.pallas_call(bump, out_shape=jax.ShapeDtypeStruct((8, 4), jnp.float32), grid=(n,),
                                  in_specs=[spec], out_specs=spec, interpret=True)(x)

        with tp.interpreter():
            out, spec, gathers, _ = run(lambda x: rows(bump, x, input_output_aliases={0: 0}), S)
            np.testing.assert_array_equal(out, X + 1)
            assert spec == P("a") and not gathers
            np.testing.assert_array_equal(run(lambda x: rows(shout, x), S)[0], X)
            np.testing.assert_array_equal(run(stretch, S, jnp.int32(4))[0], X + 1)
    """)
    assert words == ["here"] * 4


@pytest.mark.slow
def test_shard_map():
    two_devices("""
        with tp.interpreter():
            for check in (True, False):
                def varying(x):
                    shape = jax.ShapeDtypeStruct(x.shape, x.dtype, manual_axis_type=jax.typeof(x).manual_axis_type)
                    return pl.pallas_call(double_kernel, out_shape=shape, interpret=True)(x)

                before = tp.statistics().runs
                call = jax.jit(jax.shard_map(varying if check else double, mesh=mesh, in_specs=P("a"),
                                             out_specs=P("a"), check_vma=check))
                np.testing.assert_array_equal(call(S), 2 * X)
                out = jax.block_until_ready(call(S))
                assert out.sharding.spec == P("a") and tp.statistics().runs == before + 4
    """)


# -- programs from another process --

CACHE = """
        from jax.experimental.serialize_executable import deserialize_and_load, serialize
        import pickle

        tp.install(order="shuffled:4")
        jax.config.update("jax_compilation_cache_dir", sys.argv[1])
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
        hits = []
        jax.monitoring.register_event_listener(lambda event, **_: hits.append(event)
                                               if event == "/jax/compilation_cache/cache_hits" else None)
"""


@pytest.mark.slow
def test_persistent_cache(tmp_path):
    """The second process, whose kernels come in another order, finds both programs of the first."""
    program = CACHE + """
        other = lambda x: pl.pallas_call(lambda x_ref, o_ref: o_ref.__setitem__(..., x_ref[...] + 5),
                                         out_shape=X, interpret=True)(x)
        calls = [(double, 2 * X), (other, X + 5)]
        wanted = [expected.tolist() for _, expected in calls]
        del hits[:]
        for (function, _), expected in list(zip(calls, wanted))[::int(sys.argv[2])]:
            assert jax.jit(function)(X).tolist() == expected
        print(len(hits), tp.statistics().runs)
    """
    assert python(program, tmp_path, 1) == ["0", "2"]
    assert python(program, tmp_path, -1) == ["2", "2"]


@pytest.mark.slow
def test_serialised_executable(tmp_path):
    file = tmp_path / "program"
    python(CACHE + """
        with open(sys.argv[2], "wb") as file:
            pickle.dump(serialize(jax.jit(double).lower(X).compile()), file)
    """, tmp_path / "none", file)
    words = python(CACHE + """
        with open(sys.argv[2], "rb") as file:
            call = deserialize_and_load(*pickle.load(file))
        assert call(X).tolist() == (2 * X).tolist()
        print(tp.statistics().lowered, tp.statistics().runs)
    """, tmp_path / "none", file)
    assert words == ["0", "1"]


@pytest.mark.slow
@pytest.mark.parametrize("platforms", ["cpu", "cpu,cuda"])
def test_export(tmp_path, platforms):
    file = tmp_path / "program"
    python("""
        from jax import export
        with tp.interpreter():
            exported = export.export(jax.jit(double), platforms=sys.argv[2].split(","), disabled_checks=[
                export.DisabledSafetyCheck.custom_call("tilegrind")])(X)
        with open(sys.argv[1], "wb") as file:
            file.write(exported.serialize())
    """, file, platforms)
    words = python("""
        from jax import export
        tp.install()
        with open(sys.argv[1], "rb") as file:
            exported = export.deserialize(bytearray(file.read()))
        assert exported.call(X).tolist() == (2 * X).tolist()
        print(tp.statistics().lowered, tp.statistics().runs)
    """, file)
    assert words == ["0", "1"]


# -- the end of a process, and its children --


def test_fork():
    """With a team of threads in the parent before; in the child no thread of JAX's is left."""
    words = python("""
        import tilegrind
        module = tilegrind.loads(tp.export(lambda x: jax.vmap(double)(x), X).dumps())
        x = np.asarray(X)
        with tp.interpreter("parallel", threads=3):
            jax.block_until_ready(jax.jit(jax.vmap(double))(X))
        (name,) = [param.name for param in module.params() if param.role == "input"]
        run = lambda: module.run({name: x}, order="parallel:3")
        assert run().threads == 3
        child = os.fork()
        if child == 0:
            import signal
            signal.alarm(60)
            outputs = run().outputs.values()
            os._exit(0 if all((out == 2 * x).all() for out in outputs) else 1)
        print(os.waitpid(child, 0)[1])
    """)
    assert words == ["0"]


# Rows of a product, as programs of a grid; and the processor time of each thread of the process, in ticks.
ROWS = """
def kernel(x_ref, w_ref, o_ref):
    o_ref[...] = x_ref[...] @ w_ref[...]

def product(x, w):
    row = pl.BlockSpec((8, x.shape[1]), lambda i: (i, 0))
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((x.shape[0], w.shape[1]), x.dtype),
                          grid=(x.shape[0] // 8,), in_specs=[row, pl.BlockSpec(w.shape, lambda i: (0, 0))],
                          out_specs=pl.BlockSpec((8, w.shape[1]), lambda i: (i, 0)), interpret=True)(x, w)

def ticks():
    times = {}
    for thread in os.listdir("/proc/self/task"):
        fields = open(f"/proc/self/task/{thread}/stat").read().rpartition(")")[2].split()
        times[thread] = int(fields[11]) + int(fields[12])
    return times

BIG = jnp.ones((1024, 1024))
"""


def rows_of_a_product(source):
    return python(ROWS + textwrap.dedent(source))


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="there is no /proc")
def test_order_parallel_takes_the_threads_of_xla():
    words = rows_of_a_product("""
        jax.block_until_ready(jax.jit(jnp.dot)(BIG, BIG))  # XLA's threads are there
        with tp.interpreter("parallel", threads=2):
            run = jax.jit(product).lower(BIG, BIG).compile()
            before = ticks()
            for _ in range(10):
                out = jax.block_until_ready(run(BIG, BIG))
            after = ticks()
        assert (np.asarray(out) == 1024).all()
        print(len(after.keys() - before.keys()))
        print(sum(after[thread] > before[thread] + 3 for thread in before))
    """)
    assert words[0] == "0"
    assert len(os.sched_getaffinity(0)) == 1 or int(words[1]) >= 2, words


@pytest.mark.slow
def test_order_parallel_in_several_threads_at_once():
    """More calls at once than XLA has threads, each of which waits for its members alone."""
    words = rows_of_a_product("""
        from concurrent.futures import ThreadPoolExecutor
        with tp.interpreter("parallel", threads=4):
            x = jnp.ones((64, 8))
            run = jax.jit(lambda x, w: product(x, w) + product(x, 2 * w)).lower(x, x[:8]).compile()
            with ThreadPoolExecutor(8) as pool:
                outs = list(pool.map(lambda n: np.asarray(run(n * x, x[:8])), range(400)))
        print(all((out == 24 * n).all() for n, out in enumerate(outs)))
    """)
    assert words == ["True"]


def test_end_of_the_process_while_a_kernel_prints():
    words = python("""
        def kernel(x_ref, o_ref):
            jax.debug.print("{}", pl.program_id(0))
            o_ref[...] = x_ref[...]

        tp.install()
        big = jnp.ones((600, 600))
        spec = pl.BlockSpec((1, 600), lambda i: (i % 600, 0))
        call = jax.jit(lambda x: pl.pallas_call(kernel, out_shape=x, grid=(300000,), in_specs=[spec],
                                                out_specs=spec, interpret=True)(x @ x) @ x)
        call.lower(big).compile()
        out = call(big)  # does not wait
        print("end" if not out.is_ready() else "too late")
    """)
    assert "end" in words and len(words) < 300000
