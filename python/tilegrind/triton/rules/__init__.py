"""What converts each operation of TTIR, one subject a file, which registers its rules when it is imported."""

from . import assembly, atomics, checks, comparisons, control, conversions, descriptors, dot, elementwise, libdevice, maps, memory  # noqa: F401
from . import pointers, printing, reductions, scaled, scans, selection, shapes  # noqa: F401
