/* Two backends held against each other on one case: same bits, same findings. */
#ifndef TG_CONFORMANCE_CROSSCHECK_H
#define TG_CONFORMANCE_CROSSCHECK_H

#include "loaders/case.h"
#include "tilegrind/tilegrind.h"

typedef enum tg_cross_verdict {
    TG_CROSS_EQUAL,
    TG_CROSS_DIFFERENT, /* outputs or findings differ */
    TG_CROSS_REFUSED,   /* the backend does not support what the case needs */
    TG_CROSS_FAILED     /* a run came to no end: the status tells why */
} tg_cross_verdict;

typedef struct tg_crosscheck {
    tg_cross_verdict verdict;
    tg_status status; /* of the run that failed or was refused */
    double seconds;   /* of the second backend's run */
    char text[1024];  /* one line: what differs, or why there was no run; "" where all is equal */
} tg_crosscheck;

/* Runs the case on the interpreter, in sequential order, and on `backend` ("emulator", "emulator:7"), one CTA
 * going through the grid, and compares.
 *   outputs   bit by bit; NaN is NaN whatever its bits
 *   findings  kind, op, source line, parameter and first program; those of outputs that nobody wrote only the
 *             interpreter makes
 * Returns TG_ERR_NO_MEMORY, or TG_OK with what was found in *out. */
tg_status tg_crosscheck_case(const tg_case *c, const char *backend, tg_crosscheck *out);

#endif
