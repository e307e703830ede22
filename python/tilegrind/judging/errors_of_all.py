"""All errors of an output together: do they lean to one side, and are they larger than roundings make them?

Both are asked of outputs whose elements are each a sum of their own, since their errors are independent.
"""

import json
import re

import numpy as np

LEAST_ELEMENTS = 1000
LARGEST_SCORE = 8.0
_MOST_SQUARES = 1.5  # the mean of squares of error / standard deviation; the latter is an upper bound, so 1 is the most expected
_LEAST_TERMS = 16
_MOVES = frozenset(("reshape", "transpose", "squeeze", "broadcast_in_dim"))
_NARROW = re.compile(r"(bf16|f16|f8\w+|f4\w+)\[")
_TYPE = re.compile(r"f32\[([\d,]*)\]")
_MANTISSA = {"f32": 23, "f16": 10, "bf16": 7}


def leaning(expected, got):
    """By how many standard errors of their mean the errors of an output lean away from zero or toward it, and of how many
    elements; None of fewer than LEAST_ELEMENTS.

    Errors of roundings to nearest have either sign with equal chance, so their mean, divided by its own standard error, is normal;
    8 is exceeded with a chance of 1e-15.  Nothing is assumed of how large they are.
    """
    counts = np.isfinite(expected.exact) & (expected.bound > 0) & (expected.bound < np.inf)
    errors = (got.astype(np.float64) - expected.exact)[counts] * np.sign(expected.exact[counts])
    shares = errors / expected.bound[counts]
    if shares.size < LEAST_ELEMENTS or not shares.any():
        return None
    deviation = shares.std() / np.sqrt(shares.size)
    return (shares.mean() / deviation if deviation else np.inf), shares.size


def problem_of(expected, got, terms, values):
    """What is wrong with all elements of an output together, as a text, or "".

    expected  with certain bounds under a contract whose sums are rounded to nearest in f32: n u times the sum of sizes
    got       sums of so many terms, of which `values` differ at least (bounds/probable.h)
    """
    lean = leaning(expected, got)
    if lean is None:
        return ""
    score, count = lean
    if abs(score) > LARGEST_SCORE:
        return f"the errors of {count} elements lean by {score:.1f} standard errors of their mean; no more than {LARGEST_SCORE:g} is chance"
    counts = (expected.bound > 0) & (expected.bound < np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = expected.bound[counts] / terms * np.sqrt(terms / 3 * (1 + terms / values))
        squares = float(np.mean(((got.astype(np.float64) - expected.exact)[counts] / deviation) ** 2))
    if squares > _MOST_SQUARES:
        return f"the errors of {count} elements are {np.sqrt(squares):.2f} times as large as roundings to nearest make them, by root mean square"
    return ""


def sums_of(module, kernel):
    """The outputs of a kernel each of whose elements is one sum of inputs in f32, stored as it is: name to (terms, values).

    module  its JSON text; kernel: a name, or None: the first
    """
    kernels = json.loads(module)["kernels"]
    chosen = next(found for found in kernels if kernel in (None, found["name"]))
    ops = chosen["body"].get("ops", ())
    if any(op.get("regions") for op in ops):
        return {}
    made = {out["id"]: op for op in ops for out in op.get("out", ())}
    params = {arg["id"]: param for arg, param in zip(chosen["body"]["args"], chosen["params"])}
    found = {}
    for place, param in params.items():
        stores = [op for op in ops if op["op"] != "load" and place in op.get("in", ())]
        if param["role"] == "output" and len(stores) == 1 and stores[0]["op"] == "store" and len(stores[0]["in"]) == 2:
            of_output = _sum(stores[0]["in"][1], made, params)
            if of_output:
                found[param["name"]] = of_output
    return found


def _sum(value, made, params):
    """(terms, values) of a value that is a sum of inputs; else None."""
    op = made.get(value)
    while op and op["op"] in _MOVES and _count(op) == _count(made[op["in"][0]]):
        op = made.get(op["in"][0])
    if not op or op["op"] not in ("dot_general", "reduce_sum") or not _TYPE.fullmatch(op["out"][0]["type"]):
        return None
    inputs = [_input(one, made, params) for one in op["in"]]
    shape = _shape(made[op["in"][0]])
    terms = int(np.prod([shape[axis] for axis in op.get("lhs_contract", op.get("axes", ()))]))
    dtypes = [param and re.match(r"\w+", param["type"])[0] for param in inputs]
    if terms < _LEAST_TERMS or not all(dtype in _MANTISSA for dtype in dtypes):
        return None
    return terms, 2.0 ** min(_MANTISSA[dtype] for dtype in dtypes)


def _shape(op):
    return [int(size) for size in re.search(r"\[([\d,]*)\]", op["out"][0]["type"])[1].split(",") if size]


def _count(op):
    return int(np.prod(_shape(op)))


def _input(value, made, params):
    """The input that a value is a part of, as it is or in a wider dtype; else None."""
    op = made.get(value)
    while op and (op["op"] in _MOVES and _count(op) == _count(made[op["in"][0]]) or op["op"] == "convert" and _NARROW.match(made[op["in"][0]]["out"][0]["type"])
                  and op["out"][0]["type"].startswith("f32[")):
        op = made.get(op["in"][0])
    if not op or op["op"] != "load" or len(op["in"]) != 1:
        return None
    param = params.get(op["in"][0])
    return param if param and param["role"] == "input" else None
