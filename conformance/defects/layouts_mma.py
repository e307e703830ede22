"""Products of a warp (`mma`) whose operands are not in the threads and registers that multiply.  Where `wrong-values` is stated
too, a physical run, which takes operands from the registers that are there, shows wrong sums."""

import numpy as np

from conformance.defects.layout_kernels import illegal, layout_defect, mismatch, overlap, wrong

# 32 x 16 by 16 x 16, of two warps: each has 16 rows and all columns
A = "(2,2,8,2,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)"
B = "(2,4,2,2,8):(2@reg,1@lane,1@reg,4@reg,4@lane) + [2:1@warp]"
D = "(2,2,8,2,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)"


def mma(k, a=A, b=B, d=D, m=32, n=16, depth=16, dtype="f16", sums="f32"):
    """o = a (m, depth) b (depth, n), all held in registers as said."""
    x = k.load(k.input("a", f"{dtype}[{m},{depth}]"))
    y = k.load(k.input("b", f"{dtype}[{depth},{n}]"))
    product = k.op("dot_general", k.cast(x, a), k.cast(y, b), type=f"{sums}[{m},{n}]", layout=d, lhs_contract=[1],
                   rhs_contract=[0], lhs_batch=[], rhs_batch=[], instruction="mma")
    k.store(k.output("o", f"{sums}[{m},{n}]"), product)
    k.result = lambda x, y: [x.astype(np.float64) @ y.astype(np.float64)]


@layout_defect("both warps multiply by B, and only the first one has it", mismatch("operand 1"), wrong((0, 0)))
class MissingReplica:
    def broken(k):  # <kernel>
        mma(k, b="(2,4,2,2,8):(2@reg,1@lane,1@reg,4@reg,4@lane)")  # <here>

    def repaired(k):
        mma(k)


@layout_defect("B is in the warps after those that multiply", mismatch("operand 1"))
class ReplicaInOtherWarps:
    def broken(k):
        mma(k, b=B + " + 2@warp")  # <here>

    def repaired(k):
        mma(k)


@layout_defect("the rows of A are in the wrong warps: the upper ones in the second", mismatch("operand 0"), wrong((0, 0)))
class RowsInTheOtherWarp:
    def broken(k):  # <kernel>
        mma(k, a="(2,2,8,2,4,2):(-1@warp,2@reg,4@lane,4@reg,1@lane,1@reg) + 1@warp")  # <here>

    def repaired(k):
        mma(k)


@layout_defect("the rows of A alternate between the warps, those of the result do not", mismatch("operand 0"))
class RowsInTurn:
    def broken(k):
        mma(k, a="(2,8,2,2,4,2):(2@reg,4@lane,1@warp,4@reg,1@lane,1@reg)")  # <here>

    def repaired(k):
        mma(k)


@layout_defect("two elements of A that share a register are in two", mismatch("elements that share a register of 32 bits are apart"))
class PacksApart:
    def broken(k):
        mma(k, a="(2,2,8,2,4,2):(1@warp,2@reg,4@lane,1@reg,1@lane,4@reg)")  # <here>

    def repaired(k):  # registers may have any names
        mma(k, a="(2,2,8,2,4,2):(1@warp,4@reg,4@lane,2@reg,1@lane,1@reg)")


@layout_defect("the elements of a register are in the wrong order", mismatch("operand 0"), wrong((0, 0)))
class PacksReversed:
    def broken(k):  # <kernel>
        mma(k, a="(2,2,8,2,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,-1@reg) + 1@reg")  # <here>

    def repaired(k):
        mma(k)


@layout_defect("a thread has two neighbours of B in a row, not in a column: B is held as it lies, and wanted transposed",
               mismatch("operand 1"), wrong((0, 0)))
class TransposedOperand:
    def broken(k):  # <kernel>
        mma(k, b="(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg) + [2:1@warp]")  # <here>

    def repaired(k):
        mma(k)


@layout_defect("rows and columns of the result are exchanged", mismatch("the result"))
class ResultTransposed:
    def broken(k):
        mma(k, d="(2,2,4,2,2,8):(1@warp,4@reg,1@lane,1@reg,2@reg,4@lane)")  # <here>

    def repaired(k):
        mma(k)


@layout_defect("A is held as m16n8k8 takes it, twice, with neighbours of 32 bits", mismatch("operand 0"))
class FragmentOfAnotherShape:
    def broken(k):
        mma(k, a="(2,2,8,2,2,4):(1@warp,1@reg,4@lane,4@reg,2@reg,1@lane)")  # <here>

    def repaired(k):
        mma(k)


@layout_defect("B is held as m16n8k32 of 8 bits takes it", mismatch("operand 1"))
class FragmentOfAnotherDtype:
    def broken(k):
        mma(k, b="(4,4,2,8):(1@lane,1@reg,4@reg,4@lane) + [2:1@warp]")  # <here>

    def repaired(k):
        mma(k)


@layout_defect("the rows of A take the lanes of their columns", overlap("result 0 of layout_cast"), mismatch("operand 0"))
class RowsAndColumnsInOneLane:
    def broken(k):
        mma(k, a="(2,2,8,2,4,2):(1@warp,2@reg,1@lane,4@reg,1@lane,1@reg)")  # <here>

    def repaired(k):
        mma(k)


@layout_defect("K is 24, one step and a half", illegal("are no multiples"))
class HalfAStep:
    def broken(k):
        mma(k, depth=24, a="(2,2,8,3,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)",  # <here>
            b="(3,4,2,2,8):(2@reg,1@lane,1@reg,8@reg,4@lane) + [2:1@warp]")

    def repaired(k):
        mma(k, depth=32, a="(2,2,8,4,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)",
            b="(4,4,2,2,8):(2@reg,1@lane,1@reg,8@reg,4@lane) + [2:1@warp]")


@layout_defect("A of doubles is held by columns: its rows are in neighbouring lanes", mismatch("operand 0"))
class DoublesByColumns:
    def broken(k):
        mma(k, m=8, n=8, depth=4, dtype="f64", sums="f64", a="(8,4):(1@lane,8@lane)",  # <here>
            b="(4,8):(1@lane,4@lane)", d="(8,4,2):(4@lane,1@lane,1@reg)")

    def repaired(k):
        mma(k, m=8, n=8, depth=4, dtype="f64", sums="f64", a="(8,4):(4@lane,1@lane)",
            b="(4,8):(1@lane,4@lane)", d="(8,4,2):(4@lane,1@lane,1@reg)")
