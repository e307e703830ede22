"""Bundles: golden checks as data.  docs/golden.md has the format.

A bundle holds no outputs, only digests of them and a few samples: Tilegrind makes them again, with the same bits on every machine.
"""

import functools
import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import fastjsonschema
import numpy as np

from .. import json_text
from ..digests import digest
from ..judging import InputSet, Unfit
from ..judging.verdicts import type_of
from .contracts import is_text, name_of
from .bad_bundle import BadBundle
from .folder import CONTRACT, GOLDEN, KEPT, KERNEL, SENSITIVITY, Refused

FORMAT = 1


@dataclass(frozen=True)
class Sample:
    """An element: its row-major index, what the interpreter has there, R, B."""

    index: int
    bits: str
    exact: str
    bound: str


@dataclass(frozen=True)
class OutputRecord:
    """What is known of an output on an input set.

    bits, exact, bound  SHA-256 of the bytes of the interpreter's output, of R and of B; the last two "" for integers
    widest              the largest finite B / |R|
    loose               share of elements whose bound says next to nothing
    """

    type: str
    bits: str
    exact: str
    bound: str
    widest: float
    loose: float
    samples: tuple


@dataclass(frozen=True)
class SetRecord:
    """An input set and what it is there for: kinds of mutants that no set before it kills."""

    inputs: InputSet
    kills: tuple
    outputs: dict


@dataclass(frozen=True)
class Kept:
    """An input that is given, not made."""

    type: str
    sha256: str


@dataclass(frozen=True)
class Bundle:
    """A golden.

    module       canonical JSON text of the module
    contract     name of one of Tilegrind's contracts, or the text of one in JSON
    sensitivity  text of sensitivity.tsv: every mutant, and how far outside it is on each set
    unchanged    mutants that have the same bits on all sets, each (kind, site, "")
    alive        mutants that differ and pass, each (kind, site, why the contract allows it); where that is "" the golden is vacuous
    kept         the inputs that are given, as arrays
    provenance   texts
    """

    name: str
    module: str = field(repr=False)
    kernel: str
    grid: tuple
    contract: str
    sets: tuple
    killed: int
    unchanged: tuple
    alive: tuple
    sensitivity: str = field(repr=False)
    kept: dict = field(repr=False, default_factory=dict)
    partly_written: tuple = ()
    provenance: dict = field(default_factory=dict)

    @property
    def is_vacuous(self):
        return any(not why for *_, why in self.alive)

    @property
    def contract_name(self):
        return name_of(self.contract)

    def text(self):
        """golden.json."""
        return json_text.dumps({
            "tilegrind-golden": FORMAT, "name": self.name,
            "kernel": {"sha256": digest(self.module), "entry": self.kernel, "grid": list(self.grid),
                       "partly_written": list(self.partly_written)},
            "contract": {"name": self.contract_name, "sha256": digest(self.contract)} if is_text(self.contract) else self.contract,
            "kept": {name: asdict(_kept(array)) for name, array in sorted(self.kept.items())},
            "sets": [_set_json(record) for record in self.sets],
            "mutants": {"killed": self.killed, "unchanged": [list(row) for row in self.unchanged],
                        "alive": [list(row) for row in self.alive], "sha256": digest(self.sensitivity)},
            "provenance": self.provenance})

    @property
    def digest(self):
        """SHA-256 of golden.json, which has the digests of all else: what a reviewer accepts."""
        return digest(self.text())

    def accepted(self, why, replaces, equivalents):
        """The same golden, accepted for a reason.

        replaces     digest of the one that it takes the place of, or ""
        equivalents  of mutants that pass and are no faults, by "KIND SITE": the reason
        Raises Refused for an equivalent that is no mutant that passes.
        """
        alive = tuple((kind, site, equivalents.get(f"{kind} {site}", reason)) for kind, site, reason in self.alive)
        passing = {f"{kind} {site}" for kind, site, _ in self.alive}
        if unknown := sorted(equivalents.keys() - passing):
            raise Refused(f"{self.name}: no mutant {unknown[0]!r} passes; these do: {', '.join(sorted(passing)) or 'none'}")
        return replace(self, alive=alive, provenance={**self.provenance, "why": why, "replaces": replaces})


def digest_of(array):
    """SHA-256 of the elements, little-endian, row-major."""
    array = np.ascontiguousarray(array)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    return digest(array.reshape(-1).view(np.uint8))


def _kept(array):
    return Kept(type_of(array), digest_of(array))


def _set_json(record):
    outputs = {name: {**asdict(output), "samples": [list(asdict(sample).values()) for sample in output.samples]}
               for name, output in record.outputs.items()}
    return {"inputs": record.inputs.to_json(), "kills": list(record.kills), "outputs": outputs}


# ---- reading ----


def read(folder, name=None):
    """The Bundle in a folder, which has its name unless another one is given.  Raises BadBundle."""
    folder = Path(folder)
    tree = _tree(folder / GOLDEN)
    module, sensitivity = (_checked(folder / name, sha256) for name, sha256 in (
        (KERNEL, tree["kernel"]["sha256"]), (SENSITIVITY, tree["mutants"]["sha256"])))
    if tree["name"] != (name or folder.name):
        raise BadBundle(f"{folder / 'golden.json'}: it is named {tree['name']!r}, its folder {name or folder.name!r}")
    mutants = tree["mutants"]
    try:
        sets = tuple(map(_set_of, tree["sets"]))
    except Unfit as problem:
        raise BadBundle(f"{folder / GOLDEN}: {problem}") from None
    return Bundle(
        tree["name"], module, tree["kernel"]["entry"], tuple(tree["kernel"]["grid"]), _contract(folder, tree["contract"]),
        sets, mutants["killed"], tuple(map(tuple, mutants["unchanged"])),
        tuple(map(tuple, mutants["alive"])), sensitivity, _kept_arrays(folder, tree["kept"]),
        tuple(tree["kernel"]["partly_written"]), tree["provenance"])


def _set_of(members):
    outputs = {name: OutputRecord(**{**output, "samples": tuple(Sample(*sample) for sample in output["samples"])})
               for name, output in members["outputs"].items()}
    return SetRecord(InputSet.of_json(members["inputs"]), tuple(members["kills"]), outputs)


@functools.lru_cache
def _validator():
    return fastjsonschema.compile(json.loads(Path(__file__).with_name("schema.json").read_text(encoding="utf-8")))


def _tree(path):
    try:
        tree = json_text.loads(path.read_bytes())
        _validator()(tree)
        return tree
    except OSError as problem:
        raise BadBundle(f"{path}: {problem.strerror}") from None
    except fastjsonschema.JsonSchemaException as problem:
        raise BadBundle(f"{path}: {problem.message.replace('data', 'golden', 1)}") from None
    except (ValueError, RecursionError) as problem:
        raise BadBundle(f"{path}: not the JSON of a golden: {problem}") from None


def _checked(path, sha256):
    """The text of a file that golden.json names with its digest."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise BadBundle(f"{path}: {problem.strerror}") from None
    if digest(data) != sha256:
        raise BadBundle(f"{path}: its SHA-256 is {digest(data)[:16]}..., golden.json says {sha256[:16]}...: it was edited, or "
                        "belongs to another golden")
    return data.decode()


def _contract(folder, member):
    """The name of a contract, or the text of the one that the golden keeps."""
    return _checked(folder / CONTRACT, member["sha256"]) if isinstance(member, dict) else member


def _kept_arrays(folder, members):
    from ..runtime import Error, read_arrays

    if not members:
        return {}
    path = folder / KEPT
    try:
        arrays = read_arrays(path)
    except Error as problem:
        raise BadBundle(str(problem)) from None
    for name, about in members.items():
        if name not in arrays or asdict(_kept(arrays[name])) != about:
            raise BadBundle(f"{path}: array {name} is not the one that golden.json names, {about['type']} with SHA-256 "
                            f"{about['sha256'][:16]}...")
    return {name: arrays[name] for name in members}
