/* What kernels as PTX lack: refused before anything runs, in the words of gpu_backend/emit/refusals.def. */
#include "gpu_backend/emit/refusal.h"
#include "base/text.h"
#include "tests/run_text.h"

/* `here` is what stands behind the words of the table. */
static void expect_refusal_of(tg_module *module, tg_run_options options, tg_ptx_refusal refusal,
                              const char *here)
{
    tg_errors *errors = tg_errors_new();
    tg_executable *exe;
    options.size = sizeof options;
    options.backend = "emulator";
    cr_assert_eq(tg_executable_new(module, NULL, &options, &exe, errors), TG_ERR_UNSUPPORTED);
    cr_assert_null(exe);
    const char *said = tg_errors_get(errors, 0).message;
    const char *what = strstr(said, tg_ptx_refusal_text(refusal));
    cr_assert_not_null(what, "%s", said);
    cr_assert_str_eq(what + strlen(tg_ptx_refusal_text(refusal)), here, "%s", said);
    tg_errors_free(errors);
    tg_module_free(module);
}

static void expect_refusal(const char *kernel, tg_run_options options, tg_ptx_refusal refusal,
                           const char *here)
{
    expect_refusal_of(load_kernel(kernel), options, refusal, here);
}

Test(ptx_refusals, atomics_on_pieces)
{
    expect_refusal("input x u8[4,2]\noutput o u8[4,2] alias=x\nbody\n"
                   "%10:ref<i32[1,2]> = view_bitcast %2; %11:i32[1,2] = constant value=1\n"
                   "%12:i32[1,2] = atomic_rmw %10 %11 [0:1,0:2] kind='add' loc=3\n",
                   (tg_run_options){0}, TG_PTX_REFUSES_PIECES, ": atomic_rmw (k.py:3)");
}

Test(ptx_refusals, blocks_that_are_too_large)
{
    expect_refusal("input x i8[65536,32768]\noutput o i8[65536,32768]\nbody\n"
                   "%10:i8[65536,32768] = load %1 [0:65536,0:32768] loc=4\n"
                   "store %2 %10 [0:65536,0:32768] loc=4\n",
                   (tg_run_options){0}, TG_PTX_REFUSES_ELEMENTS, ": 2147483648 (k.py:4)");
}

Test(ptx_refusals, stores_that_are_too_large)
{
    expect_refusal("output o i32[4]\nbody\n%10:i32[65536,32768] = constant value=0\n"
                   "store %1 %10 %10 [@] loc=6\n",
                   (tg_run_options){0}, TG_PTX_REFUSES_ELEMENTS, ": 2147483648 (k.py:6)");
}

Test(ptx_refusals, signals_to_other_chains)
{
    expect_refusal("grid 2\nscratch s sem[]\nbody\n%10:i32[] = constant value=1\n"
                   "semaphore_signal %1 %10 %10 loc=2\n",
                   (tg_run_options){0}, TG_PTX_REFUSES_CHAINS, ": semaphore_signal (k.py:2)");
}

Test(ptx_refusals, programs_that_take_over_others)
{
    expect_refusal("grid 2\nbody\n%10:i32[] = cancel_launch loc=2\n", (tg_run_options){0},
                   TG_PTX_REFUSES_CANCELLING, ": cancel_launch (k.py:2)");
}

Test(ptx_refusals, semaphores_that_all_chains_share)
{
    expect_refusal("grid 2\nscratch s sem[] shared\nbody\n%10:i32[] = constant value=1\n"
                   "semaphore_signal %1 %10 loc=2\n",
                   (tg_run_options){0}, TG_PTX_REFUSES_CHAINS, ": semaphore_signal (k.py:2)");
}

/* As JSON, since the short notation has no room for so many operands. */
Test(ptx_refusals, sorts_by_many_keys)
{
    enum { KEYS = 65 };
    tg_text text = {0};
    tg_module *module;
    tg_text_put(&text,
                "{\"tilegrind\":\"0.1\",\"kernels\":[{\"name\":\"k\",\"grid\":[],\"params\":[],"
                "\"body\":{\"args\":[],\"ops\":[{\"op\":\"constant\",\"out\":[{\"id\":10,"
                "\"type\":\"i32[4]\"}],\"value\":0},{\"op\":\"sort\",\"in\":[10");
    for (int i = 1; i < KEYS; i++) tg_text_put(&text, ",10");
    tg_text_put(&text, "],\"out\":[");
    for (int i = 0; i < KEYS; i++)
        tg_text_add(&text, "%s{\"id\":%d,\"type\":\"i32[4]\"}", i ? "," : "", 100 + i);
    tg_text_add(
        &text,
        "],\"axis\":0,\"keys\":%d},{\"op\":\"debug_print\",\"in\":[100],\"format\":\"{}\"}]}}]}",
        KEYS);
    char *json = tg_text_finish(&text);
    cr_assert_eq(tg_module_load_text(json, strlen(json), &module, NULL), TG_OK, "%s", json);
    expect_refusal_of(module, (tg_run_options){0}, TG_PTX_REFUSES_KEYS, ": 65 of them");
    free(json);
}

Test(ptx_refusals, compat)
{
    static const char nothing[] = "grid 1\nbody\n";
    expect_refusal(nothing, (tg_run_options){.compat = "jax"}, TG_PTX_REFUSES_COMPAT, "");
}

/* ---- sums of a tensor core ---- */

#define HOPPER ((tg_run_options){.tensor_core = "sm90"})
#define STARTED(grid, factor, sum)                                                                 \
    grid "input x " factor "[16,16]\nscratch s " sum "[16,16]\nbody\n%9:" sum                      \
         "[16,16] = constant value=1\nstore %2 %9 [0:16,0:16]\n"                                   \
         "dot_start %2 %1 %1 loc=5\n"

Test(ptx_refusals, products_that_no_unit_sums)
{
    static const char here[] = ": dot_start (k.py:5)";
    expect_refusal(STARTED("", "bf16", "bf16"), HOPPER, TG_PTX_REFUSES_TENSOR_CORE, here);
    /* teams of 64 threads */
    expect_refusal(STARTED("grid 1p 9t\n", "f16", "f32"), HOPPER, TG_PTX_REFUSES_TENSOR_CORE, here);
    expect_refusal(
        "input x f8e4m3fn[16,16]\noutput o f32[16,16]\nbody\n"
        "%9:f8e4m3fn[16,16] = load %1 [0:16,0:16]\n"
        "%10:f32[16,16] = dot_general %9 %9 lhs_contract=[1] rhs_contract=[0] lhs_batch=[] "
        "rhs_batch=[] loc=3\n"
        "store %2 %10 [0:16,0:16]\n",
        HOPPER, TG_PTX_REFUSES_TENSOR_CORE, ": dot_general (k.py:3)");
    expect_refusal(
        "grid 1p 2t\ninput x f16[16,16]\nscratch s f32[16,16]\nbody\n"
        "%9:f16[16,16] = load %1 [0:16,0:16]\n"
        "%10:f32[16,16] = dot_general %9 %9 lhs_contract=[1] rhs_contract=[0] lhs_batch=[] "
        "rhs_batch=[] loc=3\n"
        "store %2 %10 [0:16,0:16]\n",
        HOPPER, TG_PTX_REFUSES_TENSOR_CORE, ": dot_general (k.py:3)");
}
