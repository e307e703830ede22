"""Runs of `tilegrind conform`: selections, known failures, journals, reports and exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
import zipfile

import pytest

from tilegrind.conform import command, reports, running, self_test, suite, xfail
from tilegrind.conform.levels import badge, levels
from tilegrind.conform.running import Result, Selection
from tilegrind.conform.verdicts import Verdict
from tilegrind.shards import Shard

ADDING = [sys.executable, "-m", "tilegrind.conform.adding"]
IDS = {"before", "fault", "after", *(f"protocol/{name}" for name in (
    "hello", "unknown-command", "unknown-member", "broken-kernel", "kernel-never-loaded", "bye"))}


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "suite.zip"
    suite.save(path, "1", self_test.suite().cases, {})
    return path


def conform(archive, *options, runner=None):
    return command.main(["--suite", str(archive), "--timeout", "2", "--quiet", *map(str, options), "--",
                         *(runner or self_test.command_of("dead"))])


def report_of(archive, tmp_path, *options, runner=None):
    """(exit code, JSON report)"""
    path = tmp_path / "report.json"
    code = conform(archive, "--json", path, *options, runner=runner)
    return code, json.loads(path.read_text())


def test_a_suite_is_the_same_bytes_and_comes_back(tmp_path, archive):
    again = tmp_path / "again.zip"
    suite.save(again, "1", reversed(self_test.suite().cases), {})
    assert again.read_bytes() == archive.read_bytes()
    loaded = suite.load(archive)
    assert {case.id: case for case in loaded.cases} == {case.id: case for case in self_test.suite().cases}
    assert suite.load(again).digest == loaded.digest


def test_kernels_are_there_once(archive):
    with zipfile.ZipFile(archive) as found:
        assert len(json.loads(found.read("kernels.json"))) == 2  # of three cases


@pytest.mark.parametrize("damage", [lambda data: b"no archive", lambda data: data[:-30],
                                    lambda data: data.replace(b"kernels.json", b"kernels.jsom")])
def test_what_is_no_suite_is_refused(archive, damage, capsys):
    archive.write_bytes(damage(archive.read_bytes()))
    assert conform(archive) == command.INVALID
    assert str(archive) in capsys.readouterr().err


def _with(archive, change):
    """The archive with members that `change` edits, {name: bytes}."""
    with zipfile.ZipFile(archive) as old:
        members = {name: old.read(name) for name in old.namelist()}
    change(members)
    with zipfile.ZipFile(archive, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)


def _edited(members, edit):
    rows = json.loads(members["suite.json"])
    edit(rows["cases"])
    members["suite.json"] = json.dumps(rows).encode()


@pytest.mark.parametrize("change, says", [
    (lambda m: m.update({"sources/../../outside.py": b""}), "a source lies in no other folder"),
    (lambda m: _edited(m, lambda cases: cases.append(cases[0])), "there are several cases after"),
    (lambda m: _edited(m, lambda cases: cases[0].update(source={"path": "none.py"})), "after: there is no source none.py"),
    (lambda m: _edited(m, lambda cases: cases[0].update(inputs=[1])), "AttributeError"),
    (lambda m: m.update({"suite.json": b"[" * 100_000}), "nested too deeply"),
])
def test_suites_that_hold_what_is_wrong(archive, change, says, capsys):
    _with(archive, change)
    assert conform(archive, runner=ADDING) == command.INVALID
    assert f"{archive}: " in (told := capsys.readouterr().err) and says in told


def test_a_member_that_is_damaged(archive, capsys):
    data = bytearray(archive.read_bytes())
    at = data.index(b"kernels.json") + len(b"kernels.json")
    data[at:at + 8] = b"\xff" * 8  # no compressed data begins so
    archive.write_bytes(data)
    assert conform(archive) == command.INVALID and str(archive) in capsys.readouterr().err


def test_a_suite_that_is_not_there(tmp_path, capsys):
    assert conform(tmp_path / "none.zip") == command.USAGE
    assert "none.zip: No such file" in capsys.readouterr().err


def test_all_is_met(archive, tmp_path):
    code, report = report_of(archive, tmp_path, runner=ADDING)
    assert code == command.OK and report["passed"] and report["counts"] == {"pass": len(IDS)}
    assert {case["id"] for case in report["cases"]} == IDS
    assert report["levels"]["L1"]["state"] == "met" and report["levels"]["L5"]["state"] == "not run"


def test_a_fault_fails_the_run_and_is_charged_once(archive, tmp_path):
    code, report = report_of(archive, tmp_path)
    bad = {case["id"]: case["verdict"] for case in report["cases"] if case["status"] == "fail"}
    assert code == command.FAILED and bad["fault"] == "crash" and "before" not in bad and "after" not in bad


def test_a_runner_that_does_not_start_is_one_fault(archive, tmp_path, capsys):
    code, report = report_of(archive, tmp_path, runner=["/does/not/exist"])
    assert code == command.FAILED and report["counts"] == {"fail": 1, "neutral": len(IDS) - 1}
    assert capsys.readouterr().out.strip() == "protocol/hello: crash: /does/not/exist: No such file or directory"


@pytest.mark.parametrize("options, chosen", [
    (["--filter", "*/b*"], {"protocol/broken-kernel", "protocol/bye"}),
    (["--level", "L1"], {"before", "fault", "after"}),
    (["--level", "L1", "--filter", "b*", "--filter", "a*"], {"before", "after"}),
])
def test_selections(archive, tmp_path, options, chosen):
    _, report = report_of(archive, tmp_path, *options, runner=ADDING)
    assert {case["id"] for case in report["cases"]} == chosen and not report["whole"]


def test_shards_part_the_suite(archive, tmp_path):
    parts = [report_of(archive, tmp_path, "--shard", f"{k}/3", runner=ADDING) for k in range(3)]
    found = [{case["id"] for case in report["cases"]} for _, report in parts]
    assert set().union(*found) == IDS and sum(map(len, found)) == len(IDS)


@pytest.mark.slow
def test_shards_of_the_environment(archive, tmp_path, monkeypatch):
    by_hand = [report_of(archive, tmp_path, "--shard", f"{k}/2", runner=ADDING)[1] for k in range(2)]
    monkeypatch.setenv("TEST_TOTAL_SHARDS", "2")
    for k, shard in enumerate(by_hand):
        monkeypatch.setenv("TEST_SHARD_INDEX", str(k))
        for options in (["--shard", "auto"], []):  # Bazel asks without the option, too
            _, report = report_of(archive, tmp_path, *options, runner=ADDING)
            assert [one["id"] for one in report["cases"]] == [one["id"] for one in shard["cases"]] and not report["whole"]


@pytest.mark.parametrize("text", ["3/3", "4/3", "1", "a/b", "-1/2", "auto"])
def test_shards_that_are_none(archive, text):
    with pytest.raises(SystemExit) as caught:
        conform(archive, "--shard", text)
    assert caught.value.code == command.USAGE


def test_nothing_to_run_is_skipped(archive):
    assert conform(archive, "--filter", "nothing", runner=ADDING) == command.SKIPPED


def test_nothing_to_run_is_skipped_with_a_list_as_well(archive, tmp_path):
    listed = tmp_path / "known.txt"
    listed.write_text("fault crash")
    assert conform(archive, "--filter", "nothing", "--xfail", listed, runner=ADDING) == command.SKIPPED


@pytest.mark.parametrize("name", ["json", "junit", "tap", "html", "badge", "write-xfail"])
def test_a_report_that_could_not_be_written_ends_the_run_before_it_begins(archive, tmp_path, name, capsys):
    with pytest.raises(SystemExit) as caught:
        conform(archive, f"--{name}", tmp_path / "none" / "file", runner=["/does/not/exist"])
    assert caught.value.code == command.USAGE and f"--{name}" in (told := capsys.readouterr().err) and "no folder" in told


@pytest.mark.parametrize("lines, code, status", [
    (["fault crash # a reason"], command.OK, "xfail"),
    (["fault timeout"], command.FAILED, "xfail-differs"),
    (["fault crash", "before crash"], command.FAILED, "xfail"),
    (["fault crash", "gone crash"], command.FAILED, "xfail"),
])
def test_known_failures(archive, tmp_path, lines, code, status):
    listed = tmp_path / "known.txt"
    listed.write_text("\n".join(["# a comment", "", *lines]))
    found, report = report_of(archive, tmp_path, "--level", "L1", "--xfail", listed)
    assert found == code
    assert {case["id"]: case["status"] for case in report["cases"]}["fault"] == status
    if "gone crash" in lines:
        assert report["problems"] == [f"{listed}:4: the suite has no case gone"]
    if "before crash" in lines:
        assert {case["id"]: case["status"] for case in report["cases"]}["before"] == "xpass"


def test_a_listed_case_that_was_not_run_is_stale():
    listed = {"a": xfail.Expected("a", "crash", "", "f:1")}
    assert xfail.stale(listed, [], {"a"}, True) == ["f:1: a was not run"]
    assert xfail.stale(listed, [], {"a"}, False) == []
    assert xfail.stale(listed, ["a"], {"a"}, True) == []


def test_an_unsupported_case_that_is_listed_is_stale():
    listed = {"a": xfail.Expected("a", "crash", "", "f:1")}
    assert xfail.outcome(Result("a", "L1", Verdict("unsupported")), listed).status == "xpass"


def test_a_list_that_is_no_text(archive, tmp_path, capsys):
    listed = tmp_path / "known.txt"
    listed.write_bytes(b"fault\xff")
    assert conform(archive, "--xfail", listed) == command.INVALID
    assert f"{listed}: byte 5 is no UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize("text, says", [("fault", "verdict"), ("fault equal", "no verdict of a failure"),
                                        ("fault crash x", "verdict"), ("fault crash\nfault crash", "at")])
def test_lists_that_are_none(archive, tmp_path, text, says, capsys):
    listed = tmp_path / "known.txt"
    listed.write_text(text)
    assert conform(archive, "--xfail", listed) == command.INVALID
    assert f"{listed}:" in (told := capsys.readouterr().err) and says in told


def test_a_list_that_a_run_writes_is_met_by_it(archive, tmp_path):
    listed = tmp_path / "known.txt"
    assert conform(archive, "--write-xfail", listed) == command.FAILED
    assert "fault crash # TODO" in listed.read_text()
    assert conform(archive, "--xfail", listed) == command.OK


def test_a_part_of_the_suite_writes_no_list(archive, tmp_path):
    with pytest.raises(SystemExit) as caught:
        conform(archive, "--level", "L1", "--write-xfail", tmp_path / "known.txt")
    assert caught.value.code == command.USAGE and not (tmp_path / "known.txt").exists()


def test_an_interrupted_run_goes_on(archive, tmp_path):
    """The second run judges only what the journal lacks; a line that was cut off counts as missing."""
    journal = tmp_path / "journal"
    assert conform(archive, "--resume", journal, runner=ADDING) == command.OK
    lines = journal.read_text().splitlines(keepends=True)
    assert len(lines) == 1 + len(IDS)
    changed = lines[:3] + [lines[3].replace('"equal"', '"outside"'), lines[4][:20]]
    journal.write_text("".join(changed))
    code, report = report_of(archive, tmp_path, "--resume", journal, runner=ADDING)
    assert code == command.FAILED and report["counts"] == {"pass": len(IDS) - 1, "fail": 1}  # the changed line was believed
    assert len(journal.read_text().splitlines()) == 1 + len(IDS)


@pytest.mark.parametrize("line", [
    "x", "{}", '{"id": 1, "level": "L1", "verdict": "good", "detail": "", "seconds": 0}', "[]", ""])
def test_a_journal_with_a_line_that_is_none_is_refused(archive, tmp_path, line, capsys):
    journal = tmp_path / "journal"
    assert conform(archive, "--resume", journal, runner=ADDING) == command.OK
    before = journal.read_text() + line + "\n"
    journal.write_text(before)
    assert conform(archive, "--resume", journal, runner=ADDING) == command.INVALID
    assert f"{journal}:{len(IDS) + 2}: is no result" in capsys.readouterr().err and journal.read_text() == before


def test_an_empty_journal_is_a_new_one(archive, tmp_path):
    journal = tmp_path / "journal"
    journal.touch()
    assert conform(archive, "--resume", journal, runner=ADDING) == command.OK
    assert len(journal.read_text().splitlines()) == 1 + len(IDS)


def test_a_journal_on_a_full_disk_is_named(archive, tmp_path, capsys):
    journal = tmp_path / "journal"
    journal.symlink_to("/dev/full")
    assert conform(archive, "--resume", journal, runner=ADDING) == command.USAGE
    assert f"{journal}: No space left on device" in capsys.readouterr().err


def test_a_journal_of_another_runner_is_refused(archive, tmp_path, capsys):
    journal = tmp_path / "journal"
    assert conform(archive, "--resume", journal, runner=ADDING) == command.OK
    assert conform(archive, "--resume", journal) == command.INVALID
    assert "another runner" in capsys.readouterr().err


def test_several_processes_give_the_same_report(archive, tmp_path):
    found = [report_of(archive, tmp_path, "--jobs", jobs)[1] for jobs in (1, 3)]
    for report in found:
        for case in report["cases"]:
            del case["seconds"]
    assert found[0]["cases"] == found[1]["cases"]


def test_reports(archive, tmp_path):
    listed = tmp_path / "known.txt"
    listed.write_text("fault timeout # <slow> & dead\ngone crash")
    names = {kind: tmp_path / f"report.{kind}" for kind in ("junit", "tap", "html", "badge")}
    options = [word for kind, path in names.items() for word in (f"--{kind}", path)]
    assert conform(archive, "--xfail", listed, *options) == command.FAILED
    root = ElementTree.parse(names["junit"]).getroot()
    failures = root.findall(".//failure")
    assert len(root.findall(".//testcase")) == len(IDS) + 1
    assert sum(int(one.get("failures")) for one in root.findall("testsuite")) == len(failures)
    assert any("listed as timeout, but crash" in one.get("message") for one in failures)
    tap = names["tap"].read_text().splitlines()
    assert tap[:2] == ["TAP version 14", f"1..{len(IDS) + 1}"]
    assert sum(line.startswith(("ok ", "not ok ")) for line in tap) == len(IDS) + 1
    html = names["html"].read_text()
    assert "xfail-differs" in html and "&lt;slow&gt; &amp; dead" in html and "<script" not in html
    assert "contract=ieee suite=1" in names["badge"].read_text()


def test_reports_of_a_runner_with_an_odd_name(archive, tmp_path):
    """Its name has a character that XML cannot hold, and it tells more of itself than the protocol has."""
    text = ("from tilegrind.conform.adding import Adding; from tilegrind.runner import serve; "
            "serve(Adding({'name': 'a\\x01b', 'version': '1', 'registers': 32}))")
    names = {kind: tmp_path / f"report.{kind}" for kind in ("junit", "html")}
    options = [word for kind, path in names.items() for word in (f"--{kind}", path)]
    assert conform(archive, *options, runner=[sys.executable, "-c", text]) == command.OK
    assert ElementTree.parse(names["junit"]).getroot().get("name") == r"tilegrind conform: a\x01b 1"
    assert "<code>32</code>" in names["html"].read_text()


def _outcomes(**kinds):
    return [xfail.outcome(Result(f"{level}-{k}", level, Verdict(kind)), {})
            for level, words in kinds.items() for k, kind in enumerate(words.split())]


@pytest.mark.parametrize("kinds, text", [
    ({"L0": "equal", "L1": "equal within", "L2": "equal"}, "L2"),
    ({"L0": "equal", "L1": "equal unsupported", "L2": "equal"}, "L0 (L1 1/2, L2 1/1)"),
    ({"L0": "equal", "L1": "crash", "L2": "equal"}, "L0 (L2 1/1)"),
    ({"L0": "crash", "L1": "equal"}, "none (L1 1/1)"),
    ({"L0": "equal", "L1": "not-claimed"}, "L0"),
    ({"L0": "equal", "L1": "equal", "S": "equal"}, "L1+S"),
])
def test_a_level_is_met_when_all_of_it_is(kinds, text):
    assert badge(levels(_outcomes(**kinds)), {"contract": "reference"}, "7", True) == f"{text} contract=reference suite=7"


def test_a_part_of_the_suite_has_no_level():
    assert badge(levels(_outcomes(L0="equal")), None, "7", False) == "part of suite=7"


def test_claims_decide_what_is_neutral(archive, tmp_path):
    """A case that is not claimed is neutral; one that is claimed and answered with unsupported is a fault."""
    text = ("from tilegrind.conform.adding import Adding; from tilegrind.runner import serve; "
            "serve(Adding({{'name': 'a', 'version': '1'}}, claims={}))")
    _, report = report_of(archive, tmp_path, runner=[sys.executable, "-c", text.format({"ops": ["load", "store"]})])
    assert {case["verdict"] for case in report["cases"] if case["level"] == "L1"} == {"not-claimed"}
    assert all(case["detail"] == "op add" for case in report["cases"] if case["level"] == "L1")
    _, report = report_of(archive, tmp_path, runner=self_test.command_of("claims-too-much"))
    assert {case["id"]: case["verdict"] for case in report["cases"]}["fault"] == "claimed-unsupported"


def test_usage(archive, capsys):
    for arguments in ([], ["--runner", "cpu", "--shell", "x"], ["--runner", "none"], ["--jobs", "0"], ["--timeout", "0"]):
        with pytest.raises(SystemExit) as caught:
            command.main(["--suite", str(archive), *arguments])
        assert caught.value.code == command.USAGE
    capsys.readouterr()


def test_explain_and_list(archive, capsys):
    assert command.main(["--explain"]) == command.OK
    assert "nondeterministic" in capsys.readouterr().out
    assert command.main(["--suite", str(archive), "--list", "--filter", "fault"]) == command.OK
    assert capsys.readouterr().out == "L1 fault dtypes=f32 ops=add,load,store\n"


def test_ctrl_c_ends_the_run_and_the_runner(archive, tmp_path):
    journal = tmp_path / "journal"
    arguments = ["--suite", str(archive), "--resume", str(journal), "--timeout", "60", "--"]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which the child would not get if it is ignored here
    judge = subprocess.Popen([sys.executable, "-m", "tilegrind.conform", *arguments, *self_test.command_of("slow")],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    signal.signal(signal.SIGINT, before)
    for _ in range(300):
        if journal.exists() and len(journal.read_text().splitlines()) >= 2:
            break
        time.sleep(0.05)
    time.sleep(0.5)
    os.kill(judge.pid, signal.SIGINT)
    assert judge.wait(10) == command.INTERRUPTED
    assert b"Traceback" not in judge.stderr.read()


def test_a_defect_of_the_judge_has_its_own_exit_code(archive, monkeypatch, capsys):
    monkeypatch.setattr(running, "selected", lambda *_: 1 / 0)
    assert conform(archive, runner=ADDING) == command.DEFECT
    assert "defect of Tilegrind" in capsys.readouterr().err


def test_a_selection_of_nothing_special_is_the_whole_suite():
    assert Selection().is_whole and not Selection(shard=Shard(0, 2)).is_whole
    assert reports.ALL["equal"]
