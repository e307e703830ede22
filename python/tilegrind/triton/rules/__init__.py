"""What converts each operation of TTIR, one subject a file."""

from . import atomics, control, dot, elementwise, memory, reductions, shapes  # noqa: F401  (they register their rules)
