"""A runner on the C library of Tilegrind, in one process: ``library [--backend BACKEND]``."""

import argparse
import sys

import tilegrind
from tilegrind.runner import Runner, Unsupported, serve


class Library(Runner):
    def __init__(self, backend):
        super().__init__({"name": "tilegrind", "version": tilegrind.version(), "device": backend}, contract="reference")
        self._backend = backend

    def load(self, path, source):
        return tilegrind.load(path)

    def run(self, kernel, inputs, outputs, order, grid):
        try:
            report = kernel.run(inputs, order=order, grid=grid, backend=self._backend)
        except tilegrind.Error as problem:
            if problem.status == "ERR_UNSUPPORTED":
                raise Unsupported(str(problem)) from None
            raise
        for name, array in outputs.items():
            array[...] = report.outputs[name]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="library", description=__doc__)
    parser.add_argument("--backend", default="cpu")
    serve(Library(parser.parse_args(sys.argv[1:]).backend))
