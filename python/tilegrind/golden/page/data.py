"""What the page knows of a golden: of a pending one that is reviewed, or of a check."""

import math

import numpy as np

from ... import runtime
from ...judging.inputs import KINDS as INPUT_KINDS
from ...mutants import places_of, tiles_of, writers_of
from ..candidates import ORDER, Left, trials
from ..checking import check
from ..faults import Fault
from ..report import detail
from ..subject import Subject
from .changes import kernel_difference, rows_of
from .matrix import matrix_of
from .output import Columns, Places, output_data


class Watched:
    """An implementation whose outputs are kept; `outputs` has them by set and name."""

    def __init__(self, implementation):
        self._implementation, self.outputs = implementation, {}

    def __call__(self, name, arrays):
        given = self._implementation(name, arrays)
        self.outputs[name] = {output: np.asarray(array) for output, array in given.items() if not isinstance(array, Fault)}
        return given


def sizes_in(bundles):
    """How many elements each output has that the page of bundles shows, on each input set."""
    return [math.prod(map(int, filter(None, output.type.partition("[")[2].rstrip("]").split(","))))
            for bundle in bundles for record in bundle.sets for output in record.outputs.values()]


def of_check(bundle, result, outputs, budget):
    """JSON data of what `check` said of a golden.

    outputs  what was judged, by set and name (Watched.outputs)
    budget   budget.Budget
    """
    subject = Subject.of_bundle(bundle)
    sets = [_set(subject, bundle, one, ("got", "interpreter"),
                 lambda name, expected: (outputs[one.name].get(name), expected.bits), budget) for one in result.sets]
    return {**_golden(bundle, subject, result), "sets": sets}


def of_review(bundle, old, command, budget, progress=None):
    """JSON data of a pending golden.

    old      the accepted Bundle that it would replace, or None
    command  the command that accepts it, up to the reason
    """
    say = progress or (lambda text: None)
    subject = Subject.of_bundle(bundle)
    watched = Watched(lambda _, arrays: subject.run(subject.module, arrays).outputs)
    result = check(bundle, watched, explain=False, progress=progress)
    before = _Before(old) if old else None
    sets = [_reviewed(subject, bundle, one, before, budget) for one in result.sets]
    say(f"{bundle.name}: input sets that it does not have")
    difference, more = kernel_difference(bundle, old)
    return {**_golden(bundle, subject, result), "sets": sets, "accept": command, "replaces": old.digest if old else None,
            "left": [] if result.stale else list(_left(bundle, subject)),
            "changes": rows_of(bundle, old), "difference": difference, "difference_left_out": more}


def _golden(bundle, subject, result):
    tree = subject.tree()
    return {"name": bundle.name, "kernel": bundle.kernel, "contract": bundle.contract_name, "digest": bundle.digest,
            "grid": _grid(tree, bundle), "locations": [_location(one) for one in tree.get("locations", ())],
            "passed": result.passed, "kind": result.kind, "stale": result.stale, "vacuous": result.vacuous,
            "notes": result.notes, "matrix": matrix_of(bundle)}


def _location(one):
    return {"file": one.get("file", ""), "line": one.get("line", 0), "function": one.get("function", "")}


def _grid(tree, bundle):
    kernel = next(one for one in tree["kernels"] if one["name"] == bundle.kernel)
    dynamic = iter(bundle.grid)
    return [next(dynamic) if axis["size"] == "dynamic" else axis["size"] for axis in kernel.get("grid", ())]


def _set(subject, bundle, one, names, arrays_of, budget, note=""):
    """JSON data of a SetResult; arrays_of(name, expected) gives the arrays to be shown side by side."""
    record = next(record for record in bundle.sets if record.inputs.name == one.name)
    tree, trial = subject.tree(), one.trial
    places, problem = _places(subject, tree, trial)
    tiles = tiles_of(tree, subject.kernel)
    outputs = [output_data(name, expected, _columns(names, arrays_of(name, expected), expected), tiles[name], places[name],
                           budget) for name, expected in trial.witness.outputs.items()]
    return {"name": one.name, "about": INPUT_KINDS[record.inputs.kind][1], "kills": list(record.kills),
            "columns": list(names), "notes": [text for text in (note, problem) if text], "outputs": outputs,
            "verdicts": {verdict.output: _verdict(verdict) for verdict in one.verdicts},
            "like": str(one.likeness) if one.likeness else ""}


def _verdict(verdict):
    more = f"; {detail(verdict)}" if verdict.failed and verdict.index is not None else ""
    return {"kind": verdict.kind, "failed": verdict.failed, "text": str(verdict).removeprefix(f"{verdict.output}: ") + more}


def _columns(names, arrays, expected):
    """Arrays of another type than the interpreter's are left out: the verdict, or a note, says what they are."""
    want = expected.bits.shape, expected.bits.dtype
    return Columns(names, tuple(None if array is None or (array.shape, array.dtype) != want else array for array in arrays))


def _places(subject, tree, trial):
    """Places by output; and why they are not known, or ""."""
    outputs, options = list(trial.witness.outputs), {"kernel": subject.kernel, "grid": subject.grid}
    try:
        programs = writers_of(tree, outputs, trial.arrays, **options)
        locations = places_of(tree, outputs, trial.arrays, **options)
    except (ValueError, runtime.Error) as problem:
        return {name: Places() for name in outputs}, f"which program stored an element is not known: {problem}"
    return {name: Places(programs[name], locations[name]) for name in outputs}, ""


def _left(bundle, subject):
    """[kind, why] of each kind of inputs that the golden has no set of."""
    there = {record.inputs.kind for record in bundle.sets}
    for kind, found in zip(kinds := [kind for kind in ORDER if kind not in there], trials(subject, kinds)):
        yield [kind, found.why if isinstance(found, Left) else
               "the kernel can have them; the golden's sets kill what they would, or they were not asked for"]


# ---- the golden that was accepted before ----


class _Before:
    """An accepted golden whose kernel runs on the inputs of the pending one."""

    def __init__(self, bundle):
        self._subject = Subject.of_bundle(bundle)

    def outputs(self, arrays):
        """Outputs by name, and why there are none, or ""."""
        subject = self._subject
        want = {param.name: (param.dtype, param.shape) for param in subject.params if param.role in ("prefetch", "input")}
        if want != {name: (array.dtype, array.shape) for name, array in arrays.items()}:
            return {}, "the old kernel takes other inputs, so that its values cannot stand beside the new ones"
        try:
            return subject.run(subject.module, arrays).outputs, ""
        except runtime.Error as problem:
            return {}, f"the old kernel does not run on these inputs: {problem}"


def _reviewed(subject, bundle, one, before, budget):
    if before is None:
        return _set(subject, bundle, one, ("new",), lambda name, expected: (expected.bits,), budget)
    outputs, problem = before.outputs(one.trial.arrays)
    problem = problem or _missing(one.trial.witness.outputs, outputs)
    return _set(subject, bundle, one, ("new", "old"), lambda name, expected: (expected.bits, outputs.get(name)), budget,
                problem)


def _missing(expected, outputs):
    """Which outputs the old kernel has no array of that type for."""
    other = [name for name, one in expected.items()
             if name not in outputs or (outputs[name].shape, outputs[name].dtype) != (one.bits.shape, one.bits.dtype)]
    return f"the old kernel has no output of that name and type: {', '.join(other)}" if other else ""
