"""What converts each operation of TTIR, one subject a file."""

from . import comparisons, control, conversions, dot, elementwise, libdevice, memory, pointers, reductions, shapes  # noqa: F401  (they register their rules)
