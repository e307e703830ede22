"""Making Tilegrind Triton's device, and undoing that."""

from __future__ import annotations

import contextlib
import os
from typing import Any

import triton
from triton.backends import Backend, backends

from . import compiler, driver, target, texts

NAME = "tilegrind"
_INDUCTOR_NAME = "cpu"  # under which PyTorch looks for a backend of Triton that runs on the CPU


def activate(undo: contextlib.ExitStack, capability: int | None = None, inductor: bool = False) -> None:
    """Makes launches run in Tilegrind until `undo` runs.

    capability  of the GPU of NVIDIA that Triton and programs are told to be on, 90 for 9.0; None: they are told "cpu"
    inductor    whether `torch.compile` makes Triton kernels for the CPU too

    Raises RuntimeError where the program has asked for Triton's own interpreter."""
    if os.environ.get("TRITON_INTERPRET", "0").lower() in ("1", "true", "on", "yes", "y"):
        raise RuntimeError("TRITON_INTERPRET is set: Triton's own interpreter takes the place of each kernel where it is decorated; "
                           "unset it before the program imports its kernels")
    undo.callback(_put_back, dict(backends), triton.runtime.driver._active)
    undo.callback(texts.offer())
    ours = Backend(compiler.TilegrindBackend, driver.TilegrindDriver)
    backends.pop(NAME, None)
    backends[_INDUCTOR_NAME if inductor else NAME] = ours
    if capability is not None:
        backends.pop("nvidia", None)  # there must be one for each target
    target.present(capability)
    undo.callback(target.withdraw)
    triton.runtime.driver.set_active(driver.TilegrindDriver())
    if inductor:
        _let_inductor_use_it(undo)


def _put_back(before: dict[str, Any], active: Any) -> None:
    backends.clear()
    backends.update(before)
    triton.runtime.driver._active = active


def _let_inductor_use_it(undo: contextlib.ExitStack) -> None:
    from torch._inductor import config

    had = config.cpu_backend
    config.cpu_backend = "triton"
    undo.callback(setattr, config, "cpu_backend", had)
    _forget()
    undo.callback(_forget)


def _forget() -> None:
    """Makes PyTorch find out about Triton anew, and compile anew."""
    import torch
    from torch.utils import _triton

    for function in vars(_triton).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()
    torch._dynamo.reset()
