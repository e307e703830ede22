"""Findings as text, as the command line has them."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import tilegrind
from tilegrind.finding_text import found_file, program_name, text_of, texts_of
from tilegrind.findings import Caller
from tilegrind.runtime import Finding, Related, Suppressed, Suppression

ROOT = Path(__file__).resolve().parents[2]

OTHER = Related("comes from", "load", "x_ref", "kernel.py", "", 1, None)
FINDING = Finding(kind="undefined-condition", level="error", kernel="k", op="switch", param="", file="kernel.py", function="f",
                  line=2, program=(1, 2), count=3000, message="a switch goes by it", elements=None, order="sequential",
                  related=(OTHER, Related("then", "", "", "", "", 0, (4,), program_name="(4)")), program_name="(1, 2)")


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
        "   = then program (4)",
        '   = repeat with: order="sequential"']


def test_callers_of_related_places():
    """Those that both lines have are told once, in the end."""
    outer, inner, other = (Caller(name, "f", 7, "") for name in ("outer.py", "inner.py", "other.py"))
    related = replace(OTHER, callers=(replace(other, function="", skipped="2 frames in jax"), outer))
    told = replace(FINDING, callers=(inner, outer), related=(related,))
    calls = [line[5:] for line in text_of(told, lambda name: None).splitlines() if "called" in line or "frames" in line]
    assert calls == ["... 2 frames in jax", "called there from other.py:7", "called from inner.py:7 in f", "called from outer.py:7 in f"]
    first, second = texts_of([told, told])
    assert first.count("called from") == 2 and second.count("called from") == 0 and second.count("called there from") == 1


def test_without_source():
    lines = text_of(FINDING, lambda name: None).splitlines()
    assert lines[1:3] == ["  --> kernel.py:2 in f", "   = kernel k, program (1, 2), op switch; 3,000 times in all"]


def test_the_level_is_told_unless_it_is_error():
    assert text_of(replace(FINDING, level="note")).startswith("undefined-condition (note): a switch")


def test_representation():
    assert repr(FINDING) == "<Finding undefined-condition in k, kernel.py:2, program (1, 2)>"
    about = replace(FINDING, level="warning", file="", param="x_ref", program=None, program_name="")
    assert repr([about]) == "[<Finding undefined-condition (warning) in k, x_ref>]"
    known = Suppressed(FINDING, Suppression("mine", "known.supp", 3))
    assert str(known) == f"{FINDING}\n   = suppressed by mine (known.supp:3)"


def test_files_are_found(tmp_path, monkeypatch):
    (tmp_path / "here.py").write_text("x\n")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "there.py").write_text("y\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "lib")])
    assert found_file("here.py") == str(tmp_path / "here.py") == found_file(str(tmp_path / "here.py"))
    assert found_file("there.py") == str(tmp_path / "lib" / "there.py")
    assert found_file("nowhere.py") is None and found_file("") is None and found_file("lib") is None


def test_printed_as_the_command_does(monkeypatch, capsys):
    """All but the last line, where Python names the order and the command the whole command."""
    monkeypatch.chdir(ROOT)
    inputs = "examples/summed_inputs.npz"
    run = tilegrind.load("examples/summed.json").run(dict(np.load(inputs)), checks="races")
    print(run.findings[0])
    told = capsys.readouterr().out.splitlines()
    command = [os.environ["TILEGRIND"], "run", "examples/summed.json", "--in", inputs, "--check", "races"]
    shown = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"}).stdout.splitlines()
    assert told[:-1] == shown[: len(told) - 1] and len(told) > 10
    assert (told[-1], shown[len(told) - 1][:16]) == ('   = repeat with: order="sequential"', "   = repeat with")


def test_names_of_programs():
    """As the library has them: tests/test_program_text.c."""
    assert program_name((None, None), (1, 4), (0, 3)) == "(0, 3)"
    assert program_name("zyx", (2, 1, 8), (1, 0, 3)) == "(z=1, x=3)"
    assert program_name("zyx", (1, 1, 1), (0, 0, 0)) == "(x=0)"
    assert program_name((), (), ()) == "()"
