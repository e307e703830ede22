"""Findings as text, as the command line has them."""

from tilegrind.finding_text import text_of
from tilegrind.runtime import Finding, Related

OTHER = Related("comes from", "load", "x_ref", "kernel.py", "", 1, None)
FINDING = Finding(kind="undefined-condition", level="error", kernel="k", op="switch", param="", file="kernel.py", function="f",
                  line=2, program=(1, 2), count=3000, message="a switch goes by it", elements=None, order="sequential",
                  related=(OTHER, Related("then", "", "", "", "", 0, (4,))))


def test_with_source(tmp_path):
    source = tmp_path / "kernel.py"
    source.write_text("first = 1\n\tif first:  \n")
    assert text_of(FINDING, lambda name: str(tmp_path / name)).splitlines() == [
        "undefined-condition: a switch goes by it",
        "  --> kernel.py:2 in f",
        "   |",
        " 2 |  if first:",
        "   |  ^^^^^^^^^",
        "   = kernel k, program (1, 2), op switch; 3,000 times in all",
        "   = comes from load of x_ref",
        "  --> kernel.py:1",
        "   |",
        " 1 | first = 1",
        "   | ^^^^^^^^^",
        "   = then program (4,)"]


def test_without_source():
    lines = text_of(FINDING, lambda name: None).splitlines()
    assert lines[1:3] == ["  --> kernel.py:2 in f", "   = kernel k, program (1, 2), op switch; 3,000 times in all"]
