"""The reader of our public headers: what it knows, and that it refuses the rest."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import c_header  # noqa: E402
from c_header import Function, Member, Type  # noqa: E402

HEADER = """
#ifndef H /* no ; here */
#define H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct tg_handle tg_handle;
typedef uint32_t tg_number;
typedef enum tg_kind { TG_A, /* the first; */ TG_B } tg_kind;
enum { TG_SOME = 80, TG_MORE };
typedef struct tg_part {
    const char *name; /* {;} */
    int64_t one, several;
    const int64_t *lists[2];
    char title[TG_SOME];
    int (*told)(void *context, const char *text);
} tg_part;
TG_API char *tg_text(void);
TG_API int tg_call(const tg_handle *handle, void *const *data,
                   tg_part **out, tg_kind kind);
#ifdef __cplusplus
}
#endif
#endif
"""


def test_reads_what_headers_declare():
    found = c_header.read(HEADER)
    assert found.opaque == ["tg_handle"]
    assert found.enums == {"tg_kind": {"TG_A": 0, "TG_B": 1}, "TG_SOME = 80, TG_MORE": {"TG_SOME": 80, "TG_MORE": 81},
                           "tg_number": "uint32_t"}
    number = Type("int64_t")
    told = Function("told", Type("int"), (("context", Type("void", (False,))), ("text", Type("char", (True,)))))
    assert found.structs == {"tg_part": [
        Member("name", Type("char", (True,))), Member("one", number), Member("several", number),
        Member("lists", Type("int64_t", (True,)), 2), Member("title", Type("char"), 80), Member("told", told)]}
    assert found.functions == [
        Function("tg_text", Type("char", (False,)), ()),
        Function("tg_call", Type("int"), (
            ("handle", Type("tg_handle", (True,))), ("data", Type("void", (False, True))),
            ("out", Type("tg_part", (False, False))), ("kind", Type("tg_kind"))))]


@pytest.mark.parametrize("text", [
    "int tg_call(void);", "TG_API int tg_call(void)", "typedef union tg_u { int a; } tg_u;",
    "typedef enum tg_e { TG_A = TG_B } tg_e;", "typedef struct tg_s { char a[TG_NO]; } tg_s;", "typedef struct tg_s { int a : 3; } tg_s;", "extern int tg_x;"])
def test_refuses_what_it_does_not_know(text):
    with pytest.raises(ValueError):
        c_header.read(text)
