/* Copies of values, and copies that combine their elements with those that are there, as PTX. */
#include "run_seeds.h"

/* ---- values ---- */

static const int32_t x[4] = {1, 2, 3, 4}, twice[4] = {2, 4, 6, 8};

Test(ptx_copies, values)
{
    const named *const list = NAMED({"x", x}, {"o", twice});
    check_equal(
        "input x i32[4]\noutput o i32[4]\nscratch s i32[4]\nscratch b barrier[] arrivals=1\n"
        "body\n%10:i32[4] = load %1 [0:4]; %11:i32[4] = add %10 %10\n"
        "dma_start %11 %3 %4; barrier_arrive %4; barrier_wait %4\n"
        "%20:i32[4] = load %3 [0:4]; store %2 %20 [0:4]\n",
        list);
    check_equal("input x i32[4]\noutput o i32[4]\nscratch c dma_sem[]\nbody\n"
                "%10:i32[4] = load %1 [0:4]; %11:i32[4] = add %10 %10\n"
                "dma_start %11 %2 %3; dma_wait %2 %3\n",
                list);
}

/* To another thread's tile, transposed. */
Test(ptx_copies, values_through_a_view)
{
    static const int32_t in[2][3] = {{1, 2, 3}, {4, 5, 6}}, o[3][2] = {{1, 4}, {2, 5}, {3, 6}};
    check_equal("grid 2t\ninput x i32[2,3]\noutput o i32[3,2]\nscratch s i32[3,2]\n"
                "scratch b barrier[] arrivals=1\nbody\n%10:i32[] = program_id axis=0\n"
                "switch %10 { %11:i32[2,3] = load %1 [0:2,0:3]\n"
                "%12:ref<i32[2,3]> = view_transpose %3 permutation=[1,0]\n"
                "dma_start %11 %12 %4; barrier_arrive %4 } { barrier_wait %4\n"
                "%20:i32[3,2] = load %3 [0:3,0:2]; store %2 %20 [0:3,0:2] }\n",
                NAMED({"x", in}, {"o", o}));
}

/* ---- copies that combine ---- */

#define COMBINES(kind)                                                                             \
    "grid 3\ninput x i32[3,4]\ninput y i32[4]\noutput o i32[4] alias=y\nscratch s i32[4]\nbody\n"  \
    "%5:i32[] = program_id axis=0; %6:i32[] = constant value=0\n"                                  \
    "%10:i32[4] = load %1 %5 [@,0:4]; store %4 %10 [0:4]; proxy_fence\n"                           \
    "dma_start %4 %3 kind='" kind "'; dma_commit; dma_wait_groups %6\n"

static const int32_t rows[3][4] = {{1, 2, 3, 4}, {5, 7, 9, 11}, {-1, 0, 6, 1}};
static const int32_t first[4] = {100, 200, 0, 3};

Test(ptx_copies, that_combine)
{
    static const struct {
        const char *kernel;
        int32_t o[4];
    } cases[] = {
        {COMBINES("add"), {105, 209, 18, 19}}, {COMBINES("max"), {100, 200, 9, 11}},
        {COMBINES("min"), {-1, 0, 0, 1}},      {COMBINES("xor"), {-97, 205, 12, 13}},
        {COMBINES("or"), {-1, 207, 15, 15}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_equal(cases[i].kernel, NAMED({"x", rows}, {"y", first}, {"o", cases[i].o}));
}

/* A value, and memory that may be the same; floats that are rounded to their type. */
Test(ptx_copies, that_combine_values_and_their_own_memory)
{
    static const uint16_t halves[4] = {0x3f80, 0x4000, 0x4040, 0xbf80}, /* bf16: 1 2 3 -1 */
        sums[4] = {0x4080, 0x4100, 0x4140, 0xc080};
    check_equal("input x bf16[4]\noutput o bf16[4] alias=x\nbody\n%5:i32[] = constant value=0\n"
                "%10:bf16[4] = load %1 [0:4]; dma_start %10 %2 kind='add'; dma_commit\n"
                "dma_wait_groups %5; proxy_fence; dma_start %2 %2 kind='add'; dma_commit\n"
                "dma_wait_groups %5\n",
                NAMED({"x", halves}, {"o", sums}));
}

/* What is outside the array is left out. */
Test(ptx_copies, that_combine_in_part)
{
    static const int32_t in[4] = {1, 2, 3, 4}, o[6] = {1, 2, 3, 4, 6, 8};
    static const int32_t start[6] = {1, 2, 3, 4, 5, 6};
    check_equal("input x i32[4]\ninput y i32[6]\noutput o i32[6] alias=y block b4 at 1\nbody\n"
                "%5:i32[] = constant value=0; dma_start %1 %3 kind='add'; dma_commit\n"
                "dma_wait_groups %5\n",
                NAMED({"x", in}, {"y", start}, {"o", o}));
}

Test(ptx_copies, that_combine_wider_elements)
{
    check_fails("input x u32[1,4]\nscratch s u8[4,4]\nbody\n%5:i32[] = constant value=0\n"
                "%6:ref<u32[1,4]> = view_bitcast %2; dma_start %1 %6 kind='add' loc=3; dma_commit\n"
                "dma_wait_groups %5\n",
                NAMED({"x", first}), TG_ERR_UNSUPPORTED,
                "an atomic on a reference that a bitcast has made wider: dma_start (k.py:3)");
}
