"""wgmma in the emulator: every form against sums in Python's integers and fractions, ptxas on every text, and texts with faults."""

import itertools
import json
import math
import os
import random
import shutil
import struct
import subprocess
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
TILEGRIND = os.environ.get("TILEGRIND", str(ROOT / "build" / "tilegrind"))
PTXAS = shutil.which("ptxas") or next(filter(os.path.exists, ["/usr/local/cuda/bin/ptxas"]), None)
BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "e4m3": 1, "e5m2": 1, "s8": 1, "u8": 1}
SWIZZLES = {0: 0, 32: 6, 64: 4, 128: 2}  # bytes of a row: the code in a descriptor
ATOMS_MN, ATOMS_K = 32, 4  # room for 256 rows, and 32 indices of k
IMAGE = 32768  # bytes of each factor


# -- numbers --


def bits_of(kind, value):
    """The bits of a small number, which the type has exactly."""
    if kind in ("s8", "u8"):
        return int(value) & 255
    if kind == "f16":
        return struct.unpack("<H", struct.pack("<e", value))[0]
    whole = struct.unpack("<I", struct.pack("<f", value))[0]
    if kind in ("bf16", "tf32"):
        return whole >> 16 if kind == "bf16" else whole
    fraction, bias = (3, 7) if kind == "e4m3" else (2, 15)
    if value == 0:
        return (whole >> 31) << 7
    exponent = math.frexp(abs(value))[1] - 1
    mantissa = abs(value) / 2.0 ** exponent * 2 ** fraction
    assert mantissa == int(mantissa) and 1 - bias <= exponent <= bias
    return (whole >> 31) << 7 | (exponent + bias) << fraction | int(mantissa) - (1 << fraction)


def truncated(value, bits):
    """A fraction, cut toward zero to multiples of 2^bits."""
    unit = Fraction(2) ** bits
    return math.trunc(value / unit) * unit


def leading(value):
    """The exponent of the leading bit of a dyadic fraction."""
    value, exponent = abs(value), 0
    while value >= 2:
        value, exponent = value / 2, exponent + 1
    while value < 1:
        value, exponent = value * 2, exponent - 1
    return exponent


def hopper(terms, start, bits, kept):
    """The published way: terms cut `bits` below the greatest leading bit, their sum cut to `kept` bits of fraction."""
    tops = [leading(a) + leading(b) for a, b in terms if a and b] + ([leading(start)] if start else [])
    if not tops:
        return Fraction(0)
    least = max(tops) - bits
    total = truncated(start, least) + sum(truncated(a * b, least) for a, b in terms)
    return truncated(total, leading(total) - kept) if total else Fraction(0)


# -- matrices in shared memory --


def place(swizzle, mn_major, size, mn, k):
    """Where element (mn, k) lies: the pictures of the PTX ISA, of atoms of 8 rows, one behind the other."""
    along, across = (mn, k) if mn_major else (k, mn)
    row = swizzle or 16
    atom = 8 * row
    count_across = ATOMS_K if mn_major else ATOMS_MN
    near, far = along * size % row, along * size // row
    at = (far * count_across + across // 8) * atom + across % 8 * row + near
    return at ^ (at >> 7 & (row // 16 - 1)) << 4




def descriptor(swizzle, mn_major):
    """Without its start."""
    row = swizzle or 16
    next_across = 8 * row  # of atoms
    next_along = (ATOMS_K if mn_major else ATOMS_MN) * next_across
    leading_bytes, stride = next_along, next_across
    if mn_major and swizzle == 0:
        leading_bytes, stride = next_across, next_along
    return leading_bytes // 16 << 16 | stride // 16 << 32 | SWIZZLES[swizzle] << 61




def image(matrix, kind, swizzle, mn_major):
    """The bytes of a matrix of rows along mn."""
    out, size = bytearray(IMAGE), BYTES[kind]
    for mn, row in enumerate(matrix):
        for k, value in enumerate(row):
            at = place(swizzle, mn_major, size, mn, k)
            out[at:at + size] = bits_of(kind, value).to_bytes(size, "little")
    return np.frombuffer(bytes(out), np.uint8)


# -- texts --


@dataclass(frozen=True)
class Form:
    result: str
    lhs: str
    rhs: str
    n: int
    lhs_swizzle: int = 0
    rhs_swizzle: int = 0
    in_registers: bool = False
    lhs_mn: bool = False
    rhs_mn: bool = False
    lhs_sign: int = 1
    rhs_sign: int = 1
    adds: bool = True
    saturates: bool = False

    @property
    def k(self):
        return 32 // BYTES[self.lhs]

    @property
    def registers(self):
        return self.n // 4 if self.result == "f16" else self.n // 2

    def instruction(self, predicate="%adds"):
        name = f"wgmma.mma_async.sync.aligned.m64n{self.n}k{self.k}.{self.result}.{self.lhs}.{self.rhs}"
        operands = ["{" + ", ".join(f"%d{i}" for i in range(self.registers)) + "}",
                    "{%a0, %a1, %a2, %a3}" if self.in_registers else "%lhs", "%rhs", predicate]
        if self.lhs not in ("s8", "u8"):
            operands += [str(self.lhs_sign), str(self.rhs_sign)]
        if BYTES[self.lhs] == 2:
            operands += ([] if self.in_registers else [str(int(self.lhs_mn))]) + [str(int(self.rhs_mn))]
        return f"{name}{'.satfinite' * self.saturates} {', '.join(operands)};"


FENCE, COMMIT, WAIT = "wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned"


def text_of(form, body=None, proxy="fence.proxy.async;", target="sm_90a", before=""):
    """Warpgroups that copy both images to shared memory and multiply; each thread's registers are a column of the result."""
    body = body or f"{FENCE}\n{form.instruction()}\n{COMMIT}\n{WAIT} 0;"
    width = "f32" if form.result == "f32" else "b32"
    loads = "\n".join(f"ld.global.{width} %d{i}, [%at+{4 * 128 * i}];" for i in range(form.registers))
    stores = "\n".join(f"st.global.{width} [%at+{4 * 128 * i}], %d{i};" for i in range(form.registers))
    # Rows lane / 4 and 8 further on, the 4 bytes at 4 (lane % 4) and 16 further on, of a dense image of rows of 32 bytes.
    lhs = "\n".join(f"ld.global.b32 %a{i}, [%from+{i % 2 * 8 * 32 + i // 2 * 16}];" for i in range(4))
    return f""".version 8.4
.target {target}
.address_size 64
.extern .shared .align 1024 .b8 mem[];
.visible .entry k(.param .u64 images, .param .u64 dense, .param .u64 d, .param .u64 lhs, .param .u64 rhs, .param .u32 sum)
{{
.reg .pred %adds, %more, %low; .reg .b32 %t, %i, %s, %me, %a<4>, %x<4>; .reg .b64 %at, %from, %far, %lhs, %rhs;
.reg .{width} %d<{form.registers}>;
mov.u32 %me, %tid.x; setp.lt.u32 %low, %me, 32;
ld.param.u32 %t, [sum]; setp.ne.u32 %adds, %t, 0;
ld.param.u64 %from, [images]; mov.u32 %s, mem; shl.b32 %i, %me, 4;
COPY: cvt.u64.u32 %far, %i; add.u64 %at, %from, %far; ld.global.v4.b32 {{%x0, %x1, %x2, %x3}}, [%at];
add.u32 %t, %s, %i; st.shared.v4.b32 [%t], {{%x0, %x1, %x2, %x3}};
add.u32 %i, %i, 2048; setp.lt.u32 %more, %i, {2 * IMAGE}; @%more bra COPY;
{proxy}
bar.sync 0;
shr.u32 %t, %s, 4; cvt.u64.u32 %far, %t; ld.param.u64 %lhs, [lhs]; or.b64 %lhs, %lhs, %far;
add.u64 %far, %far, {IMAGE // 16}; ld.param.u64 %rhs, [rhs]; or.b64 %rhs, %rhs, %far;
ld.param.u64 %from, [dense]; shr.u32 %t, %me, 5; mul.lo.u32 %t, %t, 512; and.b32 %i, %me, 31; shr.u32 %s, %i, 2; mul.lo.u32 %s, %s, 32;
and.b32 %i, %i, 3; shl.b32 %i, %i, 2; add.u32 %t, %t, %s; add.u32 %t, %t, %i; cvt.u64.u32 %far, %t; add.u64 %from, %from, %far;
{lhs}
ld.param.u64 %at, [d]; mul.wide.u32 %far, %me, 4; add.u64 %at, %at, %far;
{loads}
{before}
{body}
{stores}
ret;
}}
"""


def run(tmp_path, text, form, a, b, c, *options, threads=128, code=0):
    """The result as registers of each thread, or the report of the trap.  `a` and `b` have rows along mn."""
    (tmp_path / "k.ptx").write_text(text)
    np.save(tmp_path / "images.npy", np.concatenate([image(a, form.lhs, form.lhs_swizzle, form.lhs_mn),
                                                     image(b, form.rhs, form.rhs_swizzle, form.rhs_mn)]))
    dense = b"".join(bits_of(form.lhs, v).to_bytes(BYTES[form.lhs], "little") for row in a for v in row)
    np.save(tmp_path / "dense.npy", np.frombuffer(dense, np.uint8))
    np.save(tmp_path / "d.npy", c)
    done = subprocess.run(
        [TILEGRIND, "ptx-run", tmp_path / "k.ptx", "--block", str(threads), "--shared", str(2 * IMAGE),
         "--arg", tmp_path / "images.npy", "--arg", tmp_path / "dense.npy", "--arg", tmp_path / "d.npy",
         "--arg", f"u64:{descriptor(form.lhs_swizzle, form.lhs_mn)}", "--arg", f"u64:{descriptor(form.rhs_swizzle, form.rhs_mn)}",
         "--arg", f"u32:{int(form.adds)}", "--json", "--out", f"d={tmp_path / 'o.npy'}", *map(str, options)],
        capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout) if code else np.load(tmp_path / "o.npy")


def fragment(form, matrix):
    """A matrix of 64 rows as registers of 128 threads."""
    each = 2 if form.result == "f16" else 1
    out = np.zeros((form.registers, 128), np.uint32)
    for i, thread, e in itertools.product(range(form.registers), range(128), range(each)):
        number, lane = i * each + e, thread % 32
        row, column = thread // 32 * 16 + lane // 4 + number // 2 % 2 * 8, number // 4 * 8 + lane % 4 * 2 + number % 2
        value = matrix[row][column]
        bits = int(value) & 0xffffffff if form.result == "s32" else bits_of("f16" if each == 2 else "tf32", float(value))
        out[i, thread] |= bits << 16 * e
    return out


def accepted_by_ptxas(text, tmp_path):
    if PTXAS is None:
        return
    (tmp_path / "k.ptx").write_text(text)
    done = subprocess.run([PTXAS, "-arch=sm_90a", "-O1", tmp_path / "k.ptx", "-o", tmp_path / "k.cubin"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


# -- every form: sums that are exact in each way of adding --

KINDS = [("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32"),
         *[(d, a, b) for d in ("f32", "f16") for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")],
         *[("s32", a, b) for a in ("s8", "u8") for b in ("s8", "u8")]]
FORMS = [Form(*kind, n=n, in_registers=r) for kind in KINDS for n, r in ((8, False), (24, True))]
FORMS += [Form("f32", "f16", "f16", n) for n in (16, 64, 128, 200, 256)] + [Form("s32", "s8", "s8", n) for n in (16, 48, 256)]
FORMS += [Form("f32", "bf16", "bf16", 72, ls, rs, False, lm, rm) for ls, rs, lm, rm in (
    (0, 0, True, False), (0, 0, False, True), (0, 0, True, True), (32, 64, False, False), (64, 128, True, False), (128, 32, False, True),
    (32, 32, True, True), (64, 64, True, True), (128, 128, True, True), (128, 128, False, False))]
FORMS += [Form("f32", "tf32", "tf32", 40, 128, 64), Form("s32", "u8", "s8", 32, 32, 128), Form("f32", "e4m3", "e4m3", 40, 64, 32)]
FORMS += [Form("f32", "f16", "f16", 32, lhs_sign=-1), Form("f32", "f16", "f16", 32, rhs_sign=-1, in_registers=True),
          Form("f16", "e5m2", "e4m3", 16, lhs_sign=-1, rhs_sign=-1), Form("f32", "tf32", "tf32", 8, adds=False), Form("s32", "s8", "s8", 8, adds=False)]


def small(kind, rng):
    return rng.randint(0, 7) if kind == "u8" else rng.randint(-7, 7)


def name_of(form):
    options = [x for x in ("in_registers", "lhs_mn", "rhs_mn") if getattr(form, x)]
    return f"{form.result}-{form.lhs}-{form.rhs}-n{form.n}-{form.lhs_swizzle}-{form.rhs_swizzle}-{'-'.join(options)}"


@pytest.mark.parametrize("form", FORMS, ids=name_of)
def test_forms(form, tmp_path):
    rng = random.Random(repr(form))
    a = [[small(form.lhs, rng) for _ in range(form.k)] for _ in range(64)]
    b = [[small(form.rhs, rng) for _ in range(form.k)] for _ in range(form.n)]
    c = [[rng.randint(-20, 20) for _ in range(form.n)] for _ in range(64)]
    sign = form.lhs_sign * form.rhs_sign
    wanted = [[sign * sum(x * y for x, y in zip(a[i], b[j])) + form.adds * c[i][j] for j in range(form.n)] for i in range(64)]
    text = text_of(form)
    for seed in range(3 if form.n < 64 else 1):
        got = run(tmp_path, text, form, a, b, fragment(form, c), "--seed", seed)
        assert np.array_equal(got, fragment(form, wanted)), seed
    accepted_by_ptxas(text, tmp_path)


# -- integers beyond 32 bits --


@pytest.mark.parametrize("saturates", [False, True])
def test_integers_that_overflow(saturates, tmp_path):
    form = Form("s32", "s8", "u8", 8, saturates=saturates)
    a = [[127 if i % 2 else -128] * 32 for i in range(64)]
    c = [[2 ** 31 - 1 if i % 2 else -2 ** 31 for _ in range(8)] for i in range(64)]
    wanted = [[x if saturates else x + 32 * 255 * a[i][0] for x in c[i]] for i in range(64)]
    got = run(tmp_path, text_of(form), form, a, [[255] * 32] * 8, fragment(form, c))
    assert np.array_equal(got, fragment(form, wanted))


# -- the published sums of Hopper: seed 0 --

RANGES = {"f16": (10, -8, 6), "bf16": (7, -9, 9), "tf32": (10, -9, 9), "e4m3": (3, -5, 6), "e5m2": (2, -8, 8)}  # bits, exponents


def spread(kind, rng):
    bits, low, high = RANGES[kind]
    return rng.choice((-1, 1)) * (1 + rng.getrandbits(bits) / 2 ** bits) * 2.0 ** rng.randint(low, high)


@pytest.mark.parametrize("form", [Form("f32", k, k, 8) for k in RANGES] + [Form("f32", "e4m3", "e5m2", 8), Form("f16", "f16", "f16", 8)], ids=name_of)
@pytest.mark.parametrize("seed", [0, 3])
def test_sums_of_hopper(form, seed, tmp_path):
    rng = random.Random(name_of(form))
    a, b = ([[spread(kind, rng) for _ in range(form.k)] for _ in range(rows)] for kind, rows in ((form.lhs, 64), (form.rhs, 8)))
    c = [[float(np.float16(rng.uniform(-100, 100))) for _ in range(8)] for _ in range(64)]
    bits, kept = (13, 13) if BYTES[form.lhs] == 1 else (25, 23)
    wanted = [[float(hopper([(Fraction(x), Fraction(y)) for x, y in zip(a[i], b[j])], Fraction(c[i][j]), bits, kept))
               for j in range(8)] for i in range(64)]
    if form.result == "f16":
        wanted = np.array(wanted, np.float64).astype(np.float16).astype(np.float64).tolist()
    got = run(tmp_path, text_of(form), form, a, b, fragment(form, c), "--seed", seed)
    assert np.array_equal(got, fragment(form, wanted))


# -- several at a time --

F16 = Form("f32", "f16", "f16", 8)
ONES = {"a": [[1] * 16] * 64, "b": [[j] * 16 for j in range(8)], "c": fragment(F16, [[5] * 8] * 64)}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("threads", [128, 256])
def test_products_in_flight_take_place_in_order(seed, threads, tmp_path):
    """Three in the same registers, in two groups: the first wait leaves the second group open.  Each warpgroup has the same rows."""
    more = "{" + ", ".join(f"%d{i}" for i in range(4)) + "}, %lhs, %rhs, %adds, 1, 1, 0, 0;"
    twice = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + more
    body = f"{FENCE}\n{twice}\n{COMMIT}\n{twice}\n{twice}\n{COMMIT}\n{WAIT} 1;\n{WAIT} 0;"
    text = text_of(F16, body).replace("mul.wide.u32 %far, %me, 4;", "and.b32 %t, %me, 127; mul.wide.u32 %far, %t, 4;")
    if threads == 256:  # both write the same, one after the other
        text = text.replace("ld.global.f32 %d0,", "bar.sync 0; ld.global.f32 %d0,")
        text = text.replace("st.global.f32 [%at+0]", "bar.sync 0; setp.ge.u32 %low, %me, 128; @%low ret; st.global.f32 [%at+0]")
        text = text.replace("ld.param.u64 %from, [dense]; shr.u32 %t, %me, 5;", "ld.param.u64 %from, [dense]; shr.u32 %t, %me, 5; and.b32 %t, %t, 3;")
        text = text.replace(f"add.u32 %i, %i, 2048; setp.lt.u32 %more, %i, {2 * IMAGE}", f"add.u32 %i, %i, 4096; setp.lt.u32 %more, %i, {2 * IMAGE}")
    got = run(tmp_path, text, F16, *ONES.values(), "--seed", seed, threads=threads)
    assert np.array_equal(got, fragment(F16, [[5 + 3 * 16 * j for j in range(8)]] * 64))


def test_warpgroups_are_those_of_a_cta(tmp_path):
    """Two CTAs of a cluster, of one warpgroup each and 32 threads more, multiply at the same time; the second keeps its sums."""
    text = text_of(F16).replace("sum)\n{", "sum)\n.reqnctapercluster 2, 1, 1\n{")
    text = text.replace(FENCE, f"barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %t, %ctaid.x; setp.ge.u32 %more, %me, 128; @%more ret;\n{FENCE}")
    text = text.replace("st.global.f32 [%at+0]", "setp.ne.u32 %low, %t, 0; @%low ret; st.global.f32 [%at+0]")
    text = text.replace("and.b32 %i, %i, 3; shl.b32 %i, %i, 2; add.u32 %t, %t, %s;", "and.b32 %i, %i, 3; shl.b32 %i, %i, 2; rem.u32 %t, %t, 2048; add.u32 %t, %t, %s;")
    text = text.replace("mul.wide.u32 %far, %me, 4;", "and.b32 %t, %me, 127; mul.wide.u32 %far, %t, 4;")
    for old, new in (("add.u32 %i, %i, 2048", "add.u32 %i, %i, 2560"), (f"setp.lt.u32 %more, %i, {2 * IMAGE}", f"setp.lt.u32 %more, %i, {2 * IMAGE - 2559}")):
        text = text.replace(old, new)
    for seed in range(4):
        got = run(tmp_path, text, F16, *ONES.values(), "--grid", 2, "--seed", seed, threads=160)
        assert np.array_equal(got, fragment(F16, [[5 + 16 * j for j in range(8)]] * 64))


# -- texts with faults, each of which traps --

START = F16.instruction()
REGISTERS = Form("f32", "f16", "f16", 8, in_registers=True)
WHOLE = f"{FENCE}\n{START}\n{COMMIT}\n{WAIT} 0;"
OTHER_SUM = "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%d0, %d1}, %lhs, %rhs, %adds, 1, 1, 0, 0;"

FAULTS = {
    "no proxy fence": ({"proxy": ""}, "shared-race", "in no order"),
    "no fence": ({"body": f"{START}\n{COMMIT}\n{WAIT} 0;"}, "wgmma-misuse", "no wgmma.fence comes before"),
    "sum changed behind the fence": ({"body": f"{FENCE}\nadd.rn.f32 %d2, %d2, %d2;\n{START}\n{COMMIT}\n{WAIT} 0;"},
                                     "wgmma-misuse", "%d2 has changed since the last wgmma.fence"),
    "factor changed behind the fence": ({"form": REGISTERS, "body": f"{FENCE}\nadd.u32 %a3, %a3, 1;\n{REGISTERS.instruction()}\n{COMMIT}\n{WAIT} 0;"},
                                        "wgmma-misuse", "%a3 has changed since the last wgmma.fence"),
    "sum read in flight": ({"body": f"{FENCE}\n{START}\n{COMMIT}\nadd.rn.f32 %d1, %d0, %d0;\n{WAIT} 0;"},
                           "wgmma-misuse", "%d0 belongs to a product in flight"),
    "sum written in flight": ({"body": f"{FENCE}\n{START}\n{COMMIT}\nmov.b32 %d3, 0f00000000;\n{WAIT} 0;"},
                              "wgmma-misuse", "%d3 was written while the product that sums in it"),
    "factor written in flight": ({"form": REGISTERS, "body": f"{FENCE}\n{REGISTERS.instruction()}\n{COMMIT}\nadd.u32 %a0, %a0, 1;\n{WAIT} 0;"},
                                 "wgmma-misuse", "%a0 was written while the product that reads it"),
    "no wait": ({"body": f"{FENCE}\n{START}\n{COMMIT}\nret;"}, "wgmma-misuse", "nobody has waited for the product"),
    "a wait for older groups": ({"body": f"{FENCE}\n{START}\n{COMMIT}\n{WAIT} 1;"}, "wgmma-misuse", "belongs to a product in flight"),
    "no commit": ({"body": f"{FENCE}\n{START}\n{WAIT} 0;"}, "wgmma-misuse", "belongs to a product in flight"),
    "a sum of other registers": ({"body": f"{FENCE}\n{START}\n{START.replace('%d0, %d1', '%d1, %d0')}\n{COMMIT}\n{WAIT} 0;"},
                                 "wgmma-misuse", "whose sum is another one"),
    "memory written in flight": ({"body": f"{FENCE}\n{START}\n{COMMIT}\n@%low st.shared.b32 [mem+8], %me;\n{WAIT} 0;"}, "shared-race", "in no order"),
    "swizzle mode": ({"before": "or.b64 %lhs, %lhs, 0x2000000000000000;"}, "wgmma-misuse", "the swizzle mode"),
    "base offset": ({"before": "or.b64 %rhs, %rhs, 0x2000000000000;"}, "wgmma-misuse", "a base offset other than 0"),
    "another version": ({"before": "or.b64 %rhs, %rhs, 0x400000000000;"}, "wgmma-misuse", "bits 46 to 48"),
    "a pattern between": ({"form": Form("f32", "f16", "f16", 8, 128), "before": "add.u64 %lhs, %lhs, 8;"}, "wgmma-misuse", "does not begin at a multiple"),
    "out of shared memory": ({"before": "or.b64 %lhs, %lhs, 0x3fff0000;"}, "out-of-bounds", "shared"),
    "a warp that stays out": ({"body": f"{FENCE}\n@%low {START}\n{COMMIT}\n{WAIT} 0;"}, "divergent-sync", "another warp of the warpgroup executes that at"),
    "a warp that leaves": ({"body": f"@%low ret;\n{WHOLE}"}, "divergent-sync", "others of its warpgroup do"),
    "lanes that stay out": ({"before": "setp.lt.u32 %low, %me, 5;", "body": f"{FENCE}\n@%low {START}\n{COMMIT}\n{WAIT} 0;"}, "divergent-sync", "keeps lane 5 out of wgmma"),
    "descriptors of lanes": ({"before": "cvt.u64.u32 %far, %me; and.b64 %far, %far, 64; add.u64 %lhs, %lhs, %far;"}, "divergent-sync", "other operands"),
    "descriptors of warps": ({"before": "cvt.u64.u32 %far, %me; and.b64 %far, %far, 1; add.u64 %lhs, %lhs, %far;"}, "divergent-sync", "have different operands"),
    "no warpgroup": ({"threads": 96, "before": ""}, "divergent-sync", "belongs to no warpgroup of 4 warps"),
}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_faults(name, seed, tmp_path):
    options, kind, message = FAULTS[name]
    options = dict(options)
    form, threads = options.pop("form", F16), options.pop("threads", 128)
    text = text_of(form, **options)
    if threads == 96:
        text = text.replace("add.u32 %i, %i, 2048", "add.u32 %i, %i, 1536").replace(f"setp.lt.u32 %more, %i, {2 * IMAGE}", f"setp.lt.u32 %more, %i, {2 * IMAGE - 1535}")
    report = run(tmp_path, text, form, *ONES.values(), "--seed", seed, threads=threads, code=1)
    assert report["trap"]["kind"] == kind and message in report["trap"]["text"], report["trap"]
    line = text.splitlines()[report["trap"]["at"]["line"] - 1]
    assert any(word in line for word in ("wgmma", "%d", "st.shared")), line


def test_what_is_read_has_been_written(tmp_path):
    text = text_of(F16)
    half = text.replace(f"setp.lt.u32 %more, %i, {2 * IMAGE}", f"setp.lt.u32 %more, %i, {IMAGE}")
    assert run(tmp_path, half, F16, *ONES.values(), code=1)["trap"]["kind"] == "uninitialised-shared"
    load = "ld.global.f32 %d0, [%at+0];"
    report = run(tmp_path, text.replace(load, ""), F16, *ONES.values(), code=1)
    assert report["trap"]["kind"] == "uninitialised-register" and "%d0 has not been written" in report["trap"]["text"]
    form = Form("f32", "f16", "f16", 8, adds=False)  # whose sum is not read
    got = run(tmp_path, text.replace(load, ""), form, *ONES.values())
    assert np.array_equal(got, fragment(F16, [[16 * j for j in range(8)]] * 64))


# -- what is refused --

REFUSED = [
    (START, "m64n8k16", "m64n8k8", "is not among the forms"),
    (START, "m64n8k16", "m64n12k16", "is not among the forms"),
    (START, "m64n8k16", "m64n264k16", "is not among the forms"),
    (START, "m64n8k16", "m32n8k16", "is not among the forms"),
    (START, "f32.f16.f16", "f32.f16.bf16", "is not among the forms"),
    (START, "f32.f16.f16", "s32.f16.f16", "is not among the forms"),
    (START, "f32.f16.f16", "f16.bf16.bf16", "is not among the forms"),
    (START, "f32.f16.f16 ", "f32.f16.f16.satfinite ", "is not among the forms"),
    (START, ".sync.aligned", ".sync", "is not among the forms"),
    (START, "%d0, %d1,", "%d0,", "expected a vector of 4 registers"),
    (START, "%d0, %d1,", "%me, %d1, %far,", "expected a vector of 4 registers"),
    (START, "%d0, ", "%far, ", "a register of type .b64, but .f32 is wanted"),
    (START, "%lhs", "%me", "a register of type .b32, but .b64 is wanted"),
    (START, "%lhs", "{%me, %me}", "expected a vector of 4 registers"),
    (START, "%adds", "%me", "a register of type .b32, but .pred is wanted"),
    (START, ", 1, 1, 0, 0;", ", 0, 1, 0, 0;", "expected 1 or -1 here"),
    (START, ", 1, 1, 0, 0;", ", 1, 1, 0, -1;", "expected 0 or 1 here"),
    (START, ", 1, 1, 0, 0;", ", 1, 1, 0;", "takes 8 operands, not 7"),
    (START, ", %adds, 1, 1, 0, 0;", ";", "takes 4 operands, not 3"),
    (f"{WAIT} 0;", "0;", "%me;", "expected a number"),
    (f"{WAIT} 0;", ".aligned", "", "is not among the forms"),
    (COMMIT, "commit_group", "commit", "is not among the forms"),
    (FENCE, ";", " 1;", "takes 0 operands, not 1"),
]


@pytest.mark.parametrize("statement, old, new, message", REFUSED)
def test_refused(statement, old, new, message, tmp_path):
    text = text_of(F16, WHOLE.replace(statement, statement.replace(old, new)))
    report = run(tmp_path, text, F16, *ONES.values(), code=3)
    line, _, said = report["errors"][0]["message"].partition(":")
    assert message in said and "wgmma" in text.splitlines()[int(line) - 1], report


def test_integers_have_fewer_widths(tmp_path):
    form = Form("s32", "s8", "s8", 40)
    report = run(tmp_path, text_of(form), form, [[0] * 32] * 64, [[0] * 32] * 40, fragment(form, [[0] * 40] * 64), code=3)
    assert "m64n40k32" in report["errors"][0]["message"]


def test_only_sm_90a_has_it(tmp_path):
    report = run(tmp_path, text_of(F16, target="sm_90"), F16, *ONES.values(), code=3)
    assert report["errors"][0]["message"] == "31:1: 'wgmma.fence.sync.aligned' is for .target sm_90a"
