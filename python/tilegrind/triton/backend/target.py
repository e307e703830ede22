"""Which device Triton is told that it compiles for: the CPU, or, for programs that ask, a GPU of NVIDIA.

Nothing else depends on it: kernels end as TTIR, and run in Tilegrind."""

from __future__ import annotations

from triton.backends.compiler import GPUTarget

NAME = "cpu"  # of the target: programs take it for the name of a torch device
CPU = GPUTarget(NAME, 0, 32)

# A kernel may have as many programs: one would never race, and a GPU's hundred would take long.
MULTIPROCESSORS = 8

_presented = [CPU]


def presented() -> GPUTarget:
    """What Triton is told now."""
    return _presented[-1]


def present(capability: int | None) -> None:
    """From now on the target is a GPU of this compute capability, 90 for 9.0; None: the CPU."""
    _presented.append(CPU if capability is None else GPUTarget("cuda", capability, 32))


def withdraw() -> None:
    """Ends the last `present`."""
    _presented.pop()
