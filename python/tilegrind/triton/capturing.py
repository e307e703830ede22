"""Writing a case for each launch of a Triton kernel: its kernel, its inputs, and its outputs."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator, Mapping

from .. import runtime
from ..case_folders import expectation, folder_name, new_folder, save_arrays, save_case
from .interpreting import Active, judge
from .ptx.case_member import save_ptx
from .ptx.compiling import NotCompared, checked_target
from .ptx.emulating import arguments_of
from .ptx.translations import Translations
from .running.launches import Launch
from .running.session import Session, made_by


@dataclass
class Capture(Session):
    """A session that also writes cases; ``cases`` are their folders, in the order of the launches, and ``without_ptx`` those in which
    Triton's PTX was to be, and why it is not."""

    folder: Path = Path()
    limit: int | None = None
    compare: Any = "bits"
    cases: list[Path] = field(default_factory=list)
    translations: Translations | None = None
    without_ptx: list[tuple[Path, Exception]] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)

    @property
    def errors(self) -> list[Exception]:
        """One error for each kernel that Tilegrind does not support."""
        return self.checked.refused

    def _executed(self, launch: Launch) -> runtime.Run:
        number = self._counts.get(launch.name, 0)
        if self.limit is not None and number >= self.limit:
            return super()._executed(launch)
        before = launch.kept()
        run = super()._executed(launch)
        self._counts[launch.name] = number + 1
        self._write(before, run)
        return run

    def _write(self, launch: Launch, run: runtime.Run) -> None:
        folder = new_folder(self.folder, folder_name(launch.name))
        save_arrays(folder / "expected.npz", list(run.outputs), list(run.outputs.values()))
        settings = {"expect": expectation(list(run.outputs), self.compare), **self._ptx(folder, launch)}
        save_case(folder, launch.module.to_json(), launch.inputs, grid=launch.grid, settings=settings,
                  made_by={**made_by(), "outputs": "tilegrind"})
        self.cases.append(folder)

    def _ptx(self, folder: Path, launch: Launch) -> dict[str, Any]:
        """What the case says of Triton's PTX, which is in the folder then."""
        if self.translations is None:
            return {}
        try:
            arguments = arguments_of(launch)
            return {"ptx": save_ptx(folder, *self.translations.of(launch.made_of), arguments, launch)}
        except (NotCompared, runtime.Error) as why:
            self.without_ptx.append((folder, why))
            return {}


@contextlib.contextmanager
def capture(folder: str | os.PathLike[str], limit: int | None = None, compare: str | Mapping[str, Any] = "bits", device: str = "cpu",
            capability: int | None = None, autotune: str = "first", ptx: int | None = None) -> Iterator[Capture]:
    """Writes a case into `folder` for each launch of a Triton kernel inside the ``with`` block, which runs in Tilegrind.

    folder   parent of a folder ``NAME-NUMBER`` for each case, which ``tilegrind run`` and ``tilegrind check`` accept; created if missing
    limit    greatest number of cases for each kernel name; None: no limit
    compare  the cases' tolerance, in the form of ``expect.compare`` (docs/case.md)
    device, capability, autotune
             as for `interpreter`
    ptx      80 or 90: each case also has the PTX that Triton makes of the kernel for sm_80 or sm_90, for
             ``tilegrind crosscheck CASE --backends cpu,triton-ptx`` (docs/triton-ptx.md)

    Yields a Capture with ``cases``, ``errors`` and ``without_ptx``.  Findings are warnings.  Raises OSError if `folder` cannot be created, and ExportError
    where a kernel is launched that Tilegrind does not support.
    """
    made = Capture(on_finding="warn", autotune=autotune, folder=Path(folder).absolute(), limit=limit, compare=compare,
                   translations=None if ptx is None else Translations(checked_target(ptx)))
    judge(made, "findings", device, capability)
    made.folder.mkdir(parents=True, exist_ok=True)
    with Active(made, device, capability):
        yield made
