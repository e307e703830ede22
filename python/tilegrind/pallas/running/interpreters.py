"""Replacing JAX's interpreters with other functions.

JAX lowers a `pallas_call` with ``interpret`` set through a module attribute that it looks up at that
moment; a function that replaces the attribute sees every call that is lowered from then on.  This is the only
module that replaces attributes of JAX.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import Any, Callable, Iterator

import jax
from jax._src import dispatch
from jax.interpreters import mlir

from ..tracing import jaxprs

PALLAS_CALL = jaxprs.primitive("pallas", "pallas_call")
MPMD_MAP = jaxprs.primitive("pallas", "mpmd_map")

Interpreter = Callable[..., Any]  # takes the operands of a call and, by keyword, its parameters
Layer = Callable[[Interpreter], Interpreter]  # from the interpreter below it to one that runs calls instead

_PLACES = (
    ("jax._src.pallas.hlo_interpreter", "pallas_call_hlo_interpret"),
    ("jax._src.pallas.mosaic.interpret.interpret_pallas_call", "interpret_pallas_call"),
    ("jax._src.pallas.mosaic_gpu.interpret.interpret_pallas_call", "interpret_pallas_call"),
)

# The active layers, the outermost last.  They are added and removed in any order.
_layers: list[Layer] = []
_originals = contextlib.ExitStack()  # restores JAX's own functions


def replace(layer: Layer, undo: contextlib.ExitStack) -> None:
    """Replaces each interpreter with ``layer(original)`` until `undo` runs.  Clears JAX's caches of compiled
    functions now and when `undo` runs, so that every call is seen."""
    if not _layers:
        _take_places()
    _layers.append(layer)
    jax.clear_caches()
    undo.callback(_remove, layer)


def _remove(layer: Layer) -> None:
    _layers.remove(layer)
    if not _layers:
        _originals.close()
    jax.clear_caches()


def _take_places() -> None:
    for module_name, name in _PLACES:
        try:
            module = importlib.import_module(module_name)
        except ImportError:
            continue
        original = getattr(module, name)
        _originals.callback(setattr, module, name, original)
        setattr(module, name, _layered(original))
    # Lowering must know the devices of the program.
    dispatch.prim_requires_devices_during_lowering.add(PALLAS_CALL)
    _originals.callback(dispatch.prim_requires_devices_during_lowering.discard, PALLAS_CALL)


def _layered(original: Interpreter) -> Interpreter:
    def interpret(*args: Any, **params: Any) -> Any:
        run = original
        for layer in _layers:
            run = layer(run)
        return run(*args, **params)

    return interpret


@contextlib.contextmanager
def jax_own() -> Iterator[None]:
    """Leaves what is lowered inside the ``with`` block to JAX's own interpreters."""
    kept, _layers[:] = _layers[:], []
    kept_launch_layers, _launch_layers[:] = _launch_layers[:], []
    try:
        yield
    finally:
        _layers[:] = kept
        _launch_layers[:] = kept_launch_layers


# The active rules for launches over meshes, the outermost last.
_launch_layers: list[Layer] = []


def replace_launches(layer: Layer, undo: contextlib.ExitStack) -> None:
    """Lowers each launch over a mesh (`mpmd_map`) on the CPU with ``layer(original)`` until `undo` runs, where `original` is
    JAX's rule.  Does nothing where this version of JAX has no such launches."""
    if MPMD_MAP is None:
        return
    if not _launch_layers:
        mlir.register_lowering(MPMD_MAP, _lower_launch, platform="cpu")
        dispatch.prim_requires_devices_during_lowering.add(MPMD_MAP)
    _launch_layers.append(layer)
    jax.clear_caches()
    undo.callback(_remove_launch_layer, layer)


def _remove_launch_layer(layer: Layer) -> None:
    _launch_layers.remove(layer)
    if not _launch_layers:
        mlir._platform_specific_lowerings["cpu"].pop(MPMD_MAP)
        dispatch.prim_requires_devices_during_lowering.discard(MPMD_MAP)
    jax.clear_caches()


def _lower_launch(ctx: mlir.LoweringRuleContext, *operands: Any, **params: Any) -> Any:
    entry = mlir._lowerings[MPMD_MAP]  # JAX's rule for every platform
    run: Interpreter = getattr(entry, "rule", entry)
    for layer in _launch_layers:
        run = layer(run)
    return run(ctx, *operands, **params)


_interpreting_all = 0  # number of users that want all calls interpreted


def interpret_all(undo: contextlib.ExitStack) -> None:
    """Treats calls on the CPU without ``interpret`` as calls with it, until `undo`
    runs."""
    global _interpreting_all
    _interpreting_all += 1
    mlir.register_lowering(PALLAS_CALL, _lower_interpreted, platform="cpu")
    undo.callback(_interpret_all_no_more)


def _interpret_all_no_more() -> None:
    global _interpreting_all
    _interpreting_all -= 1
    if not _interpreting_all:
        mlir._platform_specific_lowerings["cpu"].pop(PALLAS_CALL)


def _lower_interpreted(ctx: mlir.LoweringRuleContext, *operands: Any, interpret: Any,
                       **params: Any) -> Any:
    from jax._src.pallas import pallas_call

    return pallas_call._pallas_call_lowering(ctx, *operands, interpret=interpret or True, **params)


def is_launch(eqn: Any) -> bool:
    """Whether an equation launches a kernel."""
    return eqn.primitive is PALLAS_CALL or eqn.primitive is MPMD_MAP and MPMD_MAP is not None


TorchCompiler = Callable[[Callable[..., Any], Any], Callable[..., Any]]  # from a function and the structs of its arguments

_torch_users = 0  # number of users that want tensors on a CPU
_torch_originals = contextlib.ExitStack()


def replace_torch(compile_call: TorchCompiler, undo: contextlib.ExitStack) -> None:
    """Compiles functions that are called from PyTorch (`plgpu.as_torch_kernel`) with `compile_call`, until `undo` runs.  Does
    nothing where this version of JAX has no such functions."""
    global _torch_users
    try:
        torch = importlib.import_module("jax._src.pallas.mosaic_gpu.torch")
    except ImportError:
        return
    if not _torch_users:
        _torch_originals.callback(setattr, torch, "_compile_fn", torch._compile_fn)
        torch._compile_fn = compile_call
    _torch_users += 1
    undo.callback(_replace_torch_no_more)


def _replace_torch_no_more() -> None:
    global _torch_users
    _torch_users -= 1
    if not _torch_users:
        _torch_originals.close()
