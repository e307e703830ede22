"""A runner on a shell command, a process for each run: ``shell TEMPLATE``.

In the template, {kernel}, {inputs}, {outputs}, {order} and {grid} stand for the kernel file, an .npz file of inputs, the
.npz file that the command makes, the order, and the sizes of dynamic axes, separated by commas.  Arrays whose dtype numpy
lacks are in both files as bytes (``|V2``), as numpy writes them.  Exit code 77 means that the kernel is not supported.
"""

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from tilegrind.runner import Runner, Unsupported, serve

UNSUPPORTED = 77


class Shell(Runner):
    def __init__(self, template):
        super().__init__({"name": template, "version": "unknown"})
        self._template = template

    def load(self, path, source):
        return path

    def run(self, kernel, inputs, outputs, order, grid):
        with tempfile.TemporaryDirectory() as folder:
            given, made = Path(folder, "inputs.npz"), Path(folder, "outputs.npz")
            np.savez(given, **inputs)
            words = {"kernel": kernel, "inputs": given, "outputs": made, "order": order, "grid": ",".join(map(str, grid))}
            command = self._template.format(**{name: shlex.quote(str(word)) for name, word in words.items()})
            done = subprocess.run(command, shell=True, capture_output=True, text=True)
            sys.stderr.write(done.stderr)
            if done.returncode == UNSUPPORTED:
                raise Unsupported((done.stderr or done.stdout or "exit code 77").strip().splitlines()[-1])
            if done.returncode:
                raise RuntimeError(f"exit code {done.returncode}: {done.stderr or done.stdout}")
            with np.load(made) as found:
                for name, array in outputs.items():
                    array[...] = found[name].view(array.dtype).reshape(array.shape)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"{__doc__}\none argument is required: the template")
    serve(Shell(sys.argv[1]))
