"""Puts all toys into one copy of the tree, builds it, and tries each of them.

    try_toys.py [--work FOLDER]   FOLDER is for the copy and its build, a temporary one if not given

Needs numpy and ml_dtypes.  Exit code 1 where a list of docs/adding.md does not bring its toy to run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from adding import lists  # noqa: E402


MOST_LINES = 40  # of what a command that fails has said


class Failed(Exception):
    """What a toy does instead of what it should."""


class Copy:
    """The tree with the toys in it.  `command` and `library` are built."""

    def __init__(self, work: Path, toys: list[lists.Toy]):
        self.tree, self.build = work / "tree", work / "tree" / "build"
        self.command, self.library = self.build / "tilegrind", self.build / "libtilegrind.so"
        self.environment = {**os.environ, "PYTHONPATH": str(self.tree / "python"), "TILEGRIND": str(self.command),
                            "TILEGRIND_LIBRARY": str(self.library),
                            # What others have compiled is found in the compiler cache, wherever the copy lies.
                            "CCACHE_BASEDIR": str(self.tree), "CCACHE_NOHASHDIR": "1"}
        self._copy()
        for toy in toys:
            lists.add(toy, self.tree)

    def _copy(self) -> None:
        listed = self.run("git", "ls-files", "-z", "-co", "--exclude-standard", at=lists.ROOT).stdout
        for name in filter(None, listed.split("\0")):
            if (lists.ROOT / name).is_file():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(lists.ROOT / name, self.tree / name)
        self.run("git", "init", "-q")  # tools/structure.py asks git for the files

    def run(self, *command: object, at: Path | None = None, code: int = 0) -> subprocess.CompletedProcess:
        """Raises Failed for another exit code."""
        words = [str(word) for word in command]
        done = subprocess.run(words, cwd=at or self.tree, capture_output=True, text=True, env=self.environment)
        if done.returncode != code:
            said = "\n".join((done.stdout + done.stderr).splitlines()[-MOST_LINES:])
            raise Failed(f"{' '.join(words)}: exit {done.returncode}, not {code}\n{said}")
        return done

    def tilegrind(self, *arguments: object, code: int = 0) -> subprocess.CompletedProcess:
        return self.run(self.command, *arguments, code=code)

    def generate(self, toys: list[lists.Toy]) -> None:
        for script in dict.fromkeys(script for toy in toys for script in toy.generators):
            self.run(sys.executable, script)

    def make(self) -> None:
        launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        jobs = os.environ.get("TG_JOBS") or os.cpu_count() or 1
        self.run("cmake", "--preset", "release", "-DCMAKE_C_COMPILER=gcc", "-DTG_WERROR=ON", "-DTG_TESTS=OFF", *launcher)
        self.run("cmake", "--build", self.build, "--parallel", jobs, "--target", "tilegrind_cli", "tilegrind_shared")


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise Failed(what)


def findings_of(copy: Copy, *arguments: object) -> list[str]:
    """The kinds of findings of a run; other exit codes than 0 and 1 are failures."""
    done = subprocess.run([str(word) for word in (copy.command, "run", *arguments, "--json")], capture_output=True, text=True,
                          env=copy.environment)
    expect(done.returncode in (0, 1), f"run {arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return sorted({finding["kind"] for run in json.loads(done.stdout)["runs"] for finding in run["findings"]})


def variant(copy: Copy, of: str, change) -> Path:
    """A case like that of a toy, whose kernel `change` has changed, and that expects nothing."""
    folder = copy.build / f"{of}_variant"
    folder.mkdir(exist_ok=True)
    module = json.loads((lists.HERE / of / "kernel.json").read_text(encoding="utf-8"))
    change(module["kernels"][0])
    (folder / "kernel.json").write_text(json.dumps(module), encoding="utf-8")
    case = json.loads((lists.HERE / of / "case.json").read_text(encoding="utf-8"))
    case.pop("expect")
    case["orders"] = ["sequential"]
    (folder / "case.json").write_text(json.dumps(case), encoding="utf-8")
    return folder


def runs_everywhere(copy: Copy, name: str) -> None:
    """What the case of the toy expects comes out of the interpreter, with nothing to find, and of its PTX in the emulator."""
    case = lists.HERE / name
    found = [kind for kind in findings_of(copy, case, "--check", "all") if kind != "program-independent"]
    expect(not found, f"{name}: findings {found}")
    copy.tilegrind("run", case)
    told = copy.tilegrind("crosscheck", case).stdout
    expect(re.search(r"\b1 equal, 0 different, 0 refused, 0 failed", told) is not None, told)


# ---- the toys ----


def elementwise(copy: Copy) -> None:
    runs_everywhere(copy, "elementwise")


def memory(copy: Copy) -> None:
    runs_everywhere(copy, "memory")

    def look(change) -> list[str]:
        return findings_of(copy, variant(copy, "memory", change), "--check", "all")

    def without_clear(kernel):
        del kernel["body"]["ops"][1]

    def of_all_programs(kernel):
        kernel["params"][1] = {"name": "o", "role": "output", "type": "f32[8]"}

    def beyond(kernel):
        kernel["body"]["ops"][-1]["index"] = [["slice", 1, 5, 2]]

    expect("undefined-output" in look(without_clear), "memory: what is not cleared is not undefined")
    expect("race-same-value" in look(of_all_programs) or "race" in look(of_all_programs), "memory: no race is found")
    expect("access-outside-ref" in look(beyond), "memory: clear may reach outside its ref")


def dtype(copy: Copy) -> None:
    runs_everywhere(copy, "dtype")
    copy.run(sys.executable, lists.HERE / "dtype" / "use.py", lists.HERE / "dtype" / "kernel.json")


def detector(copy: Copy) -> None:
    case = lists.HERE / "detector"
    expect(findings_of(copy, case, "--check", "output-reads") == ["output-read"], "detector: an output that is read is not found")
    expect(findings_of(copy, case) == [], "detector: it looks where nobody asked")
    add = lists.HERE / "elementwise"
    expect(findings_of(copy, add, "--check", "output-reads") == [], "detector: it finds what is not there")


def backend(copy: Copy) -> None:
    told = json.loads(copy.tilegrind("run", lists.HERE / "detector", "--backend", "twice", "--json").stdout)
    expect(told["runs"][0]["backend"] == "twice", f"backend: ran on {told['runs'][0].get('backend')}")
    wrong = copy.tilegrind("run", lists.HERE / "detector", "--backend", "thrice", code=2).stderr
    expect("none of cpu, emulator[:SEED], gpu[:NUMBER], twice" in wrong, wrong)


def front_end(copy: Copy) -> None:
    program = copy.build / "rpn"
    copy.run("cc", "-I", copy.tree / "include", lists.HERE / "front_end" / "rpn.c", "-o", program, "-L", copy.build,
             "-ltilegrind", f"-Wl,-rpath,{copy.build}")
    told = copy.run(program, "x y + x *").stdout.split()
    expect([float(word) for word in told] == [(i + 0.5) * i for i in range(8)], f"front end: gave {told}")
    copy.run(program, "x +", code=3)
    copy.run(sys.executable, lists.HERE / "front_end" / "rpn.py")


TRIALS = {"elementwise": elementwise, "memory": memory, "dtype": dtype, "detector": detector, "backend": backend,
          "front_end": front_end}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path)
    work = parser.parse_args().work
    toys = lists.toys()
    with tempfile.TemporaryDirectory() as temporary:
        folder = work or Path(temporary)
        shutil.rmtree(folder / "tree", ignore_errors=True)
        try:
            copy = Copy(folder, toys)
            copy.generate(toys)
            copy.run(sys.executable, "tools/structure.py", "--check")
            copy.make()
            copy.run(sys.executable, "tools/gen_docs.py")
        except (Failed, lists.Malformed) as error:
            print(f"the copy: {error}")
            return 1
        return try_all(copy, toys)


def try_all(copy: Copy, toys: list[lists.Toy]) -> int:
    failures = 0
    for toy in toys:
        files = [file for file in toy.files if lists.is_product(file)]
        try:
            TRIALS[toy.name](copy)
            print(f"{toy.name:12} {len(files):2} files of at most {toy.most}: runs")
        except Failed as error:
            failures += 1
            print(f"{toy.name:12} FAILED: {error}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
