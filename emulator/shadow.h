/* Who touched which bytes since the last barrier: the ground of race reports. */
#ifndef TG_EMULATOR_SHADOW_H
#define TG_EMULATOR_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A thread of a CTA at an instruction; 0 is nobody. */
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

/* Who wrote and who read since the last barrier, each by two threads: that is enough, since every other access is of another
 * thread than at least one of the two.  Plain accesses conflict with all that atomic ones do and more, so atomic ones
 * are kept only where there are not two plain ones. */
typedef struct tg_emu_cell {
    uint32_t write_epoch, read_epoch;
    tg_emu_mark writer[2], reader[2];
} tg_emu_cell;

/* An access, of the CTA that its epoch tells; mark 0: none. */
typedef struct tg_emu_past {
    tg_emu_mark mark;
    uint32_t epoch;
} tg_emu_past;

/* Likewise for CTAs, which run one after the other: what all before the one that was here last did, and what that one did.  One
 * access stands for any number, since whatever comes is of another CTA. */
typedef struct tg_emu_ctas {
    tg_emu_past writer, reader, last_writer, last_reader;
} tg_emu_ctas;

/* Cells of a range of bytes: one for 4 bytes until somebody touches less, from then on one a byte. */
typedef struct tg_emu_shadow {
    tg_emu_cell *cells; /* NULL: nothing was touched yet */
    tg_emu_ctas *ctas;  /* as many; NULL: no launch yet that holds CTAs against each other */
    size_t bytes;
    unsigned shift;
} tg_emu_shadow;

typedef enum tg_emu_touch { TG_EMU_READ, TG_EMU_WRITE, TG_EMU_ATOMIC } tg_emu_touch;

/* An access that conflicts with the one that is noted. */
typedef struct tg_emu_conflict {
    tg_emu_mark mark;
    uint32_t epoch;
} tg_emu_conflict;

/* Which accesses count: of those of the CTA, which began with epoch `own`, those of epoch `now`; of other CTAs those from
 * `since` on, the first epoch of the launch, or with 0 none. */
typedef struct tg_emu_epochs {
    uint32_t now, own, since;
} tg_emu_epochs;

/* Notes an access; returns false and fills *conflict at a race.  *failed is set where memory is exhausted. */
bool tg_emu_shadow_note(tg_emu_shadow *shadow, size_t offset, size_t bytes, tg_emu_touch touch,
                        tg_emu_mark mark, const tg_emu_epochs *epochs, tg_emu_conflict *conflict,
                        bool *failed);

/* The same for 4 bytes where nothing can conflict and only the CTA's own accesses count; false, with nothing done, where
 * that is not so. */
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
