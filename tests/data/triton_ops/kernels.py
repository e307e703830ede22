"""Kernels of Triton whose TTIR lies beside them; tools/gen_triton_ops.py writes it.

CASES has for each text the kernel, arrays and numbers as they are passed, and constants."""

import triton
import triton.language as tl

I32 = "i32"
F32 = "f32"

# ---- shapes ----


@triton.jit
def sort_rows(x, o, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(o + at, tl.sort(tl.load(x + at), descending=True))


@triton.jit
def flip(x, o, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(o + at, tl.flip(tl.load(x + at)))


@triton.jit
def top(x, o, N: tl.constexpr, K: tl.constexpr):
    tl.store(o + tl.arange(0, K), tl.topk(tl.load(x + tl.arange(0, N)), K))


@triton.jit
def reorder(x, o):
    bits = tl.load(x + tl.arange(0, 512)).reshape(2, 2, 2, 2, 2, 2, 2, 2, 2)
    turned = tl.permute(bits, (4, 5, 6, 7, 8, 2, 0, 1, 3))
    tl.store(o + tl.arange(0, 512), turned.reshape(512))


@triton.jit
def pairs(x, y, o, N: tl.constexpr):
    at = tl.arange(0, N)
    both = tl.join(tl.load(x + at), tl.load(y + at))
    first, second = tl.split(both)
    tl.store(o + tl.arange(0, 2 * N), both.reshape(2 * N))
    tl.store(o + 2 * N + tl.arange(0, N), second - first)
    tl.store(o + 3 * N + tl.arange(0, 2 * N), tl.cat(first, second, can_reorder=True))


# ---- reductions, scans, functions on elements ----


@triton.jit
def recur(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def recurrences(x, y, o, N: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, N)[:, None] * 4 + tl.arange(0, 4)[None, :]
    slopes, values = tl.associative_scan((tl.load(x + at), tl.load(y + at)), 0, recur, reverse=REVERSE)
    tl.store(o + at, values)


@triton.jit
def running(x, o, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(o + at, tl.cumsum(tl.load(x + at)))


@triton.jit
def farthest(x, o, N: tl.constexpr):
    at = tl.arange(0, 4)[:, None] * N + tl.arange(0, N)[None, :]
    value, place = tl.max(tl.load(x + at), axis=1, return_indices=True)
    tl.store(o + tl.arange(0, 4), value)
    tl.store(o + 4 + tl.arange(0, 4), place)


@triton.jit
def collatz(x):
    steps = 0
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    return steps


@triton.jit
def steps_of(x, o, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(o + at, tl.map_elementwise(collatz, tl.load(x + at)))


@triton.jit
def sum_and_difference(a, b, c, d):
    return a + b, a - b, c + d, c - d


@triton.jit
def neighbours(x, y, o, N: tl.constexpr):
    at = tl.arange(0, N)
    one, other = tl.map_elementwise(sum_and_difference, tl.load(x + at), tl.load(y + at), pack=2)
    tl.store(o + at, one)
    tl.store(o + N + at, other)


@triton.jit
def choose(x, index, o, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    chosen = tl.gather(tl.load(x + tl.arange(0, 8)[:, None] * N + columns), tl.load(index + rows * N + columns), 0)
    tl.store(o + rows * N + columns, chosen)


@triton.jit
def count(x, o, N: tl.constexpr, BINS: tl.constexpr):
    values = tl.load(x + tl.arange(0, N))
    tl.store(o + tl.arange(0, BINS), tl.histogram(values, BINS))
    tl.store(o + BINS + tl.arange(0, BINS), tl.histogram(values, BINS, mask=values % 2 == 0))


# ---- products ----


@triton.jit
def multiply(x, y, z, o, PRECISION: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(o + at, tl.dot(tl.load(x + at), tl.load(y + at), tl.load(z + at), input_precision=PRECISION))


@triton.jit
def multiply_batch(x, y, o):
    at = tl.arange(0, 2)[:, None, None] * 256 + tl.arange(0, 16)[None, :, None] * 16 + tl.arange(0, 16)[None, None, :]
    tl.store(o + at, tl.dot(tl.load(x + at), tl.load(y + at)))


@triton.jit
def multiply_scaled(x, xs, y, ys, o, X: tl.constexpr, Y: tl.constexpr, WX: tl.constexpr, WY: tl.constexpr):
    m, n, k = tl.arange(0, 16), tl.arange(0, 16), tl.arange(0, 64)
    a = tl.load(x + m[:, None] * WX + tl.arange(0, WX)[None, :])
    b = tl.load(y + tl.arange(0, WY)[:, None] * 16 + n[None, :])
    a_scale = tl.load(xs + m[:, None] * 2 + tl.arange(0, 2)[None, :])
    b_scale = tl.load(ys + n[:, None] * 2 + tl.arange(0, 2)[None, :])
    tl.store(o + m[:, None] * 16 + n[None, :], tl.dot_scaled(a, a_scale, X, b, b_scale, Y))


@triton.jit
def multiply_one_scale(x, xs, y, o):
    m, n = tl.arange(0, 16), tl.arange(0, 16)
    a = tl.load(x + tl.arange(0, 8)[:, None] * 32 + tl.arange(0, 32)[None, :])
    b = tl.load(y + tl.arange(0, 32)[:, None] * 16 + n[None, :])
    scale = tl.load(xs + m[:, None])
    tl.store(o + m[:, None] * 16 + n[None, :], tl.dot_scaled(a, scale, "e2m1", b, None, "bf16", lhs_k_pack=False))


# ---- descriptors ----


@triton.jit
def copy_box(x, o, rows, columns, row, column, PADDING: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [4, 8], padding_option=PADDING)
    target = tl.make_tensor_descriptor(o, [rows, columns], [columns, 1], [4, 8])
    target.store([row + 1, column], source.load([row, column]) + 1)


@triton.jit
def move_rows(x, index, o):
    source = tl.make_tensor_descriptor(x, [8, 16], [16, 1], [1, 8])
    target = tl.make_tensor_descriptor(o, [8, 16], [16, 1], [1, 8])
    rows = tl.load(index + tl.arange(0, 8))
    target.scatter(source.gather(rows, 4), 7 - rows, 8)


@triton.jit
def add_boxes(o):
    target = tl.make_tensor_descriptor(o, [8, 16], [16, 1], [8, 8])
    target.atomic_add([tl.program_id(0) * 4, 8], tl.full((8, 8), 1, tl.int32))


@triton.jit
def greatest_boxes(x, o):
    target = tl.make_tensor_descriptor(o, [8, 16], [16, 1], [8, 16])
    at = tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :]
    target.atomic_max([0, 0], tl.load(x + at))


@triton.jit
def next_tile(x, o, n):
    tile = tl.make_tensor_descriptor(x, [8, 16], [16, 1], [2, 16])
    total = tl.zeros((2, 16), tl.int32)
    for i in range(n):
        total += tile.load([i, 0])
        if i == 1:
            tile = tl.make_tensor_descriptor(x + 64, [4, 16], [16, 1], [2, 16])
    tl.store(o + tl.arange(0, 2)[:, None] * 16 + tl.arange(0, 16)[None, :], total)


@triton.jit
def of_host(desc, o):
    at = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    tl.store(o + at, desc.load([6, 2]) + desc.shape[1] + desc.strides[0])


# ---- control ----


@triton.jit
def far(o, first: tl.uint32, end: tl.uint32):
    """Counters of which Triton 3.9 says nothing though they are unsigned."""
    count = 0
    for i in tl.range(first, end, 3):
        count += (i >> 28).to(tl.int32)
    tl.store(o, count)


@triton.jit
def early(x, o, n):
    if n == 0:
        return
    at = tl.arange(0, 8)
    values = tl.load(x + at)
    if n < 0:
        tl.store(o + at, -values)
        return
    tl.assume(n < 5)
    while n > 0:
        values += at
        n -= 1
    tl.store(o + at, values)


@triton.jit(noinline=True)
def either(x, y, flag):
    if flag:
        return x + y, x
    else:
        return x - y, y


@triton.jit
def several_results(o, n):
    both = either(n, 3, n > 10)
    pair = (both, both[0])
    tl.store(o, pair[0][1])
    tl.store(o + 1, pair[1])
    tl.store(o + 2, tl.num_programs(0) + 10 * tl.num_programs(1) + 100 * tl.num_programs(2))


# ---- text ----


@triton.jit
def say(x, n):
    values = tl.load(x + tl.arange(0, 4)).reshape(2, 2)
    tl.device_print("x", values, n)
    tl.device_print("hex", values, hex=True)
    tl.device_print("{n}", n.to(tl.uint8))
    tl.device_print("where", x + 2)
    tl.device_print("done")


@triton.jit
def say_floats(x):
    values = tl.load(x + tl.arange(0, 8))
    tl.device_print("f", values)
    tl.device_print("f", values, hex=True)


@triton.jit
def demand(x):
    values = tl.load(x + tl.arange(0, 16)).reshape(4, 4)
    tl.device_assert(values < 10, "too large {}")
    tl.device_assert(tl.sum(tl.sum(values, 0), 0) > 0, "nothing")


@triton.jit
def smaller_size(a, a_at, b, b_at):
    if a * a < b * b:
        return a, a_at
    if a * a == b * b:
        if a_at < b_at:
            return a, a_at
    return b, b_at


@triton.jit
def sizes(x, o, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    value, place = tl.reduce((tl.load(x + at), at), 1, smaller_size)
    tl.store(o + tl.arange(0, M), value)
    tl.store(o + M + tl.arange(0, M), place)
    value, place = tl.associative_scan((tl.load(x + at), at), 0, smaller_size)
    tl.store(o + 2 * M + at, value)
    tl.store(o + 2 * M + M * N + at, place)


@triton.jit
def _ratio(a, b):
    ratio = a // b
    return ratio


@triton.jit
def named(x, o, n, N: tl.constexpr):
    offs = tl.arange(0, N)
    part = tl.load(x + offs, mask=offs < n)
    total = _ratio(part, offs - 2) + 1
    tl.store(o + offs, total)


CASES = {
    "sort_rows": (sort_rows, ["i32[512]", "i32[512]"], {"ROWS": 4, "COLUMNS": 128}),
    "flip": (flip, ["i32[1024]", "i32[1024]"], {"N": 1024}),
    "top": (top, ["i32[512]", "i32[4]"], {"N": 512, "K": 4}),
    "reorder": (reorder, ["i32[512]", "i32[512]"], {}),
    "pairs": (pairs, ["i32[8]", "i32[8]", "i32[40]"], {"N": 8}),
    "recurrences": (recurrences, ["f32[32]", "f32[32]", "f32[32]"], {"N": 8, "REVERSE": False}),
    "recurrences_back": (recurrences, ["f32[32]", "f32[32]", "f32[32]"], {"N": 8, "REVERSE": True}),
    "running": (running, ["f32[64]", "f32[64]"], {"N": 64}),
    "farthest": (farthest, ["f32[32]", "f32[8]"], {"N": 8}),
    "sizes": (sizes, ["i32[32]", "i32[80]"], {"M": 8, "N": 4}),
    "named": (named, ["i32[8]", "i32[8]", 7], {"N": 8}),
    "steps_of": (steps_of, ["i32[16]", "i32[16]"], {"N": 16}),
    "neighbours": (neighbours, ["i32[8]", "i32[8]", "i32[16]"], {"N": 8}),
    "choose": (choose, ["f32[32]", "i32[64]", "f32[64]"], {"M": 16, "N": 4}),
    "count": (count, ["i32[32]", "i32[16]"], {"N": 32, "BINS": 8}),
    "multiply_tf32": (multiply, ["f32[256]"] * 4, {"PRECISION": "tf32"}),
    "multiply_ieee": (multiply, ["f32[256]"] * 4, {"PRECISION": "ieee"}),
    "multiply_tf32x3": (multiply, ["f32[256]"] * 4, {"PRECISION": "tf32x3"}),
    "multiply_bf16x3": (multiply, ["f32[256]"] * 4, {"PRECISION": "bf16x3"}),
    "multiply_bf16x6": (multiply, ["f32[256]"] * 4, {"PRECISION": "bf16x6"}),
    "multiply_batch": (multiply_batch, ["f16[512]", "f16[512]", "f32[512]"], {}),
    "multiply_scaled": (multiply_scaled, ["u8[512]", "u8[32]", "u8[1024]", "u8[32]", "f32[256]"],
                        {"X": "e2m1", "Y": "e4m3", "WX": 32, "WY": 64}),
    "multiply_one_scale": (multiply_one_scale, ["u8[256]", "u8[16]", "bf16[512]", "f32[256]"], {}),
    "copy_box": (copy_box, ["f32[96]", "f32[96]", 6, 12, 3, -3], {"PADDING": "zero"}),
    "copy_box_nan": (copy_box, ["f32[96]", "f32[96]", 6, 12, 3, -3], {"PADDING": "nan"}),
    "move_rows": (move_rows, ["i32[128]", "i32[8]", "i32[128]"], {}),
    "add_boxes": (add_boxes, ["i32[128]"], {}),
    "greatest_boxes": (greatest_boxes, ["u32[128]", "u32[128]"], {}),
    "next_tile": (next_tile, ["i32[128]", "i32[32]", 4], {}),
    "of_host": (of_host, [("f32[8,16]", (4, 8)), "f32[32]"], {}),
    "far": (far, ["i32[1]", 3, 5], {}),
    "early": (early, ["i32[8]", "i32[8]", 17], {}),
    "several_results": (several_results, ["i32[4]", 17], {}),
    "say": (say, ["i32[4]", 300], {}),
    "say_floats": (say_floats, ["f32[8]"], {}),
    "demand": (demand, ["i32[16]"], {}),
}
