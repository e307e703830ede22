"""./bootstrap: what it refuses, how it runs the steps of the tests and judges them, and which folders it takes for the product."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Takes the parts of ./bootstrap without its jobs.
PARTS = '''
set -euo pipefail
for part in common steps checks; do source "tools/bootstrap/$part.sh"; done
TICK_SECONDS=1
'''

STEPS = '''
stops_at_its_first_failure() { false; echo "not reached"; }
cannot_run_here() { echo "no such tool"; return 77; }
list() {
    step 90 "that passes" echo "all is well"
    step 130 "that fails" stops_at_its_first_failure
    step 1 "that is skipped" cannot_run_here
    step 1 "that is long" sleep 1.5
}
run_steps list
'''


def bootstrap(*arguments):
    return subprocess.run([ROOT / "bootstrap", *arguments], capture_output=True, text=True, timeout=60)


def shell(script):
    return subprocess.run(["bash", "-c", PARTS + script], cwd=ROOT, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("arguments, told", [
    (["test", "--everything"], "--everything"),
    (["test", "--all", "more"], "--all more"),
    (["test", "more"], "more"),
    (["tests"], "tests"),
    (["layouts", "many"], "layouts takes a number of random layouts: many"),
    (["layouts", "1", "2"], "layouts takes one number: 1 2"),
])
def test_usage_errors(arguments, told):
    done = bootstrap(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("bootstrap: ") and f"{told}; ./bootstrap --help" in done.stderr


def test_help_tells_of_all_tests():
    done = bootstrap("--help")
    assert done.returncode == 0 and "./bootstrap test --all" in done.stdout


def test_steps_are_counted_run_and_judged():
    done = shell(STEPS)
    assert done.returncode == 1, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines() if line]
    assert lines[0].startswith("4 steps, usually 3 min 42 s")
    assert [line for line in lines if line.startswith("==>")] == [
        "==> [1/4] that passes (usually 90 s)", "==> [2/4] that fails (usually 2 min 10 s)",
        "==> [3/4] that is skipped (usually 1 s)", "==> [4/4] that is long (usually 1 s)"]
    judged = [re.sub(r"\d+ s", "N s", line) for line in lines if re.match("passed|skipped|FAILED", line)]
    assert judged == [
        "passed: that passes (N s, N s of processor time)", "FAILED: that fails (exit 1, N s, N s of processor time)",
        "skipped: that is skipped", "passed: that is long (N s, N s of processor time)",
        "skipped: that is skipped", "FAILED: that fails"]
    assert "2 passed, 1 skipped, 1 failed in" in done.stdout
    assert "all is well" in lines and "not reached" not in lines


def test_a_long_step_says_that_it_still_runs():
    assert "[4/4] that is long: 1 s so far" in shell(STEPS).stdout


def test_a_list_passes_where_nothing_fails():
    done = shell('list() { step 1 "one" true; step 1 "another" sh -c "exit 77"; }; run_steps list')
    assert done.returncode == 0 and "1 passed, 1 skipped, 0 failed in" in done.stdout


def test_the_product_is_what_cmake_compiles():
    """Each folder whose sources CMake names without tests, and no other."""
    named = set()
    for part in ("Library", "CommandLine", "Xla"):
        text = (ROOT / "cmake" / f"{part}.cmake").read_text()
        named |= set(re.findall(r"[\s/}](\w+)(?:/\w+)*/\*\.c\b", text))
    assert set(shell("product_folders").stdout.split()) == named
