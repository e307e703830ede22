"""Cases of the suite from case folders and from kernels with inputs: expectations, second inputs, orders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator, Mapping

import ml_dtypes  # noqa: F401  (registers the names of its types with numpy)
import numpy as np

import tilegrind
from tilegrind.conform.comparing import different
from tilegrind.conform.features import programs
from tilegrind.conform.suite import Case, Run, Tensors, module_text
from tilegrind.runner.layout import Type

ORDERS = ("reversed", "shuffled:1")  # those in which kernels with several programs run as well
_left_out: list[str] = []

Arrays = dict[str, np.ndarray]


def left_out() -> list[str]:
    """Cases that asked nothing of an implementation, and why."""
    return sorted(_left_out)


def small(cases: Iterator[Case], limit: int) -> Iterator[Case]:
    """Those whose tensors have no more than ``limit`` bytes, which the archive can hold."""
    for case in cases:
        runs = [run for run in (case.run, case.twin) if run]
        size = sum(len(data) for run in runs for tensors in (run.inputs, run.expected) for _, data in tensors.values())
        if size <= limit:
            yield case
        else:
            _left_out.append(f"{case.id}: {size} bytes of tensors")


def of_folder(folder: Path, name: str) -> Iterator[Case]:
    """The cases of a folder with case.json (docs/case.md).  Raises ValueError where the interpreter disagrees with it."""
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    module = json.loads((folder / case["kernel"]).read_text(encoding="utf-8"))
    types = _types(module)
    inputs = {key: _array(folder, types[key], tensor) for key, tensor in case["inputs"].items()}
    wanted = {key: _array(folder, types[key], tensor) for key, tensor in case["expect"]["outputs"].items()}
    by_bits = case["expect"].get("compare", "bits") == "bits"
    yield from of_kernel(name, module, inputs, case.get("why", ""), wanted if by_bits else None,
                         tuple(case.get("dynamic_grid", ())))


def of_kernel(name: str, module: dict[str, Any], inputs: Arrays, why: str, wanted: Arrays | None = None,
              grid: tuple[int, ...] = (), source: dict[str, str] | None = None,
              statistics: bool = False) -> Iterator[Case]:
    """A case for a module's first kernel, and one for each other order.  ``wanted`` are results that the interpreter must
    give; elements of undefined memory ask nothing, and leave the case out."""
    text, types = _without_locations(module), _types(module)
    loaded = tilegrind.loads(text)
    outputs = _clean_outputs(loaded, inputs, grid)
    if isinstance(outputs, str):
        _left_out.append(f"{name}: {outputs}")
        return
    expected = _tensors(types, outputs)
    for key, array in (wanted or {}).items():
        if different(types[key], array.tobytes(), outputs[key].tobytes()).any():
            raise ValueError(f"{name}: the interpreter's {key} is not the one that is expected")
    run, twin = Run(_tensors(types, inputs), expected), _twin(loaded, types, inputs, outputs, grid)
    orders = ORDERS if (programs(module["kernels"][0]) > 1 or grid) and not statistics else ()
    for order in ("sequential", *orders):
        suffix = "" if order == "sequential" else f"@{order}"
        yield Case(name + suffix, text, run, twin, order, grid, why, source, statistics)


def _types(module: Mapping[str, Any]) -> dict[str, Type]:
    return {param["name"]: Type.parse(param["type"]) for param in module["kernels"][0]["params"]
            if param["role"] != "scratch"}


def _without_locations(module: Mapping[str, Any]) -> str:
    """The module's text with its first kernel only, and without the places of this machine's files."""
    def bare(node: Any) -> Any:
        if isinstance(node, list):
            return [bare(item) for item in node]
        if isinstance(node, dict):
            return {key: value if key == "value" else bare(value) for key, value in node.items() if key != "loc"}
        return node

    return module_text({"tilegrind": module["tilegrind"], "kernels": [bare(module["kernels"][0])]})


def _clean_outputs(loaded: tilegrind.Module, inputs: Arrays, grid: tuple[int, ...]) -> Arrays | str:
    """The outputs, if all orders give them and no check finds anything; else what it found."""
    report = loaded.check(inputs, grid=grid, shuffles=2, interleavings=1, max_steps=1_000_000)
    kinds = {finding.kind for finding in report.findings
             if finding.level != "note" or finding.kind in ("output-unwritten", "undefined-output")}
    return ", ".join(sorted(kinds)) or report.outputs


def _twin(loaded: tilegrind.Module, types: dict[str, Type], inputs: Arrays, outputs: Arrays,
          grid: tuple[int, ...]) -> Run | None:
    """Other inputs with other results: those of the case turned around, or with other numbers."""
    roles = {param.name: param.role for param in loaded.params()}
    for change in (_turned, _raised, _negated):
        others = {name: change(array) if roles[name] == "input" else array for name, array in inputs.items()}
        try:
            found = _clean_outputs(loaded, others, grid)
        except tilegrind.Error:
            continue
        if not isinstance(found, str) and any(
                different(types[name], outputs[name].tobytes(), found[name].tobytes()).any() for name in outputs):
            return Run(_tensors(types, others), _tensors(types, found))
    return None


def _turned(array: np.ndarray) -> np.ndarray:
    return array.ravel()[::-1].reshape(array.shape).copy()


def _raised(array: np.ndarray) -> np.ndarray:
    """One more, or the other truth value."""
    with np.errstate(all="ignore"):
        return ~array if array.dtype == bool else (array + array.dtype.type(1)).astype(array.dtype)


def _negated(array: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return array if array.dtype == bool else (-array).astype(array.dtype)


def _tensors(types: Mapping[str, Type], arrays: Mapping[str, np.ndarray]) -> Tensors:
    """In the order of the parameters."""
    return {name: (tensor, np.ascontiguousarray(arrays[name]).tobytes()) for name, tensor in types.items()
            if name in arrays}


def _array(folder: Path, tensor: Type, form: Mapping[str, Any]) -> np.ndarray:
    """A tensor of a case in any of its forms (docs/case.md)."""
    if "file" in form:
        with np.load(folder / form["file"]) as found:
            return found[form["key"]].view(tensor.numpy).reshape(tensor.shape)
    if "fill" in form:
        count = int(np.prod(tensor.shape))
        fills = {"zeros": np.zeros(count), "ones": np.ones(count), "iota": np.arange(count)}
        return fills[form["fill"]].astype(tensor.numpy).reshape(tensor.shape)
    values = form["values"] if isinstance(form["values"], list) else [form["values"]]
    elements = np.array([_element(tensor, value) for value in values], tensor.numpy)
    return np.broadcast_to(elements if isinstance(form["values"], list) else elements[0],
                           (int(np.prod(tensor.shape)),)).reshape(tensor.shape)


def _element(tensor: Type, value: Any) -> Any:
    """One element of DATA (docs/ir.md)."""
    if isinstance(value, str) and value.startswith("bits:"):
        return np.array(int(value[5:], 16), f"u{tensor.numpy.itemsize}").view(tensor.numpy)[()]
    if isinstance(value, str):
        is_float = tensor.dtype.startswith(("f", "bf"))
        value = (float.fromhex(value) if "x" in value else float(value)) if is_float else int(value)
    return np.array(value).astype(tensor.numpy)[()] if not isinstance(value, int) else np.array(value, tensor.numpy)[()]
