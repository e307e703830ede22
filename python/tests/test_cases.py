"""Cases and files of arrays from Python."""

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tilegrind

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def case(folder, **members):
    (folder / "kernel.json").write_text((EXAMPLES / "add.json").read_text())
    inputs = {"x": {"type": "f32[10]", "fill": "iota"}, "y": {"type": "f32[10]", "fill": "ones"}}
    (folder / "case.json").write_text(json.dumps(
        {"tilegrind": "0.1", "name": "sum", "kernel": "kernel.json", "inputs": inputs, **members}))
    return folder


def test_a_case_has_its_kernel_and_inputs(tmp_path):
    opened = tilegrind.open_case(case(tmp_path, why="a test"))
    assert (opened.name, opened.why, opened.kernel, opened.grid) == ("sum", "a test", "add", ())
    assert list(opened.inputs) == ["x", "y"]
    outputs = opened.module.run(opened.inputs, kernel=opened.kernel, grid=opened.grid).outputs
    assert np.array_equal(outputs["o"], np.arange(1, 11, dtype=np.float32))


def test_a_case_has_the_sizes_of_dynamic_axes(tmp_path):
    kernel = json.loads((EXAMPLES / "add.json").read_text())
    kernel["kernels"][0]["grid"] = [{"size": "dynamic"}]
    case(tmp_path, dynamic_grid=[3])
    (tmp_path / "kernel.json").write_text(json.dumps(kernel))
    assert tilegrind.open_case(tmp_path).grid == (3,)


def test_what_is_wrong_with_a_case_is_told(tmp_path):
    with pytest.raises(tilegrind.Error, match="case.json"):
        tilegrind.open_case(tmp_path)
    with pytest.raises(tilegrind.Error, match="unknown"):
        tilegrind.open_case(case(tmp_path, unknown=1))


@pytest.mark.parametrize("ending", ["npz", "safetensors"])
def test_arrays_come_back_from_files(tmp_path, ending):
    given = {"a": np.arange(6, dtype=ml_dtypes.bfloat16).reshape(2, 3), "b": np.array([1, -1], np.int8), "c": np.float64(2),
             "none": np.zeros((0, 4), np.float32)}
    tilegrind.write_arrays(tmp_path / f"arrays.{ending}", given)
    found = tilegrind.read_arrays(tmp_path / f"arrays.{ending}")
    assert found.keys() == given.keys()
    for name, array in given.items():
        assert found[name].dtype == array.dtype and np.array_equal(found[name], array)


def test_files_that_cannot_be_read_or_written_are_told(tmp_path):
    (tmp_path / "short.npz").write_bytes(b"PK")
    for wrong in ("short.npz", "absent.npy", "a.txt"):
        with pytest.raises(tilegrind.Error, match=wrong):
            tilegrind.read_arrays(tmp_path / wrong)
    with pytest.raises(tilegrind.Error, match="i4"):
        tilegrind.write_arrays(tmp_path / "a.safetensors", {"a": np.zeros(2, ml_dtypes.int4)})
    with pytest.raises(TypeError):
        tilegrind.write_arrays(tmp_path / "a.npz", {"a": np.zeros(2, np.complex64)})
    assert not (tmp_path / "a.safetensors").exists() and not (tmp_path / "a.npz").exists()
