"""Ctrl-C while a kernel runs: KeyboardInterrupt, soon, with what was found so far, and nothing left behind."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind
from jax.experimental import pallas as pl
from tilegrind.pallas import FindingError, check, export, install, interpreter, uninstall

SOON = 1.0  # seconds
X = np.zeros(4, np.int32)


def long_kernel(x_ref, o_ref):
    pl.debug_print("begins")
    o_ref[0] = x_ref[9]
    o_ref[0] = jax.lax.while_loop(lambda c: c >= 0, lambda c: (c + 3) & 0x7FFFFFFF, x_ref[0])


def short_kernel(x_ref, o_ref):
    o_ref[0] = x_ref[0] + 1


def call(kernel):
    whole = pl.BlockSpec(memory_space=pl.ANY)
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((1,), jnp.int32), interpret=True, in_specs=[whole], out_specs=whole)


class Signal:
    """Sends SIGINT to this process once the kernel has printed, and knows when that was."""

    def __init__(self):
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._send)

    def _send(self):
        if self._begun.wait(60):
            time.sleep(0.1)
            self.sent = time.monotonic()
            os.kill(os.getpid(), signal.SIGINT)

    def write(self, text):
        """In the place of standard output."""
        if "begins" in text:
            self._begun.set()

    def flush(self):
        pass

    def __enter__(self):
        self._stdout, sys.stdout = sys.stdout, self
        self._thread.start()
        return self

    def __exit__(self, *_):
        sys.stdout = self._stdout
        self._thread.join()

    @property
    def passed(self):
        return time.monotonic() - self.sent


@pytest.fixture(autouse=True)
def is_as_before():
    """Handler and interpreters are as they were, and kernels run.  Workers of xdist ignore the signal, and so would what they start."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler
    with interpreter():
        assert call(short_kernel)(X)[0] == 1


@pytest.mark.parametrize("order", ["sequential", "reversed", "shuffled:3", "interleaved:3", "parallel:2"])
def test_interpreter(order):
    with Signal() as sent, pytest.raises(KeyboardInterrupt) as caught:
        with interpreter(order=order):
            jax.block_until_ready(jax.jit(call(long_kernel))(X))
    assert sent.passed < SOON
    cause = str(caught.value.__cause__)
    assert "stopped after 0 programs" in cause and "within a while loop at" in cause
    assert "it had found:\nkernel long_kernel" in cause and "access-outside-ref: load reaches index 9" in cause


def test_check():
    with Signal() as sent, pytest.raises(KeyboardInterrupt) as caught:
        with check() as found:
            jax.block_until_ready(call(long_kernel)(X))
    assert sent.passed < SOON
    assert [finding.kind for finding in found.findings] == ["access-outside-ref"]
    note, = caught.value.__notes__
    assert note.startswith("Tilegrind has found:\naccess-outside-ref") and "o_ref[0] = x_ref[9]" in note


def test_who_catches_errors_is_interrupted_all_the_same():
    with Signal() as sent, pytest.raises(KeyboardInterrupt):
        with interpreter():
            try:
                jax.block_until_ready(jax.jit(call(long_kernel))(X))
            except jax.errors.JaxRuntimeError:
                pass
    assert sent.passed < SOON


def test_installed():
    install()
    try:
        with Signal() as sent, pytest.raises((KeyboardInterrupt, jax.errors.JaxRuntimeError)):
            jax.block_until_ready(jax.jit(call(long_kernel))(X))
        assert sent.passed < SOON
    finally:
        uninstall()


def test_between_kernels():
    """A signal that comes while none runs is Python's as ever."""
    with pytest.raises(KeyboardInterrupt) as caught:
        with interpreter():
            assert call(short_kernel)(X)[0] == 1
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
    assert caught.value.__cause__ is None


def test_other_handlers():
    """What a program does at Ctrl-C it does."""
    came = []
    before = signal.signal(signal.SIGINT, lambda *args: came.append(args))
    try:
        module = tilegrind.loads(export(call(long_kernel), X).dumps())
        with Signal() as sent, pytest.raises(tilegrind.Error, match="stopped after 0 programs"):
            module.run({"x_ref": X}, print=sent.write)
        assert len(came) == 1
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("how", ["run", "check"])
def test_modules(how):
    module = tilegrind.loads(export(call(long_kernel), X).dumps())
    with Signal() as sent, pytest.raises(KeyboardInterrupt) as caught:
        getattr(module, how)({"x_ref": X}, print=sent.write)
    assert sent.passed < SOON
    assert "access-outside-ref: load reaches index 9" in caught.value.__notes__[0]


def test_other_threads():
    """Signals are the main thread's; a run elsewhere is left alone."""
    module = tilegrind.loads(export(call(long_kernel), X).dumps())
    runs = []
    thread = threading.Thread(target=lambda: runs.append(module.run({"x_ref": X}, max_steps=1000)))
    thread.start()
    thread.join()
    assert {finding.kind for finding in runs[0].findings} >= {"access-outside-ref", "step-limit"}


@pytest.mark.parametrize("door", [interpreter, check])
def test_limits(door):
    with pytest.raises((jax.errors.JaxRuntimeError, FindingError), match="step-limit"):
        with door(max_steps=1000):
            jax.block_until_ready(call(long_kernel)(X))


def test_bad_limits():
    with pytest.raises(ValueError, match="max_steps=-1 is less than 0"):
        with interpreter(max_steps=-1):
            pass


# -- whole programs --

TEST = """
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import pallas as pl

def long_kernel(x_ref, o_ref):
    o_ref[0] = x_ref[9]
    o_ref[0] = jax.lax.while_loop(lambda c: c >= 0, lambda c: (c + 3) & 0x7FFFFFFF, x_ref[0])

def run():
    print("begins", flush=True)
    whole = pl.BlockSpec(memory_space=pl.ANY)
    f = pl.pallas_call(long_kernel, out_shape=jax.ShapeDtypeStruct((1,), jnp.int32), interpret=True, in_specs=[whole], out_specs=whole)
    jax.block_until_ready(f(np.zeros(4, np.int32)))

def test_long():
    run()
"""


def interrupted(folder, *command):
    """Exit code, output and how long a program took to end that is interrupted once its kernel runs."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        while "begins" not in run.stdout.readline():
            assert run.poll() is None
        time.sleep(2)  # until JAX has compiled the call
        start = time.monotonic()
        run.send_signal(signal.SIGINT)
        out = run.communicate(timeout=60)[0]
        return run.returncode, out, time.monotonic() - start


@pytest.mark.slow
def test_pytest(tmp_path):
    (tmp_path / "test_long.py").write_text(TEST)
    code, out, passed = interrupted(tmp_path, sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", "-p", "tilegrind.pytest_plugin",
                                    "--tilegrind", "test_long.py")
    assert code == 2 and passed < 20, (code, passed, out)  # pytest's code for that, and time for JAX to end
    assert "KeyboardInterrupt" in out and "test_long.py::test_long was interrupted" in out
    assert "access-outside-ref: load reaches index 9" in out


@pytest.mark.slow
def test_program(tmp_path):
    (tmp_path / "program.py").write_text(TEST + textwrap.dedent("""
        from tilegrind.pallas import check
        with check():
            run()
        """))
    code, out, passed = interrupted(tmp_path, sys.executable, "program.py")
    assert code == -signal.SIGINT and passed < 20, (code, passed, out)
    assert out.rstrip().splitlines()[-1] and "KeyboardInterrupt" in out and "access-outside-ref" in out
