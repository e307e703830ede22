/* Texts with tcgen05: what ptxas takes, also of tf32, which no option of the command prints; tests/test_ptx_tcgen05.py
 * of the Python package runs them. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */

#include "ptx_of_text.h"

/* The text of a product of m x n x k that is stored by way of registers. */
static char *text_of(const char *factor, const char *sum, int m, int n, int k,
                     const tg_ptx_options *options)
{
    char kernel[2048];
    snprintf(
        kernel, sizeof kernel,
        "input x %s[%d,%d]\ninput y %s[%d,%d]\noutput o %s[%d,%d]\nscratch a %s[%d,%d] space=tmem\n"
        "scratch r %s[%d,%d] space=registers\nscratch b barrier[1] arrivals=1\nbody\n"
        "%%10:i32[] = constant value=0; %%11:ref<barrier[]> = view %%6 %%10 [@]\n"
        "dot_start %%4 %%1 %%2 replaces=true; dot_arrive %%11; barrier_wait %%11\n"
        "dma_start %%4 %%5 registers='target'; %%12:%s[%d,%d] = load %%5 [0:%d,0:%d]\n"
        "store %%3 %%12 [0:%d,0:%d]\n",
        factor, m, k, factor, k, n, sum, m, n, sum, m, n, sum, m, n, sum, m, n, m, n, m, n);
    return ptx_of_text(kernel, options);
}

Test(ptx_tcgen05, texts_are_taken_by_ptxas)
{
    static const struct {
        const char *factor, *sum, *kind;
        int m, n, k;
    } all[] = {
        {"f16", "f32", "f16", 128, 64, 48},       {"bf16", "f32", "f16", 64, 24, 16},
        {"f32", "f32", "tf32", 128, 256, 40},     {"f8e4m3fn", "f32", "f8f6f4", 128, 512, 64},
        {"f8e5m2", "f32", "f8f6f4", 64, 264, 96}, {"i8", "i32", "i8", 128, 48, 2048},
    };
    const char *const ptxas = find_ptxas();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char mma[64];
        const tg_ptx_options options = {.tensor_core = TG_TENSOR_CORE_SM100};
        char *text = text_of(all[i].factor, all[i].sum, all[i].m, all[i].n, all[i].k, &options);
        snprintf(mma, sizeof mma, "tcgen05.mma.cta_group::1.kind::%s ", all[i].kind);
        cr_expect(strstr(text, mma), "%s", all[i].factor);
        cr_expect(strstr(text, ".target sm_100a"));
        assemble(ptxas, "sm_100a", text);
        free(text);
    }
}

/* A text for another number of threads than whole warpgroups cannot reach all lanes. */
Test(ptx_tcgen05, threads_that_do_not_reach_all_lanes)
{
    static const struct {
        uint32_t threads;
        bool has;
    } all[] = {{0, true}, {32, false}, {64, false}, {128, true}, {192, false}, {256, true}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const tg_ptx_options options = {
            .target = "sm_100a", .is_fast = true, .threads = all[i].threads};
        char *text = text_of("f16", "f32", 128, 16, 16, &options);
        cr_expect_eq(strstr(text, "tcgen05") != NULL, all[i].has, "%u", all[i].threads);
        free(text);
    }
}
