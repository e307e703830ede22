"""Holds the certificate of numbers against the sources: what is certified is what is there, and nothing is
left out.  conformance/numerics/certify.py brings it up to date."""

import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from conformance.numerics import certificate, sources  # noqa: E402

ROWS = certificate.load()
# Moves of bits, with results that no exact value decides; python/tests/test_dtypes.py holds them against XLA.
BITWISE = ("reduce_precision",)
BINARY = ("add", "sub", "mul", "div", "rem", "pow", "atan2")


def unary_float_ops():
    """The operations of one float operand whose results have its dtype."""
    text = (ROOT / "ir" / "ops.def").read_text(encoding="utf-8")
    names = re.findall(r"^TG_OP\((\w+),\s*1,1,\s*1,\s*0,\s*SAME,\s*FLOAT,", text, re.MULTILINE)
    return [name for name in names if name not in BITWISE]


def rows_that_must_be():
    for name in unary_float_ops():
        yield from ((name, dtype) for dtype in certificate.FLOATS)
    for name in BINARY:
        yield from ((name, dtype) for dtype in certificate.FLOATS if certificate.wanted(dtype, 2))


def test_every_operation_has_its_row_and_every_row_is_whole():
    wanted = set(rows_that_must_be())
    assert ("exp", "f32") in wanted and len(wanted) > 300
    whole = {row.key for row in ROWS.values() if row.whole}
    assert (wanted | set(ROWS)) - whole == set(), (
        "add operations to tests/numerics_reference.c, and run conformance/numerics/certify.py")


def test_sources_are_those_that_were_checked():
    stale = [row.key for row in ROWS.values() if row.sources != sources.digest(row.op, row.dtype)]
    assert not stale, "run conformance/numerics/certify.py"


def test_nothing_is_wrong():
    assert not [row.key for row in ROWS.values() if row.wrong or row.ulp > 1]


def test_all_f32_means_all():
    assert certificate.wanted("f32", 1) == 2**32
    assert all(row.wanted == 2**32 for row in ROWS.values() if row.dtype == "f32" and row.name not in BINARY)


# -- the digests --

CODE = """
enum { SIZE = 3, OTHER };
typedef struct pair { double hi, lo; } pair;
static const double table[SIZE] = {1, 2, 3};
static inline __attribute__((always_inline, unused)) pair make(double a) { pair p = {a, 0}; return p; }
static inline double lone(double a) { return a + 2; }
static double root_of(double a) { if (a > 1) { a = 1; } return make(a).hi + table[0]; }
static double other(double a) { return lone(a) + OTHER; }
"""


def reach(code, root):
    return sources.reachable(sources.table_of(sources.TOKEN.findall(code)), root)


def test_digest_covers_what_can_be_reached():
    for old, new in [("{a, 0}", "{a, 1}"), ("a > 1", "a > 2"), ("{1, 2, 3}", "{1, 2, 4}"), ("SIZE = 3", "SIZE = 4"),
                     ("double hi, lo", "float hi, lo")]:
        assert old in CODE and reach(CODE, "root_of") != reach(CODE.replace(old, new), "root_of"), old


def test_digest_leaves_out_the_rest():
    for old, new in [("a + 2", "a + 3"), ("lone(a) + OTHER", "lone(a)"), ("; return", ";\n\n  return")]:
        assert old in CODE and reach(CODE, "root_of") == reach(CODE.replace(old, new), "root_of"), old


def test_operations_differ_in_their_digests():
    digests = [row.sources for row in ROWS.values() if row.dtype == "f32" and row.name != "round_away"]
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize("compiler", [name for name in ("gcc", "clang") if shutil.which(name)])
def test_digest_does_not_depend_on_the_compiler(compiler, tmp_path, monkeypatch):
    (tmp_path / "cc").symlink_to(shutil.which(compiler))
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for path in ("isa_elementary.c", "isa_float.c", "isa_narrow.c"):
        assert sources.table_of(sources.tokens_of(sources.LANES + path)) == sources.definitions(path)


# -- writing it --

def test_save_replaces_one_row(tmp_path):
    file = tmp_path / "certificate.tsv"
    rows = [row for row in ROWS.values()][:2]
    for row in rows:
        certificate.save(row, file)
    more = certificate.advanced(rows[0], "tried=5 by_mpfr=2 wrong=1 fast_error=0x0p+0 ulp=9.5000 at=0x1p+0,0x0p+0",
                                "here")
    certificate.save(more, file)
    assert certificate.load(file) == {more.key: more, rows[1].key: rows[1]}
    assert (more.inputs, more.by_mpfr, more.wrong, more.ulp, more.at) == (
        rows[0].inputs + 5, rows[0].by_mpfr + 2, rows[0].wrong + 1, 9.5, "0x1p+0,0x0p+0")
    assert list(tmp_path.iterdir()) == [file]
