"""What docs/layouts.md shows."""

import shlex
from pathlib import Path

import pytest
from test_cli import expect
from test_docs import blocks

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "layouts.md"
SESSIONS = [block.split("\n", 1) for block in blocks(DOCUMENT, "text") if block.startswith("$ tilegrind layout ")]


@pytest.mark.parametrize("command, printed", SESSIONS)
def test_commands_print_what_stands_below_them(command, printed):
    arguments = shlex.split(command)[2:]
    differ = arguments[1] == "equal" and printed.startswith("not equal")
    assert expect(1 if differ else 0, *arguments) == printed


def test_sessions_are_found():
    assert len(SESSIONS) >= 9


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
