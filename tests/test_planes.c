/* Planes: numbers for places, one by one, in boxes, and in chunks that go by the blocks. */
#include <criterion/criterion.h>
#include <string.h>

#include "checks/plane.h"

static uint32_t set_to(void *context, uint32_t old, int64_t first, int64_t count)
{
    (void)old;
    (void)first;
    (void)count;
    return *(const uint32_t *)context;
}

static void compare_run(void *context, uint32_t number, int64_t first, int64_t count)
{
    const uint32_t *model = context;
    for (int64_t i = first; i < first + count; i++)
        cr_assert_eq(number, model[i], "place %d", (int)i);
}

static void count_run(void *context, uint32_t number, int64_t first, int64_t count)
{
    (void)number;
    (void)first;
    (void)count;
    ++*(int *)context;
}

static uint32_t same_as_before(void *context, uint32_t old, int64_t first, int64_t count)
{
    (void)context;
    (void)first;
    (void)count;
    return old;
}

static uint32_t random_below(uint64_t *state, uint32_t limit)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % limit;
}

Test(planes, they_hold_what_was_set)
{
    static uint32_t model[300];
    for (int64_t places = 0; places < 300; places += 37) {
        tg_plane plane;
        uint64_t state = 1;
        cr_assert(tg_plane_init(&plane, places, 4 << places % 6, 3));
        for (int i = 0; i < 300; i++) model[i] = 3;
        for (int turn = 0; turn < 300 && places; turn++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const int64_t first = (int64_t)(state >> 40) % places,
                          count = (int64_t)(state >> 20) % 128 % (places - first) + 1;
            uint32_t number = (uint32_t)(state >> 50) % 4;
            tg_plane_update(&plane, first, count, set_to, &number);
            for (int64_t i = first; i < first + count; i++) model[i] = number;
            tg_plane_visit(&plane, 0, places, compare_run, model);
        }
        cr_assert(!plane.is_incomplete);
        tg_plane_free(&plane);
    }
}

/* 64 chunks have one number as long as nothing sets it for some of them alone. */
Test(planes, groups_of_chunks_open_and_close)
{
    enum { PLACES = 3 * 64 * 16 + 100, STEP = 256 };
    static uint32_t model[PLACES];
    tg_plane plane;
    uint64_t state = 1;
    int runs = 0;
    cr_assert(tg_plane_init(&plane, PLACES, 16, 0));
    cr_assert_eq(plane.chunk, 16);
    for (int turn = 0; turn < 2000; turn++) {
        const int64_t step = random_below(&state, 4) ? STEP : 1,
                      first = random_below(&state, (uint32_t)(PLACES / step + 1)) * step,
                      most = (PLACES - first + step - 1) / step,
                      wanted = random_below(&state, (uint32_t)(most + 1)) * step,
                      count = wanted < PLACES - first ? wanted : PLACES - first;
        uint32_t number = random_below(&state, 3);
        tg_plane_update(&plane, first, count, set_to, &number);
        for (int64_t i = first; i < first + count; i++) model[i] = number;
        tg_plane_visit(&plane, 0, PLACES, compare_run, model);
        tg_plane_visit(&plane, first, count, compare_run, model);
    }
    tg_plane_update(&plane, 0, PLACES, set_to, &(uint32_t){7});
    tg_plane_visit(&plane, 5, PLACES - 6, count_run, &runs);
    cr_assert_eq(runs, 1, "one number: %d runs", runs);
    tg_plane_update(&plane, 64 * 16, 64 * 8, set_to, &(uint32_t){8});
    tg_plane_update(&plane, 64 * 24, 64 * 8, set_to, &(uint32_t){8});
    tg_plane_update(&plane, 64 * 16, 64 * 16, same_as_before, NULL);
    cr_assert_eq(plane.groups[1], 8, "the halves of a group have one number again");
    tg_plane_free(&plane);
}

/* ---- boxes ---- */

/* An array [8, 12, 10 units] whose last dimension has units of some places. */
enum { MOST_BOX_PLACES = 8 * 12 * 10 * 8 };

/* A part of the array, every second place of a dimension now and then. */
static tg_plane_box random_box(uint64_t *state, int64_t unit)
{
    const int64_t shape[3] = {8, 12, 10}, stride[3] = {120 * unit, 10 * unit, unit};
    tg_plane_box box = {.rank = 3};
    for (int d = 0; d < 3; d++) {
        const int64_t step = random_below(state, 4) == 0 ? 2 : 1;
        const bool is_whole = step == 1 && random_below(state, 2) == 0;
        const int64_t from = is_whole ? 0 : random_below(state, (uint32_t)shape[d]);
        box.count[d] = is_whole ? shape[d] : (shape[d] - from + step - 1) / step;
        box.stride[d] = step * stride[d];
        box.first += from * stride[d];
    }
    if (random_below(state, 2)) { /* whole units side by side */
        box.count[2] = unit * (random_below(state, 9) + 1);
        box.first -= box.first % (10 * unit);
        box.stride[2] = 1;
    }
    return box;
}

static uint32_t next_number(void *context, uint32_t old, int64_t first, int64_t count)
{
    (void)context;
    (void)first;
    (void)count;
    return old < 9 ? old + 1 : old; /* in the end everything stays as it is */
}

static void count_places(void *context, uint32_t number, int64_t first, int64_t count)
{
    (void)number;
    (void)first;
    *(int64_t *)context += count;
}

typedef void place_fn(uint32_t *model, int64_t place, uint32_t number);

static void step_place(uint32_t *model, int64_t place, uint32_t number)
{
    model[place] = next_number(NULL, model[place], place, 1);
    (void)number;
}

static void expect_place(uint32_t *model, int64_t place, uint32_t number)
{
    cr_assert_eq(model[place], number, "place %d", (int)place);
}

static void for_each_place(const tg_plane_box *box, place_fn *fn, uint32_t *model, uint32_t number)
{
    for (int64_t i = 0; i < box->count[0]; i++)
        for (int64_t j = 0; j < box->count[1]; j++)
            for (int64_t k = 0; k < box->count[2]; k++)
                fn(model, box->first + i * box->stride[0] + j * box->stride[1] + k * box->stride[2],
                   number);
}

static void come_back_to_boxes(int64_t unit, int chunk)
{
    static uint32_t model[MOST_BOX_PLACES];
    const int64_t places = 8 * 12 * 10 * unit;
    uint32_t number;
    int known = 0;
    uint64_t state = 1;
    tg_plane plane;
    memset(model, 0, sizeof model);
    cr_assert(tg_plane_init(&plane, places, 10 * unit, 0));
    cr_assert_eq(plane.chunk, chunk);
    for (int turn = 0; turn < 200; turn++) {
        const tg_plane_box box = random_box(&state, unit);
        for (uint32_t again = random_below(&state, 4); again-- > 0;) {
            int64_t count = 0;
            tg_plane_update_box(&plane, &box, next_number, NULL);
            for_each_place(&box, step_place, model, 0);
            if (random_below(&state, 2)) tg_plane_visit(&plane, 0, places, compare_run, model);
            if (tg_plane_knows_box(&plane, &box, &number)) {
                for_each_place(&box, expect_place, model, number);
                known++;
            }
            if (random_below(&state, 2)) continue; /* the chunks may be behind */
            tg_plane_visit_box(&plane, &box, compare_run, model);
            tg_plane_visit_box(&plane, &box, count_places, &count);
            cr_assert_eq(count, box.count[0] * box.count[1] * box.count[2], "turn %d", turn);
        }
        uint32_t other = random_below(&state, 6);
        const int64_t at = random_below(&state, (uint32_t)places);
        tg_plane_update(&plane, at, 1, set_to, &other);
        model[at] = other;
        cr_assert_not(tg_plane_knows_box(&plane, &box, &number));
    }
    tg_plane_visit(&plane, 0, places, compare_run, model);
    cr_assert_gt(known, 20);
    tg_plane_free(&plane);
}

Test(planes, they_come_back_to_boxes)
{
    come_back_to_boxes(1, 64); /* places of a chunk differ */
    come_back_to_boxes(8, 16); /* rows of whole chunks, and of parts */
}

Test(planes, rows_of_chunks_may_lie_in_two_groups)
{
    enum { CHUNK = 16, GROUP = 64 * CHUNK };
    static uint32_t model[3 * GROUP];
    const tg_plane_box box = {
        .rank = 2, .first = GROUP - CHUNK, .count = {2, 2 * CHUNK}, .stride = {GROUP, 1}};
    uint32_t number = 1;
    tg_plane plane;
    cr_assert(tg_plane_init(&plane, 3 * GROUP, CHUNK, 0));
    tg_plane_update(&plane, 0, CHUNK, set_to, &number); /* only the first group has chunks */
    for (int i = 0; i < CHUNK; i++) model[i] = number;
    number = 2;
    tg_plane_update_box(&plane, &box, set_to, &number);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 * CHUNK; j++) model[box.first + i * GROUP + j] = number;
    tg_plane_visit(&plane, 0, 3 * GROUP, compare_run, model);
    tg_plane_visit_box(&plane, &box, compare_run, model);
    tg_plane_free(&plane);
}

/* ---- runs ---- */

static tg_param array_of(tg_dtype dtype, int64_t rows, int64_t columns)
{
    tg_param param = {.array = {.dtype = dtype, .rank = 2, .shape = {rows, columns}}};
    return param;
}

Test(planes, runs_are_what_blocks_have_side_by_side)
{
    tg_param param = array_of(TG_DT_f32, 64, 100);
    cr_assert_eq(tg_plane_run_of(&param, 4), 0, "no blocks: nothing is known");
    param.has_block = true;
    param.block[0].size = 8;
    param.block[1].size = 20;
    cr_assert_eq(tg_plane_run_of(&param, 4), 20);
    cr_assert_eq(tg_plane_run_of(&param, 1), 80, "in bytes");
    param.block[1].size = 100;
    cr_assert_eq(tg_plane_run_of(&param, 4), 800, "whole rows are neighbours");
    param.block[0] = (tg_block_dim){.kind = TG_BLOCK_SQUEEZED, .size = 1};
    cr_assert_eq(tg_plane_run_of(&param, 4), 100);
    param.block[1].kind = TG_BLOCK_ELEMENT;
    cr_assert_eq(tg_plane_run_of(&param, 4), 0, "they begin anywhere");
}

Test(planes, chunks_are_as_long_as_runs_allow)
{
    static const struct {
        int64_t run;
        int chunk;
    } cases[] = {{0, 64}, {1, 64},  {2, 64},  {4, 4},    {100, 4},
                 {24, 8}, {48, 16}, {32, 32}, {6400, 64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tg_plane plane;
        cr_assert(tg_plane_init(&plane, 1000, cases[i].run, 0));
        cr_assert_eq(plane.chunk, cases[i].chunk, "runs of %d", (int)cases[i].run);
        tg_plane_free(&plane);
    }
}
