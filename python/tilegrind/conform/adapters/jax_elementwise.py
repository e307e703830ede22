"""Kernels that are a list of elementwise operations on whole arrays, as functions of jax.lax."""

import jax.numpy as jnp
from jax import lax

from tilegrind.runner import Unsupported
from tilegrind.runner.layout import Type

# Operations whose name and meaning jax.lax shares.
_SAME = {"neg", "abs", "sign", "square", "sqrt", "rsqrt", "cbrt", "exp", "exp2", "expm1", "log", "log1p", "sin", "cos",
         "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "logistic", "erf", "erf_inv",
         "floor", "ceil", "is_finite", "population_count", "clz", "add", "sub", "mul", "div", "rem", "max", "min", "pow",
         "atan2", "nextafter", "eq", "ne", "lt", "le", "gt", "ge", "shift_left", "shift_right_logical",
         "shift_right_arithmetic", "clamp"}
_BITWISE = {"and": lax.bitwise_and, "or": lax.bitwise_or, "xor": lax.bitwise_xor, "not": lax.bitwise_not}


def function_of(kernel):
    """The function of a kernel's inputs that gives its outputs.  Raises Unsupported."""
    roles = [param["role"] for param in kernel["params"]]
    if kernel["grid"] or kernel.get("dialect", "xla") != "xla" or set(roles) - {"input", "output"}:
        raise Unsupported("a grid, another dialect or scratch")
    refs = [arg["id"] for arg in kernel["body"]["args"]]
    steps = [_step(op, dict(zip(refs, kernel["params"]))) for op in kernel["body"]["ops"]]

    def function(*inputs):
        values = dict(zip(refs, map(jnp.asarray, inputs)))
        for step in steps:
            step(values)
        return [values[ref] for ref, role in zip(refs, roles) if role == "output"]

    return function


def _step(op, params):
    """A function that does one operation on the values by id."""
    name, takes = op["op"], op.get("in", [])
    if name in ("load", "store"):
        return _access(op, params[takes[0]] if takes[0] in params else None)
    compute = _BITWISE.get(name) or (getattr(lax, name) if name in _SAME else None)
    if compute is None or op.get("regions") or set(op) - {"op", "in", "out", "loc"}:
        raise Unsupported(f"op {name}")
    gives = op["out"][0]
    dtype = Type.parse(gives["type"]).numpy

    def step(values):
        values[gives["id"]] = compute(*(values[k] for k in takes)).astype(dtype)

    return step


def _access(op, param):
    """A load or store of all of an array."""
    shape = Type.parse(param["type"]).shape if param else None
    whole = shape is not None and op["index"] == [["slice", 0, extent, 1] for extent in shape]
    if not whole or op.get("mask") or "alias" in param:
        raise Unsupported(f"a {op['op']} of a part of an array")
    ref = op["in"][0]

    def load(values):
        values[op["out"][0]["id"]] = values[ref]

    def store(values):
        values[ref] = values[op["in"][1]]

    return load if op["op"] == "load" else store
