"""tilegrind.layout."""

import numpy as np
import pytest

import tilegrind
from tilegrind.layout import AXES, NOTATIONS, Layout

ARTICLE = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"


def test_reads_and_prints():
    layout = Layout(ARTICLE)
    assert str(layout) == ARTICLE and repr(layout) == f"Layout({ARTICLE!r})"
    assert str(Layout(layout)) == ARTICLE and str(Layout(layout.json())) == ARTICLE
    assert layout.rows() == ("(   8       2       4       2   )   (   2    )\n"
                             "( 4@lane, 1@warp, 1@lane, 1@reg ) + ( 4@warp ) + 5@warp")
    assert (layout.size, layout.copies, layout.range("warp"), layout.range("m")) == (128, 2, (5, 10), (0, 0))


def test_places():
    layout = Layout(ARTICLE)
    assert layout.places((2, 9), shape=(8, 16)) == layout.places(41) == [
        {"warp": 6, "lane": 8, "reg": 1}, {"warp": 10, "lane": 8, "reg": 1}]
    i, j = np.indices((8, 16))
    assert (layout.map("lane", (8, 16)) == 4 * i + j // 2 % 4).all()
    assert (layout.map("warp", (8, 16)) == 5 + j // 8).all() and (layout.map("reg", (8, 16)) == j % 2).all()


def test_a_swizzle_permutes():
    i, j = np.indices((8, 64))
    assert (Layout("Sw<3,3,3> o (8,64):(64,1)").map("m", (8, 64)) == 64 * i + (j // 8 ^ i) * 8 + j % 8).all()


def test_equal():
    assert Layout("(2,4):(4,1)") == Layout("8:1") != Layout("8:2")
    assert Layout("8:1").first_difference(Layout("(2,4):(5,1)")) == 4
    assert Layout("8:1").first_difference(Layout("4:1")) == -1 and Layout("8:1").first_difference(Layout("8:1")) is None
    assert str(Layout("(8,2,3,6):(6,24,6,1)").canonical()) == "(8,2,18):(6,24,1)"
    assert Layout("8:1") != "8:1"
    with pytest.raises(TypeError):
        hash(Layout("8:1"))


def test_plan():
    plan = Layout("(4,8):(1@gpuid,1@m)").plan(Layout("32:1@m + [4:1@gpuid]"), element_bytes=2)
    assert (plan["sent"], plan["sent_bytes"], plan["registers"], plan["kept"]) == (96, 192, 24, 8)
    with pytest.raises(tilegrind.Error, match="1 to 16 bytes, not 32"):
        Layout("8:1").plan(Layout("8:1"), element_bytes=32)


# memory, bytes of an element, of an access: wavefronts, at least
SHARED = [
    ("(2,16):(1,32)", 4, 4, 16, 1), ("Sw<4,0,5> o (2,16):(1,32)", 4, 4, 2, 1), ("Sw<4,1,4> o (2,16):(1,32)", 4, 4, 1, 1),
    ("32:1", 4, 4, 1, 1), ("Sw<4,1,4> o 32:1 + 160", 4, 4, 1, 1),  # stores of the same transpose
    ("32:32", 4, 4, 32, 1), ("32:33", 4, 4, 1, 1), ("Sw<5,0,5> o 32:32", 4, 4, 1, 1),
    ("32:2", 4, 4, 2, 1), ("32:4", 4, 4, 4, 1), ("32:8", 4, 4, 8, 1), ("32:16", 4, 4, 16, 1), ("32:3", 4, 4, 1, 1),
    ("32:0", 4, 4, 1, 1), ("(16,2):(1,0)", 4, 4, 1, 1),  # lanes that share a word
    ("8:64", 2, 2, 8, 1), ("Sw<3,3,3> o 8:64", 2, 2, 1, 1),
    ("8:32@byte", 16, 16, 2, 1), ("Sw<1,4,3>@byte o 8:32@byte", 16, 16, 1, 1),  # ldmatrix
    ("8:64@byte", 16, 16, 4, 1), ("Sw<2,4,3>@byte o 8:64@byte", 16, 16, 1, 1),
    ("8:128@byte", 16, 16, 8, 1), ("Sw<3,4,3>@byte o 8:128@byte", 16, 16, 1, 1),
    ("(8,4):(128@byte,4@byte)", 4, 4, 8, 1), ("Sw<3,4,3>@byte o (8,4):(128@byte,4@byte)", 4, 4, 1, 1),  # wgmma's D
    ("(8,4):(128@byte,8@byte)", 8, 8, 8, 2), ("Sw<3,4,3>@byte o (8,4):(128@byte,8@byte)", 8, 8, 4, 2),
    ("32:4", 4, 4, 4, 1), ("Sw<2,0,5> o 32:4", 4, 4, 1, 1)]  # scale factors
# memory, bytes of an element: sectors, lines, per cent that are wanted
GLOBAL = [("32:1", 4, 4, 1, 100), ("32:1 + 1", 4, 5, 2, 80), ("32:2", 4, 8, 2, 50), ("32:32", 4, 32, 32, 12.5),
          ("32:1", 2, 2, 1, 100), ("32:1", 16, 16, 4, 100),
          ("(8,4):(256@byte,8@byte)", 8, 8, 8, 100), ("(8,4):(128@byte,4@byte)", 4, 8, 8, 50)]


@pytest.mark.parametrize("memory, element_bytes, access_bytes, wavefronts, least", SHARED)
def test_conflicts_of_banks(memory, element_bytes, access_bytes, wavefronts, least):
    cost = Layout(memory).conflicts(element_bytes=element_bytes, access_bytes=access_bytes)
    assert (cost["wavefronts"], cost["least_wavefronts"], cost["access_bytes"]) == (wavefronts, least, access_bytes)
    assert (cost["elements"] == [-1, -1]) == (wavefronts == least)
    if wavefronts > least:
        here = [Layout(memory).places(x)[0] for x in cost["elements"]]
        words = [(at.get("byte", 0) + at.get("m", 0) * element_bytes) // 4 for at in here]
        assert words[0] != words[1] and [word % 32 for word in words] == [cost["bank"]] * 2
        assert cost["elements"] == cost["lanes"]  # as thread i holds element i


@pytest.mark.parametrize("memory, element_bytes, sectors, lines, wanted", GLOBAL)
def test_sectors(memory, element_bytes, sectors, lines, wanted):
    cost = Layout(memory).conflicts(element_bytes=element_bytes)
    assert (cost["sectors"], cost["lines"], 100 * cost["distinct_bytes"] / (32 * cost["sectors"])) == (sectors, lines, wanted)


def test_conflicts_of_holders():
    rows, by_rows, by_columns = Layout("(32,32):(32,1)"), Layout("(32,32):(1@reg,1@lane)"), Layout("(32,32):(1@lane,1@reg)")
    assert rows.conflicts(by_rows)["wavefronts"] == rows.conflicts(by_rows)["least_wavefronts"] == 32
    cost = rows.conflicts(by_columns)
    assert (cost["access_bytes"], cost["accesses"], cost["wavefronts"], cost["least_wavefronts"]) == (16, 8, 256, 32)
    cost = rows.conflicts(by_columns, access_bytes=4)
    assert (cost["widest_bytes"], cost["accesses"], cost["wavefronts"], cost["elements"]) == (16, 32, 1024, [0, 32])
    assert str(rows.swizzle_for(by_rows, by_columns)) == "Sw<3,2,3> o (32,32):(32,1)"
    assert str(rows.swizzle_for(by_columns, access_bytes=4)) == "Sw<5,0,5> o (32,32):(32,1)"
    assert str(rows.swizzle_for(by_rows)) == str(rows)
    swizzled = Layout("Sw<1,2,3> o (32,32):(32,1)")  # not enough of it
    assert str(swizzled.swizzle_for(by_columns)) == "Sw<3,2,3> o (32,32):(32,1)"
    in_bytes = Layout("(8,32,8,2):(16@byte,128@byte,2@byte,1@byte)")
    assert str(in_bytes.swizzle_for(None, element_bytes=1)) == "Sw<1,4,3>@byte o (8,32,8,2):(16@byte,128@byte,2@byte,1@byte)"


def test_other_notations():
    layout = Layout("(8,4,2):(4@lane,1@lane,1@reg)")
    assert layout.to("cute-tv", (8, 8)) == "((4,8),2):((16,1),8)"
    assert Layout.read("linear", layout.to("linear", (8, 8))) == layout == Layout.read("cute-tv", "((4,8),2):((16,1),8)", (8, 8))
    split = Layout.read("jax", "x=2,y=2 P('x', 'y')", (8, 8))
    assert split.to("sbp", (8, 8), mesh="x=2,y=2") == "x=2,y=2 (S(0), S(1))" and "sbp" in NOTATIONS
    with pytest.raises(tilegrind.Error, match="extent 24 is no power of two"):
        Layout("24:1").to("linear", (24,))


def test_draws():
    assert "5|9:0:1" in Layout(ARTICLE).draw((8, 16))
    assert Layout(ARTICLE).draw((8, 16), by="lane", svg=True).startswith("<svg")
    assert "m/64" in Layout("128:1").draw(view="places", element_bytes=2)


def table(text):
    """{(title of row, of column): what a cell says} of a picture as text, without holes."""
    lines = text.splitlines()[3:]
    columns = lines[0].split()
    rows = [line.split() for line in lines[1:]]
    return {(row[0], column): cell for row in rows for column, cell in zip(columns, row[1:]) if cell != "."}


def numbers(text):
    """Those of "7" or "4..7"."""
    first, _, last = text.partition("..")
    return list(range(int(first), int(last or first) + 1))


@pytest.mark.parametrize("text, shape, join", [
    ("(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)", (16, 8), (1, 1)), ("(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)", (16, 8), (1, 2)),
    ("(2,8,2,4):(1@reg,4@lane,2@reg,1@lane)", (16, 8), (1, 4)), ("(4,3,5):(-3@reg,1@warp,7@reg) + 9@reg", (12, 5), (1, 1)),
    ("(8,8):(8@lane,1@reg)", (8, 8), (1, 8)), ("(4,16,4):(32@TLane,1@TLane,1@TCol)", (64, 4), (16, 1))])
def test_a_picture_says_where_each_element_is(text, shape, join):
    layout = Layout(text)
    cells = table(layout.draw(shape, join=join))
    axes = [axis for axis in AXES if layout.range(axis) != (0, 0)]
    found = {}
    for (row, column), cell in cells.items():
        elements = [(i, j) for i in numbers(row) for j in numbers(column)]
        ranges = [numbers(part) for part in cell.split(":")]
        for n, element in enumerate(elements):
            at = [of[min(n, len(of) - 1)] for of in ranges]
            found[element] = [{axis: v for axis, v in zip(axes, at) if v}]
    assert found == {at: layout.places(at, shape) for at in np.ndindex(*shape)}


@pytest.mark.parametrize("text, shape, join", [
    ("(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)", (16, 8), (1, 1)), ("(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)", (16, 8), (1, 2)),
    ("(4,16,4):(32@TLane,1@TLane,1@TCol) + 16@TLane", (64, 4), (16, 1)), ("(64,2,2):(1@TLane,64@TLane,1@TCol)", (64, 4), (8, 2)),
    ("(6,5):(2@lane,-1@reg)", (6, 5), (1, 1)), ("128:1@TLane", (128,), (4, 1))])
def test_a_picture_says_what_is_at_each_place(text, shape, join):
    layout = Layout(text)
    rows, columns = [axis for axis in AXES if layout.range(axis)[0] != layout.range(axis)[1]] + ["m"] * (text == "128:1@TLane")
    found = {}
    for (row, column), cell in table(layout.draw(shape, view="places", join=join)).items():
        elements = list(np.ndindex(*(len(numbers(part)) for part in cell.split(","))))
        places = [(i, k) for i in numbers(row) for k in numbers(column)]
        assert len(elements) == len(places) == join[0] * join[1]
        for place, element in zip(places, elements):
            at = tuple(numbers(part)[n] for part, n in zip(cell.split(","), element))
            found[at] = [{axis: v for axis, v in zip((rows, columns), place) if v}]
    assert found == {at: layout.places(at, shape) for at in np.ndindex(*shape)}


@pytest.mark.parametrize("call, error, says", [
    (lambda: Layout("8:1@lan"), tilegrind.Error, 'there is no axis "lan"'),
    (lambda: Layout({"D": [[0, 1]]}), tilegrind.Error, "0"),
    (lambda: Layout("8:1").places(8), tilegrind.Error, "there is no element 8"),
    (lambda: Layout("8:1").places((0, 4), shape=(2, 4)), IndexError, "not in shape"),
    (lambda: Layout("8:1").places((0,), shape=(2, 4)), IndexError, "not in shape"),
    (lambda: Layout("8:1").map("lan"), ValueError, "there is no axis 'lan'; there are: gpuid"),
    (lambda: Layout("8:1").draw(view="all"), ValueError, "not one of: elements, places"),
    (lambda: Layout("8:1").draw((3, 3)), tilegrind.Error, "9 elements, but the layout 8"),
    (lambda: Layout("8:1").draw([1] * 17), tilegrind.Error, "at most 16 dimensions"),
    (lambda: Layout("8:1").draw(by="lan"), tilegrind.Error, "no axis"),
    (lambda: Layout("8:1").conflicts(Layout("4:1@lane")), tilegrind.Error, "registers hold 4 elements, memory 8"),
    (lambda: Layout("8:1@lane").conflicts(), tilegrind.Error, "axis lane is not memory of elements or of bytes"),
    (lambda: Layout("8:1").conflicts(element_bytes=3), tilegrind.Error, "1, 2, 4, 8 or 16 bytes, not 3"),
    (lambda: Layout("8:1").conflicts(access_bytes=16), tilegrind.Error, "not 16 bytes in a row"),
    (lambda: Layout("32:32").swizzle_for(None), tilegrind.Error, "32 wavefronts could be 1, but no swizzle"),
    (lambda: Layout("32:32").swizzle_for(), tilegrind.Error, "1 to 16 accesses, not 0"),
    (lambda: Layout("8:1").swizzle_for(*[None] * 17), tilegrind.Error, "1 to 16 accesses, not 17"),
    (lambda: Layout("1048576:2").swizzle_for(None), tilegrind.Error, "more than 16384 accesses: these are 32768")])
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_axes():
    assert AXES.index("warp") < AXES.index("lane") < AXES.index("reg") and len(set(AXES)) == len(AXES)


def test_backward():
    layout = Layout(ARTICLE)
    assert layout.where({"warp": 10, "lane": 8, "reg": 1}, shape=(8, 16)) == [(2, 9)]
    assert layout.where({"warp": 6, "lane": 8, "reg": 1}) == [41] and layout.where({"warp": 7}) == []
    assert Layout("(2,3):(1,1)").where({"m": 1}, (2, 3)) == [(0, 1), (1, 0)]
    assert layout.shared() is None and Layout("4:1 + [2:2]").shared() == (0, 2, {"m": 2})
    with pytest.raises(ValueError, match="there is no axis 'thread'"):
        layout.where({"thread": 1})
    with pytest.raises(tilegrind.Error, match="more than 16777216 steps"):
        Layout("33554432:0").where({})


def test_dimensions():
    grouped, blocks, more = Layout("24:1").group((4, 6), (2, 12))
    assert (str(grouped), blocks, more) == ("(2,2,6):(12,6,1)", [0, 2, 3], [0, 1, 3])
    assert str(Layout("24:1").group((4, 6))[0]) == "(4,6):(6,1)"
    assert str(Layout("(2,8,3,8):(192,8,64,1)").slice((16, 24), (0, 8), (8, 16))) == "(8,2,8):(8,64,1) + 64"
    assert str(Layout("(2,4,2,8):(2@reg,1@lane,1@reg,4@lane)").permute((16, 8), (1, 0))) == "(8,2,4,2):(4@lane,2@reg,1@lane,1@reg)"
    rows = Layout("(8,4,2):(4@lane,1@lane,1@reg)").reduce((8, 8), [1])
    assert rows == Layout("8:4@lane + [4:1@lane]") and rows.broadcast((8, 8), [1]) == Layout("(8,8):(4@lane,0) + [4:1@lane]")
    for wrong, reason in [(lambda: rows.reduce((8,), [1]), "no dimension 1 in a shape of rank 1"),
                          (lambda: rows.group((3, 3)), "does not admit"), (lambda: rows.group(*[(8,)] * 9), "at most 8 shapes"),
                          (lambda: rows.slice((8,), (4,), (5,)), "not in dimension 0"),
                          (lambda: rows.permute((8,), (1,)), "no permutation"), (lambda: rows.group((1,) * 17), "at most 16 dim")]:
        with pytest.raises(tilegrind.Error, match=reason):
            wrong()
    with pytest.raises(ValueError, match="same number of dimensions"):
        rows.slice((8,), (4, 0), (5, 1))


def test_tiles():
    grid, block = Layout("(8,8):(8,1)"), Layout("(2,3):(3,1)")
    tiled = grid.tile((8, 8), block, (2, 3))
    assert tiled == Layout("(8,2,8,3):(48,3,6,1)")
    assert tiled.outer_of((16, 24), block, (2, 3)) == grid and tiled.inner_of((16, 24), grid, (8, 8)) == block
    assert Layout("(2,2):(8,2)").tile((2, 2), Layout("(2,2):(4,1)"), (2, 2), sum=True) == Layout("16:1")
    assert Layout("16:1").outer_of((4, 4), Layout("(2,2):(4,1)"), (2, 2), sum=True) == Layout("(2,2):(8,2)")
    assert Layout("Sw<3,3,3> o 512:1").tile_to((8, 64), (64, 64)) == Layout("Sw<3,3,3> o 4096:1")
    with pytest.raises(tilegrind.Error, match="no multiple of 6, the span of the inner layout"):
        Layout("16:1").outer_of((4, 4), Layout("(2,2):(4,1)"), (2, 2))


def test_algebra():
    assert Layout("(8,4,2):(4@lane,1@lane,1@reg)").compose(Layout("(4,2):(2,1)")) == Layout("(4,2):(1@lane,1@reg)")
    assert str(Layout("(3,2,4):(8,1,2)").divide(Layout("4:2")).canonical()) == "(3,4,2):(8,1,4)"
    assert Layout("(2,2):(1,4)").product(Layout("6:1")) == Layout("(3,4,2):(8,1,4)")
    assert Layout("4:2").complement(24) == Layout("(3,2):(8,1)") and Layout("4:1@lane").complement(32, "lane").size == 8
    assert Layout("(4,8):(1@lane,4@lane)").right_inverse() == Layout("(8,4):(1,8)") == Layout("(4,8):(1,4)").left_inverse()
    with pytest.raises(tilegrind.Error, match="not defined: the layout is on axes lane and reg"):
        Layout("(4,8):(1@lane,1@reg)").left_inverse()


def test_threads_and_elements():
    threads = Layout("(2,2,8,4):(2@warp,1@warp,4@lane,1@lane)")
    assert str(threads.move_threads("tx")) == "128:1@tx" and threads.move_threads("tx").move_threads("warp", "lane") == threads
    assert Layout("Sw<3,3,3> o 512:1").unpack(2) == Layout("Sw<3,4,3> o 1024:1")
    assert Layout("(8,8):(1@reg,8@m)").unpack(2, "m").pack(2, "m") == Layout("(8,8):(1@reg,8@m)")
    assert str(Layout("(8,4,2):(4@lane,1@lane,1@m)").storage()) == "2:1"
    with pytest.raises(tilegrind.Error, match='there is no axis "thread"'):
        threads.move_threads("thread")
    with pytest.raises(tilegrind.Error, match="axes reg and m"):
        Layout("(8,8):(1@reg,8@m)").unpack(2)
