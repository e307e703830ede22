"""Products whose sums are in tensor memory, as texts with tcgen05: the bits of the interpreter's model, in several orders."""

import json
import os
import shutil
import subprocess

import ml_dtypes
import numpy as np
import pytest

import tilegrind

DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f8e4m3fn": ml_dtypes.float8_e4m3fn,
          "f8e5m2": ml_dtypes.float8_e5m2, "i8": np.int8, "u8": np.uint8, "i32": np.int32}
BACKENDS = ("emulator", "emulator:1", "emulator:2", "emulator:3")
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")


class Kernel:
    """A kernel with factors x (m, k) and y (k, n), and a sum in tensor memory that is stored in o; lines are ops."""

    def __init__(self, m, n, k, left="f16", right=None, total="f32"):
        self.m, self.n, self.k, self.left, self.right, self.total = m, n, k, left, right or left, total
        self.params, self.args, self.ops, self.last = [], [], [], 99
        self.x = self.param("x", "input", f"{self.left}[{m},{k}]")
        self.y = self.param("y", "input", f"{self.right}[{k},{n}]")
        self.o = self.param("o", "output", f"{total}[{m},{n}]")
        self.acc = self.param("acc", "scratch", f"{total}[{m},{n}]", space="tmem")
        self.bar = self.param("done", "scratch", "barrier[1]", arrivals=1)
        self.registers = self.param("registers", "scratch", f"{total}[{m},{n}]", space="registers")

    def param(self, name, role, type_, **more):
        self.params.append({"name": name, "role": role, "type": type_, **more})
        self.args.append({"id": len(self.args), "type": f"ref<{type_}>"})
        return len(self.args) - 1

    def op(self, name, *operands, out=None, **attrs):
        json_ = {"op": name, **({"in": list(operands)} if operands else {}), **attrs, "loc": len(self.ops) + 1}
        if out:
            self.last += 1
            json_["out"] = [{"id": self.last, "type": out}]
        self.ops.append(json_)
        return self.last

    def view(self, ref, shape, *index):
        dtype = self.params[ref]["type"].split("[")[0]
        return self.op("view", ref, out=f"ref<{dtype}[{','.join(map(str, shape))}]>", index=list(index))

    def columns(self, ref, first, count):
        rows = self.k if ref == self.y else self.m
        return self.view(ref, (rows, count), ["slice", 0, rows, 1], ["slice", first, count, 1])

    def barrier(self):
        zero = self.op("constant", out="i32[]", value=0)
        self.op("view", self.bar, zero, out="ref<barrier[]>", index=[["at"]])
        return self.last

    def start(self, acc=None, x=None, y=None, replaces=True, **attrs):
        picked = [one if own is None else own for own, one in ((acc, self.acc), (x, self.x), (y, self.y))]
        self.op("dot_start", *picked, instruction="tcgen05", **({"replaces": True} if replaces else {}), **attrs)

    def wait(self):
        self.op("dot_arrive", self.barrier())
        self.op("barrier_wait", self.barrier())

    def whole(self):
        return [["slice", 0, self.m, 1], ["slice", 0, self.n, 1]]

    def give(self):
        """The sum goes to o, by registers."""
        self.op("dma_start", self.acc, self.registers, registers="target")
        value = self.op("load", self.registers, out=f"{self.total}[{self.m},{self.n}]", index=self.whole())
        self.op("store", self.o, value, index=self.whole())
        return self

    def take(self, number):
        """The sum becomes a number, by registers."""
        value = self.op("constant", out=f"{self.total}[{self.m},{self.n}]", value=number)
        self.op("store", self.registers, value, index=self.whole())
        self.op("dma_start", self.registers, self.acc, registers="source")
        self.op("dma_commit", registers="source")
        self.op("dma_wait_groups", self.op("constant", out="i32[]", value=0), registers="source")

    def text(self, **kernel):
        locations = [{"file": "kernel.py", "line": line + 1} for line in range(len(self.ops))]
        return json.dumps({"tilegrind": "0.1", "locations": locations, "kernels": [
            {"name": "kernel", "grid": [], "params": self.params, "body": {"args": self.args, "ops": self.ops}, **kernel}]})

    def save(self, tmp_path, **kernel):
        path = tmp_path / "kernel.json"
        path.write_text(self.text(**kernel))
        return path

    def load(self, tmp_path, **kernel):
        return tilegrind.load(self.save(tmp_path, **kernel))

    def ptx(self, tmp_path, *options):
        """The text that the command prints, which ptxas takes where it is installed."""
        command = [os.environ["TILEGRIND"], "ptx", str(self.save(tmp_path)), *options]
        text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
        if PTXAS and ".target sm_100a\n" in text:
            subprocess.run([PTXAS, "-arch=sm_100a", "-o", os.devnull, "-"], input=text, text=True, check=True, timeout=120)
        return text

    def inputs(self):
        random = np.random.default_rng(1)
        return {name: _random(random, dtype, shape) for name, dtype, shape in
                (("x", self.left, (self.m, self.k)), ("y", self.right, (self.k, self.n)))}


def _random(random, dtype, shape):
    if dtype in ("i8", "u8"):
        return random.integers(0, 256, shape).astype(np.uint8).view(DTYPES[dtype])
    return (random.standard_normal(shape) * np.exp2(random.integers(-3, 4, shape))).astype(DTYPES[dtype])


def once(*size, **dtypes):
    kernel = Kernel(*size, **dtypes)
    kernel.start()
    kernel.wait()
    return kernel.give()


def check(kernel, tmp_path):
    """The bits of the interpreter, as its model of sm100 has them, in each order.  Software has other bits, and is refused."""
    module, inputs = kernel.load(tmp_path), kernel.inputs()
    want = module.run(inputs, tensor_core="sm100")
    assert not want.findings
    for backend in BACKENDS:
        got = module.run(inputs, backend=backend, tensor_core="sm100")
        assert not got.findings
        assert want.outputs["o"].tobytes() == got.outputs["o"].tobytes(), backend
    return kernel.ptx(tmp_path, "--tensor-core", "sm100")


# -- dtypes, shapes --


@pytest.mark.parametrize(("left", "right", "total"), [
    ("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("f32", "f32", "f32"), ("f8e4m3fn", "f8e4m3fn", "f32"), ("f8e5m2", "f8e4m3fn", "f32"),
    ("i8", "i8", "i32"), ("u8", "i8", "i32")])
def test_dtypes(left, right, total, tmp_path):
    check(once(128, 32, 64, left=left, right=right, total=total), tmp_path)


@pytest.mark.parametrize(("m", "n", "k"), [
    (128, 16, 16), (64, 8, 32), (64, 24, 48),
    (128, 16, 24), (128, 16, 3),  # what is beyond k is zero
    (128, 48, 512),  # factors are brought in parts
    (128, 272, 16)])  # two instructions along n
def test_shapes(m, n, k, tmp_path):
    text = check(once(m, n, k), tmp_path)
    assert text.count("tcgen05.mma") == -(-k // 16) * -(-n // 256)


def test_a_sum_that_is_added_to(tmp_path):
    kernel = Kernel(128, 16, 32)
    kernel.take(3)
    for _ in range(3):
        kernel.start(replaces=False)
    kernel.wait()
    check(kernel.give(), tmp_path)


def test_parts_of_a_sum(tmp_path):
    kernel = Kernel(64, 32, 32)
    for first in (16, 0):
        kernel.start(kernel.columns(kernel.acc, first, 16), y=kernel.columns(kernel.y, first, 16))
    kernel.wait()
    check(kernel.give(), tmp_path)


def test_two_sums(tmp_path):
    kernel = Kernel(128, 16, 32)
    other = kernel.param("other", "scratch", "f32[128,16]", space="tmem")
    kernel.start(other)
    kernel.start()
    kernel.wait()
    check(kernel.give(), tmp_path)


def test_a_left_factor_that_is_a_value(tmp_path):
    kernel = Kernel(128, 16, 32)
    value = kernel.op("load", kernel.x, out="f16[128,32]", index=[["slice", 0, 128, 1], ["slice", 0, 32, 1]])
    kernel.start(x=value)
    kernel.wait()
    check(kernel.give(), tmp_path)


def test_groups(tmp_path):
    """Without a barrier the thread waits for its groups."""
    kernel = Kernel(128, 16, 32)
    kernel.start()
    kernel.op("dot_commit")
    kernel.op("dot_wait_groups", kernel.op("constant", out="i32[]", value=0))
    check(kernel.give(), tmp_path)


def test_two_programs(tmp_path):
    """A CTA runs both: tensor memory is filled anew, and all products are over in between."""
    kernel = once(128, 16, 32)
    module, inputs = kernel.load(tmp_path, grid=[{"size": 2, "semantics": "parallel"}]), kernel.inputs()
    want = module.run(inputs, tensor_core="sm100").outputs["o"]
    assert want.tobytes() == module.run(inputs, backend="emulator:1", tensor_core="sm100").outputs["o"].tobytes()


# -- the cross-check --


def test_crosscheck(tmp_path):
    """Of a case, each backend with the sums of that tensor core."""
    kernel = once(128, 32, 64)
    kernel.save(tmp_path)
    np.savez(tmp_path / "inputs.npz", **kernel.inputs())
    inputs = {name: {"file": "inputs.npz", "key": name} for name in ("x", "y")}
    (tmp_path / "case.json").write_text(json.dumps({"tilegrind": "0.1", "kernel": "kernel.json", "inputs": inputs}))
    command = [os.environ["TILEGRIND"], "crosscheck", "--tensor-core", "sm100", "--seeds", "3", "--json", str(tmp_path)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout)
    assert [result["verdict"] for result in report["results"]] == ["equal"] * 3


# -- profiles and targets --


def test_the_reference_adds_integers_alone(tmp_path):
    assert "tcgen05.mma" in once(128, 16, 32, left="i8", total="i32").ptx(tmp_path, "--target", "sm_100a")
    for left in ("f16", "f8e4m3fn", "f32"):
        assert "tcgen05" not in once(128, 16, 32, left=left).ptx(tmp_path, "--target", "sm_100a")


def test_profile_fast(tmp_path):
    """f32 is not cut to tf32, and other chips have no tcgen05."""
    kernel = once(128, 16, 64)
    assert "tcgen05.mma" in kernel.ptx(tmp_path, "--target", "sm_100a", "--profile", "fast")
    for target in ("sm_90", "sm_90a", "sm_100"):
        assert "tcgen05" not in kernel.ptx(tmp_path, "--target", target, "--profile", "fast")
    assert "tcgen05" not in once(128, 16, 32, left="f32").ptx(tmp_path, "--target", "sm_100a", "--profile", "fast")


def test_the_command_has_the_sums_of_a_tensor_core(tmp_path):
    """The text that a run with the same option executes: for that chip, also of f32, which is cut to tf32; or its refusal."""
    text = once(128, 16, 32, left="f32").ptx(tmp_path, "--tensor-core", "sm100")
    assert ".target sm_100a\n" in text and "tcgen05.mma.cta_group::1.kind::tf32" in text
    with pytest.raises(subprocess.CalledProcessError) as refused:
        once(32, 16, 16).ptx(tmp_path, "--tensor-core", "sm100")
    assert refused.value.returncode == 3 and "as the tensor core asked for sums it: dot_start (kernel.py:" in refused.value.stderr


# -- what is not held in tensor memory --


def stays(kernel, tmp_path):
    assert "tcgen05" not in kernel.ptx(tmp_path, "--target", "sm_100a", "--profile", "fast")
    with pytest.raises(tilegrind.Error, match="as the tensor core asked for sums it") as refused:
        kernel.load(tmp_path).run(kernel.inputs(), backend="emulator", tensor_core="sm100")
    assert "kernel.py:" in str(refused.value)


def test_a_sum_that_is_loaded_as_memory(tmp_path):
    kernel = Kernel(128, 16, 32)
    kernel.start()
    kernel.wait()
    value = kernel.op("load", kernel.acc, out="f32[128,16]", index=kernel.whole())
    kernel.op("store", kernel.o, value, index=kernel.whole())
    stays(kernel, tmp_path)


def test_some_rows_of_a_sum(tmp_path):
    kernel = Kernel(128, 16, 32)
    kernel.start()
    kernel.start(kernel.view(kernel.acc, (64, 16), ["slice", 0, 64, 1], ["slice", 0, 16, 1]),
                 kernel.view(kernel.x, (64, 32), ["slice", 0, 64, 1], ["slice", 0, 32, 1]))
    kernel.wait()
    stays(kernel.give(), tmp_path)


@pytest.mark.parametrize(("m", "n"), [(32, 16), (128, 8), (64, 520)])
def test_other_shapes(m, n, tmp_path):
    stays(once(m, n, 16), tmp_path)
