"""The run of the newest JAX's tests of races in Mosaic GPU kernels: what is a problem, and what the tests are told."""

import sys
import types
import unittest
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[2] / "conformance" / "jax")]

import gpu_race_answers  # noqa: E402
from conformance.jax import gpu_races  # noqa: E402
from conformance.jax.session import Outcome  # noqa: E402
from tilegrind.pallas.lowering.tpu_model import TpuModel  # noqa: E402


def outcome(name, result, message=""):
    return Outcome(f"tests/pallas/file.py::Class::{name}", result, message)


RAN = [outcome("test_a0", "passed"), outcome("test_a1", "failed", "AssertionError"), outcome("test_b", "skipped", "not yet"),
       outcome("test_c", "refused", "no counterpart")]
KNOWN = [gpu_races.Known("test_a*", 1, "JAX is right"), gpu_races.Known("test_c", 1, "no one is")]


def test_known_failures_are_no_problem():
    assert gpu_races.problems_of(RAN, KNOWN) == []


def test_unknown_failures_are_problems():
    assert gpu_races.problems_of(RAN, KNOWN[:1]) == ["test_c: refused: no counterpart"]


def test_known_failures_that_pass_are_problems():
    ran = [outcome("test_a0", "passed"), *RAN[2:]]
    assert gpu_races.problems_of(ran, KNOWN) == ["test_a*: 0 fail, but 1 are known to: JAX is right"]


def test_known_failures_of_tests_that_did_not_run():
    assert gpu_races.problems_of(RAN[2:3], KNOWN) == []


def test_a_row_for_each_function():
    head, *rows = gpu_races.table(RAN).splitlines()
    assert head.split() == ["passed", "skipped", "failed", "refused"]
    assert [row.split() for row in rows] == [["test_a", "1", "0", "1", "0"], ["test_b", "0", "1", "0", "0"], ["test_c", "0", "0", "0", "1"]]


def test_another_jax_is_told(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(gpu_races, "VERSION", "0.0.0")
    assert gpu_races.main(["--jax", str(tmp_path)]) == 2
    assert "these tests need jax==0.0.0" in capsys.readouterr().err


def test_a_checkout_without_the_tests_is_told(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(gpu_races.importlib.metadata, "version", lambda _: gpu_races.VERSION)
    assert gpu_races.main(["--jax", str(tmp_path)]) == 2
    assert "gpu_pallas_interpret_race_detection_test.py is missing" in capsys.readouterr().err


@pytest.fixture
def raising(monkeypatch):
    """What raises errors that tests expect; the last findings are the fixture's value."""
    monkeypatch.setattr(unittest.case._AssertRaisesContext, "__exit__", unittest.case._AssertRaisesContext.__exit__)
    last = gpu_race_answers.LastFindings()
    gpu_race_answers.raise_expected(last)
    return last


def test_a_copy_that_nobody_waits_for_is_an_expected_error(raising):
    case = unittest.TestCase()
    raising.hear("kernel k, dma_start: dma-not-awaited: nothing waited for the 8 bytes of this copy before its memory ended")
    with case.assertRaisesRegex(Exception, "read-side operations completed before"):
        pass


def test_without_such_a_finding_there_is_no_error(raising):
    raising.hear("kernel k, store: race: store writes")
    with pytest.raises(AssertionError, match="not raised"), unittest.TestCase().assertRaises(RuntimeError):
        pass


def test_all_checks_run_where_races_are_asked_for(monkeypatch, raising):
    answers, heard = gpu_race_answers.tpu_answers, []
    interpreting = types.SimpleNamespace(model_of=lambda params: TpuModel())
    monkeypatch.setattr(answers, "RACES", answers.RACES)
    monkeypatch.setattr(answers, "listen", lambda target, hear: heard.append(hear))
    monkeypatch.setattr(gpu_race_answers.importlib, "import_module", lambda name: interpreting)
    gpu_race_answers.install(types.SimpleNamespace(__name__="tilegrind.pallas"))
    assert interpreting.model_of(types.SimpleNamespace(detect_races=True)).checks == "all,gpu-strict"
    assert interpreting.model_of(types.SimpleNamespace(detect_races=False)).checks == "none"
    assert {"overwrite-unfenced", "proxy-fence-missing", "product-in-flight", "race"} <= answers.RACES
    assert len(heard) == 1
