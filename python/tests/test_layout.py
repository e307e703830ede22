"""tilegrind.layout."""

import numpy as np
import pytest

import tilegrind
from tilegrind.layout import AXES, Layout

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


def test_draws():
    assert "5|9:0:1" in Layout(ARTICLE).draw((8, 16))
    assert Layout(ARTICLE).draw((8, 16), by="lane", svg=True).startswith("<svg")
    assert "m/64" in Layout("128:1").draw(view="places", element_bytes=2)


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
    (lambda: Layout("8:1").draw(by="lan"), tilegrind.Error, "no axis")])
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_axes():
    assert AXES.index("warp") < AXES.index("lane") < AXES.index("reg") and len(set(AXES)) == len(AXES)
