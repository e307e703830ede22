"""docs/golden.md: its table, and the session in it, which is run."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tilegrind.conform.verdicts import FAULTS
from tilegrind.golden import faults
from tilegrind.judging import inputs

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "golden.md").read_text(encoding="utf-8")
KERNEL, CHECKS, RUNNER = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
SESSION, RUNNERS = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
(LISTED,) = re.findall(r"```text\n(mine\t.*?)```", TEXT, re.DOTALL)
PRINTED = re.search(r"```text\n(within.*?)```", TEXT, re.DOTALL)[1]


def matches(wanted, printed):
    """Whether a text is as wanted, where "..." stands for anything and DIGEST for a digest."""
    pattern = re.escape(wanted).replace(r"\.\.\.", ".*?").replace("DIGEST", "[0-9a-f]{16}")
    assert re.fullmatch(pattern, printed, re.DOTALL), f"wanted:\n{wanted}\nprinted:\n{printed}"


def test_table_of_inputs():
    (rows,) = re.findall(r"<!-- inputs: KINDS -->\n(.*?)<!-- end -->", TEXT, re.DOTALL)
    assert rows == "".join(f"| `{kind}` | {shows} |\n" for kind, (_, shows) in inputs.KINDS.items())


@pytest.mark.slow
def test_the_session(tmp_path, monkeypatch):
    (tmp_path / "softmax.py").write_text(KERNEL)
    programs = {"tilegrind": [sys.executable, "-m", "tilegrind"], "python": [sys.executable]}
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "CI": ""}
    digest = ""
    for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", SESSION, re.M):
        words = command.replace("DIGEST", digest).split(" ", 1)
        line = " ".join([*programs[words[0]], words[1]])
        done = subprocess.run(line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == (1 if "record" in command else 0), done.stdout + done.stderr
        matches(wanted, done.stdout)
        digest = (re.findall(r"--digest ([0-9a-f]{16})", done.stdout) or [digest])[0]
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(CHECKS, "golden.md", "exec"), {})
    matches(PRINTED, shown.getvalue())
    runners(tmp_path, environment, programs)


def runners(folder, environment, programs):
    """The session with runners, on the golden that the first one has made."""
    (folder / "mine.py").write_text(RUNNER)
    (folder / "bin").mkdir()
    for name, words in programs.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\nexec {' '.join(words)} \"$@\"\n")
        (folder / "bin" / name).chmod(0o755)
    environment = {**environment, "PATH": f"{folder / 'bin'}:{environment['PATH']}"}
    codes = []
    for command, wanted in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", RUNNERS, re.M):
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode in (0, 1) and done.stderr == "", done.stdout + done.stderr
        codes.append(done.returncode)
        lines = wanted.splitlines()
        matches(wanted if len(lines) == 1 else f"{lines[0]}...\n{lines[-1]}\n", done.stdout)
    assert codes == [0, 1, 1, 0]
    assert {path.name for path in folder.iterdir()} >= {"golden.sarif", "golden.xml", "page.html", "kept"}
    report = json.loads((folder / "kept" / "report.json").read_text())
    assert report["runner"] == LISTED.split("\t")[0] and LISTED.split("\t")[1] == "normal/o_ref"
    (folder / "goldens" / "softmax" / "xfail.tsv").write_text(LISTED)
    done = subprocess.run("tilegrind golden rejudge kept", shell=True, cwd=folder, env=environment, capture_output=True,
                          text=True)
    assert "xfail.tsv:1): f16 tables, issue 12" in done.stdout, done.stdout + done.stderr


def test_verdicts_of_runners_are_those_that_there_are():
    table = TEXT.partition("## Implementations elsewhere")[2].partition("**Known failures**")[0]
    first = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    named = set(re.findall(r"`([a-z-]+)`", "\n".join(first)))
    assert named <= {*faults.KINDS, *FAULTS} and {*faults.KINDS} <= named
