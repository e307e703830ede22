"""Input sets: arrays for all inputs of a kernel, made from a name and a seed.

Each kind is there for the faults that it shows.  `KINDS` says what for.
"""

import functools
from dataclasses import asdict, dataclass, field

import ml_dtypes
import numpy as np

from . import random_words as random

_FLOATS = {dtype: ml_dtypes.finfo(dtype) for dtype in map(np.dtype, (
    np.float16, ml_dtypes.bfloat16, np.float32, np.float64, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2,
    ml_dtypes.float8_e4m3b11fnuz, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz, ml_dtypes.float8_e4m3,
    ml_dtypes.float8_e3m4, ml_dtypes.float8_e8m0fnu, ml_dtypes.float4_e2m1fn))}
_MOST_INTEGER = 7  # of inputs that are integers
# Kinds of random numbers, of which few are alike: roundings of their sums partly cancel.
_RANDOM = frozenset(("normal", "positive", "wide", "cancel", "large"))
_LARGEST = {"normal": 4, "positive": 1, "ties": 1}  # no number of these kinds is larger
_SPECIAL_EVERY = 37  # elements


def is_float(dtype):
    """Whether an input of this dtype is made of f64 values."""
    return dtype in _FLOATS


def least_normal(dtype):
    """The least normal number of a dtype of floats."""
    return float(_FLOATS[dtype].smallest_normal)


@functools.cache
def _most(dtype):
    """The largest size of an input: sums of two are finite."""
    return float(_FLOATS[dtype].max) / 2


class Unfit(ValueError):
    """An input set that a kernel cannot have."""


@dataclass(frozen=True)
class InputSet:
    """Inputs of one kind.  ``settings`` are numbers: ``scale``, by which all are multiplied (a power of two), and those that some
    kinds take; ``keep`` names the inputs that are not made but
    given, as integers often are indices."""

    kind: str
    seed: int = 1
    settings: dict = field(default_factory=dict)
    keep: tuple = ()

    def __post_init__(self):
        if self.kind not in KINDS:
            raise Unfit(f"there is no kind of inputs {self.kind!r}; there are: {', '.join(KINDS)}")

    @property
    def name(self):
        settings = [f"{name}{value:g}" for name, value in sorted(self.settings.items())]
        return "-".join([self.kind, *([str(self.seed)] if self.seed != 1 else []), *settings])

    @property
    def is_random(self):
        """Whether probable bounds hold (docs/bounds.md)."""
        return self.kind in _RANDOM

    def arrays(self, params, given=None):
        """An array for each prefetch and input parameter.  `given` has those that are kept."""
        return {param.name: self._array(param, given or {}) for param in params if param.role in ("prefetch", "input")}

    def _array(self, param, given):
        if param.name in self.keep or self.kind == "given":
            if param.name not in given:
                raise Unfit(f"input {param.name} is to be kept, but none is given")
            return np.asarray(given[param.name], param.dtype).reshape(param.shape)
        count = int(np.prod(param.shape, dtype=np.int64))
        if not is_float(param.dtype):
            return _integers(self.seed, param, count).reshape(param.shape)
        made = _made(self, param, count)
        with np.errstate(over="ignore", invalid="ignore"):
            return made.astype(param.dtype).reshape(param.shape)

    def to_json(self):
        return {name: list(value) if name == "keep" else value for name, value in asdict(self).items()
                if value or name == "seed"}

    @classmethod
    def of_json(cls, members):
        return cls(members["kind"], members["seed"], members.get("settings", {}), tuple(members.get("keep", ())))


def _integers(seed, param, count):
    if param.dtype == bool:
        return random.integers(seed, param.name, count, 0, 1).astype(bool)
    least = 0 if param.dtype.kind == "u" or param.dtype.name.startswith("uint") else -_MOST_INTEGER
    most = min(_MOST_INTEGER, int(ml_dtypes.iinfo(param.dtype).max))
    return random.integers(seed, param.name, count, max(least, int(ml_dtypes.iinfo(param.dtype).min)), most).astype(param.dtype)


def _made(chosen, param, count):
    values, scale = KINDS[chosen.kind][0](chosen, param, count), chosen.settings.get("scale", 1)
    if scale != 1:
        values = values * scale
    if param.dtype == ml_dtypes.float8_e8m0fnu:  # powers of two
        return np.exp2(np.floor(np.log2(np.maximum(np.abs(values), 2.0**-20))))
    if chosen.kind == "special":
        return values
    most = _most(param.dtype)
    if scale * _LARGEST.get(chosen.kind, np.inf) <= most:
        return values
    return np.clip(values, -most, most, out=values if values.dtype == np.float64 else None)


# ---- the kinds: f64 values, which are rounded to the parameter's dtype ----


def _given(chosen, param, count):
    raise AssertionError


def _whole_numbers(chosen, param, count):
    most, one_in = int(chosen.settings.get("most", 2)), int(chosen.settings.get("of", 1))
    values = random.integers(chosen.seed, param.name, count, -most, most)
    return values * (random.integers(chosen.seed, param.name + " kept", count, 1, one_in) == 1).astype(np.float64)


def _ids(chosen, param, count):
    return np.arange(1, count + 1, dtype=np.float64) % _whole(param)


def _whole(param):
    """How many whole numbers from 0 on the dtype has without a gap."""
    return float(min(2 ** (_FLOATS[param.dtype].nmant + 1), float(_FLOATS[param.dtype].max)))


def _normal(chosen, param, count):
    return random.normal(chosen.seed, param.name, count)


def _positive(chosen, param, count):
    return random.uniform(chosen.seed, param.name, count)


def _wide(chosen, param, count):
    """Sizes over many binary orders, each as frequent."""
    span = 8 if _FLOATS[param.dtype].nexp < 8 else 20
    powers = random.integers(chosen.seed, param.name + " power", count, -span // 2, span // 2)
    return np.ldexp(2 * random.uniform(chosen.seed, param.name, count) - 1, powers)


def _cancel(chosen, param, count):
    """Numbers in pairs that differ by their signs, and a small rest: sums are much smaller than their terms."""
    pairs = np.repeat(random.normal(chosen.seed, param.name, (count + 1) // 2), 2)[:count]
    return 64 * pairs * np.where(np.arange(count) % 2, -1, 1) + 2.0**-6 * random.normal(chosen.seed, param.name + " rest", count)


def _large(chosen, param, count):
    """Sizes whose exponential overflows."""
    return random.normal(chosen.seed, param.name, count) * min(256, float(_FLOATS[param.dtype].max) / 16)


def _ties(chosen, param, count):
    return random.integers(chosen.seed, param.name, count, -1, 1).astype(np.float64)


def _special(chosen, param, count):
    info = _FLOATS[param.dtype]
    values = random.normal(chosen.seed, param.name, count).astype(np.float64)
    specials = (np.nan, np.inf, -np.inf, -0.0, float(info.smallest_subnormal), float(info.max))
    every = int(chosen.settings.get("every", _SPECIAL_EVERY))
    start = int(random.integers(chosen.seed, param.name + " start", 1, 0, min(every, max(count, 1)) - 1)[0])
    places = np.arange(start, count, every)
    values[places] = np.resize(specials, len(places))
    return values


KINDS = {  # kind: (how it is made, what it shows)
    "normal": (_normal, "most faults of the computation"),
    "whole": (_whole_numbers, "lost, doubled and misplaced terms, in sums of any length: sums of whole numbers are exact"),
    "ids": (_ids, "misplaced elements: each has a number of its own"),
    "positive": (_positive, "what needs a positive operand, as log and rsqrt do, and lost scales"),
    "wide": (_wide, "accumulators that are too narrow: small terms after large ones"),
    "cancel": (_cancel, "terms that were rounded too early: their sum is much smaller than they are"),
    "large": (_large, "a maximum that was not subtracted: exponentials overflow"),
    "ties": (_ties, "which of equal elements is taken"),
    "special": (_special, "NaN, infinities, -0, subnormals and the greatest number, each in a few elements"),
    "given": (_given, "what the user's own data shows"),
}
