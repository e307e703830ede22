"""Compares the findings of other orders with those of order sequential in the kernels of a pair.

In most pairs they are the same.  If order sequential hides the defect of a pair, it must really find nothing, and the
order that a check names must show the defect again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping, Sequence

from conformance.defects import corpus, judge, pair_cases
from conformance.defects.reports import findings_of, run

# The order decides who waits for a program that has not begun.
BY_BEGINNING = {"assumes-resident"}

# Classes of kernels that synchronise through memory, or whose clusters take over each other's work.
BY_ARRIVAL = ("waiting", "locks_and_barriers", "residence", "orders", "mosaic_scheduling", "triton_counters", "triton_locks")

OTHER_ORDERS = ("reversed", "shuffled:7", "interleaved:3", "parallel:1", "parallel:2")


def told_alike(report: Mapping[str, Any], left_out: set[str], by_arrival: bool = False) -> list[tuple]:
    """The findings without their messages (a deadlock's message, for example, depends on what had happened before), and
    without programs that depend on the order: the one that is the first to use an undefined value, and of many that nothing
    orders at a barrier those that come to be in different phases.

    by_arrival   programs synchronise through memory, or take over work: which of them comes first, so that another one has to
                 wait, or does nothing, and on which elements they conflict, also depend on the order; each line is reported once
    """
    def sides(finding: Mapping[str, Any]) -> list[tuple]:
        names_programs = not (by_arrival or is_undefined(finding["kind"]) or finding["kind"] == "barrier-overrun")
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
    """The kinds that an order may add to the stated ones of a broken kernel: those in `also`, as they depend on the moment of
    a copy, for example; if programs race, undefined values of a read that comes before the write; and which program has
    begun when another one waits."""
    stated = {find.kind for find in pair.finds}
    follows = {kind for kind in known if is_undefined(kind)} if "race" in stated else set()
    return (set(pair.also) | follows) - stated | BY_BEGINNING


def unlike_in_orders(cli: str, pair: corpus.Pair, written: pair_cases.Cases, known: set[str]) -> list[str]:
    """Findings of other orders that are not as they should be."""
    if written.broken is None or written.repaired is None:
        return []
    command = [cli, "run", "--check", pair.checks, "--json"]
    unlike = unlike_sequential(command, pair, written.repaired, BY_BEGINNING)
    # The findings of such a broken kernel depend on the order: that is its defect.
    if pair.by_check:
        return unlike + shown_in_sequence(command, pair, written.broken) + not_repeated(cli, pair, written.broken)
    return unlike + unlike_sequential(command, pair, written.broken, depends_on_order(pair, known))


def unlike_sequential(command: Sequence[str], pair: corpus.Pair, folder: Path, left_out: set[str]) -> list[str]:
    """Orders whose findings differ from those of order sequential."""
    by_arrival = pair.group in BY_ARRIVAL
    found = {order: told_alike(run([*command, "--order", order], folder), left_out, by_arrival) for order in ("sequential", *OTHER_ORDERS)}
    first = found["sequential"]
    return [f"{pair.label}, {folder.name}: {order} finds {what} instead of {first}"
            for order, what in found.items() if not is_alike(what, first, by_arrival)]


def is_alike(what: Sequence[tuple], first: Sequence[tuple], by_arrival: bool) -> bool:
    """Whether an order has the same findings as sequential.  If programs synchronise through memory it may miss a race, as they may run so
    that something orders them."""
    if not by_arrival:
        return what == first
    return set(what) <= set(first) and all(kind == "race" for kind, *_ in set(first) - set(what))


def shown_in_sequence(command: Sequence[str], pair: corpus.Pair, folder: Path) -> list[str]:
    """Findings of order sequential although the pair says that it shows none."""
    kinds = {finding.kind for finding in pair.finds}
    report = run([*command, "--order", "sequential"], folder)
    return [f"{pair.label}: order sequential alone shows it: {judge.told(finding)}"
            for finding in findings_of(report) if finding["kind"] in kinds]


def not_repeated(cli: str, pair: corpus.Pair, folder: Path) -> list[str]:
    """Findings that do not recur in the order in which a check has made them.  One run cannot repeat a comparison of orders."""
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
