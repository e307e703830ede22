"""Accumulators in tensor memory (`tcgen05`), 128 lanes of 512 columns, and the registers that they are moved to."""

import numpy as np

from conformance.defects.layout_kernels import illegal, layout_defect, mismatch

TILE = "Sw<3,4,3>@byte o ({rows},64):(128@byte,2@byte)"


def tcgen05(k, d, m=128, n=32, a_held=None, b=None):
    """o = a (m, 64) b (n, 64)^T, with the sum in tensor memory as said."""
    operands = []
    for name, rows, layout in (("a", m, None), ("b", n, b)):
        tile = k.scratch(f"{name}_tile", f"f16[{rows},64]", layout or TILE.format(rows=rows))
        k.store(tile, k.load(k.input(name, f"f16[{rows},64]")))
        operands.append(k.load(tile))
    operands[0] = k.cast(operands[0], a_held)
    product = k.op("dot_general", *operands, type=f"f32[{m},{n}]", layout=d, lhs_contract=[1], rhs_contract=[1], lhs_batch=[],
                   rhs_batch=[], instruction="tcgen05")
    k.store(k.output("o", f"f32[{m},{n}]"), product)
    k.result = lambda x, y: [x.astype(np.float64) @ y.astype(np.float64).T]


def moved(k, held, memory="(128,8):(1@TLane,1@TCol)", shape=(128, 8)):
    """o = x, which is in tensor memory as said, and from there in registers."""
    type = f"f32[{shape[0]},{shape[1]}]"
    lanes = k.scratch("lanes", type, memory, "tmem")
    k.store(lanes, k.load(k.input("x", type)))
    k.store(k.output("o", type), k.load(lanes, layout=held, instruction="tcgen05"))
    k.result = lambda x: [x]


@layout_defect("64 rows in four groups of 16 lanes begin one lane too far", mismatch("the result"))
class OneLaneTooFar:
    def broken(k):
        tcgen05(k, "(4,16,32):(32@TLane,1@TLane,1@TCol) + 1@TLane", m=64)  # <here>

    def repaired(k):
        tcgen05(k, "(4,16,32):(32@TLane,1@TLane,1@TCol)", m=64)


@layout_defect("64 rows are in every other lane", mismatch("the result"))
class EveryOtherLane:
    def broken(k):
        tcgen05(k, "(64,32):(2@TLane,1@TCol)", m=64)  # <here>

    def repaired(k):  # the second half of the columns is in the lanes from 64 on
        tcgen05(k, "(64,2,16):(1@TLane,64@TLane,1@TCol)", m=64)


@layout_defect("the halves of 128 rows are exchanged", mismatch("the result"))
class HalvesExchanged:
    def broken(k):
        tcgen05(k, "(2,64,32):(-64@TLane,1@TLane,1@TCol) + 64@TLane")  # <here>

    def repaired(k):
        tcgen05(k, "(128,32):(1@TLane,1@TCol)")


@layout_defect("rows and columns of the result are exchanged", mismatch("the result"))
class LanesAreColumns:
    def broken(k):
        tcgen05(k, "(128,128):(1@TCol,1@TLane)", n=128)  # <here>

    def repaired(k):
        tcgen05(k, "(128,128):(1@TLane,1@TCol)", n=128)


@layout_defect("the product has 96 rows", illegal("M is 64 or 128"))
class RowsOfThreeWarps:
    def broken(k):
        tcgen05(k, "(96,32):(1@TLane,1@TCol)", m=96)  # <here>

    def repaired(k):
        tcgen05(k, "(128,32):(1@TLane,1@TCol)")


@layout_defect("A is held in registers", illegal("operand 0 of dot_general is in registers"))
class OperandInRegisters:
    def broken(k):
        tcgen05(k, "(128,32):(1@TLane,1@TCol)", a_held="(4,32,64):(1@wid_in_wg,1@lane,1@reg)")  # <here>

    def repaired(k):
        tcgen05(k, "(128,32):(1@TLane,1@TCol)")


@layout_defect("B lies row by row, without a swizzle", mismatch("operand 1"))
class OperandWithoutSwizzle:
    def broken(k):
        tcgen05(k, "(128,32):(1@TLane,1@TCol)", b="2048:2@byte")  # <here>

    def repaired(k):
        tcgen05(k, "(128,32):(1@TLane,1@TCol)")


@layout_defect("warps read the lanes in the wrong order, the last one the first", illegal("warp w reads and writes lanes"))
class LanesOfOtherWarps:
    def broken(k):
        moved(k, "(4,32,8):(-1@wid_in_wg,1@lane,1@reg) + 3@wid_in_wg")  # <here>

    def repaired(k):
        moved(k, "(4,32,8):(1@wid_in_wg,1@lane,1@reg)")


@layout_defect("one warp reads all 128 lanes", illegal("warp w reads and writes lanes"))
class OneWarpReadsAll:
    def broken(k):
        moved(k, "(4,32,8):(8@reg,1@lane,1@reg)")  # <here>

    def repaired(k):
        moved(k, "(4,32,8):(1@wid_in_wg,1@lane,1@reg)")


@layout_defect("neighbouring lanes of tensor memory are in every other thread", mismatch("no shape of the instruction"))
class ImageOfNoShape:
    def broken(k):
        moved(k, "(4,2,16,8):(1@wid_in_wg,1@lane,2@lane,1@reg)")  # <here>

    def repaired(k):  # 16x256b
        moved(k, "(4,2,2,8,4,2):(1@wid_in_wg,4@reg,2@reg,4@lane,1@lane,1@reg)")


@layout_defect("what is read from tensor memory lies in shared memory", illegal("is not in tensor memory"))
class NotInTensorMemory:
    def broken(k):
        moved(k, "(4,32,8):(1@wid_in_wg,1@lane,1@reg)", memory="(128,8):(8,1)")  # <here>

    def repaired(k):
        moved(k, "(4,32,8):(1@wid_in_wg,1@lane,1@reg)")
