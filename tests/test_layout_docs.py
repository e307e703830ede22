"""What docs/layouts.md shows; tools/gen_docs.py holds its commands against what they print and draw."""

import re
from pathlib import Path

import pytest
from test_docs import blocks

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "layouts.md"


def test_each_picture_is_drawn_by_a_command_and_shown():
    text = DOCUMENT.read_text()
    drawn = re.findall(r"^tilegrind layout show .* --svg .* > docs/layouts/(\S+)$", "\n".join(blocks(DOCUMENT, "sh")), re.MULTILINE)
    shown = re.findall(r"!\[[^\]]+\]\(layouts/([^)]+)\)", text)
    assert sorted(drawn) == sorted(shown) == sorted(path.name for path in (DOCUMENT.parent / "layouts").iterdir())


def test_python(monkeypatch):
    """Where a comment says what an expression gives, up to "..", it gives that."""
    pytest.importorskip("numpy")
    monkeypatch.syspath_prepend(str(DOCUMENT.parent.parent / "python"))
    (code,) = [block for block in blocks(DOCUMENT, "python") if "tilegrind.layout" in block]
    names, compared = {}, 0
    for line in code.splitlines():
        expression, _, given = line.partition("  # ")
        if given:
            assert repr(eval(expression, names)).startswith(given.split("...")[0].strip()), line
            compared += 1
        else:
            exec(line, names)
    assert compared >= 5
