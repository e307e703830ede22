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

/* Checks kernel number `seed` of up to `ops` ops.  False, and why in `why`, where something does not hold. */
bool random_program_holds(uint64_t seed, int ops, char *why, size_t size);

/* Runs so far that a backend other than the interpreter refused, because it does not support what they need. */
uint64_t random_program_refusals(void);

/* The least number of ops with which the kernel of that seed, which fails with `ops`, still fails. */
int random_program_shrink(uint64_t seed, int ops);

/* The kernel as JSON; the caller frees it. */
char *random_program_json(uint64_t seed, int ops);

#endif
