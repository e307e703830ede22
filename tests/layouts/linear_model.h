/* Linear layouts by brute force, and random ones.  Uses nothing of layout/ but the struct. */
#ifndef TG_TESTS_LAYOUTS_LINEAR_MODEL_H
#define TG_TESTS_LAYOUTS_LINEAR_MODEL_H

#include "layout/linear/linear.h"
#include "layouts/model.h"

/* What random dimensions may be. */
typedef struct dims_wish {
    const char *names; /* a letter each */
    int least, most;   /* dimensions */
    int most_bits;     /* of all of them */
} dims_wish;

void random_dims(chance *c, const dims_wish *w, tg_linear_dims *out);

/* Bases that are 0, one bit or any; often each bit once. */
void random_bases(chance *c, tg_linear *linear);
void random_linear(chance *c, const dims_wish *ins, const dims_wish *outs, tg_linear *out);

/* Another order of dimensions. */
void shuffle_dims(chance *c, tg_linear_dims *dims);

int dims_bits(const tg_linear_dims *dims);
int dims_find(const tg_linear_dims *dims, const char *name);

/* The index of one dimension in that of all. */
int64_t index_in(const tg_linear_dims *dims, uint64_t all, int dim);

/* The same index in each dimension of that name; 0 in those that are not there. */
uint64_t index_by_name(const tg_linear_dims *from, uint64_t all, const tg_linear_dims *to);

/* The image: the xor of the bases. */
uint64_t model_image(const tg_linear *linear, uint64_t in);

/* Whether `product` is inner * outer: on all indices, the low bits lead where inner does, the high bits
 * where outer does. */
bool model_is_product(const tg_linear *inner, const tg_linear *outer, const tg_linear *product);

#endif
