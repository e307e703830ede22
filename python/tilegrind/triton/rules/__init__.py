"""What converts each operation of TTIR, one subject a file."""

from . import control, dot, elementwise, memory, pointers, reductions, shapes  # noqa: F401  (they register their rules)
