"""Matrices of 8 rows of 16 bytes (`ldmatrix`, `stmatrix`): rows in shared memory, two neighbours of a row in each thread."""

from conformance.defects.layout_kernels import illegal, layout_defect, mismatch

TILES = "(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg)"  # 16 x 16, of four matrices
PITCH = 40  # elements: 80 bytes


def ldmatrix(k, layout=f"(16,16):({PITCH},1)", held=TILES, type="f16[16,16]"):
    """o = x, by way of shared memory, from where its matrices are loaded."""
    tile = k.scratch("tile", type, layout)
    k.store(tile, k.load(k.input("x", type)))
    k.store(k.output("o", type), k.load(tile, layout=held, instruction="ldmatrix"))
    k.result = lambda x: [x]


def stmatrix(k, layout=f"(16,16):({PITCH},1)", held=TILES):
    """o = x, by way of shared memory, to where its matrices are stored."""
    tile = k.scratch("tile", "f16[16,16]", layout)
    k.store(tile, k.cast(k.load(k.input("x", "f16[16,16]")), held), instruction="stmatrix")
    k.store(k.output("o", "f16[16,16]"), k.load(tile))
    k.result = lambda x: [x]


@layout_defect("rows of shared memory are padded to 72 bytes, no multiple of 16", illegal("each row begins at a multiple of 16 bytes"))
class PitchOf72Bytes:
    def broken(k):
        ldmatrix(k, "(16,16):(36,1)")  # <here>

    def repaired(k):
        ldmatrix(k, "(16,16):(40,1)")


@layout_defect("elements of a row are two apart", illegal("operand 0 of load"))
class EveryOtherElement:
    def broken(k):
        ldmatrix(k, "(16,16):(32,2)")  # <here>

    def repaired(k):
        ldmatrix(k, "(16,16):(32,1)")


@layout_defect("a swizzle permutes chunks of 8 bytes, and takes rows of 16 apart", illegal("operand 0 of load"))
class SwizzleWithinRows:
    def broken(k):
        ldmatrix(k, "Sw<1,2,4> o 256:1")  # <here>

    def repaired(k):
        ldmatrix(k, "Sw<1,3,3> o 256:1")


@layout_defect("the value is held row by row, half a row in each thread", mismatch("the result"))
class HeldByRows:
    def broken(k):
        ldmatrix(k, held="(16,2,8):(2@lane,1@lane,1@reg)")  # <here>

    def repaired(k):
        ldmatrix(k)


@layout_defect("elements are of 32 bits", illegal("load"))
class WideElements:
    def broken(k):
        ldmatrix(k, "(16,8):(20,1)", "(2,8,2,4):(1@reg,4@lane,2@reg,1@lane)", "f32[16,8]")  # <here>

    def repaired(k):
        ldmatrix(k, f"(16,8):({PITCH},1)", "(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)", "f16[16,8]")


@layout_defect("the value is stored as the instruction loads it for 8 bits: four neighbours in a thread", mismatch("operand 1"))
class StoredForAnotherDtype:
    def broken(k):
        stmatrix(k, held="(2,8,4,4):(4@reg,4@lane,1@lane,1@reg)")  # <here>

    def repaired(k):
        stmatrix(k)


@layout_defect("rows are stored to every 72 bytes", illegal("operand 0 of store"))
class StoredToOddRows:
    def broken(k):
        stmatrix(k, "(16,16):(36,1)")  # <here>

    def repaired(k):
        stmatrix(k, "(16,16):(24,1)")


@layout_defect("the rows of each matrix are in the lanes from the last one to the first", mismatch("operand 1"))
class LanesReversed:
    def broken(k):
        stmatrix(k, held="(2,8,2,4,2):(2@reg,-4@lane,4@reg,1@lane,1@reg) + 28@lane")  # <here>

    def repaired(k):  # columns of the tile as rows of the matrices
        stmatrix(k, "(16,16):(1,24)", "(2,4,2,2,8):(2@reg,1@lane,1@reg,4@reg,4@lane)")
