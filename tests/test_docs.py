"""Holds what the documents show against what is there: code, commands, links."""

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TILEGRIND = os.path.abspath(os.environ.get("TILEGRIND", ROOT / "build" / "tilegrind"))
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def blocks(document, language):
    return re.findall(rf"^```{language}\n(.*?)^```", document.read_text(), re.DOTALL | re.MULTILINE)


def flat(code):
    """Code without what depends on where it stands: indentation and empty lines."""
    return [line.strip() for line in code.splitlines() if line.strip()]


@pytest.mark.parametrize("language, sources", [("c", ["run_add.c", "run_often.c", "build_add.c", "run_files.c", "judge_case.c", "run_ptx.c", "run_mesh.c"]), ("cmake", ["CMakeLists.txt"])])
def test_code_of_the_c_interface_is_that_of_the_examples(language, sources):
    lines = "\n".join(line for source in sources for line in flat((ROOT / "examples" / source).read_text()))
    for block in blocks(ROOT / "docs" / "c-api.md", language):
        assert "\n".join(flat(block)) in lines, block


def readme_commands():
    """Commands of the README that need nothing but the build."""
    for block in blocks(ROOT / "README.md", "sh"):
        yield from (line for line in block.splitlines() if line.startswith("tilegrind "))


@pytest.mark.parametrize("command", list(readme_commands()))
def test_command_of_the_readme(command):
    words = shlex.split(command, comments=True)
    environment = {**os.environ, "TILEGRIND": TILEGRIND, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-m", "tilegrind", *words[1:]], cwd=ROOT, env=environment, capture_output=True, text=True,
                          timeout=60)
    assert done.returncode in (0, 1), done.stderr


def test_commands_of_the_reports(tmp_path):
    """In their order, as some write what others read; also that of the workflow.  Each ends as the page says."""
    document = ROOT / "docs" / "reports.md"
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    text = "\n".join(blocks(document, "sh") + blocks(document, "yaml"))
    commands = re.findall(r"^(?:    run: )?tilegrind (.*)$", text, re.MULTILINE)
    codes = [subprocess.run([TILEGRIND, *shlex.split(command)], cwd=tmp_path, capture_output=True, timeout=60).returncode
             for command in commands]
    assert codes == [0, 1, 0, 1, 0]
    assert {path.name for path in tmp_path.iterdir()} == {"examples", "known.supp", "summed.sarif"}


def test_python_of_the_reports(monkeypatch):
    (code,) = blocks(ROOT / "docs" / "reports.md", "python")
    numpy = pytest.importorskip("numpy")
    monkeypatch.syspath_prepend(str(ROOT / "python"))
    monkeypatch.chdir(ROOT)
    names = {"x": numpy.arange(32, dtype=numpy.float32).reshape(4, 8)}
    exec(compile(code, "reports.md", "exec"), names)
    assert names["run"].findings == [] and len(names["run"].suppressed) == 3 and names["known"].unused() == []


def test_python_of_the_bounds(monkeypatch, capsys):
    (code,), (printed,) = (blocks(ROOT / "docs" / "bounds.md", language) for language in ("python", "text"))
    pytest.importorskip("numpy")
    monkeypatch.syspath_prepend(str(ROOT / "python"))
    monkeypatch.chdir(ROOT)
    exec(compile(code, "bounds.md", "exec"), {})
    assert capsys.readouterr().out == printed


def test_suppressions_of_the_reports_are_those_of_the_example():
    example = (ROOT / "examples" / "summed.supp").read_text()
    assert blocks(ROOT / "docs" / "reports.md", "text")[0] in example


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_links_lead_somewhere(document):
    prose = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", prose):
        assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_python_of_the_readme():
    for block in blocks(ROOT / "README.md", "python"):
        compile(textwrap.dedent(block), "README.md", "exec")
