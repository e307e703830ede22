"""Operands and results of examples that are semaphores or barriers: scratch memory that is raised to its value before the
operation, and lowered by its expected value afterwards.  A wait that never ends, or a semaphore that is not 0 at the end,
is a finding that the example does not expect.  The value of a barrier is the number of its arrivals, and two of
them complete a phase."""

from __future__ import annotations

from typing import Any, Iterator

from conformance.semantics.examples import Example, Tensor

_FIRST = 500  # first id of the values made here; ten for each semaphore
_ARRIVALS = 2  # complete a phase


def is_semaphore(tensor: Tensor) -> bool:
    return tensor.dtype in ("sem", "dma_sem", "barrier")


def param(k: int, tensor: Tensor) -> dict[str, Any]:
    arrivals = {"arrivals": _ARRIVALS} if tensor.dtype == "barrier" else {}
    return {"name": f"in{k}", "role": "scratch", "type": tensor.type, **arrivals}


def _bytes(first: int, count: int) -> dict[str, Any]:
    return {"op": "alloc", "out": [{"id": first, "type": f"ref<u8[{count}]>"}]}


def _number(first: int, value: int) -> dict[str, Any]:
    return {"op": "constant", "out": [{"id": first, "type": "i32[]"}], "value": value}


def raised(example: Example) -> Iterator[dict[str, Any]]:
    """Raises the semaphores among the operands to their values, operand k being the reference k: by a signal, or by a
    copy of that many bytes."""
    for k, tensor in enumerate(example.operands):
        first = _FIRST + 10 * k
        if not is_semaphore(tensor) or not tensor.data:
            continue
        if tensor.dtype == "sem":
            yield _number(first, tensor.data)
            yield {"op": "semaphore_signal", "in": [k, first]}
        elif tensor.dtype == "barrier":
            yield from _arrived(k, tensor.data, _awaited(example, tensor))
        else:
            yield _bytes(first, tensor.data)
            yield _bytes(first + 1, tensor.data)
            yield {"op": "dma_start", "in": [first, first + 1, k]}


def _awaited(example: Example, barrier: Tensor) -> int:
    """The phases that are waited for before the operation: those that are complete by then, as soon as they are; but not the one
    that the operation itself waits for, and none if the operation is to come too late for its phase."""
    if "phase-missed" in example.findings:
        return 0
    return max(barrier.data // _ARRIVALS - (example.op == "barrier_wait"), 0)


def _arrived(k: int, arrivals: int, awaited: int) -> Iterator[dict[str, Any]]:
    for arrival in range(1, arrivals + 1):
        yield {"op": "barrier_arrive", "in": [k]}
        if arrival % _ARRIVALS == 0 and arrival // _ARRIVALS <= awaited:
            yield {"op": "barrier_wait", "in": [k]}


def _completed(k: int, arrivals: int, awaited: int) -> Iterator[dict[str, Any]]:
    """Completes the current phase of a barrier, and waits for all phases that have not been waited for."""
    missing = -arrivals % _ARRIVALS
    yield from [{"op": "barrier_arrive", "in": [k]}] * missing
    yield from [{"op": "barrier_wait", "in": [k]}] * ((arrivals + missing) // _ARRIVALS - awaited)


def lowered(example: Example) -> Iterator[dict[str, Any]]:
    """Takes the expected values from the semaphores after the operation, and waits for a copy or product that joins a group."""
    if example.op == "dot_start" or example.attrs.get("among_products"):
        yield from [{"op": "dot_commit"}, _number(_FIRST, 0), {"op": "dot_wait_groups", "in": [_FIRST]}]
    elif example.op == "dma_start" and len(example.operands) == 2:
        engine = {"registers": example.attrs["registers"]} if "registers" in example.attrs else {}
        yield from [{"op": "dma_commit", **engine}, _number(_FIRST, 0), {"op": "dma_wait_groups", "in": [_FIRST], **engine}]
    held = iter([k for k, tensor in enumerate(example.operands) if is_semaphore(tensor)])
    for tensor in example.results:
        if not is_semaphore(tensor):
            continue
        k = next(held)
        first = _FIRST + 10 * k + 5
        if tensor.dtype == "sem":
            yield _number(first, tensor.data)
            yield {"op": "semaphore_wait", "in": [k, first]}
        elif tensor.dtype == "barrier":
            awaited = _awaited(example, example.operands[k]) + (example.op == "barrier_wait")
            yield from _completed(k, tensor.data, awaited)
        else:
            yield _bytes(first, tensor.data)
            yield {"op": "dma_wait", "in": [first, k]}
