"""A runner without faults, for the self-test: it adds x and y, and supports nothing else."""

import json

from tilegrind.runner import Runner, Unsupported, serve


class Adding(Runner):
    def load(self, path, source):
        ops = [op["op"] for op in json.loads(path.read_text())["kernels"][0]["body"]["ops"]]
        if ops != ["load", "load", "add", "store"]:
            raise Unsupported(f"ops {ops}")

    def run(self, kernel, inputs, outputs, order, grid):
        outputs["o"][...] = inputs["x"] + inputs["y"]


if __name__ == "__main__":
    serve(Adding({"name": "adding", "version": "1"}))
