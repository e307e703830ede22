/* Findings: what a run shows to be wrong with the kernel. */
#ifndef TG_REPORT_FINDING_H
#define TG_REPORT_FINDING_H

#include <pthread.h>

#include "ir/setting.h"

/* The severity: what could be faster, something worth knowing, a result that may be wrong elsewhere,
 * a wrong result. */
typedef enum tg_level { TG_LEVEL_ADVICE, TG_LEVEL_NOTE, TG_LEVEL_WARNING, TG_LEVEL_ERROR } tg_level;

/* Checks, and bits of a set of them. */
enum {
#define TG_CHECK(ID, name, what) TG_CHECK_NUMBER_##ID,
#include "report/checks.def"
    TG_CHECK_COUNT
};

typedef enum tg_check_bit {
    TG_CHECK_ANY_RUN = 0, /* every run finds it */
#define TG_CHECK(ID, name, what) TG_CHECK_##ID = 1 << TG_CHECK_NUMBER_##ID,
#include "report/checks.def"
    TG_CHECK_ALL = 0
#define TG_CHECK(ID, name, what) | TG_CHECK_##ID
#define TG_ADVICE(ID, name, what)
#include "report/checks.def"
} tg_check_bit;

typedef enum tg_finding_kind {
#define TG_FINDING(ID, name, level, on_tpu, check, what) TG_FINDING_##ID,
#include "report/checks.def"
    TG_FINDING_KIND_COUNT
} tg_finding_kind;

typedef struct tg_finding_info {
    const char *name;
    tg_level level[TG_TARGET_COUNT]; /* per target: any, tpu */
    tg_check_bit check;              /* the check that finds it */
    const char *means;
} tg_finding_info;

extern const tg_finding_info tg_finding_infos[TG_FINDING_KIND_COUNT];

/* "advice", "note", "warning", "error" */
extern const char *const tg_level_names[TG_LEVEL_ERROR + 1];

/* Returns the level of a finding for the target. */
tg_level tg_finding_level(tg_finding_kind kind, tg_target target);

/* What a finding is about: an op, in a program. */
typedef struct tg_found_place {
    tg_opcode op; /* TG_OP_COUNT if it belongs to no op */
    uint32_t loc;
    bool has_program;
    int64_t program[TG_MAX_AXES];
} tg_found_place;

/* Another place that the finding mentions, and its relation to the finding. */
typedef struct tg_found_related {
    const char *role; /* fixed text: "conflicts with" */
    const tg_param *param;
    tg_found_place at;
} tg_found_related;

enum { TG_MOST_RELATED = 12 };

typedef struct tg_found {
    tg_finding_kind kind;
    bool is_partial;       /* OUTPUT_UNWRITTEN: some of the output is written */
    const tg_param *param; /* NULL if no single parameter is concerned */
    tg_found_place at;
    bool has_elements;
    /* If has_elements: the first and last element in the array of `param`, row-major. */
    int64_t first, last;
    int64_t program_index; /* of the first such program */
    int64_t count;
    /* Axes without declared semantics; if they were ordered, there would be no finding. */
    uint32_t assumed;
    char replay[96]; /* the order that shows it; "": the order of the run */
    /* A number of the detector's that tells apart findings of one kind at one place. */
    uint64_t other;
    uint32_t related_count;
    tg_found_related related[TG_MOST_RELATED];
    char message[800];
    char advice[320]; /* what would help; "": nothing is known */
} tg_found;

/* Findings of one run: one entry for each kind, op, place, parameter and `other`.  It is that of
 * the first program in the grid that has it, in whatever order the programs ran.  The first `most`
 * entries are known only at the end.  Until then all are kept; a kernel has at most a few per
 * op. */
typedef struct tg_findings {
    tg_found *list;
    size_t count, capacity, most;
    bool is_incomplete; /* some were lost because memory ran out */
    pthread_mutex_t lock;
} tg_findings;

/* The kind of finding that an op `check` makes. */
tg_finding_kind tg_finding_of_check(const tg_op *op);

/* Returns false if memory for the lock runs out. */
bool tg_findings_init(tg_findings *findings, size_t most);
void tg_findings_free(tg_findings *findings);

/* Adds `found`, whose count is 1, or increases the count of the equal entry.  Safe from several
 * threads. */
void tg_findings_add(tg_findings *findings, const tg_found *found);

/* The number of the entry that tg_findings_add would count `found` in; their count if there is none.  Not
 * while others add. */
size_t tg_findings_find(const tg_findings *findings, const tg_found *found);

/* Sorts by program index, so that a report does not depend on the order of the run, advice last, and
 * keeps the first `most`. */
void tg_findings_sort(tg_findings *findings);

#endif
