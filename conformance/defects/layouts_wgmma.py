"""Products of a warpgroup (`wgmma`) whose operands are not in shared memory, or in registers, as the instruction takes them."""

import numpy as np

from conformance.defects.layout_kernels import illegal, layout_defect, mismatch

# 64 columns of f16: rows of 128 bytes, in atoms of 8 rows with a swizzle of 128 bytes
SWIZZLED = "Sw<3,4,3>@byte o ({rows},64):(128@byte,2@byte)"
D = "(4,2,8,{n},4,2):(1@wid_in_wg,2@reg,4@lane,4@reg,1@lane,1@reg)"
A = "(4,2,8,4,2,4,2):(1@wid_in_wg,2@reg,4@lane,8@reg,4@reg,1@lane,1@reg)"


def wgmma(k, m=64, n=64, depth=64, dtype="f16", a=SWIZZLED, b=SWIZZLED, d=None, a_held=None, b_held=None, space="smem"):
    """o = a (m, depth) b (n, depth)^T; a and b lie in shared memory as said, or are held in registers."""
    types = {"a": f"{dtype}[{m},{depth}]", "b": f"{dtype}[{n},{depth}]"}
    layouts, spaces, held = {"a": a, "b": b}, {"a": "smem", "b": space}, {"a": a_held, "b": b_held}
    operands = []
    for name, type in types.items():
        tile = k.scratch(f"{name}_tile", type, layouts[name].format(rows=m if name == "a" else n), spaces[name])
        k.store(tile, k.load(k.input(name, type)))
        operands.append(k.cast(k.load(tile), held[name]))
    sum_type = "i32" if dtype == "i8" else "f32"
    product = k.op("dot_general", *operands, type=f"{sum_type}[{m},{n}]", layout=d or D.format(n=n // 8), lhs_contract=[1],
                   rhs_contract=[1], lhs_batch=[], rhs_batch=[], instruction="wgmma")
    k.store(k.output("o", f"{sum_type}[{m},{n}]"), product)
    k.result = lambda x, y: [x.astype(np.float64) @ y.astype(np.float64).T]


@layout_defect("B lies row by row, without the swizzle that its rows of 128 bytes need", mismatch("operand 1"))
class WithoutSwizzle:
    def broken(k):
        wgmma(k, b="(64,64):(128@byte,2@byte)")  # <here>

    def repaired(k):
        wgmma(k)


@layout_defect("the swizzle is of 64 bytes, the rows are of 128", mismatch("operand 1"))
class SwizzleOfHalfTheRow:
    def broken(k):
        wgmma(k, b="Sw<2,4,3>@byte o (64,64):(128@byte,2@byte)")  # <here>

    def repaired(k):
        wgmma(k, b="Sw<2,4,3>@byte o (64,2,32):(64@byte,4096@byte,2@byte)")


@layout_defect("the swizzle is of 128 bytes, the tiles are of 32 columns", mismatch("operand 0"))
class SwizzleOfTwoTiles:
    def broken(k):
        wgmma(k, a="Sw<3,4,3>@byte o (64,2,32):(64@byte,4096@byte,2@byte)")  # <here>

    def repaired(k):
        wgmma(k, a="Sw<2,4,3>@byte o (64,2,32):(64@byte,4096@byte,2@byte)")


@layout_defect("the swizzle counts elements where bytes are meant", mismatch("operand 1"))
class SwizzleOfElements:
    def broken(k):
        wgmma(k, b="Sw<3,4,3> o 4096:1")  # <here>

    def repaired(k):
        wgmma(k, b="Sw<3,3,3> o 4096:1")


@layout_defect("two atoms of 64 columns are side by side in rows of 256 bytes, not one after the other", mismatch("operand 1"))
class AtomsSideBySide:
    def broken(k):
        wgmma(k, depth=128, a="Sw<3,4,3>@byte o (64,2,64):(128@byte,8192@byte,2@byte)",  # <here>
              b="Sw<3,4,3>@byte o (64,128):(256@byte,2@byte)")

    def repaired(k):
        wgmma(k, depth=128, a="Sw<3,4,3>@byte o (64,2,64):(128@byte,8192@byte,2@byte)",
              b="Sw<3,4,3>@byte o (64,2,64):(128@byte,8192@byte,2@byte)")


@layout_defect("a tile of bytes is transposed, which only elements of 16 bits may be", mismatch("operand 1"))
class TransposedTile:
    def broken(k):
        wgmma(k, dtype="i8", a="Sw<2,4,3>@byte o 4096:1@byte", b="Sw<2,4,3>@byte o (64,64):(1@byte,64@byte)")  # <here>

    def repaired(k):
        wgmma(k, dtype="i8", a="Sw<2,4,3>@byte o 4096:1@byte", b="Sw<2,4,3>@byte o 4096:1@byte")


@layout_defect("the product has 48 rows", illegal("M is a multiple of 64"))
class RowsOfThreeWarps:
    def broken(k):
        wgmma(k, m=48, d="(3,2,8,8,4,2):(1@wid_in_wg,2@reg,4@lane,4@reg,1@lane,1@reg)")  # <here>

    def repaired(k):
        wgmma(k)


@layout_defect("the product has 60 columns", illegal("N is a multiple of 8"))
class ColumnsNoMultiple:
    def broken(k):
        wgmma(k, n=60, d="(4,2,8,60):(1@wid_in_wg,60@reg,4@lane,1@reg)")  # <here>

    def repaired(k):
        wgmma(k, n=56)


@layout_defect("integers are multiplied to 40 columns, which floats may be", illegal("N of integers"))
class ColumnsOfIntegers:
    def broken(k):
        wgmma(k, n=40, dtype="i8", a="Sw<2,4,3>@byte o 4096:1@byte", b="Sw<2,4,3>@byte o 2560:1@byte")  # <here>

    def repaired(k):
        wgmma(k, n=48, dtype="i8", a="Sw<2,4,3>@byte o 4096:1@byte", b="Sw<2,4,3>@byte o 3072:1@byte")


@layout_defect("K is 24, one step and a half", illegal("K is a multiple of 32 bytes"))
class HalfAStep:
    def broken(k):
        wgmma(k, depth=24, a="1536:1", b="1536:1")  # <here>

    def repaired(k):
        wgmma(k, depth=16, a="Sw<1,4,3>@byte o 1024:2@byte", b="Sw<1,4,3>@byte o 1024:2@byte")


@layout_defect("B is taken from global memory", illegal("operand 1 of dot_general is in memory space gmem"))
class OperandInGlobalMemory:
    def broken(k):
        wgmma(k, space="gmem")  # <here>

    def repaired(k):
        wgmma(k)


@layout_defect("B is held in registers, as A may be", illegal("operand 1 of dot_general is in registers"))
class OperandInRegisters:
    def broken(k):
        wgmma(k, b_held=A)  # <here>

    def repaired(k):
        wgmma(k, a_held=A)


@layout_defect("the result is held row by row, a row in each thread", mismatch("the result"))
class ResultByRows:
    def broken(k):
        wgmma(k, d="(2,32,64):(1@wid_in_wg,1@lane,1@reg)")  # <here>

    def repaired(k):
        wgmma(k)


@layout_defect("warps have the rows of the result in another order", mismatch("operand 0"))
class WarpsInAnotherOrder:
    def broken(k):
        wgmma(k, a_held="(2,2,2,8,4,2,4,2):(1@wid_in_wg,2@wid_in_wg,2@reg,4@lane,8@reg,4@reg,1@lane,1@reg)")  # <here>

    def repaired(k):
        wgmma(k, a_held=A)


@layout_defect("A is held as elements of 8 bits are, four neighbours in a thread", mismatch("operand 0"))
class HeldForAnotherDtype:
    def broken(k):
        wgmma(k, a_held="(4,2,8,4,4,4):(1@wid_in_wg,4@reg,4@lane,8@reg,1@lane,1@reg)")  # <here>

    def repaired(k):
        wgmma(k, a_held=A)
