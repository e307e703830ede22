#include "emulator/shadow.h"

#include <stdlib.h>

/* Cells for 4 bytes each become cells for one byte each. */
static bool refine(tg_emu_shadow *shadow)
{
    tg_emu_cell *fine = calloc(shadow->bytes + 16, sizeof *fine);
    if (!fine) return false;
    for (size_t i = 0; i < shadow->bytes; i++) fine[i] = shadow->cells[i >> shadow->shift];
    free(shadow->cells);
    shadow->cells = fine;
    shadow->shift = 0;
    return true;
}

static bool prepare(tg_emu_shadow *shadow, size_t offset, size_t bytes)
{
    if (!shadow->cells) {
        shadow->cells = calloc(shadow->bytes / 4 + 2, sizeof *shadow->cells);
        if (!shadow->cells) return false;
        shadow->shift = 2;
    }
    return shadow->shift == 0 || (bytes % 4 == 0 && offset % 4 == 0) || refine(shadow);
}

/* One of two marks that is of another thread, or of anybody where the cell is another CTA's; 0 if there is none. */
static tg_emu_mark other(const tg_emu_mark marks[2], tg_emu_mark mark, bool is_own)
{
    if (!is_own) return marks[0];
    for (int i = 0; i < 2; i++)
        if (marks[i] && tg_emu_mark_tid(marks[i]) != tg_emu_mark_tid(mark)) return marks[i];
    return 0;
}

/* A writer that the access conflicts with, or 0. */
static tg_emu_mark conflicting_writer(const tg_emu_cell *cell, tg_emu_mark mark,
                                      const tg_emu_epochs *epochs)
{
    if (cell->write_epoch < epochs->since) return 0;
    bool is_own = cell->write_epoch >= epochs->own;
    if (is_own && cell->write_epoch != epochs->now) return 0;
    tg_emu_mark found = other(cell->writer, mark, is_own);
    return found & mark & TG_EMU_MARK_ATOMIC ? 0 : found;
}

static tg_emu_mark conflicting_reader(const tg_emu_cell *cell, tg_emu_mark mark,
                                      const tg_emu_epochs *epochs)
{
    if (cell->read_epoch < epochs->since) return 0;
    bool is_own = cell->read_epoch >= epochs->own;
    if (is_own && cell->read_epoch != epochs->now) return 0;
    tg_emu_mark found = other(cell->reader, mark, is_own);
    return found & mark & TG_EMU_MARK_ATOMIC ? 0 : found;
}

static void add(tg_emu_mark marks[2], uint32_t *epoch, tg_emu_mark mark, uint32_t now)
{
    if (*epoch != now) {
        *epoch = now;
        marks[0] = mark;
        marks[1] = 0;
        return;
    }
    tg_emu_mark *to = tg_emu_mark_tid(marks[0]) == tg_emu_mark_tid(mark) ? &marks[0] : &marks[1];
    /* A plain access conflicts with more than an atomic one, so it is the one to keep. */
    if (!*to || !(mark & TG_EMU_MARK_ATOMIC)) *to = mark;
}

bool tg_emu_shadow_note(tg_emu_shadow *shadow, size_t offset, size_t bytes, tg_emu_touch touch,
                        tg_emu_mark mark, const tg_emu_epochs *epochs, tg_emu_conflict *conflict,
                        bool *failed)
{
    if (!shadow->cells || shadow->shift) {
        if (!prepare(shadow, offset, bytes)) {
            *failed = true;
            return true;
        }
    }
    size_t last = (offset + bytes - 1) >> shadow->shift;
    for (size_t i = offset >> shadow->shift; i <= last; i++) {
        tg_emu_cell *cell = &shadow->cells[i];
        tg_emu_mark found = conflicting_writer(cell, mark, epochs);
        uint32_t epoch = cell->write_epoch;
        if (!found && touch != TG_EMU_READ) {
            found = conflicting_reader(cell, mark, epochs);
            epoch = cell->read_epoch;
        }
        if (found) {
            *conflict = (tg_emu_conflict){found, epoch};
            return false;
        }
        if (touch == TG_EMU_READ)
            add(cell->reader, &cell->read_epoch, mark, epochs->now);
        else
            add(cell->writer, &cell->write_epoch, mark, epochs->now);
    }
    return true;
}

void tg_emu_shadow_free(tg_emu_shadow *shadow)
{
    free(shadow->cells);
    *shadow = (tg_emu_shadow){.bytes = shadow->bytes};
}
