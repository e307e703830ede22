"""Triton kernels in Tilegrind, on the CPU.

``interpreter()`` is a context manager in which launches of Triton kernels run in Tilegrind, on numpy arrays and torch tensors.
``check()`` is one in which they run with every check, and which keeps what is found.

`ttir`, `lowering` and `rules` read what Triton's compiler writes, and need no Triton.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .lowering.errors import ExportError

if TYPE_CHECKING:
    from .checking import check, interpreter

__all__ = ["ExportError", "check", "interpreter"]


def __getattr__(name: str) -> Any:
    """What needs Triton is loaded when it is first asked for.

    Triton imports `triton.backend` of this package from inside its own `import triton`, when little of Triton is there yet."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import checking

    return getattr(checking, name)
