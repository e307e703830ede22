"""A runner on the command ``tilegrind run``, a process for each run: ``command_line [--backend BACKEND]``."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tilegrind import __version__
from tilegrind.__main__ import program
from tilegrind.runner import Runner, Unsupported, serve

_FINDINGS, _INVALID = 1, 3  # exit codes


class CommandLine(Runner):
    def __init__(self, backend):
        super().__init__({"name": "tilegrind run", "version": __version__, "device": backend}, contract="reference")
        self._backend = backend

    def load(self, path, source):
        done = subprocess.run([program(), "verify", path], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(done.stdout + done.stderr)
        return path

    def run(self, kernel, inputs, outputs, order, grid):
        if order != "sequential" and self._backend != "cpu":
            raise Unsupported(f"order {order}: as PTX, programs run in one order")
        with tempfile.TemporaryDirectory() as folder:
            given, made = Path(folder, "in.npz"), Path(folder, "out.npz")
            np.savez(given, **inputs)
            sizes = ["--grid", ",".join(map(str, grid))] if grid else []
            done = subprocess.run([program(), "run", kernel, "--in", given, "--out", made, "--order", order, "--backend",
                                   self._backend, *sizes], capture_output=True, text=True, env=_environment())
            if done.returncode == _INVALID:
                raise Unsupported((done.stderr or done.stdout).strip().splitlines()[0])
            if done.returncode not in (0, _FINDINGS):
                raise RuntimeError(f"exit code {done.returncode}: {done.stdout}{done.stderr}")
            with np.load(made) as found:
                for name, array in outputs.items():
                    array[...] = found[name].view(array.dtype).reshape(array.shape)


def _environment():
    return {name: value for name, value in os.environ.items() if name != "TILEGRIND"}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="command_line", description=__doc__)
    parser.add_argument("--backend", default="cpu")
    serve(CommandLine(parser.parse_args(sys.argv[1:]).backend))
