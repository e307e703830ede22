"""The trace that --trace writes: its form, and that it says what the run did."""

import json
import os
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from trace_schema import check

ROOT = Path(__file__).resolve().parent.parent
TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
PIPELINED = ["examples/pipelined.json", "--in", "examples/pipelined_inputs.npz"]
SUMMED = ["examples/summed.json", "--in", "examples/summed_inputs.npz"]

def tilegrind(*arguments, cwd=ROOT):
    return subprocess.run([TILEGRIND, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=120)


def write_trace(path, *arguments, code=0):
    done = tilegrind(*arguments, "--trace", path)
    assert done.returncode == code, done.stdout + done.stderr
    assert [p.name for p in path.parent.iterdir() if p.suffix == ".tmp"] == []
    return json.loads(path.read_text())


# ---- the form ----


ORDERS = ["sequential", "reversed", "shuffled:3", "interleaved:1", "interleaved:2", "parallel:2"]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("what", [PIPELINED, SUMMED, ["examples/transposed.json", "--in", "examples/transposed_inputs.npz"]], ids=lambda w: Path(w[0]).stem)
def test_schema(tmp_path, what, order):
    trace = write_trace(tmp_path / "trace.json", "run", *what, "--order", order)
    events = check(trace)
    about = trace["otherData"]
    assert about["order"].startswith(order.split(":")[0]) and about["events_left_out"] == 0
    assert sum(e["cat"] == "work" for e in events if e["ph"] == "X") > 3


# ---- what it says ----


def names(events, ph, key="name"):
    return sorted({event[key] for event in events if event["ph"] == ph})


def test_programs_and_threads_have_names(tmp_path):
    events = check(write_trace(tmp_path / "trace.json", "run", *PIPELINED))
    of = {(e["name"], e["pid"], e["tid"]): e["args"] for e in events if e["ph"] == "M"}
    assert of["process_name", 1, 1] == {"name": "program (block=0)"} and of["process_name", 2, 1] == {"name": "program (block=1)"}
    assert [of["thread_name", 1, tid]["name"] for tid in (1, 2, 3)] == ["thread (role=0)", "thread (role=1)", "copies and products"]
    events = check(write_trace(tmp_path / "trace.json", "run", *SUMMED))
    of = {(e["name"], e["pid"]): e["args"] for e in events if e["ph"] == "M"}
    assert of["process_name", 4] == {"name": "program (3)"} and of["thread_name", 4] == {"name": "program"}


def test_waits_name_barrier_phase_and_who_ended_them(tmp_path):
    """The thread that computes waits for each copy, and the one that copies for each slot, as they use two slots for six tiles."""
    events = check(write_trace(tmp_path / "trace.json", "run", *PIPELINED, "--order", "sequential"))
    waits = [e for e in events if e["ph"] == "X" and e["cat"] == "wait" and e["pid"] == 1]
    assert [(w["tid"], w["args"]["for"], w["args"]["phase"]) for w in sorted(waits, key=lambda w: (w["tid"], w["ts"]))] == [
        *((1, f"empty[{i % 2}]", i // 2) for i in range(4)), *((2, f"full[{i % 2}]", i // 2) for i in range(6))]
    for wait in waits:
        ended = "barrier_arrive at pipelined.py:37 of program (block=0), thread (role=1)" if wait["tid"] == 1 else \
            "dma_start at pipelined.py:26 of program (block=0), thread (role=0)"
        assert wait["args"]["ended_by"] == ended
    arrows = defaultdict(dict)
    for event in events:
        if event["ph"] in "sf" and event["name"] == "ends the wait" and event["pid"] == 1:
            arrows[event["id"]][event["ph"]] = event["tid"]
    assert sorted((arrow["s"], arrow["f"]) for arrow in arrows.values()) == [(2, 1)] * 4 + [(3, 2)] * 6


def test_copies_in_flight(tmp_path):
    events = check(write_trace(tmp_path / "trace.json", "run", *PIPELINED))
    begins = [e for e in events if e["ph"] == "b" and e["pid"] == 1]
    assert [e["name"] for e in begins] == [f"x_ref[0, {i}, 0] to tile_ref[{i % 2}, 0]" for i in range(6)]
    assert {e["args"]["bytes"] for e in begins} == {512} and {e["cat"] for e in begins} == {"copy"}
    assert names(events, "n", "cat") == ["copy"]


def kernel(ops, grid=1, params=(), **more):
    return {"tilegrind": "0.1", "locations": [{"file": "k.py", "line": line} for line in (1, 2, 3)], "kernels": [{
        "name": "k", "grid": [{"size": grid, **more}], "params": list(params),
        "body": {"args": [{"id": i, "type": f"ref<{p['type']}>"} for i, p in enumerate(params)], "ops": ops}}]}


def save(folder, what):
    path = folder / "kernel.json"
    path.write_text(json.dumps(what))
    return path


def test_prints_are_instants(tmp_path):
    path = save(tmp_path, kernel([{"op": "program_id", "out": [{"id": 9, "type": "i32[]"}], "axis": 0},
                                  {"op": "debug_print", "in": [9], "format": 'program "{}"', "loc": 1}], grid=2))
    events = check(write_trace(tmp_path / "trace.json", "run", path))
    prints = [e for e in events if e["ph"] == "i"]
    assert [(e["pid"], e["args"]["text"], e["args"]["line"]) for e in prints] == [(1, 'program "0"', "k.py:1"), (2, 'program "1"', "k.py:1")]


def test_a_wait_that_never_ends(tmp_path):
    barrier = {"name": "b", "role": "scratch", "type": "barrier[]", "arrivals": 2}
    path = save(tmp_path, kernel([{"op": "barrier_arrive", "in": [0], "loc": 1}, {"op": "barrier_wait", "in": [0], "loc": 2}], params=[barrier]))
    trace = write_trace(tmp_path / "trace.json", "run", path, code=1)
    (wait,) = [e for e in check(trace) if e.get("cat") == "wait"]
    assert wait["args"]["never_ends"] and wait["ts"] + wait["dur"] == trace["otherData"]["steps"] and "ended_by" not in wait["args"]


# ---- files and runs ----


def test_same_order_same_trace(tmp_path):
    for order in ("sequential", "interleaved:5"):
        write_trace(tmp_path / "a.json", "run", *PIPELINED, "--order", order)
        write_trace(tmp_path / "b.json", "run", *PIPELINED, "--order", order)
        assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_trace_does_not_change_what_a_run_says(tmp_path):
    plain, traced = (json.loads(tilegrind("check", *SUMMED, "--json", *more).stdout)
                     for more in ([], ["--trace", tmp_path / "t.json", "--html", tmp_path / "p.html"]))
    for run in (plain, traced):
        del run["seconds"]
    assert plain == traced
    assert json.loads((tmp_path / "t.json").read_text())["otherData"]["order"] == "sequential"
    assert (tmp_path / "p.html").exists()


def test_what_has_no_room_is_told(tmp_path):
    """Half of the room, 100,000 events, is for other events than work."""
    stores = [{"op": "constant", "out": [{"id": 9, "type": "i32[]"}], "value": 0},
              {"op": "store", "in": [0, 9, 9], "index": [["at"]], "loc": 1}]
    output = {"name": "o", "role": "output", "type": "i32[1]"}
    path = save(tmp_path, kernel(stores, grid=60000, params=[output]))
    done = tilegrind("run", path, "--trace", tmp_path / "trace.json")
    said = "10,000 events are left out for want of room, the first at step"
    assert done.returncode == 0 and f"{tmp_path / 'trace.json'}: {said}" in done.stderr and "of program (50000), k.py:1" in done.stderr
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert trace["otherData"]["events_left_out"] == 10000 and trace["otherData"]["left_out"].startswith(said)
    (note,) = [e for e in trace["traceEvents"] if e.get("cat") == "left_out"]
    assert note["name"].startswith(said) and note["pid"] == 50001 and note["s"] == "g"
    assert (tmp_path / "trace.json").stat().st_size < 60e6


@pytest.mark.parametrize("arguments, code, says", [
    (["run", "examples/add.json", "--backend", "emulator", "--trace", "t.json"], 2, "--trace goes with backend cpu"),
    (["run", *SUMMED, "--trace"], 2, "needs an argument"),
    (["run", *SUMMED, "--trace", "/nowhere/trace.json"], 2, "/nowhere/trace.json"),
])
def test_refusals(arguments, code, says):
    done = tilegrind(*arguments)
    assert done.returncode == code and says in done.stderr, done.stderr


def test_no_trace_of_a_run_that_failed(tmp_path):
    trace = tmp_path / "trace.json"
    trace.write_text("before")
    done = tilegrind("run", "examples/summed.json", "--trace", trace)
    assert done.returncode == 2 and trace.read_text() == "before" and list(tmp_path.iterdir()) == [trace]
