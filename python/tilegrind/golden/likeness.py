"""Which mutant a wrong result is most like: a first guess at what is wrong with the implementation."""

from dataclasses import dataclass

import numpy as np

_LEAST_EXPLAINED = 0.5  # share of the error that a mutant must explain to be named


@dataclass(frozen=True)
class Likeness:
    """A mutant and how much of the error it explains: 1 - |got - mutant| / |got - R|, from 0.5 to 1."""

    kind: str
    site: str
    about: str
    explained: float

    def __str__(self):
        return f"as if {self.about} ({self.site}): that explains {self.explained:.1%} of the error"


def most_like(mutants, trial, outputs):
    """The Likeness of outputs to the mutant that explains most of their error; None where no mutant does."""
    from ..mutants import KINDS

    about = {kind.name: kind.about for kind in KINDS}
    best = None
    for kind, site, made, must in mutants.outputs(trial):
        share = 0.0 if must or made is None else _explained(trial.witness.outputs, outputs, made)
        if share >= _LEAST_EXPLAINED and (best is None or share > best.explained):
            best = Likeness(kind, site, about[kind], share)
    return best


def _explained(expected, outputs, made):
    """How much of the error of all outputs a mutant explains, by the elements where R is finite."""
    error = rest = 0.0
    for name, one in expected.items():
        got, mutant = outputs.get(name), made.get(name)
        if got is None or mutant is None or np.shape(got) != one.bits.shape or np.shape(mutant) != one.bits.shape:
            return 0.0
        want = one.bits if one.exact is None else one.exact
        got, mutant, want = (_real(array) for array in (got, mutant, want))
        scale = _scale(one, want)
        known = np.isfinite(want)
        most = _most(got, want, scale)
        error += np.sum(np.where(known, _gap(got, want, most) / scale, 0))
        rest += np.sum(np.where(known, _gap(got, mutant, most) / scale, 0))
    return max(0.0, 1 - rest / error) if error > 0 else 0.0


def _real(array):
    return np.asarray(array).astype(np.float64)


def _scale(expected, want):
    """Errors of outputs of different sizes are compared as shares of the largest result."""
    sizes = np.abs(want[np.isfinite(want)])
    return float(sizes.max()) if sizes.size and sizes.max() > 0 else 1.0


def _most(got, want, scale):
    """What the gap next to an infinity or NaN counts as, which must not outweigh all else: 4 times the largest finite error."""
    with np.errstate(invalid="ignore"):
        error = np.abs(got - want)
    finite = error[np.isfinite(error)]
    return 4 * finite.max() if finite.size and finite.max() > 0 else scale


def _gap(a, b, most):
    """|a - b|, and no more than `most`."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(a - b)
    gap = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, gap)
    return np.where(np.isfinite(gap), np.minimum(gap, most), most)
