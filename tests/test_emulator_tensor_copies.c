/* Copies of boxes of tensors, by tensor maps that the text makes itself. */
#include <criterion/criterion.h>

#include "tests/emulator_text.h"

/* `out` begins with a tensor of 16 rows of 16 words, word i being i; a map is at %rd2, 2 KB behind or a little more.
 * Thread t wrote the words 8 t to 8 t + 7. */
#define TENSOR                                                                                     \
    ".shared .align 1024 .b8 s[1024]; .shared .align 8 .b8 m[8]; add.u64 %rd2, %rd1, 2175; "       \
    "and.b64 %rd2, %rd2, -128; shl.b32 %r2, %r1, 3; mul.wide.u32 %rd3, %r2, 4; "                   \
    "add.u64 %rd3, %rd1, %rd3; mov.u32 %r4, 0; FILL: st.global.u32 [%rd3], %r2; "                  \
    "add.u32 %r2, %r2, 1; add.u64 %rd3, %rd3, 4; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 8; "   \
    "@%p1 bra FILL; setp.eq.u32 %p1, %r1, 0; mov.u64 %rd4, 64; mov.u32 %r5, 0; mov.u32 %r6, m; "
#define SET(field, type, rest)                                                                     \
    "@%p1 tensormap.replace.tile." field ".global.b1024." type " [%rd2], " rest "; "
/* A map of that tensor, of words: boxes of 4 rows of 8 words. */
/* clang-format off */
#define MAP_OF(swizzle, element, width)                                                            \
    SET("global_address", "b64", "%rd1")                                                           \
    SET("rank", "b32", "1")                                                                        \
    SET("elemtype", "b32", element)                                                                \
    SET("interleave_layout", "b32", "0")                                                           \
    SET("swizzle_mode", "b32", swizzle)                                                            \
    SET("fill_mode", "b32", "0")                                                                   \
    SET("box_dim", "b32", "0, " width)                                                             \
    SET("box_dim", "b32", "1, 4")                                                                  \
    SET("global_dim", "b32", "0, 16")                                                              \
    SET("global_dim", "b32", "1, 16")                                                              \
    SET("global_stride", "b64", "0, %rd4")                                                         \
    SET("element_stride", "b32", "0, 1")                                                           \
    SET("element_stride", "b32", "1, 1")
/* clang-format on */
#define MAP(swizzle) TENSOR MAP_OF(swizzle, "2", "8")
#define BEGIN                                                                                      \
    "@%p1 mbarrier.init.shared.b64 [m], 1; fence.proxy.async; bar.sync 0; "                        \
    "@%p1 fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128; "
#define LOAD(at)                                                                                   \
    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], 128; "                                      \
    "@%p1 cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [s], "      \
    "[%rd2, {" at "}], [m]; WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0; "               \
    "@!%p2 bra WAIT; "
/* Word t of shared memory to word t of `out`. */
#define KEEP                                                                                       \
    "mov.u32 %r7, s; shl.b32 %r8, %r1, 2; add.u32 %r7, %r7, %r8; ld.shared.u32 %r9, [%r7]; "       \
    "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd1, %rd3; bar.sync 0; st.global.u32 [%rd3], %r9; " \
    "ret;"

static emulator_run run(const char *body, uint64_t seed)
{
    const tg_emu_launch launch = {.races = true, .seed = seed, .instruction_limit = 100000};
    const emulator_run r = emulator_run_body(body, 32, launch);
    cr_assert_eq(r.status, TG_OK, "%s", r.message);
    return r;
}

/* The word of the tensor in row 14 + row and column 12 + column; 0 outside. */
static uint32_t word(uint32_t row, uint32_t column)
{
    return row < 2 && column < 4 ? (14 + row) * 16 + 12 + column : 0;
}

Test(emulator_tensor_copies, a_box_that_reaches_outside_has_zeros_there)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        const emulator_run r = run(MAP("0") BEGIN LOAD("12, 14") KEEP, seed);
        cr_assert_not(r.result.trapped, "%s", r.result.trap.text);
        for (uint32_t i = 0; i < 32; i++) cr_expect_eq(r.words[i], word(i / 8, i % 8), "%u", i);
    }
}

Test(emulator_tensor_copies, negative_coordinates_are_outside_as_well)
{
    const emulator_run r = run(MAP("0") BEGIN LOAD("-4, -1") KEEP, 0);
    cr_assert_not(r.result.trapped, "%s", r.result.trap.text);
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t row = i / 8, column = i % 8;
        cr_expect_eq(r.words[i], row >= 1 && column >= 4 ? (row - 1) * 16 + column - 4 : 0);
    }
}

/* Of 32 bytes: the two chunks of 16 bytes of a row change places in every other group of 4 rows of 32 bytes. */
Test(emulator_tensor_copies, swizzle_exchanges_chunks_of_16_bytes)
{
    const emulator_run r =
        run(MAP("1") SET("box_dim", "b32", "1, 8") BEGIN
            "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], 128; " LOAD(
                "0, 0") "mov.u32 %r7, s; add.u32 %r7, %r7, 128; shl.b32 %r8, %r1, 2; "
                        "add.u32 %r7, %r7, %r8; ld.shared.u32 %r9, [%r7]; "
                        "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd1, %rd3; bar.sync 0; "
                        "st.global.u32 [%rd3], %r9; ret;",
            0);
    cr_expect(r.result.trapped, "two arrivals at an mbarrier of one");
    const emulator_run right =
        run(MAP("1") SET("box_dim", "b32", "1, 8") BEGIN
            "@%p1 mbarrier.expect_tx.relaxed.cta.shared.b64 [m], 128; " LOAD(
                "0, 0") "mov.u32 %r7, s; add.u32 %r7, %r7, 128; shl.b32 %r8, %r1, 2; "
                        "add.u32 %r7, %r7, %r8; ld.shared.u32 %r9, [%r7]; "
                        "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd3, %rd1, %rd3; bar.sync 0; "
                        "st.global.u32 [%rd3], %r9; ret;",
            0);
    cr_assert_not(right.result.trapped, "%s", right.result.trap.text);
    for (uint32_t i = 0; i < 32; i++)
        cr_expect_eq(right.words[i], (4 + i / 8) * 16 + (i % 8 ^ 4), "%u", i);
}

#define STORE                                                                                      \
    "mov.u32 %r7, s; shl.b32 %r8, %r1, 2; add.u32 %r7, %r7, %r8; add.u32 %r9, %r1, 1000; "         \
    "st.shared.u32 [%r7], %r9; fence.proxy.async; bar.sync 0; "                                    \
    "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd2, {12, 14}], [s]; "           \
    "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0; ret;"

Test(emulator_tensor_copies, what_is_stored_outside_is_dropped)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        const emulator_run r = run(MAP("0") BEGIN STORE, seed);
        cr_assert_not(r.result.trapped, "%s", r.result.trap.text);
        for (uint32_t i = 0; i < 256; i++) {
            const uint32_t row = i / 16, column = i % 16;
            const bool is_stored = row >= 14 && column >= 12;
            cr_expect_eq(r.words[i], is_stored ? 1000 + (row - 14) * 8 + column - 12 : i, "%u", i);
        }
    }
}

/* Words i of `out` and 1000 + i of shared memory. */
#define REDUCE(form)                                                                               \
    "mov.u32 %r7, s; shl.b32 %r8, %r1, 2; add.u32 %r7, %r7, %r8; add.u32 %r9, %r1, 1000; "         \
    "st.shared.u32 [%r7], %r9; add.u32 %r9, %r9, 32; st.shared.u32 [%r7+128], %r9; "               \
    "fence.proxy.async; bar.sync 0; @%p1 cp.reduce.async.bulk.tensor." form                        \
    "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group 0; ret;"
#define REDUCE_AT(at, op) REDUCE("2d.global.shared::cta." op ".bulk_group [%rd2, {" at "}], [s]; ")

Test(emulator_tensor_copies, elements_inside_are_reduced)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        const emulator_run r = run(MAP("0") BEGIN REDUCE_AT("12, 14", "add"), seed);
        cr_assert_not(r.result.trapped, "%s", r.result.trap.text);
        for (uint32_t i = 0; i < 256; i++) {
            const uint32_t row = i / 16, column = i % 16;
            const bool is_inside = row >= 14 && column >= 12;
            cr_expect_eq(r.words[i], is_inside ? i + 1000 + (row - 14) * 8 + column - 12 : i, "%u",
                         i);
        }
    }
}

Test(emulator_tensor_copies, the_operands_of_a_reduction_may_be_swizzled)
{
    const emulator_run r =
        run(MAP("1") SET("box_dim", "b32", "1, 8") BEGIN REDUCE_AT("8, 8", "max.tile"), 0);
    cr_assert_not(r.result.trapped, "%s", r.result.trap.text);
    for (uint32_t i = 0; i < 256; i++) {
        const uint32_t row = i / 16 - 8, column = i % 16 - 8, chunk = row < 4 ? 0 : 4;
        cr_expect_eq(r.words[i], row < 8 && column < 8 ? 1000 + row * 8 + (column ^ chunk) : i);
    }
}

/* Of one dimension, of signed words, with a policy of caches. */
Test(emulator_tensor_copies, reductions_of_a_row)
{
    const emulator_run r = run(
        TENSOR MAP_OF("0", "3", "8") SET("rank", "b32", "0") BEGIN
        "createpolicy.fractional.L2::evict_first.b64 %rd5, 0f3F800000; " REDUCE(
            "1d.global.shared::cta.xor.tile.bulk_group.L2::cache_hint [%rd2, {-2}], [s], %rd5; "),
        0);
    cr_assert_eq(r.result.trapped, false, "%s", r.result.trap.text);
    for (uint32_t i = 0; i < 32; i++) cr_expect_eq(r.words[i], i < 6 ? i ^ (1002 + i) : i);
}

Test(emulator_tensor_copies, outside_may_be_nan_for_floats)
{
    const emulator_run r =
        run(TENSOR MAP_OF("0", "7", "8") SET("fill_mode", "b32", "1") BEGIN LOAD("12, 14") KEEP, 0);
    cr_assert_not(r.result.trapped, "%s", r.result.trap.text);
    cr_expect_eq(r.words[0], 14 * 16 + 12);
    cr_expect_eq(r.words[7], 0x7fffffff);
}

Test(emulator_tensor_copies, a_map_made_in_shared_memory_is_copied)
{
    const char *body =
        ".shared .align 128 .b8 s[128]; shl.b32 %r2, %r1, 2; mov.u32 %r3, s; add.u32 %r2, %r2, "
        "%r3; "
        "st.shared.u32 [%r2], %r1; bar.warp.sync -1; mov.u32 %r4, 7; setp.eq.u32 %p1, %r1, 0; "
        "@%p1 tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r3], %r4; bar.warp.sync -1; "
        "add.u64 %rd2, %rd1, 127; and.b64 %rd2, %rd2, -128; "
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
        "[%rd2], [%r3], 128; ret;";
    const emulator_run r = run(body, 0);
    cr_assert_not(r.result.trapped, "%s", r.result.trap.text);
    uint32_t first = 0;
    while (first < 32 && r.words[first] == 0 && r.words[first + 1] == 0) first++;
    cr_expect_eq(r.words[first + 2], 7); /* the rank, behind the address */
    cr_expect_eq(r.words[first + 31], 31);
}

static void expect_trap(const char *body, const char *text)
{
    const emulator_run r = run(body, 0);
    cr_assert(r.result.trapped, "no trap: %s", text);
    cr_expect(strstr(r.result.trap.text, text), "%s, not %s", r.result.trap.text, text);
}

Test(emulator_tensor_copies, maps_and_places_that_are_wrong)
{
    expect_trap(MAP("0") SET("rank", "b32", "2") BEGIN LOAD("0, 0"),
                "another number of dimensions");
    expect_trap(MAP("0") SET("elemtype", "b32", "99") BEGIN LOAD("0, 0"),
                "no such type of elements");
    expect_trap(MAP("0") SET("interleave_layout", "b32", "1") BEGIN LOAD("0, 0"),
                "without interleave");
    expect_trap(MAP("9") BEGIN LOAD("0, 0"), "no such swizzle");
    expect_trap(MAP("0") "add.u64 %rd5, %rd1, 4; " SET("global_address", "b64", "%rd5")
                    BEGIN LOAD("0, 0"),
                "address is a multiple of 16");
    expect_trap(MAP("0") SET("box_dim", "b32", "1, 0") BEGIN LOAD("0, 0"), "1 to 256 elements");
    expect_trap(MAP("0") SET("global_dim", "b32", "1, 0") BEGIN LOAD("0, 0"), "has no elements");
    expect_trap(MAP("0") SET("element_stride", "b32", "1, 2") BEGIN LOAD("0, 0"),
                "element strides of 1");
    expect_trap(MAP("0") "mov.u64 %rd4, 68; " SET("global_stride", "b64", "0, %rd4")
                    BEGIN LOAD("0, 0"),
                "multiple of 16 bytes");
    expect_trap(TENSOR MAP_OF("0", "2", "6") BEGIN LOAD("0, 0"),
                "a row of a box is a multiple of 16");
    expect_trap(TENSOR MAP_OF("1", "2", "16") BEGIN LOAD("0, 0"), "longer than the swizzle");
    expect_trap(MAP("0") SET("global_dim", "b32", "1, 200") BEGIN LOAD("0, 100"), "beyond its end");
    expect_trap(MAP("0") BEGIN
                "@%p1 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
                "[s+64], [%rd2, {0, 0}], [m];",
                "a multiple of 128");
}

Test(emulator_tensor_copies, reductions_that_elements_do_not_have)
{
    expect_trap(TENSOR MAP_OF("0", "7", "8") BEGIN REDUCE_AT("0, 0", "min"),
                "no reduction .min of tensors of f32");
    expect_trap(TENSOR MAP_OF("0", "9", "8") BEGIN REDUCE_AT("0, 0", "add"),
                "no reduction .add of tensors of f64");
    expect_trap(TENSOR MAP_OF("0", "11", "8") BEGIN REDUCE_AT("0, 0", "add"),
                "no reduction .add of tensors of tf32");
    expect_trap(TENSOR MAP_OF("0", "0", "16") BEGIN REDUCE_AT("0, 0", "or"),
                "no reduction .or of tensors of u8");
    expect_trap(TENSOR MAP_OF("0", "3", "8") BEGIN REDUCE_AT("0, 0", "inc"),
                "no reduction .inc of tensors of s32");
}

Test(emulator_tensor_copies, a_copy_that_nobody_waits_for_races)
{
    expect_trap(MAP("0") BEGIN
                "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], 128; "
                "@%p1 cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [s], "
                "[%rd2, {0, 0}], "
                "[m]; ld.shared.u32 %r9, [s]; ret;",
                "has not been written");
}
