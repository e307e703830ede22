/* Accesses element by element, row-major: through index arrays, or by a ref without strides. */
#ifndef TG_INTERP_MEMORY_ELEMENTS_H
#define TG_INTERP_MEMORY_ELEMENTS_H

#include "interp/state/index_walk.h"
#include "interp/memory/recast.h"
#include "ir/view.h"

/* The index in one dimension of the ref, as a function of the result index. */
typedef struct tg_element_source {
    bool is_array;
    int64_t start, stride; /* of a slice, or of a scalar: stride 0 */
    int result_dim;
    /* Of an index array, i64: its dimensions are result dimensions from `position_first` on. */
    tg_view positions;
} tg_element_source;

/* A walk over the elements of an access, by the index in the result. */
typedef struct tg_elements {
    tg_machine *m;
    const tg_inst *inst;
    const tg_access_plan *a;
    const tg_ref *ref;
    tg_element_source dims[TG_MAX_RANK];
    tg_index_walk index;
    int64_t count;
    bool has_list; /* of the ref */
    tg_list list;
    bool clamps;          /* indices outside are moved inside, and not reported */
    bool has_room_behind; /* clamps, for a box with a mask: tg_clamp_slice moves indices */
    bool is_dropped;      /* clamps, for a write with a mask: elements outside are left out */
    bool has_reported;    /* an element outside the ref has been reported; only the first one is */
} tg_elements;

tg_elements tg_elements_begin(tg_machine *m, const tg_inst *inst);

/* Goes to the next element; from the last one of `count` it goes to the first. */
void tg_elements_next(tg_elements *w);

/* Finds the current element in memory.  Returns false if it is not there, and reports it if it is
 * outside the ref, not only outside the array. */
bool tg_elements_locate(tg_elements *w, tg_pieces *pieces);

/* Offset of the current element in a view of the result's shape. */
int64_t tg_elements_offset(const tg_elements *w, const tg_view *view);

/* The mask, without data if there is none; and whether it turns the current element off. */
tg_view tg_elements_mask(const tg_elements *w);
bool tg_elements_is_off(const tg_elements *w, const tg_view *mask);

/* Read or write the bytes of an element, or read the element as a carrier. */
void tg_elements_read(const tg_pieces *pieces, unsigned char *to);
void tg_elements_write(const tg_pieces *pieces, const unsigned char *from);
void tg_elements_get(const tg_elements *w, const tg_pieces *pieces, void *carrier);

/* Calls `visit` for each element inside the array that the access reads or writes; the mask turns
 * off others. */
void tg_access_elements(tg_machine *m, const tg_inst *inst,
                        void (*visit)(void *context, const tg_pieces *pieces), void *context);

#endif
