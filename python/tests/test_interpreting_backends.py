"""Tilegrind in the place of JAX's interpreter with kernels as PTX: in the emulator, and on a driver without a GPU."""

import contextlib
import os
import re
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind.pallas as tp
from conftest import ROOT
from jax.experimental import pallas as pl
from jax.experimental.pallas import triton as plgpu
from kernels import OUTSIDE_PLACE, X, blocks_of_two, double_kernel, outside_call, shaped
from tilegrind import _native, runtime

def double(x):
    return blocks_of_two(double_kernel, x.shape[0], x.dtype)(x)


@contextlib.contextmanager
def expecting(runs, **options):
    """A block in the emulator, unless told otherwise, in which kernels run just so many times."""
    before = tp.statistics()
    with tp.interpreter(**{"backend": "emulator", **options}):
        yield
    after = tp.statistics()
    assert after.runs - before.runs == runs
    assert (after.refused, after.failed) == (before.refused, before.failed)


TRANSFORMED = {
    "eager": (double, 1),
    "jit": (jax.jit(double), 1),
    "vmap": (lambda x: jax.vmap(double)(jnp.stack([x, x + 1])), 1),
    "scan": (lambda x: jax.lax.scan(lambda c, _: (double(c), c), x, None, length=5)[0], 5),
    "twice": (lambda x: jax.jit(lambda x: double(double(x)))(x), 2),
    "pmap": (lambda x: jax.pmap(double)(x[None]), 1),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_transformation(name):
    function, runs = TRANSFORMED[name]
    expected = function(X)
    with expecting(runs):
        np.testing.assert_array_equal(function(X), expected)


@pytest.mark.parametrize("options", [
    {}, {"backend": "emulator:7"}, {"order": "parallel"}, {"order": "parallel", "threads": 3},
    {"order": "parallel:2"}, {"compat": "strict", "profile": "reference"}])
def test_options(options):
    with expecting(1, **options):
        np.testing.assert_array_equal(double(X), 2 * X)


@pytest.mark.parametrize("options, message", [
    ({"backend": "abacus"}, r"none of cpu, emulator\[:SEED\], gpu\[:NUMBER\]"),
    ({"backend": "emulator:x"}, r"emulator\[:SEED\]"),
    ({"backend": "emulator", "order": "reversed"}, r"knows the orders sequential and parallel\[:CTAS\], not reversed"),
    ({"backend": "emulator", "order": "sideways"}, "sideways"),
    ({"backend": "emulator", "compat": "jax"}, "does not support compat jax"),
])
def test_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        with tp.interpreter(**options):
            pass
    with pytest.raises(ValueError, match=message):
        tp.install(**options)


def test_install():
    try:
        tp.install(backend="emulator")
        before = tp.statistics()
        np.testing.assert_array_equal(double(X), 2 * X)
        assert tp.statistics().runs == before.runs + 1
    finally:
        tp.uninstall()


def test_a_kernel_is_made_ready_for_each_backend():
    """Only the interpreter sees what nobody wrote: that tells who ran the same kernel."""
    call = jax.jit(pl.pallas_call(lambda x_ref, o_ref: None, out_shape=shaped(8), interpret=True))
    for backend, sees in (("cpu", True), ("emulator", False), ("cpu", True), ("emulator:1", False)):
        with tp.interpreter(backend=backend):
            if sees:
                with pytest.raises(jax.errors.JaxRuntimeError, match="output-unwritten"):
                    jax.block_until_ready(call(X))
            else:
                assert np.isnan(jax.block_until_ready(call(X))).all()


# -- what XLA's buffers may be --


def test_memory_that_is_shared_or_packed():
    def add_to_first(x_ref, o_ref):
        o_ref[0] = x_ref[0] + 1

    aliased = pl.pallas_call(add_to_first, out_shape=shaped(8), input_output_aliases={0: 0}, interpret=True)
    small = jnp.arange(-7, 8).astype(jnp.int4)
    with expecting(3):
        assert jax.jit(aliased)(X).tolist() == [1, *X[1:]]
        assert jax.jit(aliased, donate_argnums=0)(jnp.asarray(X) + 0).tolist() == [1, *X[1:]]
        copy = pl.pallas_call(lambda x_ref, o_ref: o_ref.__setitem__(..., x_ref[...]),
                              out_shape=shaped(15, dtype=jnp.int4), interpret=True)(small)
    assert copy.tolist() == small.tolist()


def test_dynamic_grid():
    def kernel(o_ref):
        o_ref[pl.program_id(0)] = pl.num_programs(0)

    @jax.jit
    def run(steps):
        return pl.pallas_call(kernel, out_shape=shaped(4, dtype=jnp.int32), grid=(steps,), interpret=True)()

    with expecting(2):
        assert run(4).tolist() == [4] * 4
        assert run(2)[:2].tolist() == [2, 2]


def test_print(capsys):
    def kernel(o_ref):
        jax.debug.print("program {}", pl.program_id(0))
        o_ref[...] = jnp.zeros((8,), jnp.int32)

    call = pl.pallas_call(kernel, out_shape=shaped(8, dtype=jnp.int32), grid=(3,), interpret=True)
    with expecting(1, order="parallel"):
        jax.block_until_ready(jax.jit(call)())
    assert capsys.readouterr().out.splitlines() == ["program 0", "program 1", "program 2"]


# -- what is wrong with a kernel --


def test_findings_are_exceptions_with_the_kernels_line():
    before = tp.statistics()
    with tp.interpreter(backend="emulator"), pytest.raises(jax.errors.JaxRuntimeError) as caught:
        jax.block_until_ready(jax.jit(outside_call)(X[:4]))
    assert tp.statistics().failed == before.failed + 1
    assert str(caught.value).startswith("FAILED_PRECONDITION: kernel outside, program (1), load at ")
    assert f"{OUTSIDE_PLACE}: access-outside-ref: load" in str(caught.value)


def test_findings_as_warnings():
    with expecting(1, findings="warn"):
        with pytest.warns(tp.FindingWarning, match=re.escape(f"{OUTSIDE_PLACE}: access-outside-ref")):
            out = jax.block_until_ready(jax.jit(outside_call)(X[:4]))
    assert out[:3].tolist() == [0, 1, 3] and np.isnan(out[3])


def without_ptx(x_ref, o_ref):
    o_ref[...] = x_ref[...]
    plgpu.atomic_add(o_ref.bitcast(jnp.int32), (0, 0), 1)


def without_ptx_call(x):
    return pl.pallas_call(without_ptx, out_shape=shaped(*x.shape, dtype=x.dtype), interpret=True)(x)


BYTES = np.arange(32, dtype=np.uint8).reshape(4, 8)


def test_what_ptx_has_no_counterpart_for_is_refused():
    before = tp.statistics()
    with tp.interpreter(backend="emulator"), pytest.raises(tp.ExportError) as caught:
        jax.jit(without_ptx_call).lower(BYTES)
    line = without_ptx.__code__.co_firstlineno + 2
    assert "does not support an atomic on a reference that a bitcast has made wider" in caught.value.message
    assert f"test_interpreting_backends.py:{line}" in caught.value.message
    after = tp.statistics()
    assert len(after.refused) == len(before.refused) + 1 and after.lowered == before.lowered
    with tp.interpreter():
        assert jax.block_until_ready(without_ptx_call(BYTES))[0, 0] == 1


def test_fallback_is_counted(monkeypatch):
    """JAX's interpreter has no atomics on such memory either, so that the refusal is made here."""
    def refuse(*_):
        raise runtime.Error("ERR_UNSUPPORTED", ["no such thing"])

    monkeypatch.setattr(runtime.Module, "to_ptx", refuse)
    before = tp.statistics()
    with tp.interpreter(backend="emulator", fallback=True):
        np.testing.assert_array_equal(double(X), 2 * X)
    after = tp.statistics()
    assert [error.message for error in after.refused[len(before.refused):]] == ["no such thing"]
    assert after.runs == before.runs


# -- threads --


def test_threads_at_once():
    call = jax.jit(double)
    wrong = []

    def work(number):
        for n in range(10):
            x = X + 100 * number + n
            if not np.array_equal(call(x), 2 * x):
                wrong.append(number)

    with expecting(40):
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


# -- GPUs --


def in_process(tmp_path, source, **environment):
    """The text that a program of its own prints, which may use `double` and X."""
    script = tmp_path / "script.py"
    script.write_text("from test_interpreting_backends import *\n" + textwrap.dedent(source))
    paths = [str(ROOT / "python"), str(ROOT / "python" / "tests"), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, cwd=tmp_path,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


OPEN = """
    try:
        with tp.interpreter(backend="gpu"):
            print("opened")
    except ValueError as error:
        print(error)
    """


def test_a_machine_without_a_driver(tmp_path):
    assert "no NVIDIA driver" in in_process(tmp_path, OPEN, TILEGRIND_LIBCUDA=str(tmp_path / "none.so"))


FAKE = Path(_native.path).with_name("libtg_fake_driver.so")


@pytest.mark.skipif(not FAKE.exists(), reason="the build has no driver without a GPU")
def test_a_gpu_stays_open_for_a_block(tmp_path):
    printed = in_process(tmp_path, """
        import ctypes, gc
        def opened():
            calls = ctypes.CDLL(os.environ["TILEGRIND_LIBCUDA"]).fake_calls
            return calls(b"cuDevicePrimaryCtxRetain"), calls(b"cuDevicePrimaryCtxRelease_v2")
        with tp.interpreter(backend="gpu"):
            at_first = opened()
            for _ in range(3):
                jax.clear_caches()
                jax.block_until_ready(double(X))
            print(opened() == at_first, at_first[0] == at_first[1] + 1)
        jax.clear_caches()
        gc.collect()
        print(opened()[0] == opened()[1])
        """, TILEGRIND_LIBCUDA=str(FAKE), TILEGRIND_PTXAS="")
    assert printed.splitlines() == ["True True", "True"]


@pytest.mark.skipif(not FAKE.exists(), reason="the build has no driver without a GPU")
def test_a_driver_without_a_gpu(tmp_path):
    """Its kernels do nothing: all else is as on a GPU, and the output is as undefined as at first."""
    printed = in_process(tmp_path, """
        with tp.interpreter(backend="gpu:1", order="parallel"):
            print(np.isnan(jax.lax.scan(lambda c, _: (double(c), None), X, None, length=3)[0]).all())
        print(tp.statistics().runs)
        try:
            tp.install(backend="gpu:2")
        except ValueError as error:
            print(error)
        """, TILEGRIND_LIBCUDA=str(FAKE), TILEGRIND_PTXAS="")
    lines = printed.splitlines()
    assert lines[:2] == ["True", "3"]
    assert "2" in lines[2] and "GPU" in lines[2]
