#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "crosscheck/triton_ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/compare.h"
#include "tilegrind/emulator.h"

/* A launch of the case's PTX. */
typedef struct launching {
    const tg_case *c;
    tg_emulator_module *module;
    void **memory; /* of each input that the PTX gets as memory, and of each argument of zeros */
    tg_emulator_arg *args;
} launching;

/* ---- arguments ---- */

/* Memory of `bytes` bytes in `slot`, as those at `from`, or zeros. */
static tg_status take(launching *l, size_t slot, size_t bytes, const void *from)
{
    if (l->memory[slot]) return TG_OK;
    l->memory[slot] = calloc(bytes + 1, 1);
    if (!l->memory[slot]) return TG_ERR_NO_MEMORY;
    if (from && bytes) memcpy(l->memory[slot], from, bytes);
    return TG_OK;
}

static tg_status set_arg(launching *l, size_t i)
{
    static const uint64_t null = 0;
    const tg_case_ptx_arg *arg = &l->c->ptx->args[i];
    tg_emulator_arg *out = &l->args[i];
    const tg_tensor *input = &l->c->inputs[arg->param].tensor;
    const size_t slot = l->c->kernel->param_count + i, bytes = tg_tensor_bytes(&input->type);
    switch (arg->kind) {
    case TG_CASE_PTX_MEMORY:
        TG_TRY(take(l, arg->param, bytes, input->data));
        *out = (tg_emulator_arg){
            .data = l->memory[arg->param], .bytes = bytes, .is_memory = 1, .offset = arg->bytes};
        break;
    case TG_CASE_PTX_NUMBER: *out = (tg_emulator_arg){.data = input->data, .bytes = bytes}; break;
    case TG_CASE_PTX_ZEROS:
        TG_TRY(take(l, slot, arg->bytes ? arg->bytes : sizeof null, NULL));
        *out = (tg_emulator_arg){.data = l->memory[slot],
                                 .bytes = arg->bytes ? arg->bytes : sizeof null,
                                 .is_memory = arg->bytes > 0};
        break;
    }
    return TG_OK;
}

static tg_status set_args(launching *l)
{
    const size_t count = l->c->ptx->arg_count, params = l->c->kernel->param_count;
    l->memory = calloc(params + count + 1, sizeof *l->memory);
    l->args = calloc(count + 1, sizeof *l->args);
    if (!l->memory || !l->args) return TG_ERR_NO_MEMORY;
    for (size_t i = 0; i < count; i++) TG_TRY(set_arg(l, i));
    return TG_OK;
}

static void free_launching(launching *l)
{
    const size_t count = l->c->ptx->arg_count + l->c->kernel->param_count;
    for (size_t i = 0; l->memory && i < count; i++) free(l->memory[i]);
    free(l->memory);
    free(l->args);
    tg_emulator_module_free(l->module);
}

/* ---- what it leaves ---- */

/* The tensor of the interpreter that this input's memory should be like, and its name: the output
 * that takes it over, or the input itself. */
static const tg_tensor *wanted(const tg_case *c, const tg_case_run *first, uint32_t param,
                               const char **name)
{
    const tg_kernel *kernel = c->kernel;
    *name = kernel->params[param].name;
    for (uint32_t p = 0; p < kernel->param_count; p++) {
        const tg_param *other = &kernel->params[p];
        if (other->role != TG_ROLE_OUTPUT || other->alias != (int)param) continue;
        *name = other->name;
        for (size_t i = 0; i < first->outputs.count; i++)
            if (strcmp(first->outputs.list[i].name, other->name) == 0)
                return &first->outputs.list[i].tensor;
    }
    return &c->inputs[param].tensor;
}

static void compare_memory(const launching *l, const tg_case_run *first, tg_cross_outcome *out)
{
    for (uint32_t p = 0; p < l->c->kernel->param_count; p++) {
        if (!l->memory[p]) continue;
        const char *name;
        const tg_tensor *want = wanted(l->c, first, p, &name);
        const tg_tensor got = {.type = want->type, .data = l->memory[p]};
        tg_comparison found;
        char line[TG_COMPARISON_TEXT];
        if (tg_compare(&got, want, &l->c->compare, &found) == TG_OK && found.differing == 0)
            continue;
        const tg_cross_verdict verdict = found.agree ? TG_CROSS_WITHIN : TG_CROSS_DIFFERENT;
        if (verdict <= out->verdict) continue;
        out->verdict = verdict;
        snprintf(out->text, sizeof out->text, "memory %s: %s", name,
                 tg_comparison_print(&found, &got, want, line));
    }
}

/* As a line: the text for people has one for each place. */
static void tell_trap(const tg_emulator_outcome *outcome, tg_cross_outcome *out)
{
    out->verdict = TG_CROSS_DIFFERENT;
    snprintf(out->text, sizeof out->text, "%s", tg_emulator_outcome_text(outcome));
    size_t length = strlen(out->text);
    while (length > 0 && out->text[length - 1] == '\n') out->text[--length] = '\0';
    for (char *end; (end = strchr(out->text, '\n'));) {
        *end = ',';
        const size_t spaces = strspn(end + 1, " ");
        if (spaces > 1) memmove(end + 2, end + 1 + spaces, strlen(end + 1 + spaces) + 1);
    }
}

/* ---- running ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static tg_status launch(launching *l, uint64_t seed, const tg_case_run *first,
                        tg_cross_outcome *out, tg_errors *errors)
{
    const tg_case_ptx *ptx = l->c->ptx;
    const int64_t *grid = l->c->dynamic_grid; /* z, y, x */
    const tg_emulator_launch how = {
        .size = sizeof how,
        .grid = {(uint32_t)grid[2] * ptx->ctas, (uint32_t)grid[1], (uint32_t)grid[0]},
        .block = {ptx->threads, 1, 1},
        .shared_bytes = ptx->shared_bytes,
        .seed = seed,
        .same_values = 1,
        .arbitrary_registers = 1};
    tg_emulator_outcome *outcome;
    TG_TRY(tg_emulator_module_run(l->module, &how, l->args, ptx->arg_count, &outcome, errors));
    if (tg_emulator_outcome_counts(outcome).trapped)
        tell_trap(outcome, out);
    else
        compare_memory(l, first, out);
    tg_emulator_outcome_free(outcome);
    return TG_OK;
}

/* A grid without programs is none that can be launched, and changes nothing. */
static bool has_programs(const tg_case *c)
{
    for (size_t a = 0; a < c->dynamic_count; a++)
        if (c->dynamic_grid[a] == 0) return false;
    return true;
}

static tg_status run(launching *l, uint64_t seed, const tg_case_run *first, tg_cross_outcome *out,
                     tg_errors *errors)
{
    const tg_case_ptx *ptx = l->c->ptx;
    TG_TRY(tg_emulator_module_load(ptx->text, ptx->length, ptx->name, &l->module, errors));
    TG_TRY(set_args(l));
    const double start = now();
    const tg_status status = has_programs(l->c) ? launch(l, seed, first, out, errors) : TG_OK;
    out->seconds = now() - start;
    return status;
}

tg_status tg_triton_ptx_check(const tg_case *c, uint64_t seed, const tg_case_run *first,
                              tg_cross_outcome *out)
{
    launching l = {.c = c};
    if (!c->ptx) {
        out->verdict = TG_CROSS_REFUSED;
        out->status = TG_ERR_UNSUPPORTED;
        snprintf(out->text, sizeof out->text, "triton-ptx: the case has no \"ptx\"");
        return TG_OK;
    }
    tg_errors *errors = tg_errors_new();
    const tg_status status = errors ? run(&l, seed, first, out, errors) : TG_ERR_NO_MEMORY;
    if (status != TG_OK) {
        const size_t count = errors ? tg_errors_count(errors) : 0;
        out->status = status;
        out->verdict = status == TG_ERR_UNSUPPORTED ? TG_CROSS_REFUSED : TG_CROSS_FAILED;
        snprintf(out->text, sizeof out->text, "triton-ptx: %s%s%s", c->ptx->name,
                 count ? ":" : ": ",
                 count ? tg_errors_get(errors, 0).message : tg_status_text(status));
    }
    tg_errors_free(errors);
    free_launching(&l);
    return status == TG_ERR_NO_MEMORY ? status : TG_OK;
}
