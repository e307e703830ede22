"""docs/mutants.md has all kinds, and its example prints what it says."""

import contextlib
import io
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT
from tilegrind import mutants
from tilegrind.mutants.__main__ import main as command

TEXT = (ROOT / "docs" / "mutants.md").read_text(encoding="utf-8")


def table(kinds):
    rows = [f"| `{kind.name}` | {kind.about} | {kind.source} |\n" for kind in kinds]
    return "".join(["| kind | as if | seen in |\n|---|---|---|\n", *rows])


@pytest.mark.parametrize("name", ["OUTPUT_KINDS", "KERNEL_KINDS"])
def test_table(name):
    [found] = re.findall(rf"<!-- kinds: {name} -->\n(.*?)<!-- end -->", TEXT, re.DOTALL)
    assert found == table(getattr(mutants, name))


def test_example(monkeypatch):
    code, wanted = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", TEXT, re.DOTALL).groups()
    monkeypatch.chdir(ROOT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, os.fspath(ROOT / "docs" / "mutants.md"), "exec"), {})
    assert printed.getvalue() == wanted


def test_names_are_words_and_distinct():
    names = [kind.name for kind in mutants.KINDS]
    assert len(set(names)) == len(names) >= 50
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name) for name in names)
    assert all(kind.about and not kind.about.endswith(".") for kind in mutants.KINDS)


def test_jax_is_not_needed():
    code = "import sys, tilegrind.mutants; sys.exit('jax' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


def test_command(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert command(["examples/summed.json", "--most", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "kernel\tkind\tmutants\tsites" and "sum_rows\tgrid-one-short\t1\t1" in lines


def test_command_on_what_is_no_kernel(capsys, tmp_path):
    path = tmp_path / "kernel.json"
    path.write_text("nothing")
    assert command([str(path)]) == 3
    assert "kernel.json" in capsys.readouterr().err
