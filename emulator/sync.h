/* How the threads of a cluster, or of a CTA without one, wait for each other: barriers, mbarriers, and copies beside the
 * threads.  One for each launch; each cluster begins with it empty. */
#ifndef TG_EMULATOR_SYNC_H
#define TG_EMULATOR_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/clocks.h"
#include "emulator/history.h"

typedef struct tg_emu_exec tg_emu_exec;
typedef struct tg_emu_inst tg_emu_inst;

enum { TG_EMU_BARRIERS = 16 }; /* of a CTA */

/* An mbarrier: counts arrivals, and bytes of copies, in phases. */
typedef struct tg_emu_mbarrier {
    uint32_t cta, offset; /* the rank of the CTA; in its shared memory */
    uint32_t count, pending;
    int64_t bytes; /* that the phase lacks */
    uint32_t phase;
    /* Rows of clocks, which the entries share with the memory of the launch: what arrivals of the
     * current phase and of the last complete one have handed on.  NULL without clocks. */
    uint32_t *gathering, *complete;
    /* Likewise what arrivals of other CTAs have handed on, which threads take on that acquire it in
     * the scope of the cluster. */
    uint32_t *gathering_wide, *complete_wide;
} tg_emu_mbarrier;

/* A copy that has started.  One to global memory may write later than it reads, so that it is two
 * actors, and has what it has read in `read`. */
typedef struct tg_emu_bulk {
    const tg_emu_inst *inst;
    uint64_t from, to;         /* of shared memory: addresses of .shared::cta */
    uint32_t from_cta, to_cta; /* of shared memory: ranks */
    uint32_t bytes, thread, warp, lane;
    uint32_t reader, writer; /* actors */
    uint32_t mbarrier;       /* of a copy to shared memory: its address */
    uint32_t group;          /* of a copy to global memory: the number of its group in the thread */
    bool to_shared, from_shared, is_done;
    bool is_read_awaited;   /* its thread has made sure that it has read */
    unsigned char *read;    /* NULL: it has not */
    struct tg_emu_box *box; /* of a tensor in global memory; NULL: bytes in one piece */
} tg_emu_bulk;

/* A place in memory that atomics have changed: what threads had done before their fences. */
typedef struct tg_emu_location {
    uint64_t address; /* in shared memory: a key of emulator/cluster.h */
    uint32_t *row;
} tg_emu_location;

/* Behind the threads: bulk copies at a time that races tell apart, each an actor or two for the lanes that start
 * it together; then all others, such as products. */
enum { TG_EMU_COPY_ACTORS = 128, TG_EMU_OTHER_ACTORS = 64 };

typedef struct tg_emu_sync {
    tg_emu_clocks clocks;   /* without rows: races are not looked for, or by shadow.h */
    tg_emu_history history; /* with clocks */
    uint32_t *scratch;      /* a row */
    tg_emu_mbarrier *mbarriers;
    size_t mbarrier_count, mbarrier_capacity;
    tg_emu_bulk *bulks; /* those that are not done, and those whose reading is not awaited */
    size_t bulk_count, bulk_capacity;
    uint32_t *groups; /* per thread: the number of its open group of copies */
    /* With clocks, rows or NULL, per thread: what its last fence hands on, and what its next one takes
     * on. */
    uint32_t **fenced, **seen;
    tg_emu_location *locations; /* of atomics */
    size_t location_count, location_capacity;
    /* Rows, with clocks: what arrivals at the barrier of the cluster have handed on, in this phase
     * and in the last complete one. */
    uint32_t *cluster_gathering, *cluster_complete;
    uint32_t next_actor, next_copy;
    /* Per actor behind the threads: what it stands for that is not over. */
    uint32_t holders[TG_EMU_COPY_ACTORS + TG_EMU_OTHER_ACTORS];
} tg_emu_sync;

/* tg_emu_sync_begin returns false if memory runs out; end it all the same. */
bool tg_emu_sync_begin(tg_emu_exec *exec);
void tg_emu_sync_end(tg_emu_exec *exec);
/* Called when a cluster begins: all that was done before is over for its threads. */
void tg_emu_sync_begin_cluster(tg_emu_exec *exec);
/* Frees the rows of an mbarrier. */
void tg_emu_sync_forget_rows(tg_emu_mbarrier *mbarrier);

/* With clocks: an actor that knows what `count` actors from `first` on know, and what they have done so far. */
uint32_t tg_emu_new_actor(tg_emu_sync *sync, uint32_t first, uint32_t count);
/* Likewise: one for a copy that the lanes in `mask` of the warp from thread `first` on start together, or for
 * the writes of one that `first` stands for.  If copies in flight hold all numbers, it is that of the oldest of
 * them, which then knows as much: so races of the two may be missed, and none is made up. */
uint32_t tg_emu_new_copy_actor(tg_emu_sync *sync, uint32_t first, uint32_t mask, uint32_t oldest);
/* A copy, or an op of tensor memory, is one more, or one less, that the actor stands for. */
void tg_emu_hold_actor(tg_emu_sync *sync, uint32_t actor);
void tg_emu_drop_actor(tg_emu_sync *sync, uint32_t actor);
/* Likewise: one that knows what the rows say.  `also` may be NULL. */
uint32_t tg_emu_new_actor_behind(tg_emu_sync *sync, const uint32_t *known, const uint32_t *also);

#endif
