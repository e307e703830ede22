"""Kinds `golden` and `mutants`: goldens on the inputs of other seeds than their own.

`golden` runs each kernel in many orders: all must have the bits of order sequential, and these be within the golden's
bounds.
`mutants` makes a piece of the kill matrix anew: a mutant that is no known equivalent and passes is a finding, as the golden
then finds faults by luck of its seed.
"""

import functools
import glob
import hashlib
import math
import os
import shlex
from dataclasses import replace
from pathlib import Path

from . import unit_files
from .errors import InvalidError
from .kind import Kind

_ORDERS = ("reversed", "shuffled", "interleaved")
_MOST_PARTS = 4096
_COUNTERS = ("runs", "findings", "killed", "alive", "allowed", "unchanged", "undecided")


def _goldens_of(table, base, files):
    """{"name", "files"} of each accepted golden in the folders that the patterns in `goldens` match, in the order of
    names."""
    from ..golden.folder import GOLDEN, KEPT, KERNEL, SENSITIVITY, Folder

    found = {}
    for pattern in table.texts("goldens"):
        folders = sorted(filter(os.path.isdir, glob.glob(os.path.join(glob.escape(str(base)), pattern), recursive=True)))
        names = [(folder, name) for folder in folders for name in Folder(folder).manifest()]
        if not names:
            table.fail("goldens", f"no folder that matches {pattern!r} has accepted goldens")
        for folder, name in names:
            path = Path(folder) / name
            members = [GOLDEN, KERNEL, SENSITIVITY, *[KEPT] * (path / KEPT).is_file()]
            whole = Path(os.path.relpath(path, base)).as_posix()
            found[whole] = found.get(whole) or {"name": whole, "files": files.add(path, members)}
    return [found[name] for name in sorted(found)]


@functools.lru_cache(maxsize=8)
def _opened(folder, name):
    from ..golden.bundle import read
    from ..golden.subject import Subject

    bundle = read(folder, name)
    return bundle, Subject.of_bundle(bundle)


def _golden(unit, root):
    """(Bundle, Subject) of a unit, its files verified."""
    from ..golden.bad_bundle import BadBundle

    try:
        return _opened(unit_files.verified(root, unit["golden"]["files"]), Path(unit["golden"]["name"]).name)
    except BadBundle as problem:
        raise InvalidError(str(problem)) from None


def _trials(subject, bundle, seed):
    """A Trial for each input set of the golden, made from another seed, and how many there are not: on such inputs no bound
    can be derived."""
    from ..golden.sensitivity import Trial
    from ..judging import Undecided

    found = []
    for record in bundle.sets:
        inputs = replace(record.inputs, seed=seed)
        arrays = subject.arrays(inputs)
        try:
            found.append(Trial(inputs, arrays, subject.witness(arrays)))
        except Undecided:
            pass
    return found, len(bundle.sets) - len(found)


def _failure(unit, kind, seed, text, order="sequential"):
    folder, _, name = unit["golden"]["name"].rpartition("/")
    words = ["tilegrind", "golden", "--goldens", folder or ".", "check", name, "--seed", str(seed)]
    words += [] if order == "sequential" else ["--order", order]
    return {"kind": kind, "level": "error", "message": f"{name}, seed {seed}: {text}", "repeat": shlex.join(words)}


# ---- kind golden ----


def _golden_units(table, base, files):
    orders = table.choices("orders", _ORDERS, list(_ORDERS))
    goldens, seeds = _goldens_of(table, base, files), table.seeds()
    table.end()
    for golden in goldens:
        for first, count in seeds:
            yield {"golden": golden, "first": first, "count": count, "orders": sorted(orders)}


def _golden_runs(unit):
    return unit["count"] * (1 + len(unit["orders"]))


class _Sums:
    """What a unit of kind `golden` adds up."""

    def __init__(self):
        self.runs = self.undecided = 0
        self.digests, self.worst, self.failures = {}, {}, []

    def output(self, name, array, share):
        from ..digests import digest

        self.digests.setdefault(name, hashlib.sha256()).update(digest(_canonical_bytes(array)).encode())
        self.worst[name] = max(self.worst.get(name, 0.0), share)

    def outcome(self):
        counters = {"runs": self.runs, "findings": len(self.failures), "undecided": self.undecided}
        return {"counters": counters, "digests": {name: one.hexdigest() for name, one in self.digests.items()},
                "worst": {name: {"millionths_of_bound": _millionths(share)} for name, share in self.worst.items()},
                "failures": self.failures}


def _millionths(share):
    """A whole number: results have no others."""
    return math.ceil(min(share, 1e9) * 1e6)


def _canonical_bytes(array):
    """The elements; all NaNs count as one, as their bits are not the same on every instruction set."""
    import numpy as np

    from ..judging.inputs import is_float

    array = np.ascontiguousarray(array)
    if is_float(array.dtype):
        array = array.copy()
        array[array != array] = np.array(float("nan"), array.dtype)
    return array.tobytes()


def _run_golden(unit, root):
    bundle, subject = _golden(unit, root)
    sums = _Sums()
    for seed in range(unit["first"], unit["first"] + unit["count"]):
        trials, missing = _trials(subject, bundle, seed)
        sums.undecided += missing
        for trial in trials:
            sums.failures += _held(unit, subject, trial, seed, sums)
    return sums.outcome()


def _held(unit, subject, trial, seed, sums):
    """Failures of one input set: of the interpreter against the bounds, and of other orders against it."""
    from ..judging.verdicts import same_bits

    expected, sums.runs = trial.witness.outputs, sums.runs + 1 + len(unit["orders"])
    verdicts = trial.witness.judge({name: one.bits for name, one in expected.items()})
    for verdict in verdicts:
        sums.output(f"{replace(trial.inputs, seed=1).name}/{verdict.output}", expected[verdict.output].bits, verdict.worst)
        if verdict.failed:
            yield _failure(unit, "golden-outside", seed, f"{trial.inputs.kind}/{verdict}")
    for order in unit["orders"]:
        order = order if order == "reversed" else f"{order}:{seed}"
        outputs = subject.run(subject.module, trial.arrays, order=order).outputs
        for name, one in expected.items():
            if not same_bits(outputs[name], one.bits):
                text = f"{trial.inputs.kind}/{name} has other bits in order {order}"
                yield _failure(unit, "golden-order", seed, text, order)


# ---- kind mutants ----


class _OtherParts:
    """The mutants that are of no concern to a unit, as a container of (kind, site)."""

    def __init__(self, part, parts):
        self._part, self._parts = part, parts

    def __contains__(self, key):
        return int(hashlib.sha256("\0".join(key).encode()).hexdigest()[:15], 16) % self._parts != self._part


def _mutants_units(table, base, files):
    parts = table.number("parts", 1, _MOST_PARTS, 1)
    goldens, seeds = _goldens_of(table, base, files), table.seeds()
    table.end()
    for golden in goldens:
        for first, count in seeds:
            for part in range(parts):
                yield {"golden": golden, "first": first, "count": count, "part": part, "parts": parts}


def _run_mutants(unit, root):
    bundle, subject = _golden(unit, root)
    from ..golden.sensitivity import Mutants

    mutants, counters = Mutants(subject), dict.fromkeys(_COUNTERS, 0)
    known, failures, digest = {tuple(row[:2]) for row in bundle.alive if row[2]}, [], hashlib.sha256()
    for seed in range(unit["first"], unit["first"] + unit["count"]):
        trials, missing = _trials(subject, bundle, seed)
        counters["undecided"] += missing
        for row in _rows(mutants, trials, _OtherParts(unit["part"], unit["parts"])):
            is_allowed = row.outcome == "alive" and (row.allowed or (row.kind, row.site) in known)
            outcome = "allowed" if is_allowed else row.outcome
            counters[outcome] += 1
            counters["runs"] += len(row.margins)
            digest.update(f"{seed} {row.kind} {row.site} {outcome}\n".encode())
            if outcome == "alive":
                failures.append(_failure(unit, "mutant-alive", seed, f"{row.kind} {row.site} passes"))
    return {"counters": {**counters, "findings": len(failures)}, "digests": {"outcomes": digest.hexdigest()}, "worst": {},
            "failures": failures}


def _rows(mutants, trials, skip):
    """The Rows of a part of the kill matrix, controls left out, sorted."""
    rows = {}
    for trial in trials:
        mutants.try_on(rows, trial, trials[0] if trial is not trials[0] else None, skip)
    return [row for _, row in sorted(rows.items()) if not row.lives]


GOLDEN = Kind("golden", _golden_units, _golden_runs, _run_golden)
MUTANTS = Kind("mutants", _mutants_units, lambda unit: unit["count"], _run_mutants)
