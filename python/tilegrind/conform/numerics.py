"""Judges numbers: by their bits, and where these differ, by the bound that follows from the contract of the runner.

The bound comes from a companion kernel (docs/bounds.md).  All judging of results goes through ``judged``.
"""

from __future__ import annotations

import functools
from typing import Mapping

import numpy as np

from ..errors import Error
from ..judging import Expected, Undecided, Unjudged, Witness
from ..judging.errors_of_all import LARGEST_SCORE, leaning
from ..judging.verdicts import error_fractions
from .comparing import compare, different
from .files import Written
from .suite import Case, Run
from .verdicts import Fault, Verdict

DEFAULT_CONTRACT = "ieee"


def judged(case: Case, run: Run, got: Mapping[str, Written], contract: str) -> Verdict:
    """The verdict on the outputs of a run by an implementation that keeps a contract.  Raises Fault for a contract that
    does not exist."""
    verdict = compare(run.expected, got)
    if verdict.kind not in ("differs", "special-differs") or not _has_floats(run):
        return verdict
    try:
        witness = _witness(case.module, contract, case.grid, run)
    except (Unjudged, Undecided) as problem:
        return Verdict("unjudged", " ".join(f"{problem}; {verdict.detail}".split()))
    worst = verdict
    for name, (tensor, data) in run.expected.items():
        differs = different(tensor, data, got[name].data).reshape(tensor.shape)
        if not differs.any():
            continue
        worst = _of_output(name, witness.outputs[name], got[name].array, differs, verdict)
        if not worst.is_met:
            return worst
    return _of_errors(witness, got) if case.statistics else worst


def _of_errors(witness: Witness, got: Mapping[str, Written]) -> Verdict:
    """Whether the errors of all elements lean away from zero or toward it, as they do where roundings truncate."""
    worst = Verdict("within", "no output has enough errors for statistics")
    for name, expected in witness.outputs.items():
        if expected.exact is None:
            continue
        lean = leaning(expected, got[name].array)
        if lean is None:
            continue
        score, count = lean
        told = f"the errors of {count} elements of {name} lean by {score:.1f} standard errors of their mean"
        if abs(score) > LARGEST_SCORE:
            return Verdict("biased", f"{told}; no more than {LARGEST_SCORE:g} is chance")
        worst = Verdict("within", told)
    return worst


def _has_floats(run: Run) -> bool:
    return any(tensor.dtype.startswith(("f", "bf")) for tensor, _ in run.expected.values())


@functools.lru_cache(maxsize=64)
def _module(text: str):
    from ..runtime import loads  # the C library, which equal bits do not need

    return loads(text)


def _witness(module: str, contract: str, grid: tuple[int, ...], run: Run) -> Witness:
    arrays = {name: np.frombuffer(data, np.uint8).view(tensor.numpy).reshape(tensor.shape)
              for name, (tensor, data) in run.inputs.items()}
    try:
        return Witness.of(_module(module), contract, arrays, grid=grid)
    except Error as problem:
        raise Fault("bad-hello", f"contract {contract!r}: {' '.join(str(problem).split())}") from None


def _of_output(name: str, expected: Expected, got: np.ndarray, differs: np.ndarray, by_bits: Verdict) -> Verdict:
    """The verdict on an output with other bits."""
    if expected.exact is None:
        return by_bits
    fractions, is_open = error_fractions(expected, got)
    failing = int((fractions > 1).sum())
    at = np.unravel_index(int(np.argmax(fractions)), fractions.shape)
    place = f"{name}[{','.join(map(str, at))}]"
    seen = f"{got[at]} where {expected.exact[at]:.17g} +- {expected.bound[at]:.3g} is right"
    if failing:
        is_zero = expected.exact[at] == 0 and got[at] == 0  # of the wrong sign
        of_number = np.isfinite(expected.exact[at]) and np.isfinite(got[at].astype(np.float64))
        return Verdict("outside" if of_number and not is_zero else "special-differs",
                       f"{failing} of {got.size} elements of {name}; {place} is {seen}")
    if (differs & is_open).any():
        return Verdict("unjudged", f"{int((differs & is_open).sum())} elements of {name} differ and have no bound")
    return Verdict("within", f"{fractions[at]:.3g} of the bound at {place}: {seen}")
