"""Suites: kernels with inputs and the results that are expected, in one archive.

    suite.json    {"format": "tilegrind-suite/1", "version": TEXT, "cases": [CASE...]}
    kernels.json  {DIGEST: module}
    data/DIGEST   bytes of a large tensor
    sources/NAME  Python files that kernels come from

A CASE is ``{"id", "kernel", "inputs", "expected", "order", "grid", "why", "twin", "source", "statistics"}``; a tensor is
``{"type", "bytes": BASE64}`` or ``{"type", "data": DIGEST}``.  The twin is a second set of inputs, and what is expected
of it.
"""

from __future__ import annotations

import base64
import io
import json
import zipfile
import zlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Iterable

from .. import json_text, whole_file
from ..digests import digest
from ..runner.layout import Type
from .features import Asked, asked_by

FORMAT = "tilegrind-suite/1"
_INLINE = 4096  # bytes of the largest tensor that stands in suite.json
_TIME = (1980, 1, 1, 0, 0, 0)  # of all members, so that equal suites are equal files

Tensors = dict[str, tuple[Type, bytes]]


class BadSuite(Exception):
    """A file that is no suite."""


@dataclass(frozen=True)
class Run:
    """Inputs and the outputs that are expected."""

    inputs: Tensors
    expected: Tensors


@dataclass(frozen=True)
class Case:
    """A kernel on inputs, in an order."""

    id: str
    module: str  # JSON
    run: Run
    twin: Run | None = None
    order: str = "sequential"
    grid: tuple[int, ...] = ()
    why: str = ""
    source: dict[str, str] | None = field(default=None, hash=False)  # language, path (a name in sources/), function
    statistics: bool = False  # whether the mean of the errors is judged as well

    @cached_property
    def kernel(self) -> dict[str, Any]:
        return json.loads(self.module)["kernels"][0]

    @cached_property
    def output_types(self) -> dict[str, Type]:
        """Of all outputs, in the order of the parameters."""
        return {param["name"]: Type.parse(param["type"]) for param in self.kernel["params"] if param["role"] == "output"}

    @cached_property
    def asked(self) -> Asked:
        return asked_by(self.kernel, self.order, self.run.inputs | {f"{name} (output)": tensor
                                                                    for name, tensor in self.run.expected.items()})

    @property
    def level(self) -> str:
        return "S" if self.statistics else self.asked.level


@dataclass(frozen=True)
class Suite:
    """``digest`` is of the content: it does not depend on how the archive was packed."""

    version: str
    digest: str
    cases: list[Case]
    sources: dict[str, bytes]


def save(path: Path, version: str, cases: Iterable[Case], sources: dict[str, bytes]) -> None:
    """Writes a suite.  Cases are sorted by id; those of equal content make equal files."""
    members = {f"sources/{name}": content for name, content in sources.items()}
    kernels: dict[str, Any] = {}
    rows = [_row(case, kernels, members) for case in sorted(cases, key=lambda case: case.id)]
    members["kernels.json"] = _json(dict(sorted(kernels.items())))
    members["suite.json"] = _json({"format": FORMAT, "version": version, "cases": rows})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, _TIME)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, members[name], compresslevel=9)
    whole_file.write(path, packed.getvalue())


def load(path: Path) -> Suite:
    """Reads a suite.  Raises BadSuite, or OSError."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        head, kernels = json_text.loads(members["suite.json"]), json_text.loads(members["kernels.json"])
        if head["format"] != FORMAT:
            raise BadSuite(f"{path}: the format is {head['format']!r} instead of {FORMAT!r}")
        cases = [_case(row, kernels, members) for row in head["cases"]]
        sources = {name.removeprefix("sources/"): content for name, content in members.items()
                   if name.startswith("sources/")}
        _check(cases, sources)
        return Suite(head["version"], _digest(members), cases, sources)
    # RuntimeError: of members that are encrypted, or packed in another way
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, AttributeError, LookupError, TypeError,
            ValueError) as problem:
        raise BadSuite(f"{path}: {type(problem).__name__}: {problem}") from None


def _check(cases: list[Case], sources: dict[str, bytes]) -> None:
    """Raises ValueError for what would be lost, be written elsewhere than in the judge's folder, or not be found there."""
    found: set[str] = set()
    for case in cases:
        if case.id in found:
            raise ValueError(f"there are several cases {case.id}")
        found.add(case.id)
    for name in sources:
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise ValueError(f"sources/{name}: a source lies in no other folder")
    for case in cases:
        if case.source and case.source["path"] not in sources:
            raise ValueError(f"{case.id}: there is no source {case.source['path']}")
        case.asked  # computed here, so that what is no kernel is found now


def _digest(members: dict[str, bytes]) -> str:
    return digest("".join(f"{name}\0{digest(members[name])}\n" for name in sorted(members)))


def _json(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _row(case: Case, kernels: dict[str, Any], members: dict[str, bytes]) -> dict[str, Any]:
    name = digest(case.module)
    kernels[name] = json.loads(case.module)
    if module_text(kernels[name]) != case.module:
        raise ValueError(f"{case.id}: the text of the module is not as module_text makes it")
    row: dict[str, Any] = {"id": case.id, "kernel": name, **_packed(case.run, members)}
    if case.twin:
        row["twin"] = _packed(case.twin, members)
    optional = {"grid": list(case.grid), "why": case.why, "source": case.source, "statistics": case.statistics}
    row.update({key: value for key, value in optional.items() if value})
    if case.order != "sequential":
        row["order"] = case.order
    return row


def module_text(module: Any) -> str:
    """The text of a module whose digest the suite keeps."""
    return json.dumps(module, separators=(",", ":"), allow_nan=False) + "\n"


def _packed(run: Run, members: dict[str, bytes]) -> dict[str, Any]:
    return {key: {name: _tensor(tensor, content, members) for name, (tensor, content) in tensors.items()}
            for key, tensors in (("inputs", run.inputs), ("expected", run.expected))}


def _tensor(tensor: Type, content: bytes, members: dict[str, bytes]) -> dict[str, str]:
    if len(content) <= _INLINE:
        return {"type": str(tensor), "bytes": base64.b64encode(content).decode()}
    name = digest(content)
    members[f"data/{name}"] = content
    return {"type": str(tensor), "data": name}


def _case(row: dict[str, Any], kernels: dict[str, Any], members: dict[str, bytes]) -> Case:
    module = module_text(kernels[row["kernel"]])
    if digest(module) != row["kernel"]:
        raise BadSuite(f"{row['id']}: the kernel is not the one of its digest")
    twin = _run(row["twin"], members) if "twin" in row else None
    return Case(row["id"], module, _run(row, members), twin, row.get("order", "sequential"), tuple(row.get("grid", ())),
                row.get("why", ""), row.get("source"), row.get("statistics", False))


def _run(row: dict[str, Any], members: dict[str, bytes]) -> Run:
    return Run(*({name: _unpacked(name, tensor, members) for name, tensor in row[key].items()}
                 for key in ("inputs", "expected")))


def _unpacked(name: str, tensor: dict[str, str], members: dict[str, bytes]) -> tuple[Type, bytes]:
    kind = Type.parse(tensor["type"])
    content = base64.b64decode(tensor["bytes"]) if "bytes" in tensor else members[f"data/{tensor['data']}"]
    if len(content) != kind.size:
        raise ValueError(f"{name} has {len(content)} bytes instead of the {kind.size} of {kind}")
    return kind, content
