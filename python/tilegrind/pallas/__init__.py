"""Pallas kernels as Tilegrind modules and cases.

``export(fn, *args)`` traces a function and converts each ``pallas_call`` in it to a kernel.
``capture(folder)`` is a context manager that writes a case for each ``pallas_call`` that runs.
"""

from .capturing import Capture, capture
from .errors import ExportError
from .exporter import export
from .module import Module

__all__ = ["Capture", "ExportError", "Module", "capture", "export"]
