"""Memory that is written through one layout and read through another one (`view_layout`): hardware reads it permuted, or reads
what nobody has written.  `wrong-values` says that outputs are not those that the pair states; which layouts are meant is not
known to a check."""

from conformance.defects.corpus import undefined
from conformance.defects.layout_kernels import layout_defect, wrong


def through(k, write, read, type="f32[8,8]", length=64):
    """o = x, by way of memory that is written and read through views."""
    tile = k.scratch("tile", f"{type.partition('[')[0]}[{length}]")
    k.store(k.view(tile, type, write), k.load(k.input("x", type)))
    return k.load(k.view(tile, type, read))


def copied(k, write, read, type="f32[8,8]", length=64):
    k.store(k.output("o", type), through(k, write, read, type, length))
    k.result = lambda x: [x]


@layout_defect("the tile is written with a swizzle, and read without", wrong((1, 0)))
class ReadWithoutSwizzle:
    def broken(k):  # <kernel>
        copied(k, "Sw<3,0,3> o 64:1", "64:1")

    def repaired(k):
        copied(k, "Sw<3,0,3> o 64:1", "Sw<3,0,3> o 64:1")


@layout_defect("a swizzle of 128 bytes is written, one of 64 bytes is read", wrong((4, 0)))
class ReadWithAnotherSwizzle:
    def broken(k):  # <kernel>
        copied(k, "Sw<3,3,3> o 1024:1", "Sw<2,3,3> o 1024:1", "f16[16,64]", 1024)

    def repaired(k):
        copied(k, "Sw<3,3,3> o 1024:1", "Sw<3,3,3> o 1024:1", "f16[16,64]", 1024)


@layout_defect("the swizzle that is read counts chunks of 4 elements, that which is written chunks of 8", wrong((0, 32)))
class ReadWithAnotherChunk:
    def broken(k):  # <kernel>
        copied(k, "Sw<3,3,3> o 1024:1", "Sw<3,2,3> o 1024:1", "f16[16,64]", 1024)

    def repaired(k):
        copied(k, "Sw<3,2,3> o 1024:1", "Sw<3,2,3> o 1024:1", "f16[16,64]", 1024)


@layout_defect("the tile is written by columns, and read by rows", wrong((0, 1)))
class ReadTransposed:
    def broken(k):  # <kernel>
        copied(k, "(8,8):(1,8)", "(8,8):(8,1)")

    def repaired(k):
        copied(k, "(8,8):(1,8)", "(8,8):(1,8)")


@layout_defect("two tiles of 4 columns are written one after the other, and read side by side", wrong((0, 4)))
class ReadUntiled:
    def broken(k):  # <kernel>
        copied(k, "(8,2,4):(4,32,1)", "(8,8):(8,1)")

    def repaired(k):
        copied(k, "(8,2,4):(4,32,1)", "(8,2,4):(4,32,1)")


@layout_defect("rows are written 9 elements apart, and read 10", undefined("o", (1, 7), "store", (), "load"))
class ReadWithAnotherPitch:
    def broken(k):
        value = through(k, "(8,8):(9,1)", "(8,8):(10,1)", length=80)  # <load>
        k.store(k.output("o", "f32[8,8]"), value)  # <store>

    def repaired(k):
        copied(k, "(8,8):(10,1)", "(8,8):(10,1)", length=80)


@layout_defect("padding between rows is read with them", undefined("o", (0, 8), "store", (), "load"))
class PaddingIsRead:
    def broken(k):
        tile = k.scratch("tile", "f32[80]")
        k.store(k.view(tile, "f32[8,8]", "(8,8):(10,1)"), k.load(k.input("x", "f32[8,8]")))
        value = k.load(k.view(tile, "f32[8,10]", "(8,10):(10,1)"))  # <load>
        k.store(k.output("o", "f32[8,10]"), value)  # <store>

    def repaired(k):
        copied(k, "(8,8):(10,1)", "(8,8):(10,1)", length=80)


@layout_defect("the second stage of a buffer is read, the first one was written", undefined("o", (0, 0), "store", (), "load"))
class OtherStage:
    def broken(k):
        value = through(k, "64:1", "64:1 + 64", length=128)  # <load>
        k.store(k.output("o", "f32[8,8]"), value)  # <store>

    def repaired(k):
        copied(k, "64:1 + 64", "64:1 + 64", length=128)
