"""Code blocks of documents."""

import re

from conftest import ROOT


def blocks(document, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / document).read_text(), re.DOTALL | re.MULTILINE)


def run(code, folder, monkeypatch):
    """Runs code as a program of its own: Triton reads the text of kernels from their file.  Returns its names; raises what it raises."""
    path = folder / "program.py"
    path.write_text(code)
    monkeypatch.syspath_prepend(str(folder))
    names = {"__name__": "program", "__file__": str(path)}
    exec(compile(code, str(path), "exec"), names)
    return names
