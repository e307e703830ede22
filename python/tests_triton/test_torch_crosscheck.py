"""Torch tensors as arguments of a crosscheck."""

from __future__ import annotations

import pytest
import triton
import triton.language as tl

from tilegrind.triton import crosscheck

torch = pytest.importorskip("torch")


@triton.jit
def double(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.load(x + at) * 2)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
def test_tensors_of_each_kind(dtype):
    x, o = torch.arange(256).to(dtype), torch.zeros(256, dtype=dtype)
    assert crosscheck(double, x, o, grid=(1,), target=90, B=256).equal
    assert torch.equal(o, x * 2)


def test_tensors_that_begin_later_in_their_memory():
    x, o = torch.arange(512, dtype=torch.float32).reshape(32, 16), torch.zeros(300)
    assert crosscheck(double, x[2:], o[4:], grid=(1,), B=256).equal
    assert torch.equal(o[4:260], torch.arange(32, 288) * 2)
