"""What differs between a golden and the one that it would replace, for the page."""

import difflib

from ...digests import digest

_MOST_LINES = 400  # of the difference between the kernels
_CONTEXT = 3


def _contract(bundle):
    """The name of the contract and, of one that the golden keeps, its digest."""
    own = bundle.contract != bundle.contract_name
    return f"{bundle.contract_name}, SHA-256 {digest(bundle.contract)[:16]}" if own else bundle.contract


def facts_of(bundle):
    """Texts by name on all of a bundle that a reviewer compares."""
    kept = {f"given input {name}": digest(array.tobytes())[:16] for name, array in sorted(bundle.kept.items())}
    allowed = sum(bool(why) for *_, why in bundle.alive)
    return {
        "golden": bundle.digest, "kernel": f"{bundle.kernel}, SHA-256 {digest(bundle.module)[:16]}",
        "dynamic grid": ", ".join(map(str, bundle.grid)), "contract": _contract(bundle),
        "input sets": ", ".join(record.inputs.name for record in bundle.sets),
        "mutants": (f"{bundle.killed} die, {len(bundle.alive) - allowed} pass, {allowed} are allowed, "
                    f"{len(bundle.unchanged)} change no bit"),
        "partly written": ", ".join(bundle.partly_written), **kept, **bundle.provenance}


def rows_of(new, old):
    """[name, new text, old text] of each fact, "" where there is none; None for the old one where no golden is replaced."""
    now, was = facts_of(new), facts_of(old) if old else {}
    names = [*now, *(name for name in was if name not in now)]
    return [[name, now.get(name, ""), was.get(name, "") if old else None] for name in names
            if now.get(name) or was.get(name)]


def kernel_difference(new, old):
    """Lines of a unified difference between the kernels as text, none for equal ones, and how many lines are left out."""
    if old is None or old.module == new.module:
        return [], 0
    from ... import runtime

    was, now = (runtime.loads(one.module).to_text().splitlines() for one in (old, new))
    lines = list(difflib.unified_diff(was, now, "old", "new", lineterm="", n=_CONTEXT))
    return lines[:_MOST_LINES], max(0, len(lines) - _MOST_LINES)
