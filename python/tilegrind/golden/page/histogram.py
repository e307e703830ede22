"""Histograms over all elements of an output, in bins that double."""

import numpy as np

_LOWEST, _HIGHEST = -12, 12  # powers of two


def of_fractions(fractions, is_open):
    """[text, count] of |got - R| / B: of those that are exact, those in bins that double, and apart those that are
    infinitely far off and those without a bound."""
    counted = fractions[~is_open]
    finite = counted[np.isfinite(counted) & (counted > 0)]
    rows = [["exact", int(np.count_nonzero(counted == 0))], *_bins(finite)]
    return rows + _told([["NaN, infinite, or off where it must be exact", int(np.count_nonzero(np.isinf(counted)))],
                         ["without a bound", int(np.count_nonzero(is_open))]])


def _bins(finite):
    if not finite.size:
        return []
    _, exponents = np.frexp(finite)
    powers = exponents - 1 - (np.ldexp(1.0, exponents - 1) == finite)  # each is above 2^power, and up to 2^(power + 1)
    powers = np.clip(powers, _LOWEST - 1, _HIGHEST)
    lowest, highest = int(powers.min()), int(powers.max())
    counts = np.bincount(powers - lowest, minlength=highest - lowest + 1)
    return [[_power_text(power), int(count)] for power, count in zip(range(lowest, highest + 1), counts)]


def _power_text(power):
    if power < _LOWEST:
        return f"up to 2^{_LOWEST}"
    return f"above 2^{_HIGHEST}" if power == _HIGHEST else f"up to 2^{power + 1}" if power + 1 else "up to 1"


def of_steps(steps):
    """[text, count] of the distances in values of the dtype, from R rounded."""
    finite = steps[np.isfinite(steps)]
    rows = [["0", int(np.count_nonzero(finite == 0))]]
    moved = finite[finite > 0]
    if moved.size:
        counts = np.bincount(np.frexp(moved)[1] - 1)
        first = int(np.flatnonzero(counts)[0])
        rows += [[_range_text(power), int(count)] for power, count in enumerate(counts) if power >= first]
    return rows + _told([["a number for NaN, or NaN for a number", int(np.count_nonzero(np.isinf(steps)))]])


def _range_text(power):
    return "1" if power == 0 else f"{2**power:,} to {2**(power + 1) - 1:,}"


def _told(rows):
    return [row for row in rows if row[1]]
