"""Steps that compute element by element: integers and floats of every width, casts, choices, functions of libdevice."""

from __future__ import annotations

from .maker import BLOCK, Maker, Value

# dtypes of integers beside i32: Triton's name, bits
INTEGERS = {"i8": ("int8", 8), "i16": ("int16", 16), "i64": ("int64", 64), "u8": ("uint8", 8), "u16": ("uint16", 16),
            "u32": ("uint32", 32), "u64": ("uint64", 64)}
# What libdevice has and Triton's own interpreter does not; `n` and `m` are integers, `v` and `w` floats.
LIBDEVICE_FLOATS = ("trunc({v})", "rint({v})", "nextafter({v}, {w})", "copysign({v}, {w})", "rsqrt(libdevice.abs({v}))", "hypot({v}, {w})", "tanh({v})",
                    "fmod({v}, libdevice.abs({w}) + 1.0)", "cbrt({v})", "add_rz({v}, {w})", "mul_rd({v}, {w})", "fma_ru({v}, {w}, {v})", "log1p(libdevice.abs({v}))",
                    "int2float_rz({n})", "ldexp({v}, {n} & 7)")
LIBDEVICE_INTEGERS = ("popc({n})", "clz({n})", "brev({n})", "ffs({n})", "byte_perm({n}, {m}, {n} & 0x7777)", "mulhi({n}, {m})", "float_as_int({v})",
                      "rhadd({n}, {m})", "isnan({v}).to(tl.int32)", "signbit({v}).to(tl.int32)")


def integers(make: Maker) -> None:
    one, other, draw = make.block("i32"), make.pick("i32"), make.draw
    text = draw.choice([
        f"{one.name} {draw.choice(['+', '-', '*', '&', '|', '^'])} {other.name}",
        f"tl.{draw.choice(['maximum', 'minimum'])}({one.name}, {other.name})",
        f"{one.name} {draw.choice(['<<', '>>'])} {draw.randrange(0, 31)}",
        f"{one.name} {draw.choice(['//', '%'])} {draw.choice([1, 2, 3, 7, 100, -5])}",
        f"{draw.choice(['-', '~'])}{one.name}", f"tl.clamp({one.name}.to(tl.float32), -500.0, 500.0).to(tl.int32)",
        f"tl.abs({one.name})", f"tl.cdiv({one.name}, {draw.choice([2, 5])})"
    ])
    make.name(text, "i32", one, other)


def widths(make: Maker) -> None:
    """Integers of all widths, with sign and without."""
    dtype, (name, bits) = make.draw.choice(list(INTEGERS.items()))
    one, other = _of_width(make, dtype), _of_width(make, dtype)
    divisors = [1, 3, 7, 100] + [-5] * (dtype[0] == "i")
    text = make.draw.choice([
        f"{one} {make.draw.choice('+-*&|^')} {other}", f"tl.{make.draw.choice(['maximum', 'minimum'])}({one}, {other})", f"~{one}",
        f"{one} {make.draw.choice(['//', '%'])} {make.draw.choice(divisors)}",
        f"{one} {make.draw.choice(['<<', '>>'])} {make.draw.randrange(bits)}",
        f"tl.where({one} {make.draw.choice(['<', '>=', '=='])} {other}, {other}, {one} + 1)"
    ] + [f"{one} {make.draw.choice(['//', '%'])} ({other} | 1)", f"{one} * {one}"] * (dtype[0] == "u") +
                            [f"tl.umulhi({one}, {other})"] * (dtype in ("u32", "u64")))
    made = make.name(f"({text}).to(tl.{name})", dtype)
    make.name(f"{made.name}.to(tl.int32)", "i32", made)


def _of_width(make: Maker, dtype: str) -> str:
    """A value of a dtype, or one that is cast to it."""
    if make.has(dtype) and make.draw.random() < 0.6:
        return make.block(dtype).name
    if dtype == "i8" and make.flag():
        return make.name(f"tl.load(b + first + at, mask={make.mask()}, other={make.draw.randrange(-128, 128)})", "i8").name
    is_bits = ", bitcast=True" if dtype == "u32" and make.flag() else ""
    return make.name(f"{make.block('i32').name}.to(tl.{INTEGERS[dtype][0]}{is_bits})", dtype).name


def floats(make: Maker) -> None:
    one, other = make.block("f32", exact=False), make.pick("f32", exact=False)
    third = make.block("f32", exact=False)
    text = make.draw.choice([f"{one.name} {sign} {other.name}" for sign in "+-*"] + [
        f"tl.maximum({one.name}, {other.name})", f"tl.minimum({one.name}, {other.name})", f"-{one.name}", f"tl.abs({one.name})",
        f"{one.name} * 0.25 + 1.5", f"tl.floor({one.name})", f"tl.ceil({one.name})", f"tl.sqrt_rn(tl.abs({one.name}))",
        f"tl.div_rn({one.name}, tl.abs({other.name}) + 1.0)", f"tl.fma({one.name}, {other.name}, {third.name})",
        f"{one.name} % (tl.abs({other.name}) + 0.5)", f"tl.clamp({one.name}, -3.5, 100.0)"
    ])
    # Triton's own interpreter rounds the product of a fused operation, too.
    make.name(text, "f32", one, other, third, is_rounded="tl.fma" in text)


def approximated(make: Maker) -> None:
    """What is rounded correctly here, and by numpy's functions in Triton's own interpreter."""
    one = make.block("f32", exact=False)
    text = make.draw.choice([f"tl.{name}({one.name})" for name in ("exp", "exp2", "sin", "cos", "erf", "sigmoid")] +
                            [f"tl.{name}(tl.abs({one.name}) + 1.0)" for name in ("log", "log2", "rsqrt")])
    make.name(text, "f32", one, is_rounded=True)


def doubles(make: Maker) -> None:
    one, other = (f"{make.block('f32').name}.to(tl.float64)" for _ in range(2))
    text = make.draw.choice([f"{one} {make.draw.choice('+-*')} {other}", f"{one} / (tl.abs({other}) + 1.0)", f"tl.sqrt(tl.abs({one}))"])
    made = make.name(text, "f64")
    make.name(f"{made.name}.to(tl.float32)", "f32")


def half(make: Maker) -> None:
    one, other = (f"({make.block('i32').name} & 255).to(tl.float16)" for _ in range(2))
    made = make.name(f"{one} {make.draw.choice('+-*')} {other} * 0.125", "f16")
    make.name(f"{made.name}.to(tl.float32)", "f32")


def brain(make: Maker) -> None:
    """Triton's own interpreter rounds bf16 its own way."""
    one, other = (f"{make.block('f32', exact=False).name}.to(tl.bfloat16)" for _ in range(2))
    made = make.name(f"{one} {make.draw.choice('+-*')} {other}", "bf16", is_rounded=True)
    make.name(f"{made.name}.to(tl.float32)", "f32", is_rounded=True)


def float8(make: Maker) -> None:
    """Triton's own interpreter converts to fp8 its own way."""
    name = make.draw.choice(["float8e5", "float8e4nv"])
    through = make.draw.choice(["", ".to(tl.float16)", ".to(tl.bfloat16)"])
    make.name(f"{make.block('f32', exact=False).name}{through}.to(tl.{name}).to(tl.float32)", "f32", is_rounded=True)


def choice(make: Maker) -> None:
    dtype = make.draw.choice(["i32", "f32"])
    one, other = make.block(dtype), make.block(dtype)
    condition = make.draw.choice([make.condition(), f"{make.condition()} {make.draw.choice('&|^')} {make.condition()}", f"~{make.condition()}"])
    make.name(f"tl.where({condition}, {one.name}, {other.name})", dtype, one, other, small=one.small and other.small)


def casts(make: Maker) -> None:
    one, other = make.block("i32"), make.block("f32")
    finite = f"tl.where({other.name} == {other.name}, {other.name}, 0.0)"
    text, dtype = make.draw.choice([
        (f"{one.name}.to(tl.int{make.draw.choice([8, 16])}).to(tl.int32)", "i32"),
        (f"{one.name}.to(tl.uint32).to(tl.int64).to(tl.int32)", "i32"),
        (f"({one.name} & 1023).to(tl.float16).to(tl.float32) * 0.5", "f32"),
        (f"{make.condition()}.to(tl.{make.draw.choice(['int32', 'int8', 'uint16'])}).to(tl.int32)", "i32"),
        (f"{make.condition()}.to(tl.float32)", "f32"),
        (f"tl.clamp({finite}, -100.0, 100.0).to(tl.{make.draw.choice(['int8', 'int16', 'int32', 'int64'])}).to(tl.int32)", "i32"),
        (f"({one.name} & 0x3fffffff).to(tl.float32, bitcast=True)", "f32"),
        (f"tl.abs({finite}).to(tl.int32, bitcast=True)", "i32"),
        (f"{one.name}.to(tl.int1).to(tl.int32)", "i32"),
    ])
    make.name(text, dtype, one, other)
    make.name(f"({one.name} & 1023).to(tl.float32)", "f32", one, small=True)


def libdevice(make: Maker) -> None:
    """Triton's own interpreter has none of it."""
    floats, integers = [make.block("f32") for _ in range(2)], [make.block("i32") for _ in range(2)]
    names = dict(zip("vwnm", (one.name for one in floats + integers)))
    make.name("libdevice." + make.draw.choice(LIBDEVICE_FLOATS).format(**names), "f32", *floats)
    make.name("libdevice." + make.draw.choice(LIBDEVICE_INTEGERS).format(**names), "i32")


def numbers(make: Maker) -> None:
    """Numbers that are no blocks."""
    one, other = make.pick("i32", ()), make.pick("i32", ())
    text = make.draw.choice([
        f"{one.name} {make.draw.choice('+-*&|^')} {other.name}", f"{one.name} if {make.condition(())} else {other.name}",
        f"tl.maximum({one.name}, {other.name}) % 100", f"tl.where({make.condition(())}, {one.name}, {other.name})",
        f"1 if {one.name} > 0 and {other.name} > 0 else 0", "tl.num_programs(0) * tl.program_id(2)"
    ])
    made = make.name(text, "i32", shape=())
    block: Value = make.block("i32")
    make.name(f"{block.name} + {made.name}", "i32", block)


def philox(make: Maker) -> None:
    """Triton's random numbers, which are products of 32 bits."""
    seed = make.pick("i32", ())
    make.name(f"tl.randint({seed.name}, at).to(tl.int32, bitcast=True)", "i32")
    make.name(f"tl.rand({make.draw.randrange(100)}, at + {make.draw.randrange(BLOCK)})", "f32")
