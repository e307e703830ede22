"""Triton's own lowering beside the reference: the PTX that Triton makes of a kernel runs in the emulator, without a GPU."""

from __future__ import annotations

import argparse
from typing import Any, Callable, Sequence

from ..suppressions import suppressions_of
from .crosscheck_report import Progress, Report, backends_of
from .interpreting import Active, judge
from .ptx.compiling import TARGETS, checked_target
from .ptx.crosschecks import BACKENDS, Crosscheck, Crosschecking
from .ptx.emulating import How


def crosscheck(kernel: Any, *args: Any, grid: Sequence[int] | Callable[[dict[str, Any]], Sequence[int]], target: int = 80, seed: int = 0,
               races: bool = True, instruction_limit: int = 0, explain: bool = False, **options: Any) -> Crosscheck:
    """Runs one launch of a `triton.jit` function twice, and compares what it leaves in its arrays.

    The reference runs the kernel in place.  Triton compiles it for `target`, the number of sm_80 or sm_90, and its PTX runs in the
    emulator on copies of the memory.

    args, options  as of `kernel[grid](*args, **options)`: arrays, numbers, constexprs, num_warps ...
    seed           order of CTAs, warps and approximations in the emulator; 0: the natural one
    races          whether the emulator looks for races within a CTA.  Stores of one value to one word of shared memory are none
                   (docs/triton-ptx.md)
    explain        whether the first operation that differs is looked for, where something differs; it is ``first`` of the result
    Raises NotCompared where Triton cannot compile the kernel for the target, or the emulator cannot be given its arguments;
    tilegrind.Error for PTX that the emulator does not understand; ExportError for a kernel that the reference does not; ValueError for
    another target."""
    running = crosschecking(target=target, how=How(seed, races, False, instruction_limit), explains=explain)
    with Active(running):
        kernel[grid](*args, **options)
    result = running.results[-1]
    if result.refusal:
        raise result.refusal
    return result


def crosschecking_for(options: argparse.Namespace, report: Report) -> Active:
    """The context of ``python -m tilegrind.triton crosscheck``: each result goes to the report.  Raises ValueError, tilegrind.Error."""
    progress = Progress()

    def tell(result: Crosscheck) -> None:
        progress.clear()
        report.tell(result)

    target = options.target or (options.capability if options.capability in TARGETS else 80)
    how = How(options.seed, not options.no_races, options.cta_races, options.instructions)
    made = crosschecking(target, backends=backends_of(options.backends, BACKENDS), how=how, tell=tell, starts=progress.running,
                         checks=options.checks, fail_on=options.fail_on, suppressions=suppressions_of(options.suppressions),
                         autotune=options.autotune, explains=not options.no_first, ulps=options.ulp, most=options.atol, limit=options.limit)
    judge(made, "findings", options.device, options.capability)
    return Active(made, options.device, options.capability, options.inductor)


def crosschecking(target: int = 80, **options: Any) -> Crosschecking:
    """A session for `Active`, whose findings are collected.  Raises ValueError for a target that is none of `TARGETS`."""
    return Crosschecking(on_finding="collect", target=checked_target(target), **options)
