"""What Triton makes of a kernel for a GPU: texts that programs look at.  Nothing here runs them.

Triton keeps what its stages make of a kernel in `asm`.  For Tilegrind there is the first stage alone; what later ones would make
comes when a program asks for it, from Triton's own compiler for GPUs of NVIDIA, which needs no GPU."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Mapping

import triton
from triton.backends import Backend, backends
from triton.backends.compiler import GPUTarget
from triton.compiler import compiler

from . import target

STAGES = ("ttgir", "llir", "ptx", "cubin")
CAPABILITY = 90  # where the program is told of no GPU


class Texts(compiler.AsmDict):  # type: ignore[misc]
    """What `asm` is of a kernel for Tilegrind; `make` gives the texts of all stages for a GPU."""

    def __init__(self, made: Mapping[str, Any], make: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__(made)
        self._make = make

    def __missing__(self, name: str) -> Any:
        """The text of a stage that is not there yet.  Raises what Triton raises where a GPU cannot have the kernel, and KeyError."""
        if name not in STAGES:
            return super().__missing__(name)
        texts = self._make()
        self.update({stage: texts[stage] for stage in STAGES})
        return self[name]

    def __reduce__(self) -> Any:
        """Other processes get what there is."""
        return compiler.AsmDict, (dict(self),)


class Kernel(compiler.CompiledKernel):  # type: ignore[misc]
    """A kernel whose texts for a GPU can be asked for if it is one for Tilegrind; any other is what it always is."""

    def __init__(self, src: Any, metadata_group: Any, hash: str) -> None:
        super().__init__(src, metadata_group, hash)
        settings = getattr(self.metadata, "launch_settings", None)
        if settings is not None and isinstance(src, compiler.ASTSource):
            self.asm = Texts(self.asm, lambda: _compiled(src, dict(settings), self.metadata.target))


def offer() -> Callable[[], None]:
    """From now on Triton makes a `Kernel` of each kernel.  Returns what ends that."""
    before = compiler.CompiledKernel
    compiler.CompiledKernel = Kernel

    def withdraw() -> None:
        compiler.CompiledKernel = before

    return withdraw


def _compiled(source: Any, options: dict[str, Any], presented: GPUTarget) -> Mapping[str, Any]:
    capability = CAPABILITY if presented == target.CPU else presented.arch
    with _nvidia_alone(capability):
        gpu = target.presented()
        made: Mapping[str, Any] = triton.compile(source, target=gpu, options=options).asm
        return made


@contextlib.contextmanager
def _nvidia_alone(capability: int) -> Iterator[None]:
    """Triton compiles for a GPU of NVIDIA, and tells kernels so."""
    from triton.backends.nvidia.compiler import CUDABackend
    from triton.backends.nvidia.driver import CudaDriver

    before = dict(backends)
    backends.clear()
    backends["nvidia"] = Backend(CUDABackend, CudaDriver)
    target.present(capability)
    try:
        yield
    finally:
        target.withdraw()
        backends.clear()
        backends.update(before)
