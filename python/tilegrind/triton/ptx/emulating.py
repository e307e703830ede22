"""Running a launch as PTX in the emulator, on copies of its memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Sequence

import numpy as np

from ... import emulator
from ..running.launches import Address, Argument, Launch
from .compiling import WARP, NotCompared, Ptx

_ALIGNMENT = 16  # bytes, to which Triton takes addresses for aligned if they are at the launch


@dataclass(frozen=True)
class How:
    """Options of the emulator.

    seed               order of CTAs, warps and approximations; 0: the natural one
    races, cta_races   whether races are looked for: of threads of a CTA, and of CTAs in global memory
    instruction_limit  warp instructions until a launch is stopped; 0: none
    """

    seed: int = 0
    races: bool = True
    cta_races: bool = False
    instruction_limit: int = 0


@dataclass(frozen=True)
class Emulated:
    """What became of a launch: its memory, by the names of the inputs of our module; and its run."""

    arrays: dict[str, np.ndarray] = field(repr=False)
    run: emulator.Run


def arguments_of(launch: Launch) -> tuple[Argument, ...]:
    """What each parameter gets.  Raises NotCompared where the emulator cannot give it that."""
    if isinstance(launch.arguments, str):
        raise NotCompared(launch.arguments)
    for argument in launch.arguments:
        if isinstance(argument, Address) and launch.inputs[argument.input].ctypes.data % _ALIGNMENT:
            raise NotCompared(f"the memory of {argument.input.removesuffix('.before')} is not aligned to {_ALIGNMENT} bytes")
    return launch.arguments


def emulated(ptx: Ptx, module: emulator.Module, arguments: Sequence[Argument], inputs: Mapping[str, np.ndarray], grid: tuple[int, ...],
             how: How = How()) -> Emulated:
    """Runs PTX, which is loaded as `module`, on copies of the memory in `inputs`; `grid` is (z, y, x).  Raises NotCompared where
    parameters do not fit, and tilegrind.Error."""
    arrays = {one.input: inputs[one.input].copy() for one in arguments if isinstance(one, Address)}
    params = module.params()
    values = [emulator.Pointer(arrays[one.input], one.offset) if isinstance(one, Address) else number(inputs[one.input], *param)
              for one, param in zip(arguments, params)]
    if 0 in grid:  # nothing is launched
        return Emulated(arrays, emulator.Run(None, 0, 0, 0))
    extents = grid[::-1]
    scratch = scratch_bytes(ptx, grid)
    hidden = [np.zeros(scratch, np.uint8) if scratch else np.uint64(0), np.uint64(0)][:len(params) - len(values)]
    run = module.run([*values, *hidden], grid=(extents[0] * ptx.ctas, *extents[1:]), block=(ptx.warps * WARP,), shared_bytes=ptx.shared_bytes,
                     seed=how.seed, races=how.races, cta_races=how.cta_races, instruction_limit=how.instruction_limit, same_values=True,
                     arbitrary_registers=True)
    return Emulated(arrays, run)


def scratch_bytes(ptx: Ptx, grid: tuple[int, ...]) -> int:
    """Of global memory that all CTAs of a launch need."""
    return ptx.scratch_bytes * int(np.prod(grid)) * ptx.ctas


def number(value: np.ndarray, name: str, kind: str, size: int) -> np.generic:
    """A number as the bytes of a parameter.  Raises NotCompared where it has others."""
    if value.nbytes != size:
        raise NotCompared(f"parameter {name} of the PTX has {size} bytes, and the number {value.nbytes}")
    return value.reshape(1).view(f"u{size}")[0]
