/* CuTe's layouts by brute force, and random ones.  Of layout/cute/ it uses the struct, and what builds it. */
#ifndef TG_TESTS_LAYOUTS_CUTE_MODEL_H
#define TG_TESTS_LAYOUTS_CUTE_MODEL_H

#include "layout/cute/tiler.h"
#include "layouts/model.h"

/* ---- random layouts ---- */

enum { CUTE_MOST = 512 }; /* elements */

typedef struct cute_wish {
    int most_modes;
    int64_t most_size;
    bool negative, zero, swizzle;
    bool
        spread; /* modes in random order, each beyond those of lower strides: injective but for zeros */
} cute_wish;

extern const cute_wish any_cute; /* all but spread */

/* A layout that tg_cute_check accepts, of a randomly nested shape. */
void random_cute(chance *c, const cute_wish *w, tg_cute *out);

/* One whose modes are digits of an index below the size of A, in random order: A after it exists. */
void random_digits_of(chance *c, const tg_cute *a, tg_cute *out);

/* Nests flat modes at random.  At least one. */
void nest_modes(chance *c, int count, const int64_t *extents, const int64_t *strides, tg_cute *out);

/* For the report of a broken law: the same modes, the fastest last. */
void show_cute(const tg_cute *cute, tg_axe *shown);

/* ---- the map ---- */

int64_t cute_size(const tg_cute *cute);

/* By the definition, for any index: floor(i / product of the extents before) mod extent, but for the last
 * mode; of negative indices the negative.  Values of this model fit. */
int64_t cute_value(const tg_cute *cute, int64_t i);

/* Of a mode, as a layout of its own, without offset and swizzle. */
void cute_mode(const tg_cute *cute, int i, tg_cute *out);
int cute_rank(const tg_cute *cute);

/* Whether the shape of `b` is that of `a` with integers replaced by integers or tuples of the same product. */
bool cute_refines(const tg_cute *a, const tg_cute *b);

/* Whether some layout has these values: v[0] is 0, and from the first break of a stride on, what follows
 * repeats what came before. */
bool is_some_layout(const int64_t *v, int64_t count, int64_t step);

/* Whether all values are different. */
bool all_differ(const int64_t *v, int64_t count);

/* Modes of more than one element that move, as they stand. */
typedef struct cute_moving {
    int count;
    int64_t extent[64], stride[64];
} cute_moving;

cute_moving moving_modes(const tg_cute *a);

/* Whether some mode begins before another of a lower stride has ended. */
bool modes_overlap(const cute_moving *m);

bool any_negative(const cute_moving *m);

/* Whether each mode begins at a multiple of what ends before it, so that gaps are filled evenly. */
bool is_even(const cute_moving *m);

enum { MOST_VALUES = 4096 };

typedef struct cute_values {
    int64_t count, v[MOST_VALUES];
} cute_values;

/* Of a layout that tg_cute_check accepts, and that is small enough. */
bool values_of(const tg_cute *a, cute_values *out);

/* Whether a refusal of A after B, both without swizzles, is right: there is no such layout; or a mode of B
 * and the first elements of A, up to where a mode of A begins, do not divide each other. */
bool may_refuse_composition(const tg_cute *a, const tg_cute *b);

#endif
