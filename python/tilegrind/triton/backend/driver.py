"""What Triton asks of a device: properties, and launches."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from typing import Any, Callable

from triton.backends.driver import DriverBase as _Base

from . import target
from .target import MULTIPROCESSORS, NAME

_PROPERTIES = {"max_shared_mem": 1 << 30, "multiprocessor_count": MULTIPROCESSORS, "max_num_regs": 65536, "warpSize": 32, "sm_clock_rate": 1,
               "mem_clock_rate": 1, "mem_bus_width": 1}


@functools.lru_cache(maxsize=1024)
def _loaded(name: str, kernel: bytes) -> Any:
    """A kernel, for which Triton may ask before each launch."""
    from ..running.kernels import CompiledKernel

    return CompiledKernel(name, kernel.decode())


class Utilities:
    """What Triton calls `utils`: a kernel's binary is the text of its TTIR."""

    @staticmethod
    def get_device_properties(device: Any) -> dict[str, int]:
        return dict(_PROPERTIES)

    @staticmethod
    def load_binary(name: str, kernel: bytes, shared: int, device: Any) -> tuple[Any, Any, int, int, int]:
        """The kernel as function; registers, spills and threads are plausible numbers that no program divides by 0.  There is no
        module: Triton would give it back to whichever device is active then, which need not be this one any more."""
        return None, _loaded(name, kernel), 32, 0, 1024

    @staticmethod
    def unload_module(module: Any) -> None:
        """There is none."""


class Launcher:
    """Runs a kernel, with the arguments that Triton has bound."""

    def __init__(self, source: Any, metadata: Any) -> None:
        self._signature = source.signature
        self._threads = metadata.num_warps * metadata.warp_size * metadata.num_ctas
        self._made_of = source, metadata

    def __call__(self, grid_x: int, grid_y: int, grid_z: int, stream: Any, function: Any, metadata: Any, launch_metadata: Any,
                 enter: Callable[[Any], None] | None, leave: Callable[[Any], None] | None, *arguments: Any) -> None:
        if enter is not None:
            enter(launch_metadata)
        with _plain_torch():
            function.launch((grid_z, grid_y, grid_x), self._threads, self._signature, arguments, self._made_of)
        if leave is not None:
            leave(launch_metadata)


def _mapping() -> Any:
    """The module that makes tensors seem to be on a GPU, where it does; without torch it is not there."""
    mapping = sys.modules.get("tilegrind.triton.running.cuda_as_cpu")
    return mapping if mapping is not None and mapping.is_active() else None


def _plain_torch() -> Any:
    """A context in which torch says where tensors are."""
    mapping = _mapping()
    return contextlib.nullcontext() if mapping is None else mapping.plain()


class TilegrindDriver(_Base):
    launcher_cls = Launcher

    def __init__(self) -> None:
        self.utils = Utilities()
        if self.is_active():  # else activation.py does it, and undoes it
            from . import texts

            texts.offer()

    @classmethod
    def is_active(cls) -> bool:
        """Only when it is asked for: two active drivers are an error of Triton's."""
        return os.environ.get("TILEGRIND") == "1"

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_current_target(self) -> Any:
        return target.presented()

    def get_current_device(self) -> str:
        """A name that is no number of a GPU; for each target another one, since Triton keeps kernels by it."""
        now = target.presented()
        return NAME if now == target.CPU else f"{now.backend}:{now.arch}"

    def set_current_device(self, device: Any) -> None:
        """There is one."""

    def get_current_stream(self, device: Any = None) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device(NAME) if _mapping() is None else torch.device("cuda", 0)

    def get_device_interface(self) -> Any:
        from .timing import DeviceInterface

        return DeviceInterface

    def get_benchmarker(self) -> Callable[..., Any]:
        from .timing import benchmark

        return benchmark

    def get_empty_cache_for_benchmark(self) -> None:
        """There is no cache to clear between runs."""

    def clear_cache(self, cache: Any) -> None:
        """As above."""
