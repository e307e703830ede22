/* For the tests of memory: kernels as text, arrays that count up, and what undefined elements are. */
#ifndef TESTS_MEMORY_TEXT_H
#define TESTS_MEMORY_TEXT_H

#include "run_text.h"

#define UNDEFINED INT32_MIN /* of i32 */

static inline void iota(int32_t *x, int count)
{
    for (int i = 0; i < count; i++) x[i] = i;
}

#endif
