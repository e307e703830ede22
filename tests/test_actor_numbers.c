/* Numbers of actors: of programs, and of the ops that they have started. */
#include <criterion/criterion.h>

#include "checks/actor_numbers.h"
#include "interp/state/actors.h"

enum { PROGRAMS = 3, OPS = 200 };

/* Op n, from 1 on, is of program n % PROGRAMS. */
static int64_t op_of(int64_t n) { return tg_actor_of_async(n % PROGRAMS, n, PROGRAMS); }

Test(actor_numbers, are_kept_for_programs_and_ops)
{
    tg_actor_numbers numbers = {.programs = PROGRAMS};
    for (int64_t n = OPS; n > 0; n--) {
        cr_assert_eq(tg_actor_numbers_get(&numbers, op_of(n)), UINT32_MAX);
        cr_assert(tg_actor_numbers_put(&numbers, op_of(n), (uint32_t)n));
    }
    for (int64_t p = 0; p < PROGRAMS; p++) {
        cr_assert_eq(tg_actor_numbers_get(&numbers, p), UINT32_MAX);
        cr_assert(tg_actor_numbers_put(&numbers, p, 0));
    }
    for (int64_t p = 0; p < PROGRAMS; p++) cr_expect_eq(tg_actor_numbers_get(&numbers, p), 0);
    for (int64_t n = 1; n <= OPS; n++)
        cr_expect_eq(tg_actor_numbers_get(&numbers, op_of(n)), (uint32_t)n);
    tg_actor_numbers_free(&numbers);
    cr_expect_eq(tg_actor_numbers_get(&numbers, 0), UINT32_MAX);
}

Test(actor_numbers, without_ops_every_actor_is_a_program)
{
    tg_actor_numbers numbers = {0};
    cr_assert(tg_actor_numbers_put(&numbers, 1000, 7));
    cr_expect_eq(tg_actor_numbers_get(&numbers, 1000), 7);
    cr_expect_eq(tg_actor_numbers_get(&numbers, 999), UINT32_MAX);
    tg_actor_numbers_free(&numbers);
}
