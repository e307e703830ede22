"""The class by which Triton launches kernels in Tilegrind."""

from triton.backends.driver import DriverBase as _Base

from . import guard

Driver = guard.class_or_stand_in("tilegrind.triton.backend.driver", "TilegrindDriver", _Base, "is_active")
del _Base
