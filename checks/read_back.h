/* Reads of what programs have written before: who wrote a place last that an access reads. */
#ifndef TG_CHECKS_READ_BACK_H
#define TG_CHECKS_READ_BACK_H

#include "checks/memory_planes.h"
#include "checks/writers.h"
#include "interp/state/detector.h"

typedef struct tg_read_back tg_read_back;

/* Called for places that an access reads, with who wrote them last in the same chain: programs of
 * other chains race.  True where a finding is made; then it is not called for that touch again. */
typedef bool tg_read_back_fn(tg_read_back *back, const tg_writer *writer, int64_t place);

/* The state of a detector of such reads, or what that begins with. */
struct tg_read_back {
    const tg_plan *plan;
    tg_memory_planes memory; /* that is watched: numbers of who wrote last */
    tg_writers writers;
    tg_findings *findings;        /* of the run */
    const tg_access_event *event; /* the one at hand */
    uint32_t number;              /* what it writes */
    bool has_reported;            /* it has been */
    bool is_incomplete;
    tg_read_back_fn *read;
};

/* No memory is watched yet.  False without memory, and then there is nothing to free. */
bool tg_read_back_init(tg_read_back *back, const tg_plan *plan, tg_read_back_fn *read);

/* The access of a program to memory that is watched. */
void tg_read_back_accessed(tg_read_back *back, const tg_access_event *event);

/* Of a detector: frees the state and what it holds; begins a run; what there is to tell has been
 * told, so that the report is no more than whether memory was short. */
void tg_read_back_free(void *state);
bool tg_read_back_begin(void *state, const tg_run_begin *run);
bool tg_read_back_report(void *state, tg_run_end *run);

#endif
