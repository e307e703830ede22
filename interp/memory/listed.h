/* Accesses by a reference with a layout whose elements a list finds: runs of neighbours are copied as
 * one, and observers are told of them as one. */
#ifndef TG_INTERP_MEMORY_LISTED_H
#define TG_INTERP_MEMORY_LISTED_H

#include "interp/memory/box.h"
#include "interp/memory/recast.h"

typedef struct tg_listed {
    tg_box box; /* of offsets in the list */
    tg_list list;
} tg_listed;

/* Returns whether the access is a box of a list, all of it inside memory without gaps; then sets
 * `listed`. */
bool tg_access_is_listed(const tg_machine *m, const tg_access_plan *a, tg_listed *listed);

/* Moves all of a list in scoped memory, which nobody observes, to the access's value, or from there. */
void tg_listed_move_all(tg_machine *m, const struct tg_inst_access *access, bool puts);

void tg_listed_load(tg_machine *m, const tg_inst *inst, const tg_listed *listed);
void tg_listed_store(tg_machine *m, const tg_inst *inst, const tg_listed *listed);

#endif
