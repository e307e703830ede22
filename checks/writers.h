/* The last writer of a place, as a number for planes. */
#ifndef TG_CHECKS_WRITERS_H
#define TG_CHECKS_WRITERS_H

#include "checks/number_map.h"
#include "interp/state/observer.h"
#include "plan/plan.h"
#include "report/finding.h"

/* An instruction of the body, in one program. */
typedef struct tg_writer {
    uint32_t param; /* the param by whose name it writes */
    const tg_inst *inst;
    int64_t program_index, chain;
    int64_t program[TG_MAX_AXES];
} tg_writer;

/* Zero-initialise, except for the plan. */
typedef struct tg_writers {
    const tg_plan *plan;
    tg_writer *list;
    uint32_t count;
    size_t room;
    tg_number_map numbers; /* by instruction and program index */
} tg_writers;

void tg_writers_free(tg_writers *writers);

/* Removes all writers, at the start of each run. */
void tg_writers_clear(tg_writers *writers);

/* Returns the number, from 1 on, of the instruction and program of the access; 0 if memory or
 * numbers run out. */
uint32_t tg_writers_number(tg_writers *writers, const tg_access_event *event);

/* Returns the writer with that number.  It is valid until the next call of tg_writers_number. */
static inline const tg_writer *tg_writers_get(const tg_writers *writers, uint32_t number)
{
    return &writers->list[number - 1];
}

/* The source location and program of a writer or an access, for findings. */
tg_found_place tg_writer_place(const tg_writer *writer);
tg_found_place tg_access_place(const tg_plan *plan, const tg_access_event *event);

#endif
