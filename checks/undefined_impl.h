/* Private to the search for undefined values (checks/undefined*.c).
 *
 * The shadow of an element is a word: 0 where all of it is defined, else the bytes that are not (bit b: byte b of the dtype, as
 * it is in memory), and above these the number of a trail.  Words of a slot lie in the slot's dense layout, whatever layout its
 * elements have now; a slot that is not *flagged* has none, and all of it is defined. */
#ifndef TG_CHECKS_UNDEFINED_IMPL_H
#define TG_CHECKS_UNDEFINED_IMPL_H

#include "checks/arithmetic.h"
#include "checks/plane.h"
#include "checks/trails.h"
#include "interp/index_walk.h"
#include "interp/machine.h"
#include "ir/view.h"

/* ---- words ---- */

enum { TG_WORD_TRAIL = 8 }; /* where the trail begins */

static inline uint32_t tg_word(uint32_t trail, unsigned bytes)
{
    return bytes ? trail << TG_WORD_TRAIL | bytes : 0;
}

static inline uint32_t tg_word_trail(uint32_t word) { return word >> TG_WORD_TRAIL; }

static inline unsigned tg_word_bytes(uint32_t word) { return word & 0xff; }

/* All bytes of an element. */
static inline unsigned tg_all_bytes(tg_dtype dtype) { return (1U << tg_dtypes[dtype].bytes) - 1; }

/* ---- memory ---- */

/* Memory that may hold undefined elements: its places, which are as wide as the narrowest elements that any op touches there. */
typedef struct tg_shadow_memory {
    int64_t count;
    size_t width; /* bytes of a place */
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
    bool is_shared, is_jax;
    bool is_incomplete;
    bool
        has_marked; /* something that is marked may have been stored, or memory is marked from the start */
    tg_grid grid;
} tg_undefined;

/* Bytes of places of a param's or scope's memory that are fresh: 0 where JAX's mode defines them, or it is not about them. */
unsigned tg_fresh_bytes(const tg_undefined *all, const tg_shadow_memory *memory);

/* What a machine keeps. */
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

/* The memory that an access touches. */
tg_memory_shadow tg_memory_of(const tg_machine *m, const tg_access_plan *a);
tg_memory_shadow tg_memory_of_ref(const tg_machine *m, tg_ref_id ref, uint32_t root);

/* Word of the element whose bytes begin at place `at`; and setting it. */
uint32_t tg_memory_get(const tg_memory_shadow *memory, int64_t at, tg_dtype dtype);
void tg_memory_set(const tg_memory_shadow *memory, int64_t at, tg_dtype dtype, uint32_t word);

/* The words of `count` elements, `stride` apart, the first of which is element `first` of the memory as an array of `dtype`. */
void tg_memory_get_row(const tg_memory_shadow *memory, tg_dtype dtype, int64_t first,
                       int64_t stride, int64_t count, uint32_t *words);
void tg_memory_set_row(const tg_memory_shadow *memory, tg_dtype dtype, int64_t first,
                       int64_t stride, int64_t count, const uint32_t *words);
void tg_memory_define(const tg_memory_shadow *memory, tg_dtype dtype, int64_t first, int64_t stride,
                      int64_t count);

/* The same for all places of a box. */
bool tg_memory_box_is_defined(const tg_memory_shadow *memory, const tg_plane_box *places);
void tg_memory_define_box(const tg_memory_shadow *memory, const tg_plane_box *places);

void tg_planes_lock(const tg_machine *m, const tg_memory_shadow *memory);
void tg_planes_unlock(const tg_machine *m, const tg_memory_shadow *memory);

/* ---- slots ---- */

/* The words of an operand; of a slot that is not flagged, one 0 for all. */
tg_view tg_shadow_view(const tg_shadow *s, const tg_operand *o);

/* Of a scalar. */
uint32_t tg_shadow_scalar(const tg_shadow *s, const tg_operand *o);

/* All elements of the operand are defined. */
void tg_shadow_define(tg_shadow *s, const tg_operand *o);

/* Words for what is about to be written, by the strides of the dense layout, which are those of the result; the words of the other
 * elements of the slot are valid.  NULL without memory.  Afterwards `close` finds out whether the slot needs them at all. */
uint32_t *tg_shadow_open(tg_shadow *s, const tg_operand *o);
void tg_shadow_close(tg_shadow *s, const tg_operand *o);

/* The same for what is changed in part: the words are those of what is there. */
uint32_t *tg_shadow_reopen(tg_shadow *s, const tg_operand *o);

/* Every element has this word. */
void tg_shadow_fill(tg_shadow *s, const tg_operand *o, uint32_t word);

/* Memory for the work on one instruction, valid until the next call; NULL where there is none. */
void *tg_shadow_room(tg_shadow *s, size_t bytes);

/* The first word that is not 0, row-major; 0 where there is none. */
uint32_t tg_shadow_first(const tg_view *words);

/* ---- runs ---- */

/* Row-major elements of a view, from number `first` on, taken to a run or put from one. */
void tg_take_run(const tg_view *view, int64_t first, int64_t count, size_t bytes, void *to);
void tg_put_run(const tg_view *view, int64_t first, int64_t count, size_t bytes, const void *from);

/* ---- trails ---- */

/* What an op does to the trails of its operands.  Remembers the last one. */
typedef struct tg_step_trail {
    tg_undefined *all;
    const tg_inst *inst;
    uint32_t lane, from, to;
} tg_step_trail;

static inline tg_step_trail tg_step_of(const tg_machine *m, const tg_inst *inst, uint32_t lane)
{
    return (tg_step_trail){.all = tg_shadow_of(m)->all, .inst = inst, .lane = lane};
}

/* The trail of `word` and then the op, with these bytes undefined. */
uint32_t tg_step_word(tg_step_trail *step, uint32_t word, unsigned bytes);

/* The word of an element that has its origin here; 0 where the shadow is not about undefined values. */
uint32_t tg_origin_word(const tg_machine *m, tg_trail_kind kind, const tg_access_plan *a,
                        const tg_inst *inst, tg_dtype dtype);

/* ---- rules ---- */

enum { TG_SHADOW_STRIP = 256 };

/* One lane op over a strip. */
typedef struct tg_lane_shadow {
    const tg_lane *lane;
    const uint32_t *words[TG_MAX_LANE_INPUTS]; /* NULL: all defined */
    const void *values[TG_MAX_LANE_INPUTS];    /* carriers, where tg_lane_needs_values */
    uint32_t *out;                             /* may be one of `words` */
    size_t count;
} tg_lane_shadow;

/* undefined_lanes.c: the words of what the op leaves, some word of its operands being there. */
void tg_lane_rule(const tg_lane_shadow *shadow, tg_step_trail *step);

/* Whether the byte `value` of an operand of this op alone decides that of the result, and which one does. */
bool tg_absorbing_byte(tg_opcode op, tg_dtype dtype, unsigned *byte);

/* An element in its carrier as bits, zero-extended. */
uint64_t tg_carrier_bits(const void *elements, size_t bytes, int64_t at);

void tg_shadow_group(tg_machine *m, const tg_inst *inst);
/* undefined_blocks.c */
void tg_shadow_copy(tg_machine *m, const tg_inst *inst);
void tg_shadow_reduce(tg_machine *m, const tg_inst *inst);
void tg_shadow_scan(tg_machine *m, const tg_inst *inst);
void tg_shadow_dot(tg_machine *m, const tg_inst *inst);
void tg_shadow_sort(tg_machine *m, const tg_inst *inst);
/* undefined_moves.c */
void tg_shadow_gather(tg_machine *m, const tg_inst *inst);
void tg_shadow_scatter(tg_machine *m, const tg_inst *inst);
void tg_shadow_dynamic(tg_machine *m, const tg_inst *inst);
void tg_shadow_bitcast(tg_machine *m, const tg_inst *inst);
/* undefined_memory.c */
void tg_shadow_scope(tg_machine *m, const tg_inst *inst);
void tg_shadow_load(tg_machine *m, const tg_inst *inst);
void tg_shadow_store(tg_machine *m, const tg_inst *inst);
/* undefined_elements.c: the same element by element, and atomics */
void tg_shadow_scattered_load(tg_machine *m, const tg_inst *inst);
void tg_shadow_scattered_store(tg_machine *m, const tg_inst *inst);
void tg_shadow_atomic(tg_machine *m, const tg_inst *inst);

/* The word of what program number `order` stores, in memory of an output or elsewhere. */
uint32_t tg_stored_word(int64_t order, const tg_memory_shadow *memory, tg_step_trail *step,
                        uint32_t word);

/* ---- what the machine calls, for one kind of shadow each ---- */

void tg_shadow_mapped(tg_machine *m, uint32_t param);
void tg_shadow_step(tg_machine *m, const tg_inst *inst);
void tg_shadow_copied(tg_machine *m, const tg_copied *copy);

/* ---- findings ---- */

/* Adds the places of the trail, from what came last to the origin. */
void tg_trail_relate(tg_undefined *all, uint32_t trail, tg_found *found);

/* arithmetic_report.c, for the other kinds: `word` matters at `found`, which gets the place and the message of where it went wrong.  `what`
 * says what goes by it. */
void tg_arithmetic_found(tg_undefined *all, uint32_t trail, const char *what, tg_found *found);

/* The number of the first op after the origin, where there is one; else the origin. */
uint32_t tg_trail_first_op(tg_undefined *all, uint32_t trail);

/* "outside of x", "scratch acc, which nobody had written"; returns `out`. */
enum { TG_ORIGIN_TEXT = 200 };
char *tg_origin_print(tg_undefined *all, uint32_t trail, char out[TG_ORIGIN_TEXT]);

/* Reports that `word` matters here: `format` says what it is. */
TG_PRINTF(6, 7)
void tg_shadow_found(tg_machine *m, tg_finding_kind kind, const tg_inst *inst,
                     const tg_param *param, uint32_t word, const char *format, ...);

/* Reports positions that are undefined, of a load or store of a box; returns the first word. */
uint32_t tg_shadow_positions(tg_machine *m, const tg_inst *inst, const tg_access_plan *a);
void tg_shadow_bad_mask(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, uint32_t word);
void tg_shadow_bad_position(tg_machine *m, const tg_inst *inst, const tg_access_plan *a, int dim,
                            uint32_t word);

/* undefined_report.c: findings for what the outputs hold */
bool tg_undefined_report(void *state, tg_run_end *run);

#endif
