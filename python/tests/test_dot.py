"""dot_general: any dimension numbers, dtypes and results, against exact arithmetic in numpy."""

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax
from values import bits, in_kernel

RNG = np.random.default_rng(4)


def small(shape, dtype):
    """Few-bit numbers, whose sums of products every accumulator holds exactly."""
    return RNG.integers(-2, 2, shape).astype(np.float32).astype(dtype)


def exact(lhs, rhs, dimension_numbers):
    (lc, rc), (lb, rb) = dimension_numbers
    letters = "abcdefghijklmnop"
    left, right = list(letters[: lhs.ndim]), list(letters[lhs.ndim : lhs.ndim + rhs.ndim])
    for a, b in (*zip(lc, rc), *zip(lb, rb)):
        right[b] = left[a]
    free = [left[d] for d in range(lhs.ndim) if d not in (*lc, *lb)]
    free += [right[d] for d in range(rhs.ndim) if d not in (*rc, *rb)]
    out = [left[d] for d in lb] + free
    return np.einsum(f"{''.join(left)},{''.join(right)}->{''.join(out)}", lhs.astype(np.float64),
                     rhs.astype(np.float64))


# shapes and ((contracted), (batch)) dimensions of both sides
FORMS = [
    ((3, 4), (4, 5), (((1,), (0,)), ((), ()))),
    ((3, 4), (5, 4), (((1,), (1,)), ((), ()))),
    ((4, 3), (4,), (((0,), (0,)), ((), ()))),
    ((4,), (4,), (((0,), (0,)), ((), ()))),
    ((3,), (4,), (((), ()), ((), ()))),
    ((2, 3, 4), (2, 4, 5), (((2,), (1,)), ((0,), (0,)))),
    ((3, 2, 4), (4, 5, 2), (((2,), (0,)), ((1,), (2,)))),
    ((2, 3, 4, 5), (5, 3, 6, 2), (((3, 1), (0, 1)), ((0,), (3,)))),
    ((2, 3, 4, 5), (3, 2, 5, 6), (((3,), (2,)), ((0, 1), (1, 0)))),
    ((2, 3, 4), (4, 3, 2), (((0, 1, 2), (2, 1, 0)), ((), ()))),
    ((0, 4), (4, 5), (((1,), (0,)), ((), ()))),
    ((3, 0), (0, 5), (((1,), (0,)), ((), ()))),
]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16, np.int8])
def test_dimension_numbers(form, dtype):
    a, b, numbers = form
    lhs, rhs = small(a, dtype), small(b, dtype)
    wide = np.int32 if dtype == np.int8 else np.float32
    found, = in_kernel(lambda x, y: lax.dot_general(x, y, numbers, preferred_element_type=wide),
                       lhs, rhs)
    np.testing.assert_array_equal(found, exact(lhs, rhs, numbers).astype(wide))


TYPES = [
    ("float16", "float16", None), ("bfloat16", "bfloat16", None), ("float32", "float32", None),
    ("float16", "float16", "float32"), ("bfloat16", "bfloat16", "float16"),
    ("float8_e4m3fn", "float8_e4m3fn", "float32"), ("float8_e4m3fn", "float8_e5m2", "float32"),
    ("float8_e5m2", "float8_e4m3fn", "bfloat16"), ("float4_e2m1fn", "float4_e2m1fn", "float32"),
    ("bfloat16", "float32", "float32"), ("float8_e4m3fn", "bfloat16", "float32"),
    ("int8", "int8", "int32"), ("uint8", "int8", "int32"), ("int8", "int8", None),
    ("int4", "int4", "int32"), ("int4", "int8", "int32"), ("uint4", "uint4", "int32"),
    ("int2", "int2", "int32"), ("int16", "int16", "int32"), ("int32", "int32", None),
    ("uint32", "uint32", None), ("int8", "int8", "float32"), ("int8", "bfloat16", "float32"),
]


@pytest.mark.parametrize("left, right, wanted", TYPES)
def test_dtypes(left, right, wanted):
    def typed(name):
        return np.dtype(getattr(ml_dtypes, name, None) or name)

    lhs, rhs = abs(small((5, 7), np.float32)), abs(small((7, 6), np.float32))
    if not left.startswith("u"):
        lhs = -lhs
    lhs, rhs = lhs.clip(-1, 1).astype(typed(left)), rhs.clip(-1, 1).astype(typed(right))
    result = None if wanted is None else typed(wanted)
    found, = in_kernel(lambda x, y: lax.dot_general(x, y, (((1,), (0,)), ((), ())),
                                                    preferred_element_type=result), lhs, rhs)
    true = exact(lhs, rhs, (((1,), (0,)), ((), ())))
    np.testing.assert_array_equal(bits(found), bits(true.astype(np.float32).astype(found.dtype)))


@pytest.mark.parametrize("precision", [None, "default", "high", "highest"])
def test_precision_changes_nothing(precision):
    """One chain of fused multiply-adds in f32 per element, k ascending, whatever is asked for."""
    lhs, rhs = RNG.normal(size=(9, 17)).astype(np.float32), RNG.normal(size=(17, 5)).astype(np.float32)
    found, = in_kernel(lambda x, y: jnp.dot(x, y, precision=precision), lhs, rhs)
    total = np.zeros((9, 5), np.float32)
    for k in range(17):  # the product of two f32 is exact in f64, their sum nearly always
        total = (lhs[:, k : k + 1].astype(np.float64) * rhs[k].astype(np.float64) + total).astype(np.float32)
    np.testing.assert_array_max_ulp(found, total, 1)


@pytest.mark.parametrize("preset, rounded", [
    ("BF16_BF16_F32", lambda x: x.astype(ml_dtypes.bfloat16)),
    ("F16_F16_F32", lambda x: x.astype(np.float16)),
    ("TF32_TF32_F32", lambda x: ((x.view(np.uint32) + 0xFFF + (x.view(np.uint32) >> 13 & 1)) &
                                 np.uint32(0xFFFFE000)).view(np.float32)),
    ("BF16_BF16_F32_X3", lambda x: x), ("F32_F32_F32", lambda x: x)])
def test_presets_round_their_operands(preset, rounded):
    """The operands are rounded; the products and sums are those of f32."""
    lhs, rhs = RNG.normal(size=(5, 8)).astype(np.float32), RNG.normal(size=(8, 6)).astype(np.float32)
    algorithm = getattr(lax.DotAlgorithmPreset, preset)
    numbers = (((1,), (0,)), ((), ()))
    found, = in_kernel(lambda x, y: lax.dot_general(x, y, numbers, precision=algorithm,
                                                    preferred_element_type=jnp.float32), lhs, rhs)
    wanted, = in_kernel(lambda x, y: lax.dot_general(x, y, numbers),
                        rounded(lhs).astype(np.float32), rounded(rhs).astype(np.float32))
    np.testing.assert_array_equal(found, wanted)
