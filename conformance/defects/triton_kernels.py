"""Pairs of Triton kernels.  Their TTIR lies beside them, in ttir/GROUP/NAME.KIND.ttir, so that nobody who judges them needs Triton.

`write_ttir.py` writes it anew, with Triton.  A text begins with the hash of the kernel's source: one that is not of the source as it is now is an
error.  Lines in a text count from that of the kernel's `def`, which is 1.
"""

from __future__ import annotations

import hashlib
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from conformance.defects.corpus import Access, CorpusError, Finding, defect
from tilegrind.triton.launch.kernel import convert, memory_dtype
from tilegrind.triton.running.storages import bind, passed
from tilegrind.triton.ttir.reader import read

TEXTS = Path(__file__).resolve().parent / "ttir"
KERNEL = "kernel.py"  # stands for the kernel's file in texts
_PLACE = re.compile(rf'loc\("{re.escape(KERNEL)}":(\d+)')

Function = Callable[..., Any]


def at(mark: str, program: int) -> Access:
    """A marked line in a program of a grid of one axis, which is Triton's x."""
    return mark, (0, 0, program)


def triton_defect(why: str, *finds: Finding, grid: int, inputs: Sequence[Any], constants: Mapping[str, Any] | None = None,
                  **more: Any) -> Callable[[type], type]:
    """Adds a pair, as `defect` does.

    grid       how many programs a kernel is launched with
    inputs     arrays and numbers of the kernel's parameters, in their order; arrays that are views of one are tensors in one memory, whose
               name has the names of all its parameters
    constants  the constexprs of both kernels

    The pair's third function, `outputs`, gives by name what the repaired kernel leaves in arrays; those that it leaves out stay as they were;
    of an array that is a view, it gives the whole memory."""

    def enter(case: type) -> type:
        for kind in ("broken", "repaired"):
            launch = Launch(case.__dict__[kind], grid, tuple(inputs), dict(constants or {}))
            LAUNCHES[case.__dict__[kind]] = launch
        _state_all_outputs(case, LAUNCHES[case.__dict__["repaired"]])
        return defect(why, *finds, dialect="triton", inputs=inputs, write=write, **more)(case)

    return enter


class Launch:
    """What the text of a kernel depends on, and where it is."""

    def __init__(self, function: Function, grid: int, inputs: tuple[Any, ...], constants: Mapping[str, Any]) -> None:
        self.function, self.grid, self.constants = function, grid, constants
        names = [name for name in inspect.signature(function).parameters if name not in constants]
        self.inputs = dict(zip(names, map(np.asarray, inputs), strict=True))

    @property
    def path(self) -> Path:
        case, kind = self.function.__qualname__.rsplit(".", 2)[-2:]
        name = re.sub(r"(?<!^)(?=[A-Z])", "-", case).lower()
        return TEXTS / self.function.__module__.rpartition(".")[2] / f"{name}.{kind}.ttir"

    def hash(self) -> str:
        source = textwrap.dedent(inspect.getsource(self.function))
        return hashlib.sha256(repr((source, sorted(self.constants.items()))).encode()).hexdigest()

    def text(self) -> str:
        """The kernel's TTIR, with its own file and lines.  Raises CorpusError if the text is that of another source."""
        head, _, text = self.path.read_text(encoding="utf-8").partition("\n") if self.path.exists() else ("", "", "")
        if head != f"// {self.hash()}":
            raise CorpusError(f"{self.path.name} is not that of the kernel as it is: run conformance/defects/write_ttir.py")
        file, before = self.function.__code__.co_filename, self.function.__code__.co_firstlineno - 1
        return _PLACE.sub(lambda place: f'loc("{file}":{int(place.group(1)) + before}', text)


# By the function of a pair.
LAUNCHES: dict[Function, Launch] = {}


def write(function: Function) -> tuple[dict[str, Any], Sequence[Any]]:
    """The module of a kernel, and its inputs in the order of its parameters."""
    launch, module = LAUNCHES[function], read(LAUNCHES[function].text())
    dtypes = {one.name[1:]: memory_dtype(one) for one in module.entry().arguments if one.type.is_pointer}
    bound = bind([passed(name, launch.inputs[name], dtype) for name, dtype in dtypes.items()])
    content = convert(module, bound.memories).json()
    kernel, = content["kernels"]
    for axis, size in zip(kernel["grid"], (1, 1, launch.grid)):
        axis["size"] = size
    numbers = {name: array for name, array in launch.inputs.items() if name not in dtypes}
    addresses = {f"{one.name}.address": np.int64(address_of(number)) for number, one in enumerate(bound.memories.memories)}
    inputs = [param["name"].removesuffix(".before") for param in kernel["params"] if param["role"] == "input"]
    return content, [{**numbers, **addresses, **bound.arrays}[name] for name in inputs]


def address_of(number: int) -> int:
    """Where the memory of that number is said to be, in the order of the parameters: cases are the same on every machine."""
    return (number + 1) << 20


def _state_all_outputs(case: type, launch: Launch) -> None:
    stated: Callable[..., Mapping[str, Any]] = case.__dict__["outputs"]
    setattr(case, "outputs", lambda *inputs: {**launch.inputs, **stated(*inputs)})
