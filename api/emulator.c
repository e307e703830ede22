/* PTX text on the emulator, for users. */
#include "tilegrind/emulator.h"

#include <stdlib.h>
#include <string.h>

#include "api/errors.h"
#include "base/text.h"
#include "emulator/emulator.h"

enum { ALIGNMENT = 256 }; /* as cuMemAlloc gives it */

/* ---- modules ---- */

tg_status tg_emulator_module_load(const char *text, size_t length, const char *name,
                                  tg_emulator_module **out, tg_errors *errors)
{
    tg_diags unwanted = {0};
    *out = NULL;
    const tg_status status =
        tg_emu_module_load(text, length, name, out, tg_api_diags(errors, &unwanted));
    tg_diags_free(&unwanted);
    return status;
}

void tg_emulator_module_free(tg_emulator_module *module) { tg_emu_module_free(module); }

size_t tg_emulator_entry_count(const tg_emulator_module *module)
{
    return tg_emu_entry_count(module);
}

const char *tg_emulator_entry_name(const tg_emulator_module *module, size_t entry)
{
    return tg_emu_entry_name(module, entry);
}

size_t tg_emulator_param_count(const tg_emulator_module *module, size_t entry)
{
    return tg_emu_param_count(module, entry);
}

tg_emulator_param_info tg_emulator_param(const tg_emulator_module *module, size_t entry,
                                         size_t param)
{
    const tg_emu_param p = tg_emu_param_at(module, entry, param);
    return (tg_emulator_param_info){.name = p.name, .type = p.type, .bytes = p.bytes};
}

/* ---- arguments ---- */

struct tg_emulator_outcome {
    tg_emu_result result;
    char text[1024]; /* of the trap */
    tg_text prints;
};

/* A launch in the making. */
typedef struct launching {
    tg_emulator_module *module;
    tg_emulator_launch launch;
    tg_text *prints; /* of the outcome */
    const tg_emulator_arg *args;
    size_t count;
    tg_emu_memory *memory;
    uint64_t *addresses;   /* of each argument in device memory; 0: it is there itself */
    unsigned char *params; /* as the entry gets them */
} launching;

static tg_status copy_in(launching *l, size_t i, const char *name, tg_diags *diags)
{
    const tg_emulator_arg *arg = &l->args[i];
    l->addresses[i] = tg_emu_alloc(l->memory, arg->bytes, ALIGNMENT, name);
    if (!l->addresses[i]) return tg_no_memory(diags);
    if (arg->bytes)
        memcpy(tg_emu_host(l->memory, l->addresses[i], arg->bytes), arg->data, arg->bytes);
    return TG_OK;
}

static tg_status put_memory(launching *l, size_t i, const tg_emu_param *param, tg_diags *diags)
{
    const tg_emulator_arg *arg = &l->args[i];
    if (param->bytes != sizeof(uint64_t))
        return tg_fail(diags, TG_ERR_USAGE, NULL, "parameter %s has %zu bytes and is no pointer",
                       param->name, param->bytes);
    if (arg->offset > arg->bytes)
        return tg_fail(diags, TG_ERR_USAGE, NULL,
                       "parameter %s points to byte %zu of a memory of %zu bytes", param->name,
                       arg->offset, arg->bytes);
    for (size_t k = 0; k < i && arg->bytes; k++)
        if (l->args[k].is_memory && l->args[k].data == arg->data && l->args[k].bytes == arg->bytes)
            l->addresses[i] = l->addresses[k];
    if (!l->addresses[i]) TG_TRY(copy_in(l, i, param->name, diags));
    for (size_t b = 0; b < sizeof(uint64_t); b++)
        l->params[param->offset + b] = (unsigned char)((l->addresses[i] + arg->offset) >> 8 * b);
    return TG_OK;
}

static tg_status put_args(launching *l, tg_diags *diags)
{
    const size_t entry = l->launch.entry, wanted = tg_emu_param_count(l->module, entry);
    if (l->count != wanted)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "%s has %zu parameters, and %zu are given",
                       tg_emu_entry_name(l->module, entry), wanted, l->count);
    l->memory = tg_emu_memory_new();
    l->addresses = calloc(l->count + 1, sizeof *l->addresses);
    l->params = calloc(tg_emu_param_bytes(l->module, entry) + 1, 1);
    if (!l->memory || !l->addresses || !l->params) return tg_no_memory(diags);
    for (size_t i = 0; i < l->count; i++) {
        const tg_emu_param param = tg_emu_param_at(l->module, entry, i);
        if (l->args[i].is_memory) {
            TG_TRY(put_memory(l, i, &param, diags));
            continue;
        }
        if (l->args[i].bytes != param.bytes)
            return tg_fail(diags, TG_ERR_USAGE, NULL, "parameter %s has %zu bytes, not %zu",
                           param.name, param.bytes, l->args[i].bytes);
        memcpy(l->params + param.offset, l->args[i].data, param.bytes);
    }
    return TG_OK;
}

/* Copies device memory back. */
static void fetch(const launching *l)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->addresses[i] && l->args[i].bytes)
            memcpy(l->args[i].data, tg_emu_host(l->memory, l->addresses[i], l->args[i].bytes),
                   l->args[i].bytes);
}

/* ---- launches ---- */

static int on_progress(void *context, uint64_t done, uint64_t total)
{
    const tg_emulator_launch *launch = &((const launching *)context)->launch;
    return launch->progress(launch->context, (int64_t)done, (int64_t)total);
}

static void on_print(void *context, const char *text, size_t length)
{
    tg_text_put_bytes(((const launching *)context)->prints, text, length);
}

static tg_status launch(launching *l, tg_emu_result *result, tg_diags *diags)
{
    const tg_emulator_launch *from = &l->launch;
    tg_emu_launch to = {.entry = from->entry,
                        .shared_bytes = from->shared_bytes,
                        .params = l->params,
                        .param_bytes = tg_emu_param_bytes(l->module, from->entry),
                        .seed = from->seed,
                        .races = !from->skip_races,
                        .cta_races = from->cta_races != 0,
                        .same_values = from->same_values != 0,
                        .arbitrary_registers = from->arbitrary_registers != 0,
                        .instruction_limit = from->instruction_limit,
                        .progress = from->progress ? on_progress : NULL,
                        .print = on_print,
                        .context = l};
    for (int d = 0; d < 3; d++) {
        to.grid[d] = from->grid[d] ? from->grid[d] : 1;
        to.block[d] = from->block[d] ? from->block[d] : 1;
    }
    TG_TRY(tg_emu_run(l->module, l->memory, &to, result, diags));
    if (l->prints->failed) return tg_no_memory(diags);
    fetch(l);
    return TG_OK;
}

static tg_status run(launching *l, tg_emulator_outcome *outcome, tg_diags *diags)
{
    if (l->launch.entry >= tg_emu_entry_count(l->module))
        return tg_fail(diags, TG_ERR_USAGE, NULL, "there is no entry %zu", l->launch.entry);
    TG_TRY(put_args(l, diags));
    l->prints = &outcome->prints;
    TG_TRY(launch(l, &outcome->result, diags));
    if (outcome->result.trapped)
        tg_emu_trap_print(l->module, l->launch.entry, &outcome->result.trap, outcome->text,
                          sizeof outcome->text);
    return TG_OK;
}

tg_status tg_emulator_module_run(tg_emulator_module *module, const tg_emulator_launch *launch,
                                 const tg_emulator_arg *args, size_t arg_count,
                                 tg_emulator_outcome **out, tg_errors *errors)
{
    tg_diags unwanted = {0}, *diags = tg_api_diags(errors, &unwanted);
    launching l = {.module = module, .args = args, .count = arg_count};
    tg_emulator_outcome *outcome = calloc(1, sizeof *outcome);
    memcpy(&l.launch, launch, launch->size < sizeof l.launch ? launch->size : sizeof l.launch);
    const tg_status status = outcome ? run(&l, outcome, diags) : tg_no_memory(diags);
    tg_emu_memory_free(l.memory);
    free(l.addresses);
    free(l.params);
    tg_diags_free(&unwanted);
    if (status != TG_OK) {
        tg_emulator_outcome_free(outcome);
        outcome = NULL;
    }
    *out = outcome;
    return status;
}

void tg_emulator_outcome_free(tg_emulator_outcome *outcome)
{
    if (outcome) tg_text_drop(&outcome->prints);
    free(outcome);
}

/* ---- outcomes ---- */

tg_emulator_counts tg_emulator_outcome_counts(const tg_emulator_outcome *outcome)
{
    const tg_emu_result *r = &outcome->result;
    return (tg_emulator_counts){.trapped = r->trapped,
                                .thread_instructions = (int64_t)r->thread_instructions,
                                .warp_instructions = (int64_t)r->warp_instructions,
                                .global_loads = (int64_t)r->global_loads,
                                .inexact = (int64_t)r->inexact};
}

static tg_emulator_place place_of(const tg_emu_place *place)
{
    tg_emulator_place out = {.line = place->line,
                             .column = place->column,
                             .source = place->source,
                             .source_line = place->source_line};
    memcpy(out.cta, place->ctaid, sizeof out.cta);
    memcpy(out.thread, place->tid, sizeof out.thread);
    return out;
}

tg_emulator_trap tg_emulator_outcome_trap(const tg_emulator_outcome *outcome)
{
    const tg_emu_trap *trap = &outcome->result.trap;
    tg_emulator_trap out = {0};
    if (!outcome->result.trapped) return out;
    out.kind = tg_emu_trap_name(trap->kind);
    out.message = trap->text;
    out.at = place_of(&trap->at);
    if (trap->has_other) out.other = place_of(&trap->other);
    out.has_address = trap->has_address;
    if (trap->has_address) out.address = trap->address;
    return out;
}

const char *tg_emulator_outcome_text(const tg_emulator_outcome *outcome) { return outcome->text; }

const char *tg_emulator_outcome_prints(const tg_emulator_outcome *outcome)
{
    return outcome->prints.data ? outcome->prints.data : "";
}
