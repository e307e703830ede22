"""What code that a kernel inserts does, as functions of Pallas: `plgpu.inline_mgpu` emits MLIR, which has no values here."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterable, Iterator, Sequence

import jax
from jax import tree_util
from jax._src import api_util, core, linear_util, source_info_util
from jax._src.interpreters import partial_eval
from jax._src.state.types import TransformedRef

from ...ir.errors import Unsupported
from ..tracing import jaxprs

Effect = Callable[..., Any]

_effects: list[dict[str, Effect]] = []  # of the contexts that are active, the innermost last


@contextlib.contextmanager
def inline_effects(effects: dict[str, Effect]) -> Iterator[None]:
    """Inside the ``with`` block, kernels that insert a function by ``plgpu.inline_mgpu`` do what its effect does instead.

    effects  by the name of the inserted function, or the end of its qualified name (``"scale.<locals>.body"``): a function of
             Pallas.  It takes the same arguments but ``ctx``, references and arrays in the shapes that the kernel sees, and returns
             arrays of the shapes and dtypes of ``return_type``.

    Of several effects that fit, the one with the longest name counts, and of equal names that of the innermost block.  JAX's caches
    of compiled functions are cleared on entry and exit.
    """
    _effects.append(dict(effects))
    jax.clear_caches()
    try:
        yield
    finally:
        _effects.pop()
        jax.clear_caches()


def effect_of(function: Any) -> Effect | None:
    """What an inserted function does; None if nobody has said it."""
    name = getattr(function, "__qualname__", "")
    fitting = [(len(end), level, effect) for level, effects in enumerate(_effects) for end, effect in effects.items()
               if f".{name}".endswith(f".{end}")]
    return max(fitting, key=lambda found: found[:2])[2] if fitting else None


def trace(effect: Effect, eqn: Any, axes: Sequence[tuple[Any, int]]) -> Any:
    """The jaxpr of an effect in the place of an `inline_mgpu` equation, of the same operands; `axes` are names and sizes of the axes
    that it may ask for.  Raises Unsupported if its results are not those of the equation."""
    params, avals = eqn.params, [atom.aval for atom in eqn.invars]
    trees: list[Any] = []

    def flat(*operands: Any) -> list[Any]:
        results, tree = tree_util.tree_flatten(effect(*_arguments(params, operands)))
        trees.append(tree)
        return results

    debug_info = api_util.debug_info("inline_mgpu", effect, avals, {})
    with core.extend_axis_env_nd(axes), _lines_of_its_own():
        jaxpr, results, consts = partial_eval.trace_to_jaxpr_dynamic(linear_util.wrap_init(flat, debug_info=debug_info), avals)
    _check_results(effect, trees[0], results, params)
    return jaxprs.closed(jaxpr, consts)


@contextlib.contextmanager
def _lines_of_its_own() -> Iterator[None]:
    """Equations are at the lines where they are traced; while JAX lowers a call it puts them all at the line of the call."""
    context = source_info_util._source_info_context
    outer, context.context = context.context, source_info_util.new_source_info()
    try:
        yield
    finally:
        context.context = outer


def _arguments(params: dict[str, Any], operands: Sequence[Any]) -> Any:
    """The arguments that the inserted function is called with: references with the steps of how each is used."""
    count = params["pytree_args"].num_leaves
    steps = tree_util.tree_unflatten(params["pytree_ref_transforms"], operands[count:])
    leaves = [TransformedRef(one, tuple(own)) if own else one for one, own in zip(operands[:count], steps, strict=True)]
    return tree_util.tree_unflatten(params["pytree_args"], leaves)


def _check_results(effect: Effect, tree: Any, results: Sequence[Any], params: dict[str, Any]) -> None:
    name = getattr(effect, "__qualname__", repr(effect))
    found = _text((one.shape, one.dtype) for one in results)
    wanted = _text((one.shape, jax.numpy.dtype(one.dtype)) for one in params["flat_ret_ty"])
    if found != wanted:
        raise Unsupported(f"the effect {name} returns {found}, and the code in its place {wanted}")
    if tree != params["pytree_ret_ty"]:
        raise Unsupported(f"the effect {name} returns {tree}, and the code in its place {params['pytree_ret_ty']}")


def _text(results: Iterable[tuple[Sequence[int], Any]]) -> str:
    return ", ".join(f"{dtype}{list(shape)}" for shape, dtype in results) or "nothing"
