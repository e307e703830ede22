"""docs/golden.md: its table, and the session in it, which is run."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

from tilegrind.judging import inputs

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "golden.md").read_text(encoding="utf-8")
KERNEL, CHECKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
(SESSION,) = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)
PRINTED = re.search(r"```text\n(within.*?)```", TEXT, re.DOTALL)[1]


def matches(wanted, printed):
    """Whether a text is as wanted, where "..." stands for anything and DIGEST for a digest."""
    pattern = re.escape(wanted).replace(r"\.\.\.", ".*?").replace("DIGEST", "[0-9a-f]{16}")
    assert re.fullmatch(pattern, printed, re.DOTALL), f"wanted:\n{wanted}\nprinted:\n{printed}"


def test_table_of_inputs():
    (rows,) = re.findall(r"<!-- inputs: KINDS -->\n(.*?)<!-- end -->", TEXT, re.DOTALL)
    assert rows == "".join(f"| `{kind}` | {shows} |\n" for kind, (_, shows) in inputs.KINDS.items())


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
