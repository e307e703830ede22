"""Which tensors a program has put on "cuda", where all are on the CPU: those that it made there or copied there, and what torch computes
from such ones."""

from __future__ import annotations

from typing import Any

import torch

_MARK = "_tilegrind_is_on_cuda"


def is_on_cuda(one: Any) -> bool:
    """Whether a tensor is, or one of several."""
    if isinstance(one, (list, tuple)):
        return any(is_on_cuda(part) for part in one)
    return isinstance(one, torch.Tensor) and getattr(one, _MARK, False)


def put_on_cuda(one: Any) -> None:
    """Says so of a tensor, or of several; other values are left alone."""
    if isinstance(one, (list, tuple)):
        for part in one:
            put_on_cuda(part)
    elif isinstance(one, torch.Tensor):
        setattr(one, _MARK, True)
