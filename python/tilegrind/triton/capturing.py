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
from .running.launches import Launch
from .running.session import Session, made_by


@dataclass
class Capture(Session):
    """A session that also writes cases; ``cases`` are their folders, in the order of the launches."""

    folder: Path = Path()
    limit: int | None = None
    compare: Any = "bits"
    cases: list[Path] = field(default_factory=list)
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
        save_case(folder, launch.module.to_json(), launch.inputs, grid=launch.grid,
                  settings={"expect": expectation(list(run.outputs), self.compare)}, made_by={**made_by(), "outputs": "tilegrind"})
        self.cases.append(folder)


@contextlib.contextmanager
def capture(folder: str | os.PathLike[str], limit: int | None = None, compare: str | Mapping[str, Any] = "bits", device: str = "cpu",
            capability: int | None = None, autotune: str = "first") -> Iterator[Capture]:
    """Writes a case into `folder` for each launch of a Triton kernel inside the ``with`` block, which runs in Tilegrind.

    folder   parent of a folder ``NAME-NUMBER`` for each case, which ``tilegrind run`` and ``tilegrind check`` accept; created if missing
    limit    greatest number of cases for each kernel name; None: no limit
    compare  the cases' tolerance, in the form of ``expect.compare`` (docs/case.md)
    device, capability, autotune
             as for `interpreter`

    Yields a Capture with ``cases`` and ``errors``.  Findings are warnings.  Raises OSError if `folder` cannot be created, and ExportError
    where a kernel is launched that Tilegrind does not support.
    """
    made = Capture(on_finding="warn", autotune=autotune, folder=Path(folder).absolute(), limit=limit, compare=compare)
    judge(made, "findings", device, capability)
    made.folder.mkdir(parents=True, exist_ok=True)
    with Active(made, device, capability):
        yield made
