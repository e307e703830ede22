"""Writes tests/emulator/forms/*.ptx: for each form of instruction an entry, operands and the bits that are expected.

    python3 tests/emulator/generate.py

What is expected comes from Python's integers and fractions and from the PTX ISA's own words, not from the emulator.
tests/test_emulator_forms.c says how the comments of such a file are read.
"""

import math
import random
from fractions import Fraction
from itertools import product
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "forms"
BYTES = {"pred": 4, "b8": 1, "b16": 2, "b32": 4, "f32": 4, "b64": 8}


class File:
    def __init__(self, name, about, version="7.8", target="sm_80"):
        self.name, self.entries = name, []
        self.text = [f"// {about}", "// Made by tests/emulator/generate.py.", f".version {version}",
                     f".target {target}", ".address_size 64"]

    def form(self, instruction, ins, outs, rows):
        """`instruction` has $0, $1, ... for results and then operands; rows hold operands, then results."""
        rows = list(dict.fromkeys(tuple(r) for r in rows))
        name = instruction.split(" ")[0].replace(".", "_") + f"_{len(self.entries)}"
        self.entries.append(name)
        kinds = outs + ins
        params = [f".param .u64 p{i}" for i in range(len(kinds))] + [".param .u32 n"]
        body = ["{", "    .reg .pred %outside, %q<9>;", "    .reg .b32 %i, %x, %y;", "    .reg .b64 %at, %far;"]
        body += [f"    .reg .{ {'pred': 'pred', 'b8': 'b16'}.get(k, k)} %v{i};" for i, k in enumerate(kinds)]
        body += ["    mov.u32 %x, %ctaid.x;", "    mov.u32 %y, %ntid.x;", "    mov.u32 %i, %tid.x;",
                 "    mad.lo.u32 %i, %x, %y, %i;", "    ld.param.u32 %x, [n];", "    setp.ge.u32 %outside, %i, %x;",
                 "    @%outside ret;"]
        address = ["    ld.param.u64 %at, [p{0}];", "    cvta.to.global.u64 %at, %at;",
                   "    mul.wide.u32 %far, %i, {1};", "    add.u64 %at, %at, %far;"]
        for i in range(len(outs), len(kinds)):
            body += [line.format(i, BYTES[kinds[i]]) for line in address]
            if kinds[i] == "pred":
                body += ["    ld.global.b32 %x, [%at];", f"    setp.ne.u32 %v{i}, %x, 0;"]
            else:
                body.append(f"    ld.global.{kinds[i]} %v{i}, [%at];")
        text = instruction
        for i in reversed(range(len(kinds))):  # $12 before $1
            text = text.replace(f"${i}", f"%v{i}")
        body.append(f"    {text}")
        for i in range(len(outs)):
            body += [line.format(i, BYTES[kinds[i]]) for line in address]
            if kinds[i] == "pred":
                body += [f"    selp.b32 %x, 1, 0, %v{i};", "    st.global.b32 [%at], %x;"]
            else:
                body.append(f"    st.global.{kinds[i]} [%at], %v{i};")
        body += ["    ret;", "}"]
        self.text += ["", f".visible .entry {name}({', '.join(params)})"] + body
        self.text.append(f"//: {name} {' '.join(outs)} = {' '.join(ins)}")
        for row in rows:
            values = row[len(ins):] + row[:len(ins)]
            digits = [f"{v & (2 ** (8 * BYTES[k]) - 1):0{2 * BYTES[k]}x}" for v, k in zip(values, kinds)]
            self.text.append(f"// {' '.join(digits[:len(outs)])} = {' '.join(digits[len(outs):])}")

    def write(self):
        FOLDER.mkdir(parents=True, exist_ok=True)
        (FOLDER / f"{self.name}.ptx").write_text("\n".join(self.text) + "\n")


def signed(v, w):
    v &= 2 ** w - 1
    return v - 2 ** w if v >> (w - 1) else v


def interpret(v, kind, w):
    return signed(v, w) if kind == "s" else v & (2 ** w - 1)


def edges(w):
    return [0, 1, 2 ** (w - 1) - 1, 2 ** (w - 1), 2 ** w - 1, 2 ** (w // 2) + 3]


def pairs(w, rng, extra=10):
    return list(product(edges(w), repeat=2)) + [(rng.getrandbits(w), rng.getrandbits(w)) for _ in range(extra)]


def quotient(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def integers():
    rng = random.Random(1)
    arithmetic = File("int_arithmetic", "Integer arithmetic.")
    wide = File("int_wide", "Products of twice the width, and sums onto products.")
    order = File("int_order", "Least and greatest, signs.")
    bits = File("int_bits", "Bits.")
    shifts = File("int_shift", "Shifts: amounts clamp at the width.")
    for w, k in product((16, 32, 64), "us"):
        t, b = f"{k}{w}", f"b{w}"
        def two(f, op, fn, ps=None):
            rows = [(x, y, fn(interpret(x, k, w), interpret(y, k, w))) for x, y in ps or pairs(w, rng)]
            f.form(f"{op}.{t} $0, $1, $2;", [b, b], [b], rows)
        two(arithmetic, "add", lambda x, y: x + y)
        two(arithmetic, "sub", lambda x, y: x - y)
        two(arithmetic, "mul.lo", lambda x, y: x * y)
        two(arithmetic, "mul.hi", lambda x, y: (x * y) >> w)
        nonzero = [(x, y) for x, y in pairs(w, rng) if y]
        two(arithmetic, "div", quotient, nonzero)
        two(arithmetic, "rem", lambda x, y: x - y * quotient(x, y), nonzero)
        two(order, "min", min)
        two(order, "max", max)
        def three(f, op, fn):
            rows = [(x, y, z, fn(interpret(x, k, w), interpret(y, k, w), interpret(z, k, w)))
                    for (x, y), z in zip(pairs(w, rng), edges(w) * 9)]
            f.form(f"{op}.{t} $0, $1, $2, $3;", [b, b, b], [b], rows)
        three(arithmetic, "mad.lo", lambda x, y, z: x * y + z)
        three(arithmetic, "mad.hi", lambda x, y, z: ((x * y) >> w) + z)
        if k == "s":
            for op, fn in (("neg", lambda x: -x), ("abs", abs)):
                order.form(f"{op}.{t} $0, $1;", [b], [b], [(x, fn(signed(x, w))) for x in edges(w)])
        if w < 64:
            d = f"b{2 * w}"
            wide.form(f"mul.wide.{t} $0, $1, $2;", [b, b], [d],
                      [(x, y, interpret(x, k, w) * interpret(y, k, w)) for x, y in pairs(w, rng)])
            wide.form(f"mad.wide.{t} $0, $1, $2, $3;", [b, b, d], [d],
                      [(x, y, z, interpret(x, k, w) * interpret(y, k, w) + z)
                       for (x, y), z in zip(pairs(w, rng), edges(2 * w) * 9)])
    for w in (16, 32, 64):
        b = f"b{w}"
        for op, fn in (("and", lambda x, y: x & y), ("or", lambda x, y: x | y), ("xor", lambda x, y: x ^ y)):
            bits.form(f"{op}.{b} $0, $1, $2;", [b, b], [b], [(x, y, fn(x, y)) for x, y in pairs(w, rng, 4)])
        bits.form(f"not.{b} $0, $1;", [b], [b], [(x, ~x) for x in edges(w)])
        bits.form(f"cnot.{b} $0, $1;", [b], [b], [(x, int(x == 0)) for x in edges(w)])
        amounts = [0, 1, w // 2, w - 1, w, w + 1, 31, 32, 63, 64, 127, 128, 255, 256, 2 ** 31, 2 ** 32 - 1]
        values = [1, 2 ** (w - 1), 2 ** w - 1, rng.getrandbits(w), rng.getrandbits(w - 1)]
        for op, fn in ((f"shl.{b}", lambda x, n: x << n if n < w else 0), (f"shr.{b}", lambda x, n: x >> n),
                       (f"shr.u{w}", lambda x, n: x >> n), (f"shr.s{w}", lambda x, n: signed(x, w) >> n)):
            shifts.form(f"{op} $0, $1, $2;", [b, "b32"], [b],
                        [(x, n, fn(x, min(n, 999))) for x, n in product(values, amounts)])
    for w in (32, 64):
        b = f"b{w}"
        some = edges(w) + [rng.getrandbits(w) >> s for s in range(0, w, w // 16)]
        reverse = lambda x: int(f"{x:0{w}b}"[::-1], 2)
        bits.form(f"popc.{b} $0, $1;", [b], ["b32"], [(x, bin(x).count("1")) for x in some])
        bits.form(f"clz.{b} $0, $1;", [b], ["b32"], [(x, w - x.bit_length()) for x in some])
        bits.form(f"brev.{b} $0, $1;", [b], [b], [(x, reverse(x)) for x in some])
        for k in "us":
            def find(x, k=k):
                x = interpret(x, k, w)
                return (x if x >= 0 else ~x).bit_length() - 1
            some_signed = some + [2 ** w - 1 - x for x in some]
            bits.form(f"bfind.{k}{w} $0, $1;", [b], ["b32"], [(x, find(x)) for x in some_signed])
            bits.form(f"bfind.shiftamt.{k}{w} $0, $1;", [b], ["b32"],
                      [(x, -1 if find(x) < 0 else w - 1 - find(x)) for x in some_signed])
            # As the PTX ISA's pseudo-code has it, bit by bit.
            def extract(x, p, n, k=k):
                p, n, msb = p & 255, n & 255, w - 1
                sign = 0 if k == "u" or n == 0 else x >> min(p + n - 1, msb) & 1
                return sum((x >> (p + i) & 1 if i < n and p + i <= msb else sign) << i for i in range(w))
            fields = list(product([0, 1, 7, w - 1, w, 200, 255], [0, 1, 8, w - 1, w, w + 1, 255]))
            bits.form(f"bfe.{k}{w} $0, $1, $2, $3;", [b, "b32", "b32"], [b],
                      [(x, p, n, extract(x, p, n)) for x in (some[5], 2 ** w - 1, some[8]) for p, n in fields])
        def insert(x, y, p, n):
            for i in range(min(n & 255, w - (p & 255)) if (p & 255) < w else 0):
                at = (p & 255) + i
                y = y & ~(1 << at) | (x >> i & 1) << at
            return y
        bits.form(f"bfi.{b} $0, $1, $2, $3, $4;", [b, b, "b32", "b32"], [b],
                  [(x, y, p, n, insert(x, y, p, n)) for x, y in ((0, 2 ** w - 1), (2 ** w - 1, 0), (some[7], some[9]))
                   for p, n in fields])
    def permute(x, y, s):
        data, out = (y << 32 | x).to_bytes(8, "little"), 0
        for i in range(4):
            n = s >> 4 * i & 15
            byte = data[n & 7]
            out |= (byte if n < 8 else 255 * (byte >> 7)) << 8 * i
        return out
    bits.form("prmt.b32 $0, $1, $2, $3;", ["b32"] * 3, ["b32"],
              [(0x83027f01, 0x90ff0085, s, permute(0x83027f01, 0x90ff0085, s))
               for s in [0, 0x3210, 0x7654, 0xba98, 0xfedc, 0x0123, 0xffff5410] + [rng.getrandbits(32) for _ in range(20)]])
    for d, mode in product("lr", ("wrap", "clamp")):
        def funnel(x, y, n):
            n = n & 31 if mode == "wrap" else min(n, 32)
            both = y << 32 | x
            return (both << n) >> 32 if d == "l" else both >> n
        shifts.form(f"shf.{d}.{mode}.b32 $0, $1, $2, $3;", ["b32"] * 3, ["b32"],
                    [(0x89abcdef, 0x01234567, n, funnel(0x89abcdef, 0x01234567, n))
                     for n in [0, 1, 8, 31, 32, 33, 63, 64, 255, 2 ** 31, 2 ** 32 - 1]])
    for f in (arithmetic, wide, order, bits, shifts):
        f.write()


def carries():
    rng = random.Random(2)
    f = File("int_carry", "Sums and differences of several words, by the carry flag.")
    for w, k in product((32, 64), "us"):
        t, b = f"{k}{w}", f"b{w}"
        half = edges(w) + [rng.getrandbits(w) for _ in range(3)]
        rows = list(product(half, half[:5], half, half[:5]))
        rng.shuffle(rows)
        for op, fn in (("add", lambda x, y: x + y), ("sub", lambda x, y: x - y)):
            f.form(f"{op}.cc.{t} $0, $3, $5; {op}c.cc.{t} $1, $4, $6; {op}c.{t} $2, 0, 0;", [b] * 4, [b] * 3,
                   [(xl, xh, yl, yh) + tuple(fn(xh << w | xl, yh << w | yl) >> s for s in (0, w, 2 * w))
                    for xl, xh, yl, yh in rows[:60]])
    f.write()


# -- floats --

class Format:
    def __init__(self, name, exponent, fraction, nan, has_inf=True, unused=0):
        self.name, self.exponent, self.fraction, self.nan = name, exponent, fraction, nan
        self.has_inf, self.unused, self.bias = has_inf, unused, 2 ** (exponent - 1) - 1
        self.width = 1 + exponent + fraction + unused
        self.inf = (2 ** exponent - 1) << fraction if has_inf else None
        self.greatest = self.inf - 1 if has_inf else 2 ** (exponent + fraction) - 2

    def value(self, bits):
        """(kind, sign, Fraction)"""
        sign, m = bits >> (self.width - 1) & 1, (bits & 2 ** (self.width - 1) - 1) >> self.unused
        if m > self.greatest:
            return ("inf" if m == self.inf else "nan", sign, None)
        return ("finite", sign, (-1) ** sign * self.magnitude(m))

    def magnitude(self, m):
        e, f = m >> self.fraction, m & 2 ** self.fraction - 1
        if e:
            f += 2 ** self.fraction
        return Fraction(f) * Fraction(2) ** (max(e, 1) - self.bias - self.fraction)

    def infinity(self, sign):
        return sign << (self.width - 1) | (self.inf << self.unused)

    def round(self, x, mode, zero_sign=0, satfinite=False):
        """Bits of the Fraction x; by search among the neighbours, so by the definition of rounding."""
        if x == 0:
            return zero_sign << (self.width - 1)
        sign, a = int(x < 0), abs(x)
        low, high = 0, self.greatest
        while low < high:  # greatest pattern that is not above a
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.magnitude(middle) <= a else (low, middle - 1)
        below = self.magnitude(low)
        if below != a:
            step = self.magnitude(self.greatest) - self.magnitude(self.greatest - 1)
            above = below + step if low == self.greatest else self.magnitude(low + 1)
            up = {"rz": False, "rm": sign == 1, "rp": sign == 0,
                  "rn": a - below > above - a or (a - below == above - a and low & 1 == 1),
                  "rna": a - below >= above - a}[mode]
            low += up
        if low > self.greatest and (satfinite or not self.has_inf):
            low = self.greatest
        return sign << (self.width - 1) | low << self.unused


F16, BF16 = Format("f16", 5, 10, 0x7fff), Format("bf16", 8, 7, 0x7fff)
F32, F64 = Format("f32", 8, 23, 0x7fffffff), Format("f64", 11, 52, 0x7ff8 << 48)
TF32 = Format("tf32", 8, 10, 0x7fffffff, unused=13)
E4M3, E5M2 = Format("e4m3", 4, 3, 0x7f, False), Format("e5m2", 5, 2, 0x7f)


def samples(f, rng, count=6):
    """Zeros, subnormals, the edges of the normal range, 1 and its neighbours, inf, NaN, some at random; both signs."""
    one = f.bias << f.fraction
    least = 1 << f.fraction
    some = [0, 1, least - 1, least, one, one + 1, one - 1, one + (least >> 1), f.inf - 1, f.inf, f.inf | least >> 1]
    some += [rng.getrandbits(f.width - 1) for _ in range(count)]
    return [s << (f.width - 1) | x for x in some for s in (0, 1)]


def pairs_of(f, rng, count):
    s = samples(f, rng)
    chosen = [(rng.choice(s), rng.choice(s)) for _ in range(count)]
    one = f.bias << f.fraction
    near = [(one + rng.getrandbits(f.fraction + 2), one + rng.getrandbits(f.fraction + 2)) for _ in range(count // 3)]
    return chosen + near + [(0, 1 << (f.width - 1)), (1 << (f.width - 1), 1 << (f.width - 1)), (one, one ^ 1 << (f.width - 1)),
                            (f.inf, f.inf | 1 << (f.width - 1)), (f.inf, 0)]


def exact_sum(f, mode, x, y):
    """x, y: (kind, sign, Fraction)"""
    if "nan" in (x[0], y[0]) or (x[0] == y[0] == "inf" and x[1] != y[1]):
        return f.nan
    for v in (x, y):
        if v[0] == "inf":
            return f.infinity(v[1])
    zero = x[1] if x[1] == y[1] else int(mode == "rm")
    return f.round(x[2] + y[2], mode, zero)


def exact_product(x, y):
    sign = x[1] ^ y[1]
    if "nan" in (x[0], y[0]):
        return ("nan", 0, None)
    if "inf" in (x[0], y[0]):
        zero = (x[0] == "finite" and x[2] == 0) or (y[0] == "finite" and y[2] == 0)
        return ("nan", 0, None) if zero else ("inf", sign, None)
    return ("finite", sign, x[2] * y[2])


def pack(f, v, mode):
    return f.nan if v[0] == "nan" else f.infinity(v[1]) if v[0] == "inf" else f.round(v[2], mode, v[1])


def quotient_of(f, mode, x, y):
    sign = x[1] ^ y[1]
    zeros = [v[0] == "finite" and v[2] == 0 for v in (x, y)]
    if "nan" in (x[0], y[0]) or x[0] == y[0] == "inf" or all(zeros):
        return f.nan
    if x[0] == "inf" or zeros[1]:
        return f.infinity(sign)
    return f.round(Fraction(0) if y[0] == "inf" else x[2] / y[2], mode, sign)


def root(f, mode, x):
    if x[0] == "nan" or (x[1] and not (x[0] == "finite" and x[2] == 0)):
        return f.nan
    if x[0] == "inf":
        return f.infinity(0)
    scaled = x[2] * 4 ** 1200  # an integer
    r = math.isqrt(int(scaled))
    return f.round(Fraction(2 * r + (r * r != scaled), 2 ** 1201), mode, x[1])


def floats():
    rng = random.Random(3)
    for f, modes, target in ((F32, ("rn", "rz", "rm", "rp"), "sm_80"), (F64, ("rn", "rz", "rm", "rp"), "sm_80"),
                             (F16, ("rn",), "sm_80"), (BF16, ("rn",), "sm_90")):
        out = File(f"float_{f.name}", f"Arithmetic of {f.name} in each rounding.", target=target)
        b, v = f"b{f.width}", f.value
        for mode in modes:
            ps = pairs_of(f, rng, 40)
            flip = 1 << (f.width - 1)
            out.form(f"add.{mode}.{f.name} $0, $1, $2;", [b, b], [b],
                     [(x, y, exact_sum(f, mode, v(x), v(y))) for x, y in ps])
            out.form(f"sub.{mode}.{f.name} $0, $1, $2;", [b, b], [b],
                     [(x, y, exact_sum(f, mode, v(x), v(y ^ flip))) for x, y in ps])
            out.form(f"mul.{mode}.{f.name} $0, $1, $2;", [b, b], [b],
                     [(x, y, pack(f, exact_product(v(x), v(y)), mode)) for x, y in ps])
            def fused(x, y, z):
                p = exact_product(v(x), v(y))
                if p[0] == "nan":
                    return f.nan
                return exact_sum(f, mode, p, v(z))
            triples = [(x, y, rng.choice([rng.choice(samples(f, rng, 0)), pack(f, exact_product(v(x), v(y ^ flip)), "rn")]))
                       for x, y in pairs_of(f, rng, 60)]
            rows = [(x, y, z, fused(x, y, z)) for x, y, z in triples]
            out.form(f"fma.{mode}.{f.name} $0, $1, $2, $3;", [b] * 3, [b], rows)
            if f in (F16, BF16):
                continue
            out.form(f"mad.{mode}.{f.name} $0, $1, $2, $3;", [b] * 3, [b], rows[:20])
            out.form(f"div.{mode}.{f.name} $0, $1, $2;", [b, b], [b],
                     [(x, y, quotient_of(f, mode, v(x), v(y))) for x, y in ps])
            singles = samples(f, rng, 12)
            one = ("finite", 0, Fraction(1))
            out.form(f"rcp.{mode}.{f.name} $0, $1;", [b], [b], [(x, quotient_of(f, mode, one, v(x))) for x in singles])
            out.form(f"sqrt.{mode}.{f.name} $0, $1;", [b], [b], [(x, root(f, mode, v(x))) for x in singles])
        out.write()


def rank(x):
    """A number in the order of floats, None for NaN."""
    return {"inf": Fraction(2) ** 2000 * (-1) ** x[1], "finite": x[2], "nan": None}[x[0]]


def float_comparisons(out, f, ps):
    b, v = f"b{f.width}", f.value
    compare = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y,
               "le": lambda x, y: x <= y, "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}
    for name, fn in compare.items():
        for suffix, unordered in (("", 0), ("u", 1)):
            def holds(x, y):
                a, c = rank(v(x)), rank(v(y))
                return unordered if a is None or c is None else int(fn(a, c))
            out.form(f"setp.{name}{suffix}.{f.name} $0, $1, $2;", [b, b], ["pred"],
                     [(x, y, holds(x, y)) for x, y in ps])
    for name, wanted in (("num", 0), ("nan", 1)):
        out.form(f"setp.{name}.{f.name} $0, $1, $2;", [b, b], ["pred"],
                 [(x, y, int(("nan" in (v(x)[0], v(y)[0])) == bool(wanted))) for x, y in ps])


def float_order():
    rng = random.Random(4)
    out = File("float_order", "Least and greatest, signs, classes, comparisons of floats.", target="sm_90")
    for f in (F32, F64, F16, BF16):
        b, v, flip = f"b{f.width}", f.value, 1 << (f.width - 1)
        numbers = [x for x in samples(f, rng, 3) if v(x)[0] != "nan"]
        def key(x):
            return (-1 if v(x)[1] else 1) * (x & flip - 1) - (1 if v(x)[1] else 0)
        ps = [(rng.choice(samples(f, rng, 2)), rng.choice(samples(f, rng, 2))) for _ in range(60)]
        ps += [(0, flip), (flip, 0), (f.nan, 0), (0, f.nan), (f.nan, f.nan)]
        for op, choose in (("min", min), ("max", max)):
            def plain(x, y, propagate):
                nans = [v(x)[0] == "nan", v(y)[0] == "nan"]
                if all(nans) or (propagate and any(nans)):
                    return f.nan
                return y if nans[0] else x if nans[1] else choose(x, y, key=key)
            out.form(f"{op}.{f.name} $0, $1, $2;", [b, b], [b], [(x, y, plain(x, y, False)) for x, y in ps])
            if f is not F64:
                out.form(f"{op}.NaN.{f.name} $0, $1, $2;", [b, b], [b], [(x, y, plain(x, y, True)) for x, y in ps])
        out.form(f"neg.{f.name} $0, $1;", [b], [b], [(x, x ^ flip) for x in numbers])
        out.form(f"abs.{f.name} $0, $1;", [b], [b], [(x, x & ~flip) for x in numbers])
        if f not in (F32, F64):
            continue
        out.form(f"copysign.{f.name} $0, $1, $2;", [b, b], [b], [(x, y, x & flip | y & ~flip) for x, y in ps])
        least = Fraction(2) ** (1 - f.bias)
        tests = {"finite": lambda x: x[0] == "finite", "infinite": lambda x: x[0] == "inf",
                 "number": lambda x: x[0] != "nan", "notanumber": lambda x: x[0] == "nan",
                 "normal": lambda x: x[0] == "finite" and (x[2] == 0 or abs(x[2]) >= least),
                 "subnormal": lambda x: x[0] == "finite" and 0 < abs(x[2]) < least}
        for name, test in tests.items():
            out.form(f"testp.{name}.{f.name} $0, $1;", [b], ["pred"], [(x, int(test(v(x)))) for x in samples(f, rng, 2)])
        float_comparisons(out, f, ps)
    out.write()


def comparisons():
    rng = random.Random(5)
    out = File("int_compare", "Comparisons and selections.")
    compare = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y,
               "le": lambda x, y: x <= y, "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}
    names = {"u": {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}}
    for w, k in product((16, 32, 64), "bus"):
        b, ops = f"b{w}", ["eq", "ne"] if k == "b" else list(compare)
        for name in ops + list(names.get(k, [])):
            fn = compare[names.get(k, {}).get(name, name)]
            out.form(f"setp.{name}.{k}{w} $0, $1, $2;", [b, b], ["pred"],
                     [(x, y, int(fn(interpret(x, k, w), interpret(y, k, w)))) for x, y in pairs(w, rng, 2)])
    for with_, fn in (("and", lambda a, c: a & c), ("or", lambda a, c: a | c), ("xor", lambda a, c: a ^ c)):
        for note in ("", "!"):
            def both(x, y, c):
                c ^= note == "!"
                less = int(signed(x, 32) < signed(y, 32))
                return fn(less, c), fn(1 - less, c)
            out.form(f"setp.lt.{with_}.s32 $0|$1, $2, $3, {note}$4;", ["b32", "b32", "pred"], ["pred", "pred"],
                     [(x, y, c) + both(x, y, c) for x, y in ((1, 2), (2, 1), (-1, 1), (0, 0)) for c in (0, 1)])
    out.form("setp.ge.u32 $0|$1, $2, $3;", ["b32", "b32"], ["pred", "pred"],
             [(x, y, int(x >= y), int(x < y)) for x, y in pairs(32, rng, 2)])
    for w, k in list(product((16, 32, 64), "bus")) + [(32, "f"), (64, "f")]:
        b = f"b{w}"
        ab = (2 ** w - 2, 5)
        out.form(f"selp.{k}{w} $0, $1, $2, $3;", [b, b, "pred"], [b], [ab + (p, ab[1 - p]) for p in (0, 1)])
        out.form(f"slct.{k}{w}.s32 $0, $1, $2, $3;", [b, b, "b32"], [b],
                 [ab + (c, ab[0] if signed(c, 32) >= 0 else ab[1]) for c in edges(32)])
        out.form(f"slct.{k}{w}.f32 $0, $1, $2, $3;", [b, b, "b32"], [b],
                 [ab + (c, ab[0 if F32.value(c)[0] != "nan" and (F32.value(c)[0] == "inf" and not F32.value(c)[1] or
                                                                 F32.value(c)[0] == "finite" and F32.value(c)[2] >= 0)
                            else 1]) for c in samples(F32, rng, 2)])
    for op, fn in (("and", lambda x, y: x & y), ("or", lambda x, y: x | y), ("xor", lambda x, y: x ^ y)):
        out.form(f"{op}.pred $0, $1, $2;", ["pred"] * 2, ["pred"], [(x, y, fn(x, y)) for x, y in product((0, 1), repeat=2)])
    for op, fn in (("not", lambda x: 1 - x), ("mov", lambda x: x)):
        out.form(f"{op}.pred $0, $1;", ["pred"], ["pred"], [(x, fn(x)) for x in (0, 1)])
    out.write()


def integral(x, mode):
    floor = math.floor(x)
    if floor == x:
        return floor
    return {"rmi": floor, "rpi": floor + 1, "rzi": floor + (x < 0),
            "rni": floor + (1 if x - floor > Fraction(1, 2) or (x - floor == Fraction(1, 2) and floor & 1) else 0)}[mode]


def clamp(x, k, w):
    return max(-2 ** (w - 1), min(2 ** (w - 1) - 1, x)) if k == "s" else max(0, min(2 ** w - 1, x))


def conversions():
    rng = random.Random(6)
    ints = list(product("us", (8, 16, 32, 64)))
    out = File("cvt_int", "Conversions between integers, plain and saturating.")
    for (tk, tw), (fk, fw) in product(ints, repeat=2):
        some = [x & 2 ** fw - 1 for w in (8, 16, 32, 64) if w <= fw for x in edges(w) + [-x for x in edges(w)]]
        for sat in ("", ".sat"):
            inside = tw >= fw if tk == fk else tk == "s" and tw > fw
            if sat and inside:  # there is no such form where nothing can be saturated
                continue
            fn = (lambda x: clamp(x, tk, tw)) if sat else (lambda x: x)
            out.form(f"cvt{sat}.{tk}{tw}.{fk}{fw} $0, $1;", [f"b{fw}"], [f"b{tw}"],
                     [(x, fn(interpret(x, fk, fw))) for x in some])
    out.write()
    formats = (F16, BF16, F32, F64)
    out = File("cvt_to_int", "Conversions of floats to integers: they clamp.", target="sm_90")
    for f, (k, w), mode in product(formats, ints, ("rni", "rzi", "rmi", "rpi")):
        if f is BF16 and w == 8:
            continue
        def convert(x):
            kind, sign, value = f.value(x)
            if kind == "nan":
                return 1 << (w - 1) if f is F64 or w == 64 else 0
            return clamp((-1) ** sign * 2 ** 200 if kind == "inf" else integral(value, mode), k, w)
        near = [Fraction(n, 2) for n in (1, 3, 5, -1, -3, -5)] + [Fraction(2) ** e * s + d for e in (w - 1, w)
                                                                  for s in (1, -1) for d in (0, -1, 1, Fraction(1, 2))]
        some = samples(f, rng, 2) + [f.round(x, "rn") for x in near]
        out.form(f"cvt.{mode}.{k}{w}.{f.name} $0, $1;", [f"b{f.width}"], [f"b{w}"], [(x, convert(x)) for x in some])
    out.write()
    out = File("cvt_from_int", "Conversions of integers to floats.", target="sm_90")
    for f, (k, w), mode in product(formats, ints, ("rn", "rz", "rm", "rp")):
        if f is BF16 and w == 8:
            continue
        p = f.fraction + 1
        some = edges(w) + [rng.getrandbits(w) for _ in range(4)]
        if w > p:
            some += [2 ** p + 1, 2 ** p + 3, 2 ** (w - 1) - 2 ** (w - 1 - p) // 2 + 1, -(2 ** p + 1), 2 ** (w - 2) + 2 ** (w - 3 - p + 1)]
        out.form(f"cvt.{mode}.{f.name}.{k}{w} $0, $1;", [f"b{w}"], [f"b{f.width}"],
                 [(x, f.round(Fraction(interpret(x, k, w)), mode)) for x in some])
    out.write()
    out = File("cvt_float", "Conversions between floats.", version="8.6", target="sm_90")
    def saturate(f, x, mode):
        kind, sign, value = x
        if kind == "nan" or sign:
            return 0
        return f.round(Fraction(1) if kind == "inf" else min(value, Fraction(1)), mode)
    for to, f in product(formats, repeat=2):
        ties = [to.magnitude(m) + (to.magnitude(m + 1) - to.magnitude(m)) * Fraction(q, 4)
                for m in (0, 1, 2, 1 << to.fraction, to.bias << to.fraction, to.greatest - 1) for q in (1, 2, 3)]
        some = samples(f, rng, 6) + [f.round(x * s, "rn") for x in ties for s in (1, -1)]
        some += [f.round(to.magnitude(to.greatest) * Fraction(q, 2 ** 13), "rn") for q in (8192, 8193, 8194, 8196, 8200, 8300)]
        narrow = to.fraction < f.fraction or to.exponent < f.exponent
        modes = ("rni", "rzi", "rmi", "rpi") if to is f else ("rn", "rz", "rm", "rp") if narrow else ("",)
        if to is f and f is BF16:
            continue
        if BF16 in (to, f) and F16 in (to, f):
            modes = ("rn", "rz", "rm", "rp") if to is F16 or to is BF16 else modes
        for mode, sat in product(modes, ("", ".sat")):
            if sat and BF16 in (to, f):
                continue
            def convert(x):
                kind, sign, value = f.value(x)
                exact = mode if mode in ("rn", "rz", "rm", "rp") else "rn"
                if kind == "finite" and to is f and mode:
                    value = Fraction(integral(value, mode))
                if sat:
                    return saturate(to, (kind, sign, value), exact)
                return pack(to, (kind, sign, value), exact)
            name = f"cvt{'.' if mode else ''}{mode}{sat}.{to.name}.{f.name}"
            out.form(f"{name} $0, $1;", [f"b{f.width}"], [f"b{to.width}"], [(x, convert(x)) for x in some])
    out.write()


def packed():
    rng = random.Random(7)
    out = File("cvt_packed", "Conversions to tf32, to pairs of f16 and bf16, to and from pairs of fp8.", version="8.6",
               target="sm_90")
    some = samples(F32, rng, 20)
    for f in (E4M3, E5M2, F16, BF16, TF32):
        some += [F32.round(s * (f.magnitude(m) + (f.magnitude(m + 1) - f.magnitude(m)) * Fraction(q, 4)), "rn")
                 for m in (0, 1, 3, f.bias << f.fraction, f.greatest - 1) for q in (1, 2, 3) for s in (1, -1)]
    some += [F32.round(Fraction(x), "rn") for x in (448, 464, 465, 480, 57344, 61439, 61440, 61441, 65504, 65519, 65520)]
    def narrow(f, x, mode, satfinite=False):
        kind, sign, value = F32.value(x)
        if kind == "inf" and satfinite:
            return sign << (f.width - 1) | f.greatest
        return f.nan if kind == "nan" else f.infinity(sign) if kind == "inf" else f.round(value, mode, sign, satfinite)
    for mode in ("rna", "rn", "rz"):
        out.form(f"cvt.{mode}.tf32.f32 $0, $1;", ["b32"], ["b32"], [(x, narrow(TF32, x, mode)) for x in some])
    both = list(zip(some, some[1:] + some[:1]))
    for f, mode in product((F16, BF16), ("rn", "rz")):
        out.form(f"cvt.{mode}.{f.name}x2.f32 $0, $1, $2;", ["b32", "b32"], ["b32"],
                 [(x, y, narrow(f, x, mode) << 16 | narrow(f, y, mode)) for x, y in both])
    for f in (E4M3, E5M2):
        out.form(f"cvt.rn.satfinite.{f.name}x2.f32 $0, $1, $2;", ["b32", "b32"], ["b16"],
                 [(x, y, narrow(f, x, "rn", True) << 8 | narrow(f, y, "rn", True)) for x, y in both])
        def from_half(x):
            kind, sign, value = F16.value(x)
            return (f.nan if kind == "nan" else sign << 7 | f.greatest if kind == "inf"
                    else f.round(value, "rn", sign, True))
        halves = [(rng.getrandbits(16), rng.getrandbits(16)) for _ in range(60)] + [(0x7c00, 0xfc00), (0x7e00, 0x8000)]
        out.form(f"cvt.rn.satfinite.{f.name}x2.f16x2 $0, $1;", ["b32"], ["b16"],
                 [(x << 16 | y, from_half(x) << 8 | from_half(y)) for x, y in halves])
        def to_half(x):
            return pack(F16, f.value(x), "rn")
        out.form(f"cvt.rn.f16x2.{f.name}x2 $0, $1;", ["b16"], ["b32"],
                 [(x << 8 | 255 - x, to_half(x) << 16 | to_half(255 - x)) for x in range(256)])
    out.write()


def moves():
    out = File("mov", "Copies, packing, and loads and stores of each width.")
    for t, w in (("b16", 16), ("u16", 16), ("s16", 16), ("b32", 32), ("u32", 32), ("s32", 32), ("f32", 32), ("b64", 64),
                 ("u64", 64), ("s64", 64), ("f64", 64)):
        out.form(f"mov.{t} $0, $1;", [f"b{w}"], [f"b{w}"], [(x, x) for x in edges(w)])
    out.form("mov.b32 $0, {$1, $2};", ["b16", "b16"], ["b32"], [(0x1234, 0xabcd, 0xabcd1234)])
    out.form("mov.b32 {$0, $1}, $2;", ["b32"], ["b16", "b16"], [(0xabcd1234, 0x1234, 0xabcd)])
    out.form("mov.b64 $0, {$1, $2};", ["b32", "b32"], ["b64"], [(0x12345678, 0x9abcdef0, 0x9abcdef012345678)])
    out.form("mov.b64 {$0, $1}, $2;", ["b64"], ["b32", "b32"], [(0x9abcdef012345678, 0x12345678, 0x9abcdef0)])
    out.form("mov.b64 $0, {$1, $2, $3, $4};", ["b16"] * 4, ["b64"], [(1, 2, 3, 0x8004, 0x8004000300020001)])
    out.form("mov.b64 {$0, $1, $2, $3}, $4;", ["b64"], ["b16"] * 4, [(0x8004000300020001, 1, 2, 3, 0x8004)])
    out.form("mov.u32 $0, -5; add.u32 $0, $0, $1;", ["b32"], ["b32"], [(7, 2)])
    out.form("mov.f32 $0, 0f3F800000; add.rn.f32 $0, $0, $1;", ["b32"], ["b32"], [(0x40000000, 0x40400000)])
    out.form("mov.f64 $0, 0d3FF0000000000000; add.rn.f64 $0, $0, $1;", ["b64"], ["b64"], [(0x4000 << 48, 0x4008 << 48)])
    out.write()


def compared_pairs(out, f, halves):
    def less(x, y):
        x, y = rank(f.value(x)), rank(f.value(y))
        return int(None not in (x, y) and x < y)
    both = list(zip(halves, halves[7:] + halves[:7]))
    out.form(f"setp.lt.{f.name}x2 $0|$1, $2, $3;", ["b32", "b32"], ["pred", "pred"],
             [(a << 16 | c, b << 16 | d, less(c, d), less(a, b)) for (a, b), (c, d) in both])
    for with_, fn in (("and", lambda a, c: a & c), ("xor", lambda a, c: a ^ c)):
        out.form(f"setp.lt.{with_}.{f.name}x2 $0|$1, $2, $3, $4;", ["b32", "b32", "pred"], ["pred", "pred"],
                 [(a << 16 | c, b << 16 | d, p, fn(less(c, d), p), fn(less(a, b), p)) for (a, b), (c, d) in both[:20] for p in (0, 1)])
    # a result may be the third operand as well
    out.form(f"setp.lt.and.{f.name}x2 $2|$1, $3, $4, $2; mov.pred $0, $2;", ["pred", "b32", "b32"], ["pred", "pred"],
             [(p, a << 16 | c, b << 16 | d, less(c, d) & p, less(a, b) & p) for (a, b), (c, d) in both[:20] for p in (0, 1)])


def xor_signs(out, rng):
    """As the PTX ISA's pseudo-code has it."""
    for f, is_nan, (name, choose) in product((F16, BF16, F32), (False, True), (("min", min), ("max", max))):
        if f is F32 and not is_nan:
            continue
        flip, b = 1 << (f.width - 1), f"b{f.width}"
        def one(x, y, f=f, is_nan=is_nan, choose=choose, flip=flip):
            sign, numbers = (x ^ y) & flip, [v & ~flip for v in (x, y) if f.value(v)[0] != "nan"]
            return choose(numbers) | sign if len(numbers) == 2 or numbers and not is_nan else f.nan
        form = f"{name}{'.NaN' if is_nan else ''}.xorsign.abs.{f.name}"
        out.form(f"{form} $0, $1, $2;", [b, b], [b], [(x, y, one(x, y)) for x, y in pairs_of(f, rng, 60)])
        if f is F16:
            rows = pairs_of(f, rng, 20)
            out.form(f"{form}x2 $0, $1, $2;", ["b32", "b32"], ["b32"],
                     [(x << 16 | y, y << 16 | x, one(x, y) << 16 | one(y, x)) for x, y in rows])


def clamped_integers(f, rng):
    """Integers that stop at the ends of the range or at 0, and pairs of 16 bits in a register."""
    def relu_of(fn):
        return lambda x, y: max(fn(x, y), 0)
    for op, fn in (("add", lambda x, y: x + y), ("sub", lambda x, y: x - y)):
        f.form(f"{op}.sat.s32 $0, $1, $2;", ["b32", "b32"], ["b32"],
               [(x, y, min(max(fn(signed(x, 32), signed(y, 32)), -2 ** 31), 2 ** 31 - 1)) for x, y in pairs(32, rng)])
    for op, fn in (("min", min), ("max", max)):
        f.form(f"{op}.relu.s32 $0, $1, $2;", ["b32", "b32"], ["b32"],
               [(x, y, relu_of(fn)(signed(x, 32), signed(y, 32))) for x, y in pairs(32, rng)])
    halves = pairs(16, rng, 30)
    both = list(zip(halves, rng.sample(halves, len(halves))))
    for op, fn in (("add", lambda x, y: x + y), ("min", min), ("max", max)):
        for kind, end in product("us", ("", ".relu")):
            if end and (kind == "u" or op == "add"):
                continue
            def one(x, y, fn=relu_of(fn) if end else fn, kind=kind):
                return fn(interpret(x, kind, 16), interpret(y, kind, 16)) & 0xffff
            f.form(f"{op}{end}.{kind}16x2 $0, $1, $2;", ["b32", "b32"], ["b32"],
                   [(a << 16 | c, b << 16 | d, one(a, b) << 16 | one(c, d)) for (a, b), (c, d) in both])


def compiled():
    """What compilers write and the other files lack."""
    rng = random.Random(13)
    out = File("compiled", "Variants and forms that compilers write: .ftz, no rounding, pairs, products with a carry, lop3.", version="8.6",
               target="sm_90")
    def flush(x):
        return x if x & 0x7f800000 else x & 0x80000000
    some = samples(F32, rng, 10) + [1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x00800001]
    def sum_of(x, y):
        return exact_sum(F32, "rn", F32.value(x), F32.value(y))
    def product_of(x, y):
        return pack(F32, exact_product(F32.value(x), F32.value(y)), "rn")
    two = [(rng.choice(some), rng.choice(some)) for _ in range(80)] + [(1, 1), (0x00800000, 0x807fffff), (0x00800001, 0x80800000)]
    for name, fn in (("add", sum_of), ("mul", product_of)):
        out.form(f"{name}.f32 $0, $1, $2;", ["f32", "f32"], ["f32"], [(x, y, fn(x, y)) for x, y in two])
        for rounding in ("", ".rn"):
            out.form(f"{name}{rounding}.ftz.f32 $0, $1, $2;", ["f32", "f32"], ["f32"], [(x, y, flush(fn(flush(x), flush(y)))) for x, y in two])
    out.form("sub.ftz.f32 $0, $1, $2;", ["f32", "f32"], ["f32"],
             [(x, y, flush(sum_of(flush(x), flush(y) ^ 0x80000000))) for x, y in two if F32.value(y)[0] != "nan"])
    out.form("abs.ftz.f32 $0, $1;", ["f32"], ["f32"], [(x, flush(x) & 0x7fffffff) for x in some if F32.value(x)[0] != "nan"])
    out.form("setp.gt.ftz.f32 $0, $1, 0f00000000;", ["f32"], ["pred"],
             [(x, int(x < 0x80000000 and bool(flush(x)))) for x in some if F32.value(x)[0] != "nan"])
    out.form("setp.gt.and.ftz.f32 $0, $1, 0f00000000, $2;", ["f32", "pred"], ["pred"], [(1, 1, 0), (0x3f800000, 1, 1), (0x3f800000, 0, 0)])
    out.form("cvt.rpi.ftz.f32.f32 $0, $1;", ["f32"], ["f32"], [(1, 0), (0x80000001, 0x80000000), (0x3f000000, 0x3f800000)])
    out.form("cvt.rpi.ftz.s32.f32 $0, $1;", ["f32"], ["b32"], [(1, 0), (0x00800000, 1), (0x40200000, 3)])
    out.form("cvt.rn.ftz.f16.f32 $0, $1;", ["f32"], ["b16"], [(0x3f800000, 0x3c00), (0x807fffff, 0x8000)])
    for form in ("cvt.bf16.f16", "cvt.rn.bf16.f16"):
        out.form(f"{form} $0, $1;", ["b16"], ["b16"], [(0x3c00, 0x3f80), (0x3c0c, 0x3f82), (0x3c04, 0x3f80), (1, 0x3380)])
    for f in (F16, BF16):
        halves = [(rng.choice(samples(f, rng, 6)), rng.choice(samples(f, rng, 6))) for _ in range(60)]
        float_comparisons(out, f, halves)
        compared_pairs(out, f, halves)
        for name in ("add.", "add.rn."):
            out.form(f"{name}{f.name}x2 $0, $1, $2;", ["b32", "b32"], ["b32"],
                     [(x << 16 | y, y << 16 | x, exact_sum(f, "rn", f.value(x), f.value(y)) * 65537) for x, y in halves])
    out.form("min.f16x2 $0, $1, $2;", ["b32", "b32"], ["b32"], [(0x3c00bc00, 0x40003c00, 0x3c00bc00), (0x7e003c00, 0x3c007e00, 0x3c003c00)])
    out.form("set.nan.f16.f16 $0, $1, $2;", ["b16", "b16"], ["b16"], [(0x7e00, 0, 0x3c00), (0x7c00, 0xfe00, 0x3c00), (0x3c00, 0x8000, 0)])
    out.form("set.nan.f16x2.f16x2 $0, $1, $2;", ["b32", "b32"], ["b32"],
             [(0x7e003c00, 0x3c003c00, 0x3c000000), (0x3c003c00, 0x3c00fe00, 0x00003c00), (0x7c000000, 0xfc008000, 0)])
    for name, less in (("min", True), ("max", False)):
        out.form(f"{name}.xorsign.abs.f32 $0, $1, $2;", ["f32", "f32"], ["f32"],
                 [(x, y, (min if less else max)(x & 0x7fffffff, y & 0x7fffffff) | (x ^ y) & 0x80000000)
                  for x, y in two if "nan" not in (F32.value(x)[0], F32.value(y)[0])] + [(0x7fc00000, 0x3f800000, 0x3f800000)])
    xor_signs(out, rng)
    clamped_integers(out, rng)
    for table in (0x00, 0x96, 0xe8, 0xc0, 0x3c, 0xff):
        out.form(f"lop3.b32 $0, $1, $2, $3, {table:#x};", ["b32"] * 3, ["b32"],
                 [(*abc, sum((table >> (4 * (abc[0] >> i & 1) + 2 * (abc[1] >> i & 1) + (abc[2] >> i & 1)) & 1) << i for i in range(32)))
                  for abc in [tuple(rng.getrandbits(32) for _ in range(3)) for _ in range(8)]])
    for w in (32, 64):
        most, t, b = 2 ** w - 1, f"u{w}", f"b{w}"
        rows = [tuple(rng.choice(edges(w)) if rng.random() < .5 else rng.getrandbits(w) for _ in range(4)) for _ in range(40)] + [(most,) * 4]
        # the double word x y + low, and onto it a high word
        out.form(f"mad.lo.cc.{t} $0, $2, $3, $4; madc.hi.{t} $1, $2, $3, $5;", [b] * 4, [b] * 2,
                 [(x, y, low, high, x * y + low, (x * y + low >> w) + high) for x, y, low, high in rows])
        out.form(f"mad.lo.cc.{t} $0, $3, $4, $5; madc.hi.cc.{t} $1, $3, $4, $6; addc.{t} $2, 0, 0;", [b] * 4, [b] * 3,
                 [(x, y, low, high, x * y + low, (x * y + low >> w) + high, x * y + low + (high << w) >> 2 * w) for x, y, low, high in rows])
        out.form(f"mad.hi.cc.{t} $0, $3, $4, $5; madc.lo.{t} $1, $3, $4, $6; addc.{t} $2, 0, 0;", [b] * 4, [b] * 3,
                 [(x, y, low, high, (x * y >> w) + low, x * y + high + ((x * y >> w) + low >> w), (x * y >> w) + low >> w) for x, y, low, high in rows])
        out.form(f"mad.hi.cc.{t} $0, $3, $4, $5; madc.lo.cc.{t} $1, $3, $4, $6; addc.{t} $2, 0, 0;", [b] * 4, [b] * 3,
                 [(x, y, low, high, (x * y >> w) + low, x * y + high + ((x * y >> w) + low >> w),
                   (x * y & most) + high + ((x * y >> w) + low >> w) >> w) for x, y, low, high in rows])
    out.write()


class Whole:
    """Whole numbers of 8 or 32 bits, instead of a Format."""

    def __init__(self, width):
        self.width = width

    def round(self, x, mode):
        return int(x) & 2 ** self.width - 1


def whole_matrices(rng, shape, most, addend):
    """A, B by columns, C, and A B + C."""
    m, n, k = shape
    a, b = ([[rng.randint(*most) for _ in range(k)] for _ in range(rows)] for rows in (m, n))
    c = [[rng.randint(-addend, addend) for _ in range(n)] for _ in range(m)]
    return a, b, c, [[c[i][j] + sum(x * y for x, y in zip(a[i], b[j])) for j in range(n)] for i in range(m)]


def fragment(lane, f, d_format, per, k, a, b, c, d):
    """The registers of a lane of m16n8kK: A, B, C, D."""
    def register(matrix, row, begin):
        return sum(f.round(Fraction(matrix[row][begin + e]), "rn") << f.width * e for e in range(per))
    group, place = divmod(lane, 4)
    halves = [place * per + begin for begin in range(0, k, 4 * per)]
    left = [register(a, row, begin) for begin in halves for row in (group, group + 8)]
    right = [register(b, group, begin) for begin in halves]
    def sums(matrix):
        one = [[d_format.round(Fraction(matrix[row][2 * place + e]), "rn") for e in range(2)] for row in (group, group + 8)]
        return [x for row in one for x in row] if d_format.width == 32 else [low | high << 16 for low, high in one]
    return left, right, sums(c), sums(d)


def matrix_products():
    """Whole numbers whose sums are exact in whatever order they are added; a row is a lane, 32 of them a warp."""
    rng = random.Random(11)
    out = File("mma", "Products of matrices by a warp: which lane has which elements.", version="8.4", target="sm_89")
    warps = 3
    s32, byte = Whole(32), Whole(8)
    big, small = ((-99, 99), 2 ** 20), ((-7, 7), 99)
    for name, f, d_format, k, per, (most, addend) in (
            ("m16n8k16.row.col.f32.f16.f16.f32", F16, F32, 16, 2, big), ("m16n8k16.row.col.f32.bf16.bf16.f32", BF16, F32, 16, 2, big),
            ("m16n8k8.row.col.f32.tf32.tf32.f32", F32, F32, 8, 1, big), ("m16n8k8.row.col.f32.f16.f16.f32", F16, F32, 8, 2, big),
            ("m16n8k4.row.col.f32.tf32.tf32.f32", F32, F32, 4, 1, big), ("m16n8k16.row.col.f16.f16.f16.f16", F16, F16, 16, 2, small),
            ("m16n8k32.row.col.f32.e4m3.e4m3.f32", E4M3, F32, 32, 4, small), ("m16n8k32.row.col.f32.e5m2.e5m2.f32", E5M2, F32, 32, 4, ((-4, 4), 99)),
            ("m16n8k32.row.col.s32.s8.s8.s32", byte, s32, 32, 4, ((-128, 127), 2 ** 31 - 1)),
            ("m16n8k32.row.col.s32.u8.u8.s32", byte, s32, 32, 4, ((0, 255), 2 ** 31 - 1)),
            ("m16n8k16.row.col.s32.s8.s8.s32", byte, s32, 16, 4, ((-128, 127), 99)),
            ("m16n8k32.row.col.satfinite.s32.s8.s8.s32", byte, s32, 32, 4, ((-128, 127), 2 ** 31 - 1))):
        rows = []
        for _ in range(warps):
            a, b, c, d = whole_matrices(rng, (16, 8, k), most, addend)
            if "satfinite" in name:
                d = [[min(max(x, -2 ** 31), 2 ** 31 - 1) for x in line] for line in d]
            parts = [fragment(lane, f, d_format, per, k, a, b, c, d) for lane in range(32)]
            rows += [tuple(x for part in lane for x in part) for lane in parts]
        assert len(set(rows)) == 32 * warps
        left, right, sums, _ = parts[0]
        at, names = 0, []
        for count in (len(sums), len(left), len(right), len(sums)):
            names.append(", ".join(f"${at + i}" for i in range(count)))
            at += count
        kind = "f32" if d_format is F32 else "b32"
        out.form(f"mma.sync.aligned.{name} " + ", ".join(f"{{{text}}}" for text in names) + ";",
                 ["b32"] * (len(left) + len(right)) + [kind] * len(sums), [kind] * len(sums), rows)
    rows = []
    for _ in range(warps):
        a, b, c, d = whole_matrices(rng, (8, 8, 4), (-999, 999), 2 ** 40)
        for lane in range(32):
            group, place = divmod(lane, 4)
            numbers = [a[group][place], b[group][place], *c[group][2 * place:2 * place + 2], *d[group][2 * place:2 * place + 2]]
            rows.append(tuple(F64.round(Fraction(x), "rn") for x in numbers))
    out.form("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0, $1}, {$2}, {$3}, {$4, $5};", ["b64"] * 4, ["b64"] * 2, rows)
    out.write()


if __name__ == "__main__":
    for old in FOLDER.glob("*.ptx"):
        old.unlink()
    for make in (integers, carries, floats, float_order, comparisons, conversions, packed, moves, compiled, matrix_products):
        make()
