"""Triton's atomics, from texts of TTIR: what they do, and which order and scope they get.  Needs no Triton."""

import ml_dtypes
import numpy as np
import pytest

import tilegrind
from tilegrind.triton.launch.kernel import ExportError, convert
from tilegrind.triton.ttir.reader import read

NUMPY = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
         "f32": np.float32, "f64": np.float64, "i1": np.int8}


def text_of(params, lines):
    """A module with one function; `params` are names with the types that they point to."""
    arguments = ", ".join(f"%{name}: !tt.ptr<{kind}>" for name, kind in params.items())
    body = "\n".join(f"    {line}" for line in lines)
    return f"module {{\n  tt.func public @k({arguments}) attributes {{noinline = false}} {{\n{body}\n    tt.return\n  }}\n}}\n"


def converted(params, lines, count=4):
    return convert(read(text_of(params, lines)), dict.fromkeys(params, count))


def run(params, lines, grid=1, order="sequential", checks="none", **arrays):
    """What arrays hold afterwards, by name, and the findings."""
    module = tilegrind.loads(converted(params, lines, max(array.size for array in arrays.values())).compact())
    inputs = {param.name: arrays[param.name.removesuffix(".before")] for param in module.params() if param.role == "input"}
    done = module.run(inputs, grid=(1, 1, grid), order=order, checks=checks)
    return {**arrays, **done.outputs}, done.findings


def tensor(name, kind, count, where="%at"):
    """Pointers %NAME_at to the elements of parameter `name` at `where`."""
    return [f"%{name}_all = tt.splat %{name} : !tt.ptr<{kind}> -> tensor<{count}x!tt.ptr<{kind}>>",
            f"%{name}_at = tt.addptr %{name}_all, {where} : tensor<{count}x!tt.ptr<{kind}>>, tensor<{count}xi32>"]


def ops_of(module, name):
    found = []

    def look(region):
        for op in region.get("ops", ()):
            found.extend([op] if op["op"] == name else [])
            for inner in op.get("regions", ()):
                look(inner)

    look(module.json()["kernels"][0]["body"])
    return found


AT = "%at = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>"


@pytest.mark.parametrize("kind, pointee, before, value, after", [
    ("add", "i32", 5, 3, 8), ("max", "i32", -1, 3, 3), ("umax", "i32", -1, 3, -1), ("min", "i32", -1, 3, -1), ("umin", "i32", -1, 3, 3),
    ("and", "i32", 12, 10, 8), ("or", "i32", 12, 10, 14), ("xor", "i32", 12, 10, 6), ("exch", "i64", 5, 3, 3), ("umax", "i64", -1, 3, -1),
    ("fadd", "f16", 1, 2, 3), ("fadd", "bf16", 1, 2, 3), ("fadd", "f32", 1, 2, 3), ("fadd", "f64", 1, 2, 3), ("exch", "f32", 1, 2, 2)])
def test_kinds(kind, pointee, before, value, after):
    number = f"{value}.0" if "f" in pointee else value
    lines = [f"%v = arith.constant {number} : {pointee}", f"%old = tt.atomic_rmw {kind}, acq_rel, gpu, %x, %v : (!tt.ptr<{pointee}>, {pointee}) -> {pointee}",
             f"tt.store %o, %old : !tt.ptr<{pointee}>"]
    dtype = NUMPY[pointee]
    found, _ = run({"x": pointee, "o": pointee}, lines, x=np.full(1, before, dtype), o=np.zeros(1, dtype))
    assert (found["x"][0], found["o"][0]) == (after, before)


def test_masked_off_lanes_change_nothing_and_each_duplicate_counts():
    lines = [AT, *tensor("w", "i32", 4), "%where = tt.load %w_at : tensor<4x!tt.ptr<i32>>", *tensor("x", "i32", 4, "%where"),
             "%one = arith.constant dense<1> : tensor<4xi32>", "%two = arith.constant dense<3> : tensor<4xi32>",
             "%m = arith.cmpi slt, %at, %two : tensor<4xi32>",
             "%old = tt.atomic_rmw add, relaxed, gpu, %x_at, %one, %m : (tensor<4x!tt.ptr<i32>>, tensor<4xi32>, tensor<4xi1>) -> tensor<4xi32>"]
    found, _ = run({"w": "i32", "x": "i32"}, lines, w=np.array([1, 1, 0, 1], np.int32), x=np.zeros(4, np.int32))
    assert found["x"].tolist() == [1, 2, 0, 0]


def test_compare_and_swap_of_a_tensor_is_by_bits():
    lines = [AT, *tensor("x", "f32", 4), *tensor("o", "f32", 4), "%c = arith.constant dense<[0.0, 0.0, 2.0, 3.0]> : tensor<4xf32>",
             "%v = arith.constant dense<9.0> : tensor<4xf32>",
             "%old = tt.atomic_cas acquire, sys, %x_at, %c, %v : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
             "tt.store %o_at, %old : tensor<4x!tt.ptr<f32>>"]
    before = np.array([0.0, -0.0, 2.0, 4.0], np.float32)
    found, _ = run({"x": "f32", "o": "f32"}, lines, x=before.copy(), o=np.zeros(4, np.float32))
    assert found["x"].tobytes() == np.array([9.0, -0.0, 9.0, 4.0], np.float32).tobytes()
    assert found["o"].tobytes() == before.tobytes()


def test_order_and_scope_are_those_of_the_text():
    lines = ["%v = arith.constant 1 : i32", "%t = arith.constant true",
             "%a = tt.atomic_rmw add, release, cta, %x, %v : (!tt.ptr<i32>, i32) -> i32",
             "%b = tt.atomic_cas relaxed, sys, %x, %v, %v : (!tt.ptr<i32>, i32, i32) -> i32",
             "%c = tt.atomic_load acquire, gpu, %x, %t : (!tt.ptr<i32>, i1) -> i32", "tt.atomic_store release, sys, %x, %c, %t : !tt.ptr<i32>"]
    module = converted({"x": "i32"}, lines)
    given = [(op["sem"], op["scope"]) for name in ("atomic_rmw", "atomic_cas", "load", "store") for op in ops_of(module, name) if "sem" in op]
    assert given == [("release", "cta"), ("relaxed", "sys"), ("acquire", "gpu"), ("release", "sys")]


POLL = ["%one = arith.constant 1 : i32", "%true = arith.constant true", "%zero = arith.constant 0 : i32",
        "%pid = tt.get_program_id x : i32", "%first = arith.cmpi eq, %pid, %zero : i32"]


def test_a_poll_waits_for_another_program():
    lines = [*POLL, "scf.if %first {", "  %p = tt.atomic_poll acquire, gpu, %flag, %one : !tt.ptr<i32>, i32 -> i1",
             "  %got = tt.load %data : !tt.ptr<i32>", "  tt.store %o, %got : !tt.ptr<i32>", "} else {", "  tt.store %data, %one : !tt.ptr<i32>",
             "  %r = tt.atomic_rmw exch, release, gpu, %flag, %one : (!tt.ptr<i32>, i32) -> i32", "}"]
    for order in ("sequential", "reversed", "interleaved:1"):
        found, findings = run(dict.fromkeys(("flag", "data", "o"), "i32"), lines, 2, order, "races",
                              **{name: np.zeros(1, np.int32) for name in ("flag", "data", "o")})
        assert found["o"].tolist() == [1]
        assert {one.kind for one in findings} <= {"assumes-resident"}


@pytest.mark.parametrize("timeout", [0, 5, 10**9])
@pytest.mark.parametrize("flag", [[1, 1, 1, 1], [1, 0, 1, 0]])
def test_a_poll_ends_with_its_time(flag, timeout):
    lines = [AT, *tensor("flag", "i32", 4), *tensor("o", "i8", 4), "%one = arith.constant dense<1> : tensor<4xi32>",
             f"%time = arith.constant {timeout} : i64",
             "%p = tt.atomic_poll relaxed, cta, %flag_at, %one timeout %time : tensor<4x!tt.ptr<i32>>, tensor<4xi32> -> tensor<4xi1>",
             "%wide = arith.extui %p : tensor<4xi1> to tensor<4xi8>", "tt.store %o_at, %wide : tensor<4x!tt.ptr<i8>>"]
    found, findings = run({"flag": "i32", "o": "i8"}, lines, flag=np.array(flag, np.int32), o=np.zeros(4, np.int8))
    assert found["o"].tolist() == flag
    assert findings == []


def test_a_poll_that_nobody_ends_is_a_finding():
    lines = [*POLL, "tt.store %x, %zero : !tt.ptr<i32>", "%p = tt.atomic_poll acquire, gpu, %x, %one : !tt.ptr<i32>, i32 -> i1"]
    _, findings = run({"x": "i32"}, lines, x=np.zeros(1, np.int32))
    assert [one.kind for one in findings] == ["livelock"]


def test_unsupported_is_an_error_with_the_operation():
    lines = [*POLL, "%p = tt.atomic_poll acquire, gpu, %x, %true : !tt.ptr<i1>, i1 -> i1"]
    with pytest.raises(ExportError, match="tt.atomic_poll: a poll of i1 is not supported"):
        converted({"x": "i1"}, lines)
