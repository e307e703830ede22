"""Mutants: what a broken implementation of a kernel would give.

A check of outputs is only worth something if it can fail.  `output_mutants` changes good outputs; `kernel_mutants` changes
the kernel, and the interpreter says what the changed kernel gives.  Each mutant has one defect, whose kind is a row of
KINDS.  docs/mutants.md has the table and an example.
"""

from . import (kernel_constants, kernel_corners, kernel_formulas, kernel_loops,  # noqa: F401  (they enter their kinds)
               kernel_maps, kernel_masks, kernel_precision, output_numbers, output_wholes)
from .kinds import KERNEL_KINDS, KINDS, OUTPUT_KINDS, Kind
from .outputs import Context, OutputMutant, output_mutants
from .registry import KernelMutant, kernel_mutants
from .writers import places_of, tiles_of, writers_of

__all__ = ["Context", "KERNEL_KINDS", "KINDS", "KernelMutant", "Kind", "OUTPUT_KINDS", "OutputMutant", "kernel_mutants",
           "output_mutants", "places_of", "tiles_of", "writers_of"]
