"""An example as a case: a kernel of one operation, its inputs, and its expected results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conformance.semantics import semaphore_kernels as semaphores
from conformance.semantics.examples import Example, Tensor
from conformance.semantics.semaphore_kernels import is_semaphore

FORMAT = "0.1"
_OPERAND, _MASK, _RESULT, _REF, _VIEW, _MAP = 100, 150, 200, 0, 250, 300  # first ids


def write(example: Example, dialect: str, why: str, folder: Path) -> None:
    """Writes kernel.json and case.json into `folder`, which is created if it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    kernel = {"tilegrind": FORMAT, "kernels": [_kernel(example, dialect)]}
    (folder / "kernel.json").write_text(json.dumps(kernel, indent=1) + "\n", encoding="utf-8")
    (folder / "case.json").write_text(json.dumps(_case(example, folder.name, why), indent=1) + "\n",
                                      encoding="utf-8")


def _case(example: Example, name: str, why: str) -> dict[str, Any]:
    inputs = {f"in{k}": _input(tensor) for k, tensor in enumerate(example.operands)
              if not is_semaphore(tensor)}
    outputs = {f"out{k}": {"type": tensor.type, "values": tensor.data}
               for k, tensor in enumerate(example.results) if not is_semaphore(tensor)}
    expect: dict[str, Any] = {"outputs": {} if example.is_about_undefined else outputs,
                              "compare": "bits"}
    if example.findings:
        expect["findings"] = [{"kind": kind} for kind in example.findings]
    return {"tilegrind": FORMAT, "name": name, "why": why, "kernel": "kernel.json",
            "inputs": inputs, "expect": expect}


def _input(tensor: Tensor) -> dict[str, Any]:
    if tensor.data is None:
        return {"type": tensor.type, "fill": "undefined"}
    if True in tensor.undefined:
        return {"type": tensor.type, "values": _numbers(tensor)}
    return {"type": tensor.type, "values": tensor.data}


def _numbers(tensor: Tensor) -> list[Any]:
    """The elements, with arbitrary values for undefined ones: the kernel itself makes them undefined."""
    words = tensor.data if isinstance(tensor.data, list) else [tensor.data]
    any_element = False if tensor.dtype == "bool" else 0
    defined = [any_element if word == "undef" else word for word in words]
    return defined if isinstance(tensor.data, list) else defined[0]


def _kernel(example: Example, dialect: str) -> dict[str, Any]:
    kernel: dict[str, Any] = {"name": example.op}
    if dialect != "xla":
        kernel["dialect"] = dialect
    kernel["grid"] = [{"size": size} for size in example.grid]
    operands = list(enumerate(example.operands))
    kernel["params"] = ([_operand_param(k, tensor) for k, tensor in operands if not is_semaphore(tensor)]
                        + _result_params(example)
                        + [semaphores.param(k, tensor) for k, tensor in operands if is_semaphore(tensor)])
    kernel["body"] = {"args": _refs(example), "ops": _ops(example)}
    return kernel


def _operand_param(k: int, tensor: Tensor) -> dict[str, Any]:
    return {"name": f"in{k}", "role": "input", "type": tensor.type}


def _result_params(example: Example) -> list[dict[str, Any]]:
    """Outputs; an output that is memory of an operand is its alias."""
    memory = iter([k for k, tensor in enumerate(example.operands)
                   if tensor.is_ref and not is_semaphore(tensor)])
    params = []
    for k, tensor in enumerate(example.results):
        if is_semaphore(tensor):
            continue
        param: dict[str, Any] = {"name": f"out{k}", "role": "output", "type": tensor.type}
        if tensor.is_ref:
            param["alias"] = f"in{next(memory)}"
        elif example.grid:
            param["block"] = (["squeezed"] * len(example.grid)
                              + [{"blocked": extent} for extent in _block(example, tensor)])
            param["index_map"] = _index_map(example, tensor, k)
        params.append(param)
    return params


def _block(example: Example, tensor: Tensor) -> tuple[int, ...]:
    """Shape of one program's part of a result."""
    return tensor.shape if tensor.is_ref else tensor.shape[len(example.grid):]


def _index_map(example: Example, tensor: Tensor, k: int) -> dict[str, Any]:
    """Program id first, then zeros."""
    first = _MAP + 20 * k
    axes, zeros = len(example.grid), len(_block(example, tensor))
    zero = {"op": "constant", "out": [{"id": first + axes, "type": "i32[]"}], "value": 0}
    region: dict[str, Any] = {"args": [{"id": first + axis, "type": "i32[]"}
                                       for axis in range(axes)]}
    if zeros:
        region["ops"] = [zero]
    region["yield"] = [first + axis for axis in range(axes)] + [first + axes] * zeros
    return region


def _type(dtype: str, shape: tuple[int, ...]) -> str:
    return Tensor(dtype, shape, None).type


def _refs(example: Example) -> list[dict[str, Any]]:
    """The arguments of the body, in the order of the parameters: semaphores come last."""
    shapes = [(tensor.dtype, tensor.shape) for tensor in example.operands]
    shapes += [(tensor.dtype, _block(example, tensor)) for tensor in example.results
               if not is_semaphore(tensor)]
    refs = [{"id": _REF + k, "type": f"ref<{_type(*shape)}>"} for k, shape in enumerate(shapes)]
    held = [k for k, tensor in enumerate(example.operands) if is_semaphore(tensor)]
    return [ref for k, ref in enumerate(refs) if k not in held] + [refs[k] for k in held]


def _whole(shape: tuple[int, ...]) -> list[Any]:
    return [["slice", 0, extent, 1] for extent in shape]


def _view(example: Example) -> list[dict[str, Any]]:
    """For an operation that gives a reference: its result is a load of the whole reference."""
    seen = example.results[0]
    ids = _operand_ids(example)
    view = {"op": example.op, "in": ids, "out": [{"id": _VIEW, "type": f"ref<{seen.type}>", **_layout(example)}],
            **example.attrs}
    if not ids:
        del view["in"]
    load = {"op": "load", "in": [_VIEW], "out": [{"id": _RESULT, "type": seen.type}],
            "index": _whole(seen.shape)}
    store = {"op": "store", "in": [_REF + len(example.operands), _RESULT],
             "index": _whole(seen.shape)}
    return _loads(example) + [view, load, store]


def _layout(example: Example) -> dict[str, str]:
    return {"layout": example.layout} if example.layout else {}


def _operand_ids(example: Example) -> list[int]:
    return [(_REF if tensor.is_ref else _OPERAND) + k for k, tensor in enumerate(example.operands)]


def _loads(example: Example) -> list[dict[str, Any]]:
    return [op for k, tensor in enumerate(example.operands)
            for op in (_spoil(k, tensor) if True in tensor.undefined else
                       [] if tensor.is_ref else [_load(k, tensor)])]


def _load(k: int, tensor: Tensor, *mask: int) -> dict[str, Any]:
    return {"op": "load", "in": [_REF + k, *mask],
            "out": [{"id": _OPERAND + k, "type": tensor.type}], "index": _whole(tensor.shape),
            **({"mask": True} if mask else {})}


def _spoil(k: int, tensor: Tensor) -> list[dict[str, Any]]:
    """Makes elements undefined where the example needs it: through lanes that a mask turns off, stored into memory."""
    mask, value = _MASK + 2 * k, _MASK + 2 * k + 1
    chosen = [is_undefined == tensor.is_ref for is_undefined in tensor.undefined]
    constant = {"op": "constant", "out": [{"id": mask, "type": _type("bool", tensor.shape)}],
                "value": chosen if tensor.shape else chosen[0]}
    if not tensor.is_ref:
        return [constant, _load(k, tensor, mask)]
    undefined = {"op": "undefined", "out": [{"id": value, "type": tensor.type}]}
    return [constant, undefined, {"op": "store", "in": [_REF + k, value, mask],
                                  "index": _whole(tensor.shape), "mask": True}]


def _ops(example: Example) -> list[dict[str, Any]]:
    """Loads of the operands, the operation, stores of its results."""
    values = [(k, tensor) for k, tensor in enumerate(example.results) if not tensor.is_ref]
    if example.op.startswith("view") or example.op == "alloc":
        return _view(example)
    op: dict[str, Any] = {"op": example.op}
    if example.operands:
        op["in"] = _operand_ids(example)
    if values:
        op["out"] = [{"id": _RESULT + k, "type": _type(tensor.dtype, _block(example, tensor))}
                     for k, tensor in values]
        op["out"][0].update(_layout(example))
    op.update(example.attrs)
    if example.regions:
        op["regions"] = example.regions
    first = _REF + len(example.operands)
    stores = [{"op": "store", "in": [first + k, _RESULT + k], "index": _whole(_block(example, tensor))}
              for k, tensor in values]
    return [*semaphores.raised(example), *_loads(example), op, *stores, *semaphores.lowered(example)]
