"""Layouts with two elements at one place."""

from conformance.defects.layout_kernels import layout_defect, overlap


def through(k, layout, type="f32[4,8]", space="smem"):
    """o = x, by way of scratch."""
    tile = k.scratch("tile", type, layout, space)
    k.store(tile, k.load(k.input("x", type)))
    k.store(k.output("o", type), k.load(tile))
    k.result = lambda x: [x]


def held(k, layout, type="f32[32]"):
    """o = x, by way of registers."""
    k.store(k.output("o", type), k.cast(k.load(k.input("x", type)), layout))
    k.result = lambda x: [x]


@layout_defect("rows of 8 elements begin every 6", overlap("(0,6) and (1,0)", "tile", "kernel"))
class PitchTooShort:
    def broken(k):  # <kernel>
        through(k, "(4,8):(6,1)")

    def repaired(k):
        through(k, "(4,8):(10,1)")


@layout_defect("two elements share a register", overlap("result 0 of layout_cast"))
class OneRegisterForTwo:
    def broken(k):
        held(k, "(16,2):(1@lane,0)")  # <here>

    def repaired(k):
        held(k, "(16,2):(1@lane,1@reg)")


@layout_defect("lanes of rows reach into those of the next row", overlap("result 0 of layout_cast"))
class LanesReachTooFar:
    def broken(k):
        held(k, "(4,8):(4@lane,1@lane)")  # <here>

    def repaired(k):
        held(k, "(4,8):(8@lane,1@lane)")


@layout_defect("copies of one element are where other elements are", overlap("result 0 of layout_cast"))
class CopiesOverOthers:
    def broken(k):
        held(k, "8:1@lane + [4:4@lane]", "f32[8]")  # <here>

    def repaired(k):
        held(k, "8:1@lane + [4:8@lane]", "f32[8]")


@layout_defect("two halves of the columns of tensor memory overlap in one column", overlap("TCol", "tile", "kernel"))
class ColumnsOverlap:
    def broken(k):  # <kernel>
        through(k, "(128,2,4):(1@TLane,3@TCol,1@TCol)", "f32[128,8]", "tmem")

    def repaired(k):
        through(k, "(128,2,4):(1@TLane,4@TCol,1@TCol)", "f32[128,8]", "tmem")


@layout_defect("the rows of a tile of 32-bit elements are as far apart as those of 16-bit ones", overlap("(0,4) and (1,0)", "tile", "kernel"))
class PitchOfAnotherDtype:
    def broken(k):  # <kernel>
        through(k, "(4,8):(16@byte,4@byte)")

    def repaired(k):
        through(k, "(4,8):(32@byte,4@byte)")


@layout_defect("the argument of a loop has its elements in the same registers", overlap("argument"), also=["layout-mismatch"])
class ArgumentOfALoop:
    def broken(k):
        x = k.cast(k.load(k.input("x", "f32[32]")), "(16,2):(1@lane,1@reg)")
        twice = k.loop(2, x, lambda carry: k.cast(carry, "(16,2):(1@lane,1@reg)"), "(16,2):(1@lane,0)")  # <here>
        k.store(k.output("o", "f32[32]"), twice)

    def repaired(k):
        x = k.cast(k.load(k.input("x", "f32[32]")), "(16,2):(1@lane,1@reg)")
        twice = k.loop(2, x, lambda carry: k.cast(carry, "(16,2):(1@lane,1@reg)"), "(16,2):(1@lane,1@reg)")
        k.store(k.output("o", "f32[32]"), twice)
        k.result = lambda x: [x]
