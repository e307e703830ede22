"""Runs kernels of Triton from their TTIR in tests/data/triton_ops, without Triton."""

import pathlib
from dataclasses import dataclass

from tilegrind.triton.running import session
from tilegrind.triton.running.kernels import CompiledKernel
from tilegrind.triton.ttir.types import Descriptor

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "triton_ops"


@dataclass
class Box:
    """A descriptor that a program passes, as Triton's TensorDescriptor."""

    base: object
    padding: str = "zero"

    @property
    def shape(self):
        return self.base.shape

    @property
    def strides(self):
        return tuple(stride // self.base.itemsize for stride in self.base.strides)


def text_of(name, replace=()):
    """The text of a case; `replace` has pairs of what stands in it and what is there instead."""
    text = (FOLDER / f"{name}.ttir").read_text()
    for before, after in replace:
        assert before in text, f"{before} is not in {name}.ttir"
        text = text.replace(before, after)
    return text


def launch(name, *arguments, grid=(1, 1, 1), replace=(), choices=session.Choices(), threads=128, prints="program", **options):
    """Runs a case with these arrays, which are written in place, and numbers; with all checks.  `grid` is (x, y, z),
    `threads` are those that a program would have on a GPU.

    Returns (findings, printed text)."""
    kernel = CompiledKernel(name, text_of(name, replace))
    printed = []
    checks = options.pop("checks", "all")
    mine = session.Session({"print": printed.append, **options}, "collect", checks, choices=choices, prints=prints)
    session.push(mine)
    try:
        kernel.launch(grid[::-1], threads, dict(enumerate(_kinds(kernel))), arguments)
    finally:
        session.pop(mine)
    return mine.checked.findings, "".join(printed)


def _kinds(kernel):
    """What Triton's signature says of each argument."""
    kinds, left = [], list(kernel._parameters)
    while left:
        kind = left.pop(0).type
        kinds.append("*" if kind.is_pointer else "i32")
        if isinstance(kind.element, Descriptor):
            kinds[-1] = "tensordesc"
            del left[:2 * len(kind.element.box.shape)]
    return kinds


def run(name, *arguments, **options):
    """As `launch`, and demands that nothing is found; returns the printed text."""
    findings, text = launch(name, *arguments, **options)
    assert not findings, findings
    return text
