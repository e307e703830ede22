"""Kernels of every kind of pointer."""

import triton
import triton.language as tl


@triton.jit
def copy(x, o, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + at, tl.load(x + at, mask=at < n, other=0), mask=at < n)


@triton.jit
def copy_rows(x, o, rows, columns, x_row, o_row, C: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, C)
    tl.store(o + row * o_row + at, tl.load(x + row * x_row + at, mask=at < columns), mask=at < columns)


@triton.jit
def shift_left(x, o, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + at, tl.load(x + at + 1, mask=at + 1 < n, other=0), mask=at < n)


@triton.jit
def either(x, y, o, n, B: tl.constexpr):
    """Even elements of x and odd ones of y."""
    at = tl.program_id(0) * B + tl.arange(0, B)
    from_x = tl.broadcast_to(x, (B,)) + at
    from_y = tl.broadcast_to(y, (B,)) + at
    tl.store(o + at, tl.load(tl.where(at % 2 == 0, from_x, from_y), mask=at < n), mask=at < n)


@triton.jit
def swap_in_a_loop(x, y, o, n, B: tl.constexpr):
    """The sum of x, y, x, ... as pointers go to and fro."""
    at = tl.arange(0, B)
    one, other = x, y
    total = tl.zeros((B,), tl.float32)
    for turn in range(3):
        total += tl.load(one + at, mask=at < n, other=0)
        one, other = other, one
    tl.store(o + at, total, mask=at < n)


@triton.jit
def in_a_branch(x, y, o, which, n, B: tl.constexpr):
    at = tl.arange(0, B)
    if which > 0:
        source = x
    else:
        source = y + 1
    tl.store(o + at, tl.load(source + at, mask=at < n), mask=at < n)


@triton.jit
def store_to_either(x, y, which, B: tl.constexpr):
    at = tl.arange(0, B)
    if which > 0:
        target = x
    else:
        target = y
    tl.store(target + at, at.to(tl.float32))


@triton.jit
def as_bytes(x, o, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + at, tl.load(x.to(tl.pointer_type(tl.int8)) + at, mask=at < n), mask=at < n)


@triton.jit
def words_of_bytes(x, o, skipped, B: tl.constexpr):
    at = tl.arange(0, B)
    words = (x + skipped).to(tl.pointer_type(tl.int32))
    tl.store(o + at, tl.load(words + at))


@triton.jit
def through_a_table(table, o, B: tl.constexpr):
    """Row i of `o` from the array whose address is in element i of a table."""
    row = tl.program_id(0)
    source = tl.load(table + row).to(tl.pointer_type(tl.float32))
    at = tl.arange(0, B)
    tl.store(o + row * B + at, tl.load(source + at))


@triton.jit
def to_number_and_back(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    number = x.to(tl.int64) + 4
    tl.store(o + at, tl.load(number.to(tl.pointer_type(tl.float32)) + at))


@triton.jit
def address_of(x, o):
    tl.store(o, x.to(tl.int64))


@triton.jit
def add_in_place(x, y, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def negate_flags(x, o, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.load(x + at) == 0)


@triton.jit
def unmasked_store(x, o, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.load(x + at, mask=at < n))


@triton.jit
def stepped(x, o, first, step, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(o + at, tl.load(x + first + at * step))
