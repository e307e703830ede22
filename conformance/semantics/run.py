"""The sentences about what each operation means, and an example for each of them.

    run.py check [--cli FILE] [--isa ISA]...   every sentence has an example and every example holds
    run.py cases FOLDER                        writes the examples as cases
    run.py list                                the sentences, and those without an example

Exit code 0 if all is well, 1 if a sentence has no example or an example fails, 2 for wrong usage.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Iterator, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from conformance.semantics import cases, statements  # noqa: E402
from conformance.semantics.examples import Example  # noqa: E402
from conformance.semantics.statements import Statement  # noqa: E402


def numbered(found: Sequence[Statement]) -> Iterator[tuple[str, Statement, Example]]:
    """(name of the case, statement, example) of each example."""
    counts: dict[str, int] = {}
    for statement in found:
        for example in statement.examples:
            stem = f"{example.op}-{statement.topic.replace(' ', '-')}"
            if statement.dialect != "xla":
                stem += f"-{statement.dialect}"
            counts[stem] = counts.get(stem, 0) + 1
            yield f"{stem}-{counts[stem]}", statement, example


def write_all(found: Sequence[Statement], folder: Path) -> list[tuple[Path, Example]]:
    written = []
    for name, statement, example in numbered(found):
        why = statement.says or f"what {example.op} gives"
        cases.write(example, statement.dialect, why, folder / name)
        written.append((folder / name, example))
    return written


def run(command: str, isa: str | None, folder: Path, example: Example) -> str | None:
    """The error in the run of a case, or None.  All checks are on: the example states their findings."""
    environment = dict(os.environ, **({"TILEGRIND_ISA": isa} if isa else {}))
    as_json = ["--json"] if example.is_about_undefined else []
    done = subprocess.run([command, "run", str(folder), "--check", "all", *as_json], capture_output=True, text=True,
                          env=environment)
    if as_json and done.returncode in (0, 1):
        return undefined_problem(json.loads(done.stdout)["runs"][0]["findings"], example)
    if example.prints is not None and example.prints + "\n" not in done.stdout:
        return f"{example.text}\n    prints {done.stdout!r}"
    if done.returncode != 0:
        said = "\n    ".join((done.stdout + done.stderr).strip().splitlines())
        return f"{example.text}\n    {said}"
    return None


def undefined_problem(findings: list[dict[str, Any]], example: Example) -> str | None:
    """The error in the elements reported as undefined, or None."""
    for k, tensor in enumerate(example.results):
        told = [finding for finding in findings
                if finding["kind"] == "undefined-output" and finding["param"] == f"out{k}"]
        elements = [range(one["elements"][0], one["elements"][1] + 1) for one in told]
        if any(len(run) != one["count"] for run, one in zip(elements, told)):
            return f"{example.text}\n    the undefined elements of one origin must be neighbours"
        found = [any(i in run for run in elements) for i in range(len(tensor.undefined))]
        if found != tensor.undefined:
            return f"{example.text}\n    undefined are {[i for i, is_so in enumerate(found) if is_so]}"
    others = {finding["kind"] for finding in findings if finding["level"] != "note"} - {"undefined-output"}
    if others != set(example.findings):
        return f"{example.text}\n    findings {sorted(others)}"
    return None


def check(command: str, isas: Sequence[str | None]) -> int:
    found, problems = statements.read(statements.tables())
    problems += statements.unpinned(found) + statements.untold(found, statements.operations())
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        written = write_all(found, Path(folder))
        for isa in isas:
            results = pool.map(lambda pair, isa=isa: run(command, isa, *pair), written)
            problems += [problem for problem in results if problem]
    for problem in problems:
        print(problem)
    sentences = sum(len(statement.ops) for statement in found)
    print(f"{sentences} sentences, {len(written)} examples"
          f"{f' on {len(isas)} instruction sets' if len(isas) > 1 else ''}, "
          f"{len(problems)} problems")
    return 1 if problems else 0


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("check", "cases", "list"))
    parser.add_argument("folder", nargs="?", type=Path, help="where the cases go")
    parser.add_argument("--cli", default=os.environ.get("TILEGRIND", "build/tilegrind"),
                        help="the command; default: $TILEGRIND, else build/tilegrind")
    parser.add_argument("--isa", action="append", help="instruction set to run on; repeatable")
    options = parser.parse_args(argv)
    if (options.what == "cases") != (options.folder is not None):
        parser.error("`cases` takes a folder, the others take none")
    return options


def main(argv: Sequence[str]) -> int:
    options = arguments(argv)
    if options.what == "check":
        return check(options.cli, options.isa or [None])
    found, problems = statements.read(statements.tables())
    if options.what == "cases":
        print(f"{len(write_all(found, options.folder))} cases in {options.folder}")
    else:
        for statement in found:
            print(f"{', '.join(statement.ops)}: {statement.topic}: {statement.says or '(result)'}")
        problems += statements.unpinned(found)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
