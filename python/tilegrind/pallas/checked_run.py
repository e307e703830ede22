"""A run that libtilegrind_xla reports to a check."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping

import jax

from .. import _native, runtime, whole_file
from ..arrays import view
from ..case_folders import folder_name, new_file, new_folder, save_case
from ..suppressions import Suppressions
from ..tracing import trace_text
from .xla.target import CheckedRun


@dataclass(frozen=True)
class Run:
    """A run of a check; valid only during the call that reports it."""

    kernel: str
    programs: int
    findings: list[runtime.Finding]
    suppressed: list[runtime.Suppressed]
    told: CheckedRun

    @classmethod
    def of(cls, told: CheckedRun, known: Suppressions | None) -> Run:
        """`known` decides which findings are suppressed, and counts each use."""
        name = _native.text(_native.lib.tg_module_kernel_name(told.module, 0)) or ""
        programs = _native.lib.tg_report_stats(told.report).programs
        return cls(name, programs, *runtime.split_findings(told.report, known), told)

    def save(self, parent: Path, settings: Mapping[str, str], why: str) -> Path:
        """Writes a case into a new folder of `parent`: the kernel and its inputs.  `settings` are keys of the case, and `why` is
        its purpose."""
        arrays = runtime.arrays_at(self.told.module, self.told.data)
        roles = {param.name: param.role for param in runtime.params_of(self.told.module)}
        inputs = {name: array for name, array in arrays.items() if roles[name] != "output"}
        folder = new_folder(parent, folder_name(self.kernel))
        save_case(folder, runtime.json_of(self.told.module), inputs, grid=self.told.grid[: self.told.grid_count],
                  settings={"why": why, **settings}, made_by={"jax": jax.__version__})
        return folder

    def trace(self, parent: Path, settings: Mapping[str, str], max_steps: int) -> Path:
        """Makes the run once more, as `settings` say, and writes its timeline into a new file of `parent`."""
        module, arrays = self.told.module, runtime.arrays_at(self.told.module, self.told.data)
        views = (_native.Array * len(arrays))(*(view(name, array) for name, array in arrays.items()))
        options = _native.RunOptions(
            size=ctypes.sizeof(_native.RunOptions), dynamic_grid=self.told.grid, dynamic_grid_count=self.told.grid_count,
            max_steps=max_steps, **{name: value.encode() for name, value in settings.items()})

        def record(_device: None, limits: Any, recording: Any, errors: Any) -> int:
            status: int = _native.lib.tg_record(module, None, views, len(arrays), ctypes.byref(options), self.told.report, limits,
                                                recording, errors)
            return status

        text = trace_text(record, self.told.report, settings["order"])
        path = new_file(parent, folder_name(self.kernel))
        whole_file.write(path, text)
        return path
