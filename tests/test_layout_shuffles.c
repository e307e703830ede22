/* Shuffles of moves that no layout makes: values go anywhere, and few rounds are hard to find. */
#include <criterion/criterion.h>

#include "layout/relayout/shuffles.h"

enum { LANES = 32, REGISTERS = 6, COUNT = LANES * REGISTERS };

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1;
    return *state >> 33;
}

/* Values from all registers to all registers of a warp, in any order. */
static void permute(uint64_t seed, tg_move *list)
{
    int to[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const int k = (int)(next(&seed) % (uint64_t)(i + 1));
        to[i] = to[k];
        to[k] = i;
    }
    for (int i = 0; i < COUNT; i++) {
        list[i] = (tg_move){.element = i, .reach = TG_REACH_WARP};
        list[i].from.at[TG_AXIS_lane] = i % LANES;
        list[i].to.at[TG_AXIS_lane] = to[i] % LANES;
    }
}

/* Whether each lane offers and takes one value in each round. */
static bool is_plan(const tg_move *list, const tg_shuffles *shuffles)
{
    bool offers[REGISTERS][LANES] = {{false}}, takes[REGISTERS][LANES] = {{false}};
    for (int i = 0; i < COUNT; i++) {
        const int64_t k = shuffles->round[i];
        if (k < 0 || k >= REGISTERS) return false;
        bool *offered = &offers[k][list[i].from.at[TG_AXIS_lane]];
        bool *taken = &takes[k][list[i].to.at[TG_AXIS_lane]];
        if (*offered || *taken) return false;
        *offered = *taken = true;
    }
    return true;
}

Test(layout_shuffles, as_many_as_a_lane_has_values)
{
    static tg_move list[COUNT];
    for (uint64_t seed = 0; seed < 20; seed++) {
        tg_shuffles shuffles;
        permute(seed, list);
        const tg_moves moves = {.list = list, .count = COUNT, .furthest = TG_REACH_WARP};
        cr_assert_eq(tg_shuffles_of(&moves, &shuffles, NULL), TG_OK);
        cr_expect_eq(shuffles.count, REGISTERS);
        cr_expect_eq(shuffles.least, REGISTERS);
        cr_expect(is_plan(list, &shuffles), "seed %d", (int)seed);
        tg_shuffles_free(&shuffles);
    }
}
