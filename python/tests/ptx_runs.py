"""Exported kernels as PTX: run in orders of warps beside the interpreter, and assembled."""

import json
import os
import shutil
import subprocess

import numpy as np

import tilegrind
from tilegrind.pallas import export

BACKENDS = ("emulator", "emulator:1", "emulator:2")
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")


def module_of(launch, args, tmp_path):
    """The kernel, and its inputs by name."""
    path = tmp_path / "kernel.json"
    export(launch, *args).save(str(path))
    names = [param["name"] for param in json.loads(path.read_text())["kernels"][0]["params"] if param["role"] == "input"]
    return tilegrind.load(path), dict(zip(names, map(np.asarray, args)))


def same_bits(module, inputs, backends=BACKENDS, **options):
    """The only output, which each backend computes without a finding and with the interpreter's bits."""
    [want] = module.run(inputs, **options).outputs.values()
    for backend in backends:
        run = module.run(inputs, backend=backend, **options)
        [got] = run.outputs.values()
        assert not run.findings and got.tobytes() == want.tobytes(), backend
    return want


def assemble(text, chip):
    """ptxas, where there is one, takes the text for the chip."""
    if PTXAS:
        subprocess.run([PTXAS, f"-arch={chip}", "-o", os.devnull, "-"], input=text, text=True, check=True, timeout=120)
