/* PTX text run by the public interface: entries, arguments, outcomes, traps; and what it says of wrong calls. */
#include <criterion/criterion.h>
#include <string.h>

#include "tilegrind/emulator.h"

/* out[t] = in[t] * n, a thread each; `reach` reads beside `in`. */
static const char text[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry times(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
    ".reg .u32 %r<4>; .reg .u64 %rd<5>;\n"
    "ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4;\n"
    "add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r3, [%rd4]; mul.lo.u32 %r3, %r3, %r1;\n"
    "add.u64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r3; ret;\n}\n"
    ".visible .entry reach(.param .u64 in)\n{\n.reg .u32 %r<2>; .reg .u64 %rd<2>;\n"
    "ld.param.u64 %rd1, [in];\nld.global.u32 %r1, [%rd1+400]; ret;\n}\n"
    ".visible .entry clash(.param .u64 in)\n{\n.reg .u32 %r<2>; .reg .u64 %rd<2>;\n"
    "ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x;\nst.global.u32 [%rd1], %r1; ret;\n}\n"
    ".visible .entry spin()\n{\nL: bra L;\n}\n";

static tg_emulator_module *load(void)
{
    tg_emulator_module *module;
    tg_errors *errors = tg_errors_new();
    const tg_status status = tg_emulator_module_load(text, strlen(text), "k.ptx", &module, errors);
    cr_assert_eq(status, TG_OK, "%s",
                 tg_errors_count(errors) ? tg_errors_get(errors, 0).message : "");
    tg_errors_free(errors);
    return module;
}

Test(api_emulator, entries)
{
    tg_emulator_module *module = load();
    cr_assert_eq(tg_emulator_entry_count(module), 4);
    cr_assert_str_eq(tg_emulator_entry_name(module, 0), "times");
    cr_assert_eq(tg_emulator_param_count(module, 0), 3);
    const tg_emulator_param_info n = tg_emulator_param(module, 0, 2);
    cr_assert_str_eq(n.name, "n");
    cr_assert_str_eq(n.type, "u32");
    cr_assert_eq(n.bytes, 4);
    tg_emulator_module_free(module);
    tg_emulator_module_free(NULL);
}

Test(api_emulator, memory_is_copied_there_and_back)
{
    uint32_t in[] = {1, 2, 3, 4}, out[4] = {0}, n = 5;
    tg_emulator_module *module = load();
    tg_emulator_outcome *outcome;
    const tg_emulator_arg args[] = {
        {in, sizeof in, 1, 0}, {out, sizeof out, 1, 0}, {&n, sizeof n, 0, 0}};
    const tg_emulator_launch launch = {.size = sizeof launch, .block = {4, 0, 0}};
    cr_assert_eq(tg_emulator_module_run(module, &launch, args, 3, &outcome, NULL), TG_OK);
    cr_assert(out[0] == 5 && out[3] == 20 && in[3] == 4);
    const tg_emulator_counts counts = tg_emulator_outcome_counts(outcome);
    cr_assert_not(counts.trapped);
    cr_assert_eq(counts.global_loads, 4);
    cr_assert(counts.warp_instructions > 0);
    cr_assert_eq(counts.thread_instructions, 4 * counts.warp_instructions);
    cr_assert_eq(counts.inexact, 0);
    cr_assert_null(tg_emulator_outcome_trap(outcome).kind);
    cr_assert_str_eq(tg_emulator_outcome_text(outcome), "");
    tg_emulator_outcome_free(outcome);
    tg_emulator_outcome_free(NULL);
    tg_emulator_module_free(module);
}

Test(api_emulator, arguments_point_into_one_memory)
{
    uint32_t data[] = {1, 2, 3, 4, 5}, n = 10;
    tg_emulator_module *module = load();
    tg_emulator_outcome *outcome;
    tg_emulator_arg args[] = {
        {data, sizeof data, 1, 4}, {data, sizeof data, 1, 8}, {&n, sizeof n, 0, 0}};
    const tg_emulator_launch launch = {.size = sizeof launch, .block = {3, 1, 1}, .skip_races = 1};
    cr_assert_eq(tg_emulator_module_run(module, &launch, args, 3, &outcome, NULL), TG_OK);
    cr_assert_not(tg_emulator_outcome_counts(outcome).trapped);
    cr_assert(data[0] == 1 && data[1] == 2 && data[2] == 20 && data[3] == 30 && data[4] == 40);
    tg_emulator_outcome_free(outcome);
    args[1].offset = 12; /* of the last thread beyond it */
    cr_assert_eq(tg_emulator_module_run(module, &launch, args, 3, &outcome, NULL), TG_OK);
    cr_assert_str_eq(tg_emulator_outcome_trap(outcome).kind, "out-of-bounds");
    tg_emulator_outcome_free(outcome);
    tg_emulator_module_free(module);
}

Test(api_emulator, traps)
{
    uint32_t in[4] = {0};
    tg_emulator_module *module = load();
    tg_emulator_outcome *outcome;
    const tg_emulator_arg args[] = {{in, sizeof in, 1, 0}};
    const tg_emulator_launch launch = {.size = sizeof launch, .entry = 1};
    cr_assert_eq(tg_emulator_module_run(module, &launch, args, 1, &outcome, NULL), TG_OK);
    const tg_emulator_trap trap = tg_emulator_outcome_trap(outcome);
    cr_assert(tg_emulator_outcome_counts(outcome).trapped);
    cr_assert_str_eq(trap.kind, "out-of-bounds");
    cr_assert_not_null(strstr(trap.message, "offset 400 of in"), "%s", trap.message);
    cr_assert(trap.at.line > 0 && trap.at.column > 0 && trap.other.line == 0 && trap.has_address);
    cr_assert_null(trap.at.source);
    cr_assert_not_null(strstr(tg_emulator_outcome_text(outcome), "out-of-bounds"));
    tg_emulator_outcome_free(outcome);
    tg_emulator_module_free(module);
}

Test(api_emulator, races_tell_both_places)
{
    uint32_t in[4] = {0};
    tg_emulator_module *module = load();
    tg_emulator_outcome *outcome;
    const tg_emulator_arg args[] = {{in, sizeof in, 1, 0}};
    tg_emulator_launch launch = {.size = sizeof launch, .entry = 2, .block = {2, 1, 1}};
    cr_assert_eq(tg_emulator_module_run(module, &launch, args, 1, &outcome, NULL), TG_OK);
    const tg_emulator_trap trap = tg_emulator_outcome_trap(outcome);
    cr_assert_str_eq(trap.kind, "global-race");
    cr_assert(trap.at.thread[0] == 1 && trap.other.line == trap.at.line);
    tg_emulator_outcome_free(outcome);
    launch.skip_races = 1;
    cr_assert_eq(tg_emulator_module_run(module, &launch, args, 1, &outcome, NULL), TG_OK);
    cr_assert_not(tg_emulator_outcome_counts(outcome).trapped);
    tg_emulator_outcome_free(outcome);
    tg_emulator_module_free(module);
}

static void check_usage(const tg_emulator_launch *launch, const tg_emulator_arg *args, size_t count,
                        const char *part)
{
    tg_emulator_module *module = load();
    tg_emulator_outcome *outcome = (tg_emulator_outcome *)1;
    tg_errors *errors = tg_errors_new();
    cr_assert_eq(tg_emulator_module_run(module, launch, args, count, &outcome, errors),
                 TG_ERR_USAGE);
    cr_assert_null(outcome);
    cr_assert_eq(tg_errors_count(errors), 1);
    cr_assert_not_null(strstr(tg_errors_get(errors, 0).message, part), "%s",
                       tg_errors_get(errors, 0).message);
    tg_errors_free(errors);
    tg_emulator_module_free(module);
}

Test(api_emulator, launches_that_do_not_fit)
{
    uint64_t data = 0;
    const tg_emulator_arg good[] = {{&data, 8, 1, 0}, {&data, 8, 1, 0}, {&data, 4, 0, 0}},
                          pointer[] = {{&data, 8, 1, 0}, {&data, 8, 1, 0}, {&data, 4, 1, 0}},
                          beyond[] = {{&data, 8, 1, 9}, {&data, 8, 1, 0}, {&data, 4, 0, 0}},
                          wide[] = {{&data, 8, 1, 0}, {&data, 8, 1, 0}, {&data, 8, 0, 0}};
    tg_emulator_launch launch = {.size = sizeof launch};
    check_usage(&launch, good, 2, "times has 3 parameters, and 2 are given");
    check_usage(&launch, beyond, 3, "parameter in points to byte 9 of a memory of 8 bytes");
    check_usage(&launch, pointer, 3, "parameter n has 4 bytes and is no pointer");
    check_usage(&launch, wide, 3, "parameter n has 4 bytes, not 8");
    launch.block[0] = 1025;
    check_usage(&launch, good, 3, "");
    launch = (tg_emulator_launch){.size = sizeof launch, .entry = 4};
    check_usage(&launch, good, 3, "there is no entry 4");
}

static int stop(void *context, int64_t done, int64_t total)
{
    cr_assert(done == 0 && total == 6);
    ++*(int *)context;
    return 1;
}

Test(api_emulator, a_launch_is_stopped)
{
    int calls = 0;
    tg_emulator_module *module = load();
    tg_emulator_outcome *outcome = (tg_emulator_outcome *)1;
    const tg_emulator_launch launch = {
        .size = sizeof launch, .entry = 3, .grid = {2, 3, 0}, .progress = stop, .context = &calls};
    cr_assert_eq(tg_emulator_module_run(module, &launch, NULL, 0, &outcome, NULL), TG_ERR_STOPPED);
    cr_assert_null(outcome);
    cr_assert_eq(calls, 1);
    tg_emulator_module_free(module);
}

Test(api_emulator, texts_that_are_none)
{
    tg_emulator_module *module = (tg_emulator_module *)1;
    tg_errors *errors = tg_errors_new();
    cr_assert_eq(tg_emulator_module_load("ptx", 3, "k.ptx", &module, errors), TG_ERR_SYNTAX);
    cr_assert_null(module);
    cr_assert_str_eq(tg_errors_get(errors, 0).file, "k.ptx");
    tg_errors_free(errors);
    cr_assert_eq(tg_emulator_module_load("ptx", 3, NULL, &module, NULL), TG_ERR_SYNTAX);
}
