"""A small check of exported JSON against ir/*.def: form, scope, names, attributes, counts.

It knows nothing of types beyond their spelling; that is the verifier's business."""

from __future__ import annotations

import pathlib
import re
from typing import Any

IR = pathlib.Path(__file__).resolve().parents[2] / "ir"
ANY = -1


def _rows(file: str, macro: str) -> list[str]:
    text = (IR / file).read_text(encoding="utf-8")
    return re.findall(rf"^{macro}\((.*)\)\s*$", text, re.MULTILINE)


def dtypes() -> dict[str, str]:
    """IR name of each dtype by numpy name."""
    rows = [[cell.strip() for cell in row.split(",")] for row in _rows("dtypes.def", "TG_DTYPE")]
    return {row[9].strip('"'): row[0] for row in rows}


def semaphores() -> set[str]:
    """What memory may hold besides."""
    return {row.split(",")[0].strip() for row in _rows("dtypes.def", "TG_SEMAPHORE")}


def _operations() -> dict[str, dict[str, Any]]:
    pattern = re.compile(r"(\w+)" + r",\s*(\w+)" * 4 + r",.*?TG_A\((.*?)\),\s*TG_A\((.*?)\)")
    table = {}
    for row in _rows("ops.def", "TG_OP"):
        match = pattern.match(row)
        assert match, row
        name, *counts = match.groups()[:5]
        low, high, out, regions = (ANY if count == "ANY" else int(count) for count in counts)
        needs, may = (set(re.findall(r"\w+", names)) for names in match.groups()[5:])
        table[name] = {"in": (low, high), "out": out, "regions": regions, "needs": needs,
                       "may": may}
    return table


OPERATIONS = _operations()
DTYPES = dtypes()
SEMAPHORES = semaphores()
_KEYS = {"op", "in", "out", "regions", "loc"}
_TYPE = re.compile(r"(ref<)?(\w+)\[(\d+(?:,\d+)*)?\](>)?")


def parse_type(text: str) -> tuple[bool, str, tuple[int, ...]]:
    """Whether it is a reference, the dtype, the shape."""
    match = _TYPE.fullmatch(text)
    assert match and bool(match[1]) == bool(match[4]), f"not a type: {text}"
    assert match[2] in DTYPES.values() or match[2] in SEMAPHORES, f"not a dtype: {text}"
    shape = tuple(map(int, match[3].split(","))) if match[3] else ()
    return bool(match[1]), match[2], shape


class _Kernel:
    """The check of one kernel: the ids seen so far."""

    def __init__(self, locations: int):
        self.ids: set[int] = set()
        self.locations = locations

    def define(self, value: dict[str, Any], scope: dict[int, Any]) -> None:
        assert set(value) == {"id", "type"}
        assert value["id"] not in self.ids, f"id {value['id']} defined twice"
        self.ids.add(value["id"])
        scope[value["id"]] = parse_type(value["type"])

    def region(self, region: dict[str, Any], outer: dict[int, Any]) -> None:
        assert set(region) <= {"args", "ops", "yield"}
        scope = dict(outer)
        for value in region.get("args", ()):
            self.define(value, scope)
        for op in region.get("ops", ()):
            self.operation(op, scope)
        for used in region.get("yield", ()):
            assert used in scope, f"yields undefined {used}"

    def operation(self, op: dict[str, Any], scope: dict[int, Any]) -> None:
        info = OPERATIONS[op["op"]]
        operands = op.get("in", [])
        for used in operands:
            assert used in scope, f"{op['op']} reads undefined {used}"
        low, high = info["in"]
        assert len(operands) >= low and (high == ANY or len(operands) <= high), op
        assert info["out"] in (ANY, len(op.get("out", []))), op
        count = len(op.get("regions", []))
        assert count == info["regions"] or (info["regions"] == ANY and count >= 1), op
        attrs = set(op) - _KEYS
        assert info["needs"] <= attrs <= info["needs"] | info["may"], op
        if "loc" in op:
            assert 1 <= op["loc"] <= self.locations
        if "index" in op:
            self.index(op, scope)
        for region in op.get("regions", ()):
            self.region(region, scope)
        for value in op.get("out", ()):
            self.define(value, scope)

    def index(self, op: dict[str, Any], scope: dict[int, Any]) -> None:
        """The operands of a memory operation are as many as its attributes announce."""
        is_ref, _, shape = scope[op["in"][0]]
        assert is_ref and len(op["index"]) == len(shape), op
        values = {"store": 1, "swap": 1, "add_update": 1, "atomic_rmw": 1, "atomic_cas": 2}
        taken = sum(entry[0] == "at" or entry[1] is None for entry in op["index"])
        extra = bool(op.get("mask")) + bool(op.get("other"))
        assert len(op["in"]) == 1 + values.get(op["op"], 0) + taken + extra, op


def check_module(module: dict[str, Any]) -> None:
    """Asserts that a module is well formed."""
    assert module["tilegrind"] == "0.1"
    assert set(module) <= {"tilegrind", "locations", "kernels"}
    for number, place in enumerate(module.get("locations", ()), 1):
        assert {"file", "line", "function"} <= set(place) <= {"file", "line", "function", "caller", "skipped"}
        assert place.get("caller", 0) in range(number) and ("caller" in place or "skipped" not in place)
    names = [kernel["name"] for kernel in module["kernels"]]
    assert names and len(set(names)) == len(names)
    for kernel in module["kernels"]:
        check_kernel(kernel, len(module.get("locations", ())))


def check_kernel(kernel: dict[str, Any], locations: int) -> None:
    """Asserts that a kernel is well formed."""
    assert set(kernel) <= {"name", "loc", "dialect", "grid", "params", "body"}
    check = _Kernel(locations)
    for axis in kernel["grid"]:
        assert set(axis) <= {"size", "semantics", "name"}
        assert axis.get("semantics", "parallel") in ("parallel", "arbitrary")
    params = kernel["params"]
    roles = [param["role"] for param in params]
    assert roles == sorted(roles, key=("prefetch", "input", "output", "scratch").index)
    assert len({param["name"] for param in params}) == len(params)
    for param in params:
        rank = len(parse_type(param["type"])[2])
        if "alias" in param:
            assert param["alias"] in [p["name"] for p in params if p["role"] in
                                      ("input", "prefetch")]
        assert len(param.get("block", [0] * rank)) == rank
        if "index_map" in param:
            check.region(param["index_map"], {})
            assert len(param["index_map"]["yield"]) == rank
            assert len(param["index_map"].get("args", ())) == \
                len(kernel["grid"]) + roles.count("prefetch")
    assert len(kernel["body"].get("args", ())) == len(params)
    check.region(kernel["body"], {})


def all_ops(region: dict[str, Any]) -> list[dict[str, Any]]:
    """The operations of a region and of the regions in it, outer ones first."""
    found = []
    for op in region.get("ops", ()):
        found.append(op)
        for inner in op.get("regions", ()):
            found += all_ops(inner)
    return found
