/* Findings: what a run showed to be wrong with the kernel. */
#ifndef TG_REPORT_FINDING_H
#define TG_REPORT_FINDING_H

#include <pthread.h>

#include "ir/ir.h"

/* How bad it is: a wrong result, what may become one elsewhere, what is worth knowing. */
typedef enum tg_level { TG_LEVEL_NOTE, TG_LEVEL_WARNING, TG_LEVEL_ERROR } tg_level;

/* id, spelling, level, what it is (docs/findings.md tells more) */
#define TG_FINDING_KINDS(X)                                                                        \
    X(BLOCK_OUTSIDE_ARRAY, "block-outside-array", ERROR,                                           \
      "an index map chose a block that lies wholly outside its array")                             \
    X(ACCESS_OUTSIDE_REF, "access-outside-ref", ERROR,                                             \
      "an op reached an element outside the reference it indexes")                                 \
    X(OUTPUT_UNWRITTEN, "output-unwritten", ERROR, "elements of an output that no program wrote")  \
    X(DIVISION_BY_ZERO, "division-by-zero", ERROR,                                                 \
      "an integer was divided by zero, which the dialect of the kernel forbids")                   \
    X(SHIFT_TOO_FAR, "shift-too-far", ERROR,                                                       \
      "a shift by the width of the dtype or more, which the dialect of the kernel forbids")        \
    X(ENDLESS_LOOP, "endless-loop", ERROR,                                                         \
      "the step of a counted loop is not positive, or a loop begins two turns with the same "      \
      "values")                                                                                    \
    X(MULTIPLE_OF_BROKEN, "multiple-of-broken", ERROR,                                             \
      "a value is no multiple of what the source promises that it is")                             \
    X(CHECK_FAILED, "check-failed", ERROR, "a condition that the kernel checks is false")          \
    X(RACE, "race", ERROR,                                                                         \
      "two programs that nothing orders touch the same element, and at least one writes it")       \
    X(RACE_SAME_VALUE, "race-same-value", WARNING,                                                 \
      "two programs that nothing orders write the same value to the same element")                 \
    X(ORDER_DEPENDENCE, "order-dependence", ERROR,                                                 \
      "an output depends on the order in which programs run that nothing orders")                  \
    X(ORDER_ROUNDING, "order-rounding", NOTE,                                                      \
      "a sum of floats by atomics is rounded as the order of the programs has it, and depends on " \
      "it by nothing else")                                                                        \
    X(DEADLOCK, "deadlock", ERROR,                                                                 \
      "a program waits for a semaphore that nothing can raise any more")                           \
    X(LIVELOCK, "livelock", ERROR,                                                                 \
      "a program looks again and again for a change of memory that nobody is left to make")        \
    X(ASSUMES_RESIDENT, "assumes-resident", NOTE,                                                  \
      "a program waits for one that may begin only after it: both must be resident together")      \
    X(STEP_LIMIT, "step-limit", ERROR,                                                             \
      "a program has made more turns of its loops than the run allows")                            \
    X(SEMAPHORE_LEFT, "semaphore-left", ERROR, "a semaphore that is not 0 where its memory ends")  \
    X(DMA_NOT_AWAITED, "dma-not-awaited", ERROR, "a copy that nobody waited for")                  \
    X(DMA_IN_FLIGHT, "dma-in-flight", ERROR,                                                       \
      "an op touched what a copy that nobody has waited for yet may be about to read or write")    \
    X(UNDEFINED_OUTPUT, "undefined-output", ERROR,                                                 \
      "an output keeps a value that depends on something undefined")                               \
    X(UNDEFINED_CONDITION, "undefined-condition", ERROR,                                           \
      "a branch, a loop or a check depends on something undefined")                                \
    X(UNDEFINED_ADDRESS, "undefined-address", ERROR,                                               \
      "an index, a mask or an index map depends on something undefined")                           \
    X(INTEGER_OVERFLOW, "integer-overflow", WARNING,                                               \
      "an index, a mask or an index map depends on a signed integer that has wrapped around")      \
    X(FLOAT_TO_INT_RANGE, "float-to-int-range", WARNING,                                           \
      "a float is converted to an integer that cannot hold it, and something depends on that")     \
    X(SCATTER_DUPLICATES, "scatter-duplicates", ERROR,                                             \
      "a store or scatter through indices gives one element several values")                       \
    X(ALIAS_ASSUMED, "alias-assumed", WARNING,                                                     \
      "an input is read where the output that shares its memory was written")                      \
    X(PROGRAM_INDEPENDENT, "program-independent", NOTE,                                            \
      "every program stores the same into its block, whatever its place in the grid")              \
    X(NAN_MADE, "nan-made", ERROR, "an op made a NaN of operands that have none")                  \
    X(INF_MADE, "inf-made", ERROR, "an op made an infinity of operands that have none")            \
    X(ALIAS_UNFETCHED, "alias-unfetched", ERROR,                                                   \
      "on a TPU, where the input that an output is an alias of is not in the output's block, a "   \
      "program reads it there or leaves it there")                                                 \
    X(PREFETCH_WRITTEN, "prefetch-written", WARNING,                                               \
      "an index map reads what an earlier program has written to a scalar-prefetch table (an "     \
      "error where the target is a TPU)")                                                          \
    X(BLOCK_REVISITED, "block-revisited", NOTE,                                                    \
      "a block of an output is left, come back to, and not written anew (an error where the "      \
      "target is a TPU)")

typedef enum tg_finding_kind {
#define X(id, name, level, means) TG_FINDING_##id,
    TG_FINDING_KINDS(X)
#undef X
        TG_FINDING_KIND_COUNT
} tg_finding_kind;

typedef struct tg_finding_info {
    const char *name;
    tg_level level;
    const char *means;
} tg_finding_info;

extern const tg_finding_info tg_finding_infos[TG_FINDING_KIND_COUNT];

/* "note", "warning", "error" */
extern const char *const tg_level_names[TG_LEVEL_ERROR + 1];

/* The level of a finding, wherever it is told: what is told of a TPU is an error where the target is one. */
tg_level tg_finding_level(tg_finding_kind kind, bool is_tpu);

/* What a finding is about: an op, in a program. */
typedef struct tg_found_place {
    tg_opcode op; /* TG_OP_COUNT where it belongs to no op */
    uint32_t loc;
    bool has_program;
    int64_t program[TG_MAX_AXES];
} tg_found_place;

/* Another place that it speaks of, and what that has to do with it. */
typedef struct tg_found_related {
    const char *role; /* fixed text: "conflicts with" */
    const tg_param *param;
    tg_found_place at;
} tg_found_related;

enum { TG_MOST_RELATED = 12 };

typedef struct tg_found {
    tg_finding_kind kind;
    bool is_partial;       /* OUTPUT_UNWRITTEN: some of the output is written */
    const tg_param *param; /* NULL where it is about no one parameter */
    tg_found_place at;
    bool has_elements;
    int64_t first,
        last; /* has_elements: the least and the greatest place in the array of `param`, row-major */
    int64_t order; /* place of the program in the grid: the least is kept */
    int64_t count;
    uint32_t assumed; /* axes that nobody declares: were they ordered, there would be no finding */
    char replay[96];  /* the order that shows it; "": that of the run */
    uint64_t other; /* tells apart findings of one kind at one place: a number of the detector's */
    uint32_t related_count;
    tg_found_related related[TG_MOST_RELATED];
    char message[800];
} tg_found;

/* Findings of one run, one entry for each kind, op, place, parameter and `other`: that of the first program of the
 * grid that has it, in whatever order the programs ran.  Which are the first `most` is known only at the end:
 * until then all are kept, of which a kernel has at most a few per op. */
typedef struct tg_findings {
    tg_found *list;
    size_t count, capacity, most;
    bool is_incomplete; /* some were lost for want of memory */
    pthread_mutex_t lock;
} tg_findings;

/* False without memory for the lock. */
bool tg_findings_init(tg_findings *findings, size_t most);
void tg_findings_free(tg_findings *findings);

/* Adds `found`, whose count is 1, or counts it with its like.  Safe from several threads. */
void tg_findings_add(tg_findings *findings, const tg_found *found);

/* Sorts by place in the grid, so that a report does not depend on the order of the run, and keeps the first
 * `most`. */
void tg_findings_sort(tg_findings *findings);

#endif
