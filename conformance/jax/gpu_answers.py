"""Answers, as a machine with NVIDIA GPUs would give them, what JAX's tests of Mosaic GPU ask before they run.

Those tests skip themselves where there is no GPU of the generation that they are about.  A test is told the generation that it
is for: Hopper, or Blackwell where its name has TCGen05.  To questions for "at least" a generation the answer is yes.  What a
kernel computes does not depend on any of this.
"""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

CUDA = 13010  # the version of CUDA that these tests are told of: one with whose faults they do not bear
SMS = 132  # multiprocessors of an H100, which kernels that stay resident divide their work among
SHARED_MEMORY = 232448  # the bytes that a block may have on it
OF_MOSAIC = ("ops_test",)  # files that ask JAX's configuration whether `pallas_call` is to be Mosaic GPU's
DEVICES = {"gpu_pallas_distributed_test": 4}  # by file; others have two

GENERATIONS = {"9.0": False, "10.0": True}  # whether they have tcgen05


class Machine:
    """The GPU that the running test finds."""

    def __init__(self) -> None:
        self.test = ""

    def is_of(self, generation: str) -> bool:
        return GENERATIONS.get(generation) == ("TCGen05" in self.test)


def install(file: str) -> Machine:
    """Gives these answers, for the tests of one file, until the process ends.  Call it before a test module is imported: some ask then."""
    machine = Machine()
    jax = importlib.import_module("jax")
    jax.config.update("jax_num_cpu_devices", DEVICES.get(file, 2))
    if file in OF_MOSAIC:
        jax.config.update("jax_pallas_use_mosaic_gpu", True)
    _answer_for_devices(type(jax.devices()[0]))
    _answer_for_versions()
    _answer_for_tests(machine)
    return machine


def answer_for_memory(error_class: type[Exception]) -> None:
    """Gives an ExportError of Tilegrind (`error_class`) about too much shared memory the kind and the words of JAX's own error, which
    tests and kernels wait for: they then skip, or take other sizes."""
    says = error_class.__init__
    kind = type("TooMuchSharedMemory", (error_class, ValueError), {})

    def answered(self: Any, *given: Any, **named: Any) -> None:
        says(self, *given, **named)  # type: ignore[misc]
        if self.message.startswith("shared_memory: "):
            self.__class__, self.args = kind, (f"{self.args[0]} [Mosaic GPU kernel exceeds available shared memory]",)

    error_class.__init__ = answered  # type: ignore[method-assign]


def _answer_for_devices(device: Any) -> None:
    device.core_count = property(lambda _: SMS)
    device.shared_memory_per_block_optin = property(lambda _: SHARED_MEMORY)


def _answer_for_versions() -> None:
    versions = SimpleNamespace(cuda_runtime_get_version=lambda: CUDA, cuda_supports_multicast=lambda _: True)
    importlib.import_module("jax._src.lib").cuda_versions = versions  # type: ignore[attr-defined]


def _answer_for_tests(machine: Machine) -> None:
    support: Any = importlib.import_module("jax._src.test_util")
    support.is_device_cuda = lambda: True
    support.is_cuda_compute_capability_at_least = lambda _: True
    support.is_cuda_compute_capability_equal = machine.is_of
    support.test_device_matches = lambda kinds: bool({"cuda", "gpu"} & set(kinds))
    support.is_running_under_pytest = lambda: False
    for name in ("skip_unless_sm90a", "skip_unless_tcgen05"):
        setattr(support.CudaArchSpecificTest, name, lambda case: None)
