"""Makes the suite of `tilegrind conform`: one archive with kernels, inputs and the results that are expected.

    suite.py -o FILE [--only PART]... [--work FOLDER]

Parts are `semantics` (the examples of docs/semantics.md), `acceptance` (the kernels of the acceptance table, captured with
JAX) and `kernels` (suite_kernels.py: kernels that carry their source, at the edges of their blocks).

Expected results are those that people wrote, where the comparison is by bits, and the reference interpreter must agree
with them; for captured kernels they are the interpreter's, and it must agree with JAX within the case's tolerance.  A
case that has a finding under any check, in any order, or that expects undefined elements, asks nothing of an
implementation and is left out.  The same sources make the same bytes.
"""

from __future__ import annotations

import argparse
import collections
import sys
import tempfile
from pathlib import Path
from typing import Iterator, Sequence

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "python")]

from conformance import suite_cases  # noqa: E402
from tilegrind import __version__  # noqa: E402
from tilegrind.conform import suite  # noqa: E402

_LARGEST = 256 << 10  # bytes of all tensors of a captured case
PARTS = ("semantics", "acceptance", "kernels")


def semantics(work: Path) -> Iterator[suite.Case]:
    from conformance.semantics import run, statements

    found, problems = statements.read(statements.tables())
    if problems:
        raise SystemExit("\n".join(problems))
    for folder, example in run.write_all(found, work / "semantics"):
        if not example.is_about_undefined and not example.findings:
            yield from suite_cases.of_folder(folder, f"semantics/{folder.name}")


def acceptance(work: Path) -> Iterator[suite.Case]:
    from conformance.acceptance_cases import all_cases
    from conformance.acceptance_kernels import KERNELS

    for case in all_cases(work, list(KERNELS)):
        if not case.kernel.findings:
            name = f"acceptance/{case.name}/{case.folder.name}"
            yield from suite_cases.small(suite_cases.of_folder(case.folder, name), _LARGEST)


def kernels(work: Path) -> Iterator[suite.Case]:
    from conformance import suite_inputs

    yield from suite_inputs.cases()


def summary(cases: Sequence[suite.Case]) -> str:
    levels = collections.Counter(case.level for case in cases)
    twins = sum(case.twin is not None for case in cases)
    return (f"{len(cases)} cases ({', '.join(f'{level} {count}' for level, count in sorted(levels.items()))}), "
            f"{len({case.module for case in cases})} kernels, {twins} with a second set of inputs")


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", dest="output", type=Path, required=True, help="the archive")
    parser.add_argument("--only", choices=PARTS, action="append", help="parts to put in; default: all")
    parser.add_argument("--work", type=Path, help="where captured kernels are kept from run to run; default: nowhere")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as scratch:
        made = [case for part in options.only or PARTS for case in globals()[part](options.work or Path(scratch))]
    sources = {name: (HERE / name).read_bytes() for name in {case.source["path"] for case in made if case.source}}
    suite.save(options.output, __version__, made, sources)
    digest = suite.load(options.output).digest
    print(f"{options.output}: {summary(made)}, {options.output.stat().st_size} bytes, digest {digest}")
    for line in suite_cases.left_out():
        print(line, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
