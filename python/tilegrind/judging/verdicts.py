"""Verdicts: an array against what is expected of it.

NaN is no wildcard: a NaN is right only where the exact result is NaN.
"""

import functools
from dataclasses import dataclass

import numpy as np

# From the best to the worst.
KINDS = ("equal", "within", "statistical", "outside", "special-differs", "shape", "missing")
FAILURES = frozenset(KINDS[2:])


@dataclass(frozen=True)
class Verdict:
    """The verdict on one output.

    kind      "equal": the interpreter's bits; "within": all elements are within their bounds; "statistical": one is outside its
              probable bound, all are within their certain ones; "outside": one is outside that too;
              "special-differs": NaN, or an infinity, where a number should be, or the reverse; "shape": another shape or
              dtype; "missing": no such array
    worst     the largest |got - R| / B; infinite for an element that must be exact and is not, and for specials
    index     where that is, and there `got`, `want` (R; for integers the interpreter's result), `bound`
    failing   how many elements fail, of `count`
    open      how many elements have no bound, so that nothing can be said of them
    """

    output: str
    kind: str
    worst: float = 0.0
    index: tuple | None = None
    got: object = None
    want: object = None
    bound: float = 0.0
    failing: int = 0
    open: int = 0
    count: int = 0
    note: str = ""

    @property
    def failed(self):
        return self.kind in FAILURES

    def __str__(self):
        if self.kind in ("shape", "missing"):
            return f"{self.output}: {self.kind}: {self.note}"
        if self.kind == "equal":
            return f"{self.output}: equal, {self.count} elements"
        at = "[" + ", ".join(map(str, self.index)) + "]" if self.index is not None else "nowhere"
        if self.kind == "within":
            return f"{self.output}: within, worst {self.worst:.3g} of its bound at {at}"
        if self.note and self.kind == "statistical":
            return f"{self.output}: statistical: {self.note}"
        kind = "statistical (possible, but not by chance)" if self.kind == "statistical" else self.kind
        return (f"{self.output}: {kind}, {self.failing} of {self.count} elements; worst at {at}: got {self.got}, "
                f"want {self.want} +- {self.bound:.4g}")


def judge(output, expected, got):
    """The Verdict on the array `got`, or None, for an output of that name."""
    want = expected.bits
    if got is None:
        return Verdict(output, "missing", note="no array of that name", count=want.size)
    got = np.asarray(got)
    if got.shape != want.shape or got.dtype != want.dtype:
        return Verdict(output, "shape", note=f"got {type_of(got)}, want {type_of(want)}", count=want.size)
    if expected.exact is None:
        return _of_bits(output, want, got)
    fractions, is_open = error_fractions(expected, got)
    failing = 0 if np.max(fractions, initial=0) <= 1 else int(np.count_nonzero(fractions > 1))
    if failing:
        special = np.isinf(fractions) & (_is_special(got) != _is_special(expected.exact))
        kind = "special-differs" if np.all(special[fractions > 1]) else "outside"
    else:
        kind = "equal" if same_bits(got, want) else "within"
    return _at_worst(output, kind, fractions, got, expected.exact, expected.bound, failing, int(np.count_nonzero(is_open)))


def error_fractions(expected, got):
    """|got - R| / B of each element, and which elements have no bound: there the fraction is 0."""
    exact, bound = expected.exact, expected.bound
    value, is_open = got.astype(np.float64), np.zeros(got.shape, bool)
    if not bound.any() and _are_exact(expected, value):
        return np.zeros(value.shape), is_open
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        fractions = np.asarray(np.subtract(value, exact))
        np.divide(np.abs(fractions, out=fractions), bound, out=fractions)
    odd = ~((fractions < np.inf) & (bound < np.inf))
    if odd.any():
        fractions[odd], is_open[odd] = _of_odd(value[odd], exact[odd], bound[odd], expected.signs)
    return fractions, is_open


def _are_exact(expected, value):
    same = (value == expected.exact).all()
    return same and (not expected.signs or np.array_equal(np.signbit(value), np.signbit(expected.exact)))


def _of_odd(value, exact, bound, signs):
    """What error_fractions says of elements where something is no number, or 0."""
    is_open = ~(bound < np.inf)  # NaN too
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        error = np.abs(value - exact)
        fractions = np.where(error == 0, 0.0, error / bound)
    fractions = np.where(np.isfinite(exact) & np.isfinite(value), fractions, np.inf)
    same = (value == exact) | (np.isnan(value) & np.isnan(exact))
    fractions = np.where(same | is_open, 0.0, fractions)
    if signs:
        fractions[(exact == 0) & (bound == 0) & (value == 0) & (np.signbit(value) != np.signbit(exact))] = np.inf
    return fractions, is_open


def steps(a, b):
    """How many values of the dtype lie between two arrays of floats, element by element: 0 for equal ones, f64; infinite between
    NaN and a number.  0 and -0 are equal."""
    a, b = _line(a), _line(b)
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(a) | np.isnan(b), np.where(np.isnan(a) & np.isnan(b), 0, np.inf), np.abs(a - b))


def _line(array):
    """The place of each float among all values of its dtype, 0 in the middle; NaN for NaN."""
    bits = array.view(f"i{array.dtype.itemsize}")
    low = np.iinfo(bits.dtype).min
    place = np.where(bits < 0, -(bits - low).astype(np.float64), bits.astype(np.float64))
    return np.where(np.isnan(array.astype(np.float64)), np.nan, place)


def same_bits(a, b):
    """Whether two arrays of one type have the same bits; all NaNs count as one, as the language does not say which."""
    if a.dtype.kind in "biu" or np.dtype(a.dtype).name.startswith(("int", "uint", "bool")):
        return bool(np.array_equal(a, b))
    a, b, bits = np.ravel(a), np.ravel(b), np.dtype(f"u{a.dtype.itemsize}")  # contiguous, and of one dimension at least
    differs = a.view(bits) != b.view(bits)
    if not differs.any():
        return True
    first = int(np.argmax(differs))
    if not _both_nan(a[first], b[first]):
        return False
    return bool(np.all(_both_nan(a[differs], b[differs])))


def _both_nan(a, b):
    return np.isnan(np.asarray(a, np.float64)) & np.isnan(np.asarray(b, np.float64))


def _of_bits(output, want, got):
    differs = np.asarray(got != want)
    failing = int(np.count_nonzero(differs))
    fractions = np.where(differs, np.inf, 0.0)
    return _at_worst(output, "outside" if failing else "equal", fractions, got, want, np.zeros(want.shape), failing, 0)


def _at_worst(output, kind, fractions, got, want, bound, failing, is_open):
    if fractions.size == 0:
        return Verdict(output, kind)
    at = int(np.argmax(fractions))
    index = tuple(map(int, np.unravel_index(at, fractions.shape)))
    return Verdict(output, kind, float(fractions.flat[at]), index, got[index], want[index], float(bound[index]), failing,
                   is_open, got.size)


def _is_special(array):
    return ~np.isfinite(array.astype(np.float64))


def type_of(array):
    """Its dtype and shape, as float32[2,3]."""
    return f"{_name_of(array.dtype)}[{','.join(map(str, array.shape))}]"


@functools.cache
def _name_of(dtype):
    """dtype.name, which numpy makes anew each time."""
    return dtype.name
