/* One run of a random kernel: through the public interface, which plans it anew, or on a plan that runs share, which
 * costs a fraction of that. */
#ifndef TESTS_RANDOM_RUNS_H
#define TESTS_RANDOM_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/plan.h"
#include "tilegrind/tilegrind.h"

/* How a kernel is run. */
typedef struct random_variant {
    const char *order, *isa; /* isa NULL: the widest */
    const char *profile;
    bool keeps;          /* the bits that the next variants must give */
    const char *backend; /* NULL: the interpreter */
    const char *layouts; /* NULL: logical */
} random_variant;

/* What came of a run. */
typedef struct random_outcome {
    bool
        took_place; /* else not: this machine lacks the instruction set or SLEEF, or PTX what the kernel needs */
    bool holds;      /* no error, and no finding but those of outputs that nobody wrote */
    bool is_refused; /* as PTX */
    char why[900];   /* not `holds` or refused: what is wrong */
    char *printed;   /* the caller frees it; NULL: none, or memory is exhausted */
} random_outcome;

/* Runs the module's only kernel on any backend. */
random_outcome random_run(const tg_module *module, const tg_array *arrays, size_t count,
                          const random_variant *variant);

/* Runs the plan on the interpreter; `data` as tg_runner_run takes it. */
random_outcome random_run_plan(const tg_plan *plan, void *const *data,
                               const random_variant *variant);

#endif
