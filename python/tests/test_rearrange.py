"""Sort, top_k, gather, scatter: values that JAX computes too."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from tilegrind.pallas import ExportError, export
from values import assert_as_jax, bits, in_kernel

SPECIALS = np.array([1, np.nan, 0.0, -0.0, np.inf, -np.inf, -1, 0.0, -0.0, np.nan, 2, 0.5],
                    np.float32)
SPECIALS[9:10].view(np.uint32)[0] = 0xFFC00001  # a NaN of the other sign
RNG = np.random.default_rng(1)
DTYPES = [jnp.bool_, jnp.int4, jnp.uint4, jnp.int8, jnp.uint8, jnp.int16, jnp.uint16, jnp.int32,
          jnp.uint32, jnp.float16, jnp.bfloat16, jnp.float32, jnp.float8_e4m3fn, jnp.float8_e5m2]


def some(shape, dtype):
    """Values of which many are equal."""
    values = RNG.integers(-9, 9, shape)
    if jnp.issubdtype(dtype, jnp.floating):
        return (values / 4).astype(dtype)
    return values.astype(np.int32).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.dtype.name)
@pytest.mark.parametrize("axis", [0, 1])
def test_sort(dtype, axis):
    assert_as_jax(lambda x: lax.sort(x, dimension=axis), some((37, 21), dtype))


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.float16])
def test_sort_of_specials_is_stable(dtype):
    x = jnp.asarray(SPECIALS, dtype)
    assert_as_jax(lambda x: (jnp.sort(x), jnp.argsort(x), jnp.argsort(x, descending=True)), x)


@pytest.mark.parametrize("keys", [1, 2, 3])
def test_sort_by_several_keys(keys):
    assert_as_jax(lambda *x: lax.sort(x, dimension=1, num_keys=keys), some((5, 90), jnp.int8),
                  some((5, 90), jnp.float32), some((5, 90), jnp.bfloat16),
                  np.arange(450, dtype=np.int32).reshape(5, 90))


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.bfloat16, jnp.int32, jnp.uint8])
@pytest.mark.parametrize("k", [1, 3, 12])
def test_top_k(dtype, k):
    x = jnp.asarray(np.nan_to_num(SPECIALS, posinf=9, neginf=-9) if dtype in (jnp.int32, jnp.uint8)
                    else SPECIALS, dtype)
    assert_as_jax(lambda x: lax.top_k(x, k), x)
    assert_as_jax(lambda x: lax.top_k(x, min(k, 7)), some((6, 7), dtype))


@pytest.mark.skipif(jax.__version_info__ >= (0, 12), reason="traced to a primitive of primitives there")
def test_search_by_total_order():
    assert_as_jax(lambda x: jnp.searchsorted(jnp.sort(x[0]), x[1]), some((4, 33), jnp.float32))


# -- scatter --

INDICES = np.array([3, 0, 9, 3, -1, 2, 5, 3], np.int32)
MODES = ["clip", "drop", "promise_in_bounds"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["set", "add", "subtract", "multiply", "min", "max"])
def test_scatter(mode, name):
    indices = INDICES[(INDICES >= 0) & (INDICES < 6)] if mode == "promise_in_bounds" else INDICES

    def scatter(x, i, u):
        return getattr(x.at[i], name)(u, mode=mode, wrap_negative_indices=False)

    for dtype in (jnp.float32, jnp.int32, jnp.uint8, jnp.bfloat16):
        if dtype == jnp.bfloat16 and name != "set":
            continue  # XLA keeps more precision than the dtype has
        assert_as_jax(scatter, some((6, 4), dtype), indices, some((len(indices), 4), dtype))


@pytest.mark.parametrize("mode", MODES)
def test_scatter_of_windows(mode):
    """Windows that reach outside are moved or dropped as a whole."""
    dnums = lax.ScatterDimensionNumbers(update_window_dims=(1,), inserted_window_dims=(),
                                        scatter_dims_to_operand_dims=(0,))
    assert_as_jax(lambda x, i, u: lax.scatter_add(x, i, u, dnums, mode=mode),
                  some((5,), jnp.float32), np.array([[-1], [3], [4], [0], [2]], np.int32),
                  some((5, 2), jnp.float32))


def test_scatter_with_batch_dimensions():
    dnums = lax.ScatterDimensionNumbers(
        update_window_dims=(2,), inserted_window_dims=(1,), scatter_dims_to_operand_dims=(1,),
        operand_batching_dims=(0,), scatter_indices_batching_dims=(1,))
    assert_as_jax(lambda x, i, u: lax.scatter_max(x, i, u, dnums, mode="drop"),
                  some((3, 5, 4), jnp.int32), RNG.integers(-1, 6, (7, 3, 1)).astype(np.int32),
                  some((7, 3, 4), jnp.int32))


def test_scatter_into_nothing_is_dropped():
    found, = in_kernel(lambda x, i: x.at[:, i].set(1.0), np.zeros((2, 3), np.float32),
                       np.array([7], np.int32))
    np.testing.assert_array_equal(found, 0)


def test_scatter_with_a_function_is_refused():
    dnums = lax.ScatterDimensionNumbers((), (0,), (0,))

    def kernel(x_ref, i_ref, o_ref):
        o_ref[...] = lax.scatter_apply(x_ref[...], i_ref[...], jnp.sin, dnums,
                                       update_shape=(2,))

    x, i = np.zeros(4, np.float32), np.zeros((2, 1), np.int32)
    with pytest.raises(ExportError, match="function of its own"):
        export(jax.experimental.pallas.pallas_call(kernel, out_shape=x), x, i)


# -- gather --


@pytest.mark.parametrize("mode", ["clip", "fill", "promise_in_bounds"])
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.dtype.name)
def test_gather(mode, dtype):
    indices = INDICES[(INDICES >= 0) & (INDICES < 6)] if mode == "promise_in_bounds" else INDICES
    assert_as_jax(lambda x, i: (x.at[i].get(mode=mode), x.at[:, i].get(mode=mode),
                                x[0].at[i].get(mode=mode)), some((6, 6), dtype), indices)


def test_gather_of_windows():
    dnums = lax.GatherDimensionNumbers(offset_dims=(0, 2), collapsed_slice_dims=(),
                                       start_index_map=(1, 0))
    for mode in ("clip", "fill"):
        assert_as_jax(lambda x, i, m=mode: lax.gather(x, i, dnums, (2, 3), mode=m),
                      some((5, 7), jnp.float32), RNG.integers(-2, 8, (9, 2)).astype(np.int32))


def test_take_along_axis():
    assert_as_jax(lambda x, i: jnp.take_along_axis(x, i, 1), some((4, 9), jnp.float32),
                  RNG.integers(0, 9, (4, 5)).astype(np.int32))


def test_total_order_of_top_k():
    """-NaN, -inf, ..., -0, 0, ..., inf, NaN, from the end."""
    values, indices = in_kernel(lambda x: lax.top_k(x, 12), SPECIALS)
    assert list(indices) == [1, 4, 10, 0, 11, 2, 7, 3, 8, 6, 5, 9]
    np.testing.assert_array_equal(bits(values), bits(SPECIALS[indices]))
