"""`pytest --tilegrind` on suites of Triton kernels: which tests fail, and what the summary says; each in a process of its own."""

import os

import pytest
from conftest import FOLDERS, ROOT

pytest_plugins = ["pytester"]

SUITE = '''
import pytest
import triton
from arrays import iota, zeros
from kernels import add, all_ones, last_wins

TARGET = triton.runtime.driver.active.get_current_target()  # as many suites do while they are imported


def race():
    o = zeros(1)
    last_wins[(4,)](iota(4), o)
    assert o.array[0] == 3


@pytest.fixture
def made():
    race()


def test_race():
    race()


def test_clean():
    add[(1,)](iota(4), iota(4), zeros(4), 4, B=4)


def test_setup(made):
    pass


@pytest.mark.tilegrind(allow=["race", "order-dependence"])
def test_allowed():
    race()


@pytest.mark.tilegrind(skip=True)
def test_left_alone():
    race()


@pytest.mark.xfail(strict=True)
def test_expected():
    race()


def test_warning():
    all_ones[(3,)](zeros(1))
'''

OUTCOMES = {"test_race": "FAILED", "test_clean": "PASSED", "test_setup": "ERROR", "test_allowed": "PASSED", "test_left_alone": "PASSED",
            "test_expected": "XFAIL", "test_warning": "PASSED"}


@pytest.fixture
def suite(pytester, monkeypatch):
    """Runs pytest with the plugin on a test file, which may import from this folder."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(str(ROOT / one) for one in FOLDERS))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(tests, *options):
        pytester.makepyfile(test_suite=tests)
        return pytester.runpytest_subprocess("-p", "tilegrind.pytest_plugin", "-p", "no:cacheprovider", "-rA", "--tilegrind",
                                             "--tilegrind-shuffles=2", "--tilegrind-interleavings=1", *options, timeout=300)

    return run


def outcomes(result):
    words = [line.split(" - ")[0].split() for line in result.outlines]
    return {line[1].split("::")[1]: line[0] for line in words if len(line) >= 2 and line[0].isupper() and "::" in line[1]}


def test_tests_fail_by_their_kernels(suite):
    result = suite(SUITE)
    assert outcomes(result) == OUTCOMES
    result.stdout.fnmatch_lines(["*_ test_race _*", "Tilegrind has found 2 faults in kernels that this test ran",
                                 "race: program (x=0) writes o*, program (x=1) writes it, and nothing orders the two"])
    result.stdout.fnmatch_lines(["6 tests ran kernels: 6 runs, 20 programs, 6 findings, 3 more allowed",
                                 "test_suite.py::test_race: last_wins: 1 run, 4 programs"])


def test_workers_of_xdist(suite):
    result = suite(SUITE, "-p", "xdist", "-n", "2")
    assert result.parseoutcomes() == {"failed": 1, "passed": 4, "xfailed": 1, "error": 1} or \
        result.parseoutcomes() == {"failed": 1, "passed": 4, "xfailed": 1, "errors": 1}
    result.stdout.fnmatch_lines(["6 tests ran kernels: 6 runs, 20 programs, 6 findings, 3 more allowed"])


def test_cases_and_levels(suite, pytester):
    result = suite(SUITE, "--tilegrind-save", "cases", "--tilegrind-fail-on", "warning", "-k", "race or warning")
    assert outcomes(result)["test_warning"] == "FAILED"
    assert {path.name for path in (pytester.path / "cases").iterdir()} == {"last_wins-0", "all_ones-0"}


def test_what_modules_launch_while_they_are_imported_belongs_to_no_test(suite):
    result = suite(SUITE + "\nrace()\n", "-k", "clean")
    assert outcomes(result) == {"test_clean": "PASSED"}
    result.stdout.fnmatch_lines(["1 test ran kernels: 1 run, 1 program, 0 findings, 0 more allowed"])


ASKS_AND_LAUNCHES = '''
import triton
from arrays import iota, zeros
from kernels import last_wins

TARGET = triton.runtime.driver.active.get_current_target()
last_wins[(4,)](iota(4), zeros(1))
'''


def test_conftests_may_ask_for_the_device_too(suite, pytester):
    pytester.makeconftest(ASKS_AND_LAUNCHES)
    result = suite(SUITE, "-k", "clean")
    assert outcomes(result) == {"test_clean": "PASSED"}
    result.stdout.fnmatch_lines(["1 test ran kernels: 1 run, 1 program, 0 findings, 0 more allowed"])


NOT_SUPPORTED = '''
import triton
import triton.language as tl
from arrays import zeros

@triton.jit
def kernel(o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.inline_asm_elementwise("ld.global.b32 $0, [$1];", "=r,l", [o + at], tl.int32, True, 1))

def test_it():
    kernel[(1,)](zeros(4), B=4)
'''


def test_kernels_that_are_not_supported_are_listed(suite):
    result = suite(NOT_SUPPORTED)
    assert outcomes(result) == {"test_it": "FAILED"}
    result.stdout.fnmatch_lines(["1 call failed, as Tilegrind does not support them:", "  *tt.elementwise_inline_asm: *"])


@pytest.mark.parametrize("option", ["device=rocm", "capability=new", "autotune=best"])
def test_wrong_options(suite, option):
    result = suite("def test_it(): pass", f"--tilegrind-{option}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --tilegrind-{option.split('=')[0]}: '{option.split('=')[1]}' is no *"])


def test_tritons_interpreter_is_in_the_way(suite, monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert suite("def test_it(): pass").ret == pytest.ExitCode.USAGE_ERROR


def test_without_the_option_nothing_is_checked(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(str(ROOT / one) for one in FOLDERS))
    pytester.makepyfile(test_suite="import sys\ndef test_it(): assert 'triton' not in sys.modules")
    result = pytester.runpytest_subprocess("-p", "tilegrind.pytest_plugin", "-p", "no:cacheprovider", timeout=60)
    assert result.ret == 0
