"""`python -m tilegrind.triton crosscheck`: a line for each launch, exit codes, JSON."""

import functools
import json
import os
import subprocess

import pytest
from commands import command
from conftest import ROOT
from crosscheck_programs import PROGRAM


@pytest.fixture
def run(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    return functools.partial(command, program, "crosscheck")


def line_of(text):
    """Of the program's source, from 1."""
    return next(number for number, line in enumerate(PROGRAM.splitlines(), 1) if text in line)


def test_equal_launches(run):
    done = run("PROGRAM")
    assert (done.returncode, done.stdout) == (0, "negated, launch 1: equal\nended\n")
    assert "tilegrind: 1 compared with the reference: 1 equal, 0 within, 0 different, 0 not compared\n" in done.stderr


def test_a_softmax_differs_by_a_few_ulp(run):
    done = run("PROGRAM", "softmax")
    assert done.returncode == 1 and "softmax, launch 1: different\n  o: " in done.stdout and " by the reference, " in done.stdout
    assert done.stdout.endswith("ended\n")
    assert f"\n  first operation that differs: math.exp (e) at program.py:{line_of('tl.exp')}, tensor<128xf32>: " in done.stdout
    assert "first operation" not in run("--no-first", "PROGRAM", "softmax").stdout
    done = run("--ulp", "8", "PROGRAM", "softmax")
    assert done.returncode == 0 and "softmax, launch 1: within\n  o: " in done.stdout


def test_tf32_differs_as_the_matrix_unit_ignores_bits(run):
    done = run("--target", "90", "PROGRAM", "tf32")
    assert done.returncode == 1 and "product, launch 1: different\n  c: " in done.stdout
    assert f"first operation that differs: tt.dot at program.py:{line_of('tl.dot')}, tensor<16x16xf32>: " in done.stdout
    assert "product, launch 1: within" in run("--atol", "0.05", "PROGRAM", "tf32").stdout


def test_what_triton_does_not_compile_is_not_passed(run):
    done = run("PROGRAM", "f8")
    assert done.returncode == 3
    assert f"through_f8, launch 1: not compared\n  {done.args[-2]}:{line_of('float8e4nv')}: Triton does not compile it for sm_80" in done.stdout
    assert "1 equal, 0 within, 0 different, 1 not compared" in done.stderr
    assert run("--target", "90", "PROGRAM", "f8").returncode == 0
    assert run("--capability", "90", "PROGRAM", "f8").returncode == 0


def test_a_race_of_ctas_is_told_with_its_line(run):
    done = run("--cta-races", "PROGRAM", "race")
    assert done.returncode == 1 and "last_ticket, launch 1: different\n  cta-race: " in done.stdout
    assert f"program.py:{line_of('tl.store(o, ticket)')})" in done.stdout
    assert "\n  with seed" in done.stdout


def test_findings_of_the_reference_are_told_too(run):
    done = run("--checks", "races", "PROGRAM", "race")
    assert done.returncode == 1 and "last_ticket, launch 1: equal" in done.stdout and "\nrace: program " in done.stdout


def test_an_access_outside(run):
    done = run("PROGRAM", "outside")
    assert done.returncode == 1 and "negated, launch 2: different\n  out-of-bounds: " in done.stdout


def test_our_own_ptx_beside_it(run):
    done = run("--backends", "cpu,triton-ptx,emulator", "PROGRAM", "softmax")
    assert "softmax, launch 1, emulator: equal" in done.stdout and "softmax, launch 1, triton-ptx: different" in done.stdout


def test_a_limit(run):
    done = run("--instructions", "3", "PROGRAM")
    assert done.returncode == 3 and "stopped after 3 instructions of warps" in done.stdout


def test_a_limit_of_launches(run):
    """The second one is an access outside, which the reference finds too."""
    done = run("--limit", "1", "PROGRAM", "outside", "softmax")
    assert "negated, launch 1: equal" in done.stdout and "negated, launch 2" not in done.stdout and "softmax, launch 1" in done.stdout
    assert "3 launches of 2 kernels" in done.stderr and "2 compared with the reference: 1 equal" in done.stderr and done.returncode == 1


def test_json(run, tmp_path):
    done = run("--json", "out.json", "--checks", "races", "PROGRAM", "softmax", "f8", "outside")
    tree = json.loads((tmp_path / "out.json").read_text())
    assert done.returncode == tree["exit"] == 1
    assert {name: tree[name] for name in ("equal", "within", "different", "not-compared")} == {
        "equal": 1, "within": 0, "different": 2, "not-compared": 1}
    first, softmax, narrow, outside = tree["results"]
    assert (first["kernel"], first["launch"], first["grid"], first["backend"], first["target"], first["verdict"]) == (
        "negated", 1, [1, 1, 1], "triton-ptx", "sm_80", "equal")
    told = [one for one in softmax["differences"] if one["differing"]]
    assert [one["memory"] for one in told] == ["o"] and 0 < told[0]["ulps"] <= 8 and "reference" in told[0]
    assert (softmax["first"]["op"], softmax["first"]["line"], len(softmax["first"]["program"])) == ("math.exp", line_of("tl.exp"), 3)
    assert first["first"] is None and narrow["first"] is None
    assert narrow["verdict"] == "not-compared" and "Triton does not compile it" in narrow["why"]
    assert (outside["trap"]["kind"], outside["trap"]["line"]) == ("out-of-bounds", line_of("-tl.load(x + at)"))
    assert outside["findings"]


@pytest.mark.parametrize("words, message", [
    (["--backends", "triton-ptx"], "--backends takes cpu and then one or more of triton-ptx, emulator"),
    (["--backends", "cpu,gpu"], "not 'cpu,gpu'"), (["--target", "70"], "target=70 is none of 80, 90"), (["--checks", "frob"], "frob")])
def test_wrong_usage(run, words, message):
    done = run(*words, "PROGRAM")
    assert done.returncode == 2 and message in done.stderr


def cross(*words):
    """`tilegrind crosscheck`, which knows no Triton."""
    return subprocess.run([os.environ.get("TILEGRIND", ROOT / "build" / "tilegrind"), "crosscheck", *words], capture_output=True, text=True,
                          timeout=60)


@pytest.mark.parametrize("target", ["80", "90"])
def test_cases_have_tritons_ptx(run, tmp_path, target):
    done = command(tmp_path / "program.py", "capture", "--out", "cases", "--ptx", target, "PROGRAM", "softmax", "tf32", "outside")
    assert done.returncode == 0, done.stderr
    done = cross("--backends", "cpu,triton-ptx,emulator", str(tmp_path / "cases"))
    assert done.returncode == 1 and "4 cases, 2 runs each: 5 equal, 3 different, 0 refused, 0 failed" in done.stdout
    for name in ("softmax-0", "product-0"):
        assert f"different {tmp_path}/cases/{name}, triton-ptx\n  memory " in done.stdout
    assert f"different {tmp_path}/cases/negated-1, triton-ptx\n  out-of-bounds: " in done.stdout
    assert f"program.py:{line_of('-tl.load(x + at)')})" in done.stdout


def test_a_case_of_which_there_is_no_ptx(run, tmp_path):
    done = command(tmp_path / "program.py", "capture", "--out", "cases", "--ptx", "80", "PROGRAM", "f8")
    assert done.returncode == 3 and f"{tmp_path}/cases/through_f8-0 has no PTX: " in done.stderr and "not supported in this arch" in done.stderr
    done = cross("--backends", "cpu,triton-ptx", str(tmp_path / "cases"))
    assert done.returncode == 0 and "1 equal, 0 different, 1 refused" in done.stdout
