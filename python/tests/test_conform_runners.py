"""Runners that come with Tilegrind, on the suite: the adapters, the SDK in C, and the toy of docs/conformance.md."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import fastjsonschema
import pytest

from tilegrind._native import lib
from tilegrind.__main__ import program
from tilegrind.conform import command, messages, suite

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


@pytest.fixture(scope="module")
def semantics(tmp_path_factory):
    path = tmp_path_factory.mktemp("suite") / "semantics.zip"
    subprocess.run([sys.executable, ROOT / "conformance/suite.py", "-o", path, "--only", "semantics"], check=True)
    return path


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    pytest.importorskip("jax")
    path = tmp_path_factory.mktemp("suite") / "kernels.zip"
    subprocess.run([sys.executable, ROOT / "conformance/suite.py", "-o", path, "--only", "kernels"], check=True)
    return path


def conform(archive, tmp_path, *arguments):
    """(exit code, JSON report)"""
    report = tmp_path / "report.json"
    code = command.main(["--suite", str(archive), "--quiet", "--json", str(report), *map(str, arguments)])
    return code, json.loads(report.read_text())


@pytest.mark.slow
def test_the_suite_is_the_same_bytes_every_time(semantics, tmp_path):
    again = tmp_path / "again.zip"
    subprocess.run([sys.executable, ROOT / "conformance/suite.py", "-o", again, "--only", "semantics"], check=True)
    assert again.read_bytes() == semantics.read_bytes()
    assert again.stat().st_size < 200_000


def test_levels_follow_from_kernels(semantics):
    by_id = {case.id.removeprefix("semantics/"): case for case in suite.load(semantics).cases}
    expected = {"add-result-1": "L1", "exp-result-1": "L3", "exp-NaN-1": "L4", "atomic_rmw-result-1": "L6",
                "dma_start-result-1": "L7", "program_id-result-1@reversed": "L5"}
    assert {name: by_id[name].level for name in expected} == expected
    assert {case.level for case in by_id.values()} == {"L1", "L2", "L3", "L4", "L5", "L6", "L7"}
    assert all(case.twin is None or case.twin.expected != case.run.expected for case in by_id.values())
    assert sum(case.twin is not None for case in by_id.values()) > 0.7 * len(by_id)


@pytest.mark.slow
def test_the_library_meets_all(semantics, tmp_path):
    code, report = conform(semantics, tmp_path, "--runner", "library")
    assert code == command.OK and set(report["counts"]) == {"pass"}
    assert report["badge"].startswith("L7 contract=reference") and report["starts"] <= 4


@pytest.mark.slow
@pytest.mark.parametrize("runner", ["cpu", "emulator"])
def test_the_command_meets_what_it_supports(semantics, tmp_path, runner):
    code, report = conform(semantics, tmp_path, "--runner", runner, "--filter", "semantics/[a-d]*", "--jobs", 2)
    assert code == command.OK and report["counts"]["pass"] > 150
    assert runner == "emulator" or set(report["counts"]) == {"pass"}


@pytest.mark.slow
def test_a_shell_command_is_a_runner(semantics, tmp_path):
    template = f"{shlex.quote(str(program()))} run {{kernel}} --in {{inputs}} --out {{outputs}} --order {{order}}"
    code, report = conform(semantics, tmp_path, "--shell", template, "--filter", "semantics/c*")
    assert code == command.OK and report["counts"] == {"pass": len(report["cases"])} and len(report["cases"]) > 50


@pytest.mark.parametrize("template, verdict", [("exit 77", "unsupported"), ("exit 3", "error"), ("true", "error")])
def test_a_shell_command_that_gives_nothing(semantics, tmp_path, template, verdict):
    _, report = conform(semantics, tmp_path, "--shell", template, "--filter", "semantics/add-*")
    assert {case["verdict"] for case in report["cases"]} == {verdict}


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["jax-interpret", "jax-compiled"])
def test_jax_meets_kernels_that_carry_their_source(kernels, tmp_path, mode):
    """All but those with subnormals, which XLA takes for zeros on the CPU."""
    code, report = conform(kernels, tmp_path, "--runner", mode)
    bad = {case["id"] for case in report["cases"] if case["status"] == "fail"}
    assert all("special" in name or name == "kernels/softmax-large" for name in bad), bad
    assert report["counts"]["pass"] > 30 and report["levels"]["L5"]["state"] == "none"
    assert {case["verdict"] for case in report["cases"]} & {"within"}  # other bits, and right


@pytest.mark.slow
def test_jax_runs_straight_lines_of_operations(semantics, tmp_path):
    pytest.importorskip("jax")
    code, report = conform(semantics, tmp_path, "--runner", "jax-compiled", "--filter", "semantics/a*")
    assert code == command.OK and report["counts"]["pass"] > 40


@pytest.mark.slow
def test_a_runner_in_c(semantics, tmp_path):
    """The SDK's example compiles without a warning, and meets the suite with its tensors in shared memory."""
    library = Path(lib._name)
    (tmp_path / "libtilegrind.so.0").symlink_to(library)
    runner = tmp_path / "library_runner"
    subprocess.run(["cc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}",
                    ROOT / "sdk/c/library_runner.c", "-o", runner, library, f"-Wl,-rpath,{tmp_path}"], check=True)
    code, report = conform(semantics, tmp_path, "--", runner)
    assert code == command.OK and set(report["counts"]) == {"pass"}
    assert report["runner"]["tensors"] == "shm"
    assert not [name for name in os.listdir("/dev/shm") if name.startswith("tilegrind-")]


needs_perl = pytest.mark.skipif(not shutil.which("perl"), reason="perl is not installed")
TOY = ["perl", str(ROOT / "sdk/perl/toy_runner.pl")]


@pytest.mark.slow
@needs_perl
def test_the_toy_of_the_documentation(semantics, tmp_path):
    code, report = conform(semantics, tmp_path, "--", *TOY)
    assert code == command.FAILED and report["counts"]["pass"] > 45
    listed = ROOT / "sdk/perl/toy.xfail"
    code, report = conform(semantics, tmp_path, "--xfail", listed, "--", *TOY)
    assert code == command.OK and report["counts"]["xfail"] == 3
    assert report["levels"]["L1"]["state"] == "partial" and report["badge"].startswith("L0 (L1 ")


@pytest.mark.slow
@needs_perl
def test_commands_of_the_documentation_run(semantics, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs/conformance.md").read_text()
    commands = re.findall(r"^\$ tilegrind conform (.*toy_runner\.pl)$", text, re.MULTILINE)
    assert len(commands) == 2
    for words in map(shlex.split, commands):
        assert command.main(["--suite", str(semantics), "--quiet", *words]) == command.OK
    capsys.readouterr()


def test_messages_of_the_documentation_keep_the_schema():
    text = (ROOT / "docs/protocol.md").read_text()
    shown = text[text.index("```\n>") + 4:]
    folded = re.sub(r"\n   +", " ", shown[:shown.index("```")]).replace("...", "0" * 60)
    lines = folded.strip().splitlines()
    assert len(lines) == 8
    for line in lines:
        if line.startswith("<"):
            messages.decode(line[2:].encode())
        else:
            messages.encode(json.loads(line[2:]))


@pytest.mark.parametrize("line, says", [
    (b"[]", "object"), (b'{"seq": 1}', "one of ok"), (b'{"seq": -1, "ok": true}', "seq"),
    (b'{"seq": 1, "ok": true, "error": {"kind": "k", "message": "m"}}', "2 of them"),
    (b'{"seq": true, "ok": true}', "integer"),
    (b'{"seq": 1, "ok": false}', "ok"), (b"\xff", "utf-8"), (b'{"seq": 1, "seq": 1}', "twice"),
])
def test_answers_that_are_none(line, says):
    with pytest.raises(messages.Fault) as caught:
        messages.decode(line)
    assert says in caught.value.verdict.detail.replace("occurs ", "")


def test_requests_are_checked_as_well():
    with pytest.raises(ValueError):
        messages.encode({"cmd": "run", "seq": 1})
    fastjsonschema.compile(messages.schema())


ADAPTERS = sorted((ROOT / "python/tilegrind/conform/adapters").glob("[a-z]*.py"))


@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda path: path.stem)
def test_an_adapter_is_short(adapter):
    assert len(adapter.read_text().splitlines()) <= 100
