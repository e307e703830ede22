"""The only error that an export raises, and the kinds of findings."""

from __future__ import annotations


class Unsupported(Exception):
    """Raised inside a conversion rule; becomes an ExportError with the equation's location."""


# Kinds of findings: those of report/finding.h; docs/findings.md has their meaning.
FINDING_KINDS = frozenset((
    "block-outside-array", "access-outside-ref", "output-unwritten", "division-by-zero", "shift-too-far",
    "endless-loop", "livelock", "assumes-resident", "step-limit", "multiple-of-broken", "check-failed", "race", "race-same-value", "order-dependence",
    "order-rounding", "deadlock", "semaphore-left", "dma-not-awaited", "dma-in-flight", "undefined-output",
    "undefined-condition", "undefined-address", "integer-overflow", "float-to-int-range",
    "scatter-duplicates", "alias-assumed", "alias-unfetched", "prefetch-written", "program-independent", "nan-made",
    "inf-made", "block-revisited", "replicas-differ", "layout-mismatch", "layout-overlap", "layout-illegal", "layout-unchecked",
    "memory-cost"))


class ExportError(Exception):
    """A Pallas program that Tilegrind does not support.

    primitive  name of the JAX primitive at fault, or ``"pallas_call"`` for the launch itself
    file       the user's source file, or None if JAX kept no location
    line       the line in it, or None
    message    what is wrong, without the location
    """

    def __init__(self, primitive: str, file: str | None, line: int | None, message: str):
        where = f"{file}:{line}: " if file is not None else ""
        super().__init__(f"{where}{primitive}: {message}")
        self.primitive = primitive
        self.file = file
        self.line = line
        self.message = message
