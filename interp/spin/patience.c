#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "interp/spin/patience.h"

#include <time.h>

uint32_t tg_next_patience(uint32_t patience, double *asked)
{
    enum { MOST = 64 };
    const double soon = 1e-3;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    const double now = (double)time.tv_sec + 1e-9 * (double)time.tv_nsec, passed = now - *asked;
    *asked = now;
    if (patience == 0 || passed > soon) return 1;
    return 2 * patience < MOST ? 2 * patience : MOST;
}
