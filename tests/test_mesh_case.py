"""Cases on the devices of a mesh: split, run once for each device, gathered, and judged as without a mesh."""

import json
import shlex
import shutil

import jsonschema
import numpy as np
import pytest
from test_cli import ROOT, expect, expect_error

MESH = ["--mesh", "x=4,y=2"]
COPIES, TERMS = ["--sharding", "o_ref=P('x')"], ["--sharding", "o_ref=P('x', unreduced={'y'})"]
X = ["--sharding", "x_ref=P('x', 'y')"]
SCHEMA = jsonschema.Draft202012Validator(json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8")))
SUMS = np.load(ROOT / "examples" / "row_sums_inputs.npz")["x_ref"].sum(axis=1)


def case_of(folder, kernel="row_sums", expected=SUMS, **more):
    """A case of an example whose inputs are those of the whole mesh."""
    folder.mkdir()
    shutil.copy(ROOT / "examples" / f"{kernel}.json", folder / "kernel.json")
    shutil.copy(ROOT / "examples" / f"{kernel}_inputs.npz", folder / "in.npz")
    np.save(folder / "o.npy", expected)
    (folder / "case.json").write_text(json.dumps({
        "tilegrind": "0.1", "name": "sums", "kernel": "kernel.json", "inputs": {"x_ref": {"file": "in.npz", "key": "x_ref"}},
        "orders": ["sequential", "reversed"], "expect": {"outputs": {"o_ref": {"file": "o.npy"}}}, **more}))
    return folder


@pytest.fixture
def sums(tmp_path):
    return case_of(tmp_path / "sums")


def reports_of(code, *arguments):
    report = json.loads(expect(code, *arguments, "--json"))
    SCHEMA.validate(report)
    return report["runs"]


@pytest.mark.parametrize("devices", ["sequential", "reversed", "shuffled:5"])
@pytest.mark.parametrize("command", ["run", "check"])
def test_a_case_that_passes(sums, command, devices):
    out = expect(0, command, sums, *MESH, *X, *TERMS, "--device-order", devices)
    assert out.count("8 programs on 8 devices") == (2 if command == "run" else 1)
    assert "as expected\n  o_ref: 4 blocks, each the sum of 2 devices' terms\n" in out and "  o_ref: 8 elements are equal\n" in out
    for run in reports_of(0, command, sums, *MESH, *X, *TERMS, "--device-order", devices):
        assert run["passed"] and run["mesh"]["devices"] == 8 and run["mesh"]["device_order"] == devices


def test_whole_outputs_are_what_is_judged(tmp_path, sums):
    expect(0, "run", sums, *MESH, *X, *TERMS, "--out", tmp_path / "o.npz")
    np.testing.assert_array_equal(np.load(tmp_path / "o.npz")["o_ref"], SUMS)
    wrong = case_of(tmp_path / "wrong", expected=SUMS + np.eye(8, dtype=np.float32)[5])
    out = expect(1, "run", wrong, *MESH, *X, *TERMS)
    assert "  o_ref: 1 of 8 elements differ, most at [5]" in out
    close = case_of(tmp_path / "close", expected=SUMS + np.eye(8, dtype=np.float32)[5],
                    expect={"outputs": {"o_ref": {"file": "o.npy"}}, "compare": {"atol": 1.5}})
    assert "within tolerance" in expect(0, "run", close, *MESH, *X, *TERMS)


def test_copies_that_differ(sums, tmp_path):
    runs = reports_of(1, "run", sums, *MESH, *X, *COPIES, "--sarif", tmp_path / "a.sarif")
    assert [[f["kind"] for f in run["findings"]] for run in runs] == [["replicas-differ"]] * 2
    assert runs[0]["findings"][0]["devices"] == [0, 1] and not runs[0]["passed"] and runs[0]["unexpected_findings"] == 1
    (result,) = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    assert result["properties"]["devices"] == [0, 1]


def test_findings_that_are_expected(tmp_path):
    """The copies differ, as the case expects; the value is that of the first device."""
    x = np.load(ROOT / "examples" / "row_sums_inputs.npz")["x_ref"]
    expecting = {"outputs": {"o_ref": {"file": "o.npy"}}, "findings": [{"kind": "replicas-differ", "param": "o_ref"}]}
    case = case_of(tmp_path / "expected", expected=x[:, :4].sum(axis=1), expect=expecting)
    assert "the findings are those that the case expects" in expect(0, "run", case, *MESH, *X, *COPIES)
    assert "1 of the findings that the case expects are absent" in expect(1, "run", case, *MESH, *X, *TERMS)


def test_the_repeated_run_is_the_same(sums):
    first = reports_of(1, "run", sums, *MESH, *X, *COPIES, "--device-order", "shuffled:3")[1]
    words = shlex.split(first["repeat"])
    assert words[:3] == ["tilegrind", "run", str(sums)] and words[words.index("--order") + 1] == "reversed"
    (again,) = reports_of(1, *words[1:])
    assert again["findings"] == first["findings"] and again["outputs"] == first["outputs"]


def test_elements_in_the_file_and_undefined_ones(tmp_path):
    """Arrays that a case holds itself have whole shapes too."""
    case = case_of(tmp_path / "zeros", inputs={"x_ref": {"type": "f32[8,8]", "fill": "ones"}},
                   expect={"outputs": {"o_ref": {"type": "f32[8]", "values": 8}}})
    expect(0, "run", case, *MESH, *X, *TERMS)
    nobody = case_of(tmp_path / "nobody", inputs={"x_ref": {"type": "f32[8,8]", "fill": "undefined"}},
                     expect={"outputs": {"o_ref": {"type": "f32[8]", "values": "nan"}}})
    expect(0, "run", nobody, *MESH, *X, *TERMS)


def test_without_an_expectation_the_shape_is_that_of_the_blocks(tmp_path):
    case = case_of(tmp_path / "free", expect={})
    assert "o_ref: nothing is expected of it" in expect(0, "run", case, *MESH, *X, *TERMS)


@pytest.mark.parametrize("arguments, code, says", [
    ([*MESH, *X, "--sharding", "o_ref[16]=P('x')"], 2, "the sharding of o_ref is of f32[16], but the case expects f32[8]"),
    ([*MESH, *X], 2, "there is no sharding of o_ref"),
    ([*MESH, "--sharding", "x_ref=P('x', 'z')", *TERMS], 3, 'sharding of x_ref: byte 7: the mesh has no axis "z"'),
    ([*MESH, *X, "--sharding", "o_ref=P('y')"], 3, "sharding of o_ref: of f32[8] each device has f32[4], but the kernel takes f32[2]"),
    ([*MESH, *X, *TERMS, "--in", "a.npz"], 2, "--in goes with a kernel file"),
    ([*MESH, *X, *TERMS, "--device-order", "parallel"], 2, 'device order "parallel" is none of'),
    ([], 3, "the tensor is f32[8,8], the parameter f32[2,4]")])
def test_refusals(sums, arguments, code, says):
    assert says in expect_error(code, "run", sums, *arguments)


def test_a_whole_array_has_the_dtype_of_the_parameter(tmp_path):
    case = case_of(tmp_path / "ints", inputs={"x_ref": {"type": "i32[8,8]", "fill": "ones"}})
    assert "the tensor is i32[8,8], the parameter f32[2,4]" in expect_error(3, "run", case, *MESH, *X, *TERMS)
