/* Random numbers by counter: the words of the published generator, and what is made of them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "tilegrind/random.h"

enum { COUNT = 100000 };

Test(random_numbers, words_are_those_of_splitmix64)
{
    uint64_t found[3];
    tg_random_words(0, 3, found);
    cr_assert_eq(found[0], UINT64_C(0xE220A8397B1DCDAF));
    uint64_t next[2];
    tg_random_words(UINT64_C(0x9E3779B97F4A7C15), 2,
                    next); /* an element depends on the start and its place alone */
    cr_assert_eq(next[0], found[1]);
    cr_assert_eq(next[1], found[2]);
}

Test(random_numbers, integers_reach_both_ends)
{
    int64_t *found = calloc(COUNT, sizeof *found), count[5] = {0};
    tg_random_integers(1, COUNT, -2, 2, found);
    for (int i = 0; i < COUNT; i++) {
        cr_assert(found[i] >= -2 && found[i] <= 2);
        count[found[i] + 2]++;
    }
    for (int k = 0; k < 5; k++) cr_assert_lt(llabs(count[k] - COUNT / 5), COUNT / 100);
    tg_random_integers(1, 2, 7, 7, found);
    cr_assert_eq(found[1], 7);
    free(found);
}

static void check_moments(const double *x, double mean, double variance)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < COUNT; i++) sum += x[i], squares += x[i] * x[i];
    sum /= COUNT;
    cr_assert_lt(fabs(sum - mean), 0.02);
    cr_assert_lt(fabs(squares / COUNT - sum * sum - variance), 0.02);
}

Test(random_numbers, floats_have_their_moments_and_ends)
{
    double *found = calloc(COUNT, sizeof *found);
    tg_random_uniform(1, COUNT, found);
    check_moments(found, 0.5, 1.0 / 12);
    for (int i = 0; i < COUNT; i++) cr_assert(found[i] > 0 && found[i] <= 1);
    tg_random_normal(1, COUNT, found);
    check_moments(found, 0, 1);
    for (int i = 0; i < COUNT; i++) cr_assert(fabs(found[i]) < 3.47);
    tg_random_normal(1, 0, NULL);
    free(found);
}
