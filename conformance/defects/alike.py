"""What other orders than sequential find in the kernels of a pair.

In most pairs it is the same.  Where a pair is there for what order sequential hides, that must be hidden in it indeed, and the
order that a check names must show it again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping, Sequence

from conformance.defects import corpus, judge, pair_cases
from conformance.defects.reports import findings_of, run

# Who waits for a program that has not begun is decided by the order.
BY_BEGINNING = {"assumes-resident"}

# Classes of kernels that synchronise by memory.
BY_ARRIVAL = ("waiting", "locks_and_barriers", "residence", "orders")

OTHER_ORDERS = ("reversed", "shuffled:7", "interleaved:3", "parallel:1", "parallel:2")


def told_alike(report: Mapping[str, Any], left_out: set[str], by_arrival: bool = False) -> list[tuple]:
    """What is told of each finding, but for words: those of a deadlock, say, tell what had happened before; and which of several programs
    uses an undefined value first is a matter of order.

    by_arrival   programs synchronise by memory: which of them comes first, so that another one has to wait, and which elements they meet in,
                 are matters of order as well, and each line is told once
    """
    def sides(finding: Mapping[str, Any]) -> list[tuple]:
        names_programs = not (by_arrival or is_undefined(finding["kind"]))
        found = [(side.line, side.program if names_programs else None) for side in judge.sides_of(finding)]
        return sorted(found) if by_arrival else found

    def told(finding: Mapping[str, Any]) -> tuple:
        elements = None if by_arrival else finding.get("elements")
        return finding["kind"], str(finding.get("param")), str(elements), str(sides(finding))

    all_told = sorted(told(finding) for finding in findings_of(report) if finding["kind"] not in left_out)
    return sorted(set(all_told)) if by_arrival else all_told


def is_undefined(kind: str) -> bool:
    return kind.startswith("undefined-")


def depends_on_order(pair: corpus.Pair, known: set[str]) -> set[str]:
    """The kinds that an order may add to what is stated of a broken kernel: what may be told as well, as that hangs on the moment of a copy, say;
    where programs race, what follows when the read comes before the write, and finds what nobody wrote; and who has begun when another one waits."""
    stated = {find.kind for find in pair.finds}
    follows = {kind for kind in known if is_undefined(kind)} if "race" in stated else set()
    return (set(pair.also) | follows) - stated | BY_BEGINNING


def unlike_in_orders(cli: str, pair: corpus.Pair, written: pair_cases.Cases, known: set[str]) -> list[str]:
    """What other orders find that is not as it should be."""
    if written.broken is None or written.repaired is None:
        return []
    command = [cli, "run", "--check", "all", "--json"]
    unlike = unlike_sequential(command, pair, written.repaired, BY_BEGINNING)
    # What such a broken kernel shows hangs on the order: that is its defect.
    if pair.by_check:
        return unlike + shown_in_sequence(command, pair, written.broken) + not_repeated(cli, pair, written.broken)
    return unlike + unlike_sequential(command, pair, written.broken, depends_on_order(pair, known))


def unlike_sequential(command: Sequence[str], pair: corpus.Pair, folder: Path, left_out: set[str]) -> list[str]:
    """Orders in which something else is found than in order sequential."""
    by_arrival = pair.group in BY_ARRIVAL
    found = {order: told_alike(run([*command, "--order", order], folder), left_out, by_arrival) for order in ("sequential", *OTHER_ORDERS)}
    first = found["sequential"]
    return [f"{pair.label}, {folder.name}: {order} finds {what} instead of {first}"
            for order, what in found.items() if not is_alike(what, first, by_arrival)]


def is_alike(what: Sequence[tuple], first: Sequence[tuple], by_arrival: bool) -> bool:
    """Whether an order finds what sequential does.  Where programs synchronise by memory it may be silent of a race: they may happen to come so
    that something orders them."""
    if not by_arrival:
        return what == first
    return set(what) <= set(first) and all(kind == "race" for kind, *_ in set(first) - set(what))


def shown_in_sequence(command: Sequence[str], pair: corpus.Pair, folder: Path) -> list[str]:
    """What order sequential finds although the pair says that it does not."""
    kinds = {finding.kind for finding in pair.finds}
    report = run([*command, "--order", "sequential"], folder)
    return [f"{pair.label}: order sequential alone shows it: {judge.told(finding)}"
            for finding in findings_of(report) if finding["kind"] in kinds]


def not_repeated(cli: str, pair: corpus.Pair, folder: Path) -> list[str]:
    """What is not found again in the order in which a check has found it.  A comparison of orders is nothing that one run repeats."""
    stated = {finding.kind for finding in pair.finds} - {"order-dependence", "order-rounding"}
    missing = []
    for finding in findings_of(run([cli, "check", "--json"], folder)):
        if finding["kind"] not in stated:
            continue
        again = run([cli, "run", "--check", "all", "--json", "--order", finding["order"]], folder)
        if not any(is_repeated(finding, one) for one in findings_of(again)):
            missing.append(f"{pair.label}: order {finding['order']} does not repeat {judge.told(finding)}")
    return missing


def is_repeated(finding: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return finding["kind"] == other["kind"] and judge.sides_of(finding) == judge.sides_of(other)
