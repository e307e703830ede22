"""Who called the lines of a finding."""

import json
import os
import re
import subprocess

import triton
import triton.language as tl
from arrays import iota, zeros
from conftest import ROOT

import tilegrind.triton as tt

HERE = os.path.basename(__file__)


@triton.jit
def peek(o):
    return tl.load(o)  # peek


@triton.jit
def peek_further(o):
    return peek(o) + 1  # further


@triton.jit
def mixed(x, o):
    tl.store(o, tl.load(x), mask=tl.program_id(0) == 0)
    tl.store(x + 1 + tl.program_id(0), peek_further(o))  # mixed


@triton.jit
def put(o):
    tl.store(o, tl.program_id(0))


@triton.jit
def both_from_one_line(o):
    put(o)


def called(text):
    return [re.sub(r"from \S*/", "from ", line.split("= ")[1]) for line in text.splitlines() if "called" in line]


def line_of(mark):
    with open(__file__, encoding="utf-8") as lines:
        return next(number for number, line in enumerate(lines, 1) if line.rstrip().endswith(f"# {mark}"))


def test_a_related_place_has_callers_of_its_own(tmp_path):
    with tt.check(on_finding="collect", checks="races", orders=False, save=tmp_path) as checked:
        mixed[(2,)](iota(4), zeros(1))
    race, = (one for one in checked.findings if one.kind == "race")
    assert race.callers == () and [one.line for one in race.related[0].callers] == [line_of("further"), line_of("mixed")]
    assert called(str(race)) == [f"called there from {HERE}:{line_of('further')} in peek_further",
                                 f"called there from {HERE}:{line_of('mixed')} in mixed"]
    command = [os.environ.get("TILEGRIND", ROOT / "build" / "tilegrind"), "run", "--check", "races", checked.cases[0]]
    assert called(str(race)) == called(subprocess.run(command, capture_output=True, text=True).stdout)
    report = json.loads(subprocess.run([*command, "--json"], capture_output=True, text=True).stdout)
    told, = (one for one in report["runs"][0]["findings"] if one["kind"] == "race")
    assert [one["line"] for one in told["related"][0]["callers"]] == [line_of("further"), line_of("mixed")]


def test_callers_of_both_are_told_once():
    with tt.check(on_finding="collect", checks="races", orders=False) as checked:
        both_from_one_line[(2,)](zeros(1))
    race = checked.findings[0]
    assert race.callers == race.related[0].callers != ()
    assert called(str(race)) == [f"called from {HERE}:{race.callers[0].line} in both_from_one_line"]
