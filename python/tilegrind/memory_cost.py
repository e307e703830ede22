"""What accesses to memory cost, by a report of the library."""

from dataclasses import dataclass

from ._native import lib, text


@dataclass(frozen=True)
class AccessCost:
    """The accesses of an operation to a memory from one line, over all programs; see struct tg_memory_access_cost in the C
    header.  A swizzle is (bits, base, shift), or None."""

    op: str
    param: str
    file: str
    function: str
    line: int
    space: str  # "shared": costs are wavefronts; "global": they are sectors
    warps: int
    is_assumed: bool  # nothing says which lane holds which element
    narrowest_bytes: int
    widest_bytes: int
    accesses: int
    instructions: int
    cost: int
    least: int
    used_bytes: int
    worst_cost: int
    worst_least: int
    program: tuple
    swizzle_bytes: tuple | None
    swizzle_elements: tuple | None
    swizzle_after: int
    swizzle_before: int
    swizzle_least: int


def _swizzle(s):
    return (s.bits, s.base, s.shift) if s.bits else None


def _cost(c):
    return AccessCost(text(c.op), text(c.param), text(c.file), text(c.function), c.line, text(c.space), c.warps,
                      bool(c.is_assumed), c.narrowest_bytes, c.widest_bytes, c.accesses, c.instructions, c.cost, c.least,
                      c.used_bytes, c.worst_cost, c.worst_least, tuple(c.program[:c.rank]), _swizzle(c.swizzle_bytes),
                      _swizzle(c.swizzle_elements), c.swizzle_after, c.swizzle_before, c.swizzle_least)


def memory_costs_of(report):
    """An AccessCost for each operation and memory of a line, in the order of the kernel."""
    return [_cost(lib.tg_report_memory_cost(report, i)) for i in range(lib.tg_report_memory_cost_count(report))]
