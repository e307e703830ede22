"""Blocks that no box of the tensor memory accelerator lays out in shared memory as their layouts say."""

from conformance.defects.layout_kernels import illegal, layout_defect


def copied(k, type, layout):
    """o = x, whose block is copied to shared memory."""
    k.store(k.output("o", type), k.load(k.input("x", type, space="smem", layout=layout)))
    k.result = lambda x: [x]


@layout_defect("rows of the box are longer than the swizzle", illegal("at most as long as the swizzle", "x", "kernel"))
class LongerThanTheSwizzle:
    def broken(k):  # <kernel>
        copied(k, "f16[64,64]", "Sw<2,4,3>@byte o 4096:2@byte")

    def repaired(k):
        copied(k, "f16[64,64]", "Sw<3,4,3>@byte o 4096:2@byte")


@layout_defect("the box has 512 rows", illegal("1 to 256 elements", "x", "kernel"))
class BoxTooLarge:
    def broken(k):  # <kernel>
        copied(k, "f32[512,8]", "4096:1")

    def repaired(k):
        copied(k, "f32[256,8]", "2048:1")


@layout_defect("rows are of 12 bytes", illegal("the last dimension of a box is a multiple of 16 bytes", "x", "kernel"),
               illegal("the strides of all others", "x", "kernel"))
class RowsOf12Bytes:
    def broken(k):  # <kernel>
        copied(k, "f16[16,6]", "96:1")

    def repaired(k):
        copied(k, "f16[16,8]", "128:1")


@layout_defect("the box has six dimensions", illegal("an array has 1 to 5 dimensions", "x", "kernel"))
class SixDimensions:
    def broken(k):  # <kernel>
        copied(k, "f32[2,2,2,2,2,8]", "(2,2,2,2,2,8):(8,16,32,64,128,1)")

    def repaired(k):
        copied(k, "f32[2,2,2,2,8]", "(2,2,2,2,8):(8,16,32,64,1)")


@layout_defect("rows are padded in shared memory, as no copy of a box pads them", illegal("no gaps in shared memory", "x", "kernel"))
class PaddedRows:
    def broken(k):  # <kernel>
        copied(k, "f32[16,8]", "(16,8):(12,1)")

    def repaired(k):
        copied(k, "f32[16,8]", "(16,8):(8,1)")


@layout_defect("the swizzle permutes chunks of 8 bytes", illegal("no swizzle of 32, 64 or 128 bytes", "x", "kernel"))
class SwizzleOfSmallChunks:
    def broken(k):  # <kernel>
        copied(k, "f16[64,64]", "Sw<3,2,3> o 4096:1")

    def repaired(k):
        copied(k, "f16[64,64]", "Sw<3,3,3> o 4096:1")


@layout_defect("the block is transposed while it is copied", illegal("the last dimension has stride 1", "x", "kernel"),
               illegal("the strides of all others", "x", "kernel"))
class TransposedOnTheWay:
    def broken(k):  # <kernel>
        copied(k, "f32[16,8]", "(16,8):(1,16)")

    def repaired(k):
        copied(k, "f32[16,8]", "(16,8):(8,1)")


@layout_defect("the block begins 64 bytes into a line of 128", illegal("a multiple of 128 bytes", "x", "kernel"))
class HalfALine:
    def broken(k):  # <kernel>
        copied(k, "f32[16,8]", "128:1 + 16")

    def repaired(k):
        copied(k, "f32[16,8]", "128:1 + 32")


# ---- copies beside the program ----


def by_tma(k, layout, rows=64):
    """o = x, copied through shared memory, which holds it as `layout` says."""
    x, o = k.input("x", f"f16[{rows},64]"), k.output("o", f"f16[{rows},64]")
    tile = k.scratch("tile", f"f16[{rows},64]", layout)
    semaphore = k.param("scratch", "arrived", "dma_sem[]")
    for source, destination in ((x, tile), (tile, o)):
        k.op("dma_start", source, destination, semaphore, instruction="tma")
        k.op("dma_wait", destination, semaphore)
    k.result = lambda x: [x]


@layout_defect("a tile is copied by tma with the swizzle of rows of 64 bytes, and its rows are of 128",
               illegal("at most as long as the swizzle"))
class SwizzleOfShorterRows:
    def broken(k):
        by_tma(k, "Sw<2,4,3>@byte o 4096:2@byte")  # <here>

    def repaired(k):
        by_tma(k, "Sw<3,4,3>@byte o 4096:2@byte")


@layout_defect("a tile is copied by tma to rows that are padded against conflicts of banks",
               illegal("no gaps in shared memory"))
class PaddedTile:
    def broken(k):
        by_tma(k, "(64,64):(136@byte,2@byte)")  # <here>

    def repaired(k):
        by_tma(k, "(64,64):(128@byte,2@byte)")
