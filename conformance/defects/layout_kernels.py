"""Kernels of pairs about layouts, written op by op in the kernel language: what Pallas writes has no layouts.

A function of such a pair gets a `Kernel` and puts params and ops into it, itself or by another function.  An op has the line
of the pair's function that asks for it; the kernel has the first one.  The inputs are small integers, so that sums are exact.
"""

from __future__ import annotations

import math
import sys
from types import CodeType
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from conformance.defects.corpus import Finding, defect
from conformance.defects.judge import WRONG_VALUES

DTYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32}
ROLES = ("input", "output", "scratch")

Json = dict[str, Any]


def shape_of(text: str) -> list[int]:
    """The shape in a type such as f32[2,3]."""
    inside = text.partition("[")[2].rstrip("]")
    return [int(size) for size in inside.split(",")] if inside else []


def dtype_of(text: str) -> str:
    return text.partition("[")[0]


class Kernel:
    """A kernel that is being written.  Values and references are their numbers.

    result   the outputs from the inputs, in the order of the params; functions of pairs set it
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._file = function.__code__.co_filename
        self._codes = {function.__code__, *nested(function.__code__)}
        self._types: list[str] = []
        self._params: list[tuple[int, Json]] = []
        self._lines: list[int] = [function.__code__.co_firstlineno]
        self._ops: list[Json] = []
        self.result: Callable[..., Sequence[np.ndarray]] = lambda *inputs: []
        function(self)

    # ---- params ----

    def param(self, role: str, name: str, type: str, **more: Any) -> int:
        """A param; `more` are its other keys, of which those that are None are left out."""
        self._types.append(type)
        self._params.append((len(self._types) - 1, {"name": name, "role": role, "type": type, **present(more)}))
        return len(self._types) - 1

    def input(self, name: str, type: str, **more: Any) -> int:
        return self.param("input", name, type, **more)

    def output(self, name: str, type: str, **more: Any) -> int:
        return self.param("output", name, type, **more)

    def scratch(self, name: str, type: str, layout: str | None = None, space: str = "smem") -> int:
        return self.param("scratch", name, type, layout=layout, space=space)

    # ---- ops ----

    def op(self, code: str, *operands: int, type: str | None = None, layout: str | None = None, is_ref: bool = False,
           **more: Any) -> int:
        """Puts an op, with a result if it has a type; returns the number of the result."""
        op: Json = {"op": code, **({"in": list(operands)} if operands else {}), **present(more), "loc": self._line()}
        if type is not None:
            self._types.append(type)
            op["out"] = [self._value(len(self._types) - 1, layout, is_ref)]
        self._ops.append(op)
        return len(self._types) - 1

    def load(self, ref: int, part: Sequence[slice] | None = None, **more: Any) -> int:
        type = dtype_of(self._types[ref])
        starts = [at.start or 0 for at in part] if part else [0] * len(shape_of(self._types[ref]))
        sizes = [at.stop - (at.start or 0) for at in part] if part else shape_of(self._types[ref])
        return self.op("load", ref, type=f"{type}[{','.join(map(str, sizes))}]", index=index_of(starts, sizes), **more)

    def store(self, ref: int, value: int, **more: Any) -> None:
        sizes = shape_of(self._types[value])
        self.op("store", ref, value, index=index_of([0] * len(sizes), sizes), **more)

    def cast(self, value: int, layout: str | None) -> int:
        """The value, held as the layout says; itself without one."""
        return self.op("layout_cast", value, type=self._types[value], layout=layout) if layout else value

    def view(self, ref: int, type: str, layout: str) -> int:
        return self.op("view_layout", ref, type=type, layout=layout, is_ref=True)

    def same(self, code: str, *operands: int, layout: str | None = None) -> int:
        """An element-wise op with a result like its last operand."""
        return self.op(code, *operands, type=self._types[operands[-1]], layout=layout)

    def number(self, value: int) -> int:
        return self.op("constant", type="i32[]", value=value)

    def loop(self, turns: int, carry: int, body: Callable[[int], int], layout: str | None = None) -> int:
        """A `for` with one carry, whose argument has the layout."""
        bounds = [self.number(value) for value in (0, turns, 1)]
        self._types += ["i32[]", self._types[carry]]
        counter, argument = len(self._types) - 2, len(self._types) - 1
        region = self._region(lambda: body(argument))
        region["args"] = [self._value(counter), self._value(argument, layout)]
        return self.op("for", *bounds, carry, type=self._types[carry], regions=[region])

    def choose(self, at: int, *branches: Callable[[], int]) -> int:
        """A `switch`."""
        regions = [self._region(branch) for branch in branches]
        return self.op("switch", at, type=self._types[regions[0]["yield"][0]], regions=regions)

    def _region(self, body: Callable[[], int]) -> Json:
        outside, self._ops = self._ops, []
        result = body()
        inside, self._ops = self._ops, outside
        return {"ops": inside, "yield": [result]}

    def _value(self, number: int, layout: str | None = None, is_ref: bool = False) -> Json:
        type = self._types[number]
        return {"id": number, "type": f"ref<{type}>" if is_ref else type, **present({"layout": layout})}

    def _line(self) -> int:
        frame = sys._getframe()
        while frame.f_code not in self._codes and frame.f_back:
            frame = frame.f_back
        self._lines.append(frame.f_lineno)
        return len(self._lines)

    # ---- what was written ----

    def json(self) -> Json:
        ordered = sorted(self._params, key=lambda param: ROLES.index(param[1]["role"]))
        body = {"args": [self._value(number, is_ref=True) for number, _ in ordered], "ops": self._ops}
        return {"tilegrind": "0.1", "locations": [{"file": self._file, "line": line} for line in self._lines],
                "kernels": [{"name": "kernel", "loc": 1, "grid": [], "params": [param for _, param in ordered], "body": body}]}

    def outputs(self, *inputs: np.ndarray) -> list[np.ndarray]:
        types = [param["type"] for _, param in self._params if param["role"] == "output"]
        return [np.asarray(array).astype(DTYPES[dtype_of(type)]) for type, array in zip(types, self.result(*inputs), strict=True)]

    def inputs(self) -> list[np.ndarray]:
        """Arrays for the inputs, of integers from -6 to 6, no two rows alike."""
        types = [param["type"] for _, param in self._params if param["role"] == "input"]
        return [(np.arange(math.prod(shape_of(type))) * (5 + 2 * i) % 13 - 6).reshape(shape_of(type)).astype(DTYPES[dtype_of(type)])
                for i, type in enumerate(types)]


def nested(code: CodeType) -> list[CodeType]:
    """The functions within a function."""
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return inner + [deep for one in inner for deep in nested(one)]


def present(keys: Mapping[str, Any]) -> Json:
    return {key: value for key, value in keys.items() if value is not None}


def index_of(starts: Sequence[int], sizes: Sequence[int]) -> list[list[Any]]:
    return [["slice", start, size, 1] for start, size in zip(starts, sizes)]


# ---- pairs ----


def layout_defect(why: str, *finds: Finding, thread: str | None = None, also: Sequence[str] = ()) -> Callable[[type], type]:
    """`defect` for a pair of functions that write a Kernel.  The outputs are the `result` of the repaired one."""

    def enter(case: type) -> type:
        kernel = Kernel(case.__dict__["repaired"])
        case.outputs = lambda *inputs: kernel.outputs(*inputs)  # type: ignore[attr-defined]
        return defect(why, *finds, thread=thread, also=also, inputs=kernel.inputs(), write=written)(case)

    return enter


def written(function: Callable[..., Any]) -> tuple[Json, Sequence[np.ndarray]]:
    kernel = Kernel(function)
    return kernel.json(), kernel.inputs()


def wrong(element: tuple[int, ...]) -> Finding:
    """The first element of o that is another one where memory and registers are as the layouts say."""
    return Finding(WRONG_VALUES, "kernel", None, "o", element)


def mismatch(says: str, here: str = "here") -> Finding:
    """What is held elsewhere than it is wanted."""
    return Finding("layout-mismatch", here, None, says=says)


def illegal(says: str, param: str | None = None, here: str = "here") -> Finding:
    """What an instruction cannot take, or what cannot be copied to a param's memory."""
    return Finding("layout-illegal", here, None, param, says=says)


def overlap(says: str, param: str | None = None, here: str = "here") -> Finding:
    """Two elements at one place."""
    return Finding("layout-overlap", here, None, param, says=says)
