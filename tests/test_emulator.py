"""tilegrind ptx-run as its users run it, and ptxas on every PTX file of the tests."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
FILES = sorted((ROOT / "tests" / "emulator").glob("*/*.ptx"))
ADD = ROOT / "tests" / "emulator" / "kernels" / "vector_add.ptx"
PTXAS = shutil.which("ptxas") or next(filter(os.path.exists, ["/usr/local/cuda/bin/ptxas"]), None)


def ptx_run(*arguments):
    return subprocess.run([TILEGRIND, "ptx-run", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True,
                          timeout=120)


@pytest.fixture
def arrays(tmp_path):
    x = np.arange(2000, dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    return x, ["--grid", 2, "--block", 128, "--arg", tmp_path / "x.npy", "--arg", tmp_path / "x.npy",
               "--arg", "zeros:f32[2000]"]


def test_results_come_back(arrays, tmp_path):
    x, options = arrays
    done = ptx_run(ADD, *options, "--arg", "u32:2000", "--out", f"out_param={tmp_path}/o.npy", "--out", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("warp instructions: clean\n")
    for name in "o", "out_param":
        assert np.array_equal(np.load(tmp_path / f"{name}.npy"), x + x)


def test_a_trap_is_a_finding(arrays):
    _, options = arrays
    done = ptx_run(ADD, *options, "--arg", "u32:2001", "--json", "--seed", 3)
    report = json.loads(done.stdout)
    assert done.returncode == report["exit"] == 1
    assert report["trap"]["kind"] == "out-of-bounds"
    assert report["trap"]["text"] == "4 bytes at offset 8000 of x_param, which has 8000: 4 beyond its end"
    assert report["trap"]["at"] == {"line": 38, "column": 10, "cta": [1, 0, 0], "thread": [80, 0, 0]}


def test_a_trap_names_the_line_of_the_source(arrays, tmp_path):
    _, options = arrays
    body = 'ld.global.'
    lines = Path(ADD).read_text().replace(".address_size 64", '.address_size 64\n.file 3 "add.py"').splitlines()
    first = next(i for i, line in enumerate(lines) if body in line)
    (tmp_path / "add.ptx").write_text("\n".join([*lines[:first], ".loc 3 17 0", *lines[first:]]) + "\n")
    done = ptx_run(tmp_path / "add.ptx", *options, "--arg", "u32:2001", "--json", "--seed", 3)
    at = json.loads(done.stdout)["trap"]["at"]
    assert (at["source"], at["source_line"], at["line"]) == ("add.py", 17, 40)
    assert "(add.py:17), CTA" in ptx_run(tmp_path / "add.ptx", *options, "--arg", "u32:2001").stdout


def test_a_race_names_both_accesses(tmp_path):
    text = (ROOT / "tests" / "emulator" / "kernels" / "row_sum.ptx").read_text()
    without = tmp_path / "racy.ptx"
    without.write_text(text.replace("bar.sync 0;", ""))
    options = ["--grid", 2, "--block", 128, "--arg", "zeros:f32[256]", "--arg", "zeros:f32[2]"]
    done = ptx_run(without, *options, "--limit", 100000, "--cta-races")
    assert done.returncode == 1
    assert "uninitialised-shared" in done.stdout or "shared-race" in done.stdout
    (tmp_path / "fenced.ptx").write_text(text.replace("LEVEL:\n    bar.sync 0;", "    bar.sync 0;\nLEVEL:"))
    done = ptx_run(tmp_path / "fenced.ptx", *options)
    assert done.returncode == 1
    assert re.search(r"shared-race: two threads access offset \d+ of tree.*\n  at \d+:.*\n  and \d+:", done.stdout)
    assert ptx_run(tmp_path / "fenced.ptx", *options, "--no-races").returncode == 0


@pytest.mark.parametrize("arguments, code, message", [
    (["nowhere.ptx"], 2, "nowhere.ptx"),
    ([], 2, "exactly one PTX file"),
    ([ADD, "--grid", "0"], 2, "sizes from 1 on"),
    ([ADD, "--block", "1,1,1,1"], 2, "sizes from 1 on"),
    ([ADD, "--seed", "x"], 2, "take a number"),
    ([ADD, "--entry", "nothing"], 2, "no entry nothing"),
    ([ADD, "--block", "128"], 2, "has 4 parameters, and 0 --arg are given"),
    ([ADD, *["--arg", "u64:0"] * 4], 2, "parameter n_param has 4 bytes"),
    ([ADD, *["--arg", "u64:0"] * 3, "--arg", "u32:-1"], 2, "that is no u32"),
    ([ADD, *["--arg", "u64:0"] * 3, "--arg", "i32:2147483648"], 2, "that is no i32"),
    ([ADD, *["--arg", "u64:0"] * 3, "--arg", "f32:one"], 2, "that is no f32"),
    ([ADD, *["--arg", "u64:0"] * 3, "--arg", "seven"], 2, "neither a .npy file nor"),
    ([ADD, *["--arg", "u64:0"] * 3, "--arg", "zeros:f32[4]"], 2, "is no pointer"),
    ([ADD, "--arg", "zeros:f99[4]", *["--arg", "u64:0"] * 3], 2, "--arg zeros:f99[4]"),
    ([ADD, *["--arg", "u64:0"] * 3, "--arg", "u32:5"], 2, "requires blocks of 128"),
    ([ADD, *["--arg", "u64:0"] * 3, "--arg", "u32:0", "--block", "128", "--out", "a=b.npy"], 2, "no array is called so"),
])
def test_what_is_wrong_with_a_call(arguments, code, message):
    done = ptx_run(*arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert message in done.stderr


def test_malformed_text_is_located(tmp_path):
    path = tmp_path / "bad.ptx"
    path.write_text(ADD.read_text().replace("add.rn.f32", "div.f32"))
    done = ptx_run(path)
    assert done.returncode == 3
    assert f"{path}: 40:5: 'div.f32' is not among the forms" in done.stderr


@pytest.mark.skipif(PTXAS is None, reason="ptxas is not installed")
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_ptxas_takes_it(path, tmp_path):
    target = re.search(r"^\.target (\w+)", path.read_text(), re.M)[1]
    done = subprocess.run([PTXAS, "-O0", "-arch", target, path, "-o", tmp_path / "out"], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
