"""Kernels of Mosaic GPU that are called from PyTorch (`plgpu.as_torch_kernel`), with tensors on a CPU.

JAX compiles such a function for the GPU and hands it the addresses of the tensors.  Here JAX runs it on arrays that
share the memory of the tensors, so that whatever runs kernels on the CPU runs them.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

import jax

from ..lowering.converter import located
from ..tracing import jaxprs
from ..tracing.sources import place_of
from . import interpreters

# What else the function may consist of: memory for outputs, and scalars.
_AROUND = frozenset({"empty", "broadcast_in_dim"})
_CALLS = frozenset({"jit", "pjit", "closed_call", "custom_vmap_call"})


def compile_call(function: Callable[..., Any], structs: Any) -> Callable[..., Any]:
    """The function as one of tensors of these shapes and dtypes, which returns new tensors.

    Raises RuntimeError without PyTorch, and ExportError for a function that is not one launch of a kernel: JAX cannot call
    another one from PyTorch either.
    """
    try:
        import torch
    except ImportError:
        raise RuntimeError("as_torch_kernel: PyTorch is not installed") from None
    run = jax.jit(function)
    _check_program(run.trace(*structs).jaxpr)
    wanted, tree = jax.tree.flatten(structs)

    def call(*args: Any) -> Any:
        tensors, given = jax.tree.flatten(args)
        if given != tree:
            raise ValueError(f"as_torch_kernel: the arguments are {given}, and were {tree} when the kernel was compiled")
        for number, (tensor, struct) in enumerate(zip(tensors, wanted, strict=True)):
            _check_tensor(torch, number, tensor, struct)
        arrays = jax.tree.unflatten(tree, [jax.dlpack.from_dlpack(tensor.detach().contiguous()) for tensor in tensors])
        results = jax.block_until_ready(run(*arrays))
        return jax.tree.map(lambda array: torch.from_dlpack(array).clone(), results)

    return call


def _check_tensor(torch: Any, number: int, tensor: Any, struct: jax.ShapeDtypeStruct) -> None:
    dtype = getattr(torch, jax.dtypes.canonicalize_dtype(struct.dtype).name)
    if tensor.device.type != "cpu":
        raise ValueError(f"as_torch_kernel: argument {number} is on {tensor.device}; Tilegrind takes tensors on the CPU")
    if tuple(tensor.shape) != struct.shape or tensor.dtype != dtype:
        raise ValueError(f"as_torch_kernel: argument {number} is {tuple(tensor.shape)} of {tensor.dtype}, not {struct.shape} of {dtype}")


def _check_program(jaxpr: Any) -> None:
    launch = None
    for eqn in _flat(jaxpr):
        name, place = eqn.primitive.name, place_of(eqn.source_info)
        if interpreters.is_launch(eqn):
            if launch is not None:
                raise located(name, place, "as_torch_kernel takes functions with one launch of a kernel, and this is the second")
            launch = eqn
        elif name not in _AROUND:
            raise located(name, place, "as_torch_kernel takes functions that launch a kernel, and compute nothing else")
    if launch is None:
        raise located("as_torch_kernel", None, "the function launches no kernel")


def _flat(jaxpr: Any) -> Iterator[Any]:
    """The equations of a jaxpr, with those of functions that it calls in their place."""
    for eqn in jaxprs.opened(jaxpr)[0].eqns:
        if eqn.primitive.name not in _CALLS:
            yield eqn
            continue
        for inner in jaxprs.sub_jaxprs(eqn.params):
            yield from _flat(inner)
