"""`torch.compile` where memory of torch is watched: functions run as they are written, as compiled ones write to memory unseen."""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import Any, Iterator


@contextlib.contextmanager
def eager() -> Iterator[None]:
    """`torch.compile` compiles nothing in a ``with`` block, `fullgraph` included.  Its compiler takes long to import, which is left to
    the first use."""
    import torch

    with contextlib.ExitStack() as undo:
        if "torch._dynamo" in sys.modules:
            undo.enter_context(torch.compiler.set_stance("force_eager"))
        else:
            undo.callback(setattr, torch, "compile", torch.compile)
            torch.compile = _first_use(torch, undo)
        yield


def _first_use(torch: Any, undo: contextlib.ExitStack) -> Any:
    original = torch.compile

    @functools.wraps(original)
    def compile(*args: Any, **kwargs: Any) -> Any:
        if torch.compile is compile:
            torch.compile = original
            undo.enter_context(torch.compiler.set_stance("force_eager"))
        return original(*args, **kwargs)

    return compile
