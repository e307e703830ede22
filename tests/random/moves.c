/* Shapes, reductions, products. */
#include "random/maker.h"

#include <string.h>

void make_reshape(maker *g)
{
    made a = any(g);
    int64_t left = tg_type_count(&a.type);
    tg_type type = {.dtype = a.type.dtype};
    while (type.rank < 4 && (left > 1 || roll(g, 2))) {
        int64_t factor = 1 + roll(g, 16);
        while (left % factor) factor--;
        if (type.rank == 3) factor = left;
        type.shape[type.rank++] = factor;
        left /= factor;
    }
    if (left != 1) type.shape[type.rank++] = left;
    begin(g, type);
    line1(g, "reshape", a, "");
}

void make_transpose(maker *g)
{
    made a = any(g);
    int64_t permutation[TG_MAX_RANK];
    tg_type type = a.type;
    for (int d = 0; d < type.rank; d++) permutation[d] = d;
    for (int d = type.rank - 1; d > 0; d--) {
        int other = (int)roll(g, (unsigned)d + 1);
        int64_t kept = permutation[d];
        permutation[d] = permutation[other];
        permutation[other] = kept;
    }
    for (int d = 0; d < type.rank; d++) type.shape[d] = a.type.shape[permutation[d]];
    begin(g, type);
    tg_text_add(&g->text, "transpose %%%d permutation=%s\n", a.id,
                list_text(permutation, type.rank));
}

void make_broadcast(maker *g)
{
    made a = any(g);
    int64_t dims[TG_MAX_RANK];
    tg_type type = {.dtype = a.type.dtype};
    int64_t count = tg_type_count(&a.type);
    for (int d = 0; d <= a.type.rank; d++) {
        if (roll(g, 3) == 0 && count < 400 && type.rank + a.type.rank - d < 5) {
            type.shape[type.rank] = 1 + roll(g, 3);
            count *= type.shape[type.rank++];
        }
        if (d == a.type.rank) break;
        dims[d] = type.rank;
        int64_t extent = a.type.shape[d];
        if (extent == 1 && roll(g, 2) && count < 200) count *= extent = 1 + roll(g, 4);
        type.shape[type.rank++] = extent;
    }
    if (count > 1200) return;
    begin(g, type);
    tg_text_add(&g->text, "broadcast_in_dim %%%d dims=%s\n", a.id, list_text(dims, a.type.rank));
}

void make_slice(maker *g)
{
    made a = any(g);
    int64_t start[TG_MAX_RANK], stride[TG_MAX_RANK];
    tg_type type = a.type;
    for (int d = 0; d < type.rank; d++) {
        int64_t extent = a.type.shape[d];
        start[d] = roll(g, 2) ? 0 : roll(g, (unsigned)extent);
        stride[d] = roll(g, 2) ? 1 : 1 + roll(g, 3);
        int64_t most = (extent - 1 - start[d]) / stride[d] + 1;
        type.shape[d] = roll(g, 2) ? most : 1 + roll(g, (unsigned)most);
    }
    begin(g, type);
    tg_text_add(&g->text, "slice %%%d start=%s stride=%s\n", a.id, list_text(start, type.rank),
                list_text(stride, type.rank));
}

void make_rev(maker *g)
{
    made a = any(g);
    int64_t axes[TG_MAX_RANK];
    int count = 0;
    for (int d = 0; d < a.type.rank; d++)
        if (roll(g, 2)) axes[count++] = d;
    begin(g, a.type);
    tg_text_add(&g->text, "rev %%%d axes=%s\n", a.id, list_text(axes, count));
}

void make_pad(maker *g)
{
    made a = any(g), with = of_type(g, (tg_type){.dtype = a.type.dtype});
    int64_t low[TG_MAX_RANK], high[TG_MAX_RANK], interior[TG_MAX_RANK];
    tg_type type = a.type;
    if (tg_type_count(&type) > 200) return;
    for (int d = 0; d < type.rank; d++) {
        int64_t extent = type.shape[d];
        low[d] = (int64_t)roll(g, 5) - 2;
        high[d] = (int64_t)roll(g, 5) - 2;
        interior[d] = roll(g, 3) ? 0 : 1 + roll(g, 2);
        type.shape[d] = low[d] + high[d] + extent + (extent - 1) * interior[d];
        if (type.shape[d] < 1) return;
    }
    begin(g, type);
    tg_text_add(&g->text, "pad %%%d %%%d low=%s high=%s interior=%s\n", a.id, with.id,
                list_text(low, type.rank), list_text(high, type.rank),
                list_text(interior, type.rank));
}

void make_concatenate(maker *g)
{
    made a = any(g), b = of_type(g, a.type);
    if (a.type.rank == 0 || tg_type_count(&a.type) > 400) return;
    int axis = (int)roll(g, (unsigned)a.type.rank);
    tg_type type = a.type;
    type.shape[axis] *= 3;
    begin(g, type);
    tg_text_add(&g->text, "concatenate %%%d %%%d %%%d axis=%d\n", a.id, b.id, a.id, axis);
}

void make_tile(maker *g)
{
    made a = any(g);
    int64_t reps[TG_MAX_RANK];
    tg_type type = a.type;
    for (int d = 0; d < type.rank; d++)
        type.shape[d] *= reps[d] = tg_type_count(&type) > 300 ? 1 : 1 + roll(g, 3);
    begin(g, type);
    tg_text_add(&g->text, "tile %%%d reps=%s\n", a.id, list_text(reps, type.rank));
}

/* Starts may lie outside: they are clamped. */
void make_dynamic(maker *g)
{
    made a = any(g), starts[TG_MAX_RANK], part = {0};
    tg_type type = a.type;
    bool updates = roll(g, 2) != 0;
    for (int d = 0; d < type.rank; d++) {
        type.shape[d] = 1 + roll(g, (unsigned)type.shape[d]);
        starts[d] = of_type(g, scalar);
    }
    if (updates) part = of_type(g, type);
    begin(g, updates ? a.type : type);
    tg_text_add(&g->text, updates ? "dynamic_update_slice %%%d %%%d" : "dynamic_slice %%%d", a.id,
                part.id);
    for (int d = 0; d < type.rank; d++) tg_text_add(&g->text, " %%%d", starts[d].id);
    tg_text_put(&g->text, "\n");
}

/* A reduction or scan that takes the dtype. */
static tg_opcode any_fold(maker *g, tg_dtype dtype, tg_rule rule)
{
    static const tg_opcode plain[] = {TG_OP_reduce_sum, TG_OP_reduce_max, TG_OP_reduce_min};
    for (;;) {
        tg_opcode op = g->range == RANDOM_TYPED ? (tg_opcode)roll(g, TG_OP_COUNT)
                       : rule == TG_RULE_SCAN   ? TG_OP_cumsum
                                                : plain[roll(g, 3)];
        if (tg_ops[op].rule == rule && is_allowed(tg_ops[op].domain, dtype)) return op;
    }
}

static void make_scan(maker *g, made a)
{
    const char *op = tg_ops[any_fold(g, a.type.dtype, TG_RULE_SCAN)].name;
    begin(g, a.type);
    tg_text_add(&g->text, "%s %%%d axis=%u%s\n", op, a.id, roll(g, (unsigned)a.type.rank),
                roll(g, 2) ? " reverse=true" : "");
}

static void make_arg(maker *g, made a)
{
    static const tg_dtype dtypes[] = {TG_DT_i32, TG_DT_i64, TG_DT_u32, TG_DT_u64};
    const int axis = (int)roll(g, (unsigned)a.type.rank);
    tg_type type = {.dtype = dtypes[roll(g, 4)]};
    for (int d = 0; d < a.type.rank; d++)
        if (d != axis) type.shape[type.rank++] = a.type.shape[d];
    begin(g, type);
    tg_text_add(&g->text, "%s %%%d axis=%d\n", roll(g, 2) ? "argmax" : "argmin", a.id, axis);
}

void make_reduce(maker *g)
{
    made a = any(g);
    int64_t axes[TG_MAX_RANK];
    int count = 0;
    tg_type type = {.dtype = a.type.dtype};
    if (a.type.rank && type.dtype != TG_DT_bool && roll(g, 3) == 0) {
        make_scan(g, a);
        return;
    }
    if (a.type.rank && g->range == RANDOM_TYPED && roll(g, 4) == 0) {
        make_arg(g, a);
        return;
    }
    for (int d = 0; d < a.type.rank; d++) {
        if (roll(g, 2))
            axes[count++] = d;
        else
            type.shape[type.rank++] = a.type.shape[d];
    }
    const char *op = tg_ops[any_fold(g, type.dtype, TG_RULE_REDUCE)].name;
    begin(g, type);
    tg_text_add(&g->text, "%s %%%d axes=%s\n", op, a.id, list_text(axes, count));
}

/* ---- products ---- */

static tg_dtype number_like(maker *g, bool is_float)
{
    for (int tries = 0; tries < 8; tries++) {
        tg_dtype dtype = any_dtype(g);
        if (dtype != TG_DT_bool && tg_is_float(dtype) == is_float) return dtype;
    }
    return is_float ? TG_DT_f32 : TG_DT_i32;
}

/* [batch, m, k] with [batch, k, n] or [batch, n, k]; the batch may be absent. */
static void make_typed_dot(maker *g)
{
    static const int64_t extents[] = {1, 3, 8, 16};
    const bool is_float = roll(g, 2), has_batch = roll(g, 3) == 0, is_turned = roll(g, 2);
    const int first = has_batch;
    tg_type a = {.dtype = number_like(g, is_float), .rank = 2 + first}, b = a, r = a;
    int64_t m = extents[roll(g, 4)], k = extents[roll(g, 4)], n = extents[roll(g, 4)];
    a.shape[0] = b.shape[0] = r.shape[0] = 2;
    a.shape[first] = r.shape[first] = m;
    r.shape[first + 1] = n;
    a.shape[first + 1] = k;
    b.shape[first] = is_turned ? n : k;
    b.shape[first + 1] = is_turned ? k : n;
    b.dtype = number_like(g, is_float);
    r.dtype = number_like(g, is_float);
    made lhs = of_type(g, a), rhs = of_type(g, b);
    begin(g, r);
    tg_text_add(&g->text,
                "dot_general %%%d %%%d lhs_contract=[%d] rhs_contract=[%d] lhs_batch=%s "
                "rhs_batch=%s%s\n",
                lhs.id, rhs.id, first + 1, first + is_turned, has_batch ? "[0]" : "[]",
                has_batch ? "[0]" : "[]", roll(g, 2) ? " precision='highest'" : "");
}

void make_dot(maker *g)
{
    if (g->range == RANDOM_TYPED) {
        make_typed_dot(g);
        return;
    }
    made a = of_type(g, type_of(roll(g, 2) ? TG_DT_i32 : TG_DT_i8, 2, (int64_t[]){8, 16}));
    made b = of_type(g, type_of(roll(g, 2) ? TG_DT_i32 : TG_DT_i8, 2, (int64_t[]){16, 8}));
    begin(g, type_of(TG_DT_i32, 2, (int64_t[]){8, 8}));
    tg_text_add(
        &g->text,
        "dot_general %%%d %%%d lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]\n", a.id,
        b.id);
}

/* ---- of RANDOM_TYPED alone ---- */

/* Slices along one dimension, at indices that may lie outside. */
void make_gather(maker *g)
{
    made a = any(g);
    if (a.type.rank == 0 || a.type.rank > 5 || tg_type_count(&a.type) > 600) return;
    const int along = (int)roll(g, (unsigned)a.type.rank), count = 1 + (int)roll(g, 4);
    const bool collapses = roll(g, 2), fills = roll(g, 2);
    tg_type type = {.dtype = a.type.dtype, .rank = 1, .shape = {count}};
    int64_t sizes[TG_MAX_RANK], offsets[TG_MAX_RANK];
    for (int d = 0; d < a.type.rank; d++) {
        sizes[d] = d == along ? 1 : 1 + roll(g, (unsigned)a.type.shape[d]);
        if (d == along && collapses) continue;
        offsets[type.rank - 1] = type.rank;
        type.shape[type.rank++] = sizes[d];
    }
    made at = of_type(g, type_of(TG_DT_i32, 2, (int64_t[]){count, 1}));
    begin(g, type);
    tg_text_add(&g->text,
                "gather %%%d %%%d offset_dims=%s collapsed_dims=%s start_index_map=[%d] "
                "operand_batch=[] indices_batch=[] slice_sizes=%s mode='%s'",
                a.id, at.id, list_text(offsets, type.rank - 1),
                collapses ? list_text((int64_t[]){along}, 1) : "[]", along,
                list_text(sizes, a.type.rank), fills ? "fill" : "clip");
    if (fills && roll(g, 2))
        tg_text_add(&g->text, " fill=%s", type.dtype == TG_DT_bool ? "true" : "1");
    tg_text_put(&g->text, "\n");
}

/* Slices along one dimension are combined with updates, at indices that may lie outside or be equal. */
void make_scatter(maker *g)
{
    static const char *const numbers[] = {"set", "min", "max", "add", "sub", "mul"};
    made a = any(g);
    if (a.type.rank == 0 || a.type.rank > 5 || tg_type_count(&a.type) > 600) return;
    const int along = (int)roll(g, (unsigned)a.type.rank), count = 1 + (int)roll(g, 4);
    tg_type type = {.dtype = a.type.dtype, .rank = 1, .shape = {count}};
    int64_t offsets[TG_MAX_RANK];
    for (int d = 0; d < a.type.rank; d++) {
        if (d == along) continue;
        offsets[type.rank - 1] = type.rank;
        type.shape[type.rank++] = 1 + roll(g, (unsigned)a.type.shape[d]);
    }
    made at = of_type(g, type_of(TG_DT_i32, 2, (int64_t[]){count, 1})), updates = of_type(g, type);
    begin(g, a.type);
    tg_text_add(&g->text,
                "scatter %%%d %%%d %%%d offset_dims=%s collapsed_dims=[%d] start_index_map=[%d] "
                "operand_batch=[] indices_batch=[] mode='%s' combine='%s'\n",
                a.id, at.id, updates.id, list_text(offsets, type.rank - 1), along, along,
                roll(g, 2) ? "clip" : "drop", numbers[roll(g, type.dtype == TG_DT_bool ? 3 : 6)]);
}

/* Two operands, of which one or both are keys; NaNs are made one kind, as their sign is left to chance. */
void make_sort(maker *g)
{
    made a = any(g);
    if (a.type.rank == 0) return;
    tg_type other = a.type;
    other.dtype = any_dtype(g);
    made b = plain_nans(g, of_type(g, other));
    a = plain_nans(g, a);
    made first = {.id = g->next_id++, .type = a.type}, second = {.id = g->next_id++, .type = other};
    tg_text_add(&g->text, "%%%d:%s %%%d:%s = sort %%%d %%%d axis=%u keys=%u%s%s\n", first.id,
                shown(&first.type), second.id, shown(&second.type), a.id, b.id,
                roll(g, (unsigned)a.type.rank), 1 + roll(g, 2),
                roll(g, 2) ? " descending=true" : "", roll(g, 2) ? " total=true" : "");
    take_value(g, first);
    take_value(g, second);
}

made plain_nans(maker *g, made v)
{
    tg_type is_nan = v.type;
    is_nan.dtype = TG_DT_bool;
    if (!tg_is_float(v.type.dtype) || v.type.dtype == TG_DT_f4e2m1fn) return v;
    made which = begin(g, is_nan);
    line2(g, "ne", v, v);
    made nan = begin(g, v.type);
    tg_text_put(&g->text, "constant value='nan'\n");
    made plain = begin(g, v.type);
    tg_text_add(&g->text, "select %%%d %%%d %%%d\n", which.id, v.id, nan.id);
    return plain;
}

/* To another dtype: of the same width, or of another with a dimension more or less. */
void make_bitcast(maker *g)
{
    made a = any(g);
    tg_type type = a.type;
    type.dtype = any_dtype(g);
    const int from = tg_dtypes[a.type.dtype].bits, to = tg_dtypes[type.dtype].bits;
    if ((type.dtype == TG_DT_bool) != (a.type.dtype == TG_DT_bool)) return;
    if (from > to) {
        if (type.rank > 5 || from % to) return;
        type.shape[type.rank++] = from / to;
    } else if (from < to) {
        if (type.rank == 0 || type.shape[type.rank - 1] * from != to) return;
        type.shape[--type.rank] = 0;
    }
    a = plain_nans(g, a);
    begin(g, type);
    line1(g, "bitcast", a, "");
}
