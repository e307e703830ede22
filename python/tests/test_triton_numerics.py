"""What operations of TTIR on numbers give, against numpy: kernels of one operation, as Triton prints them."""

import math

import ml_dtypes
import numpy as np
import pytest

from tilegrind.triton import ExportError
from tilegrind.triton.launch.kernel import convert
from tilegrind.triton.ttir.reader import read
from ttir_ops import COUNT, run, same, tensor, text_of

INF, NAN = math.inf, math.nan

# ---- comparisons ----

PAIRS = ([0.0, 1.0, -1.0, NAN, 1.0, NAN, INF, -0.0], [-0.0, 2.0, -2.0, 1.0, NAN, NAN, INF, -1.0])


@pytest.mark.parametrize("predicate", "eq gt ge lt le ne".split())
def test_floats_compare_ordered_and_unordered(predicate):
    a, b = map(np.float32, PAIRS)
    ordered = ~(np.isnan(a) | np.isnan(b))
    name = {"eq": "equal", "ne": "not_equal", "gt": "greater", "ge": "greater_equal", "lt": "less", "le": "less_equal"}[predicate]
    plain = getattr(np, name)(a, b)
    kind = tensor("f32")
    same(run(f"arith.cmpf o{predicate}, %x, %y : {kind}", ["f32", "f32"], "i1", a, b), plain & ordered)
    same(run(f"arith.cmpf u{predicate}, %x, %y : {kind}", ["f32", "f32"], "i1", a, b), plain | ~ordered)


def test_floats_compare_by_nan_alone():
    a, b = map(np.float32, PAIRS)
    ordered = ~(np.isnan(a) | np.isnan(b))
    for predicate, wanted in {"ord": ordered, "uno": ~ordered, "true": ordered | True, "false": ordered & False}.items():
        same(run(f"arith.cmpf {predicate}, %x, %y : {tensor('f32')}", ["f32", "f32"], "i1", a, b), wanted)


@pytest.mark.parametrize("predicate, wanted", [("slt", [1, 0, 0]), ("ult", [0, 1, 0]), ("sge", [0, 1, 1]), ("uge", [1, 0, 1]), ("ne", [1, 1, 0])])
def test_integers_compare_with_and_without_sign(predicate, wanted):
    got = run(f"arith.cmpi {predicate}, %x, %y : {tensor('i32')}", ["i32", "i32"], "i1", [-1, 1, 5], [1, -1, 5])
    assert got[:3].tolist() == wanted


def test_a_true_bool_is_less_than_a_false_one_with_sign():
    line = "arith.cmpi {}, %x, %y : " + tensor("i1")
    assert run(line.format("slt"), ["i1", "i1"], "i1", [1, 0], [0, 1])[:2].tolist() == [1, 0]
    assert run(line.format("ult"), ["i1", "i1"], "i1", [1, 0], [0, 1])[:2].tolist() == [0, 1]


# ---- greater and lesser ----


@pytest.mark.parametrize("name, wanted", [
    ("maxnumf", [1, 1, NAN, 0]), ("minnumf", [1, 1, NAN, -0.0]), ("maximumf", [NAN, NAN, NAN, 0]), ("minimumf", [NAN, NAN, NAN, -0.0])])
@pytest.mark.parametrize("kind", ["f16", "bf16", "f32", "f64"])
def test_extrema_drop_or_keep_nan(name, wanted, kind):
    same(run(f"arith.{name} %x, %y : {tensor(kind)}", [kind, kind], kind, [NAN, 1, NAN, -0.0], [1, NAN, NAN, 0]), wanted)


def test_extrema_of_both_kinds_in_one_kernel():
    line = f"arith.maxnumf %x, %y : {tensor('f32')}\n    %q = arith.minimumf %r, %x : {tensor('f32')}"
    text = text_of(line, ["f32", "f32"], "f32").replace("tt.store %ao, %r", "tt.store %ao, %q")
    module = convert(read(text), {f"{name}_ptr": COUNT for name in "xyo"})
    assert [op["nan"] for op in module.json()["kernels"][0]["body"]["ops"] if "nan" in op] == ["drop", "propagate"]


@pytest.mark.parametrize("nan, wanted", [("none", [-1, 0.5, 1]), ("all", [NAN, 0.5, 1])])
def test_clamp(nan, wanted):
    line = f"tt.clampf %x, %y, %z, propagateNan = {nan} : {tensor('f32')}"
    same(run(line, ["f32"] * 3, "f32", [NAN, 0.5, 7, NAN, 0.5, 7, NAN, 0.5], [-1], [1]), np.resize(wanted, COUNT))


# ---- arithmetic ----


def test_fma_rounds_once():
    x = np.float32([1 + 2**-23])
    assert run(f"math.fma %x, %y, %z : {tensor('f32')}", ["f32"] * 3, "f32", x, x, [-(1 + 2**-22)])[0] == 2.0**-46


def test_high_half_of_a_product():
    line = "tt.mulhiui %x, %y : {}"
    assert run(line.format(tensor("i32")), ["i32", "i32"], "i32", [-1, 65536], [-1, 65536])[:2].tolist() == [-2, 1]
    assert run(line.format(tensor("i64")), ["i64", "i64"], "i64", [-1, 1 << 40], [-1, 1 << 40])[:2].tolist() == [-2, 1 << 16]


def test_unsigned_division():
    assert run(f"arith.divui %x, %y : {tensor('i32')}", ["i32", "i32"], "i32", [-2], [2])[0] == 0x7FFFFFFF
    assert run(f"arith.remui %x, %y : {tensor('i32')}", ["i32", "i32"], "i32", [-1], [16])[0] == 15


def test_arithmetic_of_bools():
    for name, wanted in {"addi": [0, 1, 1, 0], "subi": [0, 1, 1, 0], "muli": [0, 0, 0, 1], "maxsi": [0, 0, 0, 1], "maxui": [0, 1, 1, 1]}.items():
        assert run(f"arith.{name} %x, %y : {tensor('i1')}", ["i1", "i1"], "i1", [0, 0, 1, 1], [0, 1, 0, 1])[:4].tolist() == wanted


# ---- conversions ----


def cast(line, source, target, *values):
    return run(f"{line} : {tensor(source)} -> {tensor(target)}", [source], target, list(values))[:len(values)]


def test_a_true_bool_is_minus_one_with_sign():
    assert cast("arith.extsi %x", "i1", "i32", 0, 1).tolist() == [0, -1]
    assert cast("arith.extui %x", "i1", "i32", 0, 1).tolist() == [0, 1]
    found = cast("arith.sitofp %x", "i1", "f32", 0, 1)
    assert found.tolist() == [0, -1] and not np.signbit(found[0])
    assert cast("arith.uitofp %x", "i1", "f32", 0, 1).tolist() == [0, 1]


def test_integers_without_sign_become_others():
    assert cast("arith.extui %x", "i8", "i32", -1).tolist() == [255]
    assert cast("arith.uitofp %x", "i8", "f32", -1).tolist() == [255]
    assert cast("arith.fptoui %x", "f32", "i8", 200).tolist() == [-56]
    assert cast("arith.trunci %x", "i32", "i8", 300).tolist() == [44]
    assert cast("arith.trunci %x", "i32", "i1", 2, 3).tolist() == [0, 1]


def test_rounding_to_nearest_and_toward_zero():
    assert cast("tt.fp_to_fp %x, rounding = rtne", "f32", "bf16", 1 + 2**-8 + 2**-9).tolist() == [1 + 2**-7]
    assert cast("tt.fp_to_fp %x, rounding = rtz", "f32", "bf16", 1 + 2**-8 + 2**-9, -(1 + 2**-8 + 2**-9)).tolist() == [1, -1]
    assert cast("tt.fp_to_fp %x, rounding = rtz", "f32", "f16", 1e9, INF).tolist() == [65504, INF]
    assert cast("tt.fp_to_fp %x", "f16", "bf16", 1.5).tolist() == [1.5]


@pytest.mark.parametrize("kind, most", [("f8E4M3FN", 448), ("f8E5M2", 57344)])
@pytest.mark.parametrize("source", ["f16", "bf16", "f32"])
@pytest.mark.parametrize("rounding", ["rtne", "rtz"])
def test_narrow_floats_saturate(kind, most, source, rounding):
    found = cast(f"tt.fp_to_fp %x, rounding = {rounding}", source, kind, INF, -INF, 61440, -1.5, NAN).astype(np.float64)
    assert found[:4].tolist() == [most, -most, min(most, 57344), -1.5] and np.isnan(found[4])


def test_other_narrow_floats_have_a_nan_beyond_their_range():
    assert np.isnan(cast("tt.fp_to_fp %x, rounding = rtne", "f32", "f8E4M3FNUZ", 1e9).astype(np.float64)[0])


def test_wider_floats_are_exact():
    every = np.arange(-128, 128).astype(np.int8).view(ml_dtypes.float8_e5m2)
    for first in range(0, 256, COUNT):
        part = every[first:first + COUNT]
        same(run(f"tt.fp_to_fp %x : {tensor('f8E5M2')} -> {tensor('f32')}", ["f8E5M2"], "f32", part), part.astype(np.float32))


def test_another_rounding_is_refused():
    with pytest.raises(ExportError, match="tt.fp_to_fp: the rounding rs is not supported"):
        cast("tt.fp_to_fp %x, rounding = rs", "f32", "bf16", 1)
