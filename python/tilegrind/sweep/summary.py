"""What stores hold of a plan: status, and the merged results."""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field

from . import kinds, log
from .canonical import canonical
from .errors import InvalidError

SHOWN = 10


def status(plan, stores):
    """{kind: {"units", "done", "failed", "left"}}, and {unit: why it failed}."""
    done = set().union(*(store.ids() for store in stores))
    troubles = {unit: why for store in stores for unit, why in log.troubles(store).items()
                if unit in plan.lines and unit not in done}
    table = {}
    for unit, line in plan.lines.items():
        row = table.setdefault(json.loads(line)["kind"], Counter(units=0, done=0, failed=0, left=0))
        row["units"] += 1
        row["done" if unit in done else "failed" if unit in troubles else "left"] += 1
    return dict(sorted((kind, dict(row)) for kind, row in table.items())), troubles


@dataclass
class Merged:
    """The results of a plan together."""

    results: int = 0
    digest: str = ""  # of all results in the order of ids; of no use while `missing`
    counters: dict = field(default_factory=dict)  # {kind: {counter: sum}}
    worst: dict = field(default_factory=dict)  # {kind: {figure: greatest}}
    failures: list = field(default_factory=list)  # (unit, failure)
    missing: list = field(default_factory=list)
    damaged: list = field(default_factory=list)  # texts
    nondeterministic: dict = field(default_factory=dict)  # {unit: paths of its different results}
    strangers: int = 0  # results of units that are not in the plan

    @property
    def is_whole(self):
        """Whether there is exactly one result of each unit."""
        return not (self.missing or self.damaged or self.nondeterministic)

    @property
    def findings(self):
        """How many findings all results count."""
        return sum(counters["findings"] for counters in self.counters.values())

    def add(self, text):
        """Adds the text of a result."""
        result = json.loads(text)
        counters = self.counters.setdefault(result["kind"], Counter(units=0))
        counters.update({"units": 1, **result["counters"]})
        worst = self.worst.setdefault(result["kind"], {})
        for figures in result["worst"].values():
            for name, value in figures.items():
                worst[name] = max(worst.get(name, 0), value)
        self.failures += [(result["unit"], failure) for failure in result["failures"]]
        self.results += 1

    def as_json(self):
        """One line of JSON."""
        return canonical({
            "results": self.results, "digest": self.digest, "counters": self.counters, "worst": self.worst,
            "failures": [{"unit": unit, **failure} for unit, failure in self.failures], "missing": self.missing,
            "damaged": self.damaged, "nondeterministic-unit": self.nondeterministic, "strangers": self.strangers})


def _texts_of(unit, stores, merged):
    """The different results of a unit in all stores, {text: path}."""
    found = {}
    for store in stores:
        try:
            if store.has(unit):
                found.setdefault(store.read(unit), store.place(unit))
        except InvalidError as problem:
            merged.damaged.append(str(problem))
    return found


def merge(plan, stores, keep=None):
    """The results of all units of a plan, each from any of the stores.

    keep  called with the text of each result, in the order of ids
    """
    merged, digest = Merged(), hashlib.sha256()
    unequal = {}
    for store in stores:
        for unit, paths in store.unequal().items():
            unequal.setdefault(unit, []).extend(map(str, paths))
    for unit in plan.lines:
        texts = _texts_of(unit, stores, merged)
        if len(texts) > 1 or unit in unequal:
            merged.nondeterministic[unit] = sorted(map(str, texts.values())) + unequal.get(unit, [])
        for text in sorted(texts)[:1]:
            merged.add(text)
            digest.update(text.encode() + b"\n")
            keep and keep(text)
        if not texts:
            merged.missing.append(unit)
    merged.digest = digest.hexdigest()
    merged.strangers = len(set().union(*(store.ids() for store in stores)) - plan.lines.keys())
    return merged


def text_of(merged, plan):
    """What `merge` prints."""
    lines = [f"{merged.results:,} of {len(plan.lines):,} units have a result"]
    for kind, counters in sorted(merged.counters.items()):
        figures = {**counters, **{f"worst {name}": value for name, value in merged.worst[kind].items()}}
        lines.append(f"{kind}: " + ", ".join(f"{value:,} {name}" for name, value in figures.items()))
    for unit, failure in merged.failures[:SHOWN]:
        at = f" ({failure['at']})" if failure.get("at") else ""
        lines += [f"unit {unit[:16]}: {failure['kind']}: {failure['message']}{at}", f"  repeat with: {failure['repeat']}"]
    if merged.findings > SHOWN:
        lines.append(f"and {merged.findings - SHOWN:,} more; --out FILE writes all results")
    lines += [f"unit {unit[:16]}: nondeterministic-unit: its results differ: {', '.join(paths)}"
              for unit, paths in merged.nondeterministic.items()]
    lines += merged.damaged
    names = [f"{unit[:16]} ({kinds.label(json.loads(plan.lines[unit]))})" for unit in merged.missing[:SHOWN]]
    lines += [f"missing: {name}" for name in names]
    if len(merged.missing) > SHOWN:
        lines.append(f"and {len(merged.missing) - SHOWN:,} more are missing")
    no_digest = "no digest, as this is not exactly one result of each unit"
    lines.append(f"digest {merged.digest}" if merged.is_whole else no_digest)
    return "\n".join(lines)
