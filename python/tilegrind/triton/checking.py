"""Checking from Python: every launch of a Triton kernel runs in Tilegrind with checks on, and in other orders too."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Sequence

from ..orders import orders_of
from ..suppressions import Suppressions, suppressions_of
from ..trial import prepared
from .interpreting import Active, judge
from .lowering.choices import Choices
from .running.session import Session


def check(*, checks: str | Sequence[str] = "all", orders: bool = True, shuffles: int = 8, interleavings: int = 4, seed: int = 1,
          fail_on: str = "error", on_finding: str = "raise", suppressions: Suppressions | str | Path | Sequence[str | Path] | None = None,
          save: str | Path | None = None, trace: str | Path | None = None, trace_order: str = "sequential", device: str = "cpu",
          capability: int | None = None, autotune: str = "first", inductor: bool = False, scans: str = "sequential", prints: str = "program",
          **options: Any) -> Active:
    """Checks every launch of a Triton kernel inside the ``with`` block: it runs in Tilegrind in order sequential, which gives its
    results, with the detectors on, and then in other orders.

    checks          the checks to run (docs/checks.md): "all", "none", or names, as a list or separated by commas
    orders          whether to run in other orders too, with the same checks: reversed, `shuffles` shuffled and `interleavings`
                    interleaved ones, with seeds from `seed` on; without them a check costs little more than the run, but does not
                    find `order-dependence`, `order-rounding`, and faults that only another order shows
    fail_on         the least level of findings that raise: "error", "warning", "note" or "advice"
    on_finding      "raise": the launch raises a FindingError whose traceback ends at the kernel's line; findings of lesser levels are
                    warnings.  "warn": all are FindingWarnings at the kernel's line.  "collect": they are in ``findings``
    suppressions    known findings: Suppressions, a path or several (docs/reports.md).  They neither raise nor warn,
                    and are in ``suppressed``
    save            folder for a case of each kernel that has other findings, which ``tilegrind check`` accepts
    trace           folder for the timeline of the first launch of each kernel, and of those with new findings (docs/page.md): from
                    one more run, in `trace_order`
    device, capability, autotune, inductor, scans, prints, options
                    as for `interpreter`

    The object has also ``cases`` and ``traces``, and ``start()`` and ``stop()``, which begin and end it without ``with``.  Raises what
    `interpreter` raises.
    """
    names = checks if isinstance(checks, str) else ",".join(checks)
    running = Session(options, on_finding, names, orders_of(orders, shuffles, interleavings, seed), fail_on,
                      suppressions_of(suppressions), _folder(save), _folder(trace), trace_order, autotune, Choices(scans), prints)
    judge(running, "on_finding", device, capability)
    prepared(order=trace_order).close()
    return Active(running, device, capability, inductor)


def _folder(path: str | Path | None) -> Path | None:
    return None if path is None else Path(path).absolute()
