"""Arrays of random keys: each key is a block of words, so shapes gain the dimensions of the words."""

from __future__ import annotations

from typing import Any, Callable

from jax._src import core, dtypes

from ...ir.errors import Unsupported


def is_key(aval: Any) -> bool:
    """Whether an abstract value is an array of random keys."""
    dtype = getattr(aval, "dtype", None)
    return dtype is not None and dtypes.issubdtype(dtype, dtypes.prng_key)


def words_of(aval: Any) -> Any:
    """The abstract value of the words of an array of keys; of anything else, itself."""
    return core.physical_aval(aval) if is_key(aval) else aval


def broadcast(conv: Any, words: Any, aval: Any, shape: tuple[int, ...]) -> Any:
    """The words of an array of keys, broadcast to the shape of another by numpy's rule."""
    own = words.shape[len(aval.shape) :]
    first = len(shape) - len(aval.shape)
    dims = [*range(first, len(shape)), *range(len(shape), len(shape) + len(own))]
    if words.shape == (*shape, *own):
        return words
    return conv.builder.emit1("broadcast_in_dim", [words], (words.dtype, (*shape, *own)), dims=dims)


# How the parameters of an equation on keys change so that it works on words: a function of the parameters,
# the number of dimensions of the keys' array, and the shape of a key's words.
_Change = Callable[[dict[str, Any], int, tuple[int, ...]], dict[str, Any]]


def _slice(params: dict[str, Any], rank: int, own: tuple[int, ...]) -> dict[str, Any]:
    del rank
    strides = params["strides"]
    return {"start_indices": (*params["start_indices"], *[0] * len(own)),
            "limit_indices": (*params["limit_indices"], *own),
            "strides": None if strides is None else (*strides, *[1] * len(own))}


def _broadcast_in_dim(params: dict[str, Any], rank: int, own: tuple[int, ...]) -> dict[str, Any]:
    del rank
    first = len(params["shape"])
    further = range(first, first + len(own))
    return {"broadcast_dimensions": (*params["broadcast_dimensions"], *further)}


def _transpose(params: dict[str, Any], rank: int, own: tuple[int, ...]) -> dict[str, Any]:
    return {"permutation": (*params["permutation"], *range(rank, rank + len(own)))}


def _gather(params: dict[str, Any], rank: int, own: tuple[int, ...]) -> dict[str, Any]:
    del rank
    dnums = params["dimension_numbers"]
    result_rank = params["_result_rank"]
    offset = (*dnums.offset_dims, *range(result_rank, result_rank + len(own)))
    return {"dimension_numbers": dnums._replace(offset_dims=offset),
            "slice_sizes": (*params["slice_sizes"], *own)}


def _axis(params: dict[str, Any], rank: int, own: tuple[int, ...]) -> dict[str, Any]:
    del rank, own
    return {"axis": params["axis"] % params["_most_rank"]}


def _same(params: dict[str, Any], rank: int, own: tuple[int, ...]) -> dict[str, Any]:
    del params, rank, own
    return {}


_CHANGES: dict[str, _Change] = {
    "slice": _slice, "broadcast_in_dim": _broadcast_in_dim, "transpose": _transpose,
    "gather": _gather, "squeeze": _same, "reshape": _same, "concatenate": _same, "rev": _same,
    "copy": _same, "optimization_barrier": _same, "split": _axis, "unstack": _axis, "stack": _axis,
}

# Primitives whose rules handle keys themselves, or only pass them on.
_AWARE = {
    "random_seed", "random_split", "random_fold_in", "random_bits", "random_wrap", "random_unwrap",
    "random_clone", "jit", "pjit", "closed_call", "core_call", "eval_jaxpr", "cond", "while",
    "scan", "remat2", "checkpoint", "custom_jvp_call", "custom_vjp_call",
}


def on_words(eqn: Any) -> Any:
    """An equation on keys as one on their words; any other, itself.  Raises Unsupported."""
    avals = [atom.aval for atom in (*eqn.invars, *eqn.outvars)]
    name = eqn.primitive.name
    if name in _AWARE or not any(map(is_key, avals)):
        return eqn
    if name not in _CHANGES:
        raise Unsupported("on an array of random keys this is not supported")
    aval = eqn.invars[0].aval
    own = words_of(aval).shape[len(aval.shape) :]
    result_rank = len(eqn.outvars[0].aval.shape)
    params = {**eqn.params, "_result_rank": result_rank,
              "_most_rank": max(result_rank, len(aval.shape))}
    return eqn.replace(params={**eqn.params, **_CHANGES[name](params, len(aval.shape), own)})
