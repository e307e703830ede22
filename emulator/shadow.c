#include "emulator/shadow.h"

#include <stdlib.h>

/* Replaces cells for 4 bytes each by cells for one byte each. */
static bool refine(tg_emu_shadow *shadow)
{
    tg_emu_cell *cells = calloc(shadow->bytes + 16, sizeof *cells);
    tg_emu_ctas *ctas = shadow->ctas ? calloc(shadow->bytes + 16, sizeof *ctas) : NULL;
    if (!cells || (shadow->ctas && !ctas)) {
        free(cells);
        free(ctas);
        return false;
    }
    for (size_t i = 0; i < shadow->bytes; i++) cells[i] = shadow->cells[i >> shadow->shift];
    for (size_t i = 0; ctas && i < shadow->bytes; i++) ctas[i] = shadow->ctas[i >> shadow->shift];
    free(shadow->cells);
    free(shadow->ctas);
    shadow->cells = cells;
    shadow->ctas = ctas;
    shadow->shift = 0;
    return true;
}

static bool prepare(tg_emu_shadow *shadow, size_t offset, size_t bytes, bool holds_ctas)
{
    if (!shadow->cells) {
        shadow->cells = calloc(shadow->bytes / 4 + 2, sizeof *shadow->cells);
        if (!shadow->cells) return false;
        shadow->shift = 2;
    }
    if (holds_ctas && !shadow->ctas)
        shadow->ctas = calloc(shadow->shift ? shadow->bytes / 4 + 2 : shadow->bytes + 16,
                              sizeof *shadow->ctas);
    if (holds_ctas && !shadow->ctas) return false;
    return shadow->shift == 0 || (bytes % 4 == 0 && offset % 4 == 0) || refine(shadow);
}

static bool are_both_atomic(tg_emu_mark a, tg_emu_mark b)
{
    return (a & b & TG_EMU_MARK_ATOMIC) != 0;
}

/* ---- within a CTA ---- */

/* One of two marks of another thread that is not, like `mark`, atomic; 0 if there is none. */
static tg_emu_mark other(const tg_emu_mark marks[2], tg_emu_mark mark)
{
    for (int i = 0; i < 2; i++)
        if (marks[i] && tg_emu_mark_tid(marks[i]) != tg_emu_mark_tid(mark) &&
            !are_both_atomic(marks[i], mark))
            return marks[i];
    return 0;
}

static bool conflicts_within(const tg_emu_cell *cell, tg_emu_touch touch, tg_emu_mark mark,
                             uint32_t now, tg_emu_conflict *conflict)
{
    tg_emu_mark found =
        touch != TG_EMU_REWRITE && cell->write_epoch == now ? other(cell->writer, mark) : 0;
    if (!found && touch != TG_EMU_READ && cell->read_epoch == now)
        found = other(cell->reader, mark);
    *conflict = (tg_emu_conflict){found, now};
    return found != 0;
}

/* Replaces the thread's own mark, else fills a free one, else replaces an atomic one; two plain
 * marks of other threads stay. */
static void add(tg_emu_mark marks[2], uint32_t *epoch, tg_emu_mark mark, uint32_t now)
{
    const bool is_plain = !(mark & TG_EMU_MARK_ATOMIC);
    if (*epoch != now) marks[0] = marks[1] = 0;
    *epoch = now;
    for (int i = 0; i < 2; i++) {
        const bool is_own = tg_emu_mark_tid(marks[i]) == tg_emu_mark_tid(mark);
        if (marks[i] && !is_own) continue;
        if (!marks[i] || is_plain) marks[i] = mark;
        return;
    }
    if (is_plain) marks[marks[0] & TG_EMU_MARK_ATOMIC ? 0 : 1] = mark;
}

/* ---- between CTAs ---- */

static void keep(tg_emu_past *place, tg_emu_past seen, uint32_t since)
{
    if (!seen.mark || seen.epoch < since) return;
    const bool is_free = !place->mark || place->epoch < since;
    if (is_free || (place->mark & ~seen.mark & TG_EMU_MARK_ATOMIC)) *place = seen;
}

/* When a new CTA accesses the cell, adds the accesses of the last one to those before it. */
static void begin_cta(tg_emu_ctas *c, const tg_emu_epochs *epochs)
{
    if (c->last_writer.epoch >= epochs->own || c->last_reader.epoch >= epochs->own) return;
    keep(&c->writer, c->last_writer, epochs->since);
    keep(&c->reader, c->last_reader, epochs->since);
    c->last_writer = c->last_reader = (tg_emu_past){0};
}

static bool conflicts_with(const tg_emu_past *past, tg_emu_mark mark, uint32_t since,
                           tg_emu_conflict *conflict)
{
    *conflict = (tg_emu_conflict){past->mark, past->epoch};
    return past->mark && past->epoch >= since && !are_both_atomic(past->mark, mark);
}

static bool conflicts_between(tg_emu_ctas *c, tg_emu_touch touch, tg_emu_mark mark,
                              const tg_emu_epochs *epochs, tg_emu_conflict *conflict)
{
    begin_cta(c, epochs);
    if (conflicts_with(&c->writer, mark, epochs->since, conflict)) return true;
    return touch != TG_EMU_READ && conflicts_with(&c->reader, mark, epochs->since, conflict);
}

bool tg_emu_shadow_note(tg_emu_shadow *shadow, size_t offset, size_t bytes, tg_emu_touch touch,
                        tg_emu_mark mark, const tg_emu_epochs *epochs, tg_emu_conflict *conflict,
                        bool *failed)
{
    const bool holds_ctas = epochs->since != 0;
    if (!shadow->cells || shadow->shift || (holds_ctas && !shadow->ctas)) {
        if (!prepare(shadow, offset, bytes, holds_ctas)) {
            *failed = true;
            return true;
        }
    }
    const size_t last = (offset + bytes - 1) >> shadow->shift;
    const tg_emu_past seen = {mark, epochs->now};
    for (size_t i = offset >> shadow->shift; i <= last; i++) {
        tg_emu_cell *cell = &shadow->cells[i];
        tg_emu_ctas *ctas = holds_ctas ? &shadow->ctas[i] : NULL;
        if (conflicts_within(cell, touch, mark, epochs->now, conflict)) return false;
        if (ctas && conflicts_between(ctas, touch, mark, epochs, conflict)) return false;
        if (touch == TG_EMU_READ)
            add(cell->reader, &cell->read_epoch, mark, epochs->now);
        else
            add(cell->writer, &cell->write_epoch, mark, epochs->now);
        if (ctas)
            keep(touch == TG_EMU_READ ? &ctas->last_reader : &ctas->last_writer, seen,
                 epochs->since);
    }
    return true;
}

void tg_emu_shadow_free(tg_emu_shadow *shadow)
{
    free(shadow->cells);
    free(shadow->ctas);
    *shadow = (tg_emu_shadow){.bytes = shadow->bytes};
}
