/* The guess where the next program's block is. */
#include <criterion/criterion.h>

#include "interp/memory/cache_prefetch.h"

enum { ROWS = 8, COLUMNS = 1024 };

/* A machine of a kernel whose only parameter is f32[ROWS, COLUMNS], cut into rows. */
typedef struct setting {
    float memory[ROWS * COLUMNS];
    tg_block_dim block[2];
    tg_param param;
    tg_kernel kernel;
    tg_plan plan;
    tg_buffer buffer;
    tg_launch launch;
    tg_prefetch_block wanted;
    tg_ref ref;
    tg_prefetch prefetch;
    tg_machine machine;
} setting;

static void set_up(setting *s)
{
    *s = (setting){0};
    s->param.array = (tg_type){.dtype = TG_DT_f32, .rank = 2, .shape = {ROWS, COLUMNS}};
    s->param.has_block = true;
    s->param.block[0] = (tg_block_dim){.kind = TG_BLOCK_SQUEEZED, .size = 1};
    s->param.block[1] = (tg_block_dim){.kind = TG_BLOCK_BLOCKED, .size = COLUMNS};
    s->kernel.params = &s->param;
    s->kernel.param_count = 1;
    s->plan.kernel = &s->kernel;
    s->buffer.data = (unsigned char *)s->memory;
    s->buffer.count = ROWS * COLUMNS;
    s->launch.plan = &s->plan;
    s->launch.buffers = &s->buffer;
    s->wanted = tg_prefetch_of(&s->launch, 0);
    s->launch.prefetch = &s->wanted;
    s->machine.launch = &s->launch;
    s->machine.refs = &s->ref;
    s->machine.prefetch = &s->prefetch;
}

/* The row that is expected after a program with this one; -1 for none. */
static int64_t row_after(setting *s, int64_t row)
{
    s->ref.origin = row * COLUMNS;
    tg_prefetch_note(&s->machine, 0);
    if (!s->prefetch.bytes) return -1;
    cr_assert_eq(s->prefetch.bytes, COLUMNS * sizeof(float));
    return (s->prefetch.block - s->buffer.data) / (int64_t)s->prefetch.bytes;
}

Test(prefetch, expects_what_has_moved_on_twice)
{
    static setting s;
    set_up(&s);
    const int64_t rows[] = {0, 1, 2, 4, 6, 7, 6, 5, 4, 4, 4};
    const int64_t after[] = {-1, -1, 3, -1, -1, -1, -1, 4, 3, -1, -1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert_eq(row_after(&s, rows[i]), after[i], "program %zu", i);
}

Test(prefetch, expects_nothing_outside_the_array)
{
    static setting s;
    set_up(&s);
    for (int64_t row = 0; row < ROWS; row++)
        cr_assert_eq(row_after(&s, row), row < 2 || row == ROWS - 1 ? -1 : row + 1);
    for (int64_t row = ROWS - 2; row >= 0; row--)
        cr_assert_eq(row_after(&s, row), row == ROWS - 2 || row == 0 ? -1 : row - 1);
}

Test(prefetch, fetches_all_of_a_block_and_no_more)
{
    static setting s;
    set_up(&s);
    for (int64_t row = 0; row < 3; row++) row_after(&s, row);
    cr_assert(s.machine.prefetch_left);
    for (int i = 0; i < 100 && s.machine.prefetch_left; i++) tg_prefetch_some(&s.machine);
    cr_assert_not(s.machine.prefetch_left);
    cr_assert_eq(s.prefetch.fetched, s.prefetch.bytes);
}

Test(prefetch, leaves_blocks_that_are_not_one_piece_or_not_worth_it)
{
    static setting s;
    set_up(&s);
    cr_assert_eq(s.wanted.bytes, COLUMNS * sizeof(float));
    s.param.block[0] = (tg_block_dim){.kind = TG_BLOCK_BLOCKED, .size = 2};
    cr_assert_eq(tg_prefetch_of(&s.launch, 0).bytes, 2 * COLUMNS * sizeof(float));
    s.param.block[1].size = COLUMNS / 2;
    cr_assert_eq(tg_prefetch_of(&s.launch, 0).bytes, 0, "two pieces");
    s.param.block[0].size = 1;
    cr_assert_eq(tg_prefetch_of(&s.launch, 0).bytes, COLUMNS / 2 * sizeof(float));
    s.param.block[1].size = 8;
    cr_assert_eq(tg_prefetch_of(&s.launch, 0).bytes, 0, "short");
    s.param.block[0].size = s.param.block[1].size = INT64_MAX;
    cr_assert_eq(tg_prefetch_of(&s.launch, 0).bytes, 0, "huge");
    s.param.block[1].size = 0;
    cr_assert_eq(tg_prefetch_of(&s.launch, 0).bytes, 0, "empty");
    s.param.has_block = false;
    cr_assert_eq(tg_prefetch_of(&s.launch, 0).bytes, 0, "the whole array, which stays where it is");
}
