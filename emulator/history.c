#include "emulator/history.h"

#include <stdlib.h>

#include "base/splitmix.h"

enum { WORD = 4, FIRST_CELLS = 256, FIRST_VISITS = 2 };

typedef struct past {
    tg_emu_visit visit;
    unsigned char bytes; /* of the word: a mask */
} past;

struct tg_emu_history_cell {
    uint64_t key; /* of the word, plus 1; 0: unused */
    past *list;
    uint32_t count, capacity;
};

/* ---- finding a word ---- */

static tg_emu_history_cell *place_of(tg_emu_history_cell *cells, size_t capacity, uint64_t key)
{
    size_t at = (size_t)tg_splitmix(key) & (capacity - 1);
    while (cells[at].key && cells[at].key != key) at = (at + 1) & (capacity - 1);
    return &cells[at];
}

static bool grow(tg_emu_history *h)
{
    const size_t capacity = h->capacity ? 2 * h->capacity : FIRST_CELLS;
    tg_emu_history_cell *cells = calloc(capacity, sizeof *cells);
    if (!cells) return false;
    for (size_t i = 0; i < h->capacity; i++)
        if (h->cells[i].key) *place_of(cells, capacity, h->cells[i].key) = h->cells[i];
    free(h->cells);
    h->cells = cells;
    h->capacity = capacity;
    return true;
}

static tg_emu_history_cell *cell_of(tg_emu_history *h, uint64_t word)
{
    if (2 * h->count >= h->capacity && !grow(h)) return NULL;
    tg_emu_history_cell *cell = place_of(h->cells, h->capacity, word + 1);
    if (!cell->key) {
        cell->key = word + 1;
        h->count++;
    }
    return cell;
}

/* ---- order ---- */

/* Whether the earlier access is over when the later one begins.  A copy that reads or overwrites
 * what a thread has written needs the thread's write to be behind a fence. */
static bool is_before(const tg_emu_clocks *c, const tg_emu_visit *a, const tg_emu_visit *b)
{
    if (a->actor == b->actor)
        return !a->is_copy || (a->step == b->step && a->thread == b->thread) ||
               a->step <= tg_emu_clock(c, b->actor)[c->actors + b->actor];
    const bool is_fenced = b->is_copy && !a->is_copy && a->touch != TG_EMU_READ;
    return tg_emu_clock(c, b->actor)[(is_fenced ? c->actors : 0) + a->actor] >= a->step;
}

static bool conflict(const tg_emu_visit *a, const tg_emu_visit *b)
{
    if (a->touch == TG_EMU_READ && b->touch == TG_EMU_READ) return false;
    if (a->touch == TG_EMU_WRITE && b->touch == TG_EMU_REWRITE && !a->is_copy) return false;
    /* atomics of threads and those of copies have different proxies */
    return !(a->is_strong && b->is_strong && a->is_copy == b->is_copy);
}

/* Whether whatever races with the first access races with the second one, which is behind it. */
static bool is_represented(const past *a, const past *b)
{
    if (a->bytes & ~b->bytes) return false;
    if (b->visit.is_strong && !a->visit.is_strong) return false;
    if (a->visit.is_copy != b->visit.is_copy) return false;
    return b->visit.touch == a->visit.touch || b->visit.touch == TG_EMU_WRITE;
}

/* ---- recording ---- */

static bool keep(tg_emu_history_cell *cell, const past *seen)
{
    if (cell->count == cell->capacity) {
        const uint32_t capacity = cell->capacity ? 2 * cell->capacity : FIRST_VISITS;
        past *list = realloc(cell->list, capacity * sizeof *list);
        if (!list) return false;
        cell->list = list;
        cell->capacity = capacity;
    }
    cell->list[cell->count] = *seen;
    if (seen->visit.touch == TG_EMU_REWRITE) cell->list[cell->count].visit.touch = TG_EMU_WRITE;
    cell->count++;
    return true;
}

static const tg_emu_visit *note_word(tg_emu_history_cell *cell, const tg_emu_clocks *c,
                                     const past *seen, bool *failed)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cell->count; i++) {
        const past *earlier = &cell->list[i];
        const bool is_over = is_before(c, &earlier->visit, &seen->visit);
        if (!is_over && (earlier->bytes & seen->bytes) && conflict(&earlier->visit, &seen->visit))
            return &earlier->visit;
        if (!(is_over && is_represented(earlier, seen))) cell->list[kept++] = *earlier;
    }
    cell->count = kept;
    if (!keep(cell, seen)) *failed = true;
    return NULL;
}

const tg_emu_visit *tg_emu_history_note(tg_emu_history *h, const tg_emu_clocks *c, uint64_t key,
                                        size_t bytes, const tg_emu_visit *visit, bool *failed)
{
    for (uint64_t word = key / WORD; word <= (key + bytes - 1) / WORD; word++) {
        const uint64_t start = word * WORD;
        past seen = {*visit, 0};
        for (unsigned i = 0; i < WORD; i++)
            if (start + i >= key && start + i < key + bytes) seen.bytes |= (unsigned char)(1u << i);
        tg_emu_history_cell *cell = cell_of(h, word);
        if (!cell) {
            *failed = true;
            return NULL;
        }
        const tg_emu_visit *other = note_word(cell, c, &seen, failed);
        if (other || *failed) return other;
    }
    return NULL;
}

void tg_emu_history_free(tg_emu_history *h)
{
    for (size_t i = 0; i < h->capacity; i++) free(h->cells[i].list);
    free(h->cells);
    *h = (tg_emu_history){0};
}
