"""Kernels with block pointers, which Triton has until 3.7; `tools/gen_triton_ops.py --folder blocks` writes their TTIR with that version.

CASES as in ../kernels.py."""

import triton
import triton.language as tl

I32 = "i32"
F32 = "f32"


@triton.jit
def add_columns(x, o, rows, columns, start, PADDING: tl.constexpr):
    """o + x, block by block along the columns; both have as many rows and columns as the kernel is told."""
    source = tl.make_block_ptr(x, (rows, columns), (columns, 1), (start, 0), (4, 8), (1, 0))
    target = tl.make_block_ptr(o, (rows, columns), (columns, 1), (start, 0), (4, 8), (1, 0))
    for _ in range(0, columns, 8):
        tile = tl.load(source, boundary_check=(0, 1), padding_option=PADDING)
        tl.store(target, tile + tl.load(target, boundary_check=(1, 0), padding_option="zero"), boundary_check=(0, 1))
        source = tl.advance(source, (0, 8))
        target = tl.advance(target, [0, 8])


@triton.jit
def pad_rows(x, o, rows, columns, start, PADDING: tl.constexpr):
    """A block of x, with what lies outside of it, as the whole of o."""
    source = tl.make_block_ptr(x, (rows, columns), (columns, 1), (start, -2), (4, 8), (1, 0))
    target = tl.make_block_ptr(o, (4, 8), (8, 1), (0, 0), (4, 8), (1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1), padding_option=PADDING))


@triton.jit
def transpose_rows(x, o, rows, columns):
    """Looks at the rows alone: a block with too many columns goes on in the next row."""
    source = tl.make_block_ptr(x, (columns, rows), (1, columns), (0, 0), (8, 4), (0, 1))
    target = tl.make_block_ptr(o, (8, 4), (4, 1), (0, 0), (8, 4), (1, 0))
    tl.store(target, tl.load(source, boundary_check=(1, ), padding_option="zero"))


@triton.jit
def either_block(x, y, o, which, back):
    """The block pointers of both branches have their own shapes, strides and places."""
    if which > 0:
        source = tl.make_block_ptr(x, (8, ), (1, ), (back, ), (4, ), (0, ))
    else:
        source = tl.make_block_ptr(y, (4, ), (2, ), (-back, ), (4, ), (0, ))
    target = tl.make_block_ptr(o, (4, ), (1, ), (0, ), (4, ), (0, ))
    tl.store(target, tl.load(source, boundary_check=(0, ), padding_option="zero"))


CASES = {
    "add_columns": (add_columns, [F32 + "[8,12]", F32 + "[8,12]", 6, 11, 3], {"PADDING": ""}),
    "pad_zero": (pad_rows, [F32 + "[8,12]", F32 + "[4,8]", 6, 11, 3], {"PADDING": "zero"}),
    "pad_nan": (pad_rows, [F32 + "[8,12]", F32 + "[4,8]", 6, 11, 3], {"PADDING": "nan"}),
    "pad_nothing": (pad_rows, [F32 + "[8,12]", F32 + "[4,8]", 6, 11, 3], {"PADDING": ""}),
    "transpose_rows": (transpose_rows, [I32 + "[3,6]", I32 + "[8,4]", 3, 6], {}),
    "either_block": (either_block, [F32 + "[8]", F32 + "[8]", F32 + "[4]", 5, 3], {}),
}
