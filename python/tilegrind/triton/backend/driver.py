"""What Triton asks of a device: properties, and launches."""

from __future__ import annotations

import os
from typing import Any, Callable

from triton.backends.driver import DriverBase as _Base

from .compiler import NAME, TARGET

_PROPERTIES = {"max_shared_mem": 1 << 30, "multiprocessor_count": 1, "max_num_regs": 65536, "warpSize": 32, "sm_clock_rate": 1,
               "mem_clock_rate": 1, "mem_bus_width": 1}


class Utilities:
    """What Triton calls `utils`: a kernel's binary is the text of its TTIR."""

    @staticmethod
    def get_device_properties(device: Any) -> dict[str, int]:
        return dict(_PROPERTIES)

    @staticmethod
    def load_binary(name: str, kernel: bytes, shared: int, device: Any) -> tuple[Any, Any, int, int, int]:
        """The kernel as module and as function; registers, spills and threads are plausible numbers that no program divides by 0."""
        from ..running.kernels import CompiledKernel

        compiled = CompiledKernel(name, kernel.decode())
        return compiled, compiled, 32, 0, 1024

    @staticmethod
    def unload_module(module: Any) -> None:
        """Python frees it."""


class Launcher:
    """Runs a kernel, with the arguments that Triton has bound."""

    def __init__(self, source: Any, metadata: Any) -> None:
        self._signature = source.signature

    def __call__(self, grid_x: int, grid_y: int, grid_z: int, stream: Any, function: Any, metadata: Any, launch_metadata: Any,
                 enter: Callable[[Any], None] | None, leave: Callable[[Any], None] | None, *arguments: Any) -> None:
        if enter is not None:
            enter(launch_metadata)
        function.launch((grid_z, grid_y, grid_x), self._signature, arguments)
        if leave is not None:
            leave(launch_metadata)


class TilegrindDriver(_Base):
    launcher_cls = Launcher

    def __init__(self) -> None:
        self.utils = Utilities()

    @classmethod
    def is_active(cls) -> bool:
        """Only when it is asked for: two active drivers are an error of Triton's."""
        return os.environ.get("TILEGRIND") == "1"

    def map_python_to_cpp_type(self, ty: str) -> str:
        return ty

    def get_current_target(self) -> Any:
        return TARGET

    def get_current_device(self) -> str:
        return NAME

    def set_current_device(self, device: Any) -> None:
        """There is one."""

    def get_current_stream(self, device: Any = None) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device(NAME)

    def get_benchmarker(self) -> Callable[..., list[float]]:
        """Times of nothing, all equal: an autotuner takes its first configuration, and runs no other."""
        return lambda call, quantiles=None, **options: [1.0] * (len(quantiles) if quantiles else 1)
