"""Running sweeps on one machine: what units find, what processes that die cost, and how a sweep is stopped and goes on."""

import contextlib
import json
import os
import shlex
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest
from sweeping import (COMMAND, ENVIRONMENT, TILEGRIND, digest_of, orders, planned, sweep, write_add, write_case,
                      write_summed, ADD)
from tilegrind.sweep.progress import Progress
from tilegrind.sweep.work import Outcome


@pytest.fixture
def folder(tmp_path):
    write_add(tmp_path)
    return tmp_path


def results(folder, store="store"):
    return [json.loads(path.read_text().split("\n")[0]) for path in sorted((folder / store).glob("??/*.json"))]


def run(folder, *arguments, code=0, **environment):
    return sweep("run", "plan.jsonl", "--store", "store", *arguments, cwd=folder, code=code, **environment)


# ---- what units find ----


@pytest.mark.slow
def test_the_digest_is_the_same_however_it_is_run(folder):
    planned(folder, orders(), orders(kind="check"), orders(kind="warps", last=10))
    for store, arguments in (("one", ["--on", "here"]), ("two", ["--on", "processes:2"]), ("three", ["--jobs", "3"]),
                             ("four", ["--on", "concurrent.futures:ThreadPoolExecutor"])):
        out, error = sweep("run", "plan.jsonl", "--store", store, *arguments, cwd=folder)
        assert out == "21 units have run, 0 had a result before, 0 have none; 0 findings\n"
        assert "21 of 21 units, 451 runs, " in error
    assert len({digest_of(folder, store) for store in ("one", "two", "three", "four")}) == 1
    names = [{path.relative_to(folder / store): path.read_bytes() for path in (folder / store).glob("??/*.json")}
             for store in ("one", "two", "three", "four")]
    assert names[0] == names[1] == names[2] == names[3]


def test_a_result_has_digests_and_figures_and_no_places(folder):
    planned(folder, orders(10))
    sweep("work", "plan.jsonl", "--store", "store", cwd=folder)
    (result,) = results(folder)
    assert result["counters"] == {"runs": 22, "findings": 0, "expected": 0, "suppressed": 0}
    assert result["worst"] == {"o": {"ulps": 0, "differing": 0, "failing": 0}}
    assert set(result["digests"]) == {"o"} and len(result["digests"]["o"]) == 64
    assert str(folder) not in json.dumps(result)


def output_of(folder, command):
    """The bytes of the output of a run."""
    (folder / "out.npy").unlink(missing_ok=True)
    subprocess.run([TILEGRIND, *shlex.split(command)[1:], "--out", "out.npy"], cwd=folder, capture_output=True)
    return (folder / "out.npy").read_bytes()


def test_findings_have_commands_that_repeat_them(folder):
    write_summed(folder)
    planned(folder, orders(20))
    out, _ = run(folder, code=1)
    assert "; 2 findings; tilegrind sweep merge plan.jsonl --store store shows them" in out
    failures = [failure for result in results(folder) for failure in result["failures"]]
    assert [failure["kind"] for failure in failures] == ["order-dependence"] * 2
    merged, _ = sweep("merge", "plan.jsonl", "--store", "store", cwd=folder, code=1)
    assert merged.count("  repeat with: tilegrind run cases/summed --order replay:") == 2
    assert output_of(folder, failures[0]["repeat"]) != output_of(folder, "tilegrind run cases/summed")


def test_checks_find_what_orders_alone_do_not(folder):
    write_summed(folder)
    planned(folder, orders(10, kind="check", checks=["races", "undefined"]))
    run(folder, code=1)
    (result,) = [result for result in results(folder) if result["failures"]]
    assert {failure["kind"] for failure in result["failures"]} >= {"race", "order-dependence"}
    race = next(failure for failure in result["failures"] if failure["kind"] == "race")
    assert race["repeat"] == "tilegrind run cases/summed --order sequential --check races,undefined"
    assert race["at"].endswith("summed.py:16")


def test_known_findings_do_not_count(folder):
    write_summed(folder)
    (folder / "known.supp").write_text("{\n    known\n    kind: race\n}\n{\n    known too\n    kind: order-dependence\n}\n")
    planned(folder, orders(10, kind="check", checks="races", suppressions="known.supp"))
    run(folder)
    assert sorted(result["counters"]["suppressed"] for result in results(folder))[-1] >= 2


def test_expected_findings_do_not_count_and_absent_ones_do(folder):
    case = json.loads((write_summed(folder) / "case.json").read_text())
    (folder / "cases" / "summed" / "case.json").write_text(
        json.dumps(case | {"expect": {"findings": [{"kind": "order-dependence"}]}}))
    planned(folder, orders(10))
    run(folder)
    assert sum(result["counters"]["expected"] for result in results(folder)) == 1


def test_outputs_that_the_case_does_not_expect(folder):
    wrong = {**ADD, "expect": {"outputs": {"o": {"type": "f32[10]", "fill": "zeros"}}}}
    write_case(folder, "wrong", wrong, "add.json")
    planned(folder, orders(10), orders(2, kind="warps"))
    run(folder, code=1)
    failures = [failure for result in results(folder) for failure in result["failures"]]
    assert {failure["kind"] for failure in failures} == {"unexpected-output"}
    assert failures[0]["message"] == "10 of 10 elements of o are not as the case expects, the first is 0"
    for failure in failures:
        words = shlex.split(failure["repeat"])
        assert subprocess.run([TILEGRIND, *words[1:]], cwd=folder, capture_output=True).returncode == 1


NAN = {"tilegrind": "0.1", "kernel": "kernel.json", "inputs": {"x": {"type": "f32[10]", "values": "-nan"},
                                                               "y": {"type": "f32[10]", "fill": "ones"}}}


def test_all_nans_have_one_digest(folder):
    import numpy as np

    digests = []
    for bits in (0x7FC00000, 0xFFC00001):
        target = write_case(folder, f"nan{bits}", {**NAN, "inputs": {**NAN["inputs"], "x": {"file": "x.npy"}}}, "add.json")
        np.save(target / "x.npy", np.full(10, bits, np.uint32).view(np.float32))
    planned(folder, orders(10, cases="cases/nan*"))
    run(folder)
    digests = {result["digests"]["o"] for result in results(folder)}
    assert len(results(folder)) == 2 and len(digests) == 1


# ---- random kernels ----


def fake_random_programs(folder, script):
    program = folder / "random_programs"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return {"TILEGRIND_RANDOM_PROGRAMS": str(program)}


RANDOM = {"kind": "random", "seeds": [0, 99], "per-unit": 50}
HOLDS = ('echo "$3 kernels, seeds $2 to 9: all hold on the interpreter; this call began at seed 0, '
         'and 0 were refused as PTX"')


def test_random_kernels(folder):
    program = os.path.join(os.path.dirname(os.path.realpath(TILEGRIND)), "random_programs")
    if not os.path.exists(program):
        pytest.skip("built without tests")
    planned(folder, {**RANDOM, "seeds": [400, 439], "per-unit": 10})
    run(folder)
    assert [result["counters"] for result in results(folder)] == [{"runs": 10, "findings": 0, "refused": 0}] * 4


def test_a_random_kernel_that_fails(folder):
    planned(folder, RANDOM)
    run(folder, code=1, **fake_random_programs(folder, 'echo "seed 7: outputs differ" >&2; exit 1'))
    assert results(folder)[0]["failures"] == [
        {"kind": "random-kernel", "level": "error", "message": "seed 7: outputs differ",
         "repeat": "random_programs --cpu 7 1"}]


def test_without_the_program_units_stay_without_result(folder):
    planned(folder, RANDOM)
    _, error = run(folder, code=1, TILEGRIND="/nowhere/tilegrind")
    assert error.count("random kernels need the program random_programs of a build with tests") == 2
    out, _ = sweep("status", "plan.jsonl", "--store", "store", cwd=folder, code=1)
    assert "random: 2 units, 0 done, 2 failed, 0 left" in out
    run(folder, **fake_random_programs(folder, HOLDS))
    assert "2 done, 0 failed" in sweep("status", "plan.jsonl", "--store", "store", cwd=folder)[0]


# ---- what units need ----


def test_files_that_have_changed_are_refused(folder):
    plan = planned(folder, orders(10))
    (kernel,) = (folder / f"{plan.name}.files").glob("*/kernel.json")
    kernel.write_text(kernel.read_text() + " ")
    _, error = run(folder, code=1)
    assert "kernel.json: has changed: its digest is " in error and results(folder) == []


def test_an_invalid_case_is_a_unit_without_result(folder):
    (folder / "cases" / "add" / "kernel.json").write_text("{}")
    planned(folder, orders(20))
    _, error = run(folder, code=1)
    assert error.count("orders cases/add from seed ") == 2 and "kernel.json" in error


def test_a_defect_in_a_unit_costs_only_that_unit(folder, monkeypatch):
    from tilegrind.sweep import kinds, work
    from tilegrind.sweep.store import Store

    line = planned(folder, orders(10)).read_text().splitlines()[1]
    Store(folder / "store", create=True)
    monkeypatch.setattr(kinds, "run", lambda unit, root: {}["missing"])
    outcome = work.perform(line, folder / "plan.jsonl.files", folder / "store")
    assert (outcome.state, outcome.why) == ("failed", "a defect of Tilegrind: KeyError: 'missing'")
    out, _ = sweep("status", "plan.jsonl", "--store", "store", cwd=folder, code=1)
    assert "a defect of Tilegrind: KeyError: 'missing'" in out


def test_a_defect_of_the_command_is_exit_code_4(folder, monkeypatch, capsys):
    from tilegrind.sweep import command, plan

    monkeypatch.setattr(plan, "read", lambda path: {}["missing"])
    assert command.main(["status", "plan.jsonl", "--store", "store"]) == 4
    assert "KeyError: 'missing'" in capsys.readouterr().err


def test_another_version_is_refused(folder):
    plan = planned(folder, orders(10))
    from tilegrind.sweep import kinds
    from tilegrind.sweep.errors import UnitError

    unit = json.loads(plan.read_text().splitlines()[1]) | {"tilegrind": "9.9.9"}
    with pytest.raises(UnitError, match="the plan is one of Tilegrind 9.9.9, and this is "):
        kinds.run(unit, f"{plan}.files")


# ---- processes that end ----


def test_a_killed_worker_costs_only_its_unit(folder):
    """The first three workers that run a unit kill themselves; every unit has a result in the end."""
    planned(folder, {**RANDOM, "per-unit": 5})
    script = f'for i in 1 2 3; do mkdir {folder}/died$i 2>/dev/null && kill -9 $PPID && exit 1; done; {HOLDS}'
    out, _ = run(folder, "--on", "processes:2", **fake_random_programs(folder, script))
    assert out.startswith("20 units have run, ") and len(results(folder)) == 20
    assert (folder / "died3").exists()


def test_a_unit_that_always_ends_its_worker_is_given_up(folder):
    planned(folder, {**RANDOM, "per-unit": 10})
    out, error = run(folder, "--on", "processes:2", code=1,
                     **fake_random_programs(folder, f'[ $2 = 40 ] && kill -9 $PPID; {HOLDS}'))
    assert out.startswith("9 units have run, 0 had a result before, 1 have none")
    assert error.count("the process that ran it has ended 6 times, 3 times with nothing else beside it") == 1
    assert "1 failed" in sweep("status", "plan.jsonl", "--store", "store", cwd=folder, code=1)[0]


def started(folder, *arguments, **environment):
    return subprocess.Popen([*COMMAND, "run", "plan.jsonl", "--store", "store", *arguments], cwd=folder, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**ENVIRONMENT, **environment})


def wait_until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def processes_in(folder):
    """The numbers of the processes that work in a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            found += [path.parent.name] if path.resolve() == folder else []
    return found


@pytest.mark.slow
@pytest.mark.parametrize("on, signal_", [("processes:2", signal.SIGINT), ("here", signal.SIGINT),
                                         ("processes:2", signal.SIGKILL)])
def test_a_sweep_that_is_stopped_goes_on_later(folder, on, signal_):
    planned(folder, orders(1_200_000, per_unit=30_000))
    with started(folder, "--on", on) as process:
        wait_until(lambda: len(list((folder / "store").glob("??/*.json"))) >= 2)
        process.send_signal(signal_)
        _, error = process.communicate(timeout=20)
    assert process.returncode == (130 if signal_ == signal.SIGINT else -signal.SIGKILL), error
    before = len(results(folder))
    assert 2 <= before < 40
    if signal_ == signal.SIGINT:
        assert "what is done is kept" in error and "Traceback" not in error
    assert before + 2 >= len(results(folder))
    wait_until(lambda: not processes_in(folder))


@pytest.mark.slow
def test_going_on_runs_only_what_is_left(folder):
    planned(folder, orders(50))
    run(folder)
    planned(folder, orders(100))
    assert run(folder)[0].startswith("5 units have run, 5 had a result before")


def test_a_disk_that_is_full_ends_the_sweep(folder):
    planned(folder, orders())
    command = f"ulimit -f 0; exec {shlex.join(COMMAND)} work plan.jsonl --store store"
    sweep("run", "plan.jsonl", "--store", "store", "--shard", "0/97", cwd=folder)  # makes the store
    done = subprocess.run(["sh", "-c", f"trap '' XFSZ; {command}"], cwd=folder, env=ENVIRONMENT, capture_output=True,
                          text=True)
    assert done.returncode == 2 and "cannot be kept: File too large" in done.stderr, done.stderr
    left = len(results(folder))
    out, _ = run(folder)
    assert out.startswith(f"{10 - left} units have run")


@pytest.mark.slow
@pytest.mark.parametrize("arguments, problem", [
    (["--on", "spark"], "--on spark: known are here, processes:N"),
    (["--on", "processes:0"], "'0' is no number of processes"),
    (["--on", "no_such_module:make"], "--on no_such_module:make: No module named"),
    (["--scheduler", "localhost"], "dask://localhost: is no address of a scheduler"),
    (["--shard", "2/2"], "shards of 2 are 0/2 to 1/2, and this is 2/2"),
    (["--on", "here", "--scheduler", "a:1"], "not allowed with argument"),
    (["--jobs", "0"], "'0' is no number of processes"),
])
def test_wrong_use(folder, arguments, problem):
    planned(folder, orders(10))
    assert problem in run(folder, *arguments, code=2)[1]


# ---- progress ----


class Terminal:
    def __init__(self, is_terminal):
        self.text, self.isatty = "", lambda: is_terminal

    def write(self, text):
        self.text += text

    def flush(self):
        pass


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress(is_terminal):
    now, stream = [0.0], Terminal(is_terminal)
    progress = Progress({"a": 1000, "b": 7_199_000}, stream, lambda: now[0])
    assert progress.line() == "0 of 2 units, 0 runs, 0 a second, no unit has ended yet"
    now[0] = 2.0
    progress.settled(Outcome("a", "new", findings=2))
    progress.tick()
    assert ("\r" in stream.text) == is_terminal and bool(stream.text) == is_terminal
    assert progress.line() == "1 of 2 units, 1,000 runs, 500 a second, 3 h 59 min left, 2 findings"
    now[0] = 12.0
    progress.tick()
    progress.settled(Outcome("b", "failed", why="no reason"))
    assert "unit b: no reason\n" in stream.text
    assert progress.line() == "2 of 2 units, 7,200,000 runs, 600,000 a second, 2 findings, 1 units without result"
