/* Records which threads accessed which bytes since the last barrier, to detect races. */
#ifndef TG_EMULATOR_SHADOW_H
#define TG_EMULATOR_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread of a CTA at an instruction; 0: none. */
typedef uint32_t tg_emu_mark;
enum {
    TG_EMU_MARK_TID_BITS = 10,
    TG_EMU_MARK_INST_BITS = 20,
    TG_EMU_MARK_ATOMIC = 1 << 30,
    TG_EMU_MARK_SOMEBODY = INT32_MIN
};

static inline tg_emu_mark tg_emu_mark_of(uint32_t inst, uint32_t tid, bool is_atomic)
{
    return (uint32_t)TG_EMU_MARK_SOMEBODY | (is_atomic ? TG_EMU_MARK_ATOMIC : 0u) |
           inst << TG_EMU_MARK_TID_BITS | tid;
}
static inline uint32_t tg_emu_mark_tid(tg_emu_mark mark)
{
    return mark & ((1u << TG_EMU_MARK_TID_BITS) - 1);
}
static inline uint32_t tg_emu_mark_inst(tg_emu_mark mark)
{
    return mark >> TG_EMU_MARK_TID_BITS & ((1u << TG_EMU_MARK_INST_BITS) - 1);
}

/* The writes and the reads since the last barrier, each by two threads.  Two are enough: any other
 * access is by a different thread than at least one of them.  Plain accesses conflict with
 * everything that atomic ones conflict with, and more, so an atomic one is kept only while there
 * are fewer than two plain ones. */
typedef struct tg_emu_cell {
    uint32_t write_epoch, read_epoch;
    tg_emu_mark writer[2], reader[2];
} tg_emu_cell;

/* An access, by the CTA that its epoch identifies; mark 0: none. */
typedef struct tg_emu_past {
    tg_emu_mark mark;
    uint32_t epoch;
} tg_emu_past;

/* The same for CTAs, which run one after the other: the accesses of the last CTA that accessed this
 * cell, and those of all CTAs before it.  One access represents any number, since the next one to
 * compare is by another CTA. */
typedef struct tg_emu_ctas {
    tg_emu_past writer, reader, last_writer, last_reader;
} tg_emu_ctas;

/* Cells of a range of bytes: one per 4 bytes until some access is smaller, from then on one per
 * byte. */
typedef struct tg_emu_shadow {
    tg_emu_cell *cells; /* NULL: no access yet */
    tg_emu_ctas *ctas;  /* as many as cells; NULL: no launch so far checks races between CTAs */
    size_t bytes;
    unsigned shift;
} tg_emu_shadow;

/* TG_EMU_REWRITE: a write of what is there already, which does not conflict with other writes. */
typedef enum tg_emu_touch { TG_EMU_READ, TG_EMU_WRITE, TG_EMU_ATOMIC, TG_EMU_REWRITE } tg_emu_touch;

/* The earlier access that conflicts with the recorded one. */
typedef struct tg_emu_conflict {
    tg_emu_mark mark;
    uint32_t epoch;
} tg_emu_conflict;

/* Which accesses count: those of the own CTA, which began with epoch `own`, from epoch `now`; those
 * of other CTAs from epoch `since` on, the first of the launch.  With `since` 0 other CTAs do not
 * count. */
typedef struct tg_emu_epochs {
    uint32_t now, own, since;
} tg_emu_epochs;

/* Records an access.  At a race, fills *conflict and returns false.  Sets *failed if memory runs
 * out. */
bool tg_emu_shadow_note(tg_emu_shadow *shadow, size_t offset, size_t bytes, tg_emu_touch touch,
                        tg_emu_mark mark, const tg_emu_epochs *epochs, tg_emu_conflict *conflict,
                        bool *failed);

/* A fast path for 4 bytes: records the access if nothing can conflict and only the CTA's own
 * accesses count.  Otherwise does nothing and returns false. */
static inline bool tg_emu_shadow_note_word(tg_emu_shadow *shadow, size_t offset, size_t bytes,
                                           tg_emu_touch touch, tg_emu_mark mark,
                                           const tg_emu_epochs *epochs)
{
    if (bytes != 4 || shadow->shift != 2 || epochs->since) return false;
    tg_emu_cell *cell = &shadow->cells[offset / 4];
    uint32_t tid = tg_emu_mark_tid(mark), now = epochs->now;
    if ((cell->reader[0] | cell->reader[1] | cell->writer[0] | mark) & TG_EMU_MARK_ATOMIC)
        return false;
    bool is_written = cell->write_epoch == now, is_read = cell->read_epoch == now;
    if (is_written && (cell->writer[1] || tg_emu_mark_tid(cell->writer[0]) != tid)) return false;
    if (touch == TG_EMU_READ && is_read) {
        if (tg_emu_mark_tid(cell->reader[0]) != tid && !cell->reader[1]) cell->reader[1] = mark;
        return true;
    }
    if (touch == TG_EMU_READ) {
        cell->read_epoch = now;
        cell->reader[0] = mark;
        cell->reader[1] = 0;
        return true;
    }
    if (touch != TG_EMU_WRITE ||
        (is_read && (cell->reader[1] || tg_emu_mark_tid(cell->reader[0]) != tid)))
        return false;
    cell->write_epoch = now;
    cell->writer[0] = mark;
    cell->writer[1] = 0;
    return true;
}

void tg_emu_shadow_free(tg_emu_shadow *shadow);

#endif
