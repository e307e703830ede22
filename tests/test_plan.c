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
    expect("input x i32[4]\n"
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
        unsigned near = k < reach ? k : reach, a = k - 1 - dice(&state, near), b = dice(&state, 4) ? a : dice(&state, k);
        if (dice(&state, 3) == 0) a = k - 1;
        bool subtracts = dice(&state, 2) != 0;
        tg_text_add(&text, "%%%u:i32[64] = %s %%%u %%%u\n", 10 + k, subtracts ? "sub" : "add", 10 + a, 10 + b);
        for (int i = 0; i < DAG_LANES; i++)
            v[k][i] = (int32_t)(subtracts ? (uint32_t)v[a][i] - (uint32_t)v[b][i] : (uint32_t)v[a][i] + (uint32_t)v[b][i]);
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
    run_in(module, NAMED({"x", x}, {"o", o}, {"p", p}), (tg_run_options){.order = "sequential"}, 0, "dag");
    tg_module_free(module);
    free(whole);
}

Test(plan, full_groups)
{
    static const unsigned reaches[] = {2, 10, 60, 190, 400};
    for (uint64_t seed = 0; seed < 40; seed++) check_dag(seed, reaches[seed % 5], seed % 2 ? 60 : 150);
}

/* A value is needed by the near and by the far end of what fills a group; it is then stored, the memory is
 * overwritten, and it is wanted once more. */
Test(plan, value_at_both_ends_of_a_full_group)
{
    static int32_t x[64], sum[64], last[64], late[64];
    tg_text text = {0};
    tg_text_put(&text, "input x i32[64]\noutput sum i32[64]\noutput last i32[64]\noutput late i32[64]\nbody\n"
                       "%10:i32[64] = load %1 [0:64]\n"
                       "%11:i32[64] = square %10\n"
                       "%12:i32[64] = add %11 %10; %13:i32[64] = sub %11 %10; %14:i32[64] = xor %12 %13\n"
                       "%15:i32[64] = add %14 %10\n");
    for (int k = 0; k < 260; k++) tg_text_add(&text, "%%%d:i32[64] = add %%%d %%10\n", 16 + k, 15 + k);
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
