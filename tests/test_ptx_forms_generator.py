"""tools/ptx_forms: what it makes of small C, and what C it refuses.  Whether the forms that it writes are right is
tests/test_ptx_forms.c's business."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pycparser")

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import gen_ptx_forms  # noqa: E402
from ptx_forms.c_source import Source, type_name  # noqa: E402
from ptx_forms.graph import Graph  # noqa: E402
from ptx_forms.rows import Names, Writer  # noqa: E402
from ptx_forms.translate import Scalar, Translator, Unknown, kind_of  # noqa: E402

HELPERS = """
typedef struct pair { double hi, lo; } pair;
const uint64_t thirds[3] = {7, 8, 9};
static pair sum(double a, double b) { const double s = a + b; const pair r = {s, b - (s - a)}; return r; }
static uint64_t bits(double x) { uint64_t b; memcpy(&b, &x, sizeof b); return b; }
static double of_bits(uint64_t b) { double x; memcpy(&x, &b, sizeof x); return x; }
static double rare(double x) { if (x < 1.0) return x + 1.0; return x / 3.0; }
"""


def rows(c):
    """The rows of a function `f`."""
    source, graph = Source(HELPERS + c, ROOT), Graph()
    translator = Translator(source, graph, branched={"rare"})
    parameters = source.functions["f"].decl.type.args.params
    inputs = [Scalar(t, graph.node("input", (), kind_of(t), value=i))
              for i, t in enumerate(translator.type(type_name(p.type)) for p in parameters)]
    writer = Writer({v.node: f"${name}" for v, name in zip(inputs, "ab")}, Names())
    writer.write(translator.call("f", inputs).node, "$r")
    return writer.lines


@pytest.mark.parametrize("c, wanted", [
    # one rounding a row, nothing fused that the source does not fuse
    ("double f(double a, double b) { return a * b + 1.0; }",
     ["mul.rn.f64 t, $a, $b;", "add.rn.f64 $r, t, 0d3FF0000000000000;"]),
    ("double f(double a, double b) { return __builtin_fma(a, b, -0.5); }",
     ["fma.rn.f64 $r, $a, $b, 0dBFE0000000000000;"]),
    # names after the source's, and a value once
    ("double f(double a, double b) { const pair low = sum(a, b); return low.lo * (b - ((a + b) - a)); }",
     ["add.rn.f64 low_hi, $a, $b;", "sub.rn.f64 t, low_hi, $a;", "sub.rn.f64 low_lo, $b, t;",
      "mul.rn.f64 $r, low_lo, low_lo;"]),
    # what nobody needs is left out, constants are computed
    ("double f(double a) { const double unused = a / 3.0; (void)unused; return a + (0.25 + 0.5); }",
     ["add.rn.f64 $r, $a, 0d3FE8000000000000;"]),
    # a select by masks is a select
    ("double f(double a, double b) { const uint64_t m = 0 - (uint64_t)(a < b);"
     " return of_bits((bits(a) & m) | (bits(b) & ~m)); }",
     ["setp.lt.f64 p, $a, $b;", "selp.b64 $r, $a, $b, p;"]),
    ("double f(double a) { return a != a ? 0.0 : a; }",
     ["setp.nan.f64 p, $a, $a;", "selp.b64 $r, 0, $a, p;"]),
    ("double f(double a) { if (a < 2.0) return 2.0; return a; }",
     ["setp.lt.f64 p, $a, 0d4000000000000000;", "selp.f64 $r, 0d4000000000000000, $a, p;"]),
    # integers: types of C, indices inside of the table
    ("uint64_t f(uint64_t a) { return thirds[(unsigned)a / 64]; }",
     ["cvt.u32.u64 w, $a;", "shr.u32 w_2, w, 6;", "mov.u64 table, thirds;", "min.u32 index, w_2, 2;",
      "mad.wide.u32 address, index, 8, table;", "ld.const.b64 $r, [address+0];"]),
    ("double f(int a) { return (double)(a >> 1); }", ["shr.s32 w, $a, 1;", "cvt.rn.f64.s32 $r, w;"]),
    ("int f(int a) { return a + ((-8 >> 1) + (int)(7u >> 1)); }", ["add.s32 $r, $a, -1;"]),
    ("uint64_t f(uint64_t a, uint64_t b) {"
     " return (uint64_t)((unsigned __int128)a * b + (unsigned __int128)b >> 64); }",
     ["mul.lo.u64 t, $a, $b;", "mul.hi.u64 t_2, $a, $b;", "add.s64 t_3, t, $b;", "setp.lt.u64 p, t_3, $b;",
      "selp.b64 t_4, 1, 0, p;", "add.s64 $r, t_2, t_4;"]),
    # a branch around what is seldom needed
    ("double f(double a) { return -rare(a); }",
     ["setp.lt.f64 p, $a, 0d3FF0000000000000;", "add.rn.f64 joined, $a, 0d3FF0000000000000;",
      "@p bra reduced;", "div.rn.f64 joined, $a, 0d4008000000000000;", "reduced:", "neg.f64 $r, joined;"]),
])
def test_c_becomes_rows(c, wanted):
    assert rows(c) == wanted


@pytest.mark.parametrize("c, message", [
    ("double f(double a) { while (a < 2.0) a = a + 1.0; return a; }", "While"),
    ("double f(double a) { if (a < 2.0) a = 2.0; return a; }", "no early return"),
    ("double f(double a) { return sin(a); }", "call of sin"),
    ("double f(double a) { a = a + 1.0; }", "no return"),
    ("double f(double a) { return a && a < 1.0 ? a : 0.0; }", "&&"),
    ("double f(double a) { return (double)(int)a; }", "float to integer"),
    ("float f(int a) { return (float)a; }", "integer to float"),
    ("float f(bool a) { return (float)a; }", "bool to float"),
    ("double f(double a) { return a ? a : 1.0; }", "double as a condition"),
    ("float f(float a) { return a * a; }", "float *"),
    ("float f(float a) { return -a; }", "unary -"),
    ("int f(int a) { return a / 4; }", "s32 /"),
    ("unsigned f(unsigned a) { return a % 3; }", "u32 %"),
    ("double f(double a) { float b; memcpy(&b, &a, sizeof b); return a; }", "memcpy between sizes"),
    ("uint64_t f(uint64_t a) { return (uint64_t)((unsigned __int128)a >> 1); }", "shift of 128 bits"),
    ("uint64_t f(uint64_t a) { return (uint64_t)((unsigned __int128)a - a); }", "128 bits -"),
    ("double f(double a) { return 1.0L; }", "constant 1.0L"),
])
def test_c_beyond_the_forms_is_refused_with_its_place(c, message):
    c = c.replace("bool", "_Bool")
    with pytest.raises(Unknown) as refused:
        rows(c)
    assert message in str(refused.value)


def test_a_second_branch_is_refused():
    with pytest.raises(ValueError, match="more than one branch"):
        rows("double f(double a) { return rare(a) + rare(a + 2.0); }")


def test_the_committed_forms_are_those_of_the_sources():
    text, _ = gen_ptx_forms.expand(Source(gen_ptx_forms.UNIT, ROOT))
    assert text == gen_ptx_forms.OUTPUT.read_text(encoding="utf-8")


def test_the_check_notices_a_difference(tmp_path, monkeypatch):
    other = ROOT / "gpu_backend" / "elementwise" / "forms.h"
    monkeypatch.setattr(gen_ptx_forms, "OUTPUT", other)
    with pytest.raises(SystemExit, match="forms.h is out of date"):
        gen_ptx_forms.main(["--check"])


def test_the_command_counts_rows():
    done = subprocess.run([sys.executable, "tools/gen_ptx_forms.py", "--count"], cwd=ROOT, capture_output=True,
                          text=True, check=True)
    counts = {tuple(line.split()[:2]): int(line.split()[2]) for line in done.stdout.splitlines()}
    assert 20 < counts["rsqrt", "F64"] < counts["pow", "F32"] < 1000
