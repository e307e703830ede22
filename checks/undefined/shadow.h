/* The state of the search for undefined values: per launch, per machine, per memory. */
#ifndef TG_CHECKS_UNDEFINED_SHADOW_H
#define TG_CHECKS_UNDEFINED_SHADOW_H

#include "checks/undefined/arithmetic.h"
#include "checks/plane.h"
#include "checks/undefined/trails.h"
#include "checks/undefined/words.h"
#include "interp/state/machine.h"

/* Memory that may hold undefined elements.  Its places are as wide as the narrowest elements that
 * any op accesses there. */
typedef struct tg_shadow_memory {
    int64_t bytes;
    size_t width; /* of a place, in bytes */
    tg_dtype dtype;
} tg_shadow_memory;

/* The shadow of a memory.  The plane has, for each place, the word of its own bytes, which is less
 * than TG_PLANE_LIMIT. */
typedef struct tg_memory_shadow {
    const tg_shadow_memory *memory;
    tg_plane *plane;           /* NULL: all elements are always defined */
    const unsigned char *data; /* the address of the memory */
    bool is_locked;            /* callers must hold the lock of the planes */
    bool is_kept;              /* the memory belongs to an output */
} tg_memory_shadow;

/* What all machines of a launch share: the state of tg_detector_undefined, _overflow and _range. */
typedef struct tg_undefined {
    const tg_plan *plan;
    tg_shadow_kind kind;
    tg_arithmetic arithmetic; /* unused if the kind is TG_SHADOW_UNDEFINED */
    tg_trails trails;
    tg_shadow_memory *params; /* per param */
    /* Per param: planes of params that own memory which programs write; the others have count 0. */
    tg_plane *planes;
    uint32_t scope_count;
    /* Per ref: the number of its scoped memory, or UINT32_MAX. */
    uint32_t *scope_of;
    tg_shadow_memory *scopes;    /* per scoped memory */
    pthread_mutex_t planes_lock; /* held while planes of params are read or changed */
    tg_setting setting;
    bool is_shared;
    bool is_incomplete;
    bool has_marked; /* something marked may have been stored, or memory is marked at first */
    tg_grid grid;
} tg_undefined;

/* The state of a machine.  The words of a slot lie as in the slot's dense storage, whatever storage
 * its elements have now.  A slot that is not *flagged* has no words: all of it is defined. */
typedef struct tg_shadow {
    tg_undefined *all;
    uint32_t **words;  /* per slot; NULL until needed */
    bool *is_flagged;  /* per slot */
    uint32_t flagged;  /* number of flagged slots */
    tg_plane *scratch; /* per param */
    tg_plane *scoped;  /* per scoped memory */
    void *room;        /* see tg_shadow_room */
    size_t room_bytes;
} tg_shadow;

static inline tg_shadow *tg_shadow_of(const tg_machine *m) { return m->own; }

/* Returns the shadow of the machine whose scratch the chain uses. */
static inline tg_shadow *tg_shadow_of_chain(const tg_machine *m)
{
    return m->chain->machine->owns[m->own_number];
}

enum { TG_SHADOW_STRIP = 256 }; /* words that are processed at a time */

#endif
