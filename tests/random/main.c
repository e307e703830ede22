/* random_programs [FIRST [COUNT]]: checks that many kernels from seed FIRST on, see programs.h.
 *
 * With OMP_WAIT_POLICY=passive in the environment a kernel takes some 10 ms; without it, threads that wait for the
 * next of these tiny runs keep a core busy for most of the time.
 *
 * The first that fails ends the run: its kernel, with as few ops as still fail, goes to standard output, why
 * and the command that repeats it to standard error, and the exit status is 1. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "random/programs.h"

enum { PROGRESS = 1000 };

static int show_failure(uint64_t seed, const char *why)
{
    char less[512];
    const int ops = random_program_shrink(seed, PROGRAM_OPS);
    fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, why);
    if (!random_program_holds(seed, ops, less, sizeof less))
        fprintf(stderr, "with %d ops at the top: %s\n", ops, less);
    fprintf(stderr, "again: random_programs %" PRIu64 " 1\n", seed);
    char *json = random_program_json(seed, ops);
    puts(json);
    free(json);
    return 1;
}

int main(int argc, char **argv)
{
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
    const time_t start = time(NULL);
    char why[512];
    for (uint64_t seed = first; seed - first < count; seed++) {
        if (!random_program_holds(seed, PROGRAM_OPS, why, sizeof why))
            return show_failure(seed, why);
        if ((seed - first + 1) % PROGRESS == 0)
            fprintf(stderr, "%" PRIu64 " of %" PRIu64 ", %.0f s\n", seed - first + 1, count,
                    difftime(time(NULL), start));
    }
    printf("%" PRIu64 " kernels, seeds %" PRIu64 " to %" PRIu64 ": all hold; %" PRIu64
           " runs as PTX were refused\n",
           count, first, first + count - 1, random_program_refusals());
    return 0;
}
