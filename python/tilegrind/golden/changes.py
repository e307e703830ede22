"""How a kernel differs from the one that a golden has; source lines may move."""

import difflib
import json

_MOST = 8  # differences that are listed


def changes(old, new):
    """Texts on what differs between two modules with one kernel each (docs/ir.md, as JSON data), at the new one's source lines
    where it has them; [] if nothing does."""
    before, after = _lines(old), _lines(new)
    if _bare(old["kernels"]) == _bare(new["kernels"]):
        return []
    texts, found = [text for text, _ in before], []
    matcher = difflib.SequenceMatcher(None, texts, [text for text, _ in after], autojunk=False)
    for what, start, end, first, last in matcher.get_opcodes():
        if what != "equal":
            found += [f"new{place}: {text}" for text, place in after[first:last]]
            found += [f"was{place}: {text}" for text, place in before[start:end]]
    found = found or ["operations have other operands"]
    return found[:_MOST] + [f"and {len(found) - _MOST} more"] * (len(found) > _MOST)


def _bare(value):
    """Without source locations, and names of files."""
    if isinstance(value, dict):
        return {key: _bare(one) for key, one in value.items() if key != "loc"}
    return list(map(_bare, value)) if isinstance(value, list) else value


def _lines(module):
    """(text, place) for the grid, each parameter and each operation, without the numbers of values."""
    kernel, locations = module["kernels"][0], module.get("locations", [])
    found = [(f"kernel {kernel['name']}, grid {json.dumps(_bare(kernel['grid']))}", "")]
    for param in kernel["params"]:
        head = {key: value for key, value in param.items() if key not in ("index_map", "name")}
        found.append((f"parameter {param['name']}: {json.dumps(head)}", ""))
        found += [(f"index map of {param['name']}: {text}", place)
                  for text, place in _ops(param.get("index_map", {}), locations)]
    return found + list(_ops(kernel["body"], locations))


def _ops(region, locations):
    for op in region.get("ops", ()):
        types = ", ".join(value["type"] for value in op.get("out", ()))
        rest = {key: value for key, value in op.items() if key not in ("op", "in", "out", "loc", "regions", "index")}
        yield f"{op['op']} {types} {json.dumps(rest) if rest else ''}".strip(), _place(op, locations)
        for inner in op.get("regions", ()):
            yield from _ops(inner, locations)


def _place(op, locations):
    if not 0 < op.get("loc", 0) <= len(locations):
        return ""
    at = locations[op["loc"] - 1]
    return f" at {at['file']}:{at['line']}"
