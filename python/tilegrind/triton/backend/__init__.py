"""Tilegrind as a backend of Triton: Triton imports `compiler` and `driver` whenever it is imported itself, found by the entry point
`tilegrind` of the group `triton.backends`.  So nothing here loads more than Triton, and nothing is active unless it is asked for."""

import triton  # noqa: F401  (else Triton would find these modules half loaded)
