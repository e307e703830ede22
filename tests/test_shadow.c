/* Races in PTX, by chance: what is noted of accesses against a comparison of each access with all before it. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "emulator/shadow.h"

enum { BYTES = 16, MOST = 40, TRIALS = 60000, WORD = 4 };

typedef struct accessed {
    size_t offset, bytes;
    tg_emu_touch event;
    tg_emu_mark mark;
    uint32_t epoch, cta; /* the epoch with which its CTA began */
} accessed;

static uint64_t state;

static uint32_t roll(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % n;
}

/* ---- the definition ---- */

static bool are_ordered(const accessed *a, const accessed *b)
{
    if (a->cta == b->cta)
        return a->epoch != b->epoch || tg_emu_mark_tid(a->mark) == tg_emu_mark_tid(b->mark);
    return false;
}

static bool is_race(const accessed *a, const accessed *b, bool holds_ctas)
{
    const bool meet = a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
    const bool one_writes = a->event != TG_EMU_READ || b->event != TG_EMU_READ;
    const bool both_atomic = (a->mark & b->mark & TG_EMU_MARK_ATOMIC) != 0;
    return meet && one_writes && !both_atomic && !are_ordered(a, b) &&
           (holds_ctas || a->cta == b->cta);
}

/* ---- a run ---- */

/* Mostly words, as fast ways are for them; now and then halves, which split what is known of words. */
static accessed any_access(uint32_t inst, uint32_t threads, bool has_parts)
{
    accessed a = {.bytes = WORD, .event = (tg_emu_touch)roll(3)};
    const bool is_atomic = a.event == TG_EMU_ATOMIC || roll(4) == 0;
    if (has_parts && roll(6) == 0) a.bytes = WORD / 2;
    if (roll(8) == 0) a.bytes = WORD * 2;
    a.offset = roll((uint32_t)(BYTES / a.bytes)) / 2 * a.bytes;
    a.mark = tg_emu_mark_of(inst, roll(threads), is_atomic);
    return a;
}

static bool note(tg_emu_shadow *shadow, const accessed *a, const tg_emu_epochs *epochs,
                 tg_emu_conflict *conflict)
{
    bool failed = false;
    if (shadow->cells &&
        tg_emu_shadow_note_word(shadow, a->offset, a->bytes, a->event, a->mark, epochs))
        return true;
    const bool fine = tg_emu_shadow_note(shadow, a->offset, a->bytes, a->event, a->mark, epochs,
                                         conflict, &failed);
    cr_assert(!failed);
    return fine;
}

/* The conflict that is told is one of those that there are. */
static void check_told(const accessed *list, uint32_t count, bool holds_ctas,
                       const tg_emu_conflict *told)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i].mark == told->mark && list[i].epoch == told->epoch &&
            is_race(&list[i], &list[count], holds_ctas))
            return;
    cr_assert_fail("what is told is no race");
}

/* One launch, up to its first race; returns whether there was one.  *epoch goes on from launch to launch. */
static bool run_launch(tg_emu_shadow *shadow, uint32_t *epoch, uint64_t trial)
{
    accessed list[MOST];
    const bool holds_ctas = roll(3) > 0, has_parts = roll(2), is_one_cta = roll(2);
    const uint32_t threads = 1 + roll(3);
    tg_emu_epochs epochs = {.now = ++*epoch};
    epochs.own = epochs.now;
    epochs.since = holds_ctas ? epochs.now : 0;
    for (uint32_t i = 0; i < MOST; i++) {
        tg_emu_conflict told;
        if (roll(4) == 0) epochs.now = ++*epoch;
        if (!is_one_cta && roll(5) == 0) epochs.now = epochs.own = ++*epoch;
        list[i] = any_access(i, threads, has_parts);
        list[i].epoch = epochs.now;
        list[i].cta = epochs.own;
        bool wanted = false;
        for (uint32_t k = 0; k < i; k++) wanted = wanted || is_race(&list[k], &list[i], holds_ctas);
        const bool found = !note(shadow, &list[i], &epochs, &told);
        cr_assert_eq(found, wanted, "trial %d, access %d: %s", (int)trial, (int)i,
                     wanted ? "a race is missed" : "no race is told of");
        if (found) check_told(list, i, holds_ctas, &told);
        if (found) return true;
    }
    return false;
}

Test(shadow, every_race_and_no_other)
{
    int races = 0, others = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        tg_emu_shadow shadow = {.bytes = BYTES};
        uint32_t epoch = 0;
        state = trial * 977 + 13;
        for (int launch = 0; launch < 3; launch++)
            *(run_launch(&shadow, &epoch, trial) ? &races : &others) += 1;
        tg_emu_shadow_free(&shadow);
    }
    cr_assert(races > TRIALS / 4 && others > TRIALS / 20, "%d races, %d launches without", races,
              others);
}
