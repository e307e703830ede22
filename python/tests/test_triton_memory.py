"""Memory of Triton's launches, by the texts in tests/data/triton/memory: what they are converted to, and what they do.  Without Triton."""

import pathlib

import numpy as np
import pytest

from tilegrind.triton import ExportError
from tilegrind.triton.launch.kernel import convert
from tilegrind.triton.launch.memories import Memories, Memory
from tilegrind.triton.lowering.values import Tensor
from tilegrind.triton.running import session, storages, undefined
from tilegrind.triton.running.kernels import CompiledKernel
from tilegrind.triton.ttir.reader import read

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "triton" / "memory"


def text_of(name):
    return (FOLDER / f"{name}.ttir").read_text()


def launched(name, *arguments, grid=1, checks="all"):
    """The findings of a launch."""
    mine = session.Session({}, "collect", checks)
    session.push(mine)
    try:
        CompiledKernel(name, text_of(name)).launch((1, 1, grid), 128, {number: "any" for number in range(len(arguments))}, arguments)
    finally:
        session.pop(mine)
    return mine.checked.findings


def f32(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


# ---- which arrays are one memory ----


def bound(*arrays):
    return storages.bind([storages.passed(name, array, dtype) for name, array, dtype in arrays])


def test_arrays_apart_have_memories_of_their_own():
    x, o = f32(4), f32(2, 3)
    found = bound(("x", x, "f32"), ("o", o, "f32"))
    assert found.memories.memories == (Memory("x", "f32", 4), Memory("o", "f32", 6))
    assert found.memories.tensors == (Tensor("x", 0, 0, "f32", (4,), (1,)), Tensor("o", 1, 0, "f32", (2, 3), (3, 1)))
    found.arrays["o"][5] = -1
    assert o[1, 2] == -1 and found.addresses["x"] == x.ctypes.data


def test_views_of_one_array_are_tensors_in_one_memory():
    whole = f32(16)
    found = bound(("x", whole[2:10:2], "f32"), ("o", whole[8:], "f32"))
    assert found.memories.memories == (Memory("x, o", "f32", 16),)
    assert found.memories.tensors == (Tensor("x", 0, 8, "f32", (4,), (2,)), Tensor("o", 0, 32, "f32", (8,), (1,)))


def test_arrays_of_other_widths_are_bytes_in_one_memory():
    words = np.arange(4, dtype=np.int32)
    found = bound(("x", words, "i32"), ("o", words.view(np.int8)[3:], "i8"))
    assert found.memories.memories == (Memory("x, o", "u8", 16),)


def test_arrays_of_one_width_are_elements():
    words = np.arange(4, dtype=np.int32)
    found = bound(("x", words.view(np.float32), "f32"), ("o", words[1:], "i32"))
    assert found.memories.memories == (Memory("x, o", "f32", 4),)


def test_elements_that_lie_between_those_of_others_are_bytes():
    raw = np.zeros(17, np.uint8)
    found = bound(("x", raw[:16].view(np.int32), "i32"), ("o", raw[2:14].view(np.int32), "i32"))
    assert found.memories.memories == (Memory("x, o", "u8", 17),)


def test_memory_begins_where_elements_do():
    raw = np.zeros(19, np.uint8)
    found = bound(("x", raw[2:18].view(np.int32), "i32"))
    assert found.memories.memories == (Memory("x", "i32", 4),)
    assert found.memories.tensors[0].offset == 0


@pytest.mark.parametrize("tensor, runs, span", [
    (Tensor("x", 0, 0, "f32", (4, 8), (8, 1)), ([128], [1]), 128),
    (Tensor("x", 0, 0, "f32", (4, 8), (16, 1)), ([4, 32], [64, 1]), 224),
    (Tensor("x", 0, 0, "f32", (8, 4), (1, 8)), ([128], [1]), 128),
    (Tensor("x", 0, 0, "f16", (3, 5), (0, 2)), ([5, 2], [4, 1]), 18),
    (Tensor("x", 0, 0, "i8", (3, 1), (2, 7)), ([3, 1], [2, 1]), 5),
    (Tensor("x", 0, 0, "f32", (), ()), ([4], [1]), 4),
    (Tensor("x", 0, 0, "f32", (0, 4), (4, 1)), ([0], [1]), 0),
])
def test_the_bytes_of_a_tensor(tensor, runs, span):
    assert (tensor.runs(), tensor.span()) == (runs, span)


def test_the_bytes_of_a_tensor_are_those_that_numpy_finds():
    rng = np.random.default_rng(0)
    for _ in range(300):
        shape = tuple(int(extent) for extent in rng.integers(1, 4, rng.integers(1, 4)))
        strides = tuple(int(stride) for stride in rng.integers(0, 6, len(shape)))
        extents, steps = Tensor("x", 0, 0, "i16", shape, strides).runs()
        wanted = {2 * int(np.dot(index, strides)) + byte for index in np.ndindex(shape) for byte in range(2)}
        assert {int(np.dot(index, steps)) for index in np.ndindex(*extents)} == wanted
        assert steps == sorted(steps, reverse=True) and steps[-1] == 1


# ---- modules ----


def test_a_memory_that_is_only_read_is_an_input():
    kernel, = convert(read(text_of("copy")), {"x": 8, "o": 8}).json()["kernels"]
    assert [(one["name"], one["role"], one.get("alias")) for one in kernel["params"]] == [
        ("n", "input", None), ("x", "input", None), ("o.before", "input", None), ("o", "output", "o.before")]


def test_one_memory_is_one_parameter():
    tensors = (Tensor("x", 0, 0, "f32", (8,), (1,)), Tensor("o", 0, 32, "f32", (8,), (1,)))
    kernel, = convert(read(text_of("copy")), Memories((Memory("both", "f32", 16),), tensors)).json()["kernels"]
    assert [one["name"] for one in kernel["params"]] == ["n", "both.before", "both"]
    views = [op for op in kernel["body"]["ops"] if op["op"] == "view_tensor"]
    assert [(op["name"], op["offset"], op["extents"], op["steps"]) for op in views] == [
        ("x: f32[8]", 0, [32], [1]), ("o: f32[8]", 32, [32], [1])]


def test_an_address_is_a_parameter_where_it_is_asked_for():
    names = [one["name"] for one in convert(read(text_of("address_of")), {"x": 8, "o": 1}).json()["kernels"][0]["params"]]
    assert names == ["x.address", "x", "o.before", "o"]


def test_what_is_between_a_pointer_and_a_number_is_refused():
    text = text_of("copy").replace("tt.ptr<f32>", "tt.ptr<f128>")
    with pytest.raises(ExportError, match="a pointer to f128 is not supported"):
        convert(read(text), {"x": 8, "o": 8})


# ---- launches ----


def test_views_are_written_in_place_and_their_gaps_are_not():
    whole, x = np.full((4, 16), -1, np.float32), f32(4, 8)
    assert not launched("copy_rows", x, whole[:, 4:8], 4, 4, 8, 16, grid=4)
    assert np.array_equal(whole[:, 4:8], x[:, :4])
    assert (np.delete(whole, np.s_[4:8], axis=1) == -1).all()


def test_overlapping_views_race():
    whole = f32(9)
    findings = launched("copy", whole[1:], whole[:8], 8, grid=2)
    assert {(one.kind, one.param) for one in findings} == {("race", "x, o")}


def test_gaps_of_views():
    (one,) = launched("copy", f32(4, 16)[:, :2], np.zeros(8, np.float32), 4, grid=2)
    assert one.message.startswith("load reaches element 2 of x: f32[4,2] with strides 16, 1, which is between its elements")


@pytest.mark.parametrize("name", ["either", "swap_in_a_loop", "in_a_branch"])
def test_pointers_into_two_arrays(name):
    x, y, o = f32(8), 100 + f32(9), np.zeros(8, np.float32)
    assert not launched(name, x, y, o, *([0] if name == "in_a_branch" else []), 8)
    wanted = {"either": np.where(np.arange(8) % 2, y[:8], x), "swap_in_a_loop": 2 * x + y[:8], "in_a_branch": y[1:]}
    assert np.array_equal(o, wanted[name])


@pytest.mark.parametrize("name", ["either", "swap_in_a_loop", "in_a_branch"])
def test_pointers_into_two_arrays_keep_their_bounds(name):
    findings = launched(name, f32(8), f32(6), np.zeros(8, np.float32), *([0] if name == "in_a_branch" else []), 8)
    assert findings[0].kind == "access-outside-ref" and "of y: f32[6]; its memory has the elements 0 to 5" in findings[0].message


def test_other_types():
    x, o = f32(4), np.zeros(16, np.int8)
    assert not launched("as_bytes", x, o, 16)
    assert np.array_equal(o, x.view(np.int8))
    x, o = np.frombuffer(np.zeros(18, np.uint8), np.uint8)[2:], np.zeros(16, np.int8)  # elements begin behind half of one
    x[:] = np.arange(16)
    assert not launched("as_bytes", x.view(np.float32), o, 16)
    assert np.array_equal(o, np.arange(16))
    x, o = np.arange(20, dtype=np.int8), np.zeros(4, np.int32)
    assert not launched("words_of_bytes", x, o, 4)
    assert np.array_equal(o, x[4:].view(np.int32))
    assert [one.kind for one in launched("words_of_bytes", x, o, 3)] == ["misaligned-pointer"]
    x, o = np.arange(8) % 3 == 0, np.zeros(8, bool)
    assert not launched("negate_flags", x, o)
    assert np.array_equal(o, ~x)


class Tensorlike:
    """What is found among the objects of a program by its address."""

    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data


def test_addresses_in_memory():
    rows = [Tensorlike(f32(4)), Tensorlike(f32(4) + 10)]
    table, o = np.array([one.data_ptr() for one in rows]), np.zeros((2, 4), np.float32)
    assert not launched("through_a_table", table, o, grid=2)
    assert np.array_equal(o, [one.array for one in rows])
    table[1] += 4
    findings = launched("through_a_table", table, o, grid=2)
    assert any("load reaches element 4 of reached.1: f32[4]" in one.message for one in findings)
    table[1] = 0
    assert "wild-pointer" in [one.kind for one in launched("through_a_table", table, o, grid=2)]


# ---- what is refused ----


@pytest.mark.parametrize("x, wrong", [(f32(8)[::-1], "x: its strides are"), (np.zeros(8, np.float64), "x: an array of float64 as one of f32"),
                                      (np.lib.stride_tricks.as_strided(f32(8), (2,), (6,)), "no multiples")])
def test_arrays_that_no_kernel_can_run_on(x, wrong):
    with pytest.raises(ValueError, match=wrong):
        launched("copy", x, np.zeros(8, np.float32), 8, grid=2)


def test_what_is_no_array():
    with pytest.raises(TypeError, match="x: int is no array"):
        launched("copy", 3, np.zeros(8, np.float32), 8, grid=2)


def test_a_read_only_array():
    fixed = f32(8)
    fixed.flags.writeable = False
    assert not launched("copy", fixed, np.zeros(8, np.float32), 8, grid=2)
    with pytest.raises(ValueError, match="o: the array is read-only, and the kernel writes to its memory"):
        launched("copy", f32(8), fixed, 8, grid=2)


# ---- undefined memory ----


def test_undefined_memory_until_a_launch_writes_it():
    x, o = f32(8), np.zeros(8, np.float32)
    undefined.undefined(x)
    assert [one.kind for one in launched("copy", x, o, 8, grid=2)] == ["undefined-output"]
    assert not launched("copy", f32(8), x, 6, grid=2)
    (one,) = launched("copy", x, np.zeros(8, np.float32), 8, grid=2)
    assert "leaves an undefined value in o[6]: it comes from x, which nothing had written before the run" in one.message
    undefined.defined(x)
    assert not launched("copy", x, np.zeros(8, np.float32), 8, grid=2)


def test_undefined_parts_are_those_of_the_view():
    whole = f32(4, 16)
    undefined.undefined(whole[:, 8:])
    assert not launched("copy_rows", whole[:, :8], np.zeros((4, 16), np.float32), 4, 8, 16, 16, grid=4)
    (one,) = launched("copy_rows", whole[:, 8:], np.zeros((4, 16), np.float32), 4, 8, 16, 16, grid=4)
    assert one.kind == "undefined-output"


def test_a_run_without_the_check_defines_what_it_writes():
    x, o = f32(8), np.zeros(8, np.float32)
    undefined.undefined(o)
    assert not launched("copy", x, o, 8, grid=2, checks="none")
    assert not launched("copy", o, x, 8, grid=2)


def test_memory_is_forgotten_when_it_ends():
    x = f32(8)
    undefined.undefined(x)
    start = x.ctypes.data
    assert undefined._at(start, start + 32) is not None
    del x
    assert undefined._at(start, start + 32) is None
