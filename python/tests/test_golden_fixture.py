"""The fixture `golden`: which tests fail, what they say, and what is recorded; each in a pytest of its own."""

import shutil
import sys
from pathlib import Path

import pytest

from tilegrind import golden
from tilegrind.golden.folder import Folder
from tilegrind.golden.store import Store

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]

KERNELS = '''
import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

X = np.ones((4, 8), np.float32)


def kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] * y_ref[...] + x_ref[...]


def fma(x, factor=1):
    return factor * pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x, x)
'''

SUITE = '''
import pytest
from suite_kernels import *


@pytest.mark.parametrize("rows", [4])
def test_fma(golden, rows):
    (result,) = golden(fma, X[:rows])
    assert result.passed


class TestClass:
    def test_twice(self, golden):
        golden(fma, X)
        golden(fma, X[:2], factor=2)
'''

NAMES = ["TestClass.test_twice", "TestClass.test_twice-2", "test_fma-4"]


@pytest.fixture
def suite(pytester, monkeypatch):
    library = Path(sys.modules["tilegrind._native"].path if "tilegrind._native" in sys.modules else "")
    if library.is_absolute():
        monkeypatch.setenv("TILEGRIND_LIBRARY", str(library))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(suite_kernels=KERNELS)

    def run(tests, *options):
        pytester.makepyfile(test_suite=tests)
        return pytester.runpytest_subprocess("-p", "tilegrind.pytest_plugin", "-p", "no:cacheprovider", *options, timeout=300)

    return run


def accept_all(folder):
    """Accepts what is pending, whatever passes it: these tests are about other things."""
    store = Store(folder)
    for name in store.names(pending=True):
        bundle = store.read(name, pending=True)
        store.accept(name, "a test", bundle.digest, {f"{kind} {site}": "a test" for kind, site, _ in bundle.alive})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The accepted goldens of SUITE."""
    program, goldens = {}, golden.Goldens(tmp_path_factory.mktemp("made") / "goldens")
    file = goldens.store.root.with_name("suite_kernels.py")
    file.write_text(KERNELS)
    exec(compile(KERNELS, str(file), "exec"), program)
    for name, rows in zip(NAMES, (4, 2, 4), strict=True):
        goldens.record_function(name, program["fma"], program["X"][:rows])
    accept_all(goldens.store.root)
    return goldens.store.root


@pytest.fixture
def accepted(suite, made, pytester):
    """A suite whose goldens are accepted."""
    shutil.copytree(made, pytester.path / "goldens")
    return suite


@pytest.mark.slow
def test_from_nothing_to_a_suite_that_passes(suite, pytester):
    folder = pytester.path / "goldens"
    result = suite(SUITE)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*goldens: there is no golden test_fma-4; there are: none", "",
                                 "record it: pytest --tilegrind-golden=pending 'test_suite.py::test_fma?4?'"])
    assert not folder.exists()
    result = suite(SUITE, "--tilegrind-golden=pending")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["test_fma-4: * mutants die on *",
                                 "recorded, and pending until someone accepts it: tilegrind golden --goldens goldens review test_fma-4"])
    assert Folder(folder).names(pending=True) == ["TestClass.test_twice", "test_fma-4"] and not Folder(folder).names()
    result = suite(SUITE)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["test_fma-4 is pending: tilegrind golden --goldens goldens review test_fma-4"])
    accept_all(folder)
    suite(SUITE, "--tilegrind-golden=pending").assert_outcomes(passed=1, failed=1)
    accept_all(folder)
    assert Folder(folder).names() == NAMES
    suite(SUITE).assert_outcomes(passed=2)
    suite(SUITE, "--tilegrind-golden=pending").assert_outcomes(passed=2)
    assert not (folder / "pending").exists()


@pytest.mark.slow
def test_no_flag_accepts_and_ci_does_not_record(suite, pytester, monkeypatch):
    assert "invalid choice" in suite(SUITE, "--tilegrind-golden=accept").stderr.str()
    monkeypatch.setenv("CI", "true")
    result = suite(SUITE, "--tilegrind-golden=pending")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--tilegrind-golden=pending is for people, and CI is set in the environment"])
    assert not (pytester.path / "goldens").exists()
    suite(SUITE).assert_outcomes(failed=2)


@pytest.mark.slow
def test_a_changed_kernel_fails_and_is_recorded_anew(accepted, pytester):
    pytester.makepyfile(suite_kernels=KERNELS.replace("+ x_ref[...]", "- x_ref[...]"))
    result = accepted(SUITE, "-k", "fma and 4")
    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(["test_fma-4: the kernel changed: record it anew", "  new at suite_kernels.py:10: sub f32?4,8?",
                                 "  was at *suite_kernels.py:11: add f32?4,8?"])
    accepted(SUITE, "-k", "fma and 4", "--tilegrind-golden=pending").assert_outcomes(failed=1, deselected=1)
    assert Folder(pytester.path / "goldens").names(pending=True) == ["test_fma-4"]
    accept_all(pytester.path / "goldens")
    accepted(SUITE, "-k", "fma and 4").assert_outcomes(passed=1, deselected=1)


IMPLEMENTATIONS = '''
from suite_kernels import *


def test_right(golden):
    golden.check("test_fma-4", lambda x, y: x * y + x)


def test_wrong(golden):
    golden.check("test_fma-4", lambda x, y: x * y - x)


def test_missing(golden):
    golden.check("other", lambda x, y: x)


def test_named(golden):
    golden.check_function("test_fma-4", fma, X)
'''


@pytest.mark.slow
def test_implementations(accepted):
    result = accepted(IMPLEMENTATIONS, "--tilegrind-golden=pending")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["test_fma-4/normal/o_ref: outside, * of 32 elements; worst at *",
                                 "    * times as far off as a result that keeps the contract may be",
                                 "record a case of its kernel: tilegrind golden --goldens goldens record CASE --name other"])


def test_tilegrind_does_not_judge_itself(accepted, pytester):
    """A wrong compiler fails although `--tilegrind` runs kernels in Tilegrind."""
    pytester.makepyfile(conftest='''
from jax._src.pallas import hlo_interpreter

honest = hlo_interpreter.pallas_call_hlo_interpret
hlo_interpreter.pallas_call_hlo_interpret = lambda *args, **params: [honest(*args, **params)[0] * 1.001]
''')
    result = accepted(SUITE, "--tilegrind")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["test_fma-4/normal/o_ref: outside, *"])


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["-p", "xdist", "-n", "2", "--dist", "loadfile"]])
def test_two_tests_of_one_name_are_told(accepted, pytester, workers):
    """Also if they run in two processes, which begin at once: which of them is told is then open."""
    pytester.makepyfile(test_other=SUITE)
    result = accepted(SUITE, *workers)
    result.assert_outcomes(passed=2, failed=2)
    place = r"test_(other|suite)\.py::test_fma\[4\] \(test_(other|suite)\.py:\d+\)"
    result.stdout.re_match_lines([f".*{place} has the golden test_fma-4 in .*goldens already, and {place} asks for it: give"])


@pytest.mark.slow
def test_the_folder_is_a_setting(accepted, pytester):
    pytester.makeini("[pytest]\ntilegrind_goldens = kept/here\n")
    accepted(SUITE).assert_outcomes(failed=2)
    shutil.move(pytester.path / "goldens", pytester.mkdir("kept") / "here")
    accepted(SUITE).assert_outcomes(passed=2)


FEWER = SUITE.partition("class")[0]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["-p", "xdist", "-n", "2"]])
def test_orphans_fail_the_suite(accepted, workers):
    result = accepted(SUITE, "--tilegrind-golden-orphans", *workers)
    assert result.ret == 0
    result.stdout.no_fnmatch_line("tilegrind: orphan*")
    result = accepted(FEWER, "--tilegrind-golden-orphans", *workers)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"tilegrind: orphan: no test uses {name}: tilegrind golden --goldens goldens remove {name}"
                                 for name in NAMES[:2]])
    assert accepted(FEWER, *workers).ret == 0


@pytest.mark.slow
@pytest.mark.parametrize("suite_text, options, why", [
    (FEWER + "\n\ndef test_other():\n    pass\n", ["-k", "fma"], "only some tests were chosen"),
    (FEWER, ["test_suite.py::test_fma"], "only some tests were chosen"),
    (FEWER + '\n\ndef test_skipped(golden):\n    pytest.skip("no device")\n', [], "test_suite.py::test_skipped did not pass"),
    (FEWER + "\n\ndef test_bad():\n    assert 0\n\n\ndef test_last(golden):\n    pass\n", ["-x"], "the session ended early")])
def test_orphans_are_not_guessed(accepted, suite_text, options, why):
    result = accepted(suite_text, "--tilegrind-golden-orphans", *options)
    result.stdout.fnmatch_lines([f"tilegrind: orphans among the goldens were not looked for: {why}"])
    result.stdout.no_fnmatch_line("tilegrind: orphan: *")


@pytest.mark.slow
def test_workers_record_at_once(suite, pytester):
    suite(SUITE, "--tilegrind-golden=pending", "-p", "xdist", "-n", "2").assert_outcomes(failed=2)
    assert Folder(pytester.path / "goldens").names(pending=True) == ["TestClass.test_twice", "test_fma-4"]


def test_unused_it_costs_nothing(suite):
    suite('''
import sys


def test_nothing_is_loaded():
    assert not [name for name in sys.modules if name.startswith("tilegrind.") and name != "tilegrind.pytest_plugin"]
''').assert_outcomes(passed=1)
