"""What came of goldens as a log of SARIF 2.1.0, as `tilegrind check --sarif` writes one of findings (docs/reports.md)."""

import hashlib
import json
from pathlib import Path
from urllib.parse import quote

from ..conform.verdicts import FAULTS
from .checking import BAD
from .faults import KINDS
from .report import about_listed, detail

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_FINGERPRINT = "tilegrindFinding/v1"
# Rules `golden-KIND`.
RULES = {
    **FAULTS, **KINDS,
    "outside": "an element is farther from its exact result than the contract allows",
    "statistical": "elements are within their bounds, but their errors together are not",
    "special-differs": "NaN or an infinity where a number should be, or the reverse",
    "shape": "an output has another shape or dtype",
    "missing": "an output is missing",
    "stale": "a witness of the golden is no longer as it was recorded",
    "vacuous": "mutants of the kernel pass the golden",
    "xpass": "a known failure passes",
    "xfail-differs": "a known failure fails in another way",
    "xfail-unknown": "a known failure is of no output of the golden",
}


def to_sarif(results, bundles, goldens, code):
    """The log as JSON data.

    results  checking.Result of each golden
    bundles  Bundle by name
    goldens  the folder of the goldens
    code     the exit code of the command
    """
    from .. import __version__

    found = [one for result in results for one in _results(result, bundles[result.name], Path(goldens))]
    ids = sorted(RULES.keys() | {one["kind"] for one in found})
    rules = [{"id": f"golden-{kind}", "shortDescription": {"text": RULES.get(kind, kind)},
              "defaultConfiguration": {"level": "error"}} for kind in ids]
    driver = {"name": "tilegrind", "version": __version__, "rules": rules}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [{
        "tool": {"driver": driver}, "automationDetails": {"id": f"tilegrind golden/{_uri(Path(goldens))}/"},
        "columnKind": "unicodeCodePoints", "invocations": [{"executionSuccessful": True, "exitCode": code}],
        "results": [_result(one, ids.index(one["kind"])) for one in found]}]}


def _result(one, index):
    return {"ruleId": f"golden-{one['kind']}", "ruleIndex": index, "level": "error", "message": {"text": one["text"]},
            "locations": [one["location"]], "partialFingerprints": {_FINGERPRINT: one["fingerprint"]},
            "suppressions": one["suppressions"], "properties": one["properties"]}


def _results(result, bundle, goldens):
    """What a result of the log is made of, for each failure, and each known one."""
    tree = json.loads(bundle.module)
    kernel = next(one for one in tree["kernels"] if one["name"] == bundle.kernel)

    def made(kind, text, part="", output=None, known=None, **properties):
        location = _location(tree, kernel, output, goldens / bundle.name / "kernel.json")
        # Neither the line nor the numbers: a failure stays the same alert while either moves.
        fingerprint = hashlib.sha256("\0".join((kind, bundle.name, part)).encode()).hexdigest()[:32]
        return {"kind": kind, "text": f"{bundle.name}{f'/{part}' if part else ''}: {text}", "location": location,
                "fingerprint": fingerprint,
                "properties": {"golden": bundle.name, "contract": bundle.contract, "part": part, **properties},
                "suppressions": [{"kind": "external", "status": "accepted", "justification": known}] if known else []}

    if result.stale:
        yield made("stale", "; ".join(result.stale))
    if result.vacuous:
        yield made("vacuous", f"mutants that pass it: {result.vacuous}")
    if result.unknown:
        yield made("xfail-unknown", "; ".join(result.unknown))
    like = {one.name: one.likeness for one in result.sets}
    for chosen, verdict, status in result.statuses():
        if status in BAD or status == "xfail":
            kind = verdict.kind if status in ("fail", "xfail") else status
            listed = about_listed(result, chosen, verdict, status)
            texts = [str(verdict).removeprefix(f"{verdict.output}: "), _how_far(verdict), str(like[chosen] or ""), listed]
            yield made(kind, "; ".join(filter(None, texts)), f"{chosen}/{verdict.output}", verdict.output,
                       listed if status == "xfail" else None,
                       **({"element": list(verdict.index)} if verdict.index is not None else {}))


def _how_far(verdict):
    return detail(verdict) if verdict.failed and verdict.index is not None else ""


def _location(tree, kernel, output, file):
    """The source line that stores an output last; of the kernel, if that has none; the kernel's file, if nothing has one."""
    place = _stored_at(kernel, output) if output else None
    place = _first(kernel["body"]) if place is None else place
    if place is None:
        return {"physicalLocation": {"artifactLocation": {"uri": _uri(file)}},
                "logicalLocations": [{"name": kernel["name"], "kind": "function"}]}
    at = tree["locations"][place - 1]  # they are counted from 1
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(Path(at["file"]))},
                                 "region": {"startLine": max(1, at["line"])}},
            "logicalLocations": [{"name": kernel["name"], "kind": "function"}]}


def _ops(region):
    for op in region.get("ops", ()):
        yield op
        for inner in op.get("regions", ()):
            yield from _ops(inner)


def _first(region):
    return next((op["loc"] for op in _ops(region) if "loc" in op), None)


def _stored_at(kernel, output):
    """The location of the last operation that may write an output, or None."""
    names = [param["name"] for param in kernel["params"]]
    ids = {arg["id"] for name, arg in zip(names, kernel["body"]["args"]) if name == output}
    writing = [op for op in _ops(kernel["body"]) if op["op"] != "load" and ids.intersection(op.get("in", ()))]
    return next((op["loc"] for op in reversed(writing) if "loc" in op), None)


def _uri(path):
    """Relative to the working folder if the file is below it."""
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return f"file://{quote(str(path))}" if path.is_absolute() else quote(path.as_posix())
