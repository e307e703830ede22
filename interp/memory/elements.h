/* Accesses element by element, row-major: through index arrays, or by a ref without strides. */
#ifndef TG_INTERP_MEMORY_ELEMENTS_H
#define TG_INTERP_MEMORY_ELEMENTS_H

#include "interp/state/index_walk.h"
#include "interp/memory/recast.h"
#include "ir/view.h"

/* Position of one dimension of the ref as a function of the result index. */
typedef struct tg_element_source {
    bool is_array;
    int64_t start, stride; /* slice */
    int result_dim;
    tg_view positions; /* array, i64, its dimensions at result dimension `position_first` on */
} tg_element_source;

/* A walk over the elements of an access; the index is that of the result. */
typedef struct tg_elements {
    tg_machine *m;
    const tg_inst *inst;
    const tg_access_plan *a;
    const tg_ref *ref;
    tg_element_source dims[TG_MAX_RANK];
    tg_index_walk index;
    int64_t count;
    bool clamps;          /* indices from outside are moved inside, and not reported */
    bool has_room_behind; /* clamps, a box with a mask: tg_clamp_slice says how indices move */
    bool is_dropped;      /* clamps, a write with a mask: what is outside is left out */
    bool has_reported;    /* an element outside the ref; no more than one is */
} tg_elements;

tg_elements tg_elements_begin(tg_machine *m, const tg_inst *inst);

/* `count` times in all; after the last one it is at the first again. */
void tg_elements_next(tg_elements *w);

/* Finds the current element in memory; false where there is none, which is reported if it is
 * outside the ref (and not only outside the array). */
bool tg_elements_locate(tg_elements *w, tg_pieces *pieces);

/* Offset of the current element in a view of the result's shape. */
int64_t tg_elements_offset(const tg_elements *w, const tg_view *view);

/* The mask, without data where there is none; whether it turns the current element off. */
tg_view tg_elements_mask(const tg_elements *w);
bool tg_elements_is_off(const tg_elements *w, const tg_view *mask);

/* The bytes of an element, and the element in its carrier. */
void tg_elements_read(const tg_pieces *pieces, unsigned char *to);
void tg_elements_get(const tg_elements *w, const tg_pieces *pieces, void *carrier);

/* Calls `visit` for each element inside the array that the access touches, masked-off lanes left
 * out. */
void tg_access_elements(tg_machine *m, const tg_inst *inst,
                        void (*visit)(void *context, const tg_pieces *pieces), void *context);

#endif
