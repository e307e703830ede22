"""The PTX that Triton makes of a kernel for a GPU of NVIDIA, for which it needs none."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import Any, Iterator, Mapping

import triton
from triton.backends import Backend, backends
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.errors import CompilationError

from ..backend import target as presenting
from ..backend.compiler import Options

TARGETS = (80, 90)
WARP = 32  # threads

# Of what a launch may set, that on which PTX depends; where it is not set, Triton's own defaults for the GPU hold.
_SETTINGS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "enable_fp_fusion", "default_dot_input_precision", "launch_cooperative_grid",
             "launch_pdl")


class NotCompared(Exception):
    """Why a launch does not run as Triton's PTX, and where in the program; file "" and line 0 where that is not known."""

    def __init__(self, why: str, file: str = "", line: int = 0) -> None:
        super().__init__(f"{file}:{line}: {why}" if line else why)
        self.why, self.file, self.line = why, file, line


@dataclass(frozen=True)
class Ptx:
    """A kernel as PTX.

    text, ttir     of it, and of what Triton made it of, after its passes
    name           of the entry
    target         the number of sm_80
    warps, ctas    of each CTA, and of each cluster
    shared_bytes   of dynamic shared memory
    scratch_bytes  of global memory for each CTA, at which the last parameter but one points
    settings       that Triton was given
    """

    text: str
    ttir: str
    name: str
    target: int
    warps: int
    ctas: int
    shared_bytes: int
    scratch_bytes: int
    settings: dict[str, Any]


def ptx_of(made_of: tuple[Any, Any] | None, target: int) -> Ptx:
    """What Triton makes of a kernel that it has compiled for us: of the same source, with the same options, for another target.
    Raises NotCompared, with the kernel's line, where it does not compile."""
    if made_of is None or not isinstance(made_of[0], ASTSource):
        raise NotCompared("the kernel is not made of Python source")
    source, options = made_of
    settings = _settings(options)
    try:
        with for_nvidia(target):
            made = triton.compile(ASTSource(source.fn, source.signature, source.constants, source.attrs), target=gpu(target),
                                  options=settings)
    except Exception as error:  # of any kind: this is all of Triton's compiler
        raise _refusal(error, source.fn, target) from error
    return ptx_from(made, target, settings)


def ptx_from(made: Any, target: int, settings: Mapping[str, Any]) -> Ptx:
    """The PTX of what `triton.compile` returns."""
    said = made.metadata
    return Ptx(made.asm["ptx"], made.asm["ttir"], said.name, target, said.num_warps, said.num_ctas, said.shared, said.global_scratch_size,
               dict(settings))


def checked_target(target: int) -> int:
    """The target.  Raises ValueError for one that is none of `TARGETS`."""
    if target not in TARGETS:
        raise ValueError(f"target={target} is none of {', '.join(map(str, TARGETS))}")
    return target


def gpu(target: int) -> GPUTarget:
    """The GPU of an sm number."""
    return GPUTarget("cuda", target, WARP)


@contextlib.contextmanager
def for_nvidia(target: int) -> Iterator[None]:
    """Triton's own backend is the only one meanwhile, and kernels that ask are told that they compile for this target."""
    from triton.backends.nvidia import compiler, driver

    before = dict(backends)
    backends.clear()
    backends["nvidia"] = Backend(compiler.CUDABackend, driver.CudaDriver)
    presenting.present(target)
    try:
        yield
    finally:
        presenting.withdraw()
        backends.clear()
        backends.update(before)


def _settings(options: Any) -> dict[str, Any]:
    """What a launch has set, as far as it is another value than ours where it is not set.  Assertions are in the PTX if it asks for them;
    in ours they always are."""
    ours = Options()
    given = {name: getattr(options, name, getattr(ours, name)) for name in _SETTINGS}
    debug = {name: value for name, value in getattr(options, "launch_settings", ()) if name in ("debug", "sanitize_overflow")}
    return {name: value for name, value in given.items() if value != getattr(ours, name)} | (debug if debug.get("debug") else {})


def _refusal(error: Exception, fn: Any, target: int) -> NotCompared:
    """The error of the innermost function says what is wrong; the outermost one knows the kernel's line."""
    line = fn.starting_line_number
    if isinstance(error, CompilationError) and hasattr(error.node, "lineno"):
        line += _lines_before_def(fn) + error.node.lineno - 1
    inner: BaseException = error
    while inner.__cause__ is not None:
        inner = inner.__cause__
    said = getattr(inner, "error_message", None) or str(inner) or type(inner).__name__
    return NotCompared(f"Triton does not compile it for sm_{target}: {_main_line(said)}", fn.fn.__code__.co_filename, line)


def _main_line(said: str) -> str:
    """The last one, or what ptxas does not accept, behind which Triton says how to repeat it."""
    refused = re.search(r"\bptxas\S* .*; error +: (.+)", said)
    return refused[1] if refused else said.strip().splitlines()[-1]


def _lines_before_def(fn: Any) -> int:
    """Those of decorators, which Triton's text of a function lacks."""
    for number, line in enumerate(fn.raw_src):
        if line.lstrip().startswith(("def ", "async def ")):
            return number
    return 0
