"""Rules for semaphores, of this device or another."""

from __future__ import annotations

from typing import Any, Sequence

from ...ir.builder import Value
from ...ir.errors import Unsupported
from ..lowering.converter import Converter, rule
from .references import all_devices, shared_semaphores, transformed


def _semaphore(conv: Converter, ref: Value, transforms: Sequence[Any]) -> Value:
    """The reference to one semaphore."""
    return transformed(conv, ref, transforms or ())


def _on_device(conv: Converter, ref: Value, device: Any, kind: Any) -> Value:
    """The semaphores of the named device; of none, those of this one."""
    if device is None:
        return ref
    devices = all_devices(conv)
    return devices.of_peer(conv.builder, ref, devices.named(conv.builder, device, kind))


# Those of Mosaic GPU also say whether other devices see the semaphore, on which no value depends.


@rule("mosaic_gpu", "semaphore_signal")
@rule("pallas", "semaphore_signal")
def _signal(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, transforms, inc, device, core = eqn.params["args_tree"].unflatten(operands)
    ref = _on_device(conv, ref, device, eqn.params.get("device_id_type"))
    if core is not None and not conv.cores.are_axis:
        raise Unsupported("the grid has no axis of cores, so there is no other core")
    chain = [] if core is None else [conv.builder.as_i32(core)]
    return conv.builder.emit("semaphore_signal", [_semaphore(conv, ref, transforms), conv.builder.as_i32(inc), *chain])


@rule("mosaic_gpu", "semaphore_wait")
@rule("pallas", "semaphore_wait")
def _wait(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, transforms, value, decrement = eqn.params["args_tree"].unflatten(operands)
    decrements = decrement.const if isinstance(decrement, Value) else decrement
    if decrements is None:
        raise Unsupported("whether a wait decrements must be known when the kernel is traced")
    attrs = {} if decrements else {"keep": True}
    return conv.builder.emit("semaphore_wait", [_semaphore(conv, ref, transforms), conv.builder.as_i32(value)], **attrs)


@rule("pallas", "semaphore_read")
def _read(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    ref, transforms = eqn.params["args_tree"].unflatten(operands)
    return conv.builder.emit("semaphore_read", [_semaphore(conv, ref, transforms)], [("i32", ())])


@rule("mosaic_gpu", "semaphore_signal_parallel")
def _signals(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """One after the other: nobody may rely on their order."""
    for ref, transforms, inc, device in zip(*eqn.params["args_tree"].unflatten(operands), strict=True):
        ref = _on_device(conv, ref, device, eqn.params.get("device_id_type"))
        conv.builder.emit("semaphore_signal", [_semaphore(conv, ref, transforms), conv.builder.as_i32(inc)])
    return []


@rule("pallas", "get_global")
def _get_global(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """Semaphores of a whole GPU."""
    del operands
    if conv.scratch is None:
        raise Unsupported("only kernels of Mosaic GPU have semaphores of the whole device")
    return [conv.scratch.shared(conv, eqn.params["what"])]


@rule("tpu", "get_barrier_semaphore")
def _barrier_semaphore(conv: Converter, eqn: Any, operands: list[Value]) -> list[Value]:
    """The semaphore of a kernel on all devices."""
    del eqn, operands
    return [shared_semaphores(conv, "barrier", ())]
