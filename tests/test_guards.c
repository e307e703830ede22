/* Guards of the dialect triton: which element they name, and which ones need no guard. */
#include "check_text.h"

static const tg_run_options plain = {.checks = "none"};

static bool has_guard(const char *text)
{
    tg_module *module = load_kernel(text);
    char *plan = tg_module_print(module, TG_TEXT_PLAN, NULL);
    cr_assert_not_null(plan);
    const bool found = strstr(plan, "guard") != NULL;
    free(plan);
    tg_module_free(module);
    return found;
}

/* ---- constants ---- */

#define BY_CONSTANT(op, value)                                                                     \
    "dialect triton\n"                                                                             \
    "input x i32[4]\noutput o i32[4]\nbody\n"                                                      \
    "%10:i32[4] = load %1 [0:4]; %11:i32[4] = constant value=" value "\n"                          \
    "%12:i32[4] = " op " %10 %11 loc=1; store %2 %12 [0:4]\n"

static const int32_t numbers[4] = {1, 2, -3, 4};

static void check_constant(const char *text, const char *const *wanted)
{
    check_lines(text, NAMED({"x", numbers}), &plain, wanted);
    cr_expect_eq(has_guard(text), wanted[0] != NULL, "%s", text);
}

Test(guards, allowed_constants_need_none)
{
    check_constant(BY_CONSTANT("shift_left", "31"), NO_LINES);
    check_constant(BY_CONSTANT("shift_right_logical", "[0, 1, 30, 31]"), NO_LINES);
    check_constant(BY_CONSTANT("div", "-1"), NO_LINES);
    check_constant(BY_CONSTANT("rem", "[1, 2, 3, -4]"), NO_LINES);
}

Test(guards, forbidden_constants_are_found)
{
    check_constant(BY_CONSTANT("shift_left", "32"),
                   LINES("error shift-too-far shift_left 1 (): shift_left: the amount at [0] is "
                         "32; it must be in [0, 32)"));
    check_constant(BY_CONSTANT("shift_right_arithmetic", "[0, 31, 5, -1]"),
                   LINES("error shift-too-far shift_right_arithmetic 1 (): "
                         "shift_right_arithmetic: the amount at [3] is -1; it must be in [0, 32)"));
    check_constant(BY_CONSTANT("div", "[4, 0, 0, 1]"),
                   LINES("error division-by-zero div 1 (): div: the divisor at [1] is 0"));
}

/* A value that begins as a constant, and is another one in the next turn of a loop. */
Test(guards, carries_that_begin_as_constants_keep_theirs)
{
    check_constant(
        "dialect triton\n"
        "input x i32[4]\noutput o i32[4]\nbody\n"
        "%10:i32[4] = load %1 [0:4]; %11:i32[4] = constant value=31\n"
        "%20:i32[] = constant value=0; %21:i32[] = constant value=2; %22:i32[] = constant value=1\n"
        "%23:i32[4] %24:i32[4] = for %20 %21 %22 %10 %11 { (%30:i32[] %31:i32[4] %32:i32[4])\n"
        "  %33:i32[4] = shift_left %31 %32 loc=1; %34:i32[4] = add %32 %32; yield %33 %34 }\n"
        "store %2 %23 [0:4]\n",
        LINES("error shift-too-far shift_left 1 (): shift_left: the amount at [0] is 62; it must "
              "be in [0, 32)"));
}

/* ---- which element ---- */

enum { COLUMNS = 150, COUNT = 3 * COLUMNS };

/* Shifts by x, an array of 3 rows, as guards look at it in different ways; D stands for the dtype. */
#define SHIFTS(shape, all, view)                                                                   \
    "dialect triton\ninput x D[3,150]\noutput o D" shape "\nbody\n"                                \
    "%10:D[3,150] = load %1 [0:3 0:150]; %11:D" shape " = constant value=1\n" view "%13:D" shape   \
    " = shift_left %11 %12 loc=1; store %2 %13 " all "\n"
static const char direct[] = SHIFTS("[3,150]", "[0:3 0:150]", "%12:D[3,150] = reshape %10\n");
static const char turned[] =
    SHIFTS("[150,3]", "[0:150 0:3]", "%12:D[150,3] = transpose %10 permutation=[1, 0]\n");
static const char repeated[] =
    SHIFTS("[3,4,150]", "[0:3 0:4 0:150]", "%12:D[3,4,150] = broadcast_in_dim %10 dims=[0, 2]\n");

static char *kernel_of(const char *shift, tg_dtype dtype)
{
    tg_text text = {0};
    for (const char *at = shift; *at; at++)
        if (*at == 'D')
            tg_text_put(&text, tg_dtypes[dtype].name);
        else
            tg_text_add(&text, "%c", *at);
    return tg_text_finish(&text);
}

/* All amounts are 1, but the one at (row, column), which is the width. */
static void check_element(const char *shift, tg_dtype dtype, int row, int column, const char *where)
{
    static uint64_t x[COUNT];
    const size_t bytes = tg_dtypes[dtype].bytes;
    const uint64_t width = tg_dtypes[dtype].bits, one = 1;
    for (size_t i = 0; i < COUNT; i++) memcpy((char *)x + i * bytes, &one, bytes);
    memcpy((char *)x + (size_t)(row * COLUMNS + column) * bytes, &width, bytes);
    char line[200];
    snprintf(line, sizeof line,
             "error shift-too-far shift_left 1 (): shift_left: the amount at [%s] is %d; it must "
             "be in [0, %d)",
             where, (int)width, (int)width);
    char *text = kernel_of(shift, dtype);
    check_lines(text, NAMED({"x", x}), &plain, LINES(line));
    free(text);
}

/* Columns are those around strips of 64 elements, and the last one. */
Test(guards, name_the_element)
{
    static const tg_dtype dtypes[] = {TG_DT_i8,  TG_DT_u8,  TG_DT_i16, TG_DT_u16,
                                      TG_DT_i32, TG_DT_u32, TG_DT_i64, TG_DT_u64};
    static const int columns[] = {0, 63, 64, 127, 128, 149};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            for (int row = 0; row < 3; row += 2) {
                char where[3][40];
                snprintf(where[0], sizeof where[0], "%d, %d", row, columns[c]);
                snprintf(where[1], sizeof where[1], "%d, %d", columns[c], row);
                snprintf(where[2], sizeof where[2], "%d, 0, %d", row, columns[c]);
                check_element(direct, dtypes[d], row, columns[c], where[0]);
                check_element(turned, dtypes[d], row, columns[c], where[1]);
                check_element(repeated, dtypes[d], row, columns[c], where[2]);
            }
}

/* The amounts of a block that are all allowed, and one number for all elements. */
Test(guards, allow)
{
    static int32_t x[COUNT];
    for (int i = 0; i < COUNT; i++) x[i] = i % 32;
    const char *const shifts[] = {direct, turned, repeated};
    for (int i = 0; i < 3; i++) {
        char *text = kernel_of(shifts[i], TG_DT_i32);
        check_lines(text, NAMED({"x", x}), &plain, NO_LINES);
        cr_expect(has_guard(text), "%s", text);
        free(text);
    }
}

Test(guards, one_number_for_all_elements)
{
    static const int32_t divisors[2] = {3, 0};
    for (int i = 0; i < 2; i++)
        check_lines(
            "dialect triton\ninput x i32[]\noutput o i32[5,7]\nbody\n"
            "%10:i32[] = load %1 []; %11:i32[5,7] = broadcast_in_dim %10 dims=[]\n"
            "%12:i32[5,7] = constant value=100; %13:i32[5,7] = div %12 %11 loc=1\n"
            "store %2 %13 [0:5 0:7]\n",
            NAMED({"x", &divisors[i]}), &plain,
            i == 0 ? NO_LINES
                   : LINES("error division-by-zero div 1 (): div: the divisor at [0, 0] is 0"));
}

/* A promise is kept by negative multiples, on all backends. */
Test(guards, negative_multiples)
{
    static const int8_t narrow = -6;
    static const int32_t plain_one = -6;
    static const int64_t wide = INT64_C(-6000000000);
#define PROMISE(dtype)                                                                             \
    "input x " dtype "[]\noutput o " dtype "[]\nbody\n%10:" dtype "[] = load %1 []\n"              \
    "%11:" dtype "[] = assume_multiple %10 multiple=3; store %2 %11 []\n"
    expect(PROMISE("i8"), NAMED({"x", &narrow}, {"o", &narrow}));
    expect(PROMISE("i32"), NAMED({"x", &plain_one}, {"o", &plain_one}));
    expect(PROMISE("i64"), NAMED({"x", &wide}, {"o", &wide}));
}
