/* Lowering seen from outside: kernels whose shape is hard for the plan, and what a plan prints. */
#include "run_text.h"

Test(plan, adds_blocks)
{
    static float x[30], want[30];
    for (int i = 0; i < 30; i++) want[i] = 2 * (x[i] = (float)i);
    expect("grid 4\n"
           "input x f32[30] block b8 at i\n"
           "output o f32[30] block b8 at i\n"
           "body\n"
           "%10:f32[8] = load %1 [0:8]\n"
           "%11:f32[8] = add %10 %10\n"
           "store %2 %11 [0:8]\n",
           NAMED({"x", x}, {"o", want}));
}

Test(plan, nested_loops)
{
    static const int32_t x[4] = {1, 2, 3, 4};
    static const int32_t want[4] = {13, 14, 15, 16};
    expect(
        "input x i32[4]\n"
        "output o i32[4]\n"
        "body\n"
        "%10:i32[4] = load %1 [0:4]\n"
        "%11:i32[] = constant value=0; %12:i32[] = constant value=3; %13:i32[] = constant value=1\n"
        "%14:i32[4] = constant value=1\n"
        "%15:i32[4] = for %11 %12 %13 %10 { (%20:i32[] %21:i32[4])\n"
        "  %22:i32[4] = for %11 %12 %13 %21 { (%30:i32[] %31:i32[4])\n"
        "     %32:i32[4] = add %31 %14; yield %32 }\n"
        "  %23:i32[4] = add %22 %14\n"
        "  yield %23 }\n"
        "store %2 %15 [0:4]\n",
        NAMED({"x", x}, {"o", want}));
}

/* ---- groups that are full ---- */

enum { DAG_NODES = 700, DAG_LANES = 64 };

static unsigned dice(uint64_t *state, unsigned n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33) % n;
}

/* Hundreds of pending ops that use one another near and far; some are stored on the way and used again
 * after the memory has been overwritten. */
static void check_dag(uint64_t seed, unsigned reach, unsigned stores)
{
    static int32_t x[DAG_LANES], v[DAG_NODES][DAG_LANES], o[DAG_LANES], p[DAG_LANES];
    tg_text text = {0};
    uint64_t state = seed;
    tg_text_put(&text, "input x i32[64]\noutput o i32[64]\noutput p i32[64]\nbody\n"
                       "%10:i32[64] = load %1 [0:64]\n");
    for (int i = 0; i < DAG_LANES; i++) v[0][i] = x[i] = 3 * i - 40;
    for (unsigned k = 1; k < DAG_NODES; k++) {
        unsigned near = k < reach ? k : reach, a = k - 1 - dice(&state, near),
                 b = dice(&state, 4) ? a : dice(&state, k);
        if (dice(&state, 3) == 0) a = k - 1;
        bool subtracts = dice(&state, 2) != 0;
        tg_text_add(&text, "%%%u:i32[64] = %s %%%u %%%u\n", 10 + k, subtracts ? "sub" : "add",
                    10 + a, 10 + b);
        for (int i = 0; i < DAG_LANES; i++)
            v[k][i] = (int32_t)(subtracts ? (uint32_t)v[a][i] - (uint32_t)v[b][i]
                                          : (uint32_t)v[a][i] + (uint32_t)v[b][i]);
        if (dice(&state, stores) == 0 || k == DAG_NODES - 2) {
            unsigned stored = k - dice(&state, k < 300 ? k : 300);
            tg_text_add(&text, "store %%2 %%%u [0:64]\n", 10 + stored);
            memcpy(o, v[stored], sizeof o);
        }
    }
    tg_text_add(&text, "store %%3 %%%d [0:64]\n", 10 + DAG_NODES - 1);
    memcpy(p, v[DAG_NODES - 1], sizeof p);
    char *whole = tg_text_finish(&text);
    tg_module *module = load_kernel(whole);
    run_in(module, NAMED({"x", x}, {"o", o}, {"p", p}), (tg_run_options){.order = "sequential"}, 0,
           "dag");
    tg_module_free(module);
    free(whole);
}

Test(plan, full_groups)
{
    static const unsigned reaches[] = {2, 10, 60, 190, 400};
    for (uint64_t seed = 0; seed < 40; seed++)
        check_dag(seed, reaches[seed % 5], seed % 2 ? 60 : 150);
}

/* A value is needed by the near and by the far end of what fills a group; it is then stored, the memory is
 * overwritten, and it is wanted once more. */
Test(plan, value_at_both_ends_of_a_full_group)
{
    static int32_t x[64], sum[64], last[64], late[64];
    tg_text text = {0};
    tg_text_put(
        &text,
        "input x i32[64]\noutput sum i32[64]\noutput last i32[64]\noutput late i32[64]\nbody\n"
        "%10:i32[64] = load %1 [0:64]\n"
        "%11:i32[64] = square %10\n"
        "%12:i32[64] = add %11 %10; %13:i32[64] = sub %11 %10; %14:i32[64] = xor %12 %13\n"
        "%15:i32[64] = add %14 %10\n");
    for (int k = 0; k < 260; k++)
        tg_text_add(&text, "%%%d:i32[64] = add %%%d %%10\n", 16 + k, 15 + k);
    tg_text_put(&text, "%300:i32[64] = add %14 %275\n"
                       "store %2 %300 [0:64]\n"
                       "store %3 %11 [0:64]\n"
                       "%301:i32[64] = neg %10\n"
                       "store %3 %301 [0:64]\n"
                       "%302:i32[64] = add %11 %10\n"
                       "store %4 %302 [0:64]\n");
    for (int i = 0; i < 64; i++) {
        x[i] = i - 20;
        int32_t mixed = (x[i] * x[i] + x[i]) ^ (x[i] * x[i] - x[i]);
        sum[i] = 2 * mixed + 261 * x[i];
        last[i] = -x[i];
        late[i] = x[i] * x[i] + x[i];
    }
    char *whole = tg_text_finish(&text);
    expect(whole, NAMED({"x", x}, {"sum", sum}, {"last", last}, {"late", late}));
    free(whole);
}

/* ---- loops and what they carry ---- */

enum { WIDE = 300 }; /* elements: enough for carries to exchange memory instead of being copied */

/* Runs `text` with x = 0, 1, 2, ... and expects o to be what `f` makes of it. */
static void expect_of_iota(const char *text, int count, int (*f)(int))
{
    static int32_t x[4 * WIDE], o[4 * WIDE];
    for (int i = 0; i < count; i++) {
        x[i] = i;
        o[i] = f(i);
    }
    expect(text, NAMED({"x", x}, {"o", o}));
}

static int swapped_odd(int i) { return 1000 * -i + i; }
static int swapped_even(int i) { return 1000 * i - i; }

static void check_swap(int trips, int (*f)(int))
{
    char text[1024];
    snprintf(text, sizeof text,
             "input x i32[300]\noutput o i32[300]\nbody\n"
             "%%10:i32[300] = load %%1 [0:300]; %%11:i32[300] = neg %%10\n"
             "%%12:i32[] = constant value=0; %%13:i32[] = constant value=%d; %%14:i32[] = constant "
             "value=1\n"
             "%%15:i32[300] %%16:i32[300] = for %%12 %%13 %%14 %%10 %%11 {\n"
             "  (%%20:i32[] %%21:i32[300] %%22:i32[300]) yield %%22 %%21 }\n"
             "%%17:i32[300] = constant value=1000; %%18:i32[300] = mul %%15 %%17; %%19:i32[300] = "
             "add %%18 %%16\n"
             "store %%2 %%19 [0:300]\n",
             trips);
    expect_of_iota(text, WIDE, f);
}

Test(plan, carries_swap)
{
    check_swap(0, swapped_even);
    check_swap(1, swapped_odd);
    check_swap(2, swapped_even);
    check_swap(7, swapped_odd);
}

static int turned(int i) { return (14 - i % 15) * 20 + i / 15; }

/* The carry becomes a view of itself, and of the other one. */
Test(plan, carries_are_views_of_carries)
{
    expect_of_iota(
        "input x i32[15,20]\noutput o i32[20,15]\nbody\n"
        "%10:i32[15,20] = load %1 [0:15,0:20]\n"
        "%11:i32[20,15] = reshape %10\n"
        "%12:i32[] = constant value=0; %13:i32[] = constant value=1\n"
        "%15:i32[15,20] %16:i32[20,15] = for %12 %13 %13 %10 %11 {\n"
        "  (%20:i32[] %21:i32[15,20] %22:i32[20,15])\n"
        "  %23:i32[20,15] = transpose %21 permutation=[1,0]; %24:i32[20,15] = rev %23 axes=[1]\n"
        "  %25:i32[15,20] = transpose %22 permutation=[1,0]; yield %25 %24 }\n"
        "store %2 %16 [0:20,0:15]\n",
        WIDE, turned);
}

static int doubled_and_kept(int i) { return i * 16 + i + 3; }

/* One carry never changes, two get the same value, one gets the counter. */
Test(plan, carries_stay_and_coincide)
{
    expect_of_iota(
        "input x i32[300]\noutput o i32[300]\nbody\n"
        "%10:i32[300] = load %1 [0:300]\n"
        "%12:i32[] = constant value=0; %13:i32[] = constant value=4; %14:i32[] = constant value=1\n"
        "%15:i32[300] %16:i32[300] %17:i32[300] %18:i32[] = for %12 %13 %14 %10 %10 %10 %12 {\n"
        "  (%20:i32[] %21:i32[300] %22:i32[300] %23:i32[300] %24:i32[])\n"
        "  %25:i32[300] = add %22 %23; yield %21 %25 %25 %20 }\n"
        "%30:i32[300] = max %16 %17; %31:i32[300] = add %30 %15\n"
        "%32:i32[300] = broadcast_in_dim %18 dims=[]; %33:i32[300] = add %31 %32\n"
        "store %2 %33 [0:300]\n",
        WIDE, doubled_and_kept);
}

static int nested_exchange(int i)
{
    int a = i, b = -i;
    for (int outer = 0; outer < 3; outer++) {
        int c = a, d = b;
        for (int inner = 0; inner < outer; inner++) {
            int next = c + d;
            d = c;
            c = next;
        }
        a = d;
        b = c + 1;
    }
    return a * 7 + b;
}

/* Loops in a loop exchange blocks, which the outer one exchanges again; the inner one runs 0, 1, 2 times. */
Test(plan, nested_loops_exchange_blocks)
{
    expect_of_iota(
        "input x i32[300]\noutput o i32[300]\nbody\n"
        "%10:i32[300] = load %1 [0:300]; %11:i32[300] = neg %10\n"
        "%12:i32[] = constant value=0; %13:i32[] = constant value=3; %14:i32[] = constant value=1\n"
        "%15:i32[300] %16:i32[300] = for %12 %13 %14 %10 %11 {\n"
        "  (%20:i32[] %21:i32[300] %22:i32[300])\n"
        "  %23:i32[300] %24:i32[300] = for %12 %20 %14 %21 %22 {\n"
        "    (%30:i32[] %31:i32[300] %32:i32[300])\n"
        "    %33:i32[300] = add %31 %32; yield %33 %31 }\n"
        "  %25:i32[300] = constant value=1; %26:i32[300] = add %23 %25; yield %24 %26 }\n"
        "%40:i32[300] = constant value=7; %41:i32[300] = mul %15 %40; %42:i32[300] = add %41 %16\n"
        "store %2 %42 [0:300]\n",
        WIDE, nested_exchange);
}

static int many(int i)
{
    int sum = 0;
    for (int k = 0; k < 20; k++) sum += (i + k) * (k + 1) * (k + 1);
    return sum;
}

/* More pending carries than one group takes as roots. */
Test(plan, many_carries)
{
    tg_text text = {0};
    tg_text_put(&text, "input x i32[70]\noutput o i32[70]\nbody\n%10:i32[70] = load %1 [0:70]\n"
                       "%11:i32[] = constant value=0; %12:i32[] = constant value=2; %13:i32[] = "
                       "constant value=1\n");
    for (int k = 0; k < 20; k++)
        tg_text_add(&text, "%%%d:i32[70] = constant value=%d; %%%d:i32[70] = add %%10 %%%d\n",
                    100 + k, k, 200 + k, 100 + k);
    for (int k = 0; k < 20; k++) tg_text_add(&text, "%%%d:i32[70] ", 300 + k);
    tg_text_put(&text, "= for %11 %12 %13");
    for (int k = 0; k < 20; k++) tg_text_add(&text, " %%%d", 200 + k);
    tg_text_put(&text, " { (%20:i32[]");
    for (int k = 0; k < 20; k++) tg_text_add(&text, " %%%d:i32[70]", 400 + k);
    tg_text_put(&text, ")\n");
    for (int k = 0; k < 20; k++)
        tg_text_add(&text, "%%%d:i32[70] = constant value=%d; %%%d:i32[70] = mul %%%d %%%d\n",
                    500 + k, k + 1, 600 + k, 500 + k, 400 + k);
    tg_text_put(&text, "yield");
    for (int k = 0; k < 20; k++) tg_text_add(&text, " %%%d", 600 + k);
    tg_text_put(&text, " }\n%700:i32[70] = constant value=0\n");
    for (int k = 0; k < 20; k++)
        tg_text_add(&text, "%%%d:i32[70] = add %%%d %%%d\n", 701 + k, 700 + k, 300 + k);
    tg_text_put(&text, "store %2 %720 [0:70]\n");
    char *whole = tg_text_finish(&text);
    expect_of_iota(whole, 70, many);
    free(whole);
}

/* Counters at the ends of their types; nothing wraps around. */
static void check_counter(const char *dtype, const char *lower, const char *upper, const char *step,
                          int trips)
{
    char text[1024];
    int32_t o[1] = {trips};
    snprintf(text, sizeof text,
             "output o i32[1]\nbody\n"
             "%%10:%1$s[] = constant value='%2$s'; %%11:%1$s[] = constant value='%3$s'; "
             "%%12:%1$s[] = constant value='%4$s'\n"
             "%%13:i32[1] = constant value=0; %%14:i32[1] = constant value=1\n"
             "%%15:i32[1] = for %%10 %%11 %%12 %%13 { (%%20:%1$s[] %%21:i32[1]) %%22:i32[1] = add "
             "%%21 %%14; yield %%22 }\n"
             "store %%1 %%15 [0:1]\n",
             dtype, lower, upper, step);
    expect(text, NAMED({"o", o}));
}

Test(plan, counters)
{
    check_counter("i32", "0", "0", "1", 0);
    check_counter("i32", "5", "-5", "1", 0);
    check_counter("i32", "-3", "4", "2", 4);
    check_counter("i32", "2147483640", "2147483647", "5", 2);
    check_counter("i8", "120", "127", "100", 1);
    check_counter("u8", "250", "255", "2", 3);
    check_counter("i4", "-8", "7", "3", 5);
    check_counter("u4", "0", "15", "14", 2);
    check_counter("i64", "-9223372036854775808", "9223372036854775807", "4611686018427387904", 4);
    check_counter("u64", "9223372036854775808", "9223372036854775811", "1", 3);
    check_counter("u64", "18446744073709551610", "18446744073709551615", "2", 3);
}

static int untouched(int i) { return i; }

Test(plan, while_may_never_run)
{
    expect_of_iota(
        "input x i32[300]\noutput o i32[300]\nbody\n"
        "%10:i32[300] = load %1 [0:300]; %11:bool[] = constant value=false\n"
        "%12:i32[300] %13:bool[] = while %10 %11 { (%20:i32[300] %21:bool[]) yield %21 } {\n"
        "  (%22:i32[300] %23:bool[]) %24:i32[300] = neg %22; yield %24 %23 }\n"
        "store %2 %12 [0:300]\n",
        WIDE, untouched);
}

static int collatz(int i)
{
    int steps = 0;
    for (int n = 27; n != 1; n = n % 2 ? 3 * n + 1 : n / 2) steps++;
    return i + steps;
}

Test(plan, while_runs_long)
{
    expect_of_iota(
        "input x i32[300]\noutput o i32[300]\nbody\n"
        "%10:i32[300] = load %1 [0:300]; %11:i32[] = constant value=27; %12:i32[300] = constant "
        "value=1\n"
        "%13:i32[] = constant value=1; %14:i32[] = constant value=3; %15:i32[] = constant value=2\n"
        "%16:i32[] %17:i32[300] = while %11 %10 { (%20:i32[] %21:i32[300]) %22:bool[] = ne %20 "
        "%13; yield %22 } {\n"
        "  (%23:i32[] %24:i32[300])\n"
        "  %25:i32[] = and %23 %13; %26:i32[300] = add %24 %12\n"
        "  %27:i32[] = switch %25 { %28:i32[] = div %23 %15; yield %28 } {\n"
        "     %29:i32[] = mul %23 %14; %30:i32[] = add %29 %13; yield %30 }\n"
        "  yield %27 %26 }\n"
        "store %2 %17 [0:300]\n",
        WIDE, collatz);
}

/* ---- branches ---- */

/* Branch k of three, the last for everything outside; results that are computed, passed through, constant,
 * captured while pending, and the same twice. */
static void check_branch(int on, int taken)
{
    static int32_t x[WIDE], a[WIDE], b[WIDE], c[WIDE];
    char text[1024];
    for (int i = 0; i < WIDE; i++) {
        x[i] = i;
        a[i] = taken == 0 ? -i : taken == 1 ? i : i + 5;
        b[i] = taken == 0 ? i : taken == 1 ? 9 : (i + 5) * (i + 5);
        c[i] = taken == 0 ? i : taken == 1 ? i + 5 : (i + 5) * (i + 5);
    }
    snprintf(text, sizeof text,
             "input x i32[300]\noutput a i32[300]\noutput b i32[300]\noutput c i32[300]\nbody\n"
             "%%10:i32[300] = load %%1 [0:300]; %%11:i32[300] = constant value=5; %%12:i32[300] = "
             "add %%10 %%11\n"
             "%%13:i32[] = constant value=%d\n"
             "%%14:i32[300] %%15:i32[300] %%16:i32[300] = switch %%13 {\n"
             "  %%20:i32[300] = neg %%10; yield %%20 %%10 %%10 } {\n"
             "  %%21:i32[300] = constant value=9; yield %%10 %%21 %%12 } {\n"
             "  %%22:i32[300] = square %%12; yield %%12 %%22 %%22 }\n"
             "store %%2 %%14 [0:300]\nstore %%3 %%15 [0:300]\nstore %%4 %%16 [0:300]\n",
             on);
    expect(text, NAMED({"x", x}, {"a", a}, {"b", b}, {"c", c}));
}

Test(plan, branches)
{
    check_branch(0, 0);
    check_branch(1, 1);
    check_branch(2, 2);
    check_branch(3, 2);
    check_branch(-1, 2);
    check_branch(2147483647, 2);
}

static int both_branches(int i) { return i < 150 ? i * 2 : -i; }

/* Per program, and a bool: false is region 0. */
Test(plan, branches_differ_between_programs)
{
    expect_of_iota(
        "grid 30\ninput x i32[300] block b10 at i\noutput o i32[300] block b10 at i\nbody\n"
        "%10:i32[10] = load %1 [0:10]; %11:i32[] = program_id axis=0; %12:i32[] = constant "
        "value=15\n"
        "%13:bool[] = ge %11 %12\n"
        "%14:i32[10] = switch %13 { %20:i32[10] = add %10 %10; yield %20 } { %21:i32[10] = neg "
        "%10; yield %21 }\n"
        "store %2 %14 [0:10]\n",
        WIDE, both_branches);
}

static int deep(int i) { return i + 101; }

/* As deep as regions may nest, alternating loops, branches and scopes. */
Test(plan, deep_nesting)
{
    enum { DEPTH = 61 };
    tg_text text = {0};
    tg_text_put(&text, "input x i32[70]\noutput o i32[70]\nbody\n%100:i32[70] = load %1 [0:70]\n"
                       "%11:i32[] = constant value=0; %12:i32[] = constant value=1; %13:i32[70] = "
                       "constant value=1\n");
    for (int d = 0; d < DEPTH; d++) {
        int in = 100 + 3 * d;
        tg_text_add(&text, "%%%d:i32[70] = ", in + 1);
        if (d % 3 == 0)
            tg_text_add(&text, "for %%11 %%12 %%12 %%%d { (%%%d:i32[] %%%d:i32[70])\n", in,
                        1000 + d, in + 3);
        else
            tg_text_add(&text, "%s\n%%%d:i32[70] = add %%%d %%13\n",
                        d % 3 == 1 ? "switch %12 {" : "scoped {", in + 3, in);
    }
    for (int d = DEPTH; d-- > 0;) {
        int in = 100 + 3 * d;
        tg_text_add(&text, "%%%d:i32[70] = add %%%d %%13; yield %%%d }\n", 2000 + d,
                    d == DEPTH - 1 ? in + 3 : in + 4, 2000 + d);
    }
    tg_text_put(&text, "store %2 %101 [0:70]\n");
    char *whole = tg_text_finish(&text);
    expect_of_iota(whole, 70, deep);
    free(whole);
}

/* ---- scoped memory ---- */

static int scoped_turns(int i) { return i < 4 ? 30 + i : 0; }

/* Each turn of the loop gets undefined memory, whatever the last one left there. */
Test(plan, scoped_memory_is_fresh)
{
    expect_of_iota(
        "input x i32[4]\noutput o i32[4]\nbody\n"
        "%10:i32[4] = load %1 [0:4]; %11:i32[] = constant value=0; %12:i32[] = constant value=3; "
        "%13:i32[] = constant value=1\n"
        "%14:i32[4] = constant value=-2147483648; %15:i32[4] = constant value=10\n"
        "%16:i32[4] = for %11 %12 %13 %10 { (%20:i32[] %21:i32[4])\n"
        "  %22:i32[4] = scoped { (%30:ref<i32[4]> %31:ref<bf16[3]>)\n"
        "    %32:i32[4] = load %30 [0:4]; %33:bool[4] = eq %32 %14\n"
        "    %34:i32[4] = select %33 %32 %15\n"
        "    store %30 %21 [0:4]\n"
        "    %35:i32[4] = load %30 [0:4]; %36:bf16[3] = load %31 [0:3]; %37:bool[3] = ne %36 %36\n"
        "    %38:i32[3] = convert %37; %39:i32[] = reduce_min %38 axes=[0]\n"
        "    %40:i32[4] = broadcast_in_dim %39 dims=[]; %41:i32[4] = mul %34 %40\n"
        "    store %30 %34 [0:4]; store %31 %36 [0:3]\n"
        "    %42:i32[4] = add %35 %41; yield %42 }\n"
        "  yield %22 }\n"
        "store %2 %16 [0:4]\n",
        4, scoped_turns);
}

/* ---- nothing to do ---- */

Test(plan, empty_blocks)
{
    static const float total[1] = {0};
    static const int32_t count[3] = {7, 7, 7};
    expect(
        "input x f32[0]\ninput y f32[4,0,3]\noutput none f32[0]\noutput total f32[1]\noutput count "
        "i32[3]\nbody\n"
        "%10:f32[0] = load %1 [0:0]; %11:f32[0] = add %10 %10; %12:f32[0] = exp %11\n"
        "store %3 %12 [0:0]\n"
        "%13:f32[1] = constant value=0; %14:f32[1] = concatenate %12 %13 axis=0\n"
        "store %4 %14 [0:1]\n"
        "%15:f32[4,0,3] = load %2 [0:4,0:0,0:3]; %16:f32[4,3] = reduce_sum %15 axes=[1]\n"
        "%17:f32[3,0,4] = transpose %15 permutation=[2,1,0]; %18:f32[0] = reshape %17\n"
        "%19:i32[3] = constant value=7\n"
        "%20:i32[] = constant value=0; %21:i32[] = constant value=3; %22:i32[] = constant value=1\n"
        "%23:f32[0] %24:i32[3] = for %20 %21 %22 %18 %19 { (%30:i32[] %31:f32[0] %32:i32[3])\n"
        "  %33:f32[0] = neg %31; yield %33 %32 }\n"
        "store %3 %23 [0:0]\nstore %5 %24 [0:3]\n"
        "%40:f32[0,5] = constant value=1; %41:f32[5,0] = transpose %40 permutation=[1,0]\n"
        "%42:f32[5,5] = dot_general %41 %40 lhs_contract=[1] rhs_contract=[0] lhs_batch=[] "
        "rhs_batch=[]\n"
        "%43:f32[0] = slice %10 start=[0] stride=[1]; %44:f32[0] = rev %43 axes=[0]; %45:f32[0] = "
        "cumsum %44 axis=0\n"
        "store %3 %45 [0:0]\n",
        NAMED({"x", ""}, {"y", ""}, {"total", total}, {"count", count}));
}

static tg_status run_status(const char *text, char *message, size_t size)
{
    tg_module *module = load_kernel(text);
    arrays all = make_arrays(module, NAMED({NULL, NULL}));
    tg_errors *errors = tg_errors_new();
    tg_report *report = NULL;
    tg_status status = tg_run(module, NULL, all.list, all.count, NULL, &report, errors);
    snprintf(message, size, "%s", tg_errors_count(errors) ? tg_errors_get(errors, 0).message : "");
    tg_report_free(report);
    tg_errors_free(errors);
    free_arrays(&all);
    tg_module_free(module);
    return status;
}

/* What no machine can do is said with its place, unless nobody wants it. */
Test(plan, unsupported)
{
    char message[512];
    cr_assert_eq(
        run_status(
            "output o i32[2]\nbody\n%10:i32[2] = constant value=3; %11:i32[2] = pow %10 %10 loc=4\n"
            "store %1 %11 [0:2]\n",
            message, sizeof message),
        TG_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(message, "pow on i32"), "%s", message);
    cr_assert_not_null(strstr(message, "k.py:4"), "%s", message);
    cr_assert_eq(
        run_status(
            "output o i32[2]\nbody\n%10:i32[2] = constant value=3; %11:i32[2] = pow %10 %10 loc=4\n"
            "store %1 %10 [0:2]\n",
            message, sizeof message),
        TG_OK);
}

static void check_cases(int cases, tg_status wanted)
{
    tg_text text = {0};
    char message[512];
    tg_text_put(&text, "output o i32[40]\nbody\n%10:i32[40] = iota axis=0\n");
    for (int k = 0; k < cases; k++)
        tg_text_add(&text, "%%%d:i32[40] = constant value=%d\n", 20 + k, 2 * k);
    tg_text_put(&text, "%11:i32[40] = select %10");
    for (int k = 0; k < cases; k++) tg_text_add(&text, " %%%d", 20 + k);
    tg_text_put(&text, "\nstore %1 %11 [0:40]\n");
    char *whole = tg_text_finish(&text);
    if (wanted == TG_OK) {
        int32_t o[40];
        for (int i = 0; i < 40; i++) o[i] = 2 * (i < cases ? i : cases - 1);
        expect(whole, NAMED({"o", o}));
    } else {
        cr_assert_eq(run_status(whole, message, sizeof message), wanted);
        cr_assert_not_null(strstr(message, "32 operands"), "%s", message);
    }
    free(whole);
}

Test(plan, select_of_many_cases)
{
    check_cases(1, TG_OK);
    check_cases(3, TG_OK);
    check_cases(31, TG_OK);
    check_cases(32, TG_ERR_UNSUPPORTED);
}

/* ---- printing ---- */

static void append_text(void *context, const char *text)
{
    strncat(context, text, 3999 - strlen(context));
}

Test(plan, debug_print)
{
    static const char text[] =
        "grid 2\nbody\n"
        "%10:i32[] = program_id axis=0; %11:f32[2] = constant value=['0x1.8p+0','nan']\n"
        "%12:bool[2] = constant value=[true,false]; %13:i4[1] = constant value=-8; %14:u64[] = "
        "constant value='18446744073709551615'\n"
        "%15:f64[] = constant value='0x1.999999999999ap-4'; %16:f16[2,1] = constant "
        "value=['inf','-inf']\n"
        "%17:f32[0] = constant value=1; %18:f32[] = constant value='0x1.99999ap-4'; %19:f32[2] = "
        "rev %11 axes=[0]\n"
        "%20:f8e4m3fn[] = constant value='bits:ff'; %21:bf16[] = constant value=300\n"
        "debug_print %10 %11 %12 %13 %14 format='{{{}}} {} {} {} {}'\n"
        "debug_print %15 %16 %17 %18 %19 %20 %21 format='{}{} {} {} {} {} {}'\n"
        "debug_print format='%d%s'\n";
    static const char tail[] = " [1.5 nan] [ True False] [-8] 18446744073709551615\n"
                               "0.1[[ inf]\n [-inf]] [] 0.10000000149011612 [nan 1.5] nan 300.0\n"
                               "%d%s\n";
    char found[4000] = "", wanted[4000];
    tg_module *module = load_kernel(text);
    tg_run_options options = {.size = sizeof options, .print = append_text, .context = found};
    arrays none = {.count = 0};
    tg_report_free(run_once(module, &none, &options));
    snprintf(wanted, sizeof wanted, "{0}%s{1}%s", tail, tail);
    cr_assert_str_eq(found, wanted);
    options.print = NULL;
    tg_report_free(run_once(module, &none, &options));
    tg_module_free(module);
}

/* python/tests/test_print.py compares with JAX; this is what JAX's threads, which flush denormals, cannot show, and
 * what numpy takes for a block but JAX never makes. */
Test(plan, debug_print_as_numpy)
{
    static const struct {
        const char *type, *value, *attributes, *wanted;
    } cases[] = {
        {"f32[1]", "'0x1p-149'", "format='{}'", "[1.e-45]\n"},
        {"f32[]", "'0x1p-149'", "format='{!s}'", "1e-45\n"},
        {"f64[]", "'0x1p-1074'", "format='{}'", "5e-324\n"},
        {"f64[]", "'0x1p-44'", "format='{}'", "5.684341886080802e-14\n"},
        {"f64[]", "'0x1p-24'", "format='{!s}'", "5.960464477539063e-08\n"},
        {"f32[0,3]", "1", "format='{}'", "[]\n"},
        {"i32[3]", "[1,20,300]", "format='{}' print_width=8", "[  1\n  20\n 300]\n"},
        {"i32[2,3]", "[1,2,3,4,5,6]", "format='{}' print_threshold=5 print_edge_items=1",
         "[[1 ... 3]\n [4 ... 6]]\n"},
        {"f64[2]", "['0x1.5555555555555p-2','0x1p-20']",
         "format='{}' print_precision=3 print_suppress=true", "[0.333 0.   ]\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400], found[400] = "";
        snprintf(text, sizeof text, "body\n%%10:%s = constant value=%s\ndebug_print %%10 %s\n",
                 cases[i].type, cases[i].value, cases[i].attributes);
        tg_module *module = load_kernel(text);
        tg_run_options options = {.size = sizeof options, .print = append_text, .context = found};
        arrays none = {.count = 0};
        tg_report_free(run_once(module, &none, &options));
        cr_expect_str_eq(found, cases[i].wanted, "%s: %s", text, found);
        tg_module_free(module);
    }
}

/* One call after the other, whatever the order. */
static void count_lines(void *context, const char *text)
{
    int *lines = context;
    int before = *lines;
    for (volatile int i = 0; i < 50000; i++) (void)text;
    *lines = before + 1;
}

Test(plan, debug_print_from_threads)
{
    tg_module *module =
        load_kernel("grid 500\nbody\n%10:i32[] = program_id axis=0\ndebug_print %10 format='{}'\n");
    int lines = 0;
    tg_run_options options = {
        .size = sizeof options, .order = "parallel:4", .print = count_lines, .context = &lines};
    arrays none = {.count = 0};
    tg_report_free(run_once(module, &none, &options));
    cr_assert_eq(lines, 500, "%d", lines);
    tg_module_free(module);
}

Test(plan, sorting_too_long_rows_is_refused)
{
    tg_module *module = load_kernel("input x f32[]\noutput o f32[]\nbody\n%10:f32[] = load %1 []\n"
                                    "%11:f32[4294967296] = broadcast_in_dim %10 dims=[]\n"
                                    "%12:f32[4294967296] = sort %11 axis=0 keys=1 loc=4\n"
                                    "%13:f32[1] = slice %12 start=[0] stride=[1]\n"
                                    "%14:f32[] = reshape %13\nstore %2 %14 []\n");
    tg_errors *errors = tg_errors_new();
    cr_assert_null(tg_module_print(module, TG_TEXT_PLAN, errors));
    cr_assert_eq(tg_errors_get(errors, 0).status, TG_ERR_UNSUPPORTED);
    cr_assert_not_null(strstr(tg_errors_get(errors, 0).message, "sort (k.py:4)"));
    tg_errors_free(errors);
    tg_module_free(module);
}

/* Every kind of instruction has its line. */
Test(plan, text_of_a_plan)
{
    static const char *const words[] = {
        "group of 400",   "copy to",  "reduce reduce_sum",  "arg_reduce argmax",
        "scan cumsum",    "dot s",    "gather s",           "bitcast s",
        "scatter into",   "sort s",   "dynamic from",       "program_id s",
        "num_programs s", "view ref", "scope ref",          "load x",
        "target o",       "store o",  "atomic c",           "print \"{}\"",
        "exchange s",     "jump ",    "switch on",          "for_test s",
        "for_next s",     "map x",    "map o: 0 + 1*p0, 0", "end"};
    tg_module *module = load_kernel(
        "grid 2\nprefetch n i32[2]\n"
        "input x f32[40,16] block b20 b16 { (%900:i32[] %901:ref<i32[2]>) %902:i32[] = load %901 "
        "%900 [@]; %903:i32[] = constant value=0; yield %902 %903 }\n"
        "input y f32[16,20]\ninput c i32[4]\noutput o f32[40,20] block b20 b20 at i 0\nbody\n"
        "%10:f32[20,16] = load %2 [0:20,0:16]; %11:f32[16,20] = load %3 [0:16,0:20]\n"
        "%12:f32[20,20] = dot_general %10 %11 lhs_contract=[1] rhs_contract=[0] lhs_batch=[] "
        "rhs_batch=[]\n"
        "%13:f32[20] = reduce_sum %12 axes=[1]; %14:i32[20] = argmax %12 axis=1; %15:f32[20] = "
        "cumsum %13 axis=0\n"
        "%16:i32[] = program_id axis=0; %17:i32[] = num_programs axis=0; %18:i32[] = constant "
        "value=0\n"
        "%19:f32[10] = dynamic_slice %15 %16; %20:f32[20] = concatenate %19 %19 axis=0\n"
        "%21:f32[20,20] = broadcast_in_dim %20 dims=[0]; %22:f32[20,20] = add %21 %12\n"
        "%23:i32[20,1] = reshape %14\n"
        "%24:f32[20] = gather %13 %23 offset_dims=[] collapsed_dims=[0] start_index_map=[0] "
        "operand_batch=[] indices_batch=[] slice_sizes=[1] mode='clip'\n"
        "%70:f32[20] = scatter %24 %23 %13 offset_dims=[] collapsed_dims=[0] start_index_map=[0] "
        "operand_batch=[] indices_batch=[] mode='drop' combine='add'\n"
        "%71:f32[20] = sort %70 axis=0 keys=1\n"
        "%25:f16[20] = convert %71; %26:i16[20] = bitcast %25; %27:f32[20] = convert %26\n"
        "%28:f32[20,20] = broadcast_in_dim %27 dims=[1]\n"
        "%29:f32[20,20] %30:f32[20,20] = for %18 %17 %17 %22 %28 { (%40:i32[] %41:f32[20,20] "
        "%42:f32[20,20])\n"
        "  %43:f32[20,20] = add %41 %42; yield %43 %41 }\n"
        "%31:bool[] = lt %16 %17\n"
        "%32:f32[20,20] = switch %31 { yield %29 } { %50:f32[20,20] = neg %30; yield %50 }\n"
        "%33:i32[] = constant value=1; %34:i32[] = atomic_rmw %4 %33 %18 [@] kind='add'\n"
        "scoped { (%60:ref<f32[2]>) %61:ref<f32[]> = view %60 %18 [@]; %62:f32[] = load %61 []; "
        "debug_print %62 format='{}' }\n"
        "%35:f32[20,20] = exp %32\n"
        "store %5 %35 [0:20,0:20]\n");
    tg_errors *errors = tg_errors_new();
    char *plan = tg_module_print(module, TG_TEXT_PLAN, errors);
    show_errors(errors);
    cr_assert_not_null(plan);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cr_assert_not_null(strstr(plan, words[i]), "no %s in\n%s", words[i], plan);
    tg_text_free(plan);
    tg_errors_free(errors);
    tg_module_free(module);
}

/* ---- what is the same in every program ---- */

static bool plan_says(const char *text, const char *part)
{
    tg_module *module = load_kernel(text);
    char *plan = tg_module_print(module, TG_TEXT_PLAN, NULL);
    cr_assert_not_null(plan);
    const bool found = strstr(plan, part) != NULL;
    free(plan);
    tg_module_free(module);
    return found;
}

/* (x + i^2) * (i^2 summed), for i in 0..7: i^2 is needed again after others have come and gone. */
static const char squares_kept[] = "grid 4\n"
                                   "input x i32[32] block b8 at i\n"
                                   "output o i32[32] block b8 at i\n"
                                   "body\n"
                                   "%10:i32[8] = iota axis=0; %11:i32[8] = mul %10 %10\n"
                                   "%12:i32[] = reduce_sum %11 axes=[0]\n"
                                   "%13:i32[8] = load %1 [0:8]; %14:i32[8] = mul %13 %13\n"
                                   "%15:i32[] = reduce_max %14 axes=[0]\n"
                                   "%16:i32[8] = broadcast_in_dim %12 dims=[]\n"
                                   "%17:i32[8] = broadcast_in_dim %15 dims=[]\n"
                                   "%18:i32[8] = add %13 %11; %19:i32[8] = mul %18 %16\n"
                                   "%20:i32[8] = add %19 %17; store %2 %20 [0:8]\n";

Test(plan, constants_of_all_programs_are_computed_once)
{
    static int32_t x[32], o[32];
    for (int i = 0; i < 32; i++) x[i] = 7 * i - 50;
    for (int p = 0; p < 32; p += 8) {
        int32_t most = 0;
        for (int i = p; i < p + 8; i++) most = x[i] * x[i] > most ? x[i] * x[i] : most;
        for (int i = 0; i < 8; i++) o[p + i] = (x[p + i] + i * i) * 140 + most;
    }
    expect(squares_kept, NAMED({"x", x}, {"o", o}));
    cr_expect(plan_says(squares_kept, "group of 8 elements, 0 registers, once"));
}

/* A carry begins as a constant that is computed, and is another value in the next turn. */
static const char carried[] =
    "grid 2\n"
    "input x i32[16] block b8 at i\n"
    "output o i32[16] block b8 at i\n"
    "body\n"
    "%10:i32[8] = iota axis=0; %11:i32[8] = mul %10 %10; %12:i32[8] = load %1 [0:8]\n"
    "%20:i32[] = constant value=0; %21:i32[] = constant value=3; %22:i32[] = constant value=1\n"
    "%23:i32[8] = for %20 %21 %22 %11 { (%30:i32[] %31:i32[8])\n"
    "  %32:i32[8] = add %31 %12; yield %32 }\n"
    "store %2 %23 [0:8]\n";

Test(plan, carries_that_begin_as_constants_begin_so_in_every_program)
{
    static int32_t x[16], o[16];
    for (int i = 0; i < 16; i++) x[i] = 5 * i, o[i] = i % 8 * (i % 8) + 3 * x[i];
    expect(carried, NAMED({"x", x}, {"o", o}));
    cr_expect_not(plan_says(carried, "once"));
}
