"""Refusing kernels that do not keep the rules of layout/legal/: what hardware demands, and what programs it."""

from __future__ import annotations

from typing import NoReturn

from ..._demands import DEMANDS
from ...ir.errors import Unsupported


def broken(rule: str, found: str) -> NoReturn:
    """Raises Unsupported: a kernel does not keep a rule, since `found`."""
    demands, source = DEMANDS[rule]
    raise Unsupported(f"{rule}: {found}; {demands} ({source})")
