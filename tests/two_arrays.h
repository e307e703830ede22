/* Two arrays that the library keeps, for tests of what is done with them. */
#ifndef TG_TESTS_TWO_ARRAYS_H
#define TG_TESTS_TWO_ARRAYS_H

#include <criterion/criterion.h>
#include <string.h>

#include "tilegrind/arrays.h"

/* The call has failed so, with an error whose text has `part`; empties `errors`. */
static inline void check_error(tg_errors **errors, tg_status status, tg_status expected,
                               const char *part)
{
    cr_assert_eq(status, expected, "%s: %s", part, tg_status_name(status));
    bool is_told = false;
    for (size_t i = 0; i < tg_errors_count(*errors); i++)
        is_told = is_told || strstr(tg_errors_get(*errors, i).message, part);
    cr_assert(is_told, "%s is not told", part);
    cr_assert_eq(tg_errors_get(*errors, 0).status, expected);
    tg_errors_free(*errors);
    *errors = tg_errors_new();
}

static inline tg_array array_over(const char *name, const char *dtype, void *data, int rank,
                                  int64_t *shape)
{
    return (tg_array){name, {data, {1, 0}, rank, tg_dtype_to_dlpack(dtype), shape, NULL, 0}};
}

/* x: f32[2,3] of 0 to 5; n: i4[2] of -8 and 7. */
static inline tg_arrays *make_two(void)
{
    float x[] = {0, 1, 2, 3, 4, 5};
    int8_t n[] = {-8, 7};
    int64_t shape[] = {2, 3};
    tg_arrays *all = tg_arrays_new();
    const tg_array first = array_over("x", "f32", x, 2, shape),
                   second = array_over("n", "i4", n, 1, shape);
    cr_assert_eq(tg_arrays_add(all, &first, NULL), TG_OK);
    cr_assert_eq(tg_arrays_add(all, &second, NULL), TG_OK);
    return all;
}

static inline float element_of(const tg_arrays *all, size_t index, size_t element)
{
    return ((float *)tg_arrays_get(all, index).tensor.data)[element];
}

#endif
