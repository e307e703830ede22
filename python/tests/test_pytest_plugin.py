"""`pytest --tilegrind`: which tests fail, what they say, and what the summary counts; each in a process of its own."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]

KERNELS = '''
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl

X = np.arange(4, dtype=np.float32)


def last_wins(x_ref, o_ref):
    o_ref[0] = x_ref[pl.program_id(0)]


def double_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[...] * 2


def all_ones(o_ref):
    o_ref[0] = 1


@jax.jit
def racy(x):
    return pl.pallas_call(last_wins, out_shape=jax.ShapeDtypeStruct((1,), jnp.float32), grid=(4,), interpret=True)(x)


@jax.jit
def double(x):
    return pl.pallas_call(double_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)


def harmless():
    return pl.pallas_call(all_ones, out_shape=jax.ShapeDtypeStruct((1,), jnp.int32), grid=(3,), interpret=True)()
'''

# Every test passes by its numbers.
SUITE = '''
from suite_kernels import *


@pytest.fixture
def made():
    return racy(X)


def test_race():
    assert racy(X)[0] == 3


def test_race_of_a_compiled_program():
    assert racy(X)[0] == 3


def test_clean():
    np.testing.assert_array_equal(double(X), 2 * X)


def test_nobody_waits():
    racy(X + 1)


def test_after_it():
    pass


def test_setup(made):
    assert made[0] == 3


@pytest.mark.tilegrind(allow=["race", "order-dependence"])
def test_allowed():
    racy(X)


@pytest.mark.tilegrind(skip=True)
def test_left_alone():
    racy(X)


@pytest.mark.tilegrind(allow="race")
def test_allowed_in_part():
    racy(X)


@pytest.mark.xfail(strict=True)
def test_expected():
    racy(X)


def test_warning():
    assert harmless()[0] == 1
'''


@pytest.fixture
def suite(pytester, monkeypatch):
    """A folder in which pytest runs in a process of its own, with the plugin and without its cache."""
    library = Path(sys.modules["tilegrind._native"].path if "tilegrind._native" in sys.modules else "")
    if library.is_absolute():
        monkeypatch.setenv("TILEGRIND_LIBRARY", str(library))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "python"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    monkeypatch.delenv("JAX_CPU_ENABLE_ASYNC_DISPATCH", raising=False)
    pytester.makepyfile(suite_kernels=KERNELS)

    def run(tests, *options):
        pytester.makepyfile(test_suite=tests)
        return pytester.runpytest_subprocess("-p", "tilegrind.pytest_plugin", "-p", "no:cacheprovider", "-rA", *options,
                                             timeout=300)

    return run


def outcomes(result):
    """The outcome of each test, from the short summary."""
    words = [line.split(" - ")[0].split() for line in result.outlines]
    return {line[1].split("::")[1]: line[0] for line in words
            if len(line) >= 2 and line[0].isupper() and "::" in line[1]}


EXPECTED = {"test_race": "FAILED", "test_race_of_a_compiled_program": "FAILED", "test_clean": "PASSED",
            "test_nobody_waits": "FAILED", "test_after_it": "PASSED", "test_setup": "ERROR", "test_allowed": "PASSED",
            "test_left_alone": "PASSED", "test_allowed_in_part": "FAILED", "test_expected": "XFAIL", "test_warning": "PASSED"}


def test_tests_fail_by_their_kernels(suite):
    result = suite(SUITE, "--tilegrind", "--tilegrind-shuffles=3")
    assert outcomes(result) == EXPECTED
    line = KERNELS.strip().splitlines().index("    o_ref[0] = x_ref[pl.program_id(0)]") + 1
    result.stdout.fnmatch_lines([
        "*_ test_race _*",
        "Tilegrind has found 2 faults in kernels that this test ran",
        "race: program (0) writes o_ref*0*, program (1) writes it, and nothing orders the two",
        f"  --> suite_kernels.py:{line} in last_wins",
        "*o_ref*0* = x_ref*pl.program_id(0)*",
        "   = kernel last_wins, program (0), op store",
        "   = conflicts with store of o_ref, program (1)",
        "order-dependence: o_ref*0* is 3 *",
        "To see it again:",
        "  pytest --tilegrind --tilegrind-save DIR test_suite.py::test_race",
        "*= tilegrind =*",
        "9 tests ran kernels: 9 runs, 32 programs, 11 findings, 4 more allowed",
        "test_suite.py::test_race: last_wins: 1 run, 4 programs",
        f"  race in last_wins, suite_kernels.py:{line}",
        "test_suite.py::test_allowed: last_wins: 1 run, 4 programs",
        f"  race in last_wins, suite_kernels.py:{line} (allowed)",
        "  race-same-value in all_ones, *(allowed)"])
    result.stdout.no_fnmatch_line("test_suite.py::test_clean: *")


@pytest.mark.slow
def test_workers_of_xdist(suite):
    result = suite(SUITE, "--tilegrind", "--tilegrind-shuffles=3", "-p", "xdist", "-n", "2")
    assert outcomes(result) == EXPECTED
    result.stdout.fnmatch_lines(["9 tests ran kernels: 9 runs, 32 programs, 11 findings, 4 more allowed"])


def test_without_the_option_nothing_happens(suite):
    tests = SUITE + '''

def test_nothing_is_loaded():
    import sys

    assert not [name for name in sys.modules if name.startswith("tilegrind.") and name != "tilegrind.pytest_plugin"]
'''
    result = suite(tests)
    assert {name: outcome for name, outcome in outcomes(result).items() if outcome != "PASSED"} == {"test_expected": "FAILED"}
    result.stdout.no_fnmatch_line("*= tilegrind =*")


def test_settings_and_cases(suite, pytester, tmp_path):
    pytester.makeini(f"""
        [pytest]
        tilegrind = true
        tilegrind_orders = no
        tilegrind_fail_on = warning
        tilegrind_save = {tmp_path / "cases"}
        tilegrind_allow = race, output-unwritten
    """)
    result = suite('''
from suite_kernels import *


def test_both():
    racy(X), harmless()
    assert False, "its own failure"


def test_other():
    double(X)
''', "-v")
    assert outcomes(result) == {"test_both": "FAILED", "test_other": "PASSED"}
    result.stdout.fnmatch_lines([
        "*its own failure*", "*Captured tilegrind call*", "Tilegrind has found a fault in *", "race-same-value (warning): *",
        f"  tilegrind check {tmp_path}/cases/last_wins-0", f"  tilegrind check {tmp_path}/cases/all_ones-0",
        "2 tests ran kernels: 3 runs, 8 programs, 1 finding, 1 more allowed",
        "test_suite.py::test_both: last_wins, all_ones: 2 runs, 7 programs",
        "test_suite.py::test_other: double_kernel: 1 run, 1 program"])
    assert {path.name for path in (tmp_path / "cases").iterdir()} == {"last_wins-0", "all_ones-0"}
    again = suite("", "--tilegrind-allow=", "--tilegrind-save=", "--tilegrind-checks=none", "--tilegrind-compat=jax",
                  "--tilegrind-grid-semantics=arbitrary")
    again.stdout.fnmatch_lines(["0 tests ran kernels: 0 runs, 0 programs, 0 findings, 0 more allowed"])


SUPPRESSIONS = """
{
    the last one wins
    kind: race
    kernel: last_wins
}
{
    nothing like it
    kind: deadlock
}
{
    of another kernel
    kind: race
    kernel: elsewhere
}
"""


@pytest.mark.slow
def test_suppressions(suite, pytester):
    (pytester.path / "known").mkdir()
    (pytester.path / "known" / "races.supp").write_text(SUPPRESSIONS)
    (pytester.path / "more.supp").write_text("{\n  so it matters\n  kind: order-dependence\n}\n")
    tests = "from suite_kernels import *\n\n\ndef test_it():\n    racy(X), racy(X + 1)\n"
    options = ["--tilegrind", "--tilegrind-suppressions=known/races.supp"]
    result = suite(tests, *options)
    assert outcomes(result) == {"test_it": "FAILED"}
    result.stdout.fnmatch_lines(["Tilegrind has found a fault in kernels that this test ran", "order-dependence: *",
                                 "1 test ran kernels: 2 runs, 8 programs, 1 finding, 0 more allowed",
                                 "suppressed by the last one wins (known/races.supp:2): 1 finding",
                                 "nothing is suppressed by nothing like it (known/races.supp:7)"])
    result.stdout.no_fnmatch_line("*of another kernel*")
    options[1] += ", more.supp"
    for more in ((), ("-p", "xdist", "-n", "1")):
        result = suite(tests, *options, *more)
        assert outcomes(result) == {"test_it": "PASSED"}
        result.stdout.fnmatch_lines(["suppressed by the last one wins (known/races.supp:2): 1 finding",
                                     "suppressed by so it matters (more.supp:1): 1 finding"])
    pytester.makeini("[pytest]\ntilegrind = true\ntilegrind_suppressions = known/races.supp, more.supp\n")
    assert outcomes(suite(tests)) == {"test_it": "PASSED"}


def test_unchecked_calls_are_listed(suite):
    result = suite('''
from suite_kernels import *


def convolution(x_ref, o_ref):
    o_ref[...] = jax.lax.conv(x_ref[...], x_ref[...], (1,), "SAME")


def test_it():
    x = X.reshape(1, 1, 4)
    pl.pallas_call(convolution, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)
''', "--tilegrind")
    assert outcomes(result) == {"test_it": "PASSED"}
    result.stdout.fnmatch_lines(["0 tests ran kernels: *", "1 call ran in JAX's interpreter, unchecked:",
                                 "  test_suite.py:5: conv_general_dilated: *"])


def test_without_jax_and_triton(suite, pytester):
    pytester.makepyfile(hiding='''
import importlib.util

find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in ("jax", "triton") else find(name, *more)
''')
    result = suite("def test_it(): pass", "-p", "hiding", "--tilegrind")
    assert outcomes(result) == {"test_it": "PASSED"}
    result.stdout.fnmatch_lines(["nothing was checked: neither JAX nor Triton is installed"])


def test_semantics_of_axes(suite):
    tests = "from suite_kernels import *\n\n\ndef test_it():\n    racy(X)\n"
    assert outcomes(suite(tests, "--tilegrind", "--tilegrind-grid-semantics=arbitrary")) == {"test_it": "PASSED"}


@pytest.mark.slow
def test_target(suite):
    tests = "from suite_kernels import *\n\n\ndef test_it():\n    racy(X)\n"
    assert outcomes(suite(tests, "--tilegrind", "--tilegrind-target=tpu")) == {"test_it": "PASSED"}
    assert outcomes(suite(tests, "--tilegrind", "--tilegrind-target=any")) == {"test_it": "FAILED"}


@pytest.mark.slow
@pytest.mark.parametrize("options, message", [
    (["--tilegrind-target=vax"], "--tilegrind-target: 'vax' is no any|tpu"),
    (["--tilegrind-shuffles=many"], "--tilegrind-shuffles: 'many' is no N"),
    (["--tilegrind-fail-on=fatal"], "--tilegrind-fail-on: 'fatal' is no LEVEL"),
    (["--tilegrind-orders=maybe"], "--tilegrind-orders: 'maybe' is no yes|no"),
    (["--tilegrind-grid-semantics=loose"], "--tilegrind-grid-semantics: 'loose' is no NAME"),
    (["--tilegrind-checks=spelling"], '--tilegrind: *"spelling" is none of*'),
    (["--tilegrind-seed=0"], "--tilegrind: seed=0 is not between 1 and *"),
    (["--tilegrind-suppressions=none.supp"], "--tilegrind-suppressions: cannot read *none.supp*")])
def test_refuses_options(suite, options, message):
    result = suite("def test_it(): pass", "--tilegrind", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{message}*"])


@pytest.mark.parametrize("marker, message", [("'race'", "not 'race'"), ("skp=True", "not skp")])
def test_refuses_markers(suite, marker, message):
    result = suite(f"import pytest\n@pytest.mark.tilegrind({marker})\ndef test_it(): pass", "--tilegrind")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*test_suite.py::test_it: the marker tilegrind takes allow and skip, {message}"])


def test_pytest_finds_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"tilegrind": "tilegrind.pytest_plugin"}


def test_partly_written(suite):
    tests = f"""
        import sys
        sys.path.insert(0, {str(ROOT / 'python' / 'tests')!r})
        from test_partly_written import X, call

        def test_it():
            call(X)
    """
    shown = suite(tests, "--tilegrind", "--tilegrind-partly-written=o_ref p_ref").stdout.str()
    assert "elements of output p_ref" in shown and "elements of output o_ref" not in shown


def test_the_document_shows_what_happens(suite, pytester):
    text = (ROOT / "docs" / "pytest.md").read_text()
    (test, _), (shown,) = (re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
                           for language in ("python", "text"))
    pytester.makepyfile(test_total=test)
    assert shown in suite("", "--tilegrind").stdout.str() + "\n"


def test_the_document_lists_the_options(suite):
    text = (ROOT / "docs" / "pytest.md").read_text()
    options = {word.split("=")[0] for line in suite("", "--help").outlines for word in line.split()
               if word.startswith("--tilegrind")}
    assert len(options) > 10 and options == set(re.findall(r"--tilegrind[a-z-]*", text))
