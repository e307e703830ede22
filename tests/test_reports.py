"""What a run says, and where: the published schema of --json, suppressions, --fail-on, colours."""

import json
import os
import pty
import re
import subprocess

import jsonschema
import pytest
from report_cases import EXAMPLES, KINDS, ROOT, SHIFTED, SUMMED, TILEGRIND, TRANSPOSED, defects, inputs_of, output, tilegrind

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
RACES = ["run", *SUMMED, "--check", "races"]
RACE = "{\n  the first of two\n  kind: race\n  at: summed.py:16\n}\n"
SAME = {"tilegrind": "0.1", "kernels": [{"name": "same", "grid": [{"size": 2}], "params": [
    {"name": "o", "role": "output", "type": "i32[]"}], "body": {"args": [{"id": 0, "type": "ref<i32[]>"}], "ops": [
        {"op": "constant", "out": [{"id": 1, "type": "i32[]"}], "value": 7}, {"op": "store", "in": [0, 1], "index": []}]}}]}


def report_of(code, *arguments):
    """The report of a command that must end with `code`, as the schema has it."""
    report = json.loads(output(code, *arguments, "--json"))
    VALIDATOR.validate(report)
    assert report["exit"] == code
    return report


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


# ---- the schema ----


def test_the_schema_is_one_and_is_closed():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    objects = [d for d in SCHEMA["$defs"].values() if d.get("type") == "object"]
    assert len(objects) > 8 and all(d["additionalProperties"] is False for d in objects)
    report = report_of(1, "run", *SHIFTED)
    for change in ({"more": 1}, {"exit": "1"}):
        assert not VALIDATOR.is_valid({**report, **change})
    assert not VALIDATOR.is_valid({**report, "findings": [{**report["findings"][0], "kind": "rice"}]})


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("command", [("run",), ("check",), ("run", "--backend", "emulator"), ("run", "--check", "all")])
def test_reports_of_examples_are_as_the_schema_says(command, example):
    done = tilegrind(*command, ROOT / "examples" / example, *inputs_of(example), "--json")
    report = json.loads(done.stdout)
    VALIDATOR.validate(report)
    assert report["exit"] == done.returncode


def test_reports_of_defects_are_as_the_schema_says(tmp_path_factory):
    kinds = set()
    for command in defects(tmp_path_factory.getbasetemp() / "defects"):
        (run,) = report_of(1, *command)["runs"]
        assert run["failing"] == len(run["findings"]) > 0
        kinds |= {finding["kind"] for finding in run["findings"]}
    assert kinds <= set(KINDS) and len(kinds) >= 14


@pytest.mark.parametrize("arguments, code", [
    (["run", "nowhere.json"], 2), (["run", "examples"], 2), (["check", *SHIFTED, "--isa", "mmx"], 2),
    (["run", *SHIFTED, "--suppressions", "nowhere.supp"], 2), (["run", *SHIFTED, "--out", "no/where.npz"], 2)])
def test_reports_of_what_went_wrong_are_as_the_schema_says(arguments, code):
    assert report_of(code, *arguments)["errors"]


# ---- suppressions ----


def test_known_findings_are_told_but_do_not_count(tmp_path):
    known = write(tmp_path / "a.supp", RACE)
    text = output(1, *RACES, "--suppressions", known)
    assert text.count("race: program") == 1 and "program (1) writes" in text
    assert "1 finding, 1 suppressed\n" in text and f"  suppressed by {known}:1: the first of two: 1\n" in text
    report = report_of(1, *RACES, "--suppressions", known)
    first, second = report["findings"]
    assert first["suppressed_by"] == {"name": "the first of two", "file": str(known), "line": 1}
    assert "suppressed_by" not in second and (report["suppressed"], report["failing"]) == (1, 1)
    assert report["suppressions"] == [{**first["suppressed_by"], "uses": 1}]
    every = write(tmp_path / "b.supp", "{\n  every race\n  kind: race\n}\n")
    text = output(0, *RACES, "--suppressions", known, "--suppressions", every)
    assert "race: program" not in text and "clean, 2 suppressed\n" in text
    assert [s["uses"] for s in report_of(0, *RACES, "--suppressions", known, "--suppressions", every)["suppressions"]] == [1, 1]


def test_unused_suppressions_are_told_where_they_are_about_the_kernel(tmp_path):
    known = write(tmp_path / "a.supp", "{\n  any\n  kind: deadlock\n}\n{\n  other\n  kind: race\n  kernel: k\n}\n")
    text = output(1, *RACES, "--suppressions", known)
    assert f"  note: nothing is suppressed by {known}:1: any\n" in text and "other" not in text
    assert [s["uses"] for s in report_of(1, *RACES, "--suppressions", known)["suppressions"]] == [0, 0]


@pytest.mark.parametrize("command", [RACES, ["check", *SUMMED], ["run", *SHIFTED]])
def test_generated_suppressions_suppress_all(tmp_path, command):
    known = tmp_path / "new.supp"
    found = report_of(1, *command, "--gen-suppressions", known)
    again = report_of(0, *command, "--suppressions", known, "--gen-suppressions", tmp_path / "none.supp")
    assert len(again["findings"]) == len(found["findings"]) == again["suppressed"]
    assert known.read_text().startswith("# ") and all(s["uses"] for s in again["suppressions"])
    assert "{" not in (tmp_path / "none.supp").read_text() and not list(tmp_path.glob("*.tmp*"))
    text = output(1, *command, "--gen-suppressions", "-")
    assert text.endswith(known.read_text().partition("\n")[2])


def test_wrong_suppressions_are_told_with_their_line(tmp_path):
    wrong = write(tmp_path / "a.supp", RACE + "{\n  n\n  knd: race\n  kind: rice\n}\n}\n")
    done = tilegrind(*RACES, "--suppressions", wrong)
    assert done.returncode == 3 and done.stdout == ""
    assert [line.partition("a.supp:")[2].partition(": ")[0] for line in done.stderr.splitlines()] == ["8", "9", "11"]
    report = report_of(3, *RACES, "--suppressions", wrong)
    assert report["errors"][1] == {"status": "ERR_INVALID", "file": f"{wrong}:9", "where": "",
                                   "message": "no kind of finding is called 'rice'"}


def test_where_suppressions_cannot_go():
    assert "does not go with --json" in tilegrind(*RACES, "--json", "--gen-suppressions", "-").stderr
    done = tilegrind(*RACES, "--gen-suppressions", "no/where.supp")
    assert done.returncode == 2 and "no/where.supp" in done.stderr
    many = [word for _ in range(65) for word in ("--suppressions", "a.supp")]
    assert "too many --suppressions" in tilegrind(*RACES, *many).stderr


def case_of_shifted(folder, **changes):
    folder.mkdir()
    (folder / "shifted.json").write_text((ROOT / "examples" / "shifted.json").read_text())
    (folder / "in.npz").write_bytes((ROOT / "examples" / "shifted_inputs.npz").read_bytes())
    case = {"tilegrind": "0.1", "kernel": "shifted.json", "orders": ["sequential", "reversed"],
            "inputs": {"x_ref": {"file": "in.npz", "key": "x_ref"}}}
    (folder / "case.json").write_text(json.dumps({**case, **changes}))
    return folder


def test_a_case_passes_where_its_findings_are_known(tmp_path):
    case, known = case_of_shifted(tmp_path / "case"), write(tmp_path / "a.supp", "{\n  n\n  kind: access*\n}\n")
    report = report_of(1, "run", case)
    assert [run["passed"] for run in report["runs"]] == [False, False] and "suppressions" not in report
    report = report_of(0, "run", case, "--suppressions", known)
    assert [(run["passed"], run["suppressed"], run["unexpected_findings"]) for run in report["runs"]] == [(True, 1, 0)] * 2
    assert report["suppressions"][0]["uses"] == 2
    assert output(0, "run", case, "--suppressions", known).count("as expected, 1 suppressed\n") == 2
    assert report_of(0, "run", case, "--fail-on", "never")["runs"][0]["unexpected_findings"] == 1
    gone = case_of_shifted(tmp_path / "gone", expect={"findings": [{"kind": "deadlock"}, {"kind": "access-outside-ref"}]})
    assert report_of(1, "run", gone, "--fail-on", "never")["runs"][0]["absent_findings"] == 1


def test_findings_of_a_check_are_expected_where_it_is_made(tmp_path):
    case = case_of_shifted(tmp_path / "case", expect={"findings": [{"kind": "race"}, {"kind": "access-outside-ref"}]})
    assert report_of(0, "run", case)["runs"][0]["absent_findings"] == 0
    assert report_of(0, "run", case, "--check", "arithmetic")["runs"][0]["absent_findings"] == 0
    assert report_of(1, "run", case, "--check", "races")["runs"][0]["absent_findings"] == 1
    assert report_of(1, "check", case)["runs"][0]["absent_findings"] == 1


# ---- --fail-on ----


@pytest.mark.parametrize("level, codes", [(None, (1, 1)), ("note", (1, 1)), ("warning", (1, 1)), ("error", (0, 1)), ("never", (0, 0))])
def test_the_exit_code_is_that_of_the_least_level(tmp_path, level, codes):
    kernel = write(tmp_path / "same.json", json.dumps(SAME))
    asked = ["--fail-on", level] if level else []
    warned = report_of(codes[0], "run", kernel, "--check", "races", *asked)
    assert [f["level"] for f in warned["findings"]] == ["warning"] and warned["failing"] == codes[0]
    assert report_of(codes[1], "run", *SHIFTED, *asked)["failing"] == codes[1]
    text = output(codes[0], "run", kernel, "--check", "races", *asked)
    assert text.startswith("race-same-value (warning): ")
    assert ("1 finding\n" in text) == (codes[0] == 1)
    assert (f"1 finding, none that --fail-on {level} asks for\n" in text) == (codes[0] == 0)


def test_levels_have_names():
    done = tilegrind("run", *SHIFTED, "--fail-on", "bad")
    assert done.returncode == 2 and "--fail-on takes error, warning, note, advice or never" in done.stderr


def test_fail_on_knows_of_findings_that_are_not_shown_by_default(tmp_path):
    """A hundred warnings before an error: the default is to keep the first hundred findings."""
    params = [{"name": f"o{i}", "role": "output", "type": "i32[1]"} for i in range(101)]
    ops = [{"op": "program_id", "out": [{"id": 900, "type": "i32[]"}], "axis": 0},
           {"op": "reshape", "in": [900], "out": [{"id": 901, "type": "i32[1]"}]},
           {"op": "constant", "out": [{"id": 902, "type": "i32[1]"}], "value": 7}]
    ops += [{"op": "store", "in": [i, 902 if i < 100 else 901], "index": [["slice", 0, 1, 1]]} for i in range(101)]
    kernel = {"name": "k", "grid": [{"size": 2}], "params": params,
              "body": {"args": [{"id": i, "type": "ref<i32[1]>"} for i in range(101)], "ops": ops}}
    file = write(tmp_path / "k.json", json.dumps({"tilegrind": "0.1", "kernels": [kernel]}))
    report = report_of(1, "run", file, "--check", "races", "--fail-on", "error")
    assert len(report["findings"]) == 101 and report["failing"] == 1


# ---- text ----


def on_a_terminal(*arguments, **env):
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([TILEGRIND, *arguments], cwd=ROOT, stdout=theirs, stderr=subprocess.DEVNULL,
                               env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **env})
    os.close(theirs)
    parts = []
    try:
        while part := os.read(ours, 4096):
            parts.append(part)
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    process.wait(60)
    return b"".join(parts).decode().replace("\r\n", "\n")


def without_times(text):
    return re.sub(r"[\d.]+ (us|ms|s):", "TIME:", text)


def test_colours_are_for_terminals():
    plain = without_times(output(1, *RACES))
    colours = on_a_terminal(*RACES)
    assert "\033" not in plain and colours.startswith("\033[1;31mrace\033[0m: ")
    assert without_times(re.sub(r"\033\[[\d;]*m", "", colours)) == plain
    assert "\033" not in on_a_terminal(*RACES, NO_COLOR="1")


def test_each_place_of_a_finding_is_shown_with_its_line():
    text = output(1, *RACES)
    places = re.findall(r"  --> (\S+):(\d+) in .*\n +\|\n (\d+) \| (.*)\n +\| ( *)(\^+)\n", text)
    assert [line for _, line, *_ in places] == ["16", "20", "20", "20"]
    lines = (ROOT / "examples" / "summed.py").read_text().splitlines()
    for file, line, shown, source, indent, carets in places:
        assert file == "examples/summed.py" and shown == line and source == lines[int(line) - 1]
        assert source == indent + source.strip() and len(carets) == len(source.strip())


def test_coverage_of_outputs():
    command = ["run", *SUMMED]
    text = output(0, *command, "--check", "coverage")
    assert text.splitlines()[1:] == ["  elements of o_ref written: 8 by several, the first o_ref[0] by (0) and (1)"]
    report = report_of(0, *command, "--check", "coverage")
    assert report["coverage"] == [{"output": "o_ref", "none": {"count": 0}, "one": {"count": 0},
                                   "several": {"count": 8, "first": 0, "programs": [[0], [1]]}}]
    assert "coverage" not in report_of(0, *command)


HOLES = {"tilegrind": "0.1", "kernels": [{
    "name": "k", "grid": [{"size": 2}, {"size": 2}], "params": [{"name": "o", "role": "output", "type": "i32[3,4]"}],
    "body": {"args": [{"id": 1, "type": "ref<i32[3,4]>"}], "ops": [
        {"op": "program_id", "out": [{"id": 2, "type": "i32[]"}], "axis": 0},
        {"op": "program_id", "out": [{"id": 3, "type": "i32[]"}], "axis": 1},
        {"op": "broadcast_in_dim", "in": [2], "out": [{"id": 4, "type": "i32[1,2]"}], "dims": []},
        {"op": "store", "in": [1, 4, 2, 3], "index": [["slice", None, 1, 1], ["slice", None, 2, 1]]}]}}]}


def test_coverage_with_holes(tmp_path):
    (tmp_path / "k.json").write_text(json.dumps(HOLES))
    text = output(1, "run", tmp_path / "k.json", "--check", "coverage")
    assert text.splitlines()[-1] == ("  elements of o written: 4 by one program, the first o[0, 0] by (0, 0); "
                                     "2 by several, the first o[0, 1] by (0, 0) and (0, 1); 6 by none, the first o[0, 3]")
    (covered,) = report_of(1, "check", tmp_path / "k.json")["coverage"]
    assert covered["none"] == {"count": 6, "first": 3} and covered["one"] == {"count": 4, "first": 0, "programs": [[0, 0]]}


# ---- memory costs ----


COSTS = ["run", *TRANSPOSED, "--check", "memory-cost"]


def test_costs_of_memory():
    report = report_of(0, *COSTS)
    (found,) = report["findings"]
    assert (found["level"], found["op"], found["param"], found["line"], found["program"]) == ("advice", "load", "tile_ref", 16, [0, 0])
    assert found["elements"] == [0, 32] and found["count"] == 2 and "Sw<3,2,3> of its elements, Sw<3,4,3>@byte" in found["advice"]
    assert report["failing"] == 0
    costs = report["memory_cost"]
    assert [(c["op"], c["param"], c["space"], c["line"]) for c in costs] == [
        ("load", "x_ref", "global", 15), ("store", "tile_ref", "shared", 15), ("load", "tile_ref", "shared", 16), ("store", "o_ref", "global", 16)]
    assert all(c["warps"] == 4 and c["assumed"] and c["accesses"] == 2 for c in costs)
    assert {key: costs[0][key] for key in ("unit", "cost", "least", "used_bytes", "instructions", "narrowest_bytes", "widest_bytes")} == {
        "unit": "sectors", "cost": 256, "least": 256, "used_bytes": 8192, "instructions": 16, "narrowest_bytes": 16, "widest_bytes": 16}
    assert costs[2]["unit"] == "wavefronts" and (costs[2]["cost"], costs[2]["least"], costs[2]["instructions"]) == (2048, 64, 64)
    assert costs[2]["worst"] == {"cost": 32, "least": 1, "program": [0, 0]} and "used_bytes" not in costs[2]
    assert costs[2]["swizzle"] == {"bytes": [3, 4, 3], "elements": [3, 2, 3], "before": 1056, "after": 160, "least": 64}
    assert ["swizzle" in c for c in costs] == [False, False, True, False]


def test_costs_of_memory_as_text():
    text = output(0, *COSTS)
    assert "memory-cost (advice): load of tile_ref takes 32 wavefronts of shared memory where 1 would do (32.0x)" in text
    assert "   = advice: a swizzle of tile_ref that would lessen it: Sw<3,2,3>" in text
    assert "1 finding, none that --fail-on note asks for\n" in text
    assert text.splitlines()[-5:] == [
        "  memory cost of load of x_ref at examples/transposed.py:15, global: 256 sectors, 256 at least (1.0x); 16 bytes a lane",
        "  memory cost of store of tile_ref at examples/transposed.py:15, shared: 64 wavefronts, 64 at least (1.0x); 16 bytes a lane",
        "  memory cost of load of tile_ref at examples/transposed.py:16, shared: 2,048 wavefronts, 64 at least (32.0x); 4 bytes a lane",
        "  memory cost of store of o_ref at examples/transposed.py:16, global: 256 sectors, 256 at least (1.0x); 16 bytes a lane",
        "  assumed: the elements of a block go over the lanes of 4 warps in turn"]


def test_warps():
    narrow, wide = (report_of(0, *COSTS, "--warps", warps) for warps in (1, 32))
    assert [c["widest_bytes"] for c in narrow["memory_cost"]] == [16, 16, 4, 16]
    assert [c["widest_bytes"] for c in wide["memory_cost"]] == [4, 4, 4, 4]
    assert all(c["warps"] == 32 for c in wide["memory_cost"]) and "--warps 32" in wide["repeat"]


@pytest.mark.parametrize("warps", ["0", "33", "-1", "four", "4x", ""])
def test_warps_are_a_number(warps):
    done = tilegrind(*COSTS, "--warps", warps)
    assert done.returncode == 2 and "--warps takes a number from 1 to 32" in done.stderr


@pytest.mark.parametrize("more, code", [(["--fail-on", "advice"], 1), (["--fail-on", "note"], 0), (["--fail-on", "never"], 0), ([], 0)])
def test_advice_fails_only_where_asked_for(more, code):
    report = report_of(code, *COSTS, *more)
    assert report["failing"] == code and len(report["findings"]) == 1


@pytest.mark.parametrize("command", [("run", "--check", "all"), ("check",), ("run",), ("run", "--check", "memory-cost", "--target", "tpu")])
def test_memory_costs_are_not_told_unless_asked_for(command):
    report = report_of(0, command[0], *TRANSPOSED, *command[1:])
    assert report["findings"] == [] and "memory_cost" not in report


def test_a_check_of_memory_costs():
    report = report_of(0, "check", *TRANSPOSED, "--check", "all,memory-cost")
    assert [f["kind"] for f in report["findings"]] == ["memory-cost"] and len(report["memory_cost"]) == 4


def test_advice_can_be_suppressed(tmp_path):
    known = tmp_path / "known.supp"
    assert len(report_of(1, *COSTS, "--fail-on", "advice", "--gen-suppressions", known)["findings"]) == 1
    assert report_of(0, *COSTS, "--fail-on", "advice", "--suppressions", known)["suppressed"] == 1


def test_names_on_the_command_line_need_not_be_utf8(tmp_path):
    kernel = os.fsencode(tmp_path) + b"/\xff.json"
    with open(kernel, "wb") as file:
        file.write(json.dumps(SAME).encode())
    done = subprocess.run([TILEGRIND, "run", kernel, "--json"], stdout=subprocess.PIPE)
    assert json.loads(done.stdout.decode("utf-8"))["file"].endswith("/\ufffd.json")
