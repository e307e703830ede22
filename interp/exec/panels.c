#include "interp/exec/panels.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_BYTES = 8 << 20, /* kept of each side; memory that is not used costs nothing */
    ALIGN = 64,
    ENTRIES = 512, /* a power of two */
    PROBES = 8,
    LEAST_USES = 2 /* of a block on average; to keep it for one use costs more than it saves */
};

typedef struct entry {
    const void *data; /* NULL: the entry is free */
    const struct tg_inst_dot *dot;
    const char *panels;
} entry;

/* The panels of left-hand or of right-hand sides. */
typedef struct panels_of_side {
    entry entries[ENTRIES]; /* a hash table; a lookup probes PROBES entries */
    size_t used;
    _Alignas(ALIGN) char memory[MOST_BYTES];
} panels_of_side;

struct tg_panels {
    panels_of_side sides[2];
};

/* If `data` is in a parameter that no program writes: its element count; else 0. */
static int64_t constant_at(const tg_machine *m, const void *data)
{
    const tg_plan *plan = m->launch->plan;
    for (uint32_t p = 0; p < plan->kernel->param_count; p++) {
        const tg_buffer *buffer = &m->launch->buffers[p];
        const tg_param *param = &plan->kernel->params[p];
        const uintptr_t offset = (uintptr_t)data - (uintptr_t)buffer->data;
        if (plan->is_written[p] || param->role == TG_ROLE_SCRATCH) continue;
        if (offset < (uintptr_t)buffer->count * tg_dtypes[param->array.dtype].bytes)
            return buffer->count;
    }
    return 0;
}

static double programs_of(const tg_launch *launch)
{
    double programs = 1;
    for (int a = 0; a < launch->axis_count; a++) programs *= (double)launch->grid[a];
    return programs;
}

/* Returns whether there are so many programs that they must use blocks of the array again.  Not on
 * machines that take turns: there are many, and each runs few programs. */
static bool is_worth_it(const tg_machine *m, const void *data, int64_t elements)
{
    if (m->stops) return false;
    const double count = (double)constant_at(m, data);
    return count > 0 && programs_of(m->launch) * (double)elements >= LEAST_USES * count;
}

/* Returns the entry of these panels, or a free one for them; NULL if there is neither. */
static entry *entry_of(panels_of_side *side, const struct tg_inst_dot *dot, const void *data)
{
    const uint64_t key = (uint64_t)(uintptr_t)data ^ (uint64_t)(uintptr_t)dot << 20;
    const uint64_t hash = key * 0x9e3779b97f4a7c15u >> 32;
    for (uint64_t i = hash; i < hash + PROBES; i++) {
        entry *e = &side->entries[i % ENTRIES];
        if (!e->data || (e->data == data && e->dot == dot)) return e;
    }
    return NULL;
}

static void clear(panels_of_side *side)
{
    memset(side->entries, 0, sizeof side->entries);
    side->used = 0;
}

/* Returns NULL if memory runs out, which is no error: products can do without panels. */
static panels_of_side *panels_of(tg_machine *m, tg_dot_side which)
{
    if (!m->panels) {
        m->panels = aligned_alloc(ALIGN, sizeof *m->panels);
        if (!m->panels) return NULL;
        for (int i = 0; i < 2; i++) clear(&m->panels->sides[i]);
    }
    return &m->panels->sides[which];
}

/* Packs a side.  Returns NULL if that is not worth it or there is no room. */
static entry *enter(tg_machine *m, const struct tg_inst_dot *dot, tg_dot_side which,
                    const void *data, const tg_dot_shape *shape, size_t bytes)
{
    const int64_t elements = shape->k * (which == TG_DOT_LHS ? shape->m : shape->n);
    panels_of_side *side = is_worth_it(m, data, elements) ? panels_of(m, which) : NULL;
    entry *e = side ? entry_of(side, dot, data) : NULL;
    if (!e || bytes > MOST_BYTES - side->used) return NULL;
    char *to = side->memory + side->used;
    tg_dot_pack(m->launch->elementwise, dot->acc, shape, which, data, to);
    *e = (entry){data, dot, to};
    side->used += bytes;
    return e;
}

/* Returns the panels of one side, or NULL if none are kept.  Sets *next to the panels that were
 * packed right after them. */
static const char *panels_at(tg_machine *m, const struct tg_inst_dot *dot, tg_dot_side which,
                             const void *data, const tg_dot_shape *shape, const char **next)
{
    const size_t bytes = tg_dot_panels_bytes(m->launch->elementwise, dot->acc, shape, which);
    if (!bytes) return NULL;
    const entry *e = m->panels ? entry_of(&m->panels->sides[which], dot, data) : NULL;
    if (!e || !e->data) e = enter(m, dot, which, data, shape, bytes);
    if (!e) return NULL;
    if (bytes <= (size_t)(m->panels->sides[which].memory + MOST_BYTES - (e->panels + bytes)))
        *next = e->panels + bytes;
    return e->panels;
}

void tg_panels_use(tg_machine *m, const struct tg_inst_dot *dot, const void *lhs, const void *rhs,
                   tg_dot_shape *shape)
{
    const char *next = NULL;
    if (m->storage[dot->rhs.slot] == TG_STORAGE_MEMORY)
        shape->rhs_panels = panels_at(m, dot, TG_DOT_RHS, rhs, shape, &shape->next_rhs_panels);
    if (m->storage[dot->lhs.slot] == TG_STORAGE_MEMORY)
        shape->lhs_panels = panels_at(m, dot, TG_DOT_LHS, lhs, shape, &next);
}

void tg_panels_forget(tg_machine *m)
{
    for (int i = 0; m->panels && i < 2; i++)
        if (m->panels->sides[i].used) clear(&m->panels->sides[i]);
}

void tg_panels_free(tg_machine *m) { free(m->panels); }
