"""docs/mutants.md has all kinds, and its example prints what it says."""

import contextlib
import io
import os
import re

import pytest
from conftest import ROOT
from tilegrind import mutants

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
