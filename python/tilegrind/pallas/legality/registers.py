"""The registers that the threads of a block set for themselves: `set_max_registers`."""

from __future__ import annotations

import operator
from typing import Any, Callable, Sequence

from ...ir.builder import Value
from ..tracing import jaxprs
from .demands import broken
from .judging import Scene, judges

_NAMES = ("set_max_registers_p", "set_max_registers")
_LEAST, _MOST, _UNIT = 24, 256, 8
_OF_BLOCK, _LANES = 65536, 128

# What is computed of a thread's number, an integer, where it decides which branch the thread takes.
_FOLDED: dict[str, Callable[..., Any]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_, "or": operator.or_,
    "not": operator.invert, "convert_element_type": lambda value: value, "max": max, "min": min}


@judges(*_NAMES)
def _set(scene: Scene, eqn: Any, operands: Sequence[Value]) -> None:
    action = eqn.params["action"]
    # The number is an operand in JAX 0.10, a parameter in later versions.
    count = operands[0].const if operands else eqn.params["n"]
    if scene.in_warp:
        broken("setmaxnreg_warps", "one warp changes it")
    if action not in ("increase", "decrease"):
        broken("setmaxnreg_action", f"the action is {action!r}")
    if count is None:
        broken("setmaxnreg_range", "it is not known before the kernel runs")
    if count % _UNIT or not _LEAST <= count <= _MOST:
        broken("setmaxnreg_range", f"it is {count}")
    registers = scene.registers()
    total = sum(registers.values()) * _LANES
    if action == "increase" and total > _OF_BLOCK:
        each = ", ".join(f"thread {thread}: {count}" for thread, count in registers.items())
        broken("registers", f"the lanes of its threads have {total} ({each})")


def registers_of(jaxpr: Any, mesh: Any) -> dict[int, int]:
    """By thread: the number of registers of each lane that it sets last; threads that set none are left out."""
    found = {thread: _last(jaxpr, mesh.thread_name, thread, {}) for thread in range(mesh.num_threads or 1)}
    return {thread: count for thread, count in found.items() if count is not None}


def _last(jaxpr: Any, axis: Any, thread: int, known: dict[Any, Any]) -> int | None:
    """The number that a thread sets last in a jaxpr; of branches of which it is not known which one is taken, the greatest."""
    jaxpr, _ = jaxprs.opened(jaxpr)
    last = None

    def read(atom: Any) -> Any:
        return atom.val if jaxprs.is_literal(atom) else known.get(atom)

    for eqn in jaxpr.eqns:
        values = [read(atom) for atom in eqn.invars]
        name = eqn.primitive.name
        if name in _NAMES:
            count = values[0] if values else eqn.params["n"]
            last = last if count is None else int(count)
        elif name == "axis_index" and axis is not None and eqn.params.get("axis_name") == axis:
            known[eqn.outvars[0]] = thread
        elif _is_folded(eqn, values):
            operands = (atom.aval.dtype.type(value) for atom, value in zip(eqn.invars, values))
            known[eqn.outvars[0]] = eqn.outvars[0].aval.dtype.type(_FOLDED[name](*operands))
        else:
            counts = [_last(inner, axis, thread, _passed(eqn, values, inner)) for inner in _taken(eqn, values)]
            last = max((count for count in counts if count is not None), default=last)
    return last


def _is_folded(eqn: Any, values: Sequence[Any]) -> bool:
    """Whether an equation computes integers from known ones."""
    return eqn.primitive.name in _FOLDED and all(
        value is not None and not atom.aval.shape and atom.aval.dtype.kind in "biu"
        for atom, value in zip((*eqn.invars, *eqn.outvars), (*values, 0)))


def _taken(eqn: Any, values: Sequence[Any]) -> list[Any]:
    """The jaxprs of an equation that may run."""
    if eqn.primitive.name == "cond" and values[0] is not None:
        branches = eqn.params["branches"]
        return [branches[min(max(int(values[0]), 0), len(branches) - 1)]]
    return list(jaxprs.sub_jaxprs(eqn.params))


def _passed(eqn: Any, values: Sequence[Any], jaxpr: Any) -> dict[Any, Any]:
    """What is known inside a jaxpr of an equation: the operands that are the same each time that it runs."""
    inside, _ = jaxprs.opened(jaxpr)
    name = eqn.primitive.name
    if name == "while":
        return {}
    if name == "cond":
        values = values[1:]
    elif name == "scan":
        values = values[: jaxprs.scan_counts(eqn.params)[0]]
    variables = inside.constvars if len(values) == len(inside.constvars) != 0 else inside.invars
    return {var: value for var, value in zip(variables, values) if value is not None}
