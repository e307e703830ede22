"""An oracle that shares no code with Tilegrind: JAX's own interpreter in f64."""

import contextlib

import jax
import numpy as np

from ..pallas.running import wide
from .recording import NotRecorded

JAX_F64 = "jax-f64"
_SHARE = 1 / 64        # of B, by which R and the oracle may differ
_NOISE = 2.0**-44      # of R: roundings of both in f64


class Unable(RuntimeError):
    """JAX cannot run a call in f64; the text says why."""


def largest_gap(launch, subject, inputs):
    """The largest |R - oracle| / B over all elements of all outputs, on some InputSets.

    launch  the pallas.launches.Launch of which the subject is the kernel
    Raises NotRecorded, with the place, where that is more than 1/64 and than the noise of f64; Unable.
    """
    return max(_largest_on(launch, subject, one) for one in inputs)


def _largest_on(launch, subject, inputs):
    arrays = subject.arrays(inputs)
    expected, found = subject.witness(arrays).outputs, _run(launch, [*map(np.int32, subject.grid), *arrays.values()])
    return max(_held(f"{inputs.name}/{name}", expected[name], array, _is_f64(subject))
               for name, array in zip(output_names(subject), found, strict=True))


def output_names(subject):
    return [param.name for param in subject.params if param.role == "output"]


def _is_f64(subject):
    return "f64[" in subject.module.to_json()


def _run(launch, operands):
    try:
        with _on_cpu():
            return wide.Call.of(launch.eqn.params).run_in_f64(*operands)
    except Exception as problem:  # whatever JAX has against the call in f64
        raise Unable(f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else ''}") from problem


def _on_cpu():
    """The CPU, as not every device has f64."""
    try:
        return jax.default_device(jax.local_devices(backend="cpu")[0])
    except RuntimeError:
        return contextlib.nullcontext()


def _held(where, expected, found, is_f64):
    """The largest |R - oracle| / B.  A kernel in f64 is as far off as the oracle may be."""
    if expected.exact is None:
        different = np.argwhere(expected.bits != found)
        if len(different):
            _refuse(where, different[0], expected.bits, found, 0.0)
        return 0.0
    exact, bound = expected.exact, expected.bound
    known = np.isfinite(exact) & np.isfinite(found) & np.isfinite(bound)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.where(known, np.maximum(np.abs(exact - found) - _NOISE * np.abs(exact), 0), 0)
        shares = np.where(gap == 0, 0.0, gap / np.where(bound == 0, np.nan, bound))
    shares = np.where(np.isnan(shares), np.inf, shares)
    worst = np.unravel_index(int(np.argmax(shares)), shares.shape) if shares.size else ()
    if shares.size and shares[worst] > (2 if is_f64 else _SHARE):
        _refuse(where, worst, exact, found, bound[worst])
    return float(shares[worst]) if shares.size else 0.0


def _refuse(where, index, exact, found, bound):
    at = tuple(map(int, index))
    raise NotRecorded(f"{where}{list(at)}: Tilegrind has R = {exact[at]!r}, JAX's interpreter in f64 {found[at]!r}, and the bound is only "
                      f"{float(bound):.4g}: one of the two is wrong, please report it")
