"""Tilegrind for Python: a reference interpreter for tile kernels.

``load`` and ``loads`` return a ``Module``; its ``run`` takes and returns numpy arrays.

``tilegrind.pallas`` turns Pallas kernels into Tilegrind modules and cases; it is the only part that
needs JAX, and is imported on demand.
"""

__version__ = "0.1.0"

_RUNTIME = ("Case", "Error", "Finding", "Module", "Param", "Problem", "Run", "Suppressed", "Suppression", "Suppressions",
            "load", "loads", "open_case", "read_arrays", "schema", "version", "write_arrays")
__all__ = list(_RUNTIME)


def __getattr__(name):
    """Loads the C library on first use, as exporting kernels does not need it."""
    if name not in _RUNTIME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import runtime

    return getattr(runtime, name)
