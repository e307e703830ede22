"""Launches of Triton's own PTX, recorded where they ran in the emulator, and run again on a GPU.

    python -m conformance.gpu.launches FOLDER [--target 90] [--random N]   records; needs Triton

A record is an .npz file: the text, the extents, the arguments as they were and the arrays as the emulator left them."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np

from tilegrind import emulator
from tilegrind.comparison import compare

Record = dict[str, np.ndarray]


@contextmanager
def recorded(keep: Callable[[Record], None]) -> Iterator[None]:
    """Within, each launch in the emulator that does not trap goes to `keep`."""
    load, run = emulator.load, emulator.Module.run

    def loading(source: str, name: str | None = None) -> emulator.Module:
        module = load(source, name)
        module.source = source  # type: ignore[attr-defined]
        return module

    def running(self: emulator.Module, args: Any, *, entry: int = 0, **options: Any) -> emulator.Run:
        before = [np.array(_held(one)) for one in args]
        result = run(self, args, entry=entry, **options)
        if not result.trap:
            keep(_record(self.source, self.entries()[entry], args, before, result, options))  # type: ignore[attr-defined]
        return result

    emulator.load, emulator.Module.run = loading, running  # type: ignore[method-assign]
    try:
        yield
    finally:
        emulator.load, emulator.Module.run = load, run  # type: ignore[method-assign]


def _held(argument: Any) -> Any:
    """The array or number of an argument."""
    return argument.array if isinstance(argument, emulator.Pointer) else argument


def _record(source: str, entry: str, args: Any, before: list[np.ndarray], result: emulator.Run, options: dict[str, Any]) -> Record:
    held = [_held(one) for one in args]
    memories = [id(one) if isinstance(one, np.ndarray) else None for one in held]
    about = {"text": source, "entry": entry, "grid": [int(one) for one in options.get("grid", (1,))],
             "block": [int(one) for one in options.get("block", (1,))],
             "shared_bytes": int(options.get("shared_bytes", 0)), "inexact": result.inexact, "dtypes": [str(one.dtype) for one in before],
             "memory_of": [memories.index(one) if one is not None else -1 for one in memories],
             "offsets": [one.offset if isinstance(one, emulator.Pointer) else 0 for one in args]}
    record: Record = {"about": np.array(json.dumps(about))}
    for number, (was, now) in enumerate(zip(before, held)):
        record[f"before{number}"] = _plain(was)
        if isinstance(now, np.ndarray):
            record[f"after{number}"] = _plain(np.array(now))
    return record


def _plain(array: np.ndarray) -> np.ndarray:
    """The same bits as unsigned integers: files know no bf16."""
    return np.ascontiguousarray(array).view(f"u{array.itemsize}")


def replay(device: Any, file: Path) -> dict[str, Any]:
    """Runs a record on the device; how many elements of each array differ from the emulator's, and by how much."""
    with np.load(file) as record:
        about = json.loads(str(record["about"]))
        memory_of, kinds = about["memory_of"], [np.dtype(one) for one in about["dtypes"]]
        arrays = {number: record[f"before{number}"] for number, memory in enumerate(memory_of) if memory == number}
        arguments = [emulator.Pointer(arrays[memory], offset) if memory >= 0 else record[f"before{number}"].reshape(())[()]
                     for number, (memory, offset) in enumerate(zip(memory_of, about["offsets"]))]
        module = device.load(about["text"])
        module.run(about["entry"], arguments, grid=about["grid"], block=about["block"], shared_bytes=about["shared_bytes"])
        differences = [_difference(number, got.view(kinds[number]), record[f"after{number}"].view(kinds[number])) for number, got in arrays.items()]
    return {"record": file.stem, "inexact": about["inexact"], "differences": [one for one in differences if one]}


def _difference(number: int, got: np.ndarray, want: np.ndarray) -> dict[str, Any] | None:
    found = compare(got, want)
    if found.worst is None:
        return None
    got, want = got.reshape(-1), want.reshape(-1)
    return {"array": number, "dtype": str(got.dtype), "elements": found.count, "differing": found.differing, "at": found.worst,
            "ulps": found.worst_ulps, "got": float(got[found.worst]), "want": float(want[found.worst])}


def run(device: Any, folder: Path) -> list[dict[str, Any]]:
    """All records of a folder: those that are equal are told as well."""
    found = []
    for file in sorted(folder.glob("*.npz")):
        try:
            found.append(replay(device, file))
        except Exception as error:  # the rest is of use
            found.append({"record": file.stem, "failed": str(error)[:500]})
    return found


def _record_cases(folder: Path, target: int) -> None:
    from conformance.triton import ptx

    for case in ptx.CASES:
        if target >= case.least:
            with recorded(lambda record, name=case.name: np.savez_compressed(folder / f"sm_{target}-{name}.npz", **record)):
                ptx.run(case, target)


def _record_random(folder: Path, target: int, count: int) -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "triton"))
    import random_programs
    from tilegrind.triton.crosschecking import crosscheck

    with tempfile.TemporaryDirectory() as sources:
        for seed, kernel in random_programs.modules(list(range(count)), sources):
            arrays = random_programs.arrays_of(seed)
            made = random_programs.program(seed)
            arguments = [random_programs.Array(array) for array in arrays.values()]
            try:
                with recorded(lambda record, name=seed: np.savez_compressed(folder / f"random-{name}.npz", **record)):
                    done = crosscheck(kernel, *arguments, *made.numbers, grid=made.grid, target=target)
            except Exception as error:  # noqa: BLE001  (Triton cannot compile it, or the emulator lacks a form)
                print(f"random-{seed}: {type(error).__name__}: {str(error)[:200]}")
                continue
            if not done.equal:
                print(f"random-{seed}: {str(done)[:600]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", type=int, default=90)
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N random programs instead of the kernels of conformance/triton")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.random:
        _record_random(options.folder, options.target, options.random)
    else:
        _record_cases(options.folder, options.target)
    print(f"{len(list(options.folder.glob('*.npz')))} records")
    return 0


if __name__ == "__main__":
    sys.exit(main())
