/* Kernels as PTX whose memory is unlike that of most: what the interpreter gives, the emulator must give. */
#include "tests/run_text.h"

static void expect_on_both(const char *kernel, const named *list)
{
    static const char *const backends[] = {"cpu", "emulator", "emulator:5"};
    tg_module *module = load_kernel(kernel);
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++)
        run_in(module, list, (tg_run_options){.order = "sequential", .backend = backends[b]}, 0,
               kernel);
    tg_module_free(module);
}

#define PICK                                                                                       \
    "offset_dims=[1] collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] "    \
    "slice_sizes=[1,2]"

/* A constant whose elements are all the same lies nowhere: where the slice would be inside it is that element,
 * elsewhere the fill, or what is undefined. */
Test(ptx_memory, gathers_from_one_repeated_element)
{
    static const int32_t at[4] = {0, 3, 4, -1};
    static const int32_t o[8] = {7, 7, 7, 7, 9, 9, 9, 9},
                         u[8] = {7, 7, 7, 7, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN},
                         c[8] = {7, 7, 7, 7, 7, 7, 7, 7};
    static const double d[8] = {1.5, 1.5, 1.5, 1.5, -2, -2, -2, -2};
    static const uint8_t b[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    expect_on_both(
        "input at i32[4,1]\noutput o i32[4,2]\noutput u i32[4,2]\noutput c i32[4,2]\n"
        "output d f64[4,2]\noutput b bool[4,2]\nbody\n%10:i32[4,1] = load %1 [0:4,0:1]\n"
        "%11:i32[4,3] = constant value=7\n"
        "%12:i32[4,2] = gather %11 %10 " PICK " mode='fill' fill=9; store %2 %12 [0:4,0:2]\n"
        "%13:i32[4,2] = gather %11 %10 " PICK " mode='fill'; store %3 %13 [0:4,0:2]\n"
        "%14:i32[4,2] = gather %11 %10 " PICK " mode='clip'; store %4 %14 [0:4,0:2]\n"
        "%15:f64[4,3] = constant value=1.5\n"
        "%16:f64[4,2] = gather %15 %10 " PICK " mode='fill' fill=-2; store %5 %16 [0:4,0:2]\n"
        "%17:bool[4,3] = constant value=false\n"
        "%18:bool[4,2] = gather %17 %10 " PICK " mode='fill' fill=true; store %6 %18 [0:4,0:2]\n",
        NAMED({"at", at}, {"o", o}, {"u", u}, {"c", c}, {"d", d}, {"b", b}));
}

/* An undefined value lies nowhere either; seen as another dtype it keeps its bits. */
Test(ptx_memory, undefined_values_are_bitcast)
{
    static const uint8_t is_nan[2] = {0, 0};
    static const int32_t of_float[2] = {0x7fc0dead, 0x7fc0dead}, of_byte[2] = {128, 128};
    static const double of_long[2] = {-0.0, -0.0};
    expect_on_both("output n bool[2]\noutput i i32[2]\noutput b i32[2]\noutput d f64[2]\nbody\n"
                   "%10:i32[2] = undefined; %11:f32[2] = bitcast %10; %12:bool[2] = ne %11 %11; "
                   "store %1 %12 [0:2]\n"
                   "%13:f32[2] = undefined; %14:i32[2] = bitcast %13; store %2 %14 [0:2]\n"
                   "%15:i8[2] = undefined; %16:u8[2] = bitcast %15; %17:i32[2] = convert %16; "
                   "store %3 %17 [0:2]\n"
                   "%18:i64[2] = undefined; %19:f64[2] = bitcast %18; store %4 %19 [0:2]\n",
                   NAMED({"n", is_nan}, {"i", of_float}, {"b", of_byte}, {"d", of_long}));
}

/* ---- blocks that stay in their arrays ---- */

static bool has_row(const char *kernel, const char *row)
{
    tg_module *module = load_kernel(kernel);
    char *text = tg_module_ptx(module, NULL, NULL, NULL);
    cr_assert_not_null(text);
    const bool found = strstr(text, row) != NULL;
    tg_text_free(text);
    tg_module_free(module);
    return found;
}

#define ADDS "body\n%10:i32[4] = load %1 [0:4]; %11:i32[4] = add %10 %10; store %2 %11 [0:4]\n"

Test(ptx_memory, whole_blocks_are_not_copied)
{
    cr_assert_not(
        has_row("grid 2\ninput x i32[8] block b4 at i\noutput o i32[8] block b4 at i\n" ADDS,
                ".shared.s32"));
    cr_assert(
        has_row("grid 3\ninput x i32[10] block b4 at i\noutput o i32[10] block b4 at i\n" ADDS,
                ".shared.s32"),
        "the last block reaches beyond the array");
    cr_assert(
        has_row(
            "grid 2\ninput x i32[8] block b4 at i\noutput o i32[8] alias=x block b4 at i\n" ADDS,
            ".shared.s32"),
        "what is loaded may have been written since");
}

/* Slices with steps, an axis left out, broadcast rows, sums over either axis, and values that are stored twice. */
Test(ptx_memory, blocks_are_read_and_written_where_they_are)
{
    static const int32_t x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const int32_t steps[6] = {2, 6, 10, 14, 18, 22}, column[3] = {2, 6, 10},
                         rows[3] = {10, 26, 42}, columns[4] = {15, 18, 21, 24},
                         all[12] = {2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24},
                         wide[12] = {-1, -2, -3, -4, -1, -2, -3, -4, -1, -2, -3, -4};
    expect_on_both(
        "input x i32[3,4]\noutput s i32[3,2]\noutput c i32[3,1]\noutput r i32[3]\noutput k i32[4]\n"
        "output t i32[3,4]\noutput u i32[3,4]\noutput w i32[3,4]\nbody\n"
        "%10:i32[3,2] = load %1 [0:3,0:2:2]; %11:i32[3,2] = add %10 %10; store %2 %11 [0:3,0:2]\n"
        "%12:i32[3,1] = load %1 [0:3,1:1]; store %3 %12 [0:3,0:1]\n"
        "%13:i32[3,4] = load %1 [0:3,0:4]; %14:i32[3] = reduce_sum %13 axes=[1]; store %4 %14 "
        "[0:3]\n"
        "%15:i32[4] = reduce_sum %13 axes=[0]; store %5 %15 [0:4]\n"
        "%16:i32[3,4] = add %13 %13; store %6 %16 [0:3,0:4]; store %7 %16 [0:3,0:4]\n"
        "%20:i32[1,4] = load %1 [0:1,0:4]; %17:i32[4] = reshape %20; %18:i32[4] = neg %17; "
        "%19:i32[3,4] = broadcast_in_dim %18 "
        "dims=[1]; "
        "store %8 %19 [0:3,0:4]\n",
        NAMED({"x", x}, {"s", steps}, {"c", column}, {"r", rows}, {"k", columns}, {"t", all},
              {"u", all}, {"w", wide}));
}

/* What one store leaves a later load gets, though both might stay where they are. */
Test(ptx_memory, what_is_written_is_copied_before_it_is_read)
{
    static const int32_t x[4] = {1, 2, 3, 4}, o[4] = {8, 6, 4, 2}, p[4] = {2, 4, 6, 8};
    expect_on_both("input x i32[4]\noutput o i32[4]\noutput p i32[4]\nbody\n"
                   "%10:i32[4] = load %1 [0:4]; %11:i32[4] = add %10 %10; store %2 %11 [0:4]\n"
                   "%12:i32[4] = load %2 [0:4]; %13:i32[4] = rev %12 axes=[0]; store %2 %13 [0:4]; "
                   "store %3 %12 [0:4]\n",
                   NAMED({"x", x}, {"o", o}, {"p", p}));
}

/* ---- several elements at once ---- */

/* Adds a row to each of two. */
static const char *sum_of(const char *type, int row)
{
    static char text[600];
    snprintf(text, sizeof text,
             "grid 2\ninput x %s[2,%d] block s b%d at i 0\ninput y %s[%d]\n"
             "output o %s[2,%d] block s b%d at i 0\nbody\n%%10:%s[%d] = load %%1 [0:%d]\n"
             "%%11:%s[%d] = load %%2 [0:%d]; %%12:%s[%d] = add %%10 %%11; store %%3 %%12 [0:%d]\n",
             type, row, row, type, row, type, row, row, type, row, row, type, row, row, type, row,
             row);
    return text;
}

Test(ptx_memory, neighbours_come_in_vectors)
{
    cr_assert(has_row(sum_of("f32", 2048), "ld.global.v4.f32"));
    cr_assert(has_row(sum_of("f32", 2048), "st.global.v4.f32"));
    cr_assert(has_row(sum_of("f64", 2048), "ld.global.v2.f64"));
    cr_assert(has_row(sum_of("u8", 2048), "ld.global.v4.u8"));
    cr_assert_not(has_row(sum_of("f32", 2046), ".v4."), "rows do not end with a vector");
    cr_assert_not(has_row(sum_of("f32", 64), ".v4."), "fewer than there are threads");
}

/* Every width, rows that end at any place, and one number for many. */
Test(ptx_memory, vectors_hold_the_same_bits)
{
    enum { COUNT = 2 * 2048 };
    static float x[COUNT], y[COUNT], o[COUNT];
    static double dx[COUNT], dy[COUNT], dout[COUNT];
    static uint8_t bx[COUNT], by[COUNT], bo[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)i / 8;
        dx[i] = (double)x[i];
        bx[i] = (uint8_t)(7 * i);
        y[i] = (float)(i % 31);
        dy[i] = (double)y[i];
        by[i] = (uint8_t)(i % 31);
    }
    for (int row = 2048; row >= 2044; row--) {
        for (int i = 0; i < 2 * row; i++) {
            o[i] = x[i] + y[i % row];
            dout[i] = dx[i] + dy[i % row];
            bo[i] = (uint8_t)(bx[i] + by[i % row]);
        }
        expect_on_both(sum_of("f32", row), NAMED({"x", x}, {"y", y}, {"o", o}));
        expect_on_both(sum_of("f64", row), NAMED({"x", dx}, {"y", dy}, {"o", dout}));
        expect_on_both(sum_of("u8", row), NAMED({"x", bx}, {"y", by}, {"o", bo}));
    }
}

/* ---- layouts ---- */

#define LAID_OUT(count, layout)                                                                    \
    "input x i8[" count "]\noutput o i8[4]\nbody\n%10:ref<i8[" count "]>'" layout                  \
    "' = view_layout %1; %11:i8[4] = load %10 [3:4]; store %2 %11 [0:4]\n"

/* Powers of two move bits, others take digits; 64 bits only where elements are so many. */
Test(ptx_memory, layouts_divide_only_where_they_must)
{
    static const char bits[] = LAID_OUT("512", "Sw<1,0,3> o (8,8,8):(1,64,8)"),
                      digits[] = LAID_OUT("60", "(6,10):(1,6)"),
                      many[] = LAID_OUT("3000000000", "(3,1000000000):(1,3)");
    cr_assert(!has_row(bits, "div.u") && !has_row(bits, "rem.u"));
    cr_assert(has_row(digits, "div.u32") && !has_row(digits, "div.u64"));
    cr_assert(has_row(many, "div.u64") && !has_row(many, "div.u32"));
}

Test(ptx_memory, layouts_of_any_extents)
{
    static int8_t x[512], o[4];
    for (int i = 0; i < 512; i++) x[i] = (int8_t)(i % 101);
    for (int i = 0; i < 4; i++) {
        const int at = (i + 3) * 8;
        o[i] = x[at ^ (at >> 3 & 1)];
    }
    expect_on_both(LAID_OUT("512", "Sw<1,0,3> o (8,8,8):(1,64,8)"), NAMED({"x", x}, {"o", o}));
    for (int i = 0; i < 4; i++) o[i] = x[(i + 3) / 8 + (i + 3) % 8 * 3];
    expect_on_both(LAID_OUT("24", "(3,8):(1,3)"), NAMED({"x", x}, {"o", o}));
    for (int i = 0; i < 4; i++) o[i] = x[59 - ((i + 3) / 10 + (i + 3) % 10 * 6)];
    expect_on_both(LAID_OUT("60", "(6,10):(-1,-6) + 59"), NAMED({"x", x}, {"o", o}));
}
