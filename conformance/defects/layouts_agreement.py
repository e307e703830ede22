"""Values that meet in an op, or follow from it, and that are held in different places."""

import numpy as np

from conformance.defects.layout_kernels import layout_defect, mismatch

ROWS = "(8,4,2):(4@lane,1@lane,1@reg)"
BY_TURNS = "(8,2,4):(4@lane,1@reg,1@lane)"


def two(k, type="f32[8,8]"):
    """Two inputs, loaded."""
    return k.load(k.input("x", type)), k.load(k.input("y", type))


def out(k, value, result, type="f32[8,8]"):
    k.store(k.output("o", type), value)
    k.result = lambda *inputs: [result(*inputs)]


@layout_defect("the two operands of a sum are in different lanes", mismatch("operand 1 of add"))
class OperandsOfASum:
    def broken(k):
        x, y = two(k)
        total = k.same("add", k.cast(x, ROWS), k.cast(y, BY_TURNS))  # <here>
        out(k, total, np.add)

    def repaired(k):
        x, y = two(k)
        total = k.same("add", k.cast(x, ROWS), k.cast(k.cast(y, BY_TURNS), ROWS))
        out(k, total, np.add)


@layout_defect("the operands are in the same lanes, and in other registers", mismatch("operand 1 of mul"))
class OperandsInOtherRegisters:
    def broken(k):
        x, y = two(k)
        product = k.same("mul", k.cast(x, ROWS), k.cast(y, "(8,4,2):(4@lane,1@lane,2@reg)"))  # <here>
        out(k, product, np.multiply)

    def repaired(k):
        x, y = two(k)
        product = k.same("mul", k.cast(x, ROWS), k.cast(y, ROWS))
        out(k, product, np.multiply)


@layout_defect("the result of a sum is said to be where its operands are not", mismatch("the result of add"))
class ResultElsewhere:
    def broken(k):
        x, y = two(k)
        total = k.same("add", k.cast(x, ROWS), k.cast(y, ROWS), layout=BY_TURNS)  # <here>
        out(k, total, np.add)

    def repaired(k):
        x, y = two(k)
        total = k.cast(k.same("add", k.cast(x, ROWS), k.cast(y, ROWS)), BY_TURNS)
        out(k, total, np.add)


@layout_defect("a layout is lost on the way: it follows from operands two ops earlier", mismatch("operand 1 of add"))
class ThroughOtherOps:
    def broken(k):
        x, y = two(k)
        far = k.same("neg", k.same("abs", k.cast(y, BY_TURNS)))
        out(k, k.same("add", k.cast(x, ROWS), far), lambda x, y: x - abs(y))  # <here>

    def repaired(k):
        x, y = two(k)
        far = k.same("neg", k.same("abs", k.cast(y, ROWS)))
        out(k, k.same("add", k.cast(x, ROWS), far), lambda x, y: x - abs(y))


@layout_defect("sums of rows are said to be in lanes that have none of the row", mismatch("the result of reduce_sum"))
class SumsInOtherLanes:
    def broken(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        total = k.op("reduce_sum", x, type="f32[8]", layout="8:1@lane", axes=[1])  # <here>
        out(k, total, lambda x: x.sum(1), "f32[8]")

    def repaired(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        total = k.op("reduce_sum", x, type="f32[8]", layout="8:4@lane + [4:1@lane]", axes=[1])
        out(k, total, lambda x: x.sum(1), "f32[8]")


@layout_defect("a row is held by the first warp, and broadcast to the rows of both", mismatch("operand 0 of broadcast_in_dim"))
class RowOfOneWarp:
    def broken(k):
        row = k.cast(k.load(k.input("x", "f32[8]")), "(4,2):(1@lane,1@reg) + [8:4@lane]")
        wide = k.op("broadcast_in_dim", row, type="f32[16,8]", layout="(2,8,4,2):(1@warp,4@lane,1@lane,1@reg)", dims=[1])  # <here>
        out(k, wide, lambda x: np.broadcast_to(x, (16, 8)), "f32[16,8]")

    def repaired(k):
        row = k.cast(k.load(k.input("x", "f32[8]")), "(4,2):(1@lane,1@reg) + [8:4@lane, 2:1@warp]")
        wide = k.op("broadcast_in_dim", row, type="f32[16,8]", layout="(2,8,4,2):(1@warp,4@lane,1@lane,1@reg)", dims=[1])
        out(k, wide, lambda x: np.broadcast_to(x, (16, 8)), "f32[16,8]")


@layout_defect("one lane of four has the maximum of a row that all four subtract", mismatch("operand 0 of broadcast_in_dim"))
class MaximumInOneLane:
    def broken(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        most = k.cast(k.op("reduce_max", x, type="f32[8]", axes=[1]), "8:4@lane")
        wide = k.op("broadcast_in_dim", most, type="f32[8,8]", layout=ROWS, dims=[0])  # <here>
        out(k, k.same("sub", x, wide), lambda x: x - x.max(1, keepdims=True))

    def repaired(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        most = k.cast(k.op("reduce_max", x, type="f32[8]", axes=[1]), "8:4@lane + [4:1@lane]")
        wide = k.op("broadcast_in_dim", most, type="f32[8,8]", layout=ROWS, dims=[0])
        out(k, k.same("sub", x, wide), lambda x: x - x.max(1, keepdims=True))


@layout_defect("a loop hands its carry on in another layout than it began with", mismatch("yield 0 of for"))
class CarryMoves:
    def broken(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        twice = k.loop(2, x, lambda carry: k.cast(k.same("neg", carry), BY_TURNS))  # <here>
        out(k, twice, lambda x: x)

    def repaired(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        twice = k.loop(2, x, lambda carry: k.cast(k.cast(k.same("neg", carry), BY_TURNS), ROWS))
        out(k, twice, lambda x: x)


@layout_defect("the body of a loop takes the carry for held elsewhere", mismatch("argument 0 of for"))
class ArgumentElsewhere:
    def broken(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        twice = k.loop(2, x, lambda carry: k.cast(k.same("neg", carry), ROWS), BY_TURNS)  # <here>
        out(k, twice, lambda x: x)

    def repaired(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), BY_TURNS)
        twice = k.loop(2, x, lambda carry: k.same("neg", carry), BY_TURNS)
        out(k, twice, lambda x: x)


@layout_defect("the two sides of a branch leave the value in different lanes", mismatch("yield 0 of switch"))
class BranchesApart:
    def broken(k):
        x, y = two(k)
        either = k.choose(k.number(1), lambda: k.cast(x, ROWS), lambda: k.cast(y, BY_TURNS))  # <here>
        out(k, either, lambda x, y: y)

    def repaired(k):
        x, y = two(k)
        either = k.choose(k.number(1), lambda: k.cast(x, ROWS), lambda: k.cast(y, ROWS))
        out(k, either, lambda x, y: y)


@layout_defect("a transposed value is said to be held as it was before", mismatch("the result of transpose"))
class TransposedInPlace:
    def broken(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        turned = k.op("transpose", x, type="f32[8,8]", layout=ROWS, permutation=[1, 0])  # <here>
        out(k, turned, np.transpose)

    def repaired(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        turned = k.op("transpose", x, type="f32[8,8]", layout="(4,2,8):(1@lane,1@reg,4@lane)", permutation=[1, 0])
        out(k, turned, np.transpose)


@layout_defect("the lower half of a value is said to be in the lanes of the upper one", mismatch("the result of slice"))
class LowerHalf:
    def broken(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        half = k.op("slice", x, type="f32[4,8]", layout="(4,4,2):(4@lane,1@lane,1@reg)", start=[4, 0], stride=[1, 1])  # <here>
        out(k, half, lambda x: x[4:], "f32[4,8]")

    def repaired(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        half = k.op("slice", x, type="f32[4,8]", layout="(4,4,2):(4@lane,1@lane,1@reg) + 16@lane", start=[4, 0], stride=[1, 1])
        out(k, half, lambda x: x[4:], "f32[4,8]")


@layout_defect("a reshape is said to move elements to other lanes", mismatch("the result of reshape"))
class ReshapeMoves:
    def broken(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        flat = k.op("reshape", x, type="f32[64]", layout="(2,32):(1@reg,1@lane)")  # <here>
        out(k, flat, np.ravel, "f32[64]")

    def repaired(k):
        x = k.cast(k.load(k.input("x", "f32[8,8]")), ROWS)
        flat = k.op("reshape", x, type="f32[64]", layout="(32,2):(1@lane,1@reg)")
        out(k, flat, np.ravel, "f32[64]")
