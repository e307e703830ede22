"""What Triton imports whenever it is imported itself, found by the entry point `tilegrind` of the group `triton.backends`: in it
`compiler` and `driver`, each with one class.

An exception here would end `import triton` in every program, also of those who never ask for Tilegrind.  So this package stands
alone: it needs Triton only, and where Tilegrind cannot be loaded, or does not fit this Triton, classes stand in its place that
Triton never chooses, and that say why once Tilegrind is asked for by TILEGRIND=1.
"""

import triton  # noqa: F401  (else Triton would find these modules half loaded)
