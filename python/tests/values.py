"""Runs a function of arrays inside a kernel, and asks whether JAX computes the same."""

from __future__ import annotations

from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
import tilegrind
from jax.experimental import pallas as pl
from tilegrind.pallas import export


def in_kernel(function: Callable[..., Any], *arrays: Any) -> list[np.ndarray]:
    """The results of `function` on whole arrays, computed by Tilegrind in a kernel of one program."""
    results = jax.tree.leaves(jax.eval_shape(function, *arrays))

    def kernel(*refs):
        outs = jax.tree.leaves(function(*[ref[...] for ref in refs[: len(arrays)]]))
        for ref, out in zip(refs[len(arrays) :], outs, strict=True):
            ref[...] = out

    shapes = [jax.ShapeDtypeStruct(r.shape, r.dtype) for r in results]
    module = tilegrind.loads(export(pl.pallas_call(kernel, out_shape=shapes), *arrays).dumps())
    names = [param.name for param in module.params() if param.role == "input"]
    run = module.run(dict(zip(names, map(np.asarray, arrays), strict=True)))
    assert run.findings == []
    return list(run.outputs.values())


def bits(array: Any) -> np.ndarray:
    """The elements as unsigned integers, every NaN the same."""
    array = np.asarray(array)
    if not jnp.issubdtype(array.dtype, np.floating):
        return array.astype(np.int64) if array.dtype.kind == "V" else array
    codes = array.view(f"u{array.dtype.itemsize}").copy()
    codes[array != array] = np.iinfo(codes.dtype).max
    return codes


def assert_as_jax(function: Callable[..., Any], *arrays: Any, ulp: int = 0) -> None:
    """JAX, compiled, gives the same bits; or floats at most `ulp` apart."""
    found = in_kernel(function, *arrays)
    wanted = jax.tree.leaves(jax.jit(function)(*arrays))
    for a, b in zip(found, wanted, strict=True):
        b = np.asarray(b)
        assert a.dtype == b.dtype and a.shape == b.shape
        if ulp:
            wide = np.float64
            np.testing.assert_array_max_ulp(a.astype(wide).astype(a.dtype), b, ulp)
        else:
            np.testing.assert_array_equal(bits(a), bits(b))
