"""tools/structure.py on small trees: each rule with a tree that breaks it and one that does not."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import c_outline  # noqa: E402
import structure  # noqa: E402


def header(path, text):
    guard = structure.guard_of(path)
    return f"#ifndef {guard}\n#define {guard}\n{text}\n#endif\n"


@pytest.fixture
def tree(tmp_path):
    """Makes a Tree of {path: text}, in place of the last one; headers get their guards, unless the text has one."""

    def make(files):
        for folder in tmp_path.iterdir():
            shutil.rmtree(folder)
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            guarded = path.endswith(".h") and "#ifndef" not in text
            (tmp_path / path).write_text(header(path, text) if guarded else text, encoding="utf-8")
        return structure.Tree(tmp_path)

    return make


def told(tree, rule):
    """What breaks one rule; the test fails where another is broken."""
    found = structure.violations(tree)
    assert {violation.rule for violation in found} <= {rule}, found
    return [f"{violation.at}: {violation.text}" for violation in found]


def names(text, is_header=False):
    return {(name.text, name.kind, name.forward) for name in c_outline.read(text, is_header).names}


# -- the reader of C --


def test_declarations_of_every_form_are_read():
    text = """
        #define TG_LIMIT 3
        struct later;
        typedef struct pair { int a, *b; struct inner { int c; } d; } pair;
        typedef enum { RED, GREEN = sizeof(int), BLUE } colour;
        typedef int (*callback)(int, pair *);
        typedef int plain(void);
        extern const int table[TG_LIMIT], *other;
        TG_PRINTF(1, 2)
        int say(const char *format, ...) __attribute__((cold));
        int (*chosen)(void);
    """
    assert names(text, is_header=True) == {
        ("TG_LIMIT", "macro", False), ("later", "tag", True), ("pair", "tag", False), ("inner", "tag", False),
        ("pair", "type", False), ("RED", "constant", False), ("GREEN", "constant", False),
        ("BLUE", "constant", False), ("colour", "type", False), ("callback", "type", False),
        ("plain", "type", False), ("table", "object", True), ("other", "object", True),
        ("say", "function", True), ("chosen", "object", True)}


def test_definitions_are_told_from_declarations():
    text = """
        const struct { int a; } rows[] = {{1}, {f(2)}}, more = {3};
        int *find(struct pair *pair, int (*each)(int)) { if (pair) { return 0; } return each(1); }
        int promised(void);
        static int hidden(void) { return 1; }
    """
    assert names(text) == {("rows", "object", False), ("more", "object", False), ("find", "function", False),
                           ("promised", "function", True), ("hidden", "function", False)}
    assert [name.text for name in c_outline.read(text).names if name.internal] == ["hidden"]


def test_comments_and_literals_are_no_code():
    outline = c_outline.read('/* int a; } */ int b = sizeof "int c; {" + \'{\'; // int d;\nint e;\n')
    assert [name.text for name in outline.names] == ["b", "e"]


def test_names_that_macros_make_are_left_out():
    assert names("void NAMED(run)(int a) { b(a); }\nconst int NAMED(list)[3] = {1, 2, 3};\nROWS(a, b)\nint c;") == {
        ("c", "object", False)}


def test_a_macro_may_stand_for_static():
    text = "#define TG_INLINE static inline __attribute__((unused))\nTG_INLINE int f(void) { return 1; }\n"
    static = c_outline.macros_for_static(text)
    assert static == {"TG_INLINE"}
    assert [name.internal for name in c_outline.read(text, static=static).names if name.text == "f"] == [True]


def test_all_branches_are_read_where_their_braces_match_and_the_first_where_not():
    text = """
        #if A
        int f(void) {
        #else
        long f(void) {
        #endif
            return 1;
        }
        #ifdef B
        int b;
        #else
        int c;
        #endif
    """
    assert [name.text for name in c_outline.read(text).names] == ["f", "b", "c"]


def test_members_are_no_uses_and_macros_use_what_they_name():
    used = c_outline.read("#define CALL(x) run(x)\nint f(int a) { return s.one + p->two + three(a); }\n").used
    assert {"run", "three"} <= set(used) and not {"one", "two"} & set(used)


def test_functions_are_measured():
    function, = c_outline.read("int f(int a, int (*b)(int, int),\n      int c)\n{\n    return a;\n}\n").functions
    assert (function.name, function.lines, function.params) == ("f", 5, 3)


# -- rule 1 --


def test_folders_that_include_each_other_are_told(tree):
    broken = tree({"low/a.h": '#include "high/b.h"', "high/b.h": "", "high/c.h": '#include "low/d.h"',
                   "low/d.h": ""})
    violation, = told(broken, "folders")
    assert violation.startswith("high/c.h:3: folders include each other: high, low")
    assert "low -> high: 1 includes: low/a.h:3" in violation


def test_folders_are_drawn_in_layers(tree):
    whole = tree({"high/b.h": '#include "low/a.h"\n#include "low/sub/c.h"', "low/a.h": "",
                  "low/sub/c.h": '#include "low/a.h"', "include/p/p.h": ""})
    assert told(whole, "folders") == []
    assert structure.layers(whole) == [["include", "low"], ["low/sub"], ["high"]]
    assert structure.drawing(whole).splitlines()[0].split() == ["2", "high", "->", "low", "low/sub"]


def test_what_is_no_product_is_not_read(tree):
    whole = tree({"a/a.h": "", "tests/t.h": "wrong", "bench/b.c": "int b;", "top.c": "int c;"})
    assert list(whole.files) == ["a/a.h"]


# -- rule 2 --


def test_a_definition_needs_a_declaration(tree):
    violation, = told(tree({"a/run.c": "\nint a_run(void) { return 1; }\nstatic int b;\n"}), "headers")
    assert violation == "a/run.c:2: declared in no header: a_run; make them static, or declare them in a/run.h"


def test_a_definition_is_declared_in_the_header_of_its_file(tree):
    files = {"a/run.c": '#include "a/run.h"\nint a_run(void) { return 1; }\nint main(void) { return 0; }\n',
             "a/run.h": "int a_run(void);"}
    assert told(tree(files), "headers") == []
    files["a/other.h"] = files.pop("a/run.h")
    violation, = told(tree(files), "headers")
    assert violation == "a/other.h:3: declares what a/run.c defines: a_run; that belongs in a/run.h"


def test_objects_count_as_functions_do(tree):
    violation, = told(tree({"a/list.c": "const int a_list[] = {1};\n", "a/x.h": "extern const int a_list[];"}),
                      "headers")
    assert "declares what a/list.c defines: a_list" in violation


PARTS = {f"a/print_{part}.c": f"void a_print_{part}(void) {{}}\n" for part in ("ints", "floats", "text")}
PRINTS = "void a_print_ints(void);\nvoid a_print_floats(void);\nvoid a_print_text(void);\n"


def test_parts_of_one_interface_share_a_header(tree):
    assert told(tree({**PARTS, "a/print.h": PRINTS}), "headers") == []


def test_a_header_of_the_folders_name_is_every_files(tree):
    assert told(tree({"a/load.c": "void a_load(void) {}\n", "a/a.h": "void a_load(void);"}), "headers") == []


def test_a_header_declares_names_of_few_files(tree):
    violation, = told(tree({**PARTS, "a/print_more.c": "void a_print_more(void) {}\n",
                            "a/print.h": PRINTS + "void a_print_more(void);"}), "headers")
    assert violation.startswith("a/print.h:1: declares names of 4 files (a/print_floats.c, a/print_ints.c")


def test_the_public_header_declares_names_of_any_file(tree):
    files = {f"{name}/x.c": f"void {name}_x(void) {{}}\n" for name in "abcde"}
    public = "".join(f"TG_API void {name}_x(void);\n" for name in "abcde")
    assert told(tree({**files, "include/p/p.h": public}), "headers") == []


def test_a_private_header_declares_no_definition(tree):
    violation, = told(tree({"a/run.c": "void a_run(void) {}\n", "a/run_impl.h": "void a_run(void);"}), "headers")
    assert violation.startswith("a/run_impl.h:3: declares what a/run.c defines: a_run")


@pytest.mark.parametrize("name", ["impl.h", "run_impl.h"])
def test_a_private_header_is_included_in_its_folder_only(tree, name):
    files = {f"a/{name}": "typedef struct a_state { int x; } a_state;", "a/x.h": f'#include "a/{name}"'}
    assert told(tree(files), "headers") == []
    violation, = told(tree({**files, "b/y.h": f'#include "a/{name}"'}), "headers")
    assert violation == f"b/y.h:3: includes a/{name}, which is private to a"


def test_what_a_table_declares_is_declared(tree):
    files = {"a/add.c": "void a_exec_add(void) {}\n", "a/sub.c": "void a_exec_sub(void) {}\n",
             "a/ops.def": "OP(add)\nOP(sub)\n#undef OP\n"}
    table = '#define OP(id) void a_exec_##id(void);\n#include "a/ops.def"'
    assert told(tree({**files, "a/exec.h": table}), "headers") == []
    assert len(told(tree({**files, "a/exec.h": table.replace("exec", "run")}), "headers")) == 2


# -- rule 3 --


def ring(count):
    """count files, each with a header, that each call the next one."""
    files = {}
    for i in range(count):
        after = (i + 1) % count
        files[f"a/f{i}.h"] = f"void a_f{i}(void);"
        files[f"a/f{i}.c"] = f'#include "a/f{i}.h"\n#include "a/f{after}.h"\nvoid a_f{i}(void) {{ a_f{after}(); }}\n'
    return files


def test_a_circle_of_three_files_may_be_and_one_of_four_may_not(tree):
    assert told(tree(ring(3)), "circles") == []
    violation, = told(tree(ring(4)), "circles")
    assert violation.startswith("a/f0.c:2: 4 files need each other, at most 3 may: a/f0 a/f1 a/f2 a/f3;")
    assert "a/f3 -> a/f0: #include (a/f3.c:2), a_f0 (a/f3.c:3)" in violation


def test_a_name_ties_files_without_an_include(tree):
    files = ring(4)
    files["a/f3.c"] = files["a/f3.c"].replace('#include "a/f0.h"\n', "void a_f0(void);\n")
    assert len(told(tree(files), "circles")) == 1


def test_a_comment_or_a_static_of_the_same_name_ties_nothing(tree):
    files = ring(4)
    files["a/f3.c"] = '#include "a/f3.h"\nstatic int a_f0(void) { return 1; }\nvoid a_f3(void) { a_f0(); } // a_f0\n'
    assert told(tree(files), "circles") == []


def test_declaring_a_name_is_no_use_of_it(tree):
    files = {**PARTS, "a/print.h": PRINTS}
    for path in PARTS:
        files[path] = '#include "a/print.h"\n' + files[path]
    assert told(tree(files), "circles") == []


# -- rule 4 --


@pytest.mark.parametrize("one, other", [
    ("typedef struct a_view { int x; } a_view;", "typedef struct a_view { int y; } a_view;"),
    ("struct a_view { int x; };", "int a_view(void);"),
    ("typedef int a_view;", "enum { a_view };"),
    ("#define a_view 1", "#define a_view 2"),
    ("int a_view(void);", "int a_view(void);"),
    ("static inline int a_view(void) { return 1; }", "extern int a_view;"),
])
def test_two_headers_that_declare_one_name_are_told(tree, one, other):
    violations = told(tree({"a/x.h": one, "b/y.h": other}), "names")
    assert len(violations) == 1
    assert violations[0].startswith("a/x.h:3: a_view is declared more than once: ")
    assert "in b/y.h:3; rename one" in violations[0]


@pytest.mark.parametrize("other", ["struct a_view;", "typedef struct a_view a_view;"])
def test_a_forward_declaration_is_no_second_meaning(tree, other):
    assert told(tree({"a/x.h": "typedef struct a_view { int x; } a_view;", "b/y.h": other}), "names") == []


def test_a_structure_that_headers_leave_to_c_files_has_one_body(tree):
    files = {"a/x.h": "typedef struct a_view a_view;", "a/x.c": "struct a_view { int x; };\n"}
    assert told(tree(files), "names") == []
    violation, = told(tree({**files, "b/y.c": "struct a_view { int y; };\n"}), "names")
    assert "tag in a/x.c:1, tag in b/y.c:1" in violation


def test_two_definitions_of_one_name_are_told(tree):
    text = "int a_f(void) { return 1; }\n"
    found = structure.violations(tree({"a/x.c": text, "b/y.c": text}))
    assert "a/x.c:1: a_f is defined more than once: a/x.c:1, b/y.c:1" in [
        f"{violation.at}: {violation.text}" for violation in found if violation.rule == "names"]


def test_statics_and_parameters_of_tables_are_no_names(tree):
    table = '#define OP(id) X_##id,\nenum { NAME\n#include "a/ops.def"\n};'
    assert told(tree({"a/x.h": table.replace("NAME", "ONE,"), "a/y.h": table.replace("NAME", "TWO,"),
                      "a/ops.def": "OP(add)\n#undef OP\n", "a/z.c": "static int f(void) { return 1; }\n",
                      "b/z.c": "static int f(void) { return 2; }\n"}), "names") == []


@pytest.mark.parametrize("path, guard", [
    ("base/list.h", "TG_BASE_LIST_H"), ("a/b/c_impl.h", "TG_A_B_C_IMPL_H"),
    ("include/tilegrind/tilegrind.h", "TILEGRIND_TILEGRIND_H"),
])
def test_the_guard_of_a_header_is_its_path(tree, path, guard):
    text = "#ifndef {0}\n#define {0}\n#endif\n"
    assert told(tree({path: text.format(guard)}), "names") == []
    violation, = told(tree({path: text.format("TG_OTHER_H")}), "names")
    assert violation == f"{path}:1: the guard is TG_OTHER_H; it should be {guard}"


# -- clients --


def test_the_command_includes_public_headers_only(tree):
    files = {"base/list.h": "", "include/tilegrind/tilegrind.h": "", "ir/ir.h": "", "cli/run.h": "", "api/api.c": '#include "ir/ir.h"',
             "cli/main.c": '#include "cli/run.h"\n#include "base/list.h"\n#include "tilegrind/tilegrind.h"\n#include <stdio.h>'}
    assert told(tree(files), "clients") == []
    files["cli/run.h"] = '#include "ir/ir.h"'
    assert told(tree(files), "clients") == [
        "cli/run.h:3: includes ir/ir.h, but cli is a client of public headers: it includes base, cli, include only"]


# -- the command --


def test_a_folder_restricts_what_is_told(tree):
    broken = tree({"a/x.c": "int a_x;\n", "b/y.c": "int b_y;\n"})
    assert [v.at for v in structure.violations(broken, ["b/"])] == ["b/y.c:1"]


def test_check_tells_and_fails(tree, tmp_path, capsys):
    tree({"a/x.c": "int a_x;\n"})
    assert structure.main(["--check"], tmp_path) == 1
    assert capsys.readouterr().out.startswith("a/x.c:1: headers: declared in no header: a_x;")
    assert structure.main(["--check", "b"], tmp_path) == 0
    assert structure.main([], tmp_path) == 0
    assert "1 headers" in capsys.readouterr().out


def test_figures_are_reported_and_fail_nothing(tree, tmp_path, capsys):
    wide = "static int f(int a, int b, int c, int d, int e, int g, int h) {\n" + "\n" * 60 + "}\n"
    tree({"a/x.c": wide + f"// {'w' * 98}\n" + "\n" * 400})
    assert structure.main(["--check"], tmp_path) == 0
    capsys.readouterr()
    assert structure.main(["--json"], tmp_path) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["violations"] == [] and found["layers"] == [["a"]]
    assert [rows[0] for rows in found["figures"].values()] == [
        [62, "a/x.c:1 f"], [463, "a/x.c"], [7, "a/x.c:1 f"], [101, "a/x.c:63"]]
