"""Physical runs of the acceptance table's kernels, and of products by tensor cores, against logical ones: a part of ./bootstrap
layouts.

Each block of an input or output, and each scratch, gets a layout of block_layouts.py: the rows of a kernel's table are combinations
of one for each.  A physical run, with blocks and scratch held so, must give the bits of the logical run: on the interpreter, in
order sequential and shuffled, and as PTX in the emulator.  Products run as PTX of profile fast as well, where large ones are
mma.sync: there a physical run must give the bits of the logical one of that profile.

Where there are no more than --most combinations, all of them run; else some in which every two layouts of two blocks occur
together (covering.py), and then no op may take more than two blocks.  The table counts the pairs in what has run.  With --sample only the first ones run.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TILEGRIND_LIBRARY", str(ROOT / "build" / "libtilegrind.so"))

from conformance.acceptance_cases import Case, all_cases  # noqa: E402
from conformance.acceptance_kernels import KERNELS  # noqa: E402
from conformance.mma_kernels import PRODUCTS, Product  # noqa: E402
from conformance.block_layouts import Block, Transforms, blocks_of, layouts_of, most_together, with_layouts  # noqa: E402
from conformance.covering import Covered, count_pairs, picks_of  # noqa: E402
from tilegrind import runtime  # noqa: E402
from tilegrind.errors import Error  # noqa: E402

ORDERS = ("sequential", "shuffled:7")
PROFILES = ("reference", "fast")  # of products, as PTX


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

@dataclass(frozen=True)
class Effort:
    """most      combinations of a kernel's layouts up to which all run
    emulated  how many of them run as PTX as well
    sample    how many run at all; None: all, or those that cover the pairs"""

    most: int = 256
    emulated: int = 32
    sample: int | None = None


Choice = tuple[Transforms, str]


@dataclass
class Row:
    """What came of a kernel.  `equal` and `different` count runs, `pairs` of `of_pairs` two layouts of two blocks."""

    label: str
    blocks: int = 0
    layouts: int = 0
    run: int = 0
    of: int = 0
    pairs: int = 0
    of_pairs: int = 0
    together: int = 0  # the most blocks that an op takes
    equal: int = 0
    refused: int = 0
    different: list[str] = field(default_factory=list)
    illegal: dict[str, list[str]] = field(default_factory=dict)  # params by the reason

    @property
    def is_covered(self) -> bool:
        """Whether all combinations ran, or all pairs, which is enough where no op takes more than two blocks."""
        return self.run == self.of or (self.pairs == self.of_pairs and self.together <= 2)

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


def choices_of(kernel: Kernel, row: Row) -> dict[str, list[Choice]]:
    """The layouts of each block that can have any; tells the row of the others."""
    choices = {}
    for block in blocks_of(kernel.module["kernels"][0]):
        if why := kernel.why_not(block):
            row.illegal.setdefault(why, []).append(block.param)
        else:
            choices[block.param] = list(layouts_of(block.shape, block.width))
    return choices


def combinations(choices: Mapping[str, Sequence[Choice]], effort: Effort, covered: Covered) -> Iterator[dict[str, Choice]]:
    """A layout for each block, again and again; `covered` is told of those."""
    picks = picks_of(list(map(len, choices.values())), effort.most) if choices else ()
    for numbers in itertools.islice(picks, effort.sample):
        covered.add(numbers)
        yield {param: layouts[number] for (param, layouts), number in zip(choices.items(), numbers)}


def examine_kernel(kernel: Kernel, effort: Effort, profiles: Sequence[str] = ("reference",)) -> Row:
    """All runs of a kernel; those as PTX in these profiles."""
    row, covered = Row(kernel.label), Covered()
    choices = choices_of(kernel, row)
    counts = list(map(len, choices.values()))
    row.blocks, row.layouts, row.of, row.of_pairs = len(counts), sum(counts), math.prod(counts), count_pairs(counts)
    row.together = most_together(kernel.module["kernels"][0])
    wanted = kernel.run({}, order="sequential")
    wanted_of = {profile: kernel.run({}, backend="emulator", profile=profile) for profile in profiles if profile != "reference"}
    for picked in combinations(choices, effort, covered):
        for order in ORDERS:
            row.compare(kernel, wanted, picked, order=order)
        for profile in profiles if row.run < effort.emulated else ():
            row.compare(kernel, wanted_of.get(profile, wanted), picked, backend="emulator", profile=profile)
        row.run += 1
    row.pairs = covered.count
    return row


# ---- the table ----

def line(*cells: Any) -> str:
    name, blocks, layouts, combinations_run, pairs, equal, different, refused, illegal = cells
    return (f"{name:52} {blocks:>6}  {layouts:>7}  {combinations_run:>19}  {pairs:>14}  {equal:>6}  {different:>9}  {refused:>7}  "
            f"{illegal}").rstrip()


def show(row: Row) -> None:
    run = f"{row.run} of {row.of}" if row.of < 10 ** 9 else f"{row.run} of {row.of:.1e}"
    pairs = f"all {row.of_pairs}" if row.pairs == row.of_pairs else f"{row.pairs} of {row.of_pairs}"
    illegal = "; ".join(f"{', '.join(params)}: {why}" for why, params in row.illegal.items())
    print(line(row.label, row.blocks, row.layouts, run, pairs, row.equal, len(row.different), row.refused, illegal), flush=True)
    if row.together > 2 and row.run < row.of:
        print(f"    an op takes {row.together} blocks: pairs are not enough")
    for problem in row.different[:3]:
        print(f"    {problem}")


def examine(one: Case | Product, effort: Effort) -> Row:
    if isinstance(one, Product):
        return examine_kernel(Kernel.of_product(one), effort, PROFILES)
    return examine_kernel(Kernel.of(one), effort)


def summary(rows: Sequence[Row], wall: float) -> str:
    equal, different = sum(row.equal for row in rows), sum(len(row.different) for row in rows)
    return (f"{len(rows)} kernels, {sum(row.layouts for row in rows)} layouts of blocks, {sum(row.run for row in rows)} combinations "
            f"with {sum(row.pairs for row in rows)} of {sum(row.of_pairs for row in rows)} pairs; "
            f"{sum(row.run == row.of for row in rows)} kernels in all their combinations, {sum(row.pairs == row.of_pairs for row in rows)} "
            f"in all pairs; {equal + different} runs in {wall:.0f} s: {equal} equal, {different} different")


def show_all(cases: Sequence[Case | Product], effort: Effort, jobs: int) -> bool:
    """Prints the rows as they are ready; returns whether all are equal and, without a sample, all pairs covered."""
    start = time.monotonic()
    print(f"\nphysical runs against logical ones: orders {' and '.join(ORDERS)} on the interpreter, and as PTX in the emulator\n")
    print(line("kernel", "blocks", "layouts", "combinations", "pairs", "equal", "different", "refused", "not legal because"))
    with ThreadPoolExecutor(jobs) as pool:
        rows = []
        for row in pool.map(lambda case: examine(case, effort), cases):
            show(row)
            rows.append(row)
    print(f"\n{summary(rows, time.monotonic() - start)}")
    return all(not row.different and (row.is_covered or effort.sample is not None) for row in rows)


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("kernel", nargs="*", help="the kernels to examine; all if none is given")
    parser.add_argument("--most", type=int, default=Effort.most,
                        help=f"combinations of layouts per kernel up to which all run (default {Effort.most}); of more, those that "
                        "cover all pairs, and as many at least")
    parser.add_argument("--sample", type=int, help="run only so many per kernel, whatever they cover")
    parser.add_argument("--emulated", type=int, default=Effort.emulated,
                        help=f"how many of them run as PTX as well (default {Effort.emulated})")
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
    return 0 if show_all(cases, Effort(options.most, options.emulated, options.sample), options.jobs) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
