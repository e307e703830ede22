"""Pallas kernels as Tilegrind modules and cases.

``export(fn, *args)`` traces a function and converts each ``pallas_call`` in it to a kernel.
``capture(folder)`` is a context manager that writes a case for each ``pallas_call`` that runs.
``interpreter()`` is a context manager that replaces JAX's own interpreter with Tilegrind, and ``install()`` does the same
for a whole process; ``statistics()`` counts calls and runs.
``check()`` is a context manager that checks each ``pallas_call``.
``inline_effects()`` is a context manager that says what code does that kernels of Mosaic GPU insert.
"""

from .capturing import Capture, capture
from ..checked import Checked, KernelRuns
from .checking import Check, FindingError, check
from .exporter import export
from .gpu.inserted_code import inline_effects
from .interpreting import Statistics, install, interpreter, statistics, uninstall
from ..ir.errors import ExportError
from ..ir.module import Module
from ..raising import FindingWarning

__all__ = ["Capture", "Check", "Checked", "ExportError", "FindingError", "FindingWarning", "KernelRuns", "Module", "Statistics",
           "capture", "check", "export", "inline_effects", "install", "interpreter", "statistics", "uninstall"]
