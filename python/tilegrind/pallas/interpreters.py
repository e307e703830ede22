"""JAX's interpreters, and how another function takes their place.

JAX lowers a `pallas_call` with ``interpret`` set by way of a module attribute that it looks up at that
moment; whoever puts a function of his own there sees every call that is lowered from then on.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import Any, Callable

import jax
from jax._src import dispatch
from jax.interpreters import mlir

from . import jaxprs

PALLAS_CALL = jaxprs.primitive("pallas", "pallas_call")

Interpreter = Callable[..., Any]

_PLACES = (
    ("jax._src.pallas.hlo_interpreter", "pallas_call_hlo_interpret"),
    ("jax._src.pallas.mosaic.interpret.interpret_pallas_call", "interpret_pallas_call"),
    ("jax._src.pallas.mosaic_gpu.interpret.interpret_pallas_call", "interpret_pallas_call"),
)


def replace(instead: Callable[[Interpreter], Interpreter], undo: contextlib.ExitStack) -> None:
    """Puts ``instead(original)`` in the place of each interpreter of JAX's, until `undo` runs.

    An interpreter takes the operands of a `pallas_call` and, by keyword, its parameters; it returns the
    results.  Replacements nest.  JAX's caches of compiled functions are cleared now and in `undo`, so that
    every call is seen.
    """
    jax.clear_caches()
    undo.callback(jax.clear_caches)
    for module_name, name in _PLACES:
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            continue
        original = getattr(module, name)
        undo.callback(setattr, module, name, original)
        setattr(module, name, instead(original))


def interpret_all(undo: contextlib.ExitStack) -> None:
    """Takes calls on the CPU that were written without ``interpret`` for calls with it, until `undo`
    runs."""
    mlir.register_lowering(PALLAS_CALL, _lower_interpreted, platform="cpu")
    undo.callback(mlir._platform_specific_lowerings["cpu"].pop, PALLAS_CALL)


def need_devices(undo: contextlib.ExitStack) -> None:
    """Lets lowerings of `pallas_call` know the devices of the program, until `undo` runs."""
    if PALLAS_CALL not in dispatch.prim_requires_devices_during_lowering:
        dispatch.prim_requires_devices_during_lowering.add(PALLAS_CALL)
        undo.callback(dispatch.prim_requires_devices_during_lowering.discard, PALLAS_CALL)


def _lower_interpreted(ctx: mlir.LoweringRuleContext, *operands: Any, interpret: Any,
                       **params: Any) -> Any:
    from jax._src.pallas import pallas_call

    return pallas_call._pallas_call_lowering(ctx, *operands, interpret=interpret or True, **params)
