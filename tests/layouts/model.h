/* Layouts by brute force, and random ones.  The model uses nothing of layout/ but the struct. */
#ifndef TG_TESTS_LAYOUTS_MODEL_H
#define TG_TESTS_LAYOUTS_MODEL_H

#include "layout/axe.h"

/* ---- random numbers ---- */

typedef struct chance {
    uint64_t state;
} chance;

int64_t pick(chance *c, int64_t least, int64_t most); /* both included */
bool one_in(chance *c, int n);

/* ---- random layouts ---- */

enum { MODEL_MOST = 4096 }; /* elements times copies */

/* What a random layout may have. */
typedef struct wish {
    int most_iters, most_copies; /* iters of D, of R */
    int64_t most_extent, most_size;
    bool negative, zero, offset, swizzle;
    bool only_m;    /* no axis but m */
    bool injective; /* no two digits make the same place: strides are more than what lies below */
} wish;

extern const wish any_layout; /* all of the above but the last two */

/* A layout that tg_axe_check accepts, of at most MODEL_MOST places. */
void random_layout(chance *c, const wish *w, tg_axe *out);

/* Factors a random size into extents; returns how many. */
int random_extents(chance *c, int most, int64_t most_extent, int64_t most_size, int64_t *out);

bool iters_same(const tg_iters *a, const tg_iters *b);

/* ---- the map, element by element ---- */

typedef struct place {
    int64_t at[TG_AXIS_COUNT];
} place;

/* The places of element x are list[start[x]] .. list[start[x + 1] - 1]: a set, ascending. */
typedef struct model {
    int64_t size;
    int start[MODEL_MOST + 1];
    place list[MODEL_MOST];
} model;

void model_of(const tg_axe *axe, model *out);

/* The first element whose places differ, -1 if the sizes do, or the size if all are the same. */
int64_t model_difference(const model *a, const model *b);
bool model_same(const model *a, const model *b);

bool place_same(const place *a, const place *b);

/* Whether element x has a place. */
bool model_has(const model *m, int64_t x, const place *p);

#endif
