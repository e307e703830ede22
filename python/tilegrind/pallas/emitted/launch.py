"""The first argument of a function that `plgpu.inline_mgpu` inserts, `ctx`: copies from shared to global memory, and waits for them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ...ir.errors import Unsupported
from .arrays import refused
from .views import NO_SWIZZLE

if TYPE_CHECKING:
    from .code import Emission


class EmittedLaunch:
    """Stands for Mosaic GPU's `LaunchContext`; what it lacks is refused by name."""

    def __init__(self, emission: Emission) -> None:
        self._emission = emission
        self._pallas = importlib.import_module("jax.experimental.pallas.mosaic_gpu")

    def __getattr__(self, name: str) -> Any:
        raise refused(f"ctx.{name}", name)

    def async_copy(self, *, src_ref: Any, dst_ref: Any, gmem_transform: Any = (), swizzle: int | None = None, **others: Any) -> None:
        """A copy of all of `src_ref`, in shared memory, to all of `dst_ref`."""
        if others:
            raise Unsupported(f"the inserted code copies with {', '.join(sorted(others))}, which has no counterpart here")
        source, destination = self._emission.view(src_ref), self._emission.view(dst_ref)
        transforms = gmem_transform if isinstance(gmem_transform, tuple) else (gmem_transform,)
        tiles = [tuple(one.tiling) for one in transforms if type(one).__name__ == "TileTransform"]
        if not self._emission.is_shared(src_ref) or self._emission.is_shared(dst_ref):
            raise Unsupported("the inserted code makes a copy that is not from shared to global memory")
        if len(tiles) != len(transforms) or tiles != ([source.tile] if source.tile else []) or source.swizzle != (swizzle or NO_SWIZZLE):
            raise Unsupported("the inserted code makes a copy with other tiles or another swizzle than its memory has")
        self._pallas.copy_smem_to_gmem(source.ref, destination.ref)

    def await_async_copy(self, allow_groups: int, await_read_only: bool = False, scope: Any = None) -> None:
        """A wait until at most `allow_groups` copies of the thread are left."""
        del scope  # which lanes go on together
        self._emission.reach()
        self._pallas.wait_smem_to_gmem(allow_groups, wait_read_only=await_read_only)
