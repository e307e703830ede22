/* The elements of operands become cells of registers in memory of the emulator, and cells of results elements.
 *
 * Where one instance of the text traps, the elements of that one are undefined, and a finding tells
 * it: therefore a part of the instances in which one traps is run once more, each by itself. */
#include "interp/exec/inline_ptx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "emulator/emulator.h"
#include "interp/blocks/copy.h"
#include "interp/state/fill.h"
#include "interp/state/found.h"
#include "interp/state/handlers.h"
#include "interp/state/operand.h"

enum {
    CELL = sizeof(uint64_t),
    PART = 256,           /* instances that run together */
    MOST_STEPS = 1 << 16, /* instructions of one warp */
    WARP = 32
};

/* One execution of the instruction. */
typedef struct work {
    tg_machine *m;
    const tg_inst *inst;
    const tg_inline_ptx *ptx;
    const tg_bound_ptx *bound;
    int64_t elements, instances;
    tg_emu_memory *memory;
    tg_inline_ptx_params params;
    uint64_t *operands, *results; /* cells */
} work;

static int64_t element_count(const tg_operand *o)
{
    int64_t count = 1;
    for (int d = 0; d < o->rank; d++) count *= o->shape[d];
    return count;
}

size_t tg_inline_ptx_workspace(const struct tg_inst_inline_ptx *inline_ptx)
{
    return 2 * (size_t)element_count(&inline_ptx->out[0]) * CELL;
}

/* ---- binding ---- */

tg_status tg_inline_ptx_bind(tg_launch *launch, const tg_inst *inst, tg_diags *diags)
{
    char problem[TG_INLINE_PTX_PROBLEM] = "";
    tg_bound_ptx *bound = tg_arena_take(&launch->arena, 1, sizeof *bound);
    if (!bound) return TG_ERR_NO_MEMORY;
    const tg_status status = tg_inline_ptx_load(inst->as.inline_ptx->ptx, &bound->entry, problem);
    if (status == TG_ERR_NO_MEMORY) return status;
    if (status != TG_OK)
        return tg_fail(diags, status, NULL, "kernel %s: inline_ptx: %s", launch->plan->kernel->name,
                       problem);
    bound->inst = inst;
    bound->next = launch->ptx;
    launch->ptx = bound;
    return TG_OK;
}

void tg_inline_ptx_unbind(tg_launch *launch)
{
    for (tg_bound_ptx *b = launch->ptx; b; b = b->next) tg_emu_module_free(b->entry.module);
    launch->ptx = NULL;
}

static const tg_bound_ptx *bound_of(const tg_launch *launch, const tg_inst *inst)
{
    const tg_bound_ptx *b = launch->ptx;
    while (b->inst != inst) b = b->next;
    return b;
}

/* ---- elements and cells ---- */

/* The cell with element `e` of a value; cells of a value are counted from its first register on. */
static uint64_t *cell_of(const work *w, uint64_t *cells, const tg_inline_ptx_value *value,
                         int64_t e, unsigned *shift)
{
    const int64_t instance = e / w->ptx->packed, in_instance = e % w->ptx->packed;
    *shift = (unsigned)(in_instance % value->each) * (unsigned)tg_dtypes[value->dtype].bits;
    return cells + (in_instance / value->each) * w->instances + instance;
}

static uint64_t all_bits(tg_dtype dtype) { return UINT64_MAX >> (64 - tg_dtypes[dtype].bits); }

static void put_operand(const work *w, const tg_operand *o, const tg_inline_ptx_value *value)
{
    const tg_elementwise *lanes = w->m->launch->elementwise;
    const size_t bytes = tg_dtypes[o->dtype].bytes;
    unsigned char *dense = w->m->extra, *memory = dense + (size_t)w->elements * CELL;
    uint64_t *cells =
        w->operands + (int64_t)(value->first - w->ptx->out_register_count) * w->instances;
    const tg_view view = tg_operand_view(w->m, o);
    int64_t stride[TG_MAX_RANK];
    tg_dense_strides(view.rank, view.shape, stride);
    tg_copy_view(dense, stride, &view, tg_carrier_bytes[tg_carrier_of(o->dtype)]);
    const void *carrier = dense;
    if (tg_elementwise_store(lanes, o->dtype))
        tg_elementwise_store(lanes, o->dtype)(memory, &carrier, 0, (size_t)w->elements, 0);
    else
        memory = dense;
    for (int64_t e = 0; e < w->elements; e++) {
        uint64_t bits = 0;
        unsigned shift;
        memcpy(&bits, memory + (size_t)e * bytes, bytes);
        uint64_t *cell = cell_of(w, cells, value, e, &shift);
        *cell |= (bits & all_bits(o->dtype)) << shift;
    }
}

static void take_result(const work *w, const tg_operand *o, const tg_inline_ptx_value *value)
{
    const tg_elementwise *lanes = w->m->launch->elementwise;
    const size_t bytes = tg_dtypes[o->dtype].bytes;
    unsigned char *memory = w->m->extra;
    uint64_t *cells = w->results + (int64_t)value->first * w->instances;
    void *to = tg_operand_at(w->m, o);
    for (int64_t e = 0; e < w->elements; e++) {
        unsigned shift;
        const uint64_t *cell = cell_of(w, cells, value, e, &shift); /* which sets the shift */
        const uint64_t bits = *cell >> shift & all_bits(o->dtype);
        memcpy(memory + (size_t)e * bytes, &bits, bytes);
    }
    const void *from = memory;
    if (tg_elementwise_load(lanes, o->dtype))
        tg_elementwise_load(lanes, o->dtype)(to, &from, 0, (size_t)w->elements, 0);
    else
        memcpy(to, memory, (size_t)w->elements * bytes);
}

/* ---- running ---- */

static void report(const work *w, int64_t instance, const tg_emu_trap *trap)
{
    const uint32_t first = w->bound->entry.first_line, last = w->bound->entry.last_line;
    char at[48] = "behind the text";
    if (trap->at.line >= first && trap->at.line <= last)
        snprintf(at, sizeof at, "line %" PRIu32 " of the text", trap->at.line - first + 1);
    tg_machine_found(w->m, TG_FINDING_INLINE_PTX_TRAP, w->inst, NULL,
                     "inline_ptx: %s: %s (%s, element %" PRId64 ")", tg_emu_trap_name(trap->kind),
                     trap->text, at, instance * w->ptx->packed);
}

static void spoil(const work *w, int64_t instance)
{
    for (uint32_t v = 0; v < w->ptx->out_count; v++)
        for (uint32_t i = 0; i < w->ptx->packed; i++) {
            const tg_inline_ptx_value *value = &w->ptx->values[v];
            uint64_t bits = 0;
            unsigned shift;
            tg_launch_fill_memory(w->m->launch, &bits, value->dtype, 1);
            uint64_t *cell = cell_of(w, w->results + (int64_t)value->first * w->instances, value,
                                     instance * w->ptx->packed + i, &shift);
            if (shift == 0) *cell = 0;
            *cell |= (bits & all_bits(value->dtype)) << shift;
        }
}

/* Runs instances; returns whether none traps. */
static bool run_part(work *w, int64_t first, int64_t end, tg_emu_result *result, tg_status *status)
{
    tg_diags diags = {0};
    w->params.first = (uint32_t)first;
    w->params.end = (uint32_t)end;
    const uint32_t threads = (uint32_t)(end - first);
    const tg_emu_launch launch = {.grid = {1, 1, 1},
                                  .block = {threads, 1, 1},
                                  .params = &w->params,
                                  .param_bytes = tg_emu_param_bytes(w->bound->entry.module, 0),
                                  .instruction_limit =
                                      (uint64_t)MOST_STEPS * ((threads + WARP - 1) / WARP)};
    *status = tg_emu_run(w->bound->entry.module, w->memory, &launch, result, &diags);
    tg_diags_free(&diags);
    return *status != TG_OK || !result->trapped;
}

static tg_status run_all(work *w)
{
    tg_emu_result result;
    tg_status status = TG_OK;
    for (int64_t first = 0; first < w->instances && status == TG_OK; first += PART) {
        const int64_t end = first + PART < w->instances ? first + PART : w->instances;
        if (run_part(w, first, end, &result, &status)) continue;
        for (int64_t i = first; i < end && status == TG_OK; i++) {
            if (run_part(w, i, i + 1, &result, &status)) continue;
            report(w, i, &result.trap);
            spoil(w, i);
        }
    }
    return status;
}

static uint64_t *take_cells(work *w, uint32_t registers, uint64_t *address)
{
    const size_t bytes = (size_t)registers * (size_t)w->instances * CELL;
    *address = tg_emu_alloc(w->memory, bytes ? bytes : CELL, CELL, NULL);
    return *address ? tg_emu_host(w->memory, *address, bytes ? bytes : CELL) : NULL;
}

static tg_status execute(work *w, const struct tg_inst_inline_ptx *i)
{
    const tg_inline_ptx *ptx = w->ptx;
    w->results = take_cells(w, ptx->out_register_count, &w->params.results);
    w->operands = take_cells(w, ptx->register_count - ptx->out_register_count, &w->params.operands);
    if (!w->results || !w->operands) return TG_ERR_NO_MEMORY;
    for (uint32_t v = 0; v < i->in_count; v++)
        put_operand(w, &i->in[v], &ptx->values[ptx->out_count + v]);
    TG_TRY(run_all(w));
    for (uint32_t v = 0; v < i->out_count; v++) take_result(w, &i->out[v], &ptx->values[v]);
    return TG_OK;
}

void tg_exec_inline_ptx(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_inline_ptx *i = inst->as.inline_ptx;
    work w = {.m = m, .inst = inst, .ptx = i->ptx, .bound = bound_of(m->launch, inst)};
    w.elements = element_count(&i->out[0]);
    w.instances = w.elements / w.ptx->packed;
    w.params.instances = (uint32_t)w.instances;
    if (w.elements == 0) return;
    w.memory = tg_emu_memory_new();
    if (!w.memory || execute(&w, i) != TG_OK) m->launch->findings->is_incomplete = true;
    tg_emu_memory_free(w.memory);
}
