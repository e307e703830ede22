"""The columns of bounds/functions.def against the tables that they are from, as these were read."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from xmacro import expand  # noqa: E402

# OpenCL C Specification, ULP values for single-precision built-in math functions, full profile (KhronosGroup/OpenCL-Docs, OpenCL_C.txt).
OPENCL = {
    "div": 2.5, "sqrt": 3, "rsqrt": 2, "cbrt": 2, "exp": 3, "exp2": 3, "expm1": 3, "log": 3, "log2": 3, "log1p": 2, "pow": 16, "sin": 4,
    "cos": 4, "tan": 5, "asin": 4, "acos": 4, "atan": 5, "atan2": 6, "sinh": 4, "cosh": 4, "tanh": 5, "asinh": 4, "acosh": 4, "atanh": 5,
    "erf": 16}
# CUDA C++ Programming Guide 13, single-precision mathematical standard library functions with maximum ULP error.
CUDA = {
    "rsqrt": 2, "cbrt": 1, "exp": 2, "exp2": 2, "expm1": 1, "log": 1, "log2": 1, "log1p": 1, "pow": 4, "sin": 2, "cos": 2, "tan": 4, "asin": 2,
    "acos": 2, "atan": 2, "atan2": 3, "sinh": 3, "cosh": 2, "tanh": 2, "asinh": 3, "acosh": 4, "atanh": 3, "erf": 2, "erf_inv": 2}
# JAX documentation, Numerical accuracy, float32: TPU v6e and TPU 7x.
TPU = {
    "acos": (4, 5), "acosh": (4.5, 5), "asin": (4.5, 4.5), "asinh": (3.5, 3.5), "atan": (2.5, 2.5), "atan2": (3.5, 3.5), "atanh": (3.5, 3.5),
    "cbrt": (1.5, 1.5), "cos": (3.5, 3), "cosh": (59, 59.5), "erf": (1.5, 1.5), "erf_inv": (65, 65.5), "exp": (64.5, 65), "exp2": (90, 90),
    "expm1": (3.5, 3.5), "log": (2.5, 2.5), "log1p": (3, 3), "log2": (2.5, 2.5), "logistic": (65.5, 64), "rsqrt": (1.5, 1), "sin": (3.5, 3.5),
    "sinh": (59, 59.5), "sqrt": (2, 2), "tan": (5.5, 5.5), "tanh": (1.5, 1.5)}
TOSA = {"rsqrt": 2, "erf": 5, "convert": 1, "dot_general": 1}  # TOSA 1.0.0, precision requirements
DERIVED = {"tpu": {"div"}, "tosa": {"div", "sqrt"}}  # from others of the same table


def columns():
    rows = expand("#define TG_FUNCTION(op, opencl, cuda, xla, tpu, tosa) ROW @ op @ opencl @ cuda @ xla @ tpu @ tosa", "bounds/functions.def")
    names = ("opencl", "cuda", "xla", "tpu", "tosa")
    return {name: {row[0]: float(row[i]) for row in rows if float(row[i])} for i, name in enumerate(names, 1)}


@pytest.mark.parametrize("column, published", [
    ("opencl", OPENCL), ("cuda", {op: ulp + 0.5 for op, ulp in CUDA.items()}), ("tpu", {op: max(pair) for op, pair in TPU.items()}),
    ("tosa", TOSA)])
def test_figures_are_those_of_the_source(column, published):
    found = {op: ulp for op, ulp in columns()[column].items() if op not in DERIVED.get(column, ())}
    assert found == published


def test_every_row_of_the_other_tables_has_a_source():
    for table, macro in (("accuracies", "TG_ACCURACY(c, op, d, a, b, u, up, x, xp, source)"),
                         ("accumulators", "TG_ACCUMULATOR(c, dot, d, e, m, r, a, source)"), ("accumulators", "TG_OPERAND(c, d, e, m, r, source)")):
        rows = expand(f"#define {macro} ROW @ c @ source", f"bounds/{table}.def")
        assert rows and all(len(source.strip('"')) > 10 for _, source in rows)
