"""Inline assembly: PTX that computes runs by the emulator, and other PTX is refused at its line."""

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from arrays import Array, iota, zeros

import tilegrind.triton as tt

ORDERS = ["sequential", "reversed", "shuffled:3", "parallel:2", "interleaved:5"]


@triton.jit
def rotate(x, o, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + at, tl.inline_asm_elementwise("shf.l.wrap.b32 $0, $1, $1, 5;", "=r,r", [tl.load(x + at)], tl.uint32, True, 1))


def test_the_same_bits_in_all_orders():
    x = np.random.default_rng(0).integers(0, 1 << 32, 256, dtype=np.uint32)
    for order in ORDERS:
        o = zeros(256, dtype=np.uint32)
        with tt.interpreter(order=order, checks="all") as active:
            rotate[(8,)](Array(x), o, B=32)
        assert np.array_equal(o.array, x << 5 | x >> 27) and not active.findings


@triton.jit
def halves(x, y, o, p, B: tl.constexpr):
    at = tl.arange(0, B)
    both = tl.inline_asm_elementwise("""
        {
            // two elements of f16 are in one register, two of f32 in two
            .reg .b16 %low, %high;
            mov.b32 {%low, %high}, $3;
            cvt.f32.f16 $1, %low;
            cvt.f32.f16 $2, %high;
            mul.rn.f16x2 $0, $3, $4;
        }
        """, "=r,=f,=f,r,r", [tl.load(x + at), tl.load(y + at)], (tl.float16, tl.float32), True, 2)
    tl.store(o + at, both[0])
    tl.store(p + at, both[1])


@pytest.mark.parametrize("size", [2, 64])
def test_elements_share_registers(size):
    x, y = iota(size, dtype=np.float16), Array(np.full(size, 1.5, np.float16))
    o, p = zeros(size, dtype=np.float16), zeros(size)
    with tt.interpreter(checks="all"):
        halves[(1,)](x, y, o, p, B=size)
    assert np.array_equal(o.array, x.array * np.float16(1.5)) and np.array_equal(p.array, x.array.astype(np.float32))


@triton.jit
def of_bf16(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.inline_asm_elementwise("neg.bf16 $0, $1;", "=h,h", [tl.load(x + at)], tl.bfloat16, True, 1))


def test_one_narrow_float_in_a_register_of_16_bits():
    x = Array(np.arange(8).astype(ml_dtypes.bfloat16))
    o = Array(np.zeros(8, ml_dtypes.bfloat16))
    with tt.interpreter():
        of_bf16[(1,)](x, o, B=8)
    assert np.array_equal(o.array.astype(np.float32), -np.arange(8.0))


@triton.jit
def scalar(o, n):
    tl.store(o, tl.inline_asm_elementwise("popc.b32 $0, $1;", "=r,r", [n], tl.int32, True, 1))
    tl.store(o + 1, tl.inline_asm_elementwise("mov.b32 $0, 42;", "=r", [], tl.int32, False, 1))


def test_scalars_and_no_operands():
    o = zeros(2, dtype=np.int32)
    with tt.interpreter():
        scalar[(1,)](o, 0xff)
    assert o.array.tolist() == [8, 42]


@triton.jit
def with_text(x, o, TEXT: tl.constexpr, CONSTRAINTS: tl.constexpr, PACK: tl.constexpr):
    at = tl.arange(0, 4)
    values = tl.load(x + at)
    tl.store(o + at, tl.inline_asm_elementwise(TEXT, CONSTRAINTS, [values], tl.int32, False, PACK))  # the line of refusals


@pytest.mark.parametrize("text, constraints, pack, says", [
    ("mov.u32 $0, %tid.x;", "=r,r", 1, "line 1 of the text: which thread an element belongs to is not said"),
    ("add.u32 $0, $1, 1;\nmov.u32 $0, %clock;", "=r,r", 1, "line 2 of the text: .%clock. is not declared"),
    ("shfl.sync.bfly.b32 $0, $1, 1, 31, -1;", "=r,r", 1, "shfl is not supported here"),
    ("add.u32 $0, $1;", "=r,r", 1, "'add.u32' takes 3 operands, not 2"),
    ("add.u32 $0, $1, $2;", "=r,r", 1, "\\$2 names no register: there are 2"),
    ("mov.b32 $0, $1;", "=r,r,r", 1, "there are 2 registers, and more constraints"),
    ("mov.b32 $0, $1;", "=r,h", 1, "constraint h has 16 bits, but the register holds 32 of i32"),
], ids=["thread", "clock", "shuffle", "operands", "register", "constraints", "width"])
def test_what_is_refused_with_its_line(text, constraints, pack, says):
    line = with_text.fn.__code__.co_firstlineno + 4
    with tt.interpreter(), pytest.raises(tt.ExportError, match=rf"test_inline_asm.py:{line}: inline_ptx: .*{says}"):
        with_text[(1,)](iota(4, dtype=np.int32), zeros(4, dtype=np.int32), TEXT=text, CONSTRAINTS=constraints, PACK=pack)


@triton.jit
def through_pointers(o):
    tl.inline_asm_elementwise("st.global.b32 [$1], 1;", "=r,l", [o + tl.arange(0, 4)], tl.int32, False, 1)


def test_pointers_are_refused_with_their_line():
    line = through_pointers.fn.__code__.co_firstlineno + 2
    with tt.interpreter(), pytest.raises(tt.ExportError, match=rf"test_inline_asm.py:{line}: .*inline assembly of pointers"):
        through_pointers[(1,)](zeros(4, dtype=np.int32))


def test_a_trap_is_a_finding_at_its_line_and_other_elements_keep_their_values():
    line = with_text.fn.__code__.co_firstlineno + 4
    x, o = Array(np.array([1, 2, 0, 4], np.int32)), zeros(4, dtype=np.int32)
    with tt.interpreter(findings="collect") as active:
        with_text[(1,)](x, o, TEXT="div.s32 $0, 100, $1;", CONSTRAINTS="=r,r", PACK=1)
    (finding,) = active.findings
    assert finding.kind == "inline-ptx-trap" and finding.line == line and "element 2" in finding.message
    assert o.array[[0, 1, 3]].tolist() == [100, 50, 25]


def test_a_text_without_end_is_a_finding():
    with tt.interpreter(findings="collect") as active:
        with_text[(1,)](iota(4, dtype=np.int32), zeros(4, dtype=np.int32), TEXT="L: bra L;", CONSTRAINTS="=r,r", PACK=1)
    assert [one.kind for one in active.findings] == ["inline-ptx-trap"]


@triton.jit
def beyond(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    value = tl.load(x + at, mask=at < 3)
    tl.store(o + at, tl.inline_asm_elementwise("add.s32 $0, $1, 1;", "=r,r", [value], tl.int32, True, 1))


def test_what_is_computed_from_undefined_elements_is_undefined():
    with tt.interpreter(findings="collect", checks="undefined") as active:
        beyond[(1,)](iota(4, dtype=np.int32), zeros(4, dtype=np.int32), B=4)
    assert [one.kind for one in active.findings] == ["undefined-output"]
