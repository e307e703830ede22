/* Texts with tcgen05: what ptxas takes, also of tf32, which no option of the command prints; tests/test_ptx_tcgen05.py
 * of the Python package runs them. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */

#include <unistd.h>

#include "find_ptxas.h"
#include "gpu_backend/kernel/kernel.h"
#include "lower/lower.h"
#include "run_text.h"

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
    tg_module *module = load_kernel(kernel);
    tg_diags diags = {0};
    tg_plan *plan;
    tg_ptx *ptx;
    cr_assert_eq(tg_plan_new(module, &module->kernels[0], &plan, &diags), TG_OK);
    cr_assert_eq(tg_ptx_emit(plan, options, &ptx, &diags), TG_OK, "%s",
                 diags.count ? diags.list[0].message : "");
    char *text = ptx->text;
    ptx->text = NULL;
    tg_ptx_free(ptx);
    tg_plan_free(plan);
    tg_module_free(module);
    tg_diags_free(&diags);
    return text;
}

static void assemble(const char *ptxas, const char *text)
{
    char path[] = "/tmp/tg_tcgen05_XXXXXX", command[300];
    const int file = mkstemp(path);
    cr_assert_geq(file, 0);
    FILE *const to = fdopen(file, "w");
    cr_assert_not_null(to);
    fputs(text, to);
    cr_assert_eq(fclose(to), 0);
    snprintf(command, sizeof command, "timeout 300 %s -O1 -arch=sm_100a -o /dev/null %s", ptxas,
             path);
    cr_expect_eq(system(command), 0, "%s", command);
    cr_assert_eq(unlink(path), 0);
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
        assemble(ptxas, text);
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
