"""Functions of NVIDIA's libdevice: `tt.extern_elementwise` with the symbol `__nv_...`.

A table gives what each is in our operations, by the name without `__nv_`.  One of f32 is often computed in f64 and rounded: so
its result is nearest to the exact one but where that is within 2^-20 steps of the middle of two."""

from __future__ import annotations

from typing import Any, Callable

from ...ir.builder import Value
from ..lowering.converter import Converter, number_type, rule
from ..lowering.errors import Unsupported
from ..ttir.syntax import Op
from . import libdevice_bits, libdevice_real, libdevice_rounding
from .lanes import Lanes

Function = Callable[..., Value]

FUNCTIONS: dict[str, Function] = {**libdevice_real.FUNCTIONS, **libdevice_bits.FUNCTIONS, **libdevice_rounding.FUNCTIONS}


@rule("tt.extern_elementwise")
def _extern(conv: Converter, op: Op, operands: list[Any]) -> Value:
    """The result of a test is a bool here, and what the function declares there."""
    symbol = op.attributes["symbol"]
    function = FUNCTIONS.get(symbol.removeprefix("__nv_")) if symbol.startswith("__nv_") else None
    if function is None:
        raise Unsupported(f"the function {symbol} is not supported")
    lanes, declared = Lanes(conv), number_type(op.outputs[0])[0]
    found = function(lanes, *conv.numbers(operands))
    return found if found.dtype == declared else lanes.signed(lanes.convert(found, declared))
