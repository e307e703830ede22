#include "checks/undefined/places.h"

/* ---- which memory ---- */

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
        memory.plane = &tg_shadow_of_chain(m)->scratch[root];
    } else {
        const uint32_t owner = tg_param_owner(all->plan->kernel, root);
        memory.memory = &all->params[owner];
        memory.plane = &all->planes[owner];
        memory.is_locked = all->is_shared;
        memory.is_kept = true; /* a store to memory of no output is treated as kept */
    }
    if (!memory.plane->groups) memory.plane = NULL;
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

/* ---- words ---- */

static uint32_t set_word(void *context, uint32_t old, int64_t first, int64_t count)
{
    (void)old;
    (void)first;
    (void)count;
    return *(const uint32_t *)context;
}

static void set_places(const tg_memory_shadow *memory, int64_t first, int64_t count, uint32_t word)
{
    tg_plane_update(memory->plane, first, count, set_word, &word);
}

static void get_word(void *context, uint32_t number, int64_t first, int64_t count)
{
    (void)first;
    (void)count;
    *(uint32_t *)context = number;
}

/* Returns how many places an element of the dtype has. */
static int64_t places_of(const tg_memory_shadow *memory, tg_dtype dtype)
{
    return (int64_t)(tg_dtypes[dtype].bytes / memory->memory->width);
}

uint32_t tg_memory_get(const tg_memory_shadow *memory, int64_t at, tg_dtype dtype)
{
    uint32_t word = 0;
    for (int64_t i = 0; i < places_of(memory, dtype); i++) {
        uint32_t place = 0;
        tg_plane_visit(memory->plane, at + i, 1, get_word, &place);
        const unsigned bytes = tg_word_bytes(place) << ((size_t)i * memory->memory->width);
        word = tg_word_bytes(word) ? word | bytes : tg_word(tg_word_trail(place), bytes);
    }
    return word;
}

void tg_memory_set(const tg_memory_shadow *memory, int64_t at, tg_dtype dtype, uint32_t word)
{
    const unsigned ones = (1U << memory->memory->width) - 1;
    for (int64_t i = 0; i < places_of(memory, dtype); i++) {
        const unsigned bytes = tg_word_bytes(word) >> ((size_t)i * memory->memory->width) & ones;
        set_places(memory, at + i, 1, tg_word(tg_word_trail(word), bytes));
    }
}

typedef struct row {
    uint32_t *words;
    int64_t first;
} row;

static void get_run(void *context, uint32_t number, int64_t first, int64_t count)
{
    const row *r = context;
    for (int64_t i = 0; i < count; i++) r->words[first - r->first + i] = number;
}

void tg_memory_get_row(const tg_memory_shadow *memory, tg_dtype dtype, int64_t first,
                       int64_t stride, int64_t count, uint32_t *words)
{
    const int64_t places = places_of(memory, dtype);
    if (places == 1 && stride == 1) {
        tg_plane_visit(memory->plane, first, count, get_run, &(row){words, first});
        return;
    }
    for (int64_t i = 0; i < count; i++)
        words[i] = tg_memory_get(memory, (first + i * stride) * places, dtype);
}

static void find_word(void *context, uint32_t number, int64_t first, int64_t count)
{
    (void)first;
    (void)count;
    *(bool *)context = *(bool *)context || number;
}

bool tg_memory_box_is_defined(const tg_memory_shadow *memory, const tg_plane_box *places)
{
    bool is_undefined = false;
    uint32_t word;
    if (tg_plane_knows_box(memory->plane, places, &word)) return word == 0;
    tg_plane_visit_box(memory->plane, places, find_word, &is_undefined);
    return !is_undefined;
}

void tg_memory_define_box(const tg_memory_shadow *memory, const tg_plane_box *places)
{
    uint32_t word = 0;
    tg_plane_update_box(memory->plane, places, set_word, &word);
}

void tg_memory_define(const tg_memory_shadow *memory, tg_dtype dtype, int64_t first, int64_t stride,
                      int64_t count)
{
    const int64_t places = places_of(memory, dtype);
    if (stride == 1) {
        set_places(memory, first * places, count * places, 0);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        set_places(memory, (first + i * stride) * places, places, 0);
}

/* Returns how many elements from `at` on have one word. */
static int64_t run_length(const uint32_t *words, int64_t at, int64_t count)
{
    int64_t run = 1;
    while (at + run < count && words[at + run] == words[at]) run++;
    return run;
}

void tg_memory_set_row(const tg_memory_shadow *memory, tg_dtype dtype, int64_t first,
                       int64_t stride, int64_t count, const uint32_t *words)
{
    const int64_t places = places_of(memory, dtype);
    for (int64_t i = 0, run; i < count; i += run) {
        run = run_length(words, i, count);
        if (words[i] == 0)
            tg_memory_define(memory, dtype, first + i * stride, stride, run);
        else if (places == 1 && stride == 1)
            set_places(memory, first + i, run, words[i]);
        else
            for (int64_t k = i; k < i + run; k++)
                tg_memory_set(memory, (first + k * stride) * places, dtype, words[k]);
    }
}
