/* Arithmetic that goes wrong: what is found and what is not, the same in every order; and each op on all pairs of 8-bit values. */
#include <math.h>

#include "checks/undefined/arithmetic.h"
#include "checks/undefined/exact.h"
#include "check_text.h"

static const int32_t big[4] = {1073741824, 2147483647, -2147483647 - 1, 3};

static void check(const char *text, const char *const *wanted)
{
    const tg_run_options how = {.checks = "arithmetic"};
    check_lines(text, NAMED({"x", big}), &how, wanted);
}

#define CHECK(text, ...) check(text, LINES(__VA_ARGS__))
#define CLEAN(text) check(text, NO_LINES)

#define PROGRAM_ID "%10:i32[] = program_id axis=0; %11:i32[] = constant value=1073741824\n"
#define LOAD_AND_STORE(at) "%98:i32[] = load %1 " at " [@] loc=8; store %2 %98 [] loc=9\n"
#define KERNEL(ops) "grid 4\ninput x i32[4]\noutput o i32[4] block s at i\nbody\n" PROGRAM_ID ops

/* ---- integers that wrap around ---- */

Test(arithmetic, index)
{
    CHECK(KERNEL("%12:i32[] = mul %10 %11 loc=1; %13:i32[] = constant value=3; "
                 "%14:i32[] = and %12 %13 loc=2\n" LOAD_AND_STORE("%14")),
          "warning integer-overflow mul 1 (2): mul: a result does not fit i32 and wraps around; "
          "the index "
          "of load in dimension 0 of x goes by it | goes into load 8 | computed by and 2");
    CLEAN(KERNEL("%12:i32[] = mul %10 %10 loc=1; %13:i32[] = constant value=3; "
                 "%14:i32[] = and %12 %13 loc=2\n" LOAD_AND_STORE("%14")));
}

/* What goes to an output is defined: integers wrap. */
Test(arithmetic, output)
{
    CLEAN(KERNEL("%12:i32[] = mul %10 %11 loc=1; store %2 %12 [] loc=2\n"));
    CLEAN(KERNEL("%12:i32[] = mul %10 %11 loc=1; %13:bool[] = lt %12 %10; "
                 "%14:i32[] = switch %13 { () yield %10 } { () yield %11 }\nstore %2 %14 []\n"));
}

/* Only the case that is chosen counts. */
Test(arithmetic, chosen)
{
    CLEAN(KERNEL("%12:i32[] = mul %10 %11 loc=1; %13:i32[] = constant value=2; "
                 "%14:bool[] = lt %10 %13; %15:i32[] = constant value=0; "
                 "%16:i32[] = mul %12 %15 loc=2; %17:i32[] = select %14 %15 %16 "
                 "loc=3\n" LOAD_AND_STORE("%17")));
}

Test(arithmetic, unsigned_wrap_around)
{
    CLEAN(KERNEL("%12:u32[] = convert %10; %13:u32[] = constant value=1610612736; "
                 "%14:u32[] = mul %12 %13; %15:u32[] = constant value=3; %16:u32[] = and %14 %15; "
                 "%17:i32[] = convert %16\n" LOAD_AND_STORE("%17")));
}

Test(arithmetic, narrowing)
{
    CHECK(KERNEL("%12:i64[] = convert %10; %13:i64[] = constant value=4294967296; "
                 "%14:i64[] = mul %12 %13; %15:i32[] = convert %14 loc=4\n" LOAD_AND_STORE("%15")),
          "warning integer-overflow convert 4 (1): convert: a result does not fit i32 and wraps "
          "around; "
          "the index of load in dimension 0 of x goes by it | goes into load 8");
}

Test(arithmetic, masks)
{
    CHECK(KERNEL("%12:i32[] = mul %10 %11 loc=1; %13:bool[] = lt %12 %11 loc=2; "
                 "%14:i32[] = load %1 %10 %13 %11 [@] mask=true other=true loc=3; store %2 %14 "
                 "[]\n"),
          "warning integer-overflow mul 1 (2): mul: a result does not fit i32 and wraps around; "
          "the mask "
          "by which load chooses elements of x goes by it | goes into load 3 | computed by lt 2");
}

/* By way of memory, of a loop, and of blocks of which most lanes are fine. */
Test(arithmetic, on_the_way)
{
    CHECK("input x i32[4]\noutput o i32[]\nscratch s i32[]\nbody\n"
          "%9:i32[] = constant value=0; %10:i32[] = load %1 %9 [@]; %11:i32[] = add %10 %10 loc=1; "
          "store %3 %11 [] loc=2; %12:i32[] = load %3 [] loc=3; %13:i32[] = sub %12 %12 "
          "loc=4\n" LOAD_AND_STORE("%13"),
          "warning integer-overflow add 1 (): add: a result does not fit i32 and wraps around; "
          "the index "
          "of load in dimension 0 of x goes by it | goes into load 8 | computed by sub 4 | read by "
          "load 3 | stored by store 2");
    CHECK(
        "input x i32[4]\noutput o i32[]\nbody\n"
        "%9:i32[] = constant value=0; %10:i32[] = constant value=1; %11:i32[] = constant value=40; "
        "%12:i32[] = for %9 %11 %10 %10 { (%20:i32[] %21:i32[]) %22:i32[] = add %21 %21 loc=5; "
        "yield %22 }\n" LOAD_AND_STORE("%12"),
        "warning integer-overflow add 5 (): add: a result does not fit i32 and wraps around; the "
        "index "
        "of load in dimension 0 of x goes by it | goes into load 8");
    CHECK(
        "input x i32[4]\noutput o i32[4]\nbody\n"
        "%10:i32[4] = load %1 [0:4]; %11:i32[4] = neg %10 loc=1; %12:i32[4] = constant value=0; "
        "%13:i32[4] = min %11 %12 loc=2; %14:i32[4] = max %13 %12 loc=3; "
        "%15:i32[4] = load %1 %14 [@] loc=4; store %2 %15 [0:4]\n",
        "warning integer-overflow neg 1 (): neg: a result does not fit i32 and wraps around; the "
        "index "
        "of load in dimension 0 of x goes by it | goes into load 4 | computed by max 3 | computed "
        "by min 2");
}

/* ---- floats beyond an integer ---- */

#define AS_FLOAT                                                                                   \
    "input x i32[4]\noutput o i8[4]\nbody\n%10:i32[4] = load %1 [0:4]; %11:f32[4] = convert %10\n"

Test(arithmetic, kept)
{
    CHECK(AS_FLOAT "%12:i8[4] = convert %11 loc=1; store %2 %12 [0:4] loc=2\n",
          "warning float-to-int-range convert 1 (): convert: the operand is out of the range of "
          "i8, or "
          "NaN; program () leaves what comes of it in o[0]; 3 elements in all | goes into store 2");
    CLEAN(AS_FLOAT
          "%13:f32[4] = constant value=127.0; %14:f32[4] = constant value=-128.0; "
          "%15:f32[4] = clamp %14 %11 %13; %12:i8[4] = convert %15 loc=1; store %2 %12 [0:4]\n");
}

/* Lanes that nobody uses may hold anything: padding, and what is discarded. */
Test(arithmetic, not_used)
{
    CLEAN("grid 2\ninput x f32[4] block b3 at i\noutput o i32[4] block b3 at i\nbody\n"
          "%10:f32[3] = load %1 [0:3]; %11:f32[3] = div %10 %10; %12:i32[3] = convert %11; "
          "%13:i32[3] = constant value=7; %14:bool[3] = is_finite %11; "
          "%15:i32[3] = select %14 %13 %12; store %2 %15 [0:3]\n");
}

/* One finding, whatever goes by it. */
Test(arithmetic, conditions_and_addresses)
{
    CHECK(
        "input x i32[4]\noutput o i32[]\nbody\n%9:f32[] = constant value=3e9; %10:i32[] = convert "
        "%9 loc=1; %11:i32[] = constant value=3; %12:i32[] = and %10 %11 "
        "loc=2\n" LOAD_AND_STORE("%12"),
        "warning float-to-int-range convert 1 (): convert: the operand is out of the range of "
        "i32, or "
        "NaN; the index of load in dimension 0 of x goes by it | goes into load 8 | computed by "
        "and 2");
    CHECK(
        "input x i32[4]\noutput o i32[]\nbody\n%9:f32[] = constant value=3e9; %10:i32[] = convert "
        "%9 loc=1; %11:bool[] = lt %10 %10 loc=2\n%12:i32[] = switch %11 loc=3 { () yield %10 } "
        "{ () %13:i32[] = constant value=0; yield %13 }\nstore %2 %12 []\n",
        "warning float-to-int-range convert 1 (): convert: the operand is out of the range of "
        "i32, or "
        "NaN; the condition of switch goes by it | goes into switch 3 | computed by lt 2");
}

/* ---- each op on everything ---- */

static int64_t exact(tg_opcode op, int64_t a, int64_t b)
{
    switch (op) {
    case TG_OP_add: return a + b;
    case TG_OP_sub: return a - b;
    case TG_OP_mul: return a * b;
    case TG_OP_div: return b ? a / b : 0;
    case TG_OP_neg: return -a;
    case TG_OP_abs: return a < 0 ? -a : a;
    default: return b < 0 || b > 7 ? (a ? 1000 : 0) : a * (1 << b);
    }
}

Test(arithmetic, every_pair)
{
    static const tg_opcode ops[] = {TG_OP_add, TG_OP_sub, TG_OP_mul,       TG_OP_div,
                                    TG_OP_neg, TG_OP_abs, TG_OP_shift_left};
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
        const tg_group_op op = {.op = ops[o],
                                .dtype = TG_DT_i8,
                                .second = TG_DT_i8,
                                .in_count = ops[o] == TG_OP_neg || ops[o] == TG_OP_abs ? 1 : 2};
        cr_assert(tg_arithmetic_may_fail(&op, TG_SHADOW_OVERFLOW));
        for (int a = -128; a < 128; a++)
            for (int b = -128; b < 128; b++) {
                const int8_t in[2] = {(int8_t)a, (int8_t)b};
                const void *const operands[] = {&in[0], &in[1]};
                const int64_t result = exact(ops[o], a, b);
                cr_assert_eq(tg_arithmetic_fails(&op, operands, 0), result < -128 || result > 127,
                             "%s %d %d", tg_ops[ops[o]].name, a, b);
            }
    }
}

/* At the ends of the widest dtype nothing overflows in the check itself. */
Test(arithmetic, widest)
{
    static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, 2, 62, 63, INT64_MAX};
    enum { ENDS = sizeof ends / sizeof *ends };
    static const tg_opcode ops[] = {TG_OP_add, TG_OP_sub, TG_OP_mul, TG_OP_shift_left};
    for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
        for (int i = 0; i < ENDS * ENDS; i++) {
            const tg_group_op op = {
                .op = ops[o], .dtype = TG_DT_i64, .second = TG_DT_i64, .in_count = 2};
            const int64_t a = ends[i / ENDS], b = ends[i % ENDS];
            const void *const operands[] = {&a, &b};
            __int128 result = ops[o] == TG_OP_add   ? (__int128)a + b
                              : ops[o] == TG_OP_sub ? (__int128)a - b
                              : ops[o] == TG_OP_mul ? (__int128)a * b
                              : b < 0 || b > 63     ? (a ? (__int128)1 << 100 : 0)
                                                    : (__int128)a * ((__int128)1 << b);
            const bool wanted = result < INT64_MIN || result > INT64_MAX;
            cr_assert_eq(tg_arithmetic_fails(&op, operands, 0), wanted, "%s %lld %lld",
                         tg_ops[ops[o]].name, (long long)a, (long long)b);
            cr_assert_eq(tg_arithmetic_any_fails(&op, operands, 1), wanted, "%s %lld %lld",
                         tg_ops[ops[o]].name, (long long)a, (long long)b);
        }
}

/* One element that overflows is found wherever it is in a row. */
Test(arithmetic, one_in_a_row)
{
    enum { COUNT = 67 };
    static const tg_dtype dtypes[] = {TG_DT_i32, TG_DT_i64};
    static const tg_opcode ops[] = {TG_OP_add, TG_OP_sub, TG_OP_mul};
    for (int d = 0; d < 2; d++)
        for (int o = 0; o < 3; o++)
            for (int at = -1; at < COUNT; at++) {
                const tg_group_op op = {
                    .op = ops[o], .dtype = dtypes[d], .second = dtypes[d], .in_count = 2};
                int64_t wide[2][COUNT] = {{0}};
                int32_t narrow[2][COUNT] = {{0}};
                const void *const operands[] = {d ? (void *)wide[0] : (void *)narrow[0],
                                                d ? (void *)wide[1] : (void *)narrow[1]};
                if (at >= 0) {
                    wide[0][at] = INT64_MIN;
                    narrow[0][at] = INT32_MIN;
                    wide[1][at] = narrow[1][at] = ops[o] == TG_OP_sub   ? 1
                                                  : ops[o] == TG_OP_add ? -1
                                                                        : 2;
                }
                cr_assert_eq(tg_arithmetic_any_fails(&op, operands, COUNT), at >= 0);
            }
}

Test(arithmetic, ranges)
{
    static const struct {
        float value;
        tg_dtype to;
        bool fails;
    } cases[] = {{127.9F, TG_DT_i8, false},
                 {128.0F, TG_DT_i8, true},
                 {-128.9F, TG_DT_i8, false},
                 {-129.0F, TG_DT_i8, true},
                 {-0.9F, TG_DT_u8, false},
                 {-1.0F, TG_DT_u8, true},
                 {255.9F, TG_DT_u8, false},
                 {256.0F, TG_DT_u8, true},
                 {7.5F, TG_DT_i4, false},
                 {8.0F, TG_DT_i4, true},
                 {2147483520.0F, TG_DT_i32, false},
                 {2147483648.0F, TG_DT_i32, true},
                 {-2147483648.0F, TG_DT_i32, false},
                 {9.3e18F, TG_DT_i64, true},
                 {1.8e19F, TG_DT_u64, false},
                 {1.9e19F, TG_DT_u64, true},
                 {INFINITY, TG_DT_u64, true},
                 {-INFINITY, TG_DT_i64, true},
                 {NAN, TG_DT_i32, true},
                 {-0.0F, TG_DT_u32, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tg_group_op op = {
            .op = TG_OP_convert, .dtype = TG_DT_f32, .second = cases[i].to, .in_count = 1};
        const void *const operands[] = {&cases[i].value};
        cr_assert(tg_arithmetic_may_fail(&op, TG_SHADOW_RANGE));
        cr_assert_eq(tg_arithmetic_fails(&op, operands, 0), cases[i].fails, "%g",
                     (double)cases[i].value);
    }
}

/* ---- sums and products of many ---- */

#define GOES_BY                                                                                    \
    ": a result does not fit i32 and wraps around; the index of load in dimension 0 of x goes by " \
    "it | goes into load 8 | "
/* x is 2^30, 2^31 - 1, -2^31, 3: of the first two the sum is too great, of all it is not. */
#define BLOCK(ops) "input x i32[4]\noutput o i32[]\nbody\n" ops
#define LOW_BITS(value)                                                                            \
    "%90:i32[] = constant value=3; %91:i32[] = and " value " %90 loc=2\n" LOAD_AND_STORE("%91")

Test(arithmetic, reductions)
{
    CHECK(BLOCK("%12:i32[2] = load %1 [0:2]; %13:i32[] = reduce_sum %12 axes=[0] loc=1\n" LOW_BITS(
              "%13")),
          "warning integer-overflow reduce_sum 1 (): reduce_sum" GOES_BY "computed by and 2");
    CLEAN(BLOCK(
        "%12:i32[4] = load %1 [0:4]; %13:i32[] = reduce_sum %12 axes=[0] loc=1\n" LOW_BITS("%13")));
    CHECK(BLOCK("%12:i32[2] = load %1 [2:2]; %13:i32[] = reduce_prod %12 axes=[0] loc=1\n" LOW_BITS(
              "%13")),
          "warning integer-overflow reduce_prod 1 (): reduce_prod" GOES_BY "computed by and 2");
    CLEAN(
        BLOCK("%12:i32[2] = load %1 [0:2]; %13:i32[] = reduce_max %12 axes=[0]\n" LOW_BITS("%13")));
    CLEAN(BLOCK(
        "%12:i32[2] = load %1 [0:2]; %13:i32[] = reduce_sum %12 axes=[0]; store %2 %13 []\n"));
    CLEAN(BLOCK("%12:i32[2] = load %1 [0:2]; %14:u32[2] = convert %12; %15:u32[] = reduce_sum %14 "
                "axes=[0]; %13:i32[] = convert %15\n" LOW_BITS("%13")));
}

/* Goes by element `at` of %14, which `ops` make. */
static void check_element(const char *ops, int at, const char *const *wanted)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s%s%d%s%s", BLOCK(""), ops, "%15:i32[1] = slice %14 start=[",
             at, "] stride=[1]; %16:i32[] = reshape %15\n", LOW_BITS("%16"));
    check(text, wanted);
}

/* Of several rows the one that is used counts. */
Test(arithmetic, rows)
{
    static const char rows[] = "%12:i32[4] = load %1 [0:4]; %13:i32[2,2] = reshape %12; "
                               "%14:i32[2] = reduce_sum %13 axes=[1] loc=1\n";
    check_element(
        rows, 0,
        LINES("warning integer-overflow reduce_sum 1 (): reduce_sum" GOES_BY "computed by and 2"));
    check_element(rows, 1, NO_LINES);
}

/* Each prefix counts for itself. */
Test(arithmetic, scans)
{
    static const struct {
        const char *op, *reverse;
        int at;
        bool fails;
    } rows[] = {
        {"cumsum", "false", 0, false}, {"cumsum", "false", 1, true}, {"cumsum", "false", 3, false},
        {"cumsum", "true", 0, false},  {"cumsum", "true", 2, false}, {"cumprod", "false", 0, false},
        {"cumprod", "false", 3, true}, {"cumprod", "true", 2, true}, {"cummax", "false", 1, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char ops[300], line[300];
        snprintf(ops, sizeof ops, "%s%s%s%s%s",
                 "%12:i32[4] = load %1 [0:4]; %14:i32[4] = ", rows[i].op,
                 " %12 axis=0 reverse=", rows[i].reverse, " loc=1\n");
        snprintf(line, sizeof line,
                 "warning integer-overflow %s 1 (): %s" GOES_BY "computed by and 2", rows[i].op,
                 rows[i].op);
        check_element(ops, rows[i].at, rows[i].fails ? LINES(line) : NO_LINES);
    }
}

Test(arithmetic, dots)
{
    CHECK(
        BLOCK("%12:i32[2] = load %1 [0:2]; %13:i32[1,2] = reshape %12; %14:i32[2,1] = reshape %12\n"
              "%15:i32[1,1] = dot_general %13 %14 lhs_contract=[1] "
              "rhs_contract=[0] lhs_batch=[] rhs_batch=[] loc=1\n"
              "%16:i32[] = reshape %15\n" LOW_BITS("%16")),
        "warning integer-overflow dot_general 1 (): dot_general" GOES_BY "computed by and 2");
}

/* Sums that are beyond 128 bits on their way, and products of which a factor is 0. */
Test(arithmetic, without_a_limit)
{
    tg_exact sum = tg_exact_begin(TG_OP_add);
    for (int i = 0; i < 8; i++) tg_exact_add_product(&sum, INT64_MIN, INT64_MIN);
    for (int i = 0; i < 8; i++) tg_exact_add_product(&sum, INT64_MIN, INT64_MAX);
    cr_assert(!tg_exact_fits(&sum, TG_DT_i64)); /* 8 * 2^63 */
    for (int i = 0; i < 8; i++) tg_exact_take(&sum, INT64_MIN);
    cr_assert(tg_exact_fits(&sum, TG_DT_i4)); /* 0 */
    tg_exact_take(&sum, INT64_MIN);
    cr_assert(tg_exact_fits(&sum, TG_DT_i64));
    tg_exact_take(&sum, -1);
    cr_assert(!tg_exact_fits(&sum, TG_DT_i64));
    tg_exact product = tg_exact_begin(TG_OP_mul);
    cr_assert(tg_exact_fits(&product, TG_DT_i4)); /* 1 */
    tg_exact_take(&product, INT64_C(1) << 62);
    tg_exact_take(&product, 2);
    cr_assert(!tg_exact_fits(&product, TG_DT_i64));
    tg_exact_take(&product, -1);
    cr_assert(tg_exact_fits(&product, TG_DT_i64)); /* -2^63 */
    for (int i = 0; i < 9; i++) tg_exact_take(&product, INT64_MIN);
    cr_assert(!tg_exact_fits(&product, TG_DT_i64));
    tg_exact_take(&product, 0);
    cr_assert(tg_exact_fits(&product, TG_DT_i64));
}

/* All sums and products of three 8-bit values of a few, against plain arithmetic. */
Test(arithmetic, sums_and_products_of_three)
{
    for (int a = -128; a < 128; a += 5)
        for (int b = -128; b < 128; b += 3)
            for (int c = -128; c < 128; c += 7) {
                tg_exact sum = tg_exact_begin(TG_OP_add), product = tg_exact_begin(TG_OP_mul);
                const int values[] = {a, b, c}, total = a + b + c, all = a * b * c;
                for (int i = 0; i < 3; i++) {
                    tg_exact_take(&sum, values[i]);
                    tg_exact_take(&product, values[i]);
                }
                cr_assert_eq(tg_exact_fits(&sum, TG_DT_i8), total >= -128 && total < 128);
                cr_assert_eq(tg_exact_fits(&product, TG_DT_i8), all >= -128 && all < 128);
            }
}
