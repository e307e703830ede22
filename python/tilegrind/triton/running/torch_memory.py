"""Memory of torch: what `torch.empty` and its kin make is undefined, until something of torch writes it."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, ContextManager, Iterator

from .torch_compile import eager
from .undefined import defined, undefined

EMPTY = {"empty", "empty_strided", "empty_like", "empty_permuted", "new_empty", "new_empty_strided"}


@contextlib.contextmanager
def watched(is_wanted: bool) -> Iterator[None]:
    """Watches operations of torch in a ``with`` block, if that is wanted and torch is there.  What numpy writes to memory of torch is not
    seen; `defined` says so."""
    if not is_wanted or "torch" not in sys.modules:
        yield
        return
    with eager(), _mode():
        yield


def _mode() -> ContextManager[Any]:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            if func.namespace == "aten" and func._overloadpacket.__name__ in EMPTY:
                _on_cpu(torch, undefined, result)
            for value in _written(func, args, kwargs or {}):
                _on_cpu(torch, defined, value)
            return result

    return Watch()


def _written(func: Any, args: Any, kwargs: dict[str, Any]) -> list[Any]:
    """The arguments that an operation writes to."""
    found = []
    for number, argument in enumerate(func._schema.arguments):
        if argument.alias_info is None or not argument.alias_info.is_write:
            continue
        value = args[number] if number < len(args) else kwargs.get(argument.name)
        found += value if isinstance(value, (list, tuple)) else [value]
    return found


def _on_cpu(torch: Any, tell: Any, value: Any) -> None:
    if isinstance(value, torch.Tensor) and value.device.type == "cpu" and value.layout == torch.strided and not value.is_complex():
        tell(value)
