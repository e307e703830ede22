/* Reads of memory that programs have written before: the last writer of each place that an access
 * reads. */
#ifndef TG_CHECKS_READ_BACK_H
#define TG_CHECKS_READ_BACK_H

#include "checks/memory_planes.h"
#include "checks/writers.h"
#include "interp/state/detector.h"

typedef struct tg_read_back tg_read_back;

/* Called for places that an access reads, with their last writer if it is of the same chain;
 * programs of other chains race.  Returns true if it made a finding; then it is not called for that
 * access again. */
typedef bool tg_read_back_fn(tg_read_back *back, const tg_writer *writer, int64_t place);

/* The state of a detector of such reads, or its first member. */
struct tg_read_back {
    const tg_plan *plan;
    tg_memory_planes memory; /* numbers of the last writers */
    tg_writers writers;
    tg_findings *findings;        /* of the run */
    const tg_access_event *event; /* the current access */
    uint32_t number;              /* the number of its writer */
    bool has_reported;            /* a finding was made for it */
    bool is_incomplete;
    tg_read_back_fn *read;
};

/* Watches no memory at first.  Returns false if memory runs out; then there is nothing to free. */
bool tg_read_back_init(tg_read_back *back, const tg_plan *plan, tg_read_back_fn *read);

/* Handles an access by a program to watched memory. */
void tg_read_back_accessed(tg_read_back *back, const tg_access_event *event);

/* Functions for a tg_detector: free frees the state and its members, begin begins a run.  Findings
 * are made during the run, so report only returns whether memory was sufficient. */
void tg_read_back_free(void *state);
bool tg_read_back_begin(void *state, const tg_run_begin *run);
bool tg_read_back_report(void *state, tg_run_end *run);

#endif
