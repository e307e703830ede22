"""Numbers that `tilegrind conform` judges by bounds and by statistics, and runners that are killed at any moment."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from tilegrind.conform import command, numerics, self_test, suite
from tilegrind.conform.files import Written, complement
from tilegrind.conform.judge import judge
from tilegrind.conform.numerics import judged
from tilegrind.conform.session import Limits, Session
from tilegrind.conform.suite import Case, Run, module_text
from tilegrind.conform.verdicts import Fault
from tilegrind.runner.layout import Type

ROOT = Path(__file__).resolve().parents[2]
ROWS, TERMS = 1200, 16


def _case(op, x, expected, **attributes):
    """A kernel of one operation on a whole array."""
    types = [str(Type("f32", array.shape)) for array in (x, expected)]
    loads = {"op": "load", "in": [0], "index": [["slice", 0, n, 1] for n in x.shape], "out": [{"id": 2, "type": types[0]}]}
    stores = {"op": "store", "in": [1, 3], "index": [["slice", 0, n, 1] for n in expected.shape]}
    module = {"tilegrind": "0.1", "kernels": [{"name": op, "grid": [], "params": [
        {"name": "x", "role": "input", "type": types[0]}, {"name": "o", "role": "output", "type": types[1]}],
        "body": {"args": [{"id": k, "type": f"ref<{kind}>"} for k, kind in enumerate(types)],
                 "ops": [loads, {"op": op, "in": [2], "out": [{"id": 3, "type": types[1]}], **attributes}, stores]}}]}
    run = Run({"x": (Type("f32", x.shape), x.tobytes())}, {"o": (Type("f32", expected.shape), expected.tobytes())})
    return Case(op, module_text(module), run, statistics=expected.size >= 1000)


def _verdict(case, got, contract="ieee"):
    data = got.astype(np.float32).tobytes()
    return judged(case, case.run, {"o": Written(Type("f32", got.shape), data, complement(data))}, contract)


@pytest.fixture(scope="module")
def sums():
    """A case of sums of numbers from 0 to 1, and the numbers."""
    x = np.random.default_rng(7).random((ROWS, TERMS), np.float32)
    expected = x
    while expected.shape[1] > 1:  # a tree of halves, as the interpreter adds
        half = expected.shape[1] // 2
        expected = expected[:, :half] + expected[:, half:]
    return _case("reduce_sum", x, expected[:, 0], axes=[1]), x


def _one_after_the_other(x, rounded):
    total = np.zeros(ROWS)
    for k in range(TERMS):
        total = rounded(total + x[:, k].astype(np.float64)).astype(np.float64)
    return total


def _toward_zero(values):
    nearest = values.astype(np.float32)
    return np.where(np.abs(nearest) > np.abs(values), np.nextafter(nearest, np.float32(0)), nearest)


def test_the_interpreters_bits_are_equal(sums):
    case, x = sums
    assert _verdict(case, np.frombuffer(case.run.expected["o"][1], np.float32)).kind == "equal"


def test_sums_in_another_order_are_within(sums):
    case, x = sums
    verdict = _verdict(case, _one_after_the_other(x, lambda values: values.astype(np.float32)))
    assert verdict.kind == "within" and "lean by" in verdict.detail


def test_sums_that_truncate_are_biased(sums):
    """Each is within its bound, so only all of them together show it."""
    case, x = sums
    got = _one_after_the_other(x, _toward_zero)
    assert _verdict(case, got).kind == "biased"
    few = _case("reduce_sum", x, np.frombuffer(case.run.expected["o"][1], np.float32), axes=[1])
    object.__setattr__(few, "statistics", False)
    assert _verdict(few, got).kind == "within"


def test_a_term_that_is_left_out_is_outside(sums):
    case, x = sums
    assert _verdict(case, x[:, 1:].sum(axis=1)).kind == "outside"


@pytest.mark.parametrize("got, kind", [(1.0, "special-differs"), (np.inf, "special-differs"), (np.nan, "equal")])
def test_nan_is_expected_where_it_is(got, kind):
    case = _case("sqrt", np.float32([-1.0]), np.float32([np.nan]))
    assert _verdict(case, np.float32([got])).kind == kind


@pytest.mark.parametrize("steps, kind", [(0, "equal"), (1, "within"), (4, "outside"), (-4, "outside")])
def test_a_function_may_be_off_by_what_the_contract_allows(steps, kind):
    x = np.float32([0.7])
    exact = np.exp(x.astype(np.float64))
    right = exact.astype(np.float32)
    got = right + np.float32(steps * np.sign(exact - right)) * np.spacing(right)  # step 1: the number on the other side
    assert _verdict(_case("exp", x, right), got).kind == kind
    assert _verdict(_case("exp", x, right), got, "reference").kind == ("outside" if steps else "equal")


def test_the_sign_of_an_exact_zero_counts():
    case = _case("neg", np.float32([0.0]), np.float32([-0.0]))
    assert _verdict(case, np.float32([0.0])).kind == "special-differs"


def test_what_no_rule_is_known_for_is_no_pass(monkeypatch):
    def no_rule(*_, **__):
        raise numerics.Unjudged("no rule")

    monkeypatch.setattr(numerics.Witness, "of", no_rule)
    case = _case("exp", np.float32([0]), np.float32([1]))
    assert _verdict(case, np.float32([1])).kind == "equal"
    verdict = _verdict(case, np.float32([1.5]))
    assert verdict.kind == "unjudged" and "no rule" in verdict.detail and verdict.is_fault


def test_a_contract_that_does_not_exist():
    with pytest.raises(Fault) as caught:
        _verdict(_case("exp", np.float32([1]), np.float32([2.7182817])), np.float32([2.71]), "perfect")
    assert caught.value.verdict.kind == "bad-hello" and "perfect" in caught.value.verdict.detail


@pytest.mark.slow
def test_nothing_is_lost_when_a_runner_is_killed_at_any_moment(tmp_path):
    """Each case gets a verdict, right or crash; a kill costs at most one case."""
    path = tmp_path / "suite.zip"
    subprocess.run([sys.executable, ROOT / "conformance/suite.py", "-o", path, "--only", "semantics"], check=True)
    cases = suite.load(path)
    kills, done, chance = 0, threading.Event(), random.Random(5)

    def kill(session):
        nonlocal kills
        while not done.wait(chance.uniform(0.05, 0.4)):
            process = session._process
            if process is not None and not process.has_ended():
                os.kill(process.pid, signal.SIGKILL)
                kills += 1

    runner = [sys.executable, "-m", "tilegrind.conform.adapters.library"]
    with Session(runner, cases, Limits(run=10)) as session:
        session.start()
        killer = threading.Thread(target=kill, args=(session,))
        killer.start()
        kinds = []
        begun = time.monotonic()
        while time.monotonic() - begun < 4:
            kinds += [judge(session, case).kind for case in cases.cases[:60]]
        done.set()
        killer.join()
    assert set(kinds) == {"equal", "crash"} and kills > 5
    assert kinds.count("crash") <= kills


def test_without_an_installed_suite_the_option_is_needed(monkeypatch, capsys):
    monkeypatch.setattr(command, "installed_suite", lambda: None)
    with pytest.raises(SystemExit) as caught:
        command.main(["--", "true"])
    assert caught.value.code == command.USAGE and "conformance/suite.py -o FILE makes one" in capsys.readouterr().err


def test_a_case_of_the_self_test_is_judged_by_bits_first():
    with Session([sys.executable, "-m", "tilegrind.conform.adding"], self_test.suite()) as session:
        assert judge(session, session.suite.cases[0]).kind == "equal"
