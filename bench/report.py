"""Figures as text: tables for a terminal."""


def seconds(value):
    """Three digits and a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)):
        if value >= size:
            break
    number = value / size
    digits = 0 if number >= 100 else 1 if number >= 10 else 2
    return f"{number:.{digits}f} {unit}"


def size(value):
    """Bytes in MiB or GiB."""
    return f"{value / 2 ** 30:.2f} GiB" if value >= 2 ** 30 else f"{value / 2 ** 20:.2f} MiB"


def spread(times):
    """Median, and in parentheses the least and the greatest."""
    return f"{seconds(times.median)} ({seconds(times.least)} .. {seconds(times.most)})"


def average(times):
    """Mean, and in parentheses the least and the greatest."""
    return f"{seconds(times.mean)} ({seconds(times.least)} .. {seconds(times.most)})"


def times_as_long(ratio):
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.1f}x" if ratio >= 10 else f"{ratio:.2f}x"


def against(times, peer):
    """The peer's median, and how many times as long Tilegrind takes."""
    return f"{seconds(peer.median)} ({times_as_long(times.median / peer.median)})" if peer else "-"


def verdict(is_right, is_met):
    """`is_met`: whether the demand is; None where there is none."""
    if not is_right:
        return "WRONG RESULT"
    return "-" if is_met is None else "ok" if is_met else "MISSED"


def show(title, head, rows):
    """A table whose first column is flush left."""
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    print(f"\n{title}\n")
    for row in [head, ["-" * width for width in widths], *rows]:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        print("  ".join(cells).rstrip())
    print(flush=True)
