"""Reading the text of TTIR: every construct, what is refused and where, texts of several versions of Triton, and texts with faults put
into them.  Needs no Triton: tests/data/triton/ has the texts (python/tests_triton/texts.py)."""

import collections
import random
import re

import numpy as np
import pytest
from conftest import ROOT

from tilegrind import runtime
from tilegrind.triton.launch.kernel import ExportError, convert
from tilegrind.triton.ttir.locations import Location
from tilegrind.triton.ttir.reader import SyntaxProblem, read
from tilegrind.triton.ttir.syntax import Bits, Literal, Typed, all_ops
from tilegrind.triton.ttir.types import Descriptor, Pointer, Type

TEXTS = sorted((ROOT / "tests" / "data" / "triton").glob("3.*/*.ttir"))
IDS = [f"{path.parent.name}-{path.stem}" for path in TEXTS]


def kernel(*lines, arguments="", result=""):
    body = "\n".join(f"    {line}" for line in lines)
    return f"module {{\n  tt.func public @k({arguments}){result} attributes {{noinline = false}} {{\n{body}\n    tt.return\n  }}\n}}\n"


def ops(*lines, **more):
    """The operations of a kernel with these lines, but its return."""
    return read(kernel(*lines, **more)).entry().blocks[0].ops[:-1]


def op(*lines, **more):
    (found,) = ops(*lines, **more)
    return found


# ---- constructs ----


@pytest.mark.parametrize("text, value", [
    ("7 : i32", 7), ("-3 : i64", -3), ("1.500000e+00 : f32", 1.5), ("0xFF800000 : f32", Bits(0xFF800000)),
    ("dense<0> : tensor<4xi32>", Literal(0)), ("dense<[1, 2]> : tensor<2xi32>", Literal([1, 2])),
    ("dense<[[1], [2]]> : tensor<2x1xi8>", Literal([[1], [2]])), ('dense<"0x0100"> : tensor<2xi8>', Literal(b"\x01\x00")),
    ("dense<true> : tensor<4xi1>", Literal(True)), ("dense<0x7FC0> : tensor<4xbf16>", Literal(Bits(0x7FC0))),
    ("{tt.divisibility = 16 : i32} 32 : i32", 32)])
def test_constants(text, value):
    found = op(f"%c = arith.constant {text}")
    assert found.words == [value] and found.results == ("%c",) and len(found.outputs) == 1


def test_a_constant_of_a_bool_has_no_type():
    found = op("%c = arith.constant true")
    assert (found.words, found.outputs) == ([True], [Type("i1")])


@pytest.mark.parametrize("text, value", [
    ("16 : i32", 16), ("3 : i8", Typed(3, Type("i8"))), ("0.5", 0.5), ("true", True), ("false", False), ('"a\\0Ab\\"c\\\\"', 'a\nb"c\\'),
    ("[1, 2]", [1, 2]), ("[]", []), ("array<i32: 1, 0>", [1, 0]), ("array<i64>", []), ("array<i1: true, false>", [True, False]),
    ("{a, b = 2 : i32}", {"a": True, "b": 2}), ("@name", "@name"), ("dense<1> : tensor<2xi32>", Typed(Literal(1), Type("i32", (2,)))),
    ("#tt.cache_policy<cache_modifier = cg, flag>", {"": "#tt.cache_policy", "cache_modifier": "cg", "flag": True}), ("#alias", "#alias"),
    ("tensor<4x8xf16>", Type("f16", (4, 8))), ("f32", Type("f32")), ("word", "word")])
def test_attributes(text, value):
    assert op(f"tt.x {{name = {text}, last}} : i32").attributes == {"name": value, "last": True}


@pytest.mark.parametrize("text, kind", [
    ("i1", Type("i1")), ("f8E4M3FN", Type("f8E4M3FN")), ("bf16", Type("bf16")), ("index", Type("index")), ("tensor<f32>", Type("f32", ())),
    ("!tt.ptr<f32>", Type(Pointer("f32"))), ("!tt.ptr<i8, 3>", Type(Pointer("i8", 3))), ("!tt.ptr<!tt.ptr<i1>>", Type(Pointer(Pointer("i1")))),
    ("tensor<2x!tt.ptr<f64>>", Type(Pointer("f64"), (2,))), ("!tt.ptr<tensor<4xf32>>", Type(Pointer(Type("f32", (4,))))),
    ("!tt.tensordesc<tensor<8x16xf16>>", Type(Descriptor(Type("f16", (8, 16))))), ("!tt.tensordesc<8x16xf16>", Type(Descriptor(Type("f16", (8, 16)))))])
def test_types(text, kind):
    (argument,) = read(kernel(arguments=f"%a: {text}")).entry().arguments
    assert argument.type == kind


@pytest.mark.parametrize("text", ["i32", "!tt.ptr<f32>", "!tt.ptr<i8, 3>", "tensor<4x8xf16>", "tensor<2x!tt.ptr<f64>>"])
def test_types_print_as_they_are_read(text):
    (argument,) = read(kernel(arguments=f"%a: {text}")).entry().arguments
    assert str(argument.type) == text


def test_operands_words_and_types():
    found = op("%r = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>, tensor<4xi1>) -> tensor<4xf32>")
    assert found.words == ["fadd", "acq_rel", "gpu"] and found.operands == ["%p", "%v", "%m"]
    assert [str(kind) for kind in found.inputs] == ["tensor<4x!tt.ptr<f32>>", "tensor<4xf32>", "tensor<4xi1>"]
    assert found.outputs == [Type("f32", (4,))]


def test_clauses_of_older_versions_are_attributes():
    found = op("%v = tt.load %p, %m cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : !tt.ptr<f32>")
    assert found.attributes == {"cacheModifier": "cg", "evictionPolicy": "evict_first", "isVolatile": True}


def test_lists_of_operands():
    found = op("%d = tt.make_tensor_descriptor %base, [%h, %w], [%s, %one] : !tt.ptr<f32>, !tt.tensordesc<8x8xf32>")
    assert found.operands == ["%base", "%h", "%w", "%s", "%one"] and found.lists == [(1, 2), (3, 2)]


def test_several_results():
    assert op("%r:2 = tt.split %v : tensor<4x2xf32> -> tensor<4xf32>").results == ("%r#0", "%r#1")
    assert op("%a, %b = tt.split %v : tensor<4x2xf32> -> tensor<4xf32>").results == ("%a", "%b")


def test_the_generic_form_has_regions():
    found = op('%r = "tt.reduce"(%v) <{axis = 0 : i32}> ({', "^bb0(%a: f32 loc(unknown), %b: f32):",
               "  %s = arith.addf %a, %b : f32", "  tt.reduce.return %s : f32", "}) : (tensor<4xf32>) -> f32")
    assert (found.name, found.attributes, found.operands) == ("tt.reduce", {"axis": 0}, ["%v"])
    (block,), = found.regions
    assert [one.name for one in block.arguments] == ["%a", "%b"] and [one.name for one in block.ops] == ["arith.addf", "tt.reduce.return"]


def test_loops_and_conditions():
    loop = op("%r = scf.for unsigned %i = %a to %b step %c iter_args(%x = %y) -> (f32)  : i32 {", "  scf.yield %x : f32",
              "} {tt.num_stages = 2 : i32}")
    assert loop.operands == ["%a", "%b", "%c", "%y"] and loop.attributes == {"unsigned": True, "tt.num_stages": 2}
    assert [(one.name, str(one.type)) for one in loop.regions[0][0].arguments] == [("%i", "i32"), ("%x", "f32")]
    choice = op("%r = scf.if %c -> (i32) {", "  scf.yield %a : i32", "} else {", "  scf.yield %b : i32", "}")
    assert choice.operands == ["%c"] and len(choice.regions) == 2 and choice.outputs == [Type("i32")]
    turn = op("%r = scf.while (%x = %y) : (i32) -> (i32) {", "  scf.condition(%c) %x : i32", "} do {", "^bb0(%z: i32):",
              "  scf.yield %z : i32", "}")
    assert turn.operands == ["%y"] and [one.name for one in turn.regions[1][0].arguments] == ["%z"]


def test_blocks_and_branches():
    function = read(kernel("cf.cond_br %c, ^bb1, ^bb2(%a, %b : i32, f32)", "^bb1:  // pred: ^bb0", "  cf.br ^bb2(%x, %y : i32, f32)",
                           "^bb2(%p: i32, %q: f32):")).entry()
    assert [block.label for block in function.blocks] == [None, "^bb1", "^bb2"]
    assert function.blocks[0].ops[0].successors == [("^bb1", []), ("^bb2", ["%a", "%b"])]
    assert [one.name for one in function.blocks[2].arguments] == ["%p", "%q"]


def test_functions():
    module = read("module attributes {a = 1 : i32} {\n  tt.func private @\"m.f__(1)\"(%v: f32) -> (f32, i32) {\n    tt.return %v, %v : f32, i32\n"
                  "  }\n  tt.func public @k() {\n    tt.return\n  }\n}\n")
    assert module.attributes == {"a": 1} and list(module.functions) == ["m.f__(1)", "k"] and module.entry().name == "k"
    assert [str(kind) for kind in module.functions["m.f__(1)"].results] == ["f32", "i32"]


@pytest.mark.parametrize("text, place", [
    ('"k.py":3:5', Location("k.py", 3, 5)), ('"v"("k.py":3:5)', Location("k.py", 3, 5, "v")), ("unknown", None), ("#loc7", Location("a.py", 1, 2)),
    ('callsite("k.py":3:5 at "m.py":9:1)', Location("k.py", 3, 5, None, Location("m.py", 9, 1))), ('callsite(unknown at #loc7)', Location("a.py", 1, 2)),
    ('callsite("k.py":3:5 at callsite("m.py":9:1 at "n.py":2:2))', Location("k.py", 3, 5, None, Location("m.py", 9, 1, None, Location("n.py", 2, 2)))),
    ('callsite(callsite("k.py":3:5 at "m.py":9:1) at "n.py":2:2)', Location("k.py", 3, 5, None, Location("m.py", 9, 1, None, Location("n.py", 2, 2)))),
    ('fused[unknown, "k.py":3:5]', Location("k.py", 3, 5)), ('fused<"why">["k.py":3:5]', Location("k.py", 3, 5)), ('"only a name"', None)])
def test_places(text, place):
    module = read(kernel(f"%c = arith.constant 1 : i32 loc({text})") + '#loc7 = loc("a.py":1:2)\n')
    assert module.entry().blocks[0].ops[0].location == place


def test_a_place_that_refers_to_itself_is_unknown():
    module = read(kernel("%c = arith.constant 1 : i32 loc(#loc1)") + "#loc1 = loc(#loc2)\n#loc2 = loc(#loc1)\n")
    assert module.entry().blocks[0].ops[0].location is None


# ---- texts of Triton ----


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_texts_of_versions(path):
    module = read(path.read_text())
    assert module.entry().name == path.stem
    read_ops = sum(len(list(all_ops(function.blocks))) for function in module.functions.values())
    # An operation begins on a line of its own; other lines are labels and ends of regions.
    lines = [line.strip() for line in path.read_text().splitlines() if line.startswith("    ")]
    assert read_ops == len([line for line in lines if line[0] not in "}^"])


def test_versions_have_the_same_kernels():
    names = {path.parent.name: set() for path in TEXTS}
    for path in TEXTS:
        names[path.parent.name].add(path.stem)
    assert len(names) == 3 and len({frozenset(each) for each in names.values()}) == 1


X = np.arange(1, 17, dtype=np.float32)
AFTER = {"cached": (10, np.where(X <= 10, X, 0)), "early": (5, X), "loops": (7, X * 21 + 1), "calls": (None, X / 2 * 2)}


@pytest.mark.parametrize("path", [path for path in TEXTS if path.stem in AFTER],
                         ids=[name for name in IDS if name.split("-")[1] in AFTER])
def test_texts_of_versions_run(path):
    n, expected = AFTER[path.stem]
    module = runtime.loads(convert(read(path.read_text()), {"x": 16, "o": 16}).compact())
    arrays = {"x": X, "o": np.zeros(16, np.float32), "n": None if n is None else np.array(n, np.int32)}
    inputs = {one.name: arrays[one.name.removesuffix(".before")] for one in module.params() if one.role == "input"}
    assert np.array_equal(module.run(inputs, grid=(1, 1, 1)).outputs["o"], expected)


# ---- what is refused ----


@pytest.mark.parametrize("text, message", [
    ("", "1:1: expected `module`"), ("module {", "expected `tt.func`"), (kernel() + "more", "expected the end of the module, found `more`"),
    (kernel("%c = arith.constant 1 : i33x"), "3:29: expected a type, found `i33x`"),
    (kernel("%c = arith.constant : i32"), "expected a number"), (kernel("%c = notes.it 1"), "3:10: expected an operation, found `notes.it 1`"),
    (kernel("%c arith.constant 1 : i32"), "expected `=`"), (kernel("%c:x = tt.split %v : f32"), "expected"),
    (kernel("tt.store %p, ? : f32"), "no part of tt.store that is known, found `? : f32`"),
    (kernel("%r = tt.splat %x : i32 -> tensor<4xi32, #layout>"), "expected `>`"), (kernel("tt.x {a = 1 : i32"), "expected"),
    (kernel("tt.x [%a, ?] : i32"), "expected `]`"), (kernel("tt.x (%a, ?) : i32"), "expected `)`"),
    (kernel("tt.x loc(#loc9)"), "no location #loc9"), (kernel("tt.x loc(1)"), "expected a location"),
    (kernel("scf.for %i = %a to %b {", "}"), "expected `step`"), (kernel("scf.if true {", "}"), "expected a condition"),
    (kernel("scf.while (%x = %y) : (i32) -> (i32) {", "} {", "}"), "expected `do`"),
    (kernel("%c = arith.constant dense<[1, 2> : tensor<2xi32>"), "expected `]`"), (kernel('tt.x "no end'), "no part of tt.x"),
    (kernel('%c = arith.constant dense<"0xZZ"> : tensor<1xi8>'), "bytes"), (kernel("tt.x {a = 99999999999999999999999999 : i8}"), None)])
def test_texts_that_are_refused(text, message):
    if message is None:
        read(text)
        return
    with pytest.raises(SyntaxProblem, match=r"^\d+:\d+: ") as caught:
        read(text)
    assert message in str(caught.value)


def test_nesting_without_end_is_refused():
    with pytest.raises(SyntaxProblem, match="nested too deeply"):
        read(kernel(f"tt.x {{a = {'[' * 100000}"))


@pytest.mark.parametrize("lines, message", [
    (["%r = math.novelty %x : f32"], "math.novelty: this operation is not known"),
    (["%r = arith.addi %x, %nobody : i32"], "%nobody is used before it is defined"),
    (["tt.call @nobody() : () -> ()"], "nobody")])
def test_kernels_that_are_refused(lines, message):
    with pytest.raises(ExportError) as caught:
        convert(read(kernel(*lines, arguments="%x: i32")), {})
    assert message in str(caught.value)


@pytest.mark.parametrize("end, message", [("cf.br ^bb9", "there is no block ^bb9"), ("cf.br ^bb1", "a branch goes back"),
                                          ("scf.yield", "a block that ends with scf.yield")])
def test_blocks_that_are_refused(end, message):
    text = kernel("cf.br ^bb1", "^bb1:", f"  {end}").replace("    tt.return\n", "")
    with pytest.raises(ExportError, match="tt.func: .*" + re.escape(message)):
        convert(read(text), {})


def test_an_operation_that_is_not_as_expected_is_located():
    with pytest.raises(ExportError, match=r"k.py:4: tt.make_range: it is not written as Tilegrind expects \(KeyError: 'end'\)"):
        convert(read(kernel('%r = tt.make_range {start = 0 : i32} : tensor<4xi32> loc("k.py":4:1)')), {})


@pytest.mark.parametrize("text", ["module {\n}\n", "module {\n  tt.func private @k() {\n    tt.return\n  }\n}\n"])
def test_a_module_without_a_kernel(text):
    with pytest.raises(ExportError, match="a module has one public function; this one has 0"):
        convert(read(text), {})


# ---- faults put into texts ----

PIECES = ["", "%x", "{", "}", "(", ")", "<", ">", "loc(", "^bb1", ":", "->", '"', "-1", "tensor<4xf32>", "i32", "0x", "\n", ",", "%v#1", "e", "\0", "é"]


def mutated(text, random_):
    """A text with one to three faults: pieces cut out, put in, repeated, exchanged, or lines moved."""
    for _ in range(random_.randint(1, 3)):
        start = random_.randrange(len(text))
        end = min(len(text), start + random_.choice((1, 1, 2, 5, 20, 200)))
        kind = random_.randrange(5)
        if kind == 0:
            text = text[:start] + text[end:]
        elif kind == 1:
            text = text[:start] + random_.choice(PIECES) + text[start:]
        elif kind == 2:
            text = text[:start] + text[start:end] * 2 + text[end:]
        elif kind == 3:
            text = text[:start] + random_.choice(PIECES) + text[end:]
        else:
            lines = text.split("\n")
            i, j = random_.randrange(len(lines)), random_.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            text = "\n".join(lines)
    return text


@pytest.mark.parametrize("path", TEXTS, ids=IDS)
def test_texts_with_faults_raise_nothing_else(path):
    """No fault gives another exception than the two of the interface, and no module that the library does not read."""
    text, random_, refused = path.read_text(), random.Random(path.stem), 0
    for number in range(150):
        changed = mutated(text, random_)
        try:
            converted = convert(read(changed), collections.defaultdict(lambda: 16))
            runtime.loads(converted.compact())
        except (SyntaxProblem, ExportError, runtime.Error):
            refused += 1
        except Exception as problem:
            raise AssertionError(f"fault {number} of {path.name}: {type(problem).__name__}: {problem}\n{changed}") from problem
    assert refused > 50
