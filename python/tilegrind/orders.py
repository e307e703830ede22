"""How many other orders a check runs a kernel in."""

from __future__ import annotations

MOST_ORDERS = 999_999


def orders_of(orders: bool, shuffles: int, interleavings: int, seed: int) -> dict[str, int] | None:
    """The numbers of shuffled and interleaved orders, and their first seed; None without other orders.  Raises ValueError."""
    for name, value, least in (("shuffles", shuffles, 0), ("interleavings", interleavings, 0), ("seed", seed, 1)):
        if not least <= value <= MOST_ORDERS:
            raise ValueError(f"{name}={value} is not between {least} and {MOST_ORDERS}")
    return {"shuffles": shuffles, "interleavings": interleavings, "seed": seed} if orders else None
