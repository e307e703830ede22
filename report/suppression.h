/* Suppressions: rules that hide known findings, in files like Valgrind's (docs/reports.md).
 *
 *    {
 *        the sum over a parallel axis
 *        kind: race
 *        kernel: sum_*
 *        at: summed.py:16
 *    } */
#ifndef TG_REPORT_SUPPRESSION_H
#define TG_REPORT_SUPPRESSION_H

#include "base/arena.h"
#include "report/finding.h"

/* A source location, as a pattern. */
typedef struct tg_suppressed_place {
    const char *file;    /* pattern; NULL: anywhere */
    int64_t first, last; /* lines; 0 and INT64_MAX: any */
} tg_suppressed_place;

/* One block of a file.  It covers a finding if all patterns match; NULL matches anything. */
typedef struct tg_suppression_rule {
    const char *name;
    const char *file; /* "" if the text is not from a file */
    int64_t line;     /* of the opening brace */
    const char *kind, *kernel, *op, *param, *function;
    /* For an output: "part" matches if some of it is written, "nothing" if none is. */
    const char *written;
    /* The finding's own place; one of the other places that it mentions. */
    tg_suppressed_place at, other;
} tg_suppression_rule;

/* Zero-initialise; free with tg_suppression_list_free. */
typedef struct tg_suppression_list {
    tg_arena arena; /* memory of the texts */
    tg_suppression_rule *rules;
    size_t count, capacity;
} tg_suppression_list;

void tg_suppression_list_free(tg_suppression_list *list);

/* Appends the blocks in `length` bytes of text.  Diagnoses call the text `file` (NULL: "") and name
 * the line, as in "known.supp:3".  Returns TG_ERR_SYNTAX for text that is not a block,
 * TG_ERR_INVALID for an impossible key, pattern or line number, or TG_ERR_NO_MEMORY.  After an
 * error the list is unchanged. */
tg_status tg_suppression_list_read(tg_suppression_list *list, const char *text, size_t length,
                                   const char *file, tg_diags *diags);

/* Returns whether `text` matches a pattern. '*' matches any characters, '?' any one character, and
 * '\' makes the next character literal.  The time is at most proportional to the product of the
 * lengths. */
bool tg_pattern_fits(const char *pattern, const char *text);

/* Returns whether a rule applies to findings of a kernel of that name. */
bool tg_suppression_concerns(const tg_suppression_rule *rule, const char *kernel);

/* Returns whether a rule covers a finding of a run of `kernel`, which belongs to `module`. */
bool tg_suppression_covers(const tg_suppression_rule *rule, const tg_module *module,
                           const tg_kernel *kernel, const tg_found *found);

/* Returns a block that covers the finding and similar ones, to be freed with free(); NULL if memory
 * runs out. */
char *tg_suppression_print(const tg_module *module, const tg_kernel *kernel, const tg_found *found);

#endif
