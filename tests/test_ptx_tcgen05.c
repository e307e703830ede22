/* Texts with tcgen05: what ptxas takes, and the sums of products whose k takes several instructions;
 * tests/test_ptx_tcgen05.py of the Python package runs many more. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */

#include "ptx_of_text.h"

/* A product of m x n x k that is stored by way of registers. */
static const char *kernel_of(const char *factor, const char *sum, int m, int n, int k)
{
    static char kernel[2048];
    snprintf(
        kernel, sizeof kernel,
        "input x %s[%d,%d]\ninput y %s[%d,%d]\noutput o %s[%d,%d]\nscratch a %s[%d,%d] space=tmem\n"
        "scratch r %s[%d,%d] space=registers\nscratch b barrier[1] arrivals=1\nbody\n"
        "%%10:i32[] = constant value=0; %%11:ref<barrier[]> = view %%6 %%10 [@]\n"
        "dot_start %%4 %%1 %%2 replaces=true; dot_arrive %%11; barrier_wait %%11\n"
        "dma_start %%4 %%5 registers='target'; %%12:%s[%d,%d] = load %%5 [0:%d,0:%d]\n"
        "store %%3 %%12 [0:%d,0:%d]\n",
        factor, m, k, factor, k, n, sum, m, n, sum, m, n, sum, m, n, sum, m, n, m, n, m, n);
    return kernel;
}

static char *text_of(const char *factor, const char *sum, int m, int n, int k,
                     const tg_ptx_options *options)
{
    return ptx_of_text(kernel_of(factor, sum, m, n, k), options);
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

/* A block names its own part of tensor memory by its coordinate, which may have been converted. */
Test(ptx_tcgen05, a_coordinate_that_was_converted)
{
    static const char kernel[] =
        "grid 1p 2t\ninput x f16[64,16]\ninput y f16[16,24]\noutput o f32[2,64,24]\n"
        "scratch a f32[2,64,24] space=tmem cluster=1\nscratch r f32[2,64,24] space=registers "
        "cluster=1\nscratch b barrier[2] arrivals=1 cluster=1\nbody\n"
        "%10:i32[] = program_id axis=1; %11:i64[] = convert %10\n"
        "%12:ref<barrier[]> = view %6 %10 [@]; %13:ref<f32[64,24]> = view %4 %11 [@,0:64,0:24]\n"
        "%14:ref<f32[64,24]> = view %5 %11 [@,0:64,0:24]\n"
        "dot_start %13 %1 %2 replaces=true; dot_arrive %12; barrier_wait %12\n"
        "dma_start %13 %14 registers='target'; %15:f32[64,24] = load %14 [0:64,0:24]\n"
        "store %3 %15 %10 [@,0:64,0:24]\n";
    const tg_ptx_options options = {.tensor_core = TG_TENSOR_CORE_SM100};
    char *text = ptx_of_text(kernel, &options);
    cr_expect(strstr(text, "tcgen05.mma.cta_group::1."));
    assemble(find_ptxas(), "sm_100a", text);
    free(text);
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

/* The first instruction along k takes the place of what is there, all others add to it. */
Test(ptx_tcgen05, several_instructions_along_k)
{
    enum { M = 64, N = 16, K = 96 };
    static int8_t x[M][K], y[K][N];
    static int32_t o[M][N];
    for (int i = 0; i < M * K; i++) x[i / K][i % K] = (int8_t)(i * 7 % 251 - 125);
    for (int i = 0; i < K * N; i++) y[i / N][i % N] = (int8_t)(i * 11 % 241 - 120);
    for (int i = 0; i < M * N * K; i++)
        o[i / (N * K)][i / K % N] += x[i / (N * K)][i % K] * y[i % K][i / K % N];
    tg_module *module = load_kernel(kernel_of("i8", "i32", M, N, K));
    static const char *const backends[] = {"cpu", "emulator", "emulator:1", "emulator:2"};
    for (size_t b = 0; b < sizeof backends / sizeof *backends; b++) {
        arrays all = make_arrays(module, NAMED({"x", x}, {"y", y}, {"o", o}));
        const tg_run_options options = {
            .size = sizeof options, .backend = backends[b], .tensor_core = "sm100"};
        tg_report *report = run_once(module, &all, &options);
        cr_expect_eq(tg_report_finding_count(report), 0, "%s", backends[b]);
        compare_arrays(&all, backends[b]);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}
