"""Uses that must work wherever Tilegrind is installed: the columns of the table of tools/check_packages.py."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import tomllib

from environments import ROOT, Environment, Failure

# Run by the environment's Python, which has JAX, and neither Triton nor torch.  The library that JAX calls is loaded too.
IMPORT_ALL = """
import importlib, importlib.metadata, json, sys
loaded = []
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
        loaded.append(name)
    except ModuleNotFoundError as problem:
        if problem.name not in ("triton", "torch"):
            raise
import tilegrind
from tilegrind.pallas.xla import target
target.library()
installed = importlib.metadata.distribution("tilegrind")
print(json.dumps({
    "files": [sys.modules[name].__file__ for name in loaded],
    "versions": [tilegrind.version(), tilegrind.__version__, installed.version],
    "requires": [text for text in installed.requires if "extra" not in text],
    "plugins": {group: {entry.name: entry.value for entry in installed.entry_points if entry.group == group}
                for group in ("pytest11", "triton.backends")},
    "mapped": sorted({line.split()[-1] for line in open("/proc/self/maps") if "/" in line}),
}))
"""

# Names that the README's snippets assume.
SNIPPETS_NEED = """
import jax
import numpy as np
from jax.experimental import pallas as pl

def add_kernel(x_ref, y_ref, o_ref):
    o_ref[...] = x_ref[...] + y_ref[...]

def my_function(x, y):
    return pl.pallas_call(add_kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x, y)

x = y = np.arange(10, dtype=np.float32)
"""
SNIPPETS_GIVE = """
from pathlib import Path
assert Path("kernels.json").is_file()
assert len(list(Path("cases").iterdir())) == 1
assert (run.outputs["o"] == 2 * x).all() and not run.findings
"""

SUITE = """
import jax
import numpy as np
from jax.experimental import pallas as pl

def copy_kernel(x_ref, o_ref):
    o_ref[...] = x_ref[pl.ds(pl.program_id(0) * 4 + {shift}, 4)]

def test_copy():
    x = np.zeros(16, dtype=np.float32)
    out = pl.pallas_call(
        copy_kernel, grid=(4,), in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
        out_specs=pl.BlockSpec((4,), lambda i: (i,)), out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), interpret=True)(x)
    assert (np.asarray(out) == x).all()
"""

# Prints, to show that it runs, and never ends.
ENDLESS = {"tilegrind": "0.1", "kernels": [{"name": "spin", "grid": [], "params": [], "body": {"ops": [
    {"op": "debug_print", "format": "on and on " * 2000},
    {"op": "constant", "out": [{"id": 1, "type": "bool[]"}], "value": True},
    {"op": "constant", "out": [{"id": 2, "type": "i64[]"}], "value": 1},
    {"op": "while", "in": [2], "out": [{"id": 3, "type": "i64[]"}], "regions": [
        {"args": [{"id": 4, "type": "i64[]"}], "yield": [1]},
        {"args": [{"id": 5, "type": "i64[]"}], "ops": [{"op": "add", "in": [5, 2], "out": [{"id": 6, "type": "i64[]"}]}],
         "yield": [6]}]},
    {"op": "debug_print", "format": "{}", "in": [3]}]}}]}


def modules() -> list[str]:
    """All modules of the tree."""
    package = ROOT / "python"
    paths = sorted(path for name in ("tilegrind", "tilegrind_triton_plugin") for path in (package / name).rglob("*.py"))
    return [".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__") for path in paths]


def blocks(language: str) -> list[str]:
    """The README's code blocks in a language."""
    found = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    if not found:
        raise Failure(f"README.md has no code in {language}")
    return found


def expect(what: str, is_: object, ought: object) -> None:
    if is_ != ought:
        raise Failure(f"{what}: {is_!r}, not {ought!r}")


def check_import(env: Environment) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = json.loads(env.run(env.python, "-I", "-c", IMPORT_ALL, *modules()).splitlines()[-1])
    expect("modules of the tree", [file for file in found["files"] if file.startswith(str(ROOT / "python"))], [])
    expect("versions", len(set(found["versions"])), 1)
    expect("requirements", sorted(found["requires"]), sorted(project["dependencies"]))
    expect("plugins", found["plugins"], project["entry-points"])
    if env.kind == "wheel":
        needed = [path for path in found["mapped"] if re.search(r"/lib(cjson|zip|sleef|gomp)[-.]", path)]
        expect("libraries of the system that run", [path for path in needed if not path.startswith(str(env.folder))], [])


def check_snippets(env: Environment) -> None:
    shutil.copytree(ROOT / "examples", env.folder / "examples")
    script = env.folder / "snippets.py"
    script.write_text("\n".join([SNIPPETS_NEED, *blocks("python"), SNIPPETS_GIVE]))
    env.run(env.python, script)
    for line in "".join(blocks("sh")).splitlines():
        # The first example has a finding.
        env.run("sh", "-c", line, expect=(1,) if "shifted.json --in" in line else (0,))


def check_plugin(env: Environment) -> None:
    for name, shift, code in ("passing", 0, 0), ("failing", 1, 1):
        suite = env.folder / name / f"test_{name}.py"
        suite.parent.mkdir()
        suite.write_text(SUITE.format(shift=shift))
        said = env.run(env.python, "-m", "pytest", "-p", "no:cacheprovider", "--tilegrind", suite, expect=(code,))
        if ("access-outside-ref" in said) != (code == 1):
            raise Failure(f"the {name} suite says:\n{said}")


def check_command(env: Environment) -> None:
    version = env.run("tilegrind", "--version")
    expect("python -m tilegrind --version", env.run(env.python, "-m", "tilegrind", "--version"), version)
    env.run("tilegrind", "check", ROOT / "examples" / "add.json", "--in", inputs(env))
    case = [ROOT / "examples" / "shifted.json", "--in", ROOT / "examples" / "shifted_inputs.npz"]
    said = env.run("tilegrind", "check", *case, "--html", "page.html", expect=(1,))
    if "access-outside-ref" not in said or "shifted.py:15" not in said:
        raise Failure(f"tilegrind check says:\n{said}")
    if "access-outside-ref" not in (env.folder / "page.html").read_text():
        raise Failure("the page of tilegrind check does not tell the finding")
    doctor = env.run("tilegrind", "doctor")
    if not re.search(r"^profile fast +works$", doctor, re.MULTILINE):
        raise Failure(f"tilegrind doctor says:\n{doctor}")
    env.run("tilegrind", "run", "no-such-file.json", expect=(2,))
    interrupt(env)


def inputs(env: Environment) -> object:
    path = env.folder / "add_inputs.npz"
    env.run(env.python, "-c", f"import numpy as np; x = np.ones(10, np.float32); np.savez({str(path)!r}, x=x, y=x)")
    return path


def interrupt(env: Environment) -> None:
    """Checks that Ctrl-C reaches the program through the script that pip has created."""
    kernel = env.folder / "spin.json"
    kernel.write_text(json.dumps(ENDLESS))
    for command in (["tilegrind"], [str(env.python), "-m", "tilegrind"]):
        with subprocess.Popen(["/usr/bin/env", *command, "run", str(kernel)], env=env.variables(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as running:
            running.stdout.read(1)  # a signal before that would find no handler
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=60)
        expect("exit code after Ctrl-C", running.returncode, 130)
        if b"stopped after 0 programs" not in said:
            raise Failure(f"after Ctrl-C: {said!r}")


def check_conform(env: Environment) -> None:
    """Packages hold the suite of `tilegrind conform`; what pip installs from the tree says how to make one."""
    command = ["tilegrind", "conform", "--runner", "library", "--level", "L1", "--quiet"]
    if env.kind == "tree":
        said, wanted = env.run(*command, expect=(2,)), r"no suite is installed; --suite FILE names one"
    else:
        said, wanted = env.run(*command), r"(?m)^L1 +met +(\d+) of +\1 met, +0 failed"
    if not re.search(wanted, said):
        raise Failure(f"tilegrind conform says:\n{said}")


CHECKS = {"import": check_import, "snippets": check_snippets, "plugin": check_plugin, "command": check_command,
          "conform": check_conform}
