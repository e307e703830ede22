/* How much of a long test is done: all of it, or a sample where TG_SAMPLED is set, for builds that look at memory and lines rather
 * than at numbers. */
#ifndef TESTS_SAMPLED_H
#define TESTS_SAMPLED_H

#include <stdlib.h>

static inline int sampled(int all, int sample) { return getenv("TG_SAMPLED") ? sample : all; }

#endif
