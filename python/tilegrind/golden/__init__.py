"""Golden checks that can fail (docs/golden.md).

>>> golden = tilegrind.golden.Goldens("goldens")
>>> golden.record("softmax", case="cases/softmax")
>>> golden.check("softmax", my_softmax)
"""

_HERE = {"BadBundle": "folder", "Refused": "folder", "Goldens": "goldens", "Failed": "goldens", "NotRecorded": "recording",
         "Subject": "subject"}
__all__ = list(_HERE)


def __getattr__(name):
    """Loads what is used: `lint` needs neither numpy nor the C library."""
    if name not in _HERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f".{_HERE[name]}", __name__), name)
