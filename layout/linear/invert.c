#include "layout/linear/invert.h"

#include "layout/linear/product.h"
#include "layout/linear/solve.h"

typedef struct inversion {
    const tg_linear *inner, *outer;
    uint64_t kept; /* bits of the in dimensions of `outer` that stay as they are */
    tg_solver solver;
    tg_linear *result;
    tg_diags *diags;
} inversion;

static tg_status check_dims(const tg_linear *inner, const tg_linear *outer, tg_diags *diags)
{
    if (!tg_linear_dims_same_names(&inner->out, &outer->out))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the two layouts do not have the same out dimensions");
    for (int o = 0; o < inner->out.count; o++) {
        const tg_linear_dim *dim = &inner->out.list[o];
        const int room = outer->out.list[tg_linear_find_dim(&outer->out, dim->name)].bits;
        if (dim->bits > room)
            return tg_fail(diags, TG_ERR_INVALID, NULL,
                           "dimension \"%s\" has 2^%d indices, but 2^%d in the layout to invert",
                           dim->name, dim->bits, room);
    }
    return TG_OK;
}

/* A column of `inner` as bits of the out dimensions of `outer`. */
static uint64_t translated(const inversion *v, uint64_t column)
{
    uint64_t bits = 0;
    for (int o = 0; o < v->inner->out.count; o++) {
        const int to = tg_linear_find_dim(&v->outer->out, v->inner->out.list[o].name);
        bits |= tg_linear_column(&v->outer->out, to, tg_linear_part(&v->inner->out, column, o));
    }
    return bits;
}

/* The in dimension of the same name that has the same bases, or -1. */
static int twin(const inversion *v, int in)
{
    const tg_linear_dim *dim = &v->inner->in.list[in];
    const int to = tg_linear_find_dim(&v->outer->in, dim->name);
    if (to < 0 || v->outer->in.list[to].bits != dim->bits) return -1;
    const int i = tg_linear_first_bit(&v->inner->in, in),
              j = tg_linear_first_bit(&v->outer->in, to);
    for (int k = 0; k < dim->bits; k++)
        if (translated(v, v->inner->columns[i + k]) != v->outer->columns[j + k]) return -1;
    return to;
}

/* Dimensions that stay are not in the system: their columns are 0 there. */
static void prepare(inversion *v, bool keeps_twins)
{
    v->kept = 0;
    v->solver = (tg_solver){0};
    for (int d = 0; keeps_twins && d < v->inner->in.count; d++) {
        const int to = twin(v, d);
        if (to >= 0)
            v->kept |=
                tg_linear_column(&v->outer->in, to, (INT64_C(1) << v->outer->in.list[to].bits) - 1);
    }
    for (int i = 0; i < tg_linear_bit_count(&v->outer->in); i++)
        tg_solver_add(&v->solver, v->kept >> i & 1 ? 0 : v->outer->columns[i]);
}

/* Returns the first bit that cannot be solved, or -1. */
static int solve_all(inversion *v)
{
    for (int d = 0, k = 0; d < v->inner->in.count; d++) {
        const int to = twin(v, d);
        const int first = to < 0 ? 0 : tg_linear_first_bit(&v->outer->in, to);
        const bool stays = to >= 0 && v->outer->in.list[to].bits && v->kept >> first & 1;
        for (int i = 0; i < v->inner->in.list[d].bits; i++, k++)
            if (stays)
                v->result->columns[k] = UINT64_C(1) << (first + i);
            else if (!tg_solver_solve(&v->solver, translated(v, v->inner->columns[k]),
                                      &v->result->columns[k]))
                return k;
    }
    return -1;
}

tg_status tg_linear_invert_and_compose(const tg_linear *inner, const tg_linear *outer,
                                       tg_linear *result, tg_diags *diags)
{
    tg_linear made = {.in = inner->in, .out = outer->in};
    inversion v = {.inner = inner, .outer = outer, .result = &made, .diags = diags};
    TG_TRY(check_dims(inner, outer, diags));
    prepare(&v, true);
    int missing = solve_all(&v);
    if (missing >= 0 && v.kept) {
        /* What is wanted may need the dimensions that would stay. */
        prepare(&v, false);
        missing = solve_all(&v);
    }
    if (missing >= 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "in bit %d of the one leads where no index of the other does", missing);
    *result = made;
    return TG_OK;
}

tg_status tg_linear_pseudoinvert(const tg_linear *linear, tg_linear *result, tg_diags *diags)
{
    tg_linear identity = {0};
    if (!tg_linear_is_surjective(linear))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the layout is not surjective: of 2^%d indices, 2^%d are reached",
                       tg_linear_bit_count(&linear->out), tg_linear_rank(linear));
    for (int o = 0; o < linear->out.count; o++) {
        const tg_linear_dim *dim = &linear->out.list[o];
        TG_TRY(tg_linear_times_identity(&identity, INT64_C(1) << dim->bits, dim->name, dim->name,
                                        diags));
    }
    return tg_linear_invert_and_compose(&identity, linear, result, diags);
}

tg_status tg_linear_invert(const tg_linear *linear, tg_linear *result, tg_diags *diags)
{
    if (!tg_linear_is_injective(linear))
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the layout is not injective: 2^%d indices lead to 2^%d places",
                       tg_linear_bit_count(&linear->in), tg_linear_rank(linear));
    return tg_linear_pseudoinvert(linear, result, diags);
}
