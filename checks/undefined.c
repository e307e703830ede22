/* Undefined values: which elements depend on something that nothing defines, and where that matters; and likewise on arithmetic that
 * has gone wrong (tg_shadow_kind).
 *
 * Beside every element that a program computes or stores goes its *shadow*: which of its bytes are undefined, and the trail by which
 * they came to be so (checks/trails.h).  Each kind of instruction has an exact rule for the shadows of what it leaves
 * (docs/semantics.md).  A finding tells where an undefined element is kept in an output, decides a branch or a loop, or says
 * which memory is touched.
 *
 * Here is what machines share, the memories that may hold undefined elements, and the shadows of a machine. */
#include <stdlib.h>

#include "checks/undefined_impl.h"
#include "checks/checks.h"
#include "interp/machine.h"

/* ---- memories ---- */

static void note_type(tg_shadow_memory *memory, const tg_type *type)
{
    const size_t bytes = tg_dtypes[type->dtype].bytes;
    *memory = (tg_shadow_memory){
        .count = tg_type_count(type) * (int64_t)bytes, .width = bytes, .dtype = type->dtype};
}

typedef struct noter {
    tg_undefined *all;
    tg_ref_id made; /* by the instruction at hand */
} noter;

static void note_viewed(void *context, tg_ref_use use, tg_ref_id ref, uint32_t root)
{
    const noter *n = context;
    (void)root;
    if (use == TG_REF_VIEWED) n->all->scope_of[n->made] = n->all->scope_of[ref];
}

/* The numbers of scoped memories, and which refs lead to them. */
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

static void find_memories(tg_undefined *all)
{
    const tg_plan *plan = all->plan;
    const tg_kernel *k = plan->kernel;
    for (uint32_t r = 0; r < plan->ref_count; r++) all->scope_of[r] = UINT32_MAX;
    for (uint32_t p = 0; p < k->param_count; p++) note_type(&all->params[p], &k->params[p].array);
    number_scopes(all, &plan->body);
    note_widths(all, &plan->body);
    for (uint32_t p = 0; p < k->param_count; p++) note_widths(all, &plan->mappings[p].code);
    for (uint32_t p = 0; p < k->param_count; p++)
        all->params[p].count /= (int64_t)all->params[p].width;
    for (uint32_t s = 0; s < all->scope_count; s++)
        all->scopes[s].count /= (int64_t)all->scopes[s].width;
}

static uint32_t count_scopes(const tg_plan *plan)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->body.count; i++) count += plan->body.list[i].kind == TG_I_SCOPE;
    return count;
}

unsigned tg_fresh_bytes(const tg_undefined *all, const tg_shadow_memory *memory)
{
    if (all->kind != TG_SHADOW_UNDEFINED) return 0;
    if (tg_setting_begins_zero(&all->setting, memory->dtype)) return 0;
    return (1U << memory->width) - 1;
}

/* ---- life ---- */

static void free_undefined(void *state)
{
    tg_undefined *all = state;
    for (uint32_t p = 0; all->planes && p < all->plan->kernel->param_count; p++)
        tg_plane_free(&all->planes[p]);
    tg_trails_free(&all->trails);
    tg_arithmetic_free(&all->arithmetic);
    pthread_mutex_destroy(&all->planes_lock);
    free(all->params);
    free(all->planes);
    free(all->scope_of);
    free(all->scopes);
    free(all);
}

/* NULL without memory. */
static tg_undefined *new_undefined(const tg_launch *launch, tg_shadow_kind kind)
{
    const tg_plan *plan = launch->plan;
    tg_undefined *all = calloc(1, sizeof *all);
    const uint32_t params = plan->kernel->param_count;
    if (!all) return NULL;
    if (pthread_mutex_init(&all->planes_lock, NULL) != 0) {
        free(all);
        return NULL;
    }
    all->plan = plan;
    all->kind = kind;
    all->setting = launch->setting;
    all->params = calloc(params + 1, sizeof *all->params);
    all->planes = calloc(params + 1, sizeof *all->planes);
    all->scope_of = calloc(plan->ref_count + 1, sizeof *all->scope_of);
    all->scopes = calloc(count_scopes(plan) + 1, sizeof *all->scopes);
    const bool has_arithmetic =
        kind == TG_SHADOW_UNDEFINED || tg_arithmetic_init(&all->arithmetic, plan, kind);
    if (!tg_trails_init(&all->trails) || !has_arithmetic || !all->params || !all->planes ||
        !all->scope_of || !all->scopes) {
        free_undefined(all);
        return NULL;
    }
    find_memories(all);
    return all;
}

/* Memory of the params that programs write: an output's is undefined at first, unless it is an input's as well. */
static bool begin_param(tg_undefined *all, uint32_t p)
{
    const tg_param *param = &all->plan->kernel->params[p];
    tg_plane_free(&all->planes[p]);
    if (param->role == TG_ROLE_SCRATCH || param->alias >= 0) return true;
    const bool is_fresh = param->role == TG_ROLE_OUTPUT;
    if (!is_fresh && !all->plan->is_written[p]) return true;
    uint32_t word = 0;
    if (is_fresh)
        word = tg_word(tg_trails_origin(&all->trails, TG_TRAIL_OUTPUT, p, NULL),
                       tg_fresh_bytes(all, &all->params[p]));
    return tg_plane_init(&all->planes[p], all->params[p].count,
                         tg_plane_run_of(param, all->params[p].width), word);
}

static bool begin(void *state, const tg_run_begin *run)
{
    tg_undefined *all = state;
    all->grid = *run->grid;
    all->is_shared = run->is_shared;
    all->is_incomplete = false;
    all->has_marked = all->kind == TG_SHADOW_UNDEFINED;
    tg_trails_clear(&all->trails);
    for (uint32_t p = 0; p < all->plan->kernel->param_count; p++)
        if (!begin_param(all, p)) return false;
    return true;
}

/* ---- of a machine ---- */

/* The slots that stand for one undefined element are so forever. */
static bool flag_undefined_slots(tg_shadow *s)
{
    const tg_plan *plan = s->all->plan;
    for (uint32_t i = 0; s->all->kind == TG_SHADOW_UNDEFINED && i < plan->slot_count; i++) {
        const tg_slot *slot = &plan->slots[i];
        if (slot->kind != TG_SLOT_UNDEFINED) continue;
        s->words[i] = malloc(sizeof *s->words[i]);
        if (!s->words[i]) return false;
        *s->words[i] = tg_word(TG_VALUE_TRAIL, tg_all_bytes(slot->dtype));
        s->is_flagged[i] = true;
        s->flagged++;
    }
    return true;
}

static void free_shadow(void *own)
{
    tg_shadow *s = own;
    const tg_plan *plan = s->all->plan;
    for (uint32_t i = 0; s->words && i < plan->slot_count; i++) free(s->words[i]);
    for (uint32_t p = 0; s->scratch && p < plan->kernel->param_count; p++)
        tg_plane_free(&s->scratch[p]);
    for (uint32_t i = 0; s->scoped && i < s->all->scope_count; i++) tg_plane_free(&s->scoped[i]);
    free(s->words);
    free(s->is_flagged);
    free(s->scratch);
    free(s->scoped);
    free(s->room);
    free(s);
}

/* NULL without memory. */
static tg_shadow *new_shadow(tg_undefined *all)
{
    const tg_plan *plan = all->plan;
    tg_shadow *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->all = all;
    s->words = calloc(plan->slot_count + 1, sizeof *s->words);
    s->is_flagged = calloc(plan->slot_count + 1, sizeof *s->is_flagged);
    s->scratch = calloc(plan->kernel->param_count + 1, sizeof *s->scratch);
    s->scoped = calloc(s->all->scope_count + 1, sizeof *s->scoped);
    if (s->words && s->is_flagged && s->scratch && s->scoped && flag_undefined_slots(s)) return s;
    free_shadow(s);
    return NULL;
}

static bool attach(void *state, tg_machine *m, void **own)
{
    (void)m;
    *own = new_shadow(state);
    return *own != NULL;
}

static void init_plane(tg_shadow *s, tg_plane *plane, const tg_shadow_memory *memory,
                       uint32_t trail)
{
    tg_plane_free(plane);
    if (!tg_plane_init(plane, memory->count, 0, tg_word(trail, tg_fresh_bytes(s->all, memory))))
        __atomic_store_n(&s->all->is_incomplete, true, __ATOMIC_RELAXED);
}

static void chain_begins(tg_machine *m)
{
    tg_shadow *s = tg_shadow_of(m);
    const tg_kernel *k = s->all->plan->kernel;
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

static void program_begins(tg_machine *m)
{
    tg_shadow *s = tg_shadow_of(m);
    for (uint32_t i = 0; s->flagged && i < s->all->plan->slot_count; i++) {
        if (!s->is_flagged[i] || s->all->plan->slots[i].kind == TG_SLOT_UNDEFINED) continue;
        s->is_flagged[i] = false;
        s->flagged--;
    }
}

/* ---- memory ---- */

tg_memory_shadow tg_memory_of(const tg_machine *m, const tg_access_plan *a)
{
    return tg_memory_of_ref(m, a->ref, a->root);
}

tg_memory_shadow tg_memory_of_ref(const tg_machine *m, tg_ref_id ref, uint32_t root)
{
    const tg_shadow *s = tg_shadow_of(m);
    tg_undefined *all = s->all;
    tg_memory_shadow memory = {.data = m->refs[ref].data};
    if (root == UINT32_MAX) {
        const uint32_t scope = all->scope_of[ref];
        memory.memory = &all->scopes[scope];
        memory.plane = &s->scoped[scope];
    } else if (all->plan->kernel->params[root].role == TG_ROLE_SCRATCH) {
        memory.memory = &all->params[root];
        memory.plane = &s->scratch[root];
    } else {
        const uint32_t owner = tg_param_owner(all->plan->kernel, root);
        memory.memory = &all->params[owner];
        memory.plane = &all->planes[owner];
        memory.is_locked = all->is_shared;
        memory.is_kept = true; /* a store to what is no output's is as good as kept */
    }
    if (!memory.plane->chunks) memory.plane = NULL;
    return memory;
}

void tg_planes_lock(const tg_machine *m, const tg_memory_shadow *memory)
{
    if (memory->is_locked && memory->plane) pthread_mutex_lock(&tg_shadow_of(m)->all->planes_lock);
}

void tg_planes_unlock(const tg_machine *m, const tg_memory_shadow *memory)
{
    tg_undefined *all = tg_shadow_of(m)->all;
    if (!memory->plane) return;
    if (memory->plane->is_incomplete) __atomic_store_n(&all->is_incomplete, true, __ATOMIC_RELAXED);
    if (memory->is_locked) pthread_mutex_unlock(&all->planes_lock);
}

/* ---- the detectors ---- */

static bool make_undefined(const tg_launch *launch, void **state)
{
    *state = new_undefined(launch, TG_SHADOW_UNDEFINED);
    return *state != NULL;
}

static bool make_arithmetic(const tg_launch *launch, tg_shadow_kind kind, void **state)
{
    tg_undefined *all = new_undefined(launch, kind);
    if (!all) return false;
    if (all->arithmetic.is_needed)
        *state = all;
    else
        free_undefined(all);
    return true;
}

static bool make_overflow(const tg_launch *launch, void **state)
{
    return make_arithmetic(launch, TG_SHADOW_OVERFLOW, state);
}

static bool make_range(const tg_launch *launch, void **state)
{
    return make_arithmetic(launch, TG_SHADOW_RANGE, state);
}

#define SHADOW(check, how)                                                                         \
    {                                                                                              \
        .checks = check, .make = how, .free = free_undefined, .begin = begin,                      \
        .report = tg_undefined_report, .attach = attach, .detach = free_shadow,                    \
        .chain_begins = chain_begins, .program_begins = program_begins,                            \
        .mapped = tg_shadow_mapped, .before = tg_shadow_step, .copied = tg_shadow_copied           \
    }

const tg_detector tg_detector_undefined = SHADOW(TG_CHECK_UNDEFINED, make_undefined);
const tg_detector tg_detector_overflow = SHADOW(TG_CHECK_ARITHMETIC, make_overflow);
const tg_detector tg_detector_range = SHADOW(TG_CHECK_ARITHMETIC, make_range);
