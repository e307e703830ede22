"""debug_print says what JAX says, to the letter."""

import contextlib
import io

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tilegrind
from jax.experimental import pallas as pl
from tilegrind.pallas import ExportError, export


def call_of(show, shape):
    def kernel(x_ref, o_ref):
        o_ref[...] = x_ref[...]
        show(x_ref[...])

    def call(x, interpret=False):
        return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(shape, x.dtype),
                              interpret=interpret)(x)
    return call


def check(show, x):
    """Both texts of a kernel that calls `show` with its input; JAX prints in any order."""
    x = np.asarray(x)
    call, printed, ours = call_of(show, x.shape), io.StringIO(), []
    module = tilegrind.loads(export(call, x).dumps())
    module.run({"x_ref": x}, print=ours.append)
    with contextlib.redirect_stdout(printed):
        jax.block_until_ready(jax.jit(call, static_argnums=1)(x, True))
        jax.effects_barrier()
    assert sorted("".join(ours).splitlines()) == sorted(printed.getvalue().splitlines())


RANDOM = np.random.default_rng(5)
MANY = RANDOM.standard_normal(200) * 10.0 ** RANDOM.integers(-30, 30, 200)
ARRAYS = {
    "counts": np.arange(12, dtype=np.float32),
    "halves": np.arange(-4, 4, dtype=np.float32).reshape(2, 4) / 2,
    "thirds": np.arange(-4, 5, dtype=np.float32) / 3,
    "thirds_f64": np.arange(-4, 5) / 3,
    "wide_range": np.float32([1e-3, 2, 1234.5678]),
    "wider_range": np.float32([1e-3, 2, 123456.78]),
    "large": np.float32([1e6, 1]), "nearly_large": np.float32([999999, 1]),
    "large_f16": np.float16([1000, 1]), "nearly_large_f16": np.float16([999.5, 1.25]),
    "small": np.float32([1e-4, 2e-4]), "smaller": np.float32([9e-5, 2e-4]),
    "ones": np.ones(3, np.float32), "tens": np.float32([1e10, 1e10]),
    "huge": np.array([1e300, -1e-300, 0.0]), "powers": 2.0 ** np.arange(-50, -40, dtype=np.float64),
    "zeros": np.float32([0.0, -0.0]), "nans": np.float32([np.nan, 1.5, -2.25]),
    "infs": np.float32([np.inf, -np.inf, 1]), "only_infs": np.float32([np.inf, -np.inf]),
    "only_nan": np.float32([np.nan]), "exponents_and_nan": np.float32([np.nan, 1e-20, -1e20]),
    "exponents_and_inf": np.array([np.inf, 1e-120, 1.0]),
    "f16": np.float16([0.1, 65504, 6e-8]), "bools": np.array([[True, False], [False, False]]),
    "ints": np.int32([[1, -200], [30, 4]]), "bytes": np.uint8([0, 255]), "int8": np.int8([-128]),
    "long": np.int64([2**62, -2**63]), "unsigned": np.uint64([2**64 - 1]),
    "bf16": np.array([0.1, 300, -2.5, 1e-6, 1e30, np.inf]).astype(jnp.bfloat16),
    "fp8": np.array([0.1, 300, -2.5]).astype(jnp.float8_e4m3fn),
    "int4": np.array([-8, 7, 1]).astype(jnp.int4),
    "folded": np.arange(100, dtype=np.float32) / 7, "folded_ints": np.arange(60, dtype=np.int32),
    "folded_rows": np.arange(120, dtype=np.float32).reshape(2, 3, 20) / 7,
    "cube": np.arange(24, dtype=np.int32).reshape(2, 3, 4),
    "four": np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2),
    "summary": np.arange(1001, dtype=np.int32), "not_yet": np.arange(1000, dtype=np.int32),
    "summary_2d": np.arange(4000, dtype=np.float32).reshape(4, 1000) / 3,
    "summary_rows": np.arange(3000, dtype=np.float32).reshape(1000, 3),
    "summary_3d": np.arange(8000, dtype=np.int32).reshape(20, 20, 20),
    "many_f64": MANY, "many_f32": MANY.astype(np.float32), "column": np.float32([[1.5], [2]]),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(name):
    def show(x):
        jax.debug.print("{} and {x!s}!", x, x=x)
        pl.debug_print("x", x)
    with jax.enable_x64(True):
        check(show, ARRAYS[name])


def test_reference():
    def kernel(x_ref, o_ref):
        jax.debug.print("x = {}", x_ref)
        o_ref[...] = x_ref[...]

    x, ours = np.float32([4.2, 2.4]), []
    call = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))
    tilegrind.loads(export(call, x).dumps()).run({"x_ref": x}, print=ours.append)
    assert "".join(ours).splitlines() == ["x = [4.2 2.4]"]


SCALARS = {
    "float32": [0.0, -0.0, 1, 0.1, 1e16, 1e15, 123456789, 1e-4, 1e-5, 3.4e38, 2**24, 1 / 3, np.nan,
                np.inf, -np.inf],
    "float64": [0.1, 1e16, 123456789012345.6, 1e-4, 9.9e-5, 1.7e308, 2.0**-44, -1 / 3, 1e22, 1e23],
    "float16": [0.1, 65504, 6e-8, 2.54], "bfloat16": [0.1, 1e30, -3, 123456, np.nan, -np.inf, 1e-5],
    "float8_e5m2": [0.1, 57344], "bool": [True, False], "int32": [0, -5, 2**31 - 1],
    "uint64": [2**64 - 1], "int64": [-2**63], "int4": [-8], "uint4": [15], "int8": [-128],
}


@pytest.mark.parametrize("dtype", SCALARS)
def test_scalars(dtype):
    def show(x):
        for i in range(len(x)):
            jax.debug.print("{a} {a!s}|", a=x[i])
            pl.debug_print("{{plain}}", x[i])
    with jax.enable_x64(True):
        check(show, np.array(SCALARS[dtype]).astype(jnp.dtype(dtype)))


FLOAT_SPECS = ("10", "<10", "^11", ">9", "*^12", "=+12", "+", " ", "-", "010", "012.3f", ".3f", ".0f", "#.0f", "f",
               "e", ".2e", "E", "g", ".3g", "#.3g", "G", "%", ".1%", ",", ",.2f", "_.1f", "015,.2f", ".4",
               ".1", "F", "8.3f", "+.2e")
INT_SPECS = ("5", "<5", "^7", "05", "+d", "d", " d", "b", "#b", "o", "#o", "x", "#x", "X", "#X", "#010x", ",", "_",
             "_b", "_x", "010,", "e", ".2f", "%", "g", "*=+9d", "012_x")


def in_all(specs):
    """Shows each element of a block in each specification."""
    def show(x):
        for i in range(len(x)):
            jax.debug.print("|".join("{0:" + spec + "}" for spec in specs), x[i])
    return show


def test_specifications_of_floats():
    check(in_all(FLOAT_SPECS), np.float32([0.0, 1.5, -2.25, 1234567.875, 1e-7, -1e20, 99.99, np.inf,
                                           -np.inf, np.nan]))


def test_specifications_of_ints():
    check(in_all(INT_SPECS), np.int32([0, 7, -12, 1234567]))
    check(in_all(INT_SPECS), np.array([True, False]))


def test_specifications_of_other_dtypes():
    for spec in ("10", ">10", "08.3f", "^9"):
        for dtype in (jnp.bfloat16, jnp.float8_e4m3fn, jnp.float16):
            check(lambda x: jax.debug.print("[{:" + spec + "}]", x), np.array(2.5).astype(dtype))
    check(lambda x: jax.debug.print("[{!s:>8}] [{!s:^9s}] [{!s:.2}]", x, x, x), np.float32(2.5))


def test_numpys_print_options():
    for options in ({"precision": 3}, {"suppress": True}, {"linewidth": 30}, {"threshold": 5},
                    {"threshold": 5, "edgeitems": 1}, {"precision": 0}):
        with np.printoptions(**options):
            check(lambda x: jax.debug.print("{}", x), ARRAYS["thirds"])
            check(lambda x: jax.debug.print("{}", x), ARRAYS["wider_range"])


def test_arguments_that_are_no_arrays():
    check(lambda x: jax.debug.print("{} {name!r:>8} {x}", "{text}", name="n", x=x), np.float32(1))


def test_in_loops_and_programs():
    def show(x):
        @pl.loop(0, 3)
        def _(i):
            jax.debug.print("turn {i} of {n}: {x}", i=i, n=3, x=x[i])
    check(show, ARRAYS["thirds"])


@pytest.mark.parametrize("show, message", [
    (lambda x: jax.debug.print("{!r}", x), "the conversion !r"),
    (lambda x: jax.debug.print("{:{}}", x, 5), "fields of its own"),
    (lambda x: jax.debug.log("{}", x), "printing to a log"),
])
def test_refused(show, message):
    if not hasattr(jax.debug, "log") and "log" in message:
        pytest.skip("this JAX has no jax.debug.log")
    with pytest.raises(ExportError, match=message):
        export(call_of(show, (9,)), ARRAYS["thirds"])


def test_refused_print_options():
    with np.printoptions(floatmode="fixed"), pytest.raises(ExportError, match="floatmode"):
        export(call_of(lambda x: jax.debug.print("{}", x), (9,)), ARRAYS["thirds"])
