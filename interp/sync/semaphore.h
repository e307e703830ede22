/* Semaphores: counters that programs and copies raise, and that programs wait for. */
#ifndef TG_INTERP_SYNC_SEMAPHORE_H
#define TG_INTERP_SYNC_SEMAPHORE_H

#include "interp/state/machine.h"

/* Returns the semaphore of the ref; NULL if it is outside its array, which its view has
 * reported. */
int64_t *tg_semaphore_at(const tg_machine *m, tg_ref_id ref);

/* Returns whether others can raise semaphores of a program: other chains, or other threads of its
 * own. */
bool tg_semaphores_are_shared(const tg_machine *m);

/* Prints the name of a semaphore or barrier, in the memory of parameter `root`: "sems[2]"; of one in
 * no parameter's (UINT32_MAX) "a scoped semaphore". */
enum { TG_SEMAPHORE_NAME = 64 + TG_INDEX_TEXT };
void tg_semaphore_name(const tg_machine *m, uint32_t root, const int64_t *semaphore,
                       char out[TG_SEMAPHORE_NAME]);

/* Members of tg_wait that all waits for m->awaited.semaphore share. */
bool tg_awaited_may_end(const tg_machine *m);
void tg_awaited_places(const tg_machine *m,
                       void (*visit)(void *context, const unsigned char *at, size_t bytes),
                       void *context);

/* Notifies observers that the program releases or acquires by element `first` of parameter `root`,
 * if any observer wants to know. */
void tg_semaphore_synchronises(const tg_machine *m, const tg_inst *inst, uint32_t root,
                               int64_t first);

/* Notifies detectors that a copy has raised a semaphore of its chain by `amount`. */
void tg_semaphore_tell(tg_machine *m, const tg_inst *inst, uint32_t root, const int64_t *semaphore,
                       int64_t amount);

/* Notifies the scheduler that a semaphore was raised.  It is in the memory of parameter `root`;
 * UINT32_MAX: of none. */
void tg_semaphore_raised(const tg_machine *m, const tg_inst *inst, uint32_t root,
                         const int64_t *semaphore);

/* Called when the memory of an array ends: reports its first semaphore that is not 0. */
void tg_semaphores_end(tg_machine *m, const tg_inst *inst, const tg_param *param,
                       const int64_t *semaphores, int64_t count);

#endif
