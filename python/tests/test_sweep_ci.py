"""The recipes of docs/ci.md: their scripts and commands, as they stand there, on a sample repository."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from sweeping import ENVIRONMENT, ROOT, TILEGRIND, write_add, write_summed

DOCUMENT = (ROOT / "docs" / "ci.md").read_text()
TEST = '''
import jax
import numpy as np
from jax.experimental import pallas as pl


def double(x_ref, o_ref):
    o_ref[...] = 2 * x_ref[...]


def test_double():
    x = np.arange(8, dtype=np.float32)
    got = pl.pallas_call(double, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)
    assert (got == 2 * x).all()
'''

pytestmark = pytest.mark.skipif(not shutil.which("jq"), reason="the recipes need jq")


def recipe(title, language="yaml"):
    text = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", DOCUMENT, re.DOTALL | re.MULTILINE)[1]
    return re.search(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[1]


@pytest.fixture
def repository(tmp_path):
    """Two cases, one with findings, a test, the scripts of the document, and the commands in the PATH."""
    write_add(tmp_path)
    write_summed(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for folder in ("ci", "bin", "tests"):
        (tmp_path / folder).mkdir()
    for name, script in re.findall(r"^```bash\n# (\S+)\n(.*?)^```", DOCUMENT, re.DOTALL | re.MULTILINE):
        (tmp_path / name).write_text(script)
    (tmp_path / "tests" / "test_kernels.py").write_text(TEST)
    pytest_ = f"{sys.executable} -m pytest -p tilegrind.pytest_plugin -p no:cacheprovider"
    for name, command in (("tilegrind", TILEGRIND), ("pytest", pytest_)):
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def run(repository, command, **environment):
    path = f"{repository / 'bin'}:{ENVIRONMENT['PATH']}"
    return subprocess.run(["bash", "-c", command], cwd=repository, capture_output=True, text=True, timeout=120,
                          env={**ENVIRONMENT, "PATH": path, **environment})


def without_jax(commands):
    """The commands that run here: pytest's need JAX, and the library that is built with it."""
    try:
        from tilegrind.pallas.xla.target import library

        library()
    except ImportError:
        return [command for command in commands if "pytest" not in command]
    return commands


@pytest.mark.slow
def test_github(repository):
    summary = repository / "summary.md"
    workflow = recipe("GitHub Actions")
    commands = [c for c in re.findall(r"- run: (.*)", workflow) if not c.startswith("pip ")]
    assert len(commands) == 4 and workflow.count("if: always()") == 5
    done = [run(repository, command, GITHUB_STEP_SUMMARY=str(summary)) for command in without_jax(commands)]
    assert [d.returncode for d in done] == [1, 0, 0, 0][:len(done)], done
    lines = done[1].stdout.splitlines()
    assert len(lines) == 3 and all(line.startswith("::error file=examples/summed.py,line=") for line in lines)
    assert lines[0] == ("::error file=examples/summed.py,line=16,title=race::program (0) writes o_ref[0], program (1) "
                        "reads it, and nothing orders the two; 8 elements in all")
    table = summary.read_text().splitlines()
    assert table[:2] == ["| finding | where | what |", "|---|---|---|"] and len(table) == 5
    assert table[2].startswith("| race | examples/summed.py:16 | program (0) writes o_ref[0]")
    assert {path.name for path in (repository / "reports").glob("*.sarif")} == {"add.sarif", "summed.sarif"}
    assert {case.get("name") for case in ElementTree.parse(repository / "reports" / "crosscheck.xml").iter("testcase")} == {
        "cases/add", "cases/summed"}


def test_annotations_are_escaped_and_at_most_ten(repository):
    (repository / "reports").mkdir()
    at = {"physicalLocation": {"artifactLocation": {"uri": "k.json"}}}
    results = [{"ruleId": "race", "level": "note", "message": {"text": "100%\n|"}, "locations": [at]}] * 12
    known = [{**results[0], "suppressions": [{}]}]
    (repository / "reports" / "a.sarif").write_text(json.dumps({"runs": [{"results": known + results}]}))
    done = run(repository, "bash ci/github.sh", GITHUB_STEP_SUMMARY=str(repository / "summary.md"))
    assert done.stdout.splitlines() == ["::notice file=k.json,line=1,title=race::100%25%0A|"] * 10
    assert (repository / "summary.md").read_text().splitlines()[2:] == ["| race | k.json:1 | 100%   |"] * 12


@pytest.mark.slow
def test_gitlab(repository):
    text = recipe("GitLab")
    commands = re.findall(r"^    - (.*)", text.partition("  script:\n")[2], re.MULTILINE)
    assert len(commands) == 6
    done = run(repository, "set -e\n" + "\n".join(without_jax(commands)))
    assert done.returncode == 1, done.stderr
    entries = json.loads((repository / "reports" / "codequality.json").read_text())
    assert [entry["check_name"] for entry in entries] == ["race", "race", "order-dependence"]
    assert entries[0]["location"] == {"path": "examples/summed.py", "lines": {"begin": 16}}
    assert entries[0]["severity"] == "major" and len({entry["fingerprint"] for entry in entries}) == 3
    named = re.findall(r"reports/\w+\.\w+", text.partition("    reports:\n")[2])
    if len(without_jax(commands)) == len(commands):
        assert len(named) == 3 and all((repository / name).exists() for name in named)
        assert ElementTree.parse(repository / "reports" / "pytest.xml").find(".//testsuite").get("tests") == "1"


def test_pre_commit(repository):
    hooks = re.findall(r"files: (.*)\n +entry: (.*)", recipe("pre-commit"))
    names = [str(path.relative_to(repository)) for path in sorted((repository / "cases").rglob("*.*")) if path.is_file()]
    codes = []
    for pattern, entry in hooks:
        chosen = [name for name in names if re.search(pattern, name)]
        assert len(chosen) == 2
        codes += [run(repository, f"{entry} {shlex.quote(name)}").returncode for name in chosen]
    assert codes == [0, 0, 0, 1]
    (repository / "cases" / "add" / "kernel.json").write_text("{}")
    assert run(repository, f"{hooks[0][1]} cases/add/kernel.json").returncode == 3


def test_goldens(repository):
    (repository / "bin" / "tilegrind").write_text(f'#!/bin/sh\nexec {sys.executable} -m tilegrind "$@"\n')
    lint = re.search(r"entry: (.*)", recipe("Golden checks"))[1]
    assert run(repository, "tilegrind golden record cases/add", CI="").returncode == 1
    assert run(repository, lint).returncode == 1 and run(repository, "bash ci/golden.sh").returncode == 1  # pending
    assert not (repository / "reports" / "golden.xml").exists()
    digest = re.search(r"--digest (\w+)", run(repository, "tilegrind golden review").stdout)[1]
    assert run(repository, f"tilegrind golden accept add --digest {digest} --why test", CI="yes").returncode == 2
    assert run(repository, f"tilegrind golden accept add --digest {digest} --why test", CI="").returncode == 0
    assert run(repository, lint).returncode == 0 and run(repository, "bash ci/golden.sh", CI="yes").returncode == 0
    assert ElementTree.parse(repository / "reports" / "golden.xml").getroot().get("failures") == "0"
    assert json.loads((repository / "reports" / "golden.sarif").read_text())["runs"][0]["results"] == []


RUNNER = '''
from tilegrind.runner import Runner, serve


class Wrong(Runner):
    def load(self, path, source):
        pass

    def run(self, kernel, inputs, outputs, order, grid):
        outputs["o"][...] = inputs["x"]


serve(Wrong({"name": "wrong", "version": "1"}))
'''


@pytest.mark.slow
def test_failures_of_goldens_are_shown_with_the_findings(repository):
    (repository / "bin" / "tilegrind").write_text(f'#!/bin/sh\nexec {sys.executable} -m tilegrind "$@"\n')
    (repository / "runner.py").write_text(RUNNER)
    assert run(repository, "tilegrind golden record cases/add", CI="").returncode == 1
    digest = re.search(r"--digest (\w+)", run(repository, "tilegrind golden review").stdout)[1]
    assert run(repository, f"tilegrind golden accept add --digest {digest} --why test", CI="").returncode == 0
    (judged,) = re.findall(r"`(bash ci/golden.sh --runner .*?)`", DOCUMENT)
    judged = judged.replace("python ", f"{sys.executable} ")
    assert run(repository, f"{judged} --save-outputs reports/golden").returncode == 1
    shown = run(repository, "bash ci/github.sh", GITHUB_STEP_SUMMARY=str(repository / "summary.md"))
    assert "title=golden-outside::add/normal/o: outside" in shown.stdout, shown.stdout + shown.stderr
    assert run(repository, "bash ci/gitlab.sh").returncode == 0
    entries = json.loads((repository / "reports" / "codequality.json").read_text())
    assert {entry["check_name"] for entry in entries} == {"golden-outside"}
    assert all(entry["fingerprint"] for entry in entries)
    (again,) = re.findall(r"`(tilegrind golden rejudge .*?)`", DOCUMENT)
    assert run(repository, again).returncode == 1 and (repository / "page.html").exists()


def test_links_and_scripts():
    scripts = re.findall(r"^# (ci/\S+)$", DOCUMENT, re.MULTILINE)
    assert scripts == ["ci/check.sh", "ci/github.sh", "ci/gitlab.sh", "ci/golden.sh"]
    assert all(f"bash {script}" in DOCUMENT for script in scripts)
