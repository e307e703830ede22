"""Kernels of one operation of TTIR, as Triton prints them, run on numpy arrays."""

import numpy as np

from tilegrind import runtime
from tilegrind.ir import dtypes
from tilegrind.triton.launch.kernel import convert
from tilegrind.triton.lowering.values import DTYPES
from tilegrind.triton.ttir.reader import read

COUNT = 8


def text_of(line, sources, target):
    """A kernel that loads arrays of TTIR's dtypes `sources`, as %x, %y and %z, and stores what `line` gives as %r."""
    kinds = dict(zip("xyz", sources))
    pointers = {name: f"!tt.ptr<{kind}>" for name, kind in {**kinds, "o": target}.items()}
    loads = [f"""
    %p{name} = tt.splat %{name}_ptr : {kind} -> tensor<{COUNT}x{kind}>
    %a{name} = tt.addptr %p{name}, %i : tensor<{COUNT}x{kind}>, tensor<{COUNT}xi32>""" for name, kind in pointers.items()]
    values = [f"\n    %{name} = tt.load %a{name} : tensor<{COUNT}x!tt.ptr<{kind}>>" for name, kind in kinds.items()]
    return f"""module {{
  tt.func public @k({", ".join(f"%{name}_ptr: {kind}" for name, kind in pointers.items())}) {{
    %i = tt.make_range {{end = {COUNT} : i32, start = 0 : i32}} : tensor<{COUNT}xi32>{"".join(loads)}{"".join(values)}
    %r = {line}
    tt.store %ao, %r : tensor<{COUNT}x!tt.ptr<{target}>>
    tt.return
  }}
}}
"""


def tensor(kind):
    return f"tensor<{COUNT}x{kind}>"


def run(line, sources, target, *inputs, **options):
    """The result of `line` for the inputs, which are repeated or cut to 8 elements; those of i1 are bytes."""
    module = runtime.loads(convert(read(text_of(line, sources, target)), {f"{name}_ptr": COUNT for name in "xyzo"}).compact())
    arrays = {f"{name}_ptr": np.resize(np.asarray(one), COUNT).astype(memory(kind)) for name, kind, one in zip("xyz", sources, inputs)}
    arrays["o_ptr.before"] = np.zeros(COUNT, memory(target))
    return module.run(arrays, grid=(1, 1, 1), **options).outputs["o_ptr"]


def memory(kind):
    return dtypes.numpy_dtype("i8" if kind == "i1" else DTYPES[kind])


def same(got, wanted):
    """The same values, zeros of the same sign."""
    wanted = np.resize(np.asarray(wanted), COUNT).astype(got.dtype)
    np.testing.assert_array_equal(got.astype(np.float64), wanted.astype(np.float64))
    if got.dtype.kind not in "iub":
        np.testing.assert_array_equal(np.signbit(got.astype(np.float64)), np.signbit(wanted.astype(np.float64)))
