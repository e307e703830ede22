/* References with layouts: boxes that a list finds, run by run. */
#include "run_text.h"

/* Elements of 8 x 16 in chunks of four, which change places within rows of 32. */
#define SWIZZLE "'Sw<2,2,3> o 128:1'"

static int32_t swizzled(int i) { return i ^ ((i >> 5 & 3) << 2); }

static void iota(int32_t *x, int count)
{
    for (int i = 0; i < count; i++) x[i] = i;
}

#define ARRAYS "input x i32[128]\noutput o i32[128]\nbody\n%10:i32[128] = load %1 [0:128]\n"
#define VIEW "%11:ref<i32[8,16]>" SWIZZLE " = view_layout %2\n"

/* ---- which elements ---- */

Test(listed, whole_blocks)
{
    static int32_t x[128], o[128];
    iota(x, 128);
    for (int i = 0; i < 128; i++) o[swizzled(i)] = i;
    expect(ARRAYS VIEW "%12:i32[8,16] = reshape %10; store %11 %12 [0:8,0:16]\n",
           NAMED({"x", x}, {"o", o}));
    for (int i = 0; i < 128; i++) o[i] = swizzled(i) + 1;
    expect("input x i32[128]\noutput o i32[8,16]\nbody\n%11:ref<i32[8,16]>" SWIZZLE
           " = view_layout %1; %10:i32[8,16] = load %11 [0:8,0:16]\n"
           "%12:i32[8,16] = constant value=1; %13:i32[8,16] = add %10 %12; store %2 %13 "
           "[0:8,0:16]\n",
           NAMED({"x", x}, {"o", o}));
}

/* Rows begin and end within runs; slices skip elements; views of views count from their own start. */
Test(listed, parts)
{
    static int32_t x[128], o[128];
    iota(x, 128);
    memcpy(o, x, sizeof o);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 7; j++) o[swizzled((i + 1) * 16 + j + 3)] = 1000 + i * 7 + j;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 5; j++) o[swizzled((i * 3 + 2) * 16 + j * 3 + 1)] = -(i * 5 + j);
    expect(ARRAYS VIEW
           "store %2 %10 [0:128]\n"
           "%20:i32[42] = iota axis=0; %21:i32[42] = constant value=1000; %22:i32[42] = add %20 "
           "%21; %23:i32[6,7] = reshape %22; store %11 %23 [1:6,3:7]\n"
           "%24:ref<i32[6,16]> = view %11 [2:6,0:16]\n"
           "%25:i32[10] = iota axis=0; %26:i32[10] = neg %25; %27:i32[2,5] = reshape %26; store "
           "%24 %27 [0:2:3,1:5:3]\n",
           NAMED({"x", x}, {"o", o}));
    for (int i = 0; i < 128; i++) o[i] = x[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++) o[i * 6 + j] = 2 * swizzled((i * 2 + 1) * 16 + j + 9);
    expect(ARRAYS "store %2 %10 [0:128]; %11:ref<i32[8,16]>" SWIZZLE " = view_layout %1\n"
                  "%12:i32[3,6] = load %11 [1:3:2,9:6]; %13:i32[18] = reshape %12; %14:i32[18] = "
                  "add %13 %13; store %2 %14 [0:18]\n",
           NAMED({"x", x}, {"o", o}));
}

Test(listed, columns_and_single_elements)
{
    static int32_t x[128], o[128];
    iota(x, 128);
    memcpy(o, x, sizeof o);
    for (int i = 0; i < 8; i++) o[swizzled(i * 16 + 5)] = 600 + i;
    o[swizzled(2 * 16 + 5)] = 500;
    expect(ARRAYS VIEW
           "store %2 %10 [0:128]; %12:i32[] = constant value=5; %13:i32[8] = iota axis=0; "
           "%14:i32[8] = constant value=600; %15:i32[8] = add %13 %14\n"
           "%16:ref<i32[8]> = view %11 %12 [0:8,@]; store %16 %15 [0:8]\n"
           "%17:i32[] = constant value=2; %18:i32[] = constant value=500; store %11 %18 %17 %12 "
           "[@,@]\n",
           NAMED({"x", x}, {"o", o}));
}

/* ---- dtypes, masks, old values ---- */

/* Elements that are converted, more of them than are converted at a time. */
Test(listed, narrow_elements)
{
    enum { COUNT = 4096 };
    static uint16_t x[COUNT], o[COUNT];
    for (int i = 0; i < COUNT; i++) x[i] = (uint16_t)(0x3c00 + i);
    for (int i = 0; i < COUNT; i++) o[i ^ ((i >> 6 & 7) << 3)] = (uint16_t)(x[i] ^ 0x8000);
    expect("input x f16[4096]\noutput o f16[4096]\nbody\n%10:f16[4096] = load %1 [0:4096]\n"
           "%11:ref<f16[2,2048]>'Sw<3,3,3> o 4096:1' = view_layout %2\n"
           "%12:f16[4096] = neg %10; %13:f16[2,2048] = reshape %12; store %11 %13 [0:2,0:2048]\n",
           NAMED({"x", x}, {"o", o}));
    for (int i = 0; i < COUNT; i++) o[i] = (uint16_t)(x[i ^ ((i >> 6 & 7) << 3)] ^ 0x8000);
    expect("input x f16[4096]\noutput o f16[4096]\nbody\n"
           "%11:ref<f16[4096]>'Sw<3,3,3> o 4096:1' = view_layout %1\n%10:f16[4096] = load %11 "
           "[0:4096]; %12:f16[4096] = neg %10; store %2 %12 [0:4096]\n",
           NAMED({"x", x}, {"o", o}));
}

Test(listed, masks)
{
    static int32_t x[128], o[128];
    iota(x, 128);
    memcpy(o, x, sizeof o);
    for (int i = 0; i < 128; i++)
        if (i % 16 < 6) o[swizzled(i)] = -i;
    for (int i = 0; i < 6; i++) o[swizzled(7 * 16 + i)] = swizzled(32 + i);
    for (int i = 6; i < 16; i++) o[swizzled(7 * 16 + i)] = -5;
    expect(ARRAYS VIEW
           "store %2 %10 [0:128]; %12:i32[8,16] = reshape %10; %13:i32[8,16] = neg %12\n"
           "%14:i32[8,16] = iota axis=1; %15:i32[8,16] = constant value=6; %16:bool[8,16] = lt "
           "%14 %15; store %11 %13 %16 [0:8,0:16] mask=true\n"
           "%20:ref<i32[8,16]>" SWIZZLE " = view_layout %1; %21:i32[1,16] = iota axis=1; "
           "%22:i32[1,16] = constant value=6; %23:bool[1,16] = lt %21 %22; %24:i32[1,16] = "
           "constant value=-5\n%25:i32[1,16] = load %20 %23 %24 [2:1,0:16] mask=true other=true; "
           "store %11 %25 [7:1,0:16]\n",
           NAMED({"x", x}, {"o", o}));
}

Test(listed, swaps)
{
    static int32_t x[128], o[128], p[16];
    iota(x, 128);
    memcpy(o, x, sizeof o);
    for (int i = 0; i < 16; i++) {
        p[i] = swizzled(64 + i);
        o[swizzled(64 + i)] = i;
    }
    expect("input x i32[128]\noutput o i32[128]\noutput p i32[1,16]\nbody\n%10:i32[128] = load %1 "
           "[0:128]\n" VIEW "store %2 %10 [0:128]; %12:i32[1,16] = iota axis=1; %13:i32[1,16] = "
           "swap %11 %12 [4:1,0:16]; store %3 %13 [0:1,0:16]\n",
           NAMED({"x", x}, {"o", o}, {"p", p}));
}

/* ---- from array to array ---- */

/* Blocks that go to memory of the program and back to their arrays, of which the last reach beyond the
 * end; and a block that another load sees before it has come back. */
Test(listed, blocks_that_are_passed_on)
{
    static int32_t x[10 * 16], o[10 * 16], p[10 * 16];
    iota(x, 160);
    for (int i = 0; i < 160; i++) {
        o[i] = x[i] * 2;
        p[i] = i % 16 < 8 ? x[i] * 2 : x[i];
    }
    expect(
        "grid 3\ninput x i32[10,16] block b4 b16 at i 0\noutput o i32[10,16] alias=x block b4 b16 "
        "at "
        "i 0\noutput p i32[10,16] block b4 b16 at i 0\nbody\n"
        "%10:ref<i32[64]> = alloc; %11:ref<i32[4,16]>'Sw<2,2,2> o 64:1' = view_layout %10\n"
        "%12:i32[4,16] = load %2 [0:4,0:16]; store %11 %12 [0:4,0:16]\n"
        "%13:i32[4,8] = load %11 [0:4,0:8]; %14:i32[4,8] = add %13 %13; store %11 %14 [0:4,0:8]\n"
        "%15:i32[4,16] = load %11 [0:4,0:16]; store %3 %15 [0:4,0:16]\n"
        "%16:i32[4,8] = load %11 [0:4,8:8]; %17:i32[4,8] = add %16 %16; store %11 %17 [0:4,8:8]\n"
        "%18:i32[4,16] = load %11 [0:4,0:16]; store %2 %18 [0:4,0:16]\n"
        "%19:ref<i32[8,8]>'(8,8):(1,8)' = view_layout %10; %20:i32[8,8] = load %19 [0:8,0:8]\n",
        NAMED({"x", x}, {"o", o}, {"p", p}));
}

static bool plan_has(const char *text, const char *part)
{
    tg_module *module = load_kernel(text);
    char *plan = tg_module_print(module, TG_TEXT_PLAN, NULL);
    const bool has = strstr(plan, part) != NULL;
    if (!has) fprintf(stderr, "%s", plan);
    tg_text_free(plan);
    tg_module_free(module);
    return has;
}

/* A value that something else uses, or that a mask takes a part of, has memory of its own. */
Test(listed, values_that_have_no_memory_of_their_own)
{
#define PASSED(after)                                                                              \
    "input x i32[4,8]\noutput o i32[4,8] alias=x\noutput p i32[4,8]\nbody\n%10:ref<i32[32]> = "    \
    "alloc; %11:ref<i32[4,8]>'Sw<1,2,2> o 32:1' = view_layout %10\n%12:i32[4,8] = load %2 "        \
    "[0:4,0:8]; store %11 %12 [0:4,0:8]\n%13:i32[4,8] = load %11 [0:4,0:8]; store %2 %13 "         \
    "[0:4,0:8]\n" after
    cr_assert(plan_has(PASSED(""), "scope ref3 in s0, overwritten"));
    cr_assert(plan_has(PASSED(""), "to s1*:i32[4,8]"));
    cr_assert(plan_has(PASSED(""), "to s2*:i32[4,8]"));
    cr_assert(plan_has(PASSED("store %3 %12 [0:4,0:8]\n"), "to s1:i32[4,8]"));
    cr_assert(plan_has(PASSED("store %3 %13 [0:4,0:8]\n"), "to s2:i32[4,8]"));
}

/* Parts, by a layout with strides: the array's rows are longer than those of the memory. */
Test(listed, parts_that_are_passed_on)
{
    static int32_t x[8 * 8], o[8 * 8];
    iota(x, 64);
    memcpy(o, x, sizeof o);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) o[i * 8 + j + 4] = x[(j + 2) * 8 + i + 1];
    expect("input x i32[8,8]\noutput o i32[8,8] alias=x\nbody\n"
           "%10:ref<i32[16]> = alloc; %11:ref<i32[4,4]>'(4,4):(4,1)' = view_layout %10; "
           "%12:ref<i32[4,4]>'(4,4):(1,4)' = view_layout %10\n"
           "%13:i32[4,4] = load %2 [2:4,1:4]; store %11 %13 [0:4,0:4]\n"
           "%14:i32[4,4] = load %12 [0:4,0:4]; store %2 %14 [0:4,4:4]\n",
           NAMED({"x", x}, {"o", o}));
}

/* ---- where no list helps ---- */

/* Starts known at run time: inside, and beyond the end, which is reported. */
Test(listed, starts_known_at_run_time)
{
    static int32_t x[128], o[128];
    iota(x, 128);
#define ROW(start)                                                                                 \
    ARRAYS "store %2 %10 [0:128]; %11:ref<i32[8,16]>" SWIZZLE " = view_layout %1\n"                \
           "%12:i32[] = constant value=" start "; %13:i32[2,16] = load %11 %12 [*:2,0:16]; "       \
           "%14:i32[32] = reshape %13; %15:i32[32] = neg %14; store %2 %15 [0:32] loc=3\n"
    memcpy(o, x, sizeof o);
    for (int i = 0; i < 32; i++) o[i] = -swizzled(5 * 16 + i);
    expect(ROW("5"), NAMED({"x", x}, {"o", o}));
    for (int i = 0; i < 32; i++) o[i] = i < 16 ? -swizzled(7 * 16 + i) : INT32_MIN;
    expect_with(ROW("7"), NAMED({"x", x}, {"o", o}), (tg_run_options){0}, 1);
}

/* Blocks of an array have gaps between their rows; a view of a view is found by way of both. */
Test(listed, memory_with_gaps_and_views_of_views)
{
    static int32_t x[128], o[64];
    iota(x, 128);
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 32; i++) {
            const int at = i ^ (i >> 2 & 3);
            o[p * 32 + i] = x[at / 8 * 32 + p * 8 + at % 8];
        }
    expect("grid 2\ninput x i32[4,32] block b4 b8 at 0 i\noutput o i32[64] block b32 at i\nbody\n"
           "%10:ref<i32[32]>'Sw<2,0,2> o 32:1' = view_layout %1; %11:i32[32] = load %10 [0:32]; "
           "store %2 %11 [0:32]\n",
           NAMED({"x", x}, {"o", o}));
    for (int i = 0; i < 64; i++) o[i] = swizzled(64 + i % 8 * 8 + i / 8);
#define TWICE(layout)                                                                              \
    "input x i32[128]\noutput o i32[64]\nbody\n%10:ref<i32[128]>" SWIZZLE                          \
    " = view_layout %1; %11:ref<i32[64]>'" layout "' = view_layout %10; %12:i32[64] = load %11 "   \
    "[0:64]; store %2 %12 [0:64]\n"
    expect(TWICE("(8,8):(1,8) + 64"), NAMED({"x", x}, {"o", o}));
    for (int i = 0; i < 64; i++) o[i] = swizzled(i ^ (i >> 3 & 1));
    expect(TWICE("Sw<1,0,3> o 64:1"), NAMED({"x", x}, {"o", o}));
}

/* ---- rows of 2, 4 and 8 pieces of 16 bytes, which move as wholes ---- */

/* The array in 8 rows, which are cut into tiles that lie one behind the other; 1: it is not cut. */
static void check_rows(int bits, int tiles, int first, int count, const char *isa)
{
    enum { COUNT = 512, PIECE = 4 };
    static int32_t x[COUNT], loaded[COUNT], stored[COUNT];
    char text[1024], layout[64];
    const int row = COUNT / 8, wide = row / tiles;
    snprintf(layout, sizeof layout, "Sw<%d,2,3> o (8,%d,%d):(%d,%d,1)", bits, tiles, wide, wide,
             8 * wide);
    iota(x, COUNT);
    memset(loaded, 0, sizeof loaded);
    memset(stored, 0, sizeof stored);
    for (int i = first; i < first + count; i++) {
        const int tile = i % row / wide, straight = tile * 8 * wide + i / row * wide + i % wide;
        const int at = straight ^ ((straight >> 5 & ((1 << bits) - 1)) * PIECE);
        loaded[i] = at;
        stored[at] = i;
    }
    snprintf(text, sizeof text,
             "input x i32[512]\noutput loaded i32[512]\noutput stored i32[512]\nbody\n"
             "%%10:i32[512] = constant value=0; store %%2 %%10 [0:512]; store %%3 %%10 [0:512]\n"
             "%%11:ref<i32[512]>'%s' = view_layout %%1\n"
             "%%12:i32[%d] = load %%11 [%d:%d]; store %%2 %%12 [%d:%d]\n"
             "%%13:ref<i32[512]>'%s' = view_layout %%3\n"
             "%%14:i32[%d] = load %%1 [%d:%d]; store %%13 %%14 [%d:%d]\n",
             layout, count, first, count, first, count, layout, count, first, count, first, count);
    expect_with(text, NAMED({"x", x}, {"loaded", loaded}, {"stored", stored}),
                (tg_run_options){.size = sizeof(tg_run_options), .isa = isa}, 0);
}

Test(listed, rows_of_pieces)
{
    static const struct {
        int first, count;
    } parts[] = {{0, 512}, {0, 300}, {256, 200}, {32, 96}, {8, 64}, {16, 23}, {20, 300}, {3, 77}};
    for (int bits = 1; bits <= 3; bits++)
        for (int tiles = 1; tiles <= 2; tiles++)
            for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
                check_rows(bits, tiles, parts[p].first, parts[p].count, "baseline");
                check_rows(bits, tiles, parts[p].first, parts[p].count, NULL);
            }
}
