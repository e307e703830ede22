/* Backends held against each other on one case: same bits, same findings, same text. */
#ifndef TG_CROSSCHECK_CROSSCHECK_H
#define TG_CROSSCHECK_CROSSCHECK_H

#include "crosscheck/fast_bound.h"
#include "crosscheck/first_difference.h"
#include "ir/setting.h"
#include "loaders/case.h"
#include "tilegrind/crosscheck.h"

/* What came of one backend. */
typedef struct tg_cross_outcome {
    tg_cross_verdict verdict;
    tg_status status; /* of the run that failed or was refused */
    double seconds;   /* of the backend's run */
    char text[1024];  /* one line: what differs, or why there was no run; "" where all is equal */
    const char *bound_output; /* WITHIN, or DIFFERENT and so told: of the case; else NULL */
    tg_fast_worst worst;      /* its element that takes up most of its bound */
    /* Where outputs first differ from the interpreter's, if that was looked for and found; points
     * into the case. */
    bool has_first;
    tg_first_difference first;
    /* It in one line, or why it could not be looked for; "" where it was not. */
    char first_text[TG_FIRST_TEXT];
} tg_cross_outcome;

/* What holds for all cases. */
typedef struct tg_crosscheck_settings {
    /* At least two: "cpu", "emulator", "emulator:7", "gpu", "gpu:1", "triton-ptx:7". */
    const char *const *backends;
    size_t count;
    bool is_fast; /* all but the first in profile fast */
    tg_tensor_core tensor_core;
} tg_crosscheck_settings;

/* Runs the case on each backend, in profile reference whatever its own is, in sequential order with
 * one CTA going through the grid, and compares all with the first.
 *   outputs   bit by bit; NaN is NaN whatever its bits.  With `is_fast` what differs must be within
 *             the bound that fast_bound.h derives, and what is printed is not compared
 *   findings  kind, op, source line, parameter and first program; those of outputs that nobody
 *             wrote only the interpreter makes
 *   text      what debug_print prints, byte by byte
 *   results   count - 1: of each backend but the first.  Where the first came to no end, all of
 *             them say so
 * Where outputs differ from those of "cpu", and that is the first, the first op that differs is
 * looked for.  Returns TG_ERR_NO_MEMORY, or TG_OK with what was found. */
tg_status tg_crosscheck_case(const tg_case *c, const tg_crosscheck_settings *settings,
                             tg_cross_outcome *results);

#endif
