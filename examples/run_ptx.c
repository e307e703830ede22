/* Runs PTX text on the CPU: a kernel that doubles integers, once as it should be and once with a thread too many.
 *
 *   run_ptx */
#include <stdio.h>
#include <string.h>

#include <tilegrind/emulator.h>

enum { COUNT = 8 };

static const char text[] = ".version 7.8\n"
                           ".target sm_80\n"
                           ".address_size 64\n"
                           ".visible .entry twice(.param .u64 x)\n"
                           "{\n"
                           "  .reg .u32 %r<3>;\n"
                           "  .reg .u64 %rd<3>;\n"
                           "  ld.param.u64 %rd1, [x];\n"
                           "  mov.u32 %r1, %tid.x;\n"
                           "  mul.wide.u32 %rd2, %r1, 4;\n"
                           "  add.u64 %rd2, %rd1, %rd2;\n"
                           "  ld.global.u32 %r2, [%rd2];\n"
                           "  add.u32 %r2, %r2, %r2;\n"
                           "  st.global.u32 [%rd2], %r2;\n"
                           "  ret;\n"
                           "}\n";

static tg_status launch(tg_emulator_module *module, uint32_t threads, tg_errors *errors)
{
    uint32_t x[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) x[i] = i;

    tg_emulator_arg args[] = {{.data = x, .bytes = sizeof x, .is_memory = 1}};
    tg_emulator_launch how = {.size = sizeof how, .block = {threads, 1, 1}};
    tg_emulator_outcome *outcome;
    tg_status status = tg_emulator_module_run(module, &how, args, 1, &outcome, errors);
    if (status != TG_OK) return status;
    if (tg_emulator_outcome_counts(outcome).trapped)
        printf("%s\n", tg_emulator_outcome_trap(outcome).kind);
    else
        printf("%u\n", (unsigned)x[COUNT - 1]);
    tg_emulator_outcome_free(outcome);
    return TG_OK;
}

int main(void)
{
    tg_errors *errors = tg_errors_new();
    tg_emulator_module *module;
    tg_status status = tg_emulator_module_load(text, strlen(text), "twice.ptx", &module, errors);
    if (status == TG_OK) status = launch(module, COUNT, errors);
    if (status == TG_OK) status = launch(module, COUNT + 1, errors);
    for (size_t i = 0; i < tg_errors_count(errors); i++)
        fprintf(stderr, "%s\n", tg_errors_get(errors, i).message);
    tg_emulator_module_free(module);
    tg_errors_free(errors);
    return tg_status_exit(status);
}
