"""Products whose results are held as tensor-core instructions hold them, for physical runs: D = A B + C over several fragments."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Product:
    """An instruction, the dtypes of its operands and its result, and the sizes of the product in fragments.

    The fragment of D is (rows, columns); a warp, or a warpgroup, has all of them."""

    instruction: str
    dtype: str
    result: str
    m: int
    n: int
    k: int

    def __str__(self) -> str:
        return f"{self.instruction} {self.dtype}, {self.m} x {self.n} x {self.k}"

    def held(self) -> str:
        """The layout of D, of fragments side by side in the registers (physical/fragments.def)."""
        if self.instruction == "wgmma":
            return _tiles(self.m // 64, "4,2,8", "1@wid_in_wg,2@reg,4@lane", self.n // 8, 4)
        if self.dtype == "f64":
            return _tiles(self.m // 8, "8", "4@lane", self.n // 8, 2)
        return _tiles(self.m // 16, "2,8", "2@reg,4@lane", self.n // 8, 4)

    def module(self) -> dict[str, Any]:
        a, b = f"{self.dtype}[{self.m},{self.k}]", f"{self.dtype}[{self.k},{self.n}]"
        d = f"{self.result}[{self.m},{self.n}]"
        body = {"args": [{"id": number, "type": f"ref<{text}>"} for number, text in enumerate((a, b, d, d))],
                "ops": [_load(0, 4, a), _load(1, 5, b), _load(2, 6, d, self.held()),
                        {"op": "dot_general", "in": [4, 5], "lhs_contract": [1], "rhs_contract": [0], "lhs_batch": [], "rhs_batch": [],
                         "instruction": self.instruction, "out": [{"id": 7, "type": d, "layout": self.held()}]},
                        {"op": "add", "in": [6, 7], "out": [{"id": 8, "type": d, "layout": self.held()}]},
                        {"op": "store", "in": [3, 8], "index": _whole(d)}]}
        params = [{"name": name, "role": role, "type": text}
                  for name, role, text in (("a", "input", a), ("b", "input", b), ("c", "input", d), ("d", "output", d))]
        return {"tilegrind": "0.1", "kernels": [{"name": "product", "grid": [], "params": params, "body": body}]}

    def inputs(self) -> dict[str, np.ndarray]:
        dice = np.random.default_rng(1)
        shapes = {"a": (self.m, self.k), "b": (self.k, self.n), "c": (self.m, self.n)}
        return {name: _draw(dice, self.result if name == "c" else self.dtype, shape) for name, shape in shapes.items()}


def _tiles(rows: int, extents: str, strides: str, columns: int, registers: int) -> str:
    """The layout of rows x columns fragments, row by row, of so many registers each."""
    return (f"({rows},{extents},{columns},4,2):"
            f"({registers * columns}@reg,{strides},{registers}@reg,1@lane,1@reg)")


def _whole(text: str) -> list[list[Any]]:
    return [["slice", 0, int(extent), 1] for extent in text.partition("[")[2][:-1].split(",")]


def _load(ref: int, out: int, text: str, layout: str | None = None) -> dict[str, Any]:
    value = {"id": out, "type": text, **({"layout": layout} if layout else {})}
    return {"op": "load", "in": [ref], "index": _whole(text), "out": [value]}


def _draw(dice: np.random.Generator, dtype: str, shape: tuple[int, int]) -> np.ndarray:
    if dtype.startswith("i"):
        return dice.integers(-100, 100, shape).astype({"i8": np.int8, "i32": np.int32}[dtype])
    wide = dice.standard_normal(shape)
    return wide.astype({"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}[dtype])


PRODUCTS = [Product("mma", "f16", "f32", 16, 8, 16), Product("mma", "f16", "f32", 64, 64, 64), Product("mma", "bf16", "f32", 64, 64, 48),
            Product("mma", "f32", "f32", 128, 64, 64), Product("mma", "i8", "i32", 32, 16, 64), Product("mma", "f64", "f64", 16, 16, 8),
            Product("wgmma", "f16", "f32", 64, 32, 32), Product("wgmma", "bf16", "f32", 128, 64, 64),
            Product("wgmma", "f32", "f32", 64, 16, 16), Product("wgmma", "i8", "i32", 64, 24, 64)]
