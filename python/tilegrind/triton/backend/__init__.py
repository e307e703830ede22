"""Tilegrind as a backend of Triton.  Triton loads `compiler` and `driver` whenever it is imported itself, by way of the package
`tilegrind_triton_plugin`; so they need nothing but Triton, and nothing is active unless it is asked for."""

import triton  # noqa: F401  (else Triton would find these modules half loaded)
