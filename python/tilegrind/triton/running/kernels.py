"""Kernels that Triton has compiled, converted once for each pattern of memory that launches have."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from ... import runtime
from ...ir import dtypes
from ..launch.descriptors import Host
from ..launch.kernel import convert, memory_dtype
from ..launch.memories import Memories
from ..lowering.choices import Choices
from ..lowering.converter import number_type
from ..lowering.errors import ExportError
from ..ttir.reader import SyntaxProblem, read
from ..ttir.syntax import Module as Ttir
from ..ttir.types import Descriptor
from . import session
from .launches import Argument, Launch, argument_of
from .reachable import asks_for_addresses, reached
from .storages import Bound, bind, passed
from .undefined import undefined_of
from .verified import verified


class CompiledKernel:
    """A kernel as Triton's last stage gives it: the text of its TTIR."""

    def __init__(self, name: str, ttir: str) -> None:
        self.name = name
        self._ttir = _read(name, ttir)
        self._parameters = self._ttir.entry().arguments
        self._asks_for_addresses = asks_for_addresses(self._ttir)
        self._modules: dict[Any, runtime.Module] = {}

    def launch(self, grid: tuple[int, int, int], threads: int, signature: Any, arguments: tuple[Any, ...],
               made_of: tuple[Any, Any] | None = None) -> None:
        """Runs the kernel; `grid` is (z, y, x), `threads` are those of a program on a GPU.  Arrays are written in place.  `made_of` is the
        source that Triton has compiled, and with which options, if it is known.  Raises what the session says of findings."""
        bound, numbers, hosts = self._bind(signature, arguments)
        module = self._module(bound.memories, hosts, session.current().choices_of(threads))
        inputs, outputs = {}, {}
        for param in module.params():
            name = param.name.removesuffix(".before")
            if param.role == "output":
                outputs[name] = bound.arrays[name]
            elif name in numbers:
                inputs[param.name] = numbers[name]
            elif name in bound.arrays:
                inputs[param.name] = bound.arrays[name]
            else:
                inputs[param.name] = np.asarray(bound.addresses[name.removesuffix(".address")], np.int64)
        bound.check_writable(outputs)
        undefined = undefined_of(bound, inputs, outputs)
        session.current().run(Launch(self.name, module, inputs, grid, outputs, undefined, bound.memories, self._passed(bound, hosts, inputs),
                                     made_of))

    def _bind(self, signature: Any, arguments: tuple[Any, ...]) -> tuple[Bound, dict[str, np.ndarray], dict[str, Host]]:
        """The memory of a launch, the numbers, and what descriptors say."""
        arrays, numbers, hosts = [], {}, {}
        for parameter, argument in zip(self._parameters, _bound(signature.values(), arguments), strict=True):
            name = parameter.name[1:]
            if isinstance(parameter.type.element, Descriptor):
                hosts[name] = Host(argument.padding, bool(getattr(argument, "round_f32_to_tf32", False)))
                arrays.append(passed(name, argument.base, memory_dtype(parameter)))
            elif parameter.type.is_pointer:
                arrays.append(passed(name, argument, memory_dtype(parameter)))
            else:
                dtype, shape = number_type(parameter.type)
                numbers[name] = np.asarray(argument).astype(dtypes.numpy_dtype(dtype)).reshape(shape)
        if self._asks_for_addresses:
            arrays += reached(arrays, (one for one in numbers.values() if one.dtype == np.int64))
        return bind(arrays), numbers, hosts

    def _passed(self, bound: Bound, hosts: dict[str, Host], inputs: dict[str, np.ndarray]) -> tuple[Argument, ...] | str:
        """What each parameter of the kernel gets; a text says why it needs more than numbers and addresses in the memories."""
        if hosts:
            return "the program passes a tensor descriptor"
        if self._asks_for_addresses:
            return "the kernel makes pointers of numbers"
        if any(name.endswith(".address") for name in inputs):
            return "the kernel makes numbers of pointers"
        places = {one.name: (memory, one.address - bound.addresses[memory]) for memory, arrays in bound.passed.items() for one in arrays}
        return tuple(argument_of(parameter.name[1:], places, inputs) for parameter in self._parameters)

    def _module(self, memories: Memories, hosts: dict[str, Host], choices: Choices) -> runtime.Module:
        key = (memories, *hosts.items(), choices)
        if key not in self._modules:
            try:
                self._modules[key] = verified(self.name, convert(self._ttir, memories, choices, hosts))
            except ExportError as error:
                session.current().refuse(error)
                raise
        return self._modules[key]


def _read(name: str, ttir: str) -> Ttir:
    """The module of a text.  Raises ExportError where this version of Triton writes what is not known."""
    try:
        return read(ttir)
    except SyntaxProblem as problem:
        error = ExportError("module", None, f"the TTIR of {name} cannot be read: {problem}")
        session.current().refuse(error)
        raise error from None


def _bound(kinds: Any, arguments: Any) -> Iterator[Any]:
    """The arguments that the kernel has parameters for: constexprs have none, tuples one for each element, and descriptors also one
    for each extent and each stride."""
    for kind, argument in zip(kinds, arguments, strict=True):
        if isinstance(kind, tuple):
            yield from _bound(kind, argument)
        elif kind != "constexpr":
            yield argument
            if kind.startswith("tensordesc"):
                yield from (*argument.shape, *argument.strides)
