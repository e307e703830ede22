"""What converts each operation of TTIR, one subject a file, which registers its rules when it is imported."""

<<<<<<< HEAD
from . import comparisons, control, conversions, dot, elementwise, libdevice, memory, pointers, reductions, shapes  # noqa: F401  (they register their rules)
=======
from . import checks, control, descriptors, dot, elementwise, maps, memory, printing  # noqa: F401
from . import reductions, scaled, scans, selection, shapes  # noqa: F401
>>>>>>> 880b5f7f (Triton: tensors of any rank, scans, descriptors, scaled products, functions on elements, gather, histograms, prints and assertions; random programs, expected failures of its suites)
