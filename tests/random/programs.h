/* What must hold of every kernel of RANDOM_TYPED:
 *
 *   1  it verifies, and runs without findings but those of outputs that nobody wrote;
 *   2  its canonical JSON is read back as the same text, which gives the same bits;
 *   3  every order, one thread and two, and every instruction set give the same bits, in both profiles;
 *   4  so does the kernel as PTX, in the emulator, in the order of the grid and with several CTAs, and it prints the
 *      same text. */
#ifndef TESTS_RANDOM_PROGRAMS_H
#define TESTS_RANDOM_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRAM_OPS = 16 }; /* at the top of a kernel */

/* Which of them are looked at. */
typedef enum random_checks {
    RANDOM_ALL,
    RANDOM_CPU, /* all but 4, which takes most of the time */
    RANDOM_GPU  /* 4 alone, on a GPU instead of the emulator */
} random_checks;

typedef enum random_verdict {
    RANDOM_HOLDS,
    RANDOM_REFUSED, /* all holds but that PTX lacks what the kernel needs, `why` */
    RANDOM_FAILS
} random_verdict;

/* Checks kernel number `seed` of up to `ops` ops; `why` tells what does not hold. */
random_verdict random_program_check(uint64_t seed, int ops, random_checks checks, char *why,
                                    size_t size);

/* The least number of ops with which the kernel of that seed, which fails with `ops`, still fails. */
int random_program_shrink(uint64_t seed, int ops, random_checks checks);

/* The kernel as JSON; the caller frees it. */
char *random_program_json(uint64_t seed, int ops);

#endif
