"""The class by which Triton compiles for Tilegrind."""

from triton.backends.compiler import BaseBackend as _Base

from . import guard

Compiler = guard.class_or_stand_in("tilegrind.triton.backend.compiler", "TilegrindBackend", _Base, "supports_target")
del _Base
