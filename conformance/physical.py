"""Physical runs of the acceptance table's kernels, and of products by tensor cores, against logical ones: a part of ./bootstrap
layouts.

Each block of an input or output, and each scratch, gets a layout of block_layouts.py: the rows of a kernel's table are combinations
of one for each.  A physical run, with blocks and scratch held so, must give the bits of the logical run: on the interpreter, in
order sequential and shuffled, and as PTX in the emulator.  Products run as PTX of profile fast as well, where large ones are
mma.sync: there a physical run must give the bits of the logical one of that profile.

Every layout of every block occurs.  Where there are no more than --most combinations, all of them run; else those in which all
blocks change their layouts in turn, and then some that a seed draws.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator, Sequence

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TILEGRIND_LIBRARY", str(ROOT / "build" / "libtilegrind.so"))

from conformance.acceptance_cases import Case, all_cases  # noqa: E402
from conformance.acceptance_kernels import KERNELS  # noqa: E402
from conformance.mma_kernels import PRODUCTS, Product  # noqa: E402
from conformance.block_layouts import Block, Transforms, blocks_of, layouts_of, with_layouts  # noqa: E402
from tilegrind import runtime  # noqa: E402
from tilegrind.errors import Error  # noqa: E402

ORDERS = ("sequential", "shuffled:7")
PROFILES = ("reference", "fast")  # of products, as PTX
SEED = 1


# ---- kernels ----

@dataclass
class Kernel:
    """A case, ready to run with layouts."""

    label: str
    module: dict[str, Any]
    inputs: dict[str, np.ndarray]
    grid: Sequence[int]

    @classmethod
    def of(cls, case: Case) -> Kernel:
        module = json.loads((case.folder / "kernel.json").read_text())
        grid = json.loads((case.folder / "case.json").read_text()).get("dynamic_grid", [])
        dtypes = {param.name: param.dtype for param in runtime.loads(json.dumps(module)).params()}
        inputs = {name: array.view(dtypes[name]) if array.dtype.kind == "V" else array  # numpy has no bf16
                  for name, array in case.arrays("inputs.npz").items()}
        return cls(case.label, module, inputs, grid)

    @classmethod
    def of_product(cls, product: Product) -> Kernel:
        return cls(str(product), product.module(), product.inputs(), ())

    def run(self, held: dict[str, str], **options: str) -> dict[str, bytes]:
        """The bits of its outputs, with layouts `held` of its params."""
        module = runtime.loads(json.dumps(with_layouts(self.module, held)))
        outputs = module.run(self.inputs, grid=self.grid, **options).outputs
        return {name: array.tobytes() for name, array in outputs.items()}

    def why_not(self, block: Block) -> str | None:
        """Why the block cannot have a layout, or None."""
        rows = Transforms().layout(block.shape, block.width)
        try:
            self.run({block.param: rows}, layouts="physical")
        except Error as error:
            return str(error).rpartition(": ")[2]
        return None


# ---- combinations ----

Choice = tuple[Transforms, str]


def combinations(choices: Sequence[Sequence[Choice]], most: int) -> Iterator[tuple[Choice, ...]]:
    """Up to `most` different ones: all, or first those in which each choice occurs."""
    count = math.prod(map(len, choices))
    if count <= most:
        yield from itertools.product(*choices)
        return
    dice, seen = random.Random(SEED), set()
    turns = [tuple((turn + 7 * i) % len(choice) for i, choice in enumerate(choices)) for turn in range(max(map(len, choices)))]
    dice.shuffle(turns)
    drawn = (tuple(dice.randrange(len(choice)) for choice in choices) for _ in itertools.count())
    for picks in itertools.chain(turns, drawn):
        if len(seen) == most:
            return
        if picks not in seen:
            seen.add(picks)
            yield tuple(choice[pick] for choice, pick in zip(choices, picks))


@dataclass
class Row:
    """What came of a kernel.  `equal` and `different` count runs."""

    label: str
    blocks: int = 0
    layouts: int = 0
    run: int = 0
    of: int = 0
    equal: int = 0
    refused: int = 0
    different: list[str] = field(default_factory=list)
    illegal: dict[str, list[str]] = field(default_factory=dict)  # params by the reason

    def compare(self, kernel: Kernel, wanted: dict[str, bytes], picked: dict[str, Choice], **options: str) -> None:
        held = {param: text for param, (_, text) in picked.items()}
        try:
            bits = kernel.run(held, layouts="physical", **options)
            problem = "" if bits == wanted else ", ".join(name for name in wanted if bits[name] != wanted[name])
        except Error as error:
            if options.get("backend") and "does not support" in str(error):
                self.refused += 1
                return
            problem = str(error)
        self.equal += not problem
        if problem:
            blocks = ", ".join(f"{param} {transforms}" for param, (transforms, _) in picked.items())
            self.different.append(f"{' '.join(options.values())}: {problem}; {blocks}")


def examine_kernel(kernel: Kernel, most: int, emulated: int, profiles: Sequence[str] = ("reference",)) -> Row:
    """All runs of a kernel, the first `emulated` combinations as PTX of these profiles as well."""
    row, choices = Row(kernel.label), {}
    for block in blocks_of(kernel.module["kernels"][0]):
        if why := kernel.why_not(block):
            row.illegal.setdefault(why, []).append(block.param)
        else:
            choices[block.param] = list(layouts_of(block.shape, block.width))
    row.blocks, row.layouts = len(choices), sum(map(len, choices.values()))
    row.of = math.prod(map(len, choices.values()))
    wanted = kernel.run({}, order="sequential")
    wanted_of = {profile: kernel.run({}, backend="emulator", profile=profile) for profile in profiles if profile != "reference"}
    for number, picks in enumerate(combinations(list(choices.values()), most) if choices else ()):
        row.run += 1
        picked = dict(zip(choices, picks))
        for order in ORDERS:
            row.compare(kernel, wanted, picked, order=order)
        for profile in profiles if number < emulated else ():
            row.compare(kernel, wanted_of.get(profile, wanted), picked, backend="emulator", profile=profile)
    return row


# ---- the table ----

def line(*cells: Any) -> str:
    name, blocks, layouts, combinations_run, equal, different, refused, illegal = cells
    return (f"{name:52} {blocks:>6}  {layouts:>7}  {combinations_run:>22}  {equal:>6}  {different:>9}  {refused:>7}  "
            f"{illegal}").rstrip()


def show(row: Row) -> None:
    run = f"{row.run} of {row.of}" if row.of < 10 ** 9 else f"{row.run} of {row.of:.1e}"
    illegal = "; ".join(f"{', '.join(params)}: {why}" for why, params in row.illegal.items())
    print(line(row.label, row.blocks, row.layouts, run, row.equal, len(row.different), row.refused, illegal), flush=True)
    for problem in row.different[:3]:
        print(f"    {problem}")


def examine(one: Case | Product, most: int, emulated: int) -> Row:
    if isinstance(one, Product):
        return examine_kernel(Kernel.of_product(one), most, emulated, PROFILES)
    return examine_kernel(Kernel.of(one), most, emulated)


def show_all(cases: Sequence[Case | Product], most: int, emulated: int, jobs: int) -> bool:
    """Prints the rows as they are ready; returns whether all are equal."""
    start = time.monotonic()
    print(f"\nphysical runs against logical ones: orders {' and '.join(ORDERS)} on the interpreter, and as PTX in the emulator\n")
    print(line("kernel", "blocks", "layouts", "combinations", "equal", "different", "refused", "not legal because"))
    with ThreadPoolExecutor(jobs) as pool:
        rows = []
        for row in pool.map(lambda case: examine(case, most, emulated), cases):
            show(row)
            rows.append(row)
    equal, different = sum(row.equal for row in rows), sum(len(row.different) for row in rows)
    print(f"\n{len(rows)} kernels, {sum(row.layouts for row in rows)} layouts of blocks, {sum(row.run for row in rows)} combinations, "
          f"{equal + different} runs in {time.monotonic() - start:.0f} s: {equal} equal, {different} different")
    return different == 0


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("kernel", nargs="*", help="the kernels to examine; all if none is given")
    parser.add_argument("--most", type=int, default=256, help="combinations of layouts per kernel (default 256)")
    parser.add_argument("--emulated", type=int, default=32, help="how many of them run as PTX as well (default 32)")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "accept", help="folder of the acceptance table's cases")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("TG_JOBS", 0)) or os.cpu_count())
    options = parser.parse_args(argv)
    unknown = [name for name in options.kernel if name not in KERNELS]
    if unknown:
        parser.error(f"no such kernel: {', '.join(unknown)}")
    return options


def main(argv: Sequence[str]) -> int:
    options = arguments(argv)
    cases = all_cases(options.work, options.kernel or list(KERNELS)) + ([] if options.kernel else PRODUCTS)
    return 0 if show_all(cases, options.most, options.emulated, options.jobs) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
