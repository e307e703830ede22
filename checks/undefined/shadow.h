/* What the search for undefined values keeps: for a launch, for a machine, for memory. */
#ifndef TG_CHECKS_UNDEFINED_SHADOW_H
#define TG_CHECKS_UNDEFINED_SHADOW_H

#include "checks/undefined/arithmetic.h"
#include "checks/plane.h"
#include "checks/undefined/trails.h"
#include "checks/undefined/words.h"
#include "interp/state/machine.h"

/* Memory that may hold undefined elements: its places, which are as wide as the narrowest elements
 * that any op touches there. */
typedef struct tg_shadow_memory {
    int64_t bytes;
    size_t width; /* of a place, in bytes */
    tg_dtype dtype;
} tg_shadow_memory;

/* A place has the word of its own bytes, which is less than TG_PLANE_LIMIT. */
typedef struct tg_memory_shadow {
    const tg_shadow_memory *memory;
    tg_plane *plane;           /* NULL: all of it is defined, always */
    const unsigned char *data; /* where the memory is */
    bool is_locked;            /* the lock of the planes is to be held */
    bool is_kept;              /* it is an output's */
} tg_memory_shadow;

/* What all machines of a launch share: the state of tg_detector_undefined, _overflow and _range. */
typedef struct tg_undefined {
    const tg_plan *plan;
    tg_shadow_kind kind;
    tg_arithmetic arithmetic; /* unless the kind is TG_SHADOW_UNDEFINED */
    tg_trails trails;
    tg_shadow_memory *params; /* per param */
    tg_plane *planes; /* per param: those that own memory which programs write; count 0: none */
    uint32_t scope_count;
    uint32_t *scope_of;          /* per ref: the number of its scoped memory, or UINT32_MAX */
    tg_shadow_memory *scopes;    /* per number */
    pthread_mutex_t planes_lock; /* held while planes of params are looked at or changed */
    tg_setting setting;
    bool is_shared;
    bool is_incomplete;
    bool has_marked; /* something marked may have been stored, or memory is marked at first */
    tg_grid grid;
} tg_undefined;

/* What a machine keeps.  Words of a slot lie in the slot's dense storage, whatever storage its
 * elements have now; a slot that is not *flagged* has none, and all of it is defined. */
typedef struct tg_shadow {
    tg_undefined *all;
    uint32_t **words;  /* per slot; NULL until they are needed */
    bool *is_flagged;  /* per slot */
    uint32_t flagged;  /* how many are */
    tg_plane *scratch; /* per param */
    tg_plane *scoped;  /* per scope */
    void *room;        /* see tg_shadow_room */
    size_t room_bytes;
} tg_shadow;

static inline tg_shadow *tg_shadow_of(const tg_machine *m) { return m->own; }

/* That of the machine whose scratch the chain has. */
static inline tg_shadow *tg_shadow_of_chain(const tg_machine *m)
{
    return m->chain->machine->owns[m->own_number];
}

enum { TG_SHADOW_STRIP = 256 }; /* words that are worked on at a time */

#endif
