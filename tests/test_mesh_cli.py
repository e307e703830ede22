"""Runs on a mesh, as the users of the command drive them."""

import json
import shlex

import jsonschema
import numpy as np
import pytest
from test_cli import ROOT, expect, expect_error, tilegrind

MESH = ["--mesh", "x=4,y=2"]
SUMS = ["examples/row_sums.json", "--in", "examples/row_sums_inputs.npz", *MESH, "--sharding", "x_ref=P('x', 'y')"]
COPIES, TERMS = ["--sharding", "o_ref=P('x')"], ["--sharding", "o_ref=P('x', unreduced={'y'})"]
SCHEMA = jsonschema.Draft202012Validator(json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8")))


def report_of(code, *arguments):
    report = json.loads(expect(code, *arguments, "--json"))
    SCHEMA.validate(report)
    return report


@pytest.fixture
def halves(tmp_path):
    """Inputs of examples/add.json on 8 devices."""
    x = np.arange(80, dtype=np.float32)
    np.savez(tmp_path / "in.npz", x=x, y=x * x)
    return tmp_path / "in.npz", x + x * x


@pytest.mark.parametrize("order", ["sequential", "reversed", "shuffled:7"])
@pytest.mark.parametrize("x, y, o", [
    ("x=P(('x', 'y'))", "y=P(('x', 'y'))", "o=P(('x', 'y'))"), ("x=(S(0), S(0))", 'y=[{"x", "y"}]', "o=x=4,y=2 P(('x', 'y'))"),
    ("x=(8,10):(1@gpuid,1@m)", 'y={"D": [[8, 1, "gpuid"], [10, 1, "m"]]}', "o[80]=(8,10):(1@gpuid,1@m)")])
def test_one_kernel_on_eight_devices(tmp_path, halves, order, x, y, o):
    shardings = [word for text in (x, y, o) for word in ("--sharding", text)]
    out = expect(0, "run", "examples/add.json", "--in", halves[0], *MESH, *shardings, "--device-order", order, "--out", tmp_path / "o.npz")
    assert "24 programs on 8 devices" in out and out.endswith("clean\n  o: 8 blocks\n")
    np.testing.assert_array_equal(np.load(tmp_path / "o.npz")["o"], halves[1])


def test_without_a_mesh_devices_have_numbers_only(tmp_path, halves):
    shardings = [word for name in ("x", "y", "o[80]") for word in ("--sharding", f"{name}=(8,10):(1@gpuid,1@m)")]
    assert "8 devices" in expect(0, "check", "examples/add.json", "--in", halves[0], *shardings)


def test_copies_that_differ():
    out = expect(1, "run", *SUMS, *COPIES)
    assert out.startswith("replicas-differ: 8 elements of o_ref differ between devices that hold copies of them: o_ref[0] is 6 [40c00000] "
                          "on device 0 (x=0, y=0) and 22 [41b00000] on device 1 (x=0, y=1)\n  --> examples/row_sums.py:")
    assert "   = kernel row_sums, device 0 (x=0, y=0) and 1 other\n" in out
    assert "on 8 devices" in out and "  o_ref: 4 blocks, each in 2 copies, compared\n" in out
    report = report_of(1, "run", *SUMS, *COPIES)
    (finding,) = report["findings"]
    assert (finding["device"], finding["devices"], finding["elements"]) == ("device 0 (x=0, y=0)", [0, 1], [0, 7])
    assert report["mesh"] == {"devices": 8, "device_order": "sequential", "outputs": [
        {"name": "o_ref", "layout": "(4,2):(2@gpuid,1@m) + [2:1@gpuid]", "blocks": 4, "copies": 2, "terms": 1}]}


def test_the_repeated_run_is_the_same():
    first = report_of(1, "check", *SUMS, *COPIES, "--device-order", "shuffled:3")
    words = shlex.split(first["repeat"])
    assert words[:2] == ["tilegrind", "run"] and "--mesh" in words and words[-2:] == ["--device-order", "shuffled:3"]
    again = report_of(1, *words[1:])
    assert again["findings"] == first["findings"] and again["mesh"] == first["mesh"]


def test_terms_are_summed(tmp_path):
    out = expect(0, "run", *SUMS, *TERMS, "--out", tmp_path / "o.npz")
    assert "  o_ref: 4 blocks, each the sum of 2 devices' terms\n" in out
    x = np.load(ROOT / "examples" / "row_sums_inputs.npz")["x_ref"]
    np.testing.assert_array_equal(np.load(tmp_path / "o.npz")["o_ref"], x.sum(axis=1))
    (told,) = report_of(0, "run", *SUMS, *TERMS)["mesh"]["outputs"]
    assert (told["terms"], told["reduction"], told["copies"]) == (2, "sum", 1)


def test_findings_of_devices(tmp_path):
    """Rows of the second half of the devices are missing: the example's fault, on the two devices of a mesh that have it."""
    np.savez(tmp_path / "in.npz", x_ref=np.arange(32, dtype=np.float32))
    arguments = ["examples/shifted.json", "--in", tmp_path / "in.npz", "--mesh", "x=2", "--sharding", "x_ref=P('x')", "--sharding",
                 "o_ref=P('x')"]
    out = expect(1, "run", *arguments)
    assert "access-outside-ref: load reaches index 16" in out and "kernel shift, device 0 (x=0) and 1 other, program (3), op load" in out
    expect(1, "run", *arguments, "--sarif", tmp_path / "a.sarif")
    (result,) = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    assert result["message"]["text"].endswith("legal is 0 to 15; on device 0 (x=0) and 1 other")
    assert (result["properties"]["device"], result["properties"]["devices"]) == ("device 0 (x=0)", [0, 1])
    known = tmp_path / "known.supp"
    expect(1, "run", *arguments, "--gen-suppressions", known)
    assert "clean, 1 suppressed" in expect(0, "run", *arguments, "--suppressions", known)


def test_the_emulator_runs_on_a_mesh(halves):
    shardings = [word for name in "xyo" for word in ("--sharding", f"{name}=P(('x', 'y'))")]
    assert "emulator" in expect(0, "run", "examples/add.json", "--in", halves[0], *MESH, *shardings, "--backend", "emulator")


@pytest.mark.parametrize("arguments, code, says", [
    (["--sharding", "x_ref=P('x', 'z')", *COPIES], 3, 'error: sharding of x_ref: byte 7: the mesh has no axis "z"\n'),
    (["--sharding", "x_ref=P('y', 'x')", *COPIES], 3, "of f32[8,8] each device has f32[4,2], but the kernel takes f32[2,4]"),
    (["--sharding", "x_ref=P('x', 'y')"], 2, "there is no sharding of o_ref; P() says"),
    (["--sharding", "x_ref"], 2, "--sharding takes NAME=LAYOUT"), (["--sharding", "x_ref[8;8]=P()"], 2, "--sharding takes NAME=LAYOUT"),
    (["--sharding", "x_ref[8,8=P()"], 2, "--sharding takes NAME=LAYOUT"), (["--sharding", "x_ref[0]=P()"], 2, "--sharding takes"),
    (["--sharding", "=P()"], 2, "--sharding takes NAME=LAYOUT"),
    (["--device-order", "parallel"], 2, 'device order "parallel" is none of')])
def test_refusals(arguments, code, says):
    assert says in expect_error(code, "run", *SUMS[:5], *arguments)


def test_the_example_of_the_document():
    text = (ROOT / "docs" / "mesh.md").read_text(encoding="utf-8")
    _, _, shown = text.partition("```console\n$ tilegrind run examples/row_sums.json --in examples/row_sums_inputs.npz --mesh x=4,y=2 "
                                 "--sharding \"x_ref=P('x', 'z')\"")
    command, _, rest = shown.partition("\n")
    done = tilegrind("run", *SUMS[:-1], "x_ref=P('x', 'z')", *shlex.split(command))
    assert done.stderr == rest.partition("```")[0]


def test_python_of_the_document(monkeypatch, capsys):
    text = (ROOT / "docs" / "mesh.md").read_text(encoding="utf-8")
    monkeypatch.syspath_prepend(str(ROOT / "python"))
    monkeypatch.chdir(ROOT)
    exec(compile(text.partition("```python\n")[2].partition("```")[0], "mesh.md", "exec"), {})
    assert capsys.readouterr().out == ("device 0 (x=0, y=0) (0, 1)\n(4,2,2,4):(2@gpuid,4@m,1@gpuid,1@m) "
                                       "(slice(2, 4, None), slice(4, 8, None))\n")
