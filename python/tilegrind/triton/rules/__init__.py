"""What converts each operation of TTIR, one subject a file, which registers its rules when it is imported."""

from . import assembly, atomics, block_pointers, checks, comparisons, control, conversions, descriptors, dot, elementwise  # noqa: F401
from . import libdevice, maps, memory, pointers, printing, reductions, scaled, scans, selection, shapes  # noqa: F401
