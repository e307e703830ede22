"""Cases in which a kernel applies a function to every f32 and sums the bits of the results: `tilegrind crosscheck --backends cpu,gpu` tells whether
a GPU has the interpreter's bits for all 2^32 operands.  It needs JAX to write them.

    python -m conformance.gpu.functions FOLDER
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl

from tilegrind import pallas
from tilegrind.case_folders import save_case

BLOCK = 1 << 16  # operands of a program
PROGRAMS = (1 << 32) // BLOCK
NAN = np.int32(0x7FFFFFFF)

FUNCTIONS: dict[str, Callable[[jax.Array], jax.Array]] = {
    name: getattr(lax, name) for name in
    ("exp", "exp2", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sqrt",
     "rsqrt", "cbrt", "logistic", "erf", "erf_inv", "floor", "ceil", "round", "sign")}
FUNCTIONS |= {
    "reciprocal": lambda x: 1 / x,
    "to f16": lambda x: x.astype(jnp.float16).astype(jnp.float32), "to bf16": lambda x: x.astype(jnp.bfloat16).astype(jnp.float32),
    "to e4m3": lambda x: x.astype(jnp.float8_e4m3fn).astype(jnp.float32), "to e5m2": lambda x: x.astype(jnp.float8_e5m2).astype(jnp.float32),
    "to i32": lambda x: x.astype(jnp.int32).astype(jnp.float32),
}


def _body(function: Callable[[jax.Array], jax.Array], o_ref: Any) -> None:
    bits = lax.iota(jnp.int32, BLOCK) + pl.program_id(0) * jnp.int32(BLOCK)
    result = function(lax.bitcast_convert_type(bits, jnp.float32))
    results = jnp.where(result == result, lax.bitcast_convert_type(result, jnp.int32), NAN)
    o_ref[0] = jnp.sum(results)


def write(name: str, folder: Path, programs: int = PROGRAMS) -> Path:
    """The case of a function, of the first `programs` blocks of operands."""
    call = pl.pallas_call(partial(_body, FUNCTIONS[name]), grid=(programs,), out_shape=jax.ShapeDtypeStruct((programs,), jnp.int32),
                          out_specs=pl.BlockSpec((1,), lambda i: (i,)))
    content = pallas.export(call, grid_semantics="parallel").dumps()
    folder.mkdir(parents=True, exist_ok=True)
    save_case(folder, content, {}, settings={"name": f"every f32: {name}", "why": "a GPU has the interpreter's bits"})
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--programs", type=int, default=PROGRAMS)
    options = parser.parse_args()
    for name in FUNCTIONS:
        try:
            write(name, options.folder / name.replace(" ", "-"), options.programs)
        except pallas.ExportError as error:
            print(f"{name}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
