/* Who knows of what others have done: against vector clocks, and what spinning costs. */
#include <criterion/criterion.h>

#include "checks/races/sync.h"

enum { ACTORS = 4, PLACES = 3, STEPS = 300 };

/* clock[c][o] of actor c, and posted[p][o] of place p: so many epochs of actor o are known. */
typedef struct clocks {
    uint32_t clock[ACTORS][ACTORS], posted[PLACES][ACTORS];
} clocks;

static void join(uint32_t *into, const uint32_t *from)
{
    for (int o = 0; o < ACTORS; o++)
        if (into[o] < from[o]) into[o] = from[o];
}

/* Of two programs, the second starts no op before the first has started one. */
static const int64_t with_ops[ACTORS] = {0, 1, 2, 5};

static int64_t number_of(const tg_sync *s, uint32_t actor)
{
    return s->actor_numbers.programs ? with_ops[actor] : actor;
}

/* With ops, places are theirs. */
static void acquire(tg_sync *s, uint32_t place, uint32_t actor)
{
    if (s->actor_numbers.programs)
        tg_sync_acquire_op(s, with_ops[2 + place / 2], place % 2, number_of(s, actor));
    else
        tg_sync_acquire(s, place, actor);
}

static void release(tg_sync *s, uint32_t place, uint32_t actor)
{
    if (s->actor_numbers.programs)
        tg_sync_release_op(s, with_ops[2 + place / 2], place % 2, number_of(s, actor));
    else
        tg_sync_release(s, place, actor);
}

static void step(clocks *v, tg_sync *s, uint32_t place, uint32_t actor, bool acquires,
                 bool releases)
{
    if (acquires) {
        acquire(s, place, actor);
        join(v->clock[actor], v->posted[place]);
    }
    if (!releases) return;
    release(s, place, actor);
    v->clock[actor][actor]++;
    join(v->posted[place], v->clock[actor]);
}

static void both(tg_sync *s, uint64_t place, int64_t actor)
{
    tg_sync_acquire(s, place, actor);
    tg_sync_release(s, place, actor);
}

static uint32_t random_below(uint64_t *seed, uint32_t count)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % count;
}

static void compare(tg_sync *s, const clocks *v, uint64_t seed)
{
    for (int c = 0; c < ACTORS; c++)
        for (int o = 0; o < ACTORS; o++)
            for (uint32_t e = 0; c != o && e <= v->clock[o][o]; e++)
                cr_assert_eq(
                    tg_sync_knows(s, number_of(s, (uint32_t)c), number_of(s, (uint32_t)o), e),
                    v->clock[c][o] > e, "seed %d: actor %d of epoch %u of actor %d", (int)seed, c,
                    e, o);
}

/* Mostly the actor and place of the step before, as when one spins.  Half of the time among ops. */
Test(sync, is_that_of_vector_clocks)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        uint64_t random = seed;
        clocks v = {.clock = {{0}}};
        tg_sync s = {.actor_numbers.programs = seed % 2 ? 2 : 0};
        uint32_t place = 0, actor = 0;
        for (int i = 0; i < STEPS; i++) {
            if (random_below(&random, 3) == 0) place = random_below(&random, PLACES);
            if (random_below(&random, 3) == 0) actor = random_below(&random, ACTORS);
            const uint32_t how = random_below(&random, 5);
            cr_assert_eq(tg_sync_epoch(&s, number_of(&s, actor)), v.clock[actor][actor]);
            step(&v, &s, place, actor, how != 0, how != 1);
            if (i % 20 == 0) compare(&s, &v, seed);
        }
        cr_assert_not(s.is_incomplete);
        tg_sync_free(&s);
    }
}

/* What is kept does not grow while a program waits for a lock: else each turn would take longer
 * than the one before, and with several threads the one that has the lock could not give it back.
 */
Test(sync, who_spins_leaves_nothing_behind)
{
    tg_sync s = {0};
    both(&s, 0, 0); /* takes the lock */
    for (int i = 0; i < 100000; i++) {
        both(&s, 0, 1);
        cr_assert(tg_sync_knows(&s, 1, 0, 0) && !tg_sync_knows(&s, 1, 0, 1));
    }
    cr_expect_leq(s.places[0].count, 2);
    cr_expect_leq(s.actors[1].count, 1);
    both(&s, 0, 0); /* gives it back */
    both(&s, 0, 1);
    cr_expect(tg_sync_knows(&s, 1, 0, 1));
    tg_sync_free(&s);
}

/* What was handed on is not what is done later, though it stands in the same place. */
Test(sync, later_actions_are_not_known)
{
    tg_sync s = {0};
    tg_sync_release(&s, 0, 0);
    both(&s, 0, 1);
    tg_sync_release(&s, 0, 0);
    tg_sync_release(&s, 0, 0);
    cr_expect(tg_sync_knows(&s, 1, 0, 0));
    cr_expect_not(tg_sync_knows(&s, 1, 0, 1));
    both(&s, 0, 1);
    cr_expect(tg_sync_knows(&s, 1, 0, 2));
    tg_sync_free(&s);
}
