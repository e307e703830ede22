/* Tables of inputs and expected results, derived from the tests and documents of others:
 *
 *   {"suite": "..", "source": "repository @ commit, path", "cases": [
 *     {"name": "..", "op": "group", "in": ["8:1", "(2,4)"], "out": "(2,4):(4,1)"},
 *     {"name": "..", "op": "group", "in": ["12:1", "(5)"], "refuses": "does not divide"},
 *     {"name": "..", "without": "why this case of the suite is not tried"}]}
 *
 * "out" is all that the operation prints; "refuses" is a part of its diagnosis. */
#ifndef TG_TESTS_LAYOUTS_JUDGE_H
#define TG_TESTS_LAYOUTS_JUDGE_H

#include "base/diag.h"
#include "base/text.h"
#include "layout/axe.h"

/* An operation on texts, as a table names it: prints its result, or gives a reason. */
typedef struct judged_op {
    const char *name;
    int least, most; /* texts that it takes */
    tg_status (*run)(const char *const *in, int count, tg_text *out, tg_diags *diags);
} judged_op;

extern const judged_op judged_ops[]; /* the last has no name */

#define JUDGED_OP(id, least, most)                                                                 \
    tg_status judged_##id(const char *const *in, int count, tg_text *out, tg_diags *diags);
#include "layouts/judged_ops.def"

/* tg_axe_read of a text that ends with NUL. */
tg_status judge_read(const char *text, tg_axe *out, tg_diags *diags);

/* What came of the cases of a file. */
typedef struct judgement {
    char suite[128];
    int passed, failed, without;
} judgement;

/* Tries all cases of a file, and calls `tell` for each that fails and, with `reasons`, for each that
 * is not tried.  False if the file is none. */
typedef void judge_tell(const char *suite, const char *name, const char *what);
bool judge_file(const char *file, bool reasons, judge_tell *tell, judgement *out);

#endif
