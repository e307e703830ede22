"""Launches in Tilegrind: contexts, options, findings, cases, modules."""

import json
import os
import pickle
import subprocess
import traceback

import numpy as np
import pytest
import triton
import triton.language as tl
from arrays import iota, zeros
from kernels import add, all_ones, last_wins, too_far

import tilegrind
import tilegrind.triton as tt

TILEGRIND = os.environ.get("TILEGRIND", "tilegrind")


def test_a_launch_writes_in_place():
    x, o = iota(1000), zeros(1000)
    with tt.interpreter() as active:
        add[(8,)](x, x, o, 1000, B=128)
    assert np.array_equal(o.array, 2 * x.array)
    assert (active.runs, active.programs, list(active.kernels)) == (1, 8, ["add"])


@pytest.mark.parametrize("order", ["reversed", "shuffled:3", "interleaved:2", "parallel:2"])
def test_an_order(order):
    x, o = iota(64), zeros(64)
    with tt.interpreter(order):
        add[(4,)](x, x, o, 64, B=16)
    assert np.array_equal(o.array, 2 * x.array)


def test_an_order_shows():
    """The last program in the order wins; what is found is no error of this test."""
    o = zeros(1)
    with tt.interpreter("reversed", findings="collect"):
        last_wins[(4,)](iota(4), o)
    assert o.array[0] == 0


def test_findings_raise_at_the_line_of_the_kernel():
    o = zeros(4)
    with tt.interpreter(), pytest.raises(tt.FindingError, match="access-outside-ref") as caught:
        too_far[(1,)](iota(4), o, B=4)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (frame.name, frame.line) == ("too_far", "tl.store(o + at, tl.load(x + at + 1))")
    assert list(o.array[:3]) == [1, 2, 3]  # what the launch wrote is in place
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is tt.FindingError and [one.kind for one in again.findings] == [one.kind for one in caught.value.findings]


def test_findings_warn():
    with tt.interpreter(findings="warn"), pytest.warns(tt.FindingWarning, match="access-outside-ref") as told:
        too_far[(1,)](iota(4), zeros(4), B=4)
    assert told[0].filename == too_far.fn.__code__.co_filename


def test_lesser_findings_warn_unless_they_count():
    with tt.check(), pytest.warns(tt.FindingWarning, match="race-same-value"):
        all_ones[(3,)](zeros(1))
    with tt.check(fail_on="warning"), pytest.raises(tt.FindingError, match="race-same-value"):
        all_ones[(3,)](zeros(1))


def test_a_check_looks_at_other_orders():
    with tt.check(on_finding="collect") as checked:
        last_wins[(4,)](iota(4), zeros(1))
    assert {one.kind for one in checked.findings} == {"race", "order-dependence"}
    with tt.check(on_finding="collect", orders=False) as checked:
        last_wins[(4,)](iota(4), zeros(1))
    assert {one.kind for one in checked.findings} == {"race"}


def test_findings_of_a_fault_are_one():
    with tt.check(on_finding="collect", orders=False) as checked:
        last_wins[(4,)](iota(4), zeros(1))
        first = checked.findings[0].count
        last_wins[(4,)](iota(4), zeros(1))
    assert [one.count for one in checked.findings] == [2 * first]
    assert len(checked.take().findings) == 1 and checked.findings == []


def test_suppressions(tmp_path):
    with tt.check(on_finding="collect", orders=False) as checked:
        last_wins[(4,)](iota(4), zeros(1))
    known = tmp_path / "known.supp"
    known.write_text(checked.findings[0].to_suppress)
    with tt.check(orders=False, suppressions=known) as checked:
        last_wins[(4,)](iota(4), zeros(1))
    assert checked.findings == [] and [one.finding.kind for one in checked.suppressed] == ["race"]
    assert checked.suppressions.unused() == []


def test_a_finding_leaves_a_case_and_a_timeline(tmp_path):
    with tt.check(on_finding="collect", save=tmp_path / "cases", trace=tmp_path / "traces") as checked:
        last_wins[(4,)](iota(4), zeros(1))
        last_wins[(4,)](iota(4), zeros(1))
    (case,), (trace,) = checked.cases, checked.traces
    assert json.loads((case / "case.json").read_text())["made_by"] == {"triton": triton.__version__}
    assert json.loads(trace.read_text())["traceEvents"]
    again = subprocess.run([TILEGRIND, "check", str(case)], capture_output=True, text=True, timeout=60)
    assert again.returncode == 1 and "race: program (x=0) writes o[0]" in again.stdout


def test_a_capture_writes_a_case_of_each_launch(tmp_path):
    x = iota(100)
    with tt.capture(tmp_path, limit=2) as captured:
        for _ in range(3):
            add[(4,)](x, x, zeros(100), 100, B=32)
    assert [case.name for case in captured.cases] == ["add-0", "add-1"]
    done = subprocess.run([TILEGRIND, "check", str(captured.cases[0])], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "as expected" in done.stdout
    case = tilegrind.open_case(captured.cases[0])
    assert case.grid == (1, 1, 4)
    assert any(np.array_equal(array, x.array) for array in case.inputs.values())


def test_an_export_runs_nothing():
    x, y, o = iota(100), iota(100), zeros(100)
    module = tt.export(add, x, y, o, 100, B=32, grid=(4,))
    assert module.names == ["add"] and not o.array.any()
    loaded, given = tilegrind.loads(module.dumps()), {"x": x.array, "y": y.array, "o": o.array, "n": np.array(100, np.int32)}
    inputs = {param.name: given[param.name.removesuffix(".before")] for param in loaded.params() if param.role == "input"}
    assert np.array_equal(loaded.run(inputs, grid=(1, 1, 4)).outputs["o"], 2 * x.array)


def test_install_and_uninstall():
    before = triton.runtime.driver._active
    active = tt.install("shuffled:1", findings="collect")
    last_wins[(1,)](iota(4), zeros(1))
    tt.install()  # in its place
    last_wins[(1,)](iota(4), zeros(1))
    tt.uninstall()
    tt.uninstall()
    assert active.runs == 1 and triton.runtime.driver._active is before


def test_a_context_ends_itself_not_one_like_it():
    with tt.interpreter() as outer:
        with tt.interpreter():
            pass
        add[(1,)](iota(4), iota(4), zeros(4), 4, B=4)
    assert outer.runs == 1


def test_contexts_nest_and_put_back_what_was():
    before = triton.runtime.driver._active
    with tt.interpreter() as outer:
        with tt.interpreter() as inner:
            add[(1,)](iota(4), iota(4), zeros(4), 4, B=4)
        assert (outer.runs, inner.runs) == (0, 1)
        with pytest.raises(RuntimeError, match="started already"):
            outer.start()
    assert triton.runtime.driver._active is before and "tilegrind" not in triton.backends.backends


@pytest.mark.parametrize("options, message", [
    ({"findings": "hide"}, "findings='hide' is none of 'raise', 'warn', 'collect'"), ({"order": "sideways"}, "sideways"),
    ({"order": "reversed", "threads": 2}, "threads is for order='parallel' alone"), ({"fail_on": "bad"}, "fail_on='bad'"),
    ({"device": "rocm"}, "device='rocm'"), ({"prints": "warp"}, "prints='warp'"), ({"autotune": "best"}, "autotune='best'"),
    ({"capability": 9}, "capability=9"), ({"checks": "everything"}, "everything"), ({"profile": "slow"}, "slow")])
def test_options_that_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tt.interpreter(**options)


@pytest.mark.parametrize("options, message", [
    ({"on_finding": "hide"}, "on_finding='hide'"), ({"seed": 0}, "seed=0 is not between 1 and"), ({"shuffles": -1}, "shuffles=-1"),
    ({"trace_order": "sideways"}, "sideways")])
def test_options_of_checks_that_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        tt.check(**options)


def test_there_is_no_other_name():
    with pytest.raises(AttributeError, match="no attribute 'interpret'"):
        tt.interpret


def test_tritons_interpreter_is_in_the_way(monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    with pytest.raises(RuntimeError, match="TRITON_INTERPRET is set"), tt.interpreter():
        pass
    assert "tilegrind" not in triton.backends.backends


# ---- autotuning ----

WIDTHS = [16, 32, 64]
TUNED = triton.autotune([triton.Config({"B": width}) for width in WIDTHS], key=["n"])(add)
HELPED = triton.heuristics({"B": lambda args: triton.next_power_of_2(args["n"])})(add)


@pytest.mark.parametrize("autotune, runs", [("first", 1), ("all", 4)])
def test_configurations(autotune, runs):
    TUNED.cache.clear()
    x, o = iota(64), zeros(64)
    with tt.interpreter(autotune=autotune) as active:
        TUNED[lambda meta: (triton.cdiv(64, meta["B"]),)](x, x, o, 64)
    assert np.array_equal(o.array, 2 * x.array)
    assert active.runs == runs and TUNED.best_config.kwargs == {"B": 16}


@triton.jit
def says(o):
    tl.device_print("n", tl.load(o))


@pytest.mark.parametrize("options, times", [({}, 2), ({"prints": "thread"}, 2 * 64)])
def test_numbers_are_printed_by_programs_or_threads(options, times, capsys):
    with tt.interpreter(**options):
        says[(2,)](zeros(1), num_warps=2)
    lines = capsys.readouterr().out.splitlines()
    assert set(lines) == {f"pid ({x}, 0, 0) idx () n: 0.000000" for x in range(2)} and len(lines) == times


def test_heuristics():
    x, o = iota(50), zeros(50)
    with tt.interpreter() as active:
        HELPED[(1,)](x, x, o, 50)
    assert np.array_equal(o.array, 2 * x.array) and active.programs == 1


# ---- what is not supported ----


@triton.jit
def asks_for_nothing_known(o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.inline_asm_elementwise("ld.global.b32 $0, [$1];", "=r,l", [o + at], tl.int32, True, 1))


def test_a_kernel_that_is_not_supported():
    with tt.check() as checked, pytest.raises(tt.ExportError, match=r"test_running.py:\d+: tt.elementwise_inline_asm: ") as caught:
        asks_for_nothing_known[(1,)](zeros(4, dtype=np.int32), B=4)
    assert checked.refused == [caught.value] and caught.value.op == "tt.elementwise_inline_asm"


def test_gluon_is_refused():
    gluon = pytest.importorskip("triton.experimental.gluon")

    @gluon.jit
    def kernel(n: gluon.language.constexpr):
        pass

    with tt.interpreter(), pytest.raises(NotImplementedError, match="this kernel is Gluon's"):
        kernel[(1,)](1)
