/* Suppressions: which findings are known and not to count, in files like Valgrind's
 * (docs/reports.md).
 *
 *   {
 *       the sum over a parallel axis
 *       kind: race
 *       kernel: sum_*
 *       at: summed.py:16
 *   }
 */
#ifndef TG_REPORT_SUPPRESSION_H
#define TG_REPORT_SUPPRESSION_H

#include "base/arena.h"
#include "report/finding.h"

/* A place in a source. */
typedef struct tg_suppressed_place {
    const char *file;    /* pattern; NULL: anywhere */
    int64_t first, last; /* lines; 0 and INT64_MAX: any */
} tg_suppressed_place;

/* One block of a file.  A finding is covered where all patterns fit; NULL fits anything. */
typedef struct tg_suppression_rule {
    const char *name;
    const char *file; /* "" where the text is of none */
    int64_t line;     /* of the opening brace */
    const char *kind, *kernel, *op, *param, *function;
    /* Of an output: "part" fits where some of it is written, "nothing" where none is. */
    const char *written;
    tg_suppressed_place at, other; /* its own place; one of the other places that it speaks of */
} tg_suppression_rule;

/* Zero-initialise; ends with tg_suppression_list_free. */
typedef struct tg_suppression_list {
    tg_arena arena; /* the texts */
    tg_suppression_rule *rules;
    size_t count, capacity;
} tg_suppression_list;

void tg_suppression_list_free(tg_suppression_list *list);

/* Appends the blocks of `length` bytes of text, which its diagnoses call `file` (NULL: ""); what is
 * found to be wrong is told with its line, "known.supp:3" standing for a file.  TG_ERR_SYNTAX for
 * what is no block, TG_ERR_INVALID for a key, pattern or line number that cannot be meant,
 * TG_ERR_NO_MEMORY.  After a failure the list is as before. */
tg_status tg_suppression_list_read(tg_suppression_list *list, const char *text, size_t length,
                                   const char *file, tg_diags *diags);

/* Whether `text` fits a pattern, in which '*' stands for any characters, '?' for any one, and '\'
 * takes its power from the character behind it.  Takes time of the product of their lengths at
 * most. */
bool tg_pattern_fits(const char *pattern, const char *text);

/* Whether a rule is about findings of a kernel of that name. */
bool tg_suppression_concerns(const tg_suppression_rule *rule, const char *kernel);

/* Whether a rule covers a finding of a run of `kernel`, which is of `module`. */
bool tg_suppression_covers(const tg_suppression_rule *rule, const tg_module *module,
                           const tg_kernel *kernel, const tg_found *found);

/* A block that covers the finding and its like, to be freed with free(); NULL without memory. */
char *tg_suppression_print(const tg_module *module, const tg_kernel *kernel, const tg_found *found);

#endif
