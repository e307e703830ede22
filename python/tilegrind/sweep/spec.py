"""Reads a SPEC: which sweeps a plan is made of (docs/sweep.md)."""

import tomllib

from .canonical import parse
from .errors import InvalidError
from .files import read_text

FORMAT = 1
SEED_END = 1 << 63


class Table:
    """A table of a SPEC.  Each key is taken once, with its type; `end` refuses the others."""

    def __init__(self, values, where):
        self._values, self._where, self._taken = values, where, set()
        if not isinstance(values, dict):
            raise InvalidError(f"{where}: must be a table")

    def fail(self, key, problem):
        """Raises an InvalidError about a key."""
        raise InvalidError(f"{self._where}.{key}: {problem}")

    def take(self, key, kind, default=None):
        """The value of a key, which must be of type `kind`; `default` where there is none, and None means required."""
        self._taken.add(key)
        if key not in self._values:
            return default if default is not None else self.fail(key, "is missing")
        value = self._values[key]
        if not isinstance(value, kind) or isinstance(value, bool) and kind is int:
            self.fail(key, f"must be a value of type {kind.__name__}, not {value!r}")
        return value

    def texts(self, key, default=None):
        """A list of texts that is not empty, or one text."""
        self._taken.add(key)
        value = self._values.get(key, default)
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
            self.fail(key, f"must be a text or a list of texts, not {value!r}")
        return value

    def choices(self, key, known, default):
        """A list of different texts of `known`."""
        values = self.texts(key, default)
        for value in values:
            if value not in known:
                self.fail(key, f"{value!r} is none of {', '.join(known)}")
        if len(set(values)) < len(values):
            self.fail(key, f"{values!r} names something twice")
        return values

    def number(self, key, least, most, default=None):
        """An integer in a closed range."""
        value = self.take(key, int, default)
        if not least <= value <= most:
            self.fail(key, f"must be from {least} to {most}, not {value}")
        return value

    def seeds(self):
        """Parts (first, count) of the range `seeds = [FIRST, LAST]`, each of `per-unit` seeds but the last."""
        value = self.take("seeds", list)
        is_range = len(value) == 2 and all(type(v) is int and 0 <= v < SEED_END for v in value) and value[0] <= value[1]
        if not is_range:
            self.fail("seeds", f"must be [FIRST, LAST], two numbers from 0 to 2^63 - 1, not {value!r}")
        first, last = value
        step = self.number("per-unit", 1, 1_000_000, 1000)
        return [(at, min(step, last + 1 - at)) for at in range(first, last + 1, step)]

    def end(self):
        """Refuses keys that nobody has taken."""
        for key in self._values.keys() - self._taken:
            self.fail(key, f"is unknown here; known are {', '.join(sorted(self._taken))}")


def _values_of(path):
    text = read_text(path)
    if str(path).endswith(".json"):
        return parse(text, path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise InvalidError(f"{path}: {problem}") from None


def read(path):
    """(tag, tables of the sweeps) of a SPEC in TOML, or in JSON if its name ends so."""
    values = _values_of(path)
    top = Table(values, str(path))
    top.number("tilegrind-sweep", FORMAT, FORMAT)
    tag, sweeps = top.take("tag", str, ""), top.take("sweep", list)
    top.end()
    if not sweeps:
        top.fail("sweep", "is empty: there is nothing to do")
    return tag, [Table(sweep, f"{path}: sweep[{i}]") for i, sweep in enumerate(sweeps)]
