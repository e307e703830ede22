"""Kernels of Mosaic GPU that are called from PyTorch, with tensors on a CPU.

TILEGRIND_TORCH names a folder with PyTorch that Python does not search by itself, as the distribution's.
"""

import importlib
import os
import sys
import types

import jax
import jax.numpy as jnp
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

import tilegrind.pallas as tp
from mosaic_kernels import f32, ints, launch_of

if folder := os.environ.get("TILEGRIND_TORCH"):
    sys.path.append(folder)  # behind the packages of this environment, numpy among them


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def add(x_ref, y_ref, o_ref):
    o_ref[...] = 2 * x_ref[...] + y_ref[...]


ADD = plgpu.as_torch_kernel(launch_of(add, out=f32(128)))


def test_tensors_in_and_out(torch):
    x, y = torch.arange(128.0), torch.ones(128)
    with tp.interpreter():
        result = ADD(x, y)
        again = ADD(y, x)
    assert isinstance(result, torch.Tensor)
    assert torch.equal(result, 2 * x + y)
    assert torch.equal(again, 2 * y + x)


def test_findings_are_those_of_the_kernel(torch):
    def broken(x_ref, o_ref):
        o_ref[pl.ds(0, 64)] = x_ref[pl.ds(0, 64)]

    with tp.check(on_finding="collect") as checked:
        plgpu.as_torch_kernel(launch_of(broken, out=f32(128)))(torch.ones(128))
    assert {finding.kind for finding in checked.findings} == {"output-unwritten"}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int32", "int8", "uint8"])
def test_dtypes(torch, dtype):
    def double(x_ref, o_ref):
        o_ref[...] = x_ref[...] + x_ref[...]

    x = torch.arange(128).to(getattr(torch, dtype)) % 50
    with tp.interpreter():
        result = plgpu.as_torch_kernel(launch_of(double, out=jax.ShapeDtypeStruct((128,), dtype)))(x)
    assert torch.equal(result, x + x)


def test_several_outputs_and_a_tensor_with_strides(torch):
    def split(x_ref, first_ref, second_ref):
        first_ref[...] = x_ref[0]
        second_ref[...] = x_ref[1]

    x = torch.arange(256.0).reshape(128, 2).T
    with tp.interpreter():
        first, second = plgpu.as_torch_kernel(launch_of(split, out=(f32(128), f32(128))))(x)
    assert torch.equal(first, x[0]) and torch.equal(second, x[1])


def test_a_tensor_of_another_device(torch):
    with tp.interpreter(), pytest.raises(ValueError, match="argument 0 is on meta; Tilegrind takes tensors on the CPU"):
        ADD(torch.ones(128, device="meta"), torch.ones(128))


def test_int64_is_not_cut_to_int32(torch):
    def copy(x_ref, o_ref):
        o_ref[...] = x_ref[...]

    with tp.interpreter(), pytest.raises(ValueError, match=r"argument 0 is \(8,\) of torch.int64, not \(8,\) of torch.int32"):
        plgpu.as_torch_kernel(launch_of(copy, out=ints(8)))(torch.arange(8))


# ---- without PyTorch ----

def test_without_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with tp.interpreter(), pytest.raises(RuntimeError, match="as_torch_kernel: PyTorch is not installed"):
        ADD(jnp.ones(128), jnp.ones(128))


@pytest.mark.parametrize("function, message", [
    (lambda x, y: launch_of(add, out=f32(128))(x, y) + 1, r"test_mosaic_gpu_torch.py:\d+: add: .* compute nothing else"),
    (lambda x, y: [launch_of(add, out=f32(128))(x, y), launch_of(add, out=f32(128))(y, x)], "this is the second"),
    (lambda x, y: x, "as_torch_kernel: the function launches no kernel")], ids=["computes", "two launches", "none"])
def test_functions_that_are_not_one_kernel(monkeypatch, function, message):
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace())
    with tp.interpreter(), pytest.raises(tp.ExportError, match=message):
        plgpu.as_torch_kernel(function)(jnp.ones(128), jnp.ones(128))


def test_afterwards_jax_has_its_own_again():
    module = importlib.import_module("jax._src.pallas.mosaic_gpu.torch")
    own = module._compile_fn
    with tp.interpreter():
        assert module._compile_fn is not own
        with tp.check():
            assert module._compile_fn is not own
        assert module._compile_fn is not own
    assert module._compile_fn is own
