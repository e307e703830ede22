"""A kernel's run as an operation of JAX: a primitive that lowers to the custom call of libtilegrind_xla.

In a program for several devices whose arrays XLA partitions, the call goes through custom_partitioning, so
that kernels that can be cut (`partitioning`) run where their data is.  On a mesh the call has its axes and devices as
attributes, so that findings can name the device.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Sequence

import jax
from jax._src import core, sharding_impls
from jax.experimental.custom_partitioning import custom_partitioning
from jax.interpreters import mlir
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ...ir.module import Module
from . import partitioning, target


@dataclass(frozen=True, eq=False)
class Call:
    """One call of a kernel without its operands, which are the sizes of the dynamic axes, then the prefetch and input
    parameters."""

    module: Module
    outputs: tuple[core.ShapedArray, ...]
    dynamic: int  # number of dynamic axes
    aliases: tuple[tuple[int, int], ...]  # input, not counting the dynamic sizes, and output
    has_side_effect: bool
    attributes: tuple[tuple[str, str], ...]
    is_of_all: bool = False  # whether the kernel is one for all devices of the mesh, each of which runs it

    @property
    def kernel(self) -> partitioning.Kernel:
        return self.module.kernels[0]

    def cut(self, shards: dict[int, int]) -> Call:
        """The call of one device; see `partitioning.piece`."""
        kernel = partitioning.piece(self.kernel, shards)
        _, results = partitioning.arrays(kernel)
        outputs = tuple(core.ShapedArray(tuple(partitioning.shape_of(kernel["params"][p])), output.dtype)
                        for p, output in zip(results, self.outputs, strict=True))
        return replace(self, module=Module([kernel], self.module.locations), outputs=outputs)

    def on(self, mesh: Any) -> Call:
        """The call as one on a mesh; one of a kernel for all devices is not on any of them."""
        if self.is_of_all:
            return self
        return replace(self, attributes=tuple(sorted({**dict(self.attributes), **_place(mesh)}.items())))


def _place(mesh: Any) -> dict[str, str]:
    """The attributes that say axes and devices of a mesh.  Empty if it has none, such as an abstract mesh, and if they are of several
    processes, where a call knows its device by the number in its process only."""
    if not isinstance(mesh, Mesh) or mesh.empty or len({device.process_index for device in mesh.devices.flat}) > 1:
        return {}
    axes = ", ".join(f'"{name}"={size}' for name, size in mesh.shape.items())
    return {"mesh": f"<[{axes}]>", "devices": ",".join(str(device.id) for device in mesh.devices.flat)}


_run_p = core.Primitive("tilegrind_run")
_run_p.multiple_results = True


def bind(call: Call, args: Sequence[Any]) -> list[Any]:
    """The results of `call`, inside a trace."""
    return _run_p.bind(*args, call=call)


@_run_p.def_abstract_eval
def _abstract_eval(*avals: Any, call: Call) -> tuple[core.ShapedArray, ...]:
    del avals
    return call.outputs


def _lowering(ctx: mlir.LoweringRuleContext, *operands: Any, call: Call) -> Any:
    axes = ctx.module_context.axis_context
    if _is_spread(axes):
        return mlir.lower_fun(_partitioned(call), multiple_results=True)(ctx, *operands)
    rule = jax.ffi.ffi_lowering(
        target.NAME, has_side_effect=call.has_side_effect,
        operand_output_aliases={call.dynamic + source: result for source, result in call.aliases})
    call = call.on(getattr(axes, "mesh", None))
    return rule(ctx, *operands, module=call.module.compact().encode(),
                **{name: text.encode() for name, text in call.attributes})


# For every platform: a program may be lowered for several platforms, one of them the CPU.
mlir.register_lowering(_run_p, _lowering)


def _is_spread(axes: Any) -> bool:
    """Whether XLA decides which device has which part of the operands."""
    if isinstance(axes, sharding_impls.SPMDAxisContext):
        return set(axes.manual_axes) != set(axes.mesh.axis_names)
    devices = getattr(axes, "device_assignment", None)
    return devices is not None and len(devices) > 1


def _partitioned(call: Call) -> Any:
    """The call as a function whose operands XLA may partition over devices."""
    kernel = call.kernel
    inputs, results = partitioning.arrays(kernel)

    @custom_partitioning
    def run(*args: Any) -> Any:
        return tuple(bind(call, args))

    def partition(mesh: Any, args: Any, outs: Any) -> Any:
        sizes = dict(mesh.shape)
        known = zip((*inputs, *results), (*args[call.dynamic :], *outs), strict=True)
        specs = {position: _entries(shape) for position, shape in known}
        chosen = partitioning.shares(kernel, specs, sizes)
        local = call.cut(partitioning.pieces(chosen, sizes)).on(mesh)

        def sharding(position: int) -> NamedSharding:
            return NamedSharding(mesh, PartitionSpec(*partitioning.spec(kernel, position, chosen)))

        scalars = [NamedSharding(mesh, PartitionSpec())] * call.dynamic
        return (mesh, lambda *operands: tuple(bind(local, operands)), tuple(map(sharding, results)),
                (*scalars, *map(sharding, inputs)))

    rule, whole = partitioning.rule(kernel, call.dynamic)
    run.def_partition(partition, sharding_rule=rule, need_replication_factors=whole)
    return run


def _entries(shape: Any) -> list[Any]:
    """The partition spec of an operand or result, padded to its rank."""
    given = list(getattr(shape.sharding, "spec", ()))
    return given + [None] * (len(shape.shape) - len(given))
