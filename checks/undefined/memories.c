#include "checks/undefined/memories.h"

#include <stdlib.h>

/* ---- the memories ---- */

static void note_type(tg_shadow_memory *memory, const tg_type *type)
{
    const size_t bytes = tg_dtypes[type->dtype].bytes;
    *memory = (tg_shadow_memory){
        .bytes = tg_type_count(type) * (int64_t)bytes, .width = bytes, .dtype = type->dtype};
}

typedef struct noter {
    tg_undefined *all;
    tg_ref_id made; /* by the current instruction */
} noter;

static void note_viewed(void *context, tg_ref_use use, tg_ref_id ref, uint32_t root)
{
    const noter *n = context;
    (void)root;
    if (use == TG_REF_VIEWED) n->all->scope_of[n->made] = n->all->scope_of[ref];
}

/* Finds the numbers of scoped memories, and the refs that lead to them. */
static void number_scopes(tg_undefined *all, const tg_code *code)
{
    for (uint32_t i = 0; i < code->count; i++) {
        const tg_inst *inst = &code->list[i];
        noter n = {all, tg_inst_made_ref(inst)};
        tg_inst_refs(inst, note_viewed, &n);
        if (inst->kind != TG_I_SCOPE) continue;
        note_type(&all->scopes[all->scope_count], &inst->as.scope->type);
        all->scope_of[n.made] = all->scope_count++;
    }
}

static void note_width(void *context, tg_ref_use use, tg_ref_id ref, uint32_t root)
{
    tg_undefined *all = context;
    if (!(use & TG_REF_UPDATED)) return;
    tg_shadow_memory *memory = root == UINT32_MAX
                                   ? &all->scopes[all->scope_of[ref]]
                                   : &all->params[tg_param_owner(all->plan->kernel, root)];
    const size_t bytes = tg_dtypes[all->plan->ref_types[ref].dtype].bytes;
    if (bytes < memory->width) memory->width = bytes;
}

static void note_widths(tg_undefined *all, const tg_code *code)
{
    for (uint32_t i = 0; i < code->count; i++) tg_inst_refs(&code->list[i], note_width, all);
}

static void find_all(tg_undefined *all)
{
    const tg_plan *plan = all->plan;
    const tg_kernel *k = plan->kernel;
    for (uint32_t r = 0; r < plan->ref_count; r++) all->scope_of[r] = UINT32_MAX;
    for (uint32_t p = 0; p < k->param_count; p++) note_type(&all->params[p], &k->params[p].array);
    number_scopes(all, &plan->body);
    note_widths(all, &plan->body);
    for (uint32_t p = 0; p < k->param_count; p++) note_widths(all, &plan->mappings[p].code);
}

static uint32_t count_scopes(const tg_plan *plan)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->body.count; i++) count += plan->body.list[i].kind == TG_I_SCOPE;
    return count;
}

bool tg_shadow_memories_init(tg_undefined *all)
{
    const uint32_t params = all->plan->kernel->param_count;
    all->params = calloc(params + 1, sizeof *all->params);
    all->planes = calloc(params + 1, sizeof *all->planes);
    all->scope_of = calloc(all->plan->ref_count + 1, sizeof *all->scope_of);
    all->scopes = calloc(count_scopes(all->plan) + 1, sizeof *all->scopes);
    if (!all->params || !all->planes || !all->scope_of || !all->scopes) return false;
    find_all(all);
    return true;
}

void tg_shadow_memories_free(tg_undefined *all)
{
    for (uint32_t p = 0; all->planes && p < all->plan->kernel->param_count; p++)
        tg_plane_free(&all->planes[p]);
    free(all->params);
    free(all->planes);
    free(all->scope_of);
    free(all->scopes);
}

/* ---- initial shadows ---- */

/* Returns the undefined bytes of each place of fresh memory: 0 if the setting fills memory of that
 * dtype with zeros, or if the shadow is not about undefined values. */
static unsigned fresh_bytes(const tg_undefined *all, const tg_shadow_memory *memory)
{
    if (all->kind != TG_SHADOW_UNDEFINED) return 0;
    if (tg_setting_begins_zero(&all->setting, memory->dtype)) return 0;
    return (1U << memory->width) - 1;
}

static int64_t place_count(const tg_shadow_memory *memory)
{
    return memory->bytes / (int64_t)memory->width;
}

/* What is known of the bytes of an input; NULL: all of them are defined. */
static const tg_definedness *known_of(const tg_undefined *all, const tg_launch *launch, uint32_t p)
{
    if (all->kind != TG_SHADOW_UNDEFINED || !launch->undefined) return NULL;
    return launch->undefined[p].before ? &launch->undefined[p] : NULL;
}

/* The undefined bytes of the place that begins at `bytes`. */
static unsigned bits_of(const unsigned char *bytes, size_t width)
{
    unsigned bits = 0;
    for (size_t b = 0; b < width; b++) bits |= (bytes[b] != 0 ? 1U : 0U) << b;
    return bits;
}

static uint32_t set_word(void *context, uint32_t old, int64_t first, int64_t count)
{
    (void)old;
    (void)first;
    (void)count;
    return *(const uint32_t *)context;
}

/* Marks places run by run. */
static void take_over(tg_plane *plane, const tg_shadow_memory *memory, const unsigned char *bytes,
                      uint32_t trail)
{
    for (int64_t at = 0, end; at < plane->count; at = end) {
        const unsigned bits = bits_of(bytes + (size_t)at * memory->width, memory->width);
        for (end = at + 1; end < plane->count; end++)
            if (bits_of(bytes + (size_t)end * memory->width, memory->width) != bits) break;
        uint32_t word = tg_word(trail, bits);
        if (word) tg_plane_update(plane, at, end - at, set_word, &word);
    }
}

typedef struct teller {
    size_t width;
    unsigned char *after;
} teller;

static void tell_run(void *context, uint32_t word, int64_t first, int64_t count)
{
    const teller *t = context;
    for (int64_t at = first; at < first + count; at++)
        for (size_t b = 0; b < t->width; b++)
            t->after[(size_t)at * t->width + b] = tg_word_bytes(word) >> b & 1;
}

void tg_shadow_memories_tell(const tg_undefined *all, const tg_launch *launch)
{
    for (uint32_t p = 0; p < all->plan->kernel->param_count; p++) {
        const tg_definedness *known = known_of(all, launch, p);
        if (!known || !known->after || !all->planes[p].groups) continue;
        tg_plane_visit(&all->planes[p], 0, all->planes[p].count, tell_run,
                       &(teller){all->params[p].width, known->after});
    }
}

/* Sets up the memory of a param that programs write, or of which bytes are undefined: memory of an
 * output is undefined at first, unless it is also an input's. */
static bool begin_param(tg_undefined *all, const tg_launch *launch, uint32_t p)
{
    const tg_param *param = &all->plan->kernel->params[p];
    const tg_definedness *known = known_of(all, launch, p);
    tg_plane_free(&all->planes[p]);
    if (param->role == TG_ROLE_SCRATCH || param->alias >= 0) return true;
    const bool is_fresh = param->role == TG_ROLE_OUTPUT;
    if (!is_fresh && !known && !all->plan->is_written[p]) return true;
    uint32_t word = 0;
    if (is_fresh)
        word = tg_word(tg_trails_origin(&all->trails, TG_TRAIL_OUTPUT, p, NULL),
                       fresh_bytes(all, &all->params[p]));
    if (!tg_plane_init(&all->planes[p], place_count(&all->params[p]),
                       tg_plane_run_of(param, all->params[p].width), word))
        return false;
    if (known)
        take_over(&all->planes[p], &all->params[p], known->before,
                  tg_trails_origin(&all->trails, TG_TRAIL_INPUT, p, NULL));
    return true;
}

bool tg_shadow_memories_begin(tg_undefined *all, const tg_launch *launch)
{
    for (uint32_t p = 0; p < all->plan->kernel->param_count; p++)
        if (!begin_param(all, launch, p)) return false;
    return true;
}

static void init_plane(tg_shadow *s, tg_plane *plane, const tg_shadow_memory *memory,
                       uint32_t trail)
{
    tg_plane_free(plane);
    if (!tg_plane_init(plane, place_count(memory), 0, tg_word(trail, fresh_bytes(s->all, memory))))
        __atomic_store_n(&s->all->is_incomplete, true, __ATOMIC_RELAXED);
}

void tg_shadow_scratch(tg_machine *m)
{
    tg_shadow *s = tg_shadow_of(m);
    const tg_kernel *k = s->all->plan->kernel;
    if (m->chain->machine != m) return;
    for (uint32_t p = 0; p < k->param_count; p++)
        if (k->params[p].role == TG_ROLE_SCRATCH)
            init_plane(s, &s->scratch[p], &s->all->params[p],
                       tg_trails_origin(&s->all->trails, TG_TRAIL_SCRATCH, p, NULL));
}

void tg_shadow_scope(tg_machine *m, const tg_inst *inst)
{
    tg_shadow *s = tg_shadow_of(m);
    const uint32_t scope = s->all->scope_of[inst->as.scope->out];
    init_plane(s, &s->scoped[scope], &s->all->scopes[scope],
               tg_trails_origin(&s->all->trails, TG_TRAIL_SCOPED, UINT32_MAX, inst));
}
