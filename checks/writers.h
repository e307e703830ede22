/* Who wrote a place last, as a number that planes keep. */
#ifndef TG_CHECKS_WRITERS_H
#define TG_CHECKS_WRITERS_H

#include "checks/number_map.h"
#include "interp/state/observer.h"
#include "plan/plan.h"
#include "report/finding.h"

/* An instruction of the body in one program. */
typedef struct tg_writer {
    uint32_t param; /* the name by which it writes */
    const tg_inst *inst;
    int64_t program_index, chain;
    int64_t program[TG_MAX_AXES];
} tg_writer;

/* Zero-initialise, with the plan. */
typedef struct tg_writers {
    const tg_plan *plan;
    tg_writer *list;
    uint32_t count;
    size_t room;
    tg_number_map numbers; /* by instruction and program */
} tg_writers;

void tg_writers_free(tg_writers *writers);

/* Forgets them: at the start of each run. */
void tg_writers_clear(tg_writers *writers);

/* The number of who does the access, from 1 on; 0 where there is no memory, or no number, for
 * more. */
uint32_t tg_writers_number(tg_writers *writers, const tg_access_event *event);

/* The writer of that number, valid until the next one is asked for. */
static inline const tg_writer *tg_writers_get(const tg_writers *writers, uint32_t number)
{
    return &writers->list[number - 1];
}

/* Where it wrote; where an access takes place, for findings. */
tg_found_place tg_writer_place(const tg_writer *writer);
tg_found_place tg_access_place(const tg_plan *plan, const tg_access_event *event);

#endif
