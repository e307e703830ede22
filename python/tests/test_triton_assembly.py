"""Inline assembly of Triton, on the interpreter and as PTX."""

import ml_dtypes
import numpy as np
import pytest
import ttir_ops

from tilegrind import runtime
from tilegrind.errors import Error

BACKENDS = ["cpu", "emulator"]
RNG = np.random.default_rng(0)


def run(text, constraints, pack, sources, target, *inputs, **options):
    """What the text gives for the inputs; `sources` and `target` are TTIR's dtypes."""
    operands = ", ".join(f"%{name}" for name, _ in zip("xyz", sources))
    kinds = ", ".join(map(ttir_ops.tensor, sources))
    line = (f'tt.elementwise_inline_asm "{text}" {{constraints = "{constraints}", packed_element = {pack} : i32, pure = true}} '
            f"{operands} : {kinds} -> {ttir_ops.tensor(target)}")
    return ttir_ops.run(line, sources, target, *inputs, **options)


CASES = {
    "i32": ("shf.l.wrap.b32 $0, $1, $2, 7;", "=r,r,r", 1, ["i32", "i32"], "i32"),
    "four bytes": ("and.b32 $0, $1, 0x1F1F1F1F; \\0A shl.b32 $0, $0, 3;", "=r,r", 4, ["i8"], "i8"),
    "bytes apart": ("{ .reg .b8 t<4>; mov.b32 {t0, t1, t2, t3}, $4; cvt.s32.s8 $0, t0; cvt.s32.s8 $1, t1; cvt.s32.s8 $2, t2; "
                    "cvt.s32.s8 $3, t3; }", "=r,=r,=r,=r,r", 4, ["i8"], "i32"),
    "two halves": ("add.rn.f16x2 $0, $1, $2;", "=r,r,r", 2, ["f16", "f16"], "f16"),
    "one bf16": ("abs.bf16 $0, $1;", "=h,h", 1, ["bf16"], "bf16"),
    "i64": ("{ .reg .pred p; setp.lt.s64 p, $1, $2; selp.b64 $0, $1, $2, p; }", "=l,l,l", 1, ["i64", "i64"], "i64"),
    "f64": ("fma.rn.f64 $0, $1, $1, $2;", "=d,d,d", 1, ["f64", "f64"], "f64"),
    "branches": ("{ .reg .pred p; setp.gt.s32 p, $1, 3; @p bra L; neg.s32 $0, $1; bra M; L: mov.b32 $0, 7; M: }", "=r,r", 1, ["i32"], "i32"),
    "same register": ("add.s32 $0, $1, $2;", "=r,0,r", 1, ["i32", "i32"], "i32"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_same_bits_as_ptx(name):
    text, constraints, pack, sources, target = CASES[name]
    inputs = [RNG.integers(-100, 100, ttir_ops.COUNT) for _ in sources]
    first, second = (run(text, constraints, pack, sources, target, *inputs, backend=backend) for backend in BACKENDS)
    assert first.tobytes() == second.tobytes() and len(np.unique(first.astype(np.float64))) > 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_values(backend):
    x = np.arange(-4, 4)
    assert run(*CASES["four bytes"], x, backend=backend).tolist() == ((x & 0x1F) << 3).astype(np.int8).tolist()
    assert run(*CASES["bytes apart"], x, backend=backend).tolist() == x.tolist()
    assert run(*CASES["one bf16"], x, backend=backend).tolist() == np.abs(x).astype(ml_dtypes.bfloat16).tolist()
    assert run(*CASES["branches"], x, backend=backend).tolist() == [4, 3, 2, 1, 0, -1, -2, -3]
    assert run(*CASES["same register"], x, 2 * x, backend=backend).tolist() == (3 * x).tolist()


def test_what_the_text_does_is_judged_where_the_kernel_is_loaded():
    with pytest.raises(Error, match=r"/kernels/0/body/ops/\d+: inline_ptx: line 1 of the text: ld is not supported here"):
        run("ld.global.b32 $0, [$1];", "=r,l", 1, ["i64"], "i32", 0)


def test_operations_without_operands():
    text = ttir_ops.text_of("x", [], "i32").replace("%r = x", '%r = tt.elementwise_inline_asm "mov.b32 $0, 42;" '
                            f'{{constraints = "=r", packed_element = 1 : i32, pure = true}} -> {ttir_ops.tensor("i32")}')
    module = runtime.loads(ttir_ops.convert(ttir_ops.read(text), {"o_ptr": ttir_ops.COUNT}).compact())
    outputs = module.run({"o_ptr.before": np.zeros(ttir_ops.COUNT, np.int32)}, grid=(1, 1, 1)).outputs
    assert outputs["o_ptr"].tolist() == [42] * ttir_ops.COUNT
