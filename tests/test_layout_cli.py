"""tilegrind layout, as its users drive it."""

import json
import xml.etree.ElementTree as ET

import pytest
from test_cli import expect, expect_error

ARTICLE = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"
SVG = "{http://www.w3.org/2000/svg}"
SWIZZLED = "Sw<3,3,3> o (8,64):(64,1)"


def test_map():
    out = expect(0, "layout", "map", ARTICLE, "2,9", "127", "--shape", "8,16")
    assert out == "2,9 -> warp=6 lane=8 reg=1 | warp=10 lane=8 reg=1\n127 -> warp=6 lane=31 reg=1 | warp=10 lane=31 reg=1\n"
    found = json.loads(expect(0, "layout", "map", ARTICLE, "(2,9)", "--shape", "(8,16)", "--json"))
    assert found == {"elements": [{"element": 41, "places": [{"warp": 6, "lane": 8, "reg": 1},
                                                             {"warp": 10, "lane": 8, "reg": 1}]}]}


def test_where():
    places = ["warp=10 lane=8 reg=1", "lane=8,warp=6,reg=1", "warp=7"]
    assert expect(0, "layout", "where", ARTICLE, *places, "--shape", "8,16") == (
        f"{places[0]} -> 2,9\n{places[1]} -> 2,9\nwarp=7 -> nothing\n")
    assert expect(0, "layout", "where", "(2,3):(1,1)", "m=1") == "m=1 -> 1 | 3\n"
    found = json.loads(expect(0, "layout", "where", "(2,3):(1,1)", "m=1", "--json", "--shape", "2,3"))
    assert found == {"places": [{"place": {"m": 1}, "elements": [1, 3], "coordinates": [[0, 1], [1, 0]]}]}
    assert json.loads(expect(0, "layout", "where", "8:1", "lane=1", "--json")) == {
        "places": [{"place": {"lane": 1}, "elements": []}]}


def test_injective():
    assert expect(0, "layout", "injective", ARTICLE) == "yes: no two elements have the same place\n"
    assert expect(1, "layout", "injective", "4:1 + [2:2]", "--shape", "2,2") == (
        "no: element 0, (0,0) and element 2, (1,0) are both at m=2\n")


def test_json_of_answers():
    def ask(code, *operands):
        return json.loads(expect(code, "layout", *operands, "--json"))
    assert ask(0, "equal", "8:1", "(2,4):(4,1)") == {"equal": True}
    assert ask(1, "equal", "8:1", "9:1") == {"equal": False, "sizes": [8, 9]}
    assert ask(1, "equal", "4:1 + [2:8]", "4:2") == {
        "equal": False, "element": 0, "first": {"places": [{}, {"m": 8}]}, "second": {"places": [{}]}}
    assert ask(0, "injective", "8:1") == {"injective": True}
    assert ask(1, "injective", "4:1 + [2:2]") == {"injective": False, "elements": [0, 2], "place": {"m": 2}}
    assert ask(0, "convert", "(8,8):(8,1)", "--to", "cute", "--shape", "8,8") == {"notation": "cute", "text": "(8,8):(8,1)"}


@pytest.mark.parametrize("number", ["4x", "0", "17", "", "1,2"])
def test_widths(number):
    for option in "--bytes", "--width":
        assert f"{option} takes 1 to 16" in expect_error(2, "layout", "conflicts", "32:1", option, number)


def test_group():
    assert expect(0, "layout", "group", "24:1", "4,6", "(2,12)", "1,24") == (
        "(2,2,6):(12,6,1)\n4,6: iters 0,1 | 2\n(2,12): iters 0 | 1,2\n1,24: iters none | 0,1,2\n")
    assert json.loads(expect(0, "layout", "group", "24:1", "4,6", "1,24", "--json")) == {
        "layout": {"D": [[4, 6, "m"], [6, 1, "m"]]}, "first": [[0, 1, 2], [0, 0, 2]]}


@pytest.mark.parametrize(("operands", "printed"), [
    (["slice", "(2,8,3,8):(192,8,64,1)", "0,8", "8,16", "--shape", "16,24"], "(8,2,8):(8,64,1) + 64"),
    (["slice", "(2,2,4):(1000,100,1)", "6", "4"], "(2,2):(898,1) + 102"),
    (["permute", "(2,4,2,8):(2@reg,1@lane,1@reg,4@lane)", "1,0", "--shape", "16,8"], "(8,2,4,2):(4@lane,2@reg,1@lane,1@reg)"),
    (["reduce", "(8,4,2):(4@lane,1@lane,1@reg)", "1", "--shape", "8,8"], "8:4@lane + [4:1@lane]"),
    (["reduce", "(8,4,2):(4@lane,1@lane,1@reg)", "0,1", "--shape", "8,8"], "1:0 + [32:1@lane]"),
    (["broadcast", "8:4@lane", "1", "--shape", "8,4"], "(8,4):(4@lane,0)"),
    (["tile", "(8,8):(8,1)", "8,8", "(2,3):(3,1)", "2,3"], "(8,2,8,3):(48,3,6,1)"),
    (["tile", "(2,2):(8,2)", "2,2", "(2,2):(4,1)", "2,2", "--sum"], "16:1"),
    (["tile-to", "Sw<3,3,3> o 512:1", "8,64", "64,64"], "Sw<3,3,3> o 4096:1"),
    (["outer-of", "(8,2,8,3):(48,3,6,1)", "16,24", "(2,3):(3,1)", "2,3"], "64:1"),
    (["outer-of", "16:1", "4,4", "(2,2):(4,1)", "2,2", "--sum"], "(2,2):(8,2)"),
    (["inner-of", "(8,2,8,3):(48,3,6,1)", "16,24", "(8,8):(8,1)", "8,8"], "6:1"),
    (["compose", "(8,4,2):(4@lane,1@lane,1@reg)", "(4,2):(2,1)"], "(4,2):(1@lane,1@reg)"),
    (["divide", "(3,2,4):(8,1,2)", "4:2"], "(3,4,2):(8,1,4)"),
    (["product", "(2,2):(1,4)", "6:1"], "(3,4,2):(8,1,4)"),
    (["complement", "4:2", "24"], "(3,2):(8,1)"),
    (["complement", "4:1@lane", "32", "lane"], "8:4@lane"),
    (["right-inverse", "(4,8):(1@lane,4@lane)"], "(8,4):(1,8)"),
    (["left-inverse", "(4,8):(1,4)"], "(8,4):(1,8)"),
    (["threads", "64:1@tx", "warp,lane"], "(2,32):(1@warp,1@lane)"),
    (["unpack", "Sw<3,3,3> o 512:1", "2"], "Sw<3,4,3> o 1024:1"),
    (["pack", "(8,16):(16,1)", "2"], "64:1"),
    (["storage", "(8,4,2):(4@lane,1@lane,1@m)"], "2:1"),
])
def test_operations(operands, printed):
    assert expect(0, "layout", *operands) == printed + "\n"
    as_json = json.loads(expect(0, "layout", *operands, "--json"))
    assert expect(0, "layout", "equal", json.dumps(as_json), printed) == "equal\n"


def test_equal():
    assert expect(0, "layout", "equal", "(4,2):(2,1)", '{"D": [[8, 1]]}') == "equal\n"
    out = expect(1, "layout", "equal", ARTICLE, ARTICLE.replace("1@reg", "2@reg"), "--shape", "8,16")
    assert out == ("not equal: element 1, (0,1)\n  the first -> warp=5 lane=0 reg=1 | warp=9 lane=0 reg=1\n"
                   "  the second -> warp=5 lane=0 reg=2 | warp=9 lane=0 reg=2\n")
    assert expect(1, "layout", "equal", "8:1", "4:1") == "not equal: 8 elements, and 4\n"


def test_show():
    lines = expect(0, "layout", "show", ARTICLE, "--shape", "8,16").splitlines()
    assert lines[:3] == ["(   8       2       4       2   )   (   2    )",
                         "( 4@lane, 1@warp, 1@lane, 1@reg ) + ( 4@warp ) + 5@warp",
                         f"canonical: {ARTICLE}"]
    assert lines[4:6] == ["each element: warp:lane:reg", "rows: d0; columns: d1"]
    assert [line.split()[10] for line in lines[8:]] == [f"6|10:{4 * i}:1" for i in range(8)]


def test_show_places():
    lines = expect(0, "layout", "show", SWIZZLED, "--shape", "8,64", "--places", "--bytes", "2").splitlines()
    assert lines[5] == "rows: m/64; columns: +"
    assert lines[9].split()[:3] == ["1", "1,8", "1,9"]  # group j of row i is at j ^ i
    shared = expect(0, "layout", "show", "(2,4):(0,2)", "--shape", "2,4", "--places").splitlines()
    assert shared[-1].split() == ["0", "0,0+1", ".", "0,1+1", ".", "0,2+1", ".", "0,3+1"] + ["."] * 25


@pytest.mark.parametrize("options", [["--by", "lane"], ["--places"]])
def test_show_svg(options):
    picture = ET.fromstring(expect(0, "layout", "show", ARTICLE, "--shape", "8,16", "--svg", *options))
    cells = list(picture.iter(f"{SVG}use"))
    assert len(cells) == (128 if "--by" in options else 6 * 32 * 2)
    assert len({cell.get("class") for cell in cells}) >= 8 and len({(cell.get("x"), cell.get("y")) for cell in cells}) == len(cells)


def texts(*arguments):
    return [text.text for text in ET.fromstring(expect(0, "layout", "show", *arguments, "--svg")).iter(f"{SVG}text")]


def test_captions_of_an_svg():
    found = texts(SWIZZLED, "--shape", "8,64", "--title", "a < b & c", "--places", "--bytes", "2", "--join", "1,8", "--by", "d1")
    assert found[:5] == ["a < b & c", SWIZZLED, "each place: the element that is there, +n: n more; rows: m/64; columns: bank",
                         "d0,d1", "d1"]
    assert found[5:13] == [f"{i}..{i + 7}" for i in range(0, 64, 8)]  # colours
    assert found[13:21] == [f"{i}..{i + 3}" for i in range(0, 32, 4)]  # banks
    assert found[29:] == [f"{i},{j}..{j + 7}" for i in range(8) for j in [8 * (k ^ i) for k in range(8)]]
    found = texts(ARTICLE, "--shape", "8,16")
    assert found[2:6] == ["warp:lane", "reg", "warp", "5"] and found[-2:] == ["6|10:31", "1"]


def test_panels_of_an_svg():
    """Many rows are drawn side by side, each with its title and below the titles of the columns."""
    found = ET.fromstring(expect(0, "layout", "show", "(64,2):(1@TLane,1@TCol)", "--places", "--shape", "64,2", "--svg"))
    cells = list(found.iter(f"{SVG}use"))
    assert len(cells) == 128 and int(found.get("height")) < 64 * 22
    assert [text.text for text in found.iter(f"{SVG}text")].count("1") == 4 + 1 and len({cell.get("x") for cell in cells}) == 8


def test_difference():
    first, second = "(4,2,4):(2@lane,1@lane,1@reg)", "(4,2,4):(1@lane,4@lane,1@reg)"
    lines = expect(0, "layout", "show", first, second, "--shape", "4,8").splitlines()
    assert lines[4] == "each element: lane:reg in the first layout, then in the second; = in both"
    assert lines[8].split() == ["0", *["="] * 4, "1:0>4:0", "1:1>4:1", "1:2>4:2", "1:3>4:3"]
    found = texts(first, second, "--shape", "4,8")
    assert found[0] == f"{first}  >  {second}" and found[2:4] == ["first", "second"] and found.count("=") == 8
    assert set(expect(0, "layout", "show", first, first, "--shape", "4,8").split("7\n")[-1].split()) == {"=", *"0123"}


@pytest.mark.parametrize("arguments, says", [
    (["8:1", "4:1"], "8 elements, but the layout 4"), (["(1048576,2):(1@lane,1@reg)"], "at most 16384 places"),
    (["(4,2):(1,4)", "--shape", "4,2", "--join", "1,2"], "the 2 elements from 0 on are no cell"),
    (["(2,2):(2@lane,1@lane) + [2:8@lane]", "--join", "1,2"], "the 2 elements from 0 on are no cell"),
    (["8:1", "--join", "1,3"], "no whole number of cells of 1 rows and 3 columns"),
    (["8:1", "--join", "2,1"], "no whole number of cells of 2 rows and 1 columns"),
    (["(4,2):(2,1)", "--places", "--join", "1,3"], "32 columns are no whole number of cells of 3"),
    (["8:1", "--places", "--join", "3,1"], "1 rows are no whole number of cells of 3"),
    (["8:2", "--places", "--join", "1,2"], "the 1 x 2 places from 0 on are no cell"), (["8:-1 + 7", "--places", "--join", "1,8"], "no cell"),
    (["(2,4):(0,1)", "--places", "--shape", "2,4", "--join", "1,8"], "no cell"),
    (["2:65536@lane", "--places", "--join", "128,1"], "no cell"), (["2:1048576@lane", "--places", "--join", "128,1"], "at most 1048576 places")])
def test_what_cannot_be_drawn(arguments, says):
    assert says in expect_error(3, "layout", "show", *arguments)


def test_json():
    assert json.loads(expect(0, "layout", "show", SWIZZLED, "--json")) == {
        "D": [[8, 64, "m"], [64, 1, "m"]], "swizzle": {"axis": "m", "unit": "element", "bits": 3, "base": 3, "shift": 3}}


def test_plan():
    spread, packed = "(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)", "(8,4,4):(4@lane,1@lane,1@reg)"
    out = expect(0, "layout", "plan", spread, packed, "--shape", "16,8")
    assert "in another lane" in out and "4 shuffles a warp, at least 4" in out
    assert "one that moves the furthest: element 2, (0,2)\n  from -> lane=1 reg=0\n  to   -> lane=0 reg=2\n" in out
    warps, lanes = "(4,16,16):(1@warp,1@lane,1@reg)", "(16,4,16):(1@lane,1@warp,1@reg)"
    found = json.loads(expect(0, "layout", "plan", warps, lanes, "--bytes", "2", "--json"))
    assert found == {"kept": 64, "registers": 0, "shuffled": 192, "shared": 768, "global": 0, "sent": 0, "shuffles": 16,
                     "least": 16, "shared_bytes": 1536, "global_bytes": 0, "sent_bytes": 0}
    split, whole = "(4,8):(1@gpuid,1@m)", "32:1@m + [4:1@gpuid]"
    out = expect(0, "layout", "plan", split, whole)
    assert "384 bytes between devices" in out and "from -> gpuid=0 m=0" in out
    assert "there" in expect(0, "layout", "plan", whole, "(4,8):(8@m,1@m) + [4:1@gpuid]")


ROWS, BY_ROWS, BY_COLUMNS = "(32,32):(32,1)", "(32,32):(1@reg,1@lane)", "(32,32):(1@lane,1@reg)"


def test_conflicts():
    out = expect(0, "layout", "conflicts", ROWS, "--lanes", BY_ROWS, "--lanes", BY_COLUMNS, "--shape", "32,32")
    assert out == """\
(32,32):(1@reg,1@lane)
  32 accesses of 4 bytes a lane
  shared memory: 32 wavefronts, at least 32
  global memory: 128 sectors, at least 128
    100.0 % of their bytes are wanted; they are in 32 lines
(32,32):(1@lane,1@reg)
  8 accesses of 16 bytes a lane
  shared memory: 256 wavefronts, at least 32, 8 times as many
    warp 0: element 0, (0,0) of lane 0 and element 32, (1,0) of lane 1 are in bank 0
  global memory: 256 sectors, at least 128, 2 times as many
    50.0 % of their bytes are wanted; they are in 256 lines
better: Sw<3,2,3> o (32,32):(32,1)
  shared memory: 64 wavefronts, at least 64
"""
    out = expect(0, "layout", "conflicts", "32:32")
    assert "element i in thread i\n  1 access of 4 bytes a lane\n" in out
    assert out.endswith("no swizzle: 32 wavefronts could be 1, but no swizzle makes them fewer\n")
    assert "32 accesses of 4 bytes a lane; 16 would do\n" in expect(0, "layout", "conflicts", ROWS, "--lanes", BY_COLUMNS, "--width", "4")
    assert "better" not in expect(0, "layout", "conflicts", "32:1", "--bytes", "2")


def test_conflicts_json():
    found = json.loads(expect(0, "layout", "conflicts", ROWS, "--lanes", BY_COLUMNS, "--json"))
    assert found == {
        "accesses": [{"lanes": BY_COLUMNS, "access_bytes": 16, "widest_bytes": 16, "accesses": 8, "wavefronts": 256,
                      "least_wavefronts": 32, "sectors": 256, "least_sectors": 128, "lines": 256, "distinct_bytes": 4096,
                      "collision": {"warp": 0, "bank": 0, "elements": [0, 32], "lanes": [0, 1]}}],
        "better": {"layout": "Sw<3,2,3> o (32,32):(32,1)", "wavefronts": 32, "least_wavefronts": 32}}
    found = json.loads(expect(0, "layout", "conflicts", "32:32", "--json"))
    assert found["accesses"][0]["lanes"] is None and found["better"] is None
    assert set(json.loads(expect(0, "layout", "conflicts", "32:1", "--json"))) == {"accesses"}


@pytest.mark.parametrize("options, code, says", [
    (["32:1", "--lanes", "33:1@lane"], 3, "registers hold 33 elements, memory 32"),
    (["32:1", "--lanes", "32:1@lan"], 3, 'there is no axis "lan"'), (["32:1@lane"], 3, "axis lane is not memory"),
    (["32:1", "--width", "8"], 3, "not 8 bytes in a row"), (["32:1", "--width", "0"], 2, "--width takes 1 to 16"),
    (["32:1", "--bytes", "3"], 3, "1, 2, 4, 8 or 16 bytes, not 3"), (["32:1", "32:1"], 2, "conflicts takes LAYOUT"),
    (["32:1", *["--lanes", "32:1@lane"] * 17], 2, "at most 16 times")])
def test_wrong_conflicts(options, code, says):
    assert says in expect_error(code, "layout", "conflicts", *options)


def notations():
    """{name: example} of `convert` without a layout."""
    lines = expect(0, "layout", "convert").splitlines()
    return {name.split()[0]: example.strip() for name, example in zip(lines[::2], lines[1::2])}


def test_examples_of_notations_convert_both_ways():
    known = notations()
    assert list(known) == ["axe", "cute", "cute-tv", "linear", "mosaic", "jax", "shardy", "sbp"]
    for name, example in known.items():
        axe = expect(0, "layout", "convert", example, "--from", name, "--shape", "8,8").strip()
        back = expect(0, "layout", "convert", axe, "--to", name, "--shape", "8,8", "--mesh", "x=2,y=2").strip()
        assert back == example, name


BLOCKED = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>"


@pytest.mark.parametrize("encoding, shape, axe", [
    (BLOCKED, "32,16", "(4,32,4):(1@warp,1@lane,1@reg)"),
    (f" #ttg.slice<{{dim = 1, parent = {BLOCKED}}}>", "32", "(4,8):(1@warp,4@lane) + [4:1@lane]"),
    ("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>", "16,8",
     "(2,32,2):(2@reg,1@lane,1@reg)")])
def test_encodings_of_triton(encoding, shape, axe):
    out = expect(0, "layout", "convert", encoding, "--from", "linear", "--shape", shape)
    assert out == axe + "\n"
    linear = expect(0, "layout", "convert", encoding, "--from", "linear", "--shape", shape, "--to", "linear").strip()
    assert linear.startswith("#ttg.linear<") and expect(0, "layout", "convert", linear, "--from", "linear") == out


def test_the_mesh_of_a_sharding_may_be_an_option():
    """--mesh is that of the text, unless the text says its own."""
    mesh = ["--mesh", "x=2,y=2", "--shape", "8,8"]
    with_its_own = expect(0, "layout", "convert", "x=2,y=2 P('x', 'y')", "--from", "jax", "--to", "shardy", "--shape", "8,8")
    assert expect(0, "layout", "convert", "P('x', 'y')", "--from", "jax", "--to", "shardy", *mesh) == with_its_own
    assert expect(0, "layout", "convert", "(S(0), S(1))", "--from", "sbp", "--to", "shardy", *mesh) == with_its_own
    assert expect(0, "layout", "convert", "(P, S(0))", "--from", "sbp", *mesh) == "(2,32):(1@gpuid,1@m) + [2:2@gpuid] | sum over [2:2@gpuid]\n"
    assert expect(0, "layout", "convert", "a=4 P('a')", "--from", "jax", "--to", "shardy", *mesh) == \
        '#sdy.sharding<mesh<["x"=2, "y"=2]>, [{"x", "y"}, {}]>\n'


def test_convert_takes_the_shape_from_the_text():
    linear = notations()["linear"]
    assert expect(0, "layout", "convert", linear, "--from", "linear", "--to", "cute-tv") == "((4,8),2):((16,1),8)\n"
    assert expect(0, "layout", "convert", "(4,6):(6,1)", "--from", "cute") == "(4,6):(6,1)\n"
    splat = "WGSplatFragLayout(shape=(4, 6))"
    assert expect(0, "layout", "convert", splat, "--from", "mosaic", "--to", "mosaic") == splat + "\n"


@pytest.mark.parametrize("options, code, says", [
    (["8:1", "--to", "cutlass"], 2, 'there is no notation "cutlass"; there are: axe cute cute-tv linear mosaic jax shardy sbp'),
    (["8:1", "--to", "linear"], 2, "the shape of the array is needed"),
    (["8:1", "--to", "jax", "--shape", "8"], 2, "the mesh is needed"),
    (["x=2 P('x')", "--from", "jax"], 2, "the shape of the array is needed"),
    (["24:1", "--to", "linear", "--shape", "24"], 3, "extent 24 is no power of two"),
    (["8:1@reg", "--to", "mosaic"], 2, "the shape of the array is needed"),
    (["8:1@reg", "--to", "mosaic", "--shape", "8"], 3, "axis wid_in_wg counts 1; a warpgroup has 4"),
    (["TMEMLayout(Tiling(((128, 1), (32, 1))), (-4,), (-2,), -1)", "--from", "mosaic"], 2, "the shape of the array is needed"),
    (["8:1 + [2:8]", "--to", "cute", "--shape", "8"], 3, "copies"),
    (["x=2 (P)", "--from", "sbp", "--to", "cute", "--shape", "8"], 3, "a layout cannot say that the array is a reduction"),
    (["<[\"x\"=2], device_ids=[1, 0]> P('x')", "--from", "jax", "--to", "cute", "--shape", "8"], 3, "cannot say which device"),
    (["x=2 (P)", "--from", "jax", "--shape", "8"], 3, "this is in notation sbp, not jax"),
    (["P('x')", "--from", "jax", "--shape", "8"], 2, "the mesh is needed"),
    (["P('x')", "--from", "jax", "--mesh", "x=2"], 2, "the shape of the array is needed: --shape"),
    (["#ttg.blocked<{sizePerThread = [1]}>", "--from", "linear", "--shape", "8"], 3, "threadsPerWarp"),
    (["#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>", "--from", "linear"], 2,
     "the shape of the array is needed"),
    (["#ttg.other<{}>", "--from", "linear", "--shape", "8"], 3, "byte 0"),
    (["8:1 | sum over [2:1]", "--shape", "8"], 3, "where the layout has no copies"),
    (["x=3 P('x')", "--from", "jax", "--shape", "8"], 3, "8"),
    (["8:1", "--to", "jax", "--shape", "8", "--mesh", "x=2"], 3, "")])
def test_what_cannot_be_converted(options, code, says):
    assert says in expect_error(code, "layout", "convert", *options)


@pytest.mark.parametrize("text, form, to, out", [
    ("x=2 (P)", "sbp", "jax", "x=2 P(None, unreduced={'x'}, unreduced_kind=sum)"),
    ("x=2 (P(max))", "sbp", "axe", "8:1@m + [2:1@gpuid] | max over [2:1@gpuid]"),
    ("8:1@m + [2:1@gpuid] | max over [2:1@gpuid]", "axe", "sbp", "device=2 (P(max))"),
    ("<[\"x\"=2], device_ids=[1, 0]> P('x')", "jax", "axe", "(2,4):(1@gpuid,1@m) | devices [1,0]"),
    ("<[\"x\"=2], device_ids=[1, 0]> P('x')", "jax", "shardy", '#sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>')])
def test_what_a_layout_cannot_say_is_converted_between_shardings(text, form, to, out):
    assert expect(0, "layout", "convert", text, "--from", form, "--to", to, "--shape", "8") == out + "\n"


def test_plans_of_collectives():
    out = expect(0, "layout", "plan", "P('x')", "P(None, 'x')", "--mesh", "x=4", "--shape", "8,8")
    assert "192 bytes between devices\n" in out and "from -> gpuid=0 m=2\n" in out
    assert out.endswith("""  collectives
    all_to_all {"x"}: 0->1 -> [{}, {"x"}]
      4 devices send 48 bytes each; over a link of a ring 96, of each pair 16
""")
    found = json.loads(expect(0, "layout", "plan", "(P)", "(S(0))", "--mesh", "x=4", "--shape", "8,8", "--bytes", "2", "--json"))
    assert found == {"collectives": [{"kind": "reduce_scatter", "text": 'reduce_scatter [{"x"}, {}] -> [{"x"}, {}]', "devices": 4,
                                      "sent": 96, "ring_link": 96, "pair_link": 32}]}
    assert "no device sends anything" in expect(0, "layout", "plan", "P()", "x=4 P('x')", "--mesh", "x=4", "--shape", "8")
    assert "no collectives are needed" in expect(0, "layout", "plan", "x=4 P('x')", "[{\"x\"}]", "--mesh", "x=4", "--shape", "8")
    split, whole = "(4,8):(1@gpuid,1@m)", "32:1@m + [4:1@gpuid]"
    assert 'all_gather [{"device"}] -> [{}]\n      4 devices send 96 bytes each' in expect(0, "layout", "plan", split, whole)
    assert "collectives" not in expect(0, "layout", "plan", whole, "(4,8):(8@m,1@m) + [4:1@gpuid]")
    strided = "(2,4,8):(1@m,1@gpuid,2@m)"
    assert "no plan of collectives: dimension 0 has a device digit below" in expect(0, "layout", "plan", strided, "64:1@m + [4:1@gpuid]")
    reason = json.loads(expect(0, "layout", "plan", strided, "64:1@m + [4:1@gpuid]", "--json"))
    assert reason["no_collectives"].startswith("dimension 0 has") and reason["sent"] == 192
    large = expect(0, "layout", "plan", "P('x')", "P()", "--mesh", "x=4", "--shape", "4096,4096")
    assert large.startswith("  collectives\n") and "50331648 bytes each" in large


@pytest.mark.parametrize("arguments, code, says", [
    (["P('x')", "P()", "--mesh", "x=4"], 2, "the shape of the array is needed: --shape"),
    (["P('x')", "P('z')", "--mesh", "x=4", "--shape", "8"], 3, "error: byte 2: the mesh has no axis \"z\"\n    P('z')\n      ^\n"),
    (["P('x')", "P()", "--shape", "8"], 2, "the mesh is needed"), (["P('x')", "P()", "--mesh", "x", "--shape", "8"], 3, "expected a mesh"),
    (["x=2 P('x')", "x=4 P()", "--shape", "8"], 3, "the array is on 2 devices, and is to be on 4"), (["P('x')", "P()", "--mesh", "x=3", "--shape", "8"], 3, "no multiple")])
def test_refused_plans_of_collectives(arguments, code, says):
    assert says in expect_error(code, "layout", "plan", *arguments)


@pytest.mark.parametrize("arguments, says", [
    ([], "no operation given"), (["turn", "8:1"], 'there is no operation "turn"'), (["show"], "show takes LAYOUT"),
    (["map", "8:1"], "map takes LAYOUT ELEMENT..."), (["equal", "8:1"], "equal takes LAYOUT LAYOUT"),
    (["map", "8:1", "x"], '"x" is no element'), (["map", "8:1", "1,2"], "give the --shape it is in"),
    (["map", "8:1", "1,2,3", "--shape", "4,2"], "has not the rank of --shape"),
    (["map", "8:1", "4,0", "--shape", "4,2"], '"4,0" is not in the shape'), (["map", "8:1", "8"], "there is no element 8"),
    (["map", "8:1", "-1"], "unknown option"), (["show", "8:1", "--shape", "4,x"], "--shape takes numbers"),
    (["show", "8:1", "--bytes", "0"], "--bytes takes 1 to 16"), (["show", "8:1", "--join", "8"], "--join takes rows and columns"),
    (["show", "8:1", "--join", "1,129"], "--join takes"), (["show", "8:1", "--places", "--by", "m"], "d0 to d0, not by \"m\""),
    (["show", "8:1", "8:2", "--places"], "one of elements"), (["show", "8:1", "8:2", "--join", "1,2"], "a cell for each element"),
    (["show", "8:1", "8:1", "8:1"], "show takes LAYOUT [LAYOUT]"), (["show", "8:1", "--by", "lan"], 'there is no axis "lan"')])
def test_wrong_calls(arguments, says):
    assert says in expect_error(2, "layout", *arguments)


@pytest.mark.parametrize("arguments, says", [
    (["show", "8:1@lan"], 'error: byte 4: there is no axis "lan"; there are: gpuid'),
    (["show", "8:1@lan"], "\n    8:1@lan\n        ^\n"),
    (["show", "8:1", "--shape", "3,3"], "the shape has 9 elements, but the layout 8"),
    (["show", "65536:1"], "a picture has at most 16384 places; this layout has 65536 elements\n"),
    (["show", "16384:1 + [2:32768]"], "this layout has 16384 elements, each in copies\n"),
    (["show", "((4,8),2):((16,1),8)"], "error: byte 1: expected an extent, an integer: an iter has one, and modes within modes are CuTe's"),
    (["show", "2:100000", "--places"], "a picture has at most 16384 cells"),
    (["map", "1:0 + [33554432:1]", "0"], "33554432 copies are more than 16777216"),
    (["equal", "Sw<1,0,1> o 33554432:1", "33554432:1"], "layouts with different swizzles have more than 16777216"),
    (["plan", "8:1", "4:1"], "8 and 4 elements; they are of one array"),
    (["plan", "8:1@reg", "8:1@m"], "one layout is on memory axis reg, the other on m: that is a load or a store"),
    (["plan", "2097152:1", "2097152:1"], "more than 1048576 places"),
    (["show", '{"D": [[8, 1, "lan"]]}'], '/D/0/2: byte 14: there is no axis "lan"')])
def test_refused_layouts(arguments, says):
    assert says in expect_error(3, "layout", *arguments)


@pytest.mark.parametrize(("code", "operands", "says"), [
    (3, ["slice", "(2,4):(1@lane,1@reg)", "2", "4"], "further on axes lane and reg, and an iter has one axis"),
    (3, ["slice", "64:1", "0,4", "8,5", "--shape", "8,8"], "a part of 5 elements from 4 on is not in dimension 1, which has 8"),
    (2, ["slice", "8:1", "1,2", "3"], "slice takes lists of one length, that of --shape: 1 and 2"),
    (2, ["tile", "8:1", "8", "4:1", "2,2"], "tile takes lists of one length: 1 and 2"),
    (2, ["tile", "8:1", "8"], "tile takes OUTER SHAPE INNER SHAPE"),
    (2, ["slice", "8:1", "x", "3"], '"x" is no list of integers, such as 8,16'),
    (2, ["unpack", "8:1", "two"], '"two" is no integer'),
    (2, ["unpack", "8:1", "2", "memory"], 'there is no axis "memory"'),
    (2, ["complement", "4:2", "24", "memory"], '"memory" is no axis'),
    (2, ["threads", "64:1@tx", "warp,thread"], 'there is no axis "thread"'),
    (3, ["threads", "64:1@tx", "lane"], "axis lane"),
    (3, ["outer-of", "16:1", "4,4", "(2,2):(4,1)", "2,2"], "no multiple of 6, the span of the inner layout"),
    (3, ["outer-of", "(2,2):(1,2)", "4", "2:1", "2"], "the inner iters of the whole are 2:2; those of the known part are 2:1"),
    (3, ["reduce", "64:1@reg", "2", "--shape", "8,8"], "there is no dimension 2 in a shape of rank 2"),
    (3, ["compose", "8:1", "4:3"], "the second layout goes from 0 to 9, and the first has elements 0 to 7"),
    (3, ["left-inverse", "(4,8):(1@lane,1@reg)"], "the inverse is not defined: the layout is on axes lane and reg"),
    (3, ["compose", "8:1", "4:3@foo"], 'there is no axis "foo"'),
    (2, ["group", "8:1", "x"], '"x" is no shape, such as 8,16'),
    (3, ["group", "(4,6):(7,1)", "6,4"], "dimension 0, of which 6 are left, meets 4:7@m, and neither 6 nor 4 divides the other"),
    (3, ["group", "12:1", "3,4", "2,6"], "the shapes have incompatible boundaries"),
    (2, ["where", "8:1", "lane"], '"lane" is no place, such as lane=8,warp=6'),
    (2, ["where", "8:1", "m=x"], "after '=' comes an integer"),
    (2, ["where", "8:1", "foo=1"], 'there is no axis "foo"; there are: gpuid'),
    (2, ["conflicts", "(32,32):(32,1)", "--shape", "32"], "--shape has not the 1024 elements of the layout"),
    (2, ["where", "8:1", "m=1", "--shape", "3,3"], "--shape has not the 8 elements of the layout"),
    (2, ["injective", "8:1", "--shape", "0"], "--shape has not the 8 elements of the layout"),
    (3, ["where", "33554432:0", "m=0"], "takes more than 16777216 steps"),
])
def test_rejected_operations(code, operands, says):
    assert says in expect_error(code, "layout", *operands)
