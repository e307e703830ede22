"""The files of `tilegrind conform`: readers that others wrote accept them, and what a runner must not touch is seen."""

import json
import subprocess

import numpy as np
import pytest

from tilegrind.__main__ import program
from tilegrind._dtypes import DTYPES
from tilegrind.conform import files
from tilegrind.conform.files import Outputs
from tilegrind.conform.verdicts import Fault
from tilegrind.runner.layout import Type, array_in, header_of, parse_header


@pytest.mark.parametrize("text", ["f32[2,3]", "bf16[]", "i4[7]", "f8e4m3fn[1]", "bool[0]"])
def test_types_are_read_and_printed(text):
    assert str(Type.parse(text)) == text


@pytest.mark.parametrize("text", ["f32", "f31[2]", "f32[2", "ref<f32[2]>", "f32[a]"])
def test_what_is_no_type_is_refused(text):
    with pytest.raises(ValueError):
        Type.parse(text)


def _file(tmp_path, arrays):
    path = tmp_path / "inputs.safetensors"
    files.write_inputs(path, {name: (tensor, array.tobytes()) for name, (tensor, array) in arrays.items()})
    return path


def test_the_library_safetensors_reads_the_files(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    arrays = {"a b": (Type("f32", (2, 3)), np.arange(6, dtype=np.float32).reshape(2, 3)),
              "ü": (Type("bool", (2,)), np.array([True, False])), "empty": (Type("i64", (0,)), np.empty(0, np.int64)),
              "scalar": (Type("u8", ()), np.array(7, np.uint8))}
    found = safetensors.load_file(_file(tmp_path, arrays))
    assert set(found) == set(arrays)
    for name, (_, array) in arrays.items():
        assert found[name].dtype == array.dtype and found[name].shape == array.shape and (found[name] == array).all()


def test_the_reader_of_tilegrind_reads_the_files(tmp_path):
    """It is written in C, and strict."""
    kernel = {"tilegrind": "0.1", "kernels": [{"name": "copy", "grid": [], "params": [
        {"name": "x", "role": "input", "type": "bf16[5]"}, {"name": "o", "role": "output", "type": "bf16[5]"}],
        "body": {"args": [{"id": 0, "type": "ref<bf16[5]>"}, {"id": 1, "type": "ref<bf16[5]>"}], "ops": [
            {"op": "load", "in": [0], "index": [["slice", 0, 5, 1]], "out": [{"id": 2, "type": "bf16[5]"}]},
            {"op": "store", "in": [1, 2], "index": [["slice", 0, 5, 1]]}]}}]}
    (tmp_path / "kernel.json").write_text(json.dumps(kernel))
    array = np.array([1, -2, 3, np.inf, 0.5]).astype(Type("bf16", ()).numpy)
    path = _file(tmp_path, {"x": (Type("bf16", (5,)), array)})
    made = tmp_path / "out.safetensors"
    subprocess.run([program(), "run", tmp_path / "kernel.json", "--in", path, "--out", made], check=True)
    content = made.read_bytes()
    assert array_in(content, parse_header(content, len(content))["o"], Type("bf16", (5,))).tobytes() == array.tobytes()


@pytest.mark.parametrize("dtype", [dtype.name for dtype in DTYPES])
def test_every_dtype_has_a_place_in_a_file(dtype):
    tensor = Type(dtype, (3,))
    header, entries = header_of([("x", tensor)])
    content = header + np.zeros(3, tensor.numpy).tobytes()
    assert array_in(content, parse_header(content, len(content))["x"], tensor).dtype == tensor.numpy
    with pytest.raises(ValueError):
        array_in(content, entries["x"], Type(dtype, (4,)))


@pytest.mark.parametrize("content", [b"", b"\x40" + bytes(7), (2).to_bytes(8, "little") + b"[]",
                                     b"F" + bytes(7) + b'{"x":{"dtype":"U8","shape":[9],"data_offsets":[0,9]}}'.ljust(70)])
def test_broken_files_are_refused(content):
    with pytest.raises((ValueError, AttributeError)):
        parse_header(content, len(content))


def _outputs(tmp_path, types=None):
    path = tmp_path / "outputs.safetensors"
    return path, Outputs(path, types or {"o": Type("f32", (5,)), "p": Type("i8", (3,))}, files.poison())


def test_what_is_written_in_place_is_read(tmp_path):
    path, outputs = _outputs(tmp_path)
    entries = parse_header(path.read_bytes(), path.stat().st_size)
    with open(path, "r+b") as file:
        file.seek(entries["o"].begin)
        file.write(np.arange(5, dtype=np.float32).tobytes())
    found = outputs.read()
    assert found["o"].array.tolist() == [0, 1, 2, 3, 4] and not found["o"].untouched.any()
    assert found["p"].untouched.all()


@pytest.mark.parametrize("shift, says", [(20, "0 bytes after the end of o"), (-1, "1 bytes before o"),
                                         (21, "1 bytes after")])
def test_writes_beside_an_output_are_seen(tmp_path, shift, says):
    path, outputs = _outputs(tmp_path)
    at = parse_header(path.read_bytes(), path.stat().st_size)["o"].begin + shift
    with open(path, "r+b") as file:
        file.seek(at)
        before = file.read(1)[0]
        file.seek(at)
        file.write(bytes([before ^ 1]))
    with pytest.raises(Fault, match=says) as caught:
        outputs.read()
    assert caught.value.verdict.kind == "wrote-outside"


def test_every_byte_of_a_guard_counts(tmp_path):
    """Whatever byte outside the outputs changes, there is a fault."""
    path = tmp_path / "outputs.safetensors"
    types = {"o": Type("i8", (3,))}
    for at in range(0, Outputs(path, types, files.poison())._size):
        outputs = Outputs(path, types, files.poison())
        content = bytearray(path.read_bytes())
        content[at] ^= 0x80
        with open(path, "r+b") as file:
            file.write(content)
        entry = parse_header(path.read_bytes(), len(content))["o"] if at > len(outputs._header) else None
        if entry and entry.begin <= at < entry.end:
            outputs.read()
            continue
        with pytest.raises(Fault):
            outputs.read()


@pytest.mark.parametrize("change", ["grow", "shrink", "remove", "replace"])
def test_another_file_is_seen(tmp_path, change):
    path, outputs = _outputs(tmp_path)
    content = path.read_bytes()
    if change in ("grow", "shrink"):
        with open(path, "r+b") as file:
            file.truncate(len(content) + (8 if change == "grow" else -8))
    else:
        path.unlink()
        if change == "replace":
            path.write_bytes(content)
    with pytest.raises(Fault) as caught:
        outputs.read()
    assert caught.value.verdict.kind == "output-replaced"


def test_names_of_guards_are_free(tmp_path):
    path, outputs = _outputs(tmp_path, {"guard0": Type("i8", (3,)), "guard_1": Type("i8", (0,))})
    assert set(outputs.read()) == {"guard0", "guard_1"}


def test_inputs_that_change_are_seen(tmp_path):
    path = tmp_path / "inputs.safetensors"
    digest = files.write_inputs(path, {"x": (Type("i8", (3,)), b"abc")})
    assert path.stat().st_mode & 0o222 == 0
    files.check_inputs(path, digest)
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().replace(b"abc", b"abd"))
    for _ in range(2):
        with pytest.raises(Fault) as caught:
            files.check_inputs(path, digest)
        assert caught.value.verdict.kind == "input-modified"
        path.unlink(missing_ok=True)


def test_poison_and_its_complement_share_no_byte():
    pattern = files.poison()
    assert not any(a == b for a, b in zip(pattern, files.complement(pattern)))
    assert files.poison() != pattern
