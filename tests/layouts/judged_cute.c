/* CuTe's layouts: text, values, and each operation of their algebra. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/cute/arithmetic.h"
#include "layout/cute/coalesce.h"
#include "layout/cute/compact.h"
#include "layout/cute/complement.h"
#include "layout/cute/compose.h"
#include "layout/cute/divide.h"
#include "layout/cute/filter.h"
#include "layout/cute/inverse.h"
#include "layout/cute/product.h"
#include "layout/cute/text.h"
#include "layouts/judge.h"

static tg_status read_cute(const char *text, tg_cute *out, tg_diags *diags)
{
    return tg_cute_read(text, strlen(text), out, diags);
}

static tg_status read_tuple(const char *text, tg_tuple *out, tg_diags *diags)
{
    return tg_tuple_read(text, strlen(text), out, diags);
}

static tg_status read_integer(const char *text, int64_t *out, tg_diags *diags)
{
    tg_tuple tuple;
    TG_TRY(read_tuple(text, &tuple, diags));
    return tg_tuple_multiply(&tuple, out, diags); /* a shape stands for its size */
}

static tg_status print_integer(int64_t value, tg_text *out)
{
    tg_text_add(out, "%" PRId64, value);
    return TG_OK;
}

static tg_status print_truth(bool truth, tg_text *out)
{
    tg_text_put(out, truth ? "true" : "false");
    return TG_OK;
}

tg_status judged_cute_text(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute a;
    (void)count;
    TG_TRY(read_cute(in[0], &a, diags));
    tg_cute_print(&a, out);
    return TG_OK;
}

tg_status judged_cute_values(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute a;
    (void)count;
    TG_TRY(read_cute(in[0], &a, diags));
    for (int64_t i = 0; i < tg_cute_size(&a); i++)
        tg_text_add(out, "%s%" PRId64, i ? " " : "", tg_cute_map(&a, i));
    return TG_OK;
}

tg_status judged_cute_at(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute a;
    tg_tuple at;
    int64_t index;
    (void)count;
    TG_TRY(read_cute(in[0], &a, diags));
    TG_TRY(read_tuple(in[1], &at, diags));
    TG_TRY(tg_cute_map_at(&a, &at, &index, diags));
    return print_integer(index, out);
}

tg_status judged_cute_size(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute a;
    (void)count;
    TG_TRY(read_cute(in[0], &a, diags));
    tg_text_add(out, "%" PRId64 " %" PRId64, tg_cute_size(&a), tg_cute_cosize(&a));
    return TG_OK;
}

tg_status judged_cute_coordinate(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_tuple shape, at, coordinate;
    (void)count;
    TG_TRY(read_tuple(in[0], &shape, diags));
    TG_TRY(read_tuple(in[1], &at, diags));
    TG_TRY(tg_cute_coordinate(&shape, &at, &coordinate, diags));
    tg_tuple_print(&coordinate, out);
    return TG_OK;
}

tg_status judged_cute_compatible(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_tuple a, b;
    (void)count;
    TG_TRY(read_tuple(in[0], &a, diags));
    TG_TRY(read_tuple(in[1], &b, diags));
    return print_truth(tg_tuple_compatible(&a, 0, &b, 0), out);
}

/* ---- tuples ---- */

tg_status judged_tuple_product(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    int64_t product;
    (void)count;
    TG_TRY(read_integer(in[0], &product, diags));
    return print_integer(product, out);
}

tg_status judged_tuple_inner_product(const char *const *in, int count, tg_text *out,
                                     tg_diags *diags)
{
    tg_tuple a, b;
    int64_t product;
    (void)count;
    TG_TRY(read_tuple(in[0], &a, diags));
    TG_TRY(read_tuple(in[1], &b, diags));
    TG_TRY(tg_tuple_inner_product(&a, &b, &product, diags));
    return print_integer(product, out);
}

tg_status judged_tuple_divide(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_tuple shape, rest;
    int64_t divisor;
    (void)count;
    TG_TRY(read_tuple(in[0], &shape, diags));
    TG_TRY(read_integer(in[1], &divisor, diags));
    TG_TRY(tg_tuple_divide(&shape, divisor, &rest, diags));
    tg_tuple_print(&rest, out);
    return TG_OK;
}

/* Shape, "left" or "right", the first stride, "still" if units get stride 0. */
tg_status judged_cute_compact(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_tuple shape;
    tg_cute a;
    int64_t first = 1;
    const tg_cute_order order = strcmp(in[1], "left") == 0 ? TG_CUTE_LEFT : TG_CUTE_RIGHT;
    TG_TRY(read_tuple(in[0], &shape, diags));
    if (count > 2) TG_TRY(read_integer(in[2], &first, diags));
    TG_TRY(tg_cute_compact(&shape, order, first, count > 3, &a, diags));
    tg_tuple_print(&a.stride, out);
    return TG_OK;
}

tg_status judged_cute_distribute(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_tuple shape;
    tg_cute a;
    int64_t elements;
    (void)count;
    TG_TRY(read_tuple(in[0], &shape, diags));
    TG_TRY(read_integer(in[1], &elements, diags));
    TG_TRY(tg_cute_distribute(&shape, elements, &a, diags));
    tg_cute_print(&a, out);
    return TG_OK;
}

/* ---- operations of one layout ---- */

tg_status judged_cute_coalesce(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute a;
    tg_tuple profile;
    TG_TRY(read_cute(in[0], &a, diags));
    if (count > 1) {
        TG_TRY(read_tuple(in[1], &profile, diags));
        TG_TRY(tg_cute_coalesce_by(&a, &profile, &a, diags));
    } else {
        tg_cute_coalesce(&a, &a);
    }
    tg_cute_print(&a, out);
    return TG_OK;
}

/* Up to the cosize, if there is no target. */
tg_status judged_cute_complement(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute a;
    int64_t target;
    TG_TRY(read_cute(in[0], &a, diags));
    target = tg_cute_cosize(&a);
    if (count > 1) TG_TRY(read_integer(in[1], &target, diags));
    TG_TRY(tg_cute_complement(&a, target, &a, diags));
    tg_cute_print(&a, out);
    return TG_OK;
}

tg_status judged_cute_filter(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute a;
    (void)count;
    TG_TRY(read_cute(in[0], &a, diags));
    tg_cute_filter(&a, &a);
    tg_cute_print(&a, out);
    return TG_OK;
}

tg_status judged_cute_nullspace(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute a;
    (void)count;
    TG_TRY(read_cute(in[0], &a, diags));
    tg_cute_nullspace(&a, &a);
    tg_cute_print(&a, out);
    return TG_OK;
}

typedef tg_status one_layout(const tg_cute *cute, tg_cute *out, tg_diags *diags);

static tg_status print_one(const char *text, one_layout *op, tg_text *out, tg_diags *diags)
{
    tg_cute a, result;
    TG_TRY(read_cute(text, &a, diags));
    TG_TRY(op(&a, &result, diags));
    tg_cute_print(&result, out);
    return TG_OK;
}

tg_status judged_cute_right_inverse(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return print_one(in[0], tg_cute_right_inverse, out, diags);
}

tg_status judged_cute_left_inverse(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return print_one(in[0], tg_cute_left_inverse, out, diags);
}

/* ---- operations of two layouts ---- */

typedef tg_status by_tiler(const tg_cute *a, const tg_tiler *b, tg_cute *out, tg_diags *diags);
typedef tg_status by_layout(const tg_cute *a, const tg_cute *b, tg_cute *out, tg_diags *diags);

static const struct {
    const char *name;
    by_tiler *tiler;
    by_layout *layout;
} pair_ops[] = {
    {"compose", tg_cute_compose_by, NULL},
    {"divide", tg_cute_divide, NULL},
    {"zipped_divide", tg_cute_zipped_divide, NULL},
    {"tiled_divide", tg_cute_tiled_divide, NULL},
    {"flat_divide", tg_cute_flat_divide, NULL},
    {"product", tg_cute_product, NULL},
    {"zipped_product", tg_cute_zipped_product, NULL},
    {"tiled_product", tg_cute_tiled_product, NULL},
    {"flat_product", tg_cute_flat_product, NULL},
    {"blocked_product", NULL, tg_cute_blocked_product},
    {"raked_product", NULL, tg_cute_raked_product},
};

static tg_status do_pair(const char *const *in, tg_cute *out, tg_diags *diags)
{
    tg_cute a, b;
    tg_tiler tiler;
    TG_TRY(read_cute(in[1], &a, diags));
    for (size_t i = 0; i < sizeof pair_ops / sizeof *pair_ops; i++) {
        if (strcmp(pair_ops[i].name, in[0]) != 0) continue;
        if (pair_ops[i].tiler) {
            TG_TRY(tg_tiler_read(in[2], strlen(in[2]), &tiler, diags));
            return pair_ops[i].tiler(&a, &tiler, out, diags);
        }
        TG_TRY(read_cute(in[2], &b, diags));
        return pair_ops[i].layout(&a, &b, out, diags);
    }
    return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no operation \"%s\"", in[0]);
}

tg_status judged_cute_pair(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute result;
    (void)count;
    TG_TRY(do_pair(in, &result, diags));
    tg_cute_print(&result, out);
    return TG_OK;
}

/* The values of what cute_pair gives: of swizzles, whose form may differ. */
tg_status judged_cute_pair_values(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_cute result;
    (void)count;
    TG_TRY(do_pair(in, &result, diags));
    for (int64_t i = 0; i < tg_cute_size(&result); i++)
        tg_text_add(out, "%s%" PRId64, i ? " " : "", tg_cute_map(&result, i));
    return TG_OK;
}
