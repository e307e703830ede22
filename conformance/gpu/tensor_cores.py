"""Products of random numbers by `wgmma` and by `mma.sync`: whether `--tensor-core sm90` has the bits of a GPU's matrix units.

    python -m conformance.gpu.tensor_cores FOLDER        writes cases for `tilegrind crosscheck --tensor-core sm90 --backends cpu,gpu`
    python -m conformance.gpu.tensor_cores --run FILE    runs the kernels of wgmma by JAX on its GPU, and writes their results

The kernels of wgmma are Mosaic GPU's, so that JAX compiles the same ones."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jax.experimental.pallas import mosaic_gpu as plgpu

ROWS, COLUMNS, DEPTH = 64, 64, 256
_BYTES_OF_SWIZZLE = 128
WGMMA = {"f16": (jnp.float16, jnp.float32), "bf16": (jnp.bfloat16, jnp.float32), "f16 in f16": (jnp.float16, jnp.float16),
         "e4m3": (jnp.float8_e4m3fn, jnp.float32), "e5m2": (jnp.float8_e5m2, jnp.float32)}
MMA = {name: jnp.dtype(dtype) for name, dtype in
       {"f16": jnp.float16, "bf16": jnp.bfloat16, "tf32": jnp.float32, "e4m3": jnp.float8_e4m3fn, "e5m2": jnp.float8_e5m2}.items()}


def operands(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Random factors of about the same size: ROWS x DEPTH, DEPTH x COLUMNS."""
    dice = np.random.default_rng(7)
    return tuple(np.asarray(jnp.asarray(dice.standard_normal(shape), jnp.float32).astype(dtype))
                 for shape in ((ROWS, DEPTH), (DEPTH, COLUMNS)))  # type: ignore[return-value]


def wgmma_operands(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same for `wgmma_kernel`."""
    left, right = operands(dtype)
    return left, np.ascontiguousarray(right.T) if jnp.dtype(dtype).itemsize == 1 else right


def wgmma_kernel(dtype: Any, result: Any) -> Callable[[Any, Any], Any]:
    """A thread that multiplies two tiles in shared memory; a right one of 8 bits is given as COLUMNS x DEPTH."""
    width = _BYTES_OF_SWIZZLE // jnp.dtype(dtype).itemsize
    transforms = (plgpu.TilingTransform((8, width)), plgpu.SwizzleTransform(_BYTES_OF_SWIZZLE))
    is_narrow = jnp.dtype(dtype).itemsize == 1
    right = (COLUMNS, DEPTH) if is_narrow else (DEPTH, COLUMNS)

    def body(a_ref: Any, b_ref: Any, o_ref: Any, a: Any, b: Any, ready: Any) -> None:
        plgpu.copy_gmem_to_smem(a_ref, a, ready)
        plgpu.copy_gmem_to_smem(b_ref, b, ready)
        plgpu.barrier_wait(ready)

        def sums(acc: Any) -> Any:
            plgpu.wgmma(acc, a, plgpu.transpose_ref(b, (1, 0)) if is_narrow else b)
            return acc[...]
        o_ref[...] = pl.run_scoped(sums, plgpu.ACC((ROWS, COLUMNS), result))

    return plgpu.kernel(body, out_type=jax.ShapeDtypeStruct((ROWS, COLUMNS), result),
                        scratch_types=[plgpu.SMEM((ROWS, DEPTH), dtype, transforms=transforms), plgpu.SMEM(right, dtype, transforms=transforms),
                                       plgpu.Barrier(num_arrivals=2)])


def mma_kernel(dtype: Any) -> Callable[[Any, Any], Any]:
    """A product of values, which the PTX backend computes by mma.sync."""
    def body(a_ref: Any, b_ref: Any, o_ref: Any) -> None:
        o_ref[...] = lax.dot_general(a_ref[...], b_ref[...], (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32)

    return pl.pallas_call(body, out_shape=jax.ShapeDtypeStruct((ROWS, COLUMNS), jnp.float32))


def write(folder: Path) -> None:
    """All cases, each in a folder of its own."""
    for name, (dtype, result) in WGMMA.items():
        _write(folder / f"wgmma-{name}".replace(" ", "-"), wgmma_kernel(dtype, result), wgmma_operands(dtype))
    for name, dtype in MMA.items():
        _write(folder / f"mma-{name}", mma_kernel(dtype), operands(dtype))


def _write(folder: Path, call: Callable[..., Any], inputs: tuple[np.ndarray, np.ndarray]) -> None:
    from tilegrind import pallas
    from tilegrind.case_folders import save_case

    try:
        module = pallas.export(call, *inputs, grid_semantics="parallel")
    except pallas.ExportError as error:
        print(f"{folder.name}: {error}")
        return
    names = [param["name"] for param in module.json()["kernels"][0]["params"] if param["role"] == "input"]
    folder.mkdir(parents=True, exist_ok=True)
    save_case(folder, module.dumps(), dict(zip(names, inputs, strict=True)), settings={"why": "matrix units sum as published"})


def run(file: Path) -> None:
    """JAX's results of the kernels of wgmma, as bits, in an .npz file."""
    found = {}
    for name, (dtype, result) in WGMMA.items():
        try:
            found[name] = np.asarray(jax.jit(wgmma_kernel(dtype, result))(*wgmma_operands(dtype))).view(f"u{jnp.dtype(result).itemsize}")
        except Exception as error:  # the others are of use
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}")
    np.savez(file, **found)
    print(sorted(found))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--run", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.run:
        run(options.run)
    if options.folder:
        write(options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
