"""Kernels that Triton has compiled, converted once for the sizes of each launch."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from ... import runtime
from ..launch.kernel import convert, memory_dtype
from ..lowering.errors import ExportError
from ..ttir.reader import SyntaxProblem, read
from ..ttir.syntax import Module as Ttir
from . import session
from .arrays import memory_of


class CompiledKernel:
    """A kernel as Triton's last stage gives it: the text of its TTIR."""

    def __init__(self, name: str, ttir: str) -> None:
        self.name = name
        self._ttir = _read(name, ttir)
        self._parameters = self._ttir.entry().arguments
        self._modules: dict[tuple[int, ...], runtime.Module] = {}

    def launch(self, grid: tuple[int, int, int], signature: Any, arguments: tuple[Any, ...]) -> None:
        """Runs the kernel; `grid` is (z, y, x).  Arrays are written in place.  Raises what the session says of findings."""
        memories = {}
        for parameter, argument in zip(self._parameters, _bound(signature.values(), arguments), strict=True):
            memories[parameter.name[1:]] = _memory(parameter, argument)
        module = self._module({name: memory.size for name, memory in memories.items() if memory.ndim})
        inputs = {param.name: memories[param.name.removesuffix(".before")] for param in module.params() if param.role == "input"}
        session.current().run(self.name, module, inputs, grid, memories)

    def _module(self, sizes: dict[str, int]) -> runtime.Module:
        key = tuple(sizes.values())
        if key not in self._modules:
            try:
                self._modules[key] = self._converted(sizes)
            except ExportError as error:
                session.current().refuse(error)
                raise
        return self._modules[key]

    def _converted(self, sizes: dict[str, int]) -> runtime.Module:
        """Raises ExportError."""
        try:
            return runtime.loads(convert(self._ttir, sizes).compact())
        except runtime.Error as problem:
            raise ExportError("module", None, f"{self.name} is no kernel of ours: {problem}") from problem


def _read(name: str, ttir: str) -> Ttir:
    """The module of a text.  Raises ExportError where this version of Triton writes what is not known."""
    try:
        return read(ttir)
    except SyntaxProblem as problem:
        error = ExportError("module", None, f"the TTIR of {name} cannot be read: {problem}")
        session.current().refuse(error)
        raise error from None


def _bound(kinds: Any, arguments: Any) -> Iterator[Any]:
    """The arguments that the kernel has parameters for: constexprs have none, and tuples one for each element."""
    for kind, argument in zip(kinds, arguments, strict=True):
        if isinstance(kind, tuple):
            yield from _bound(kind, argument)
        elif kind != "constexpr":
            yield argument


def _memory(parameter: Any, argument: Any) -> np.ndarray:
    """The array that a parameter is: memory of the program, or a number."""
    if parameter.type.is_pointer:
        return memory_of(argument, memory_dtype(parameter))
    from ...ir import dtypes
    from ..lowering.converter import number_type

    dtype, shape = number_type(parameter.type)
    return np.asarray(argument).astype(dtypes.numpy_dtype(dtype)).reshape(shape)
