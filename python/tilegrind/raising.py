"""Findings as exceptions and warnings, at the kernel's line."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NoReturn, Sequence

from .finding_text import found_file, texts_of

if TYPE_CHECKING:
    from .findings import Finding


class FindingWarning(UserWarning):
    """A finding of a kernel, as a warning."""


class FindingError(RuntimeError):
    """The findings of a run; ``findings`` has all of them.  The innermost frame of its traceback is the kernel's line of
    the first finding."""

    def __init__(self, findings: Sequence[Finding]):
        super().__init__("\n\n".join(texts_of(findings)))
        self.findings = list(findings)

    def __reduce__(self) -> tuple[type[FindingError], tuple[list[Finding]]]:
        """Pickles the error, for another process."""
        return type(self), (self.findings,)


def warn(finding: Finding) -> bool:
    """Warns at the kernel's line.  Returns False if warnings are errors: then nothing has been told."""
    path = found_file(finding.file) or finding.file or f"<kernel {finding.kernel}>"
    try:
        warnings.warn_explicit(str(finding), FindingWarning, path, max(finding.line, 1), registry=_shown)
    except FindingWarning:
        return False
    return True


_shown: dict[Any, Any] = {}  # warnings that the filter "default" has shown


def raise_at_kernel(error: FindingError, cause: BaseException | None = None) -> NoReturn:
    """Raises from a frame at the kernel's line, so that tracebacks end there."""
    first = error.findings[0]
    error.__cause__ = cause
    path = found_file(first.file)
    if path is None or first.line < 1:
        raise error
    name = first.function or first.kernel
    code = compile("\n" * (first.line - 1) + "raise error", path, "exec").replace(co_name=name, co_qualname=name)
    exec(code, {"error": error})
    raise AssertionError("not reached")
