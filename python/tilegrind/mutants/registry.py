"""How kinds on the IR are written: a function that finds the sites of its pattern, each with an edit."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator

from .ir import Kernel, Op
from .kinds import KERNEL_KINDS, Kind
from .patterns import Patterns


@dataclass(frozen=True)
class Site:
    """A place where a kind applies, in words, and the change to a copy of the kernel that makes the mutant."""

    text: str
    edit: Callable[[Kernel], None]


@dataclass(frozen=True)
class KernelMutant:
    """A module with one defect.

    site    where it is: "dot_general at attn.py:71", or the number of the op where the kernel has no locations; distinct
            among those of its kind
    module  the whole module, as JSON
    sites   how many sites the kind has in the kernel; at most `most` of them are made into mutants
    """

    kind: Kind
    site: str
    module: dict[str, Any]
    sites: int


Finder = Callable[[Patterns], Iterator[Site]]
FINDERS: dict[str, Finder] = {}


def kind(name: str) -> Callable[[Finder], Finder]:
    """Says that a function finds the sites of the kind with this name."""

    def enter(finder: Finder) -> Finder:
        if name in FINDERS:
            raise ValueError(f"kind {name} has two functions")
        FINDERS[name] = finder
        return finder

    return enter


def at(p: Patterns, op: Op, edit: Callable[[Kernel, Op], None], what: str = "") -> Site:
    """The site at an op.  The edit gets the copy of the kernel and the copy of the op."""
    return Site(p.kernel.place(op) + (f", {what}" if what else ""), lambda copy: edit(copy, copy.ops[op.number]))


def kernel_mutants(module: dict[str, Any], kernel: str | None = None, most: int = 3) -> Iterator[KernelMutant]:
    """The mutants of a kernel (the first if none is named) of a module as JSON, in the order of KERNEL_KINDS.

    most  greatest number of sites for each kind; of more, the first, the last and others evenly between are taken.
          `KernelMutant.sites` says how many there are.  0: all

    A mutant that an earlier kind has made already is not made again.
    """
    number = _find(module, kernel)
    original = module["kernels"][number]
    patterns, text = Patterns(Kernel(original, module.get("locations", ()))), json.dumps(original)
    made = set()
    for found in KERNEL_KINDS:
        sites = distinct(FINDERS[found.name](patterns))
        for site in spread(sites, most):
            copy = Kernel(json.loads(text), module.get("locations", ()))
            site.edit(copy)
            digest = hashlib.sha256(json.dumps(copy.data).encode()).digest()
            if digest in made:
                continue
            made.add(digest)
            kernels = [*module["kernels"][:number], copy.data, *module["kernels"][number + 1:]]
            yield KernelMutant(found, site.text, {**module, "kernels": kernels}, len(sites))


def distinct(sites: Iterable[Site]) -> list[Site]:
    """The sites, numbered from the second on where several have the same place: "load at attn.py:71 (2)"."""
    seen: Counter[str] = Counter()
    found = []
    for site in sites:
        seen[site.text] += 1
        found.append(site if seen[site.text] == 1 else Site(f"{site.text} ({seen[site.text]})", site.edit))
    return found


def spread(sites: list, most: int) -> list:
    """At most this many of some sites: the first, the last, and others evenly between.  0: all."""
    if most == 0 or len(sites) <= most:
        return sites
    if most == 1:
        return sites[:1]
    return [sites[i * (len(sites) - 1) // (most - 1)] for i in range(most)]


def _find(module: dict[str, Any], kernel: str | None) -> int:
    names = [found["name"] for found in module["kernels"]]
    if kernel is None:
        return 0
    if kernel not in names:
        raise ValueError(f"no kernel {kernel}; the module has {', '.join(names)}")
    return names.index(kernel)
