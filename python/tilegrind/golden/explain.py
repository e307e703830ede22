"""What the bound of one element consists of: the share of each operation at each source line.

There is no switch for the roundings of one operation, so that two kernels are made in which all floats are f64, whose roundings are
too small to matter.  In both, the operands of the operation are rounded to the dtypes that they have in the kernel; in one of them
the operation itself works in these dtypes too.  The bounds of the two differ by what the operation adds, as far as errors are
passed on in proportion; the rest, errors of errors, is of second order.
"""

import copy
import json
import re
from dataclasses import dataclass

import numpy as np

from .. import runtime
from ..finding_text import program_name
from ..judging import Undecided, Unjudged, Witness
from ..judging.inputs import is_float
from ..mutants import writers_of
from .folder import Refused
from .subject import Subject

_FLOAT = re.compile(r"\b(?:bf16|f16|f32|f8[a-z0-9]+|f4[a-z0-9]+)\[")
# Operations on floats that never round.
_MOVES = frozenset("""constant undefined load swap store alloc view view_transpose view_reshape view_part broadcast_in_dim reshape transpose
rev slice dynamic_slice dynamic_update_slice concatenate pad tile gather neg abs max min clamp select reduce_max reduce_min cummax cummin
sort floor ceil round sign""".split())
# Operations on floats whose roundings this cannot tell from those of others, and why.
_REFUSED = {**dict.fromkeys(("bitcast", "view_bitcast", "reduce_precision"), "it depends on the bits of floats"),
            **dict.fromkeys(("add_update", "atomic_rmw"), "it rounds in memory, which holds f64 in the kernels that are compared")}


@dataclass(frozen=True)
class Share:
    """What the roundings of an operation at a source line add to a bound."""

    op: str
    place: str
    amount: float


@dataclass(frozen=True)
class Explanation:
    """One element.

    got       what Tilegrind's interpreter has; exact: R; bound: B
    shares    of operations, the largest first
    noise     the bound of the kernel in f64
    writer    coordinates of the program that stored the element last; None if nobody did
    named     the same as messages name it; "" if nobody did
    unknown   operations whose share cannot be told, with the reason
    """

    where: str
    got: float
    exact: float
    bound: float
    shares: list
    noise: float
    writer: tuple | None
    named: str
    unknown: list

    @property
    def rest(self):
        """What the shares do not account for, noise included; negative where they overlap, as below a maximum."""
        return self.bound - sum(share.amount for share in self.shares)

    def lines(self):
        """Lines for a terminal."""
        yield f"{self.where}: R = {self.exact!r}, the interpreter has {self.got!r}"
        yield f"  written by program {self.named}" if self.writer is not None else "  no program writes it"
        yield f"  bound {self.bound:.3g}" + (f", {self.bound / abs(self.exact):.3g} of R" if self.exact else "")
        for share in self.shares:
            yield f"    {share.amount:.2e}  {self._percent(share.amount)}  {share.op}{share.place}"
        yield f"    {self.rest:.2e}  {self._percent(self.rest)}  second order: errors of errors, and what overlaps"
        yield from (f"    unknown: {text}" for text in self.unknown)

    def _percent(self, amount):
        return f"{amount / self.bound:6.1%}" if self.bound else "     -"


def explain(subject, inputs, output, index, *, progress=None):
    """The Explanation of an element.

    subject   a Subject; inputs: an InputSet of it
    output    name of an output of floats; index: a tuple, or a row-major number
    Raises Refused for what there is not or cannot be explained.
    """
    say, arrays, kernel = progress or (lambda text: None), subject.arrays(inputs), _Wide(subject, inputs.is_random)
    expected = subject.witness(arrays, inputs.is_random).outputs
    one, index = _chosen(expected, output, index)
    noise = kernel.bound(kernel.tree, arrays, output, index)
    shares, unknown = [], []
    for (op, place), ids in kernel.groups().items():
        say(f"{op}{place}")
        try:
            amount = kernel.share(ids, arrays, output, index)
        except (Undecided, Unjudged) as problem:
            unknown.append(f"{op}{place}: {problem}")
            continue
        if amount > 0:
            shares.append(Share(op, place, amount))
    shares.sort(key=lambda share: -share.amount)
    return Explanation(f"{inputs.name}/{output}{list(index)}", float(one.bits[index]), float(one.exact[index]), float(one.bound[index]),
                       shares, noise, *_writer(subject, arrays, output, index), unknown)


def explain_golden(bundle, element, chosen=None, output=None, *, progress=None):
    """The Explanation of an element of a Bundle.

    element   its index as a text, "3,17", or its row-major number
    chosen    name of an input set, None: the first; output: None: the first with a bound
    """
    sets = {record.inputs.name: record for record in bundle.sets}
    if chosen is not None and chosen not in sets:
        raise Refused(f"{bundle.name} has no input set {chosen}; it has: {', '.join(sets)}")
    record = sets[chosen] if chosen else bundle.sets[0]
    output = output or next((name for name, one in record.outputs.items() if one.bound), next(iter(record.outputs)))
    try:
        numbers = tuple(map(int, element.split(",")))
    except ValueError:
        raise Refused(f"{element!r} is no element: numbers separated by commas, or a row-major number") from None
    one_dimension = record.outputs[output].type.count(",") == 0 if output in record.outputs else False
    index = numbers[0] if len(numbers) == 1 and not one_dimension else numbers
    return explain(Subject.of_bundle(bundle), record.inputs, output, index, progress=progress)


def _chosen(expected, output, index):
    """What is expected of the output, and the index as a tuple."""
    if output not in expected:
        raise Refused(f"there is no output {output}; there are: {', '.join(expected)}")
    one = expected[output]
    if one.exact is None:
        raise Refused(f"{output} has no bound: its elements are no floats")
    try:
        index = np.unravel_index(index, one.bits.shape) if isinstance(index, int) else index
        index = tuple(map(int, index))
        bound = one.bound[index]
    except (IndexError, ValueError):
        raise Refused(f"{output} has no element {index}: its shape is {list(one.bits.shape)}") from None
    if np.ndim(bound) or min(index, default=0) < 0:
        raise Refused(f"{output} has no element {list(index)}: its shape is {list(one.bits.shape)}")
    if not np.isfinite(bound) or not np.isfinite(one.exact[index]):
        raise Refused(f"{output}{list(index)} has no finite bound: R = {one.exact[index]}, B = {bound}")
    return one, index


def _writer(subject, arrays, output, index):
    """The coordinates of the program, and its name."""
    number = int(writers_of(subject.tree(), [output], arrays, kernel=subject.kernel, grid=subject.grid)[output][index])
    if number < 0:
        return None, ""
    kernel, sizes = _kernel(subject.tree(), subject.kernel), iter(subject.grid)
    grid = [next(sizes) if axis["size"] == "dynamic" else axis["size"] for axis in kernel.get("grid", ())]
    program = tuple(map(int, np.unravel_index(number, grid))) if grid else ()
    return program, program_name([axis.get("name") for axis in kernel.get("grid", ())], grid, program)


def _kernel(tree, name):
    return next(kernel for kernel in tree["kernels"] if kernel["name"] == name)


class _Wide:
    """A kernel in f64."""

    def __init__(self, subject, probable):
        self._subject, self._probable = subject, probable
        narrow = subject.tree()
        self._narrow = {value["id"]: value["type"] for value in _values(_kernel(narrow, subject.kernel))}
        self._ops = {id(op): op for op in _ops(_kernel(narrow, subject.kernel)["body"])}
        self._hold_to_what_is_known()
        self.tree = _widened({**narrow, "kernels": [_kernel(narrow, subject.kernel)]})
        self._next = max(self._narrow, default=0) + 1

    def _hold_to_what_is_known(self):
        floats = [text for text in self._narrow.values() if _FLOAT.search(text)]
        if not floats:
            raise Refused("a kernel without floats narrower than f64 is not explained")
        for op in self._ops.values():
            if op["op"] in _REFUSED and any(_FLOAT.search(self._narrow[i]) or "f64[" in self._narrow[i] for i in _ids(op)):
                raise Refused(f"{op['op']}{self._place(op)} is not explained: {_REFUSED[op['op']]}")

    def groups(self):
        """The numbers, in program order, of the operations that may round, by (name, place)."""
        found = {}
        for number, op in enumerate(self._ops.values()):
            if self._rounds(op):
                found.setdefault((op["op"], self._place(op)), set()).add(number)
        return found

    def _rounds(self, op):
        return op["op"] not in _MOVES and "regions" not in op and any(_FLOAT.match(self._narrow[value["id"]]) for value in op.get("out", ()))

    def _place(self, op):
        locations = self._subject.tree().get("locations", [])
        if not 0 < op.get("loc", 0) <= len(locations):
            return ""
        at = locations[op["loc"] - 1]
        return f" at {at['file']}:{at['line']}"

    def share(self, numbers, arrays, output, index):
        """What these operations add to the bound of an element."""
        operands, both = (self.bound(self._edited(numbers, is_narrow), arrays, output, index) for is_narrow in (False, True))
        return both - operands

    def bound(self, tree, arrays, output, index):
        wide = {name: array.astype(np.float64) if is_float(array.dtype) else array for name, array in arrays.items()}
        subject = self._subject
        witness = Witness.of(runtime.loads(json.dumps(tree)), subject.contract, wide, probable=self._probable, kernel=subject.kernel,
                             grid=subject.grid, partly_written=subject.partly_written)
        return float(witness.outputs[output].bound[index])

    def _edited(self, numbers, is_narrow):
        tree = copy.deepcopy(self.tree)
        count = iter(range(len(self._ops)))
        _edit(tree["kernels"][0]["body"], lambda op: self._around(op, is_narrow) if next(count) in numbers else [op])
        return tree

    def _around(self, op, is_narrow):
        """The operation with rounded operands and, if it is narrow, in its own dtypes."""
        before, after = [], []
        op = {**op, "in": [self._narrowed(i, before, is_narrow) for i in op.get("in", ())], "out": list(op.get("out", ()))}
        for place, value in enumerate(op["out"]):
            if is_narrow and _FLOAT.match(self._narrow[value["id"]]):
                op["out"][place] = self._value(self._narrow[value["id"]])
                after.append(_convert(op["out"][place]["id"], value))
        return [*before, op, *after]

    def _narrowed(self, i, ops, is_narrow):
        """A float operand, rounded to its dtype; in f64 again unless the operation is narrow."""
        text = self._narrow[i]
        if not _FLOAT.match(text):
            return i
        ops.append(_convert(i, self._value(text)))
        if not is_narrow:
            ops.append(_convert(ops[-1]["out"][0]["id"], self._value(_FLOAT.sub("f64[", text))))
        return ops[-1]["out"][0]["id"]

    def _value(self, text):
        self._next += 1
        return {"id": self._next, "type": text}


def _convert(source, value):
    return {"op": "convert", "in": [source], "out": [value]}


def _ids(op):
    return [*op.get("in", ()), *(value["id"] for value in op.get("out", ()))]


def _ops(region):
    for op in region.get("ops", ()):
        yield op
        for inner in op.get("regions", ()):
            yield from _ops(inner)


def _values(tree):
    """Everything with a number and a type."""
    if isinstance(tree, dict):
        if "id" in tree and "type" in tree:
            yield tree
        for inner in tree.values():
            yield from _values(inner)
    elif isinstance(tree, list):
        for inner in tree:
            yield from _values(inner)


def _widened(tree):
    """With f64 for each narrower float."""
    if isinstance(tree, dict):
        return {key: _FLOAT.sub("f64[", value) if key == "type" and isinstance(value, str) else _widened(value)
                for key, value in tree.items()}
    return list(map(_widened, tree)) if isinstance(tree, list) else tree


def _edit(region, change):
    """Replaces each operation by what `change` makes of it, in the order of _ops."""
    made = []
    for op in region.get("ops", ()):
        made += (after := change(op))
        for inner in op.get("regions", ()):
            assert op in after
            _edit(inner, change)
    if "ops" in region:
        region["ops"] = made
