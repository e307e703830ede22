"""Runs Triton's tutorials in Tilegrind, from a checkout of Triton (docs/triton-suites.md).

    tutorials.py --triton DIR [NAME...] [--checks NAMES] [--order ORDER]

Nothing of a tutorial is changed.  Its benchmarks are not run, as times on a CPU say nothing; where its own sizes are those of a GPU, or
where it compares nothing, functions of it are called and their results compared with torch.  Exit 1 if one fails."""

from __future__ import annotations

import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass
from types import ModuleType
from typing import Callable

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 600  # for one tutorial


@dataclass
class Tutorial:
    """more        calls functions of the tutorial, and compares
    capability  what Triton is told that it compiles for; None: a CPU
    told        what the text must say, that the tutorial prints
    fails_at    in its last line, a test that fails although the kernel is right, as `more` shows"""

    more: Callable[[ModuleType], None] = lambda module: None
    capability: int | None = 90
    told: tuple[str, ...] = ()
    fails_at: str | None = None


def _same(one, other, **allowed) -> None:
    import torch

    torch.testing.assert_close(one, other, **(allowed or {"atol": 0, "rtol": 0}))


def _add(module: ModuleType) -> None:
    _same(module.output_triton, module.output_torch)


def _softmax(module: ModuleType) -> None:
    _same(module.y_triton, module.y_torch, atol=1e-6, rtol=1e-5)


def _matmul(module: ModuleType) -> None:
    import torch

    a, b = (torch.randn((96, 80), dtype=torch.float16), torch.randn((80, 64), dtype=torch.float16))
    for activation in ("", "leaky_relu"):
        wanted = a.double() @ b.double()
        wanted = torch.where(wanted >= 0, wanted, 0.01 * wanted) if activation else wanted
        _same(module.matmul(a.to("cuda"), b.to("cuda"), activation).double().cpu(), wanted, atol=2e-2, rtol=1e-3)


def _dropout(module: ModuleType) -> None:
    import torch

    x = torch.randn(1000, device=module.DEVICE)
    first, again, other = (module.seeded_dropout(x, p=0.5, seed=seed) for seed in (123, 123, 512))
    _same(first, again)
    assert (first != other).any()
    kept = first != 0
    _same(first[kept], x[kept] / 0.5)
    assert 400 < int(kept.sum()) < 600


def _layer_norm(module: ModuleType) -> None:
    """As the tutorial's test, but with gradients of f64: those of torch, which sums f16 in low precision on the CPU, are off."""
    import torch

    for dtype, rows, columns, atol in ((torch.float16, 1151, 8192, 1e-2), (torch.float32, 151, 1000, 1e-4)):
        x, up = -2.3 + 0.5 * torch.randn((rows, columns), dtype=dtype), 0.1 * torch.randn((rows, columns), dtype=dtype)
        inputs = x, torch.rand(columns, dtype=dtype), torch.rand(columns, dtype=dtype)
        exact = [one.double().requires_grad_() for one in inputs]
        torch.nn.functional.layer_norm(exact[0], (columns, ), exact[1], exact[2], 1e-5).backward(up.double())
        mine = [one.to(module.DEVICE).requires_grad_() for one in inputs]
        module.layer_norm(mine[0], (columns, ), mine[1], mine[2], 1e-5).backward(up.to(module.DEVICE))
        for one, wanted in zip(mine, exact):
            _same(one.grad.cpu().double(), wanted.grad, atol=atol, rtol=0 if dtype == torch.float16 else 1e-4)


def _attention(module: ModuleType) -> None:
    import torch

    for causal in (False, True):
        module.test_op(1, 2, 128, 64, causal, False, "bwd", "triton-fp16", torch.float16)
        module.test_op(1, 2, 128, 64, causal, False, "fwd", "triton-fp8", torch.float16)


def _extern(module: ModuleType) -> None:
    import torch

    _same(module.output_triton, torch.asin(module.x), atol=1e-6, rtol=1e-6)


def _persistent(module: ModuleType) -> None:
    import torch

    for dtype in (torch.float16, torch.float8_e4m3fn):
        module.validate(32, 32, 32, dtype)
        module.validate(256, 384, 192, dtype)


def _scaled(module: ModuleType) -> None:
    for kind in ("nvfp4", "mxfp4", "mxfp8", "mixed"):
        module.validate_block_scaled(256, 256, 512, block_scale_type=kind)


def _dependent(module: ModuleType) -> None:
    module.validate(1000)


TUTORIALS = {
    "01-vector-add": Tutorial(_add, None, ("The maximum difference between torch and triton is 0.0",)),
    "02-fused-softmax": Tutorial(_softmax),
    "03-matrix-multiplication": Tutorial(_matmul, told=("✅ Triton and Torch match",)),
    "04-low-memory-dropout": Tutorial(_dropout, None),
    "05-layer-norm": Tutorial(_layer_norm, None, fails_at="db_tri, db_ref"),
    "06-fused-attention": Tutorial(_attention),
    "07-extern-functions": Tutorial(_extern),
    "08-grouped-gemm": Tutorial(),
    "09-persistent-matmul": Tutorial(_persistent, told=("Persistent: ✅",)),
    "10-block-scaled-matmul": Tutorial(_scaled),
    "11-programmatic-dependent-launch": Tutorial(_dependent, told=("add: ✅",)),
}


def run_here(path: pathlib.Path, checks: str, order: str) -> None:
    """Runs a tutorial in this process.  Raises whatever it raises, FindingError among them."""
    import tilegrind.triton

    one = TUTORIALS[path.stem]
    options = {"device": "cuda", "capability": one.capability} if one.capability else {}
    printed = io.StringIO()
    with tilegrind.triton.interpreter(order=order, checks=checks, **options):
        _without_gpu_parts()
        spec = importlib.util.spec_from_file_location("tutorial", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["tutorial"] = module
        with contextlib.redirect_stdout(printed):
            _execute(spec, module, one.fails_at)
            one.more(module)
    text = printed.getvalue()
    assert "❌" not in text and all(part in text for part in one.told), text


def _execute(spec: importlib.machinery.ModuleSpec, module: ModuleType, fails_at: str | None) -> None:
    try:
        spec.loader.exec_module(module)
    except AssertionError as error:
        if fails_at is None or fails_at not in traceback.extract_tb(error.__traceback__)[-1].line:
            raise


def _without_gpu_parts() -> None:
    """Benchmarks do nothing, and cuBLAS, with which some of them compare, is not there."""
    import triton.testing
    from triton._C.libtriton import nvidia

    triton.testing.Mark.run = lambda *arguments, **named: None
    nvidia.cublas.CublasLt = lambda workspace: None


def run_apart(path: pathlib.Path, options: argparse.Namespace) -> str | None:
    """Runs a tutorial in a process of its own; returns what is wrong, or None."""
    if not path.is_file():
        return f"there is no {path}"
    command = [sys.executable, __file__, "--here", str(path), "--checks", options.checks, "--order", options.order]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, cwd=path.parent)
    except subprocess.TimeoutExpired:
        return f"not done in {SECONDS} s"
    return None if done.returncode == 0 else done.stderr.strip() or f"code {done.returncode}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a tutorial, or the beginning of one")
    parser.add_argument("--triton", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--checks", default="none")
    parser.add_argument("--order", default="sequential")
    parser.add_argument("--here", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        run_here(options.here, options.checks, options.order)
        return 0
    if options.triton is None:
        parser.error("--triton is missing")
    names = [name for name in TUTORIALS if not options.names or any(name.startswith(one) for one in options.names)]
    if not names:
        parser.error(f"there is none of {', '.join(options.names)}")
    failed = 0
    for name in names:
        start = time.monotonic()
        wrong = run_apart((options.triton / "python" / "tutorials" / f"{name}.py").resolve(), options)
        failed += wrong is not None
        print(f"{name}: {'passed' if wrong is None else f'FAILED{chr(10)}{wrong}'} ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{len(names)} tutorials, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "python")]
    sys.exit(main())
