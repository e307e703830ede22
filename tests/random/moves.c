/* Shapes, reductions, products. */
#include "random/maker.h"

#include <math.h>

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
    give1(g, TG_OP_reshape, type, a);
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
    give_ints(g, TG_ATTR_permutation, permutation, type.rank);
    give1(g, TG_OP_transpose, type, a);
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
    give_ints(g, TG_ATTR_dims, dims, a.type.rank);
    give1(g, TG_OP_broadcast_in_dim, type, a);
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
    give_ints(g, TG_ATTR_start, start, type.rank);
    give_ints(g, TG_ATTR_stride, stride, type.rank);
    give1(g, TG_OP_slice, type, a);
}

void make_rev(maker *g)
{
    made a = any(g);
    int64_t axes[TG_MAX_RANK];
    int count = 0;
    for (int d = 0; d < a.type.rank; d++)
        if (roll(g, 2)) axes[count++] = d;
    give_ints(g, TG_ATTR_axes, axes, count);
    give1(g, TG_OP_rev, a.type, a);
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
    give_ints(g, TG_ATTR_low, low, type.rank);
    give_ints(g, TG_ATTR_high, high, type.rank);
    give_ints(g, TG_ATTR_interior, interior, type.rank);
    give2(g, TG_OP_pad, type, a, with);
}

void make_concatenate(maker *g)
{
    made a = any(g), b = of_type(g, a.type);
    if (a.type.rank == 0 || tg_type_count(&a.type) > 400) return;
    int axis = (int)roll(g, (unsigned)a.type.rank);
    tg_type type = a.type;
    type.shape[axis] *= 3;
    tg_build_int(&g->b, TG_ATTR_axis, axis);
    give3(g, TG_OP_concatenate, type, a, b, a);
}

void make_tile(maker *g)
{
    made a = any(g);
    int64_t reps[TG_MAX_RANK];
    tg_type type = a.type;
    for (int d = 0; d < type.rank; d++)
        type.shape[d] *= reps[d] = tg_type_count(&type) > 300 ? 1 : 1 + roll(g, 3);
    give_ints(g, TG_ATTR_reps, reps, type.rank);
    give1(g, TG_OP_tile, type, a);
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
    use(g, a);
    if (updates) use(g, part);
    for (int d = 0; d < type.rank; d++) use(g, starts[d]);
    if (updates)
        give(g, TG_OP_dynamic_update_slice, a.type);
    else
        give(g, TG_OP_dynamic_slice, type);
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
    const tg_opcode op = any_fold(g, a.type.dtype, TG_RULE_SCAN);
    if (roll(g, 2)) tg_build_int(&g->b, TG_ATTR_reverse, true);
    tg_build_int(&g->b, TG_ATTR_axis, roll(g, (unsigned)a.type.rank));
    give1(g, op, a.type, a);
}

static void make_arg(maker *g, made a)
{
    static const tg_dtype dtypes[] = {TG_DT_i32, TG_DT_i64, TG_DT_u32, TG_DT_u64};
    const int axis = (int)roll(g, (unsigned)a.type.rank);
    tg_type type = {.dtype = dtypes[roll(g, 4)]};
    for (int d = 0; d < a.type.rank; d++)
        if (d != axis) type.shape[type.rank++] = a.type.shape[d];
    tg_build_int(&g->b, TG_ATTR_axis, axis);
    give1(g, roll(g, 2) ? TG_OP_argmax : TG_OP_argmin, type, a);
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
    const tg_opcode op = any_fold(g, type.dtype, TG_RULE_REDUCE);
    give_ints(g, TG_ATTR_axes, axes, count);
    give1(g, op, type, a);
}

/* ---- products ---- */

tg_dtype number_like(maker *g, bool is_float)
{
    for (int tries = 0; tries < 8; tries++) {
        tg_dtype dtype = any_dtype(g);
        if (dtype != TG_DT_bool && tg_is_float(dtype) == is_float) return dtype;
    }
    return is_float ? TG_DT_f32 : TG_DT_i32;
}

typedef struct dot_dims {
    int64_t lhs, rhs; /* that are contracted */
    bool has_batch;   /* dimension 0 */
} dot_dims;

static void give_dot(maker *g, tg_type type, made lhs, made rhs, dot_dims dims)
{
    static const int64_t first[] = {0};
    give_ints(g, TG_ATTR_lhs_contract, &dims.lhs, 1);
    give_ints(g, TG_ATTR_rhs_contract, &dims.rhs, 1);
    give_ints(g, TG_ATTR_lhs_batch, first, dims.has_batch);
    give_ints(g, TG_ATTR_rhs_batch, first, dims.has_batch);
    give2(g, TG_OP_dot_general, type, lhs, rhs);
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
    if (roll(g, 2)) tg_build_name(&g->b, TG_ATTR_precision, "highest");
    give_dot(g, r, lhs, rhs, (dot_dims){first + 1, first + is_turned, has_batch});
}

void make_dot(maker *g)
{
    if (g->has_products && roll(g, 2)) {
        make_product(g);
        return;
    }
    if (g->range == RANDOM_TYPED) {
        make_typed_dot(g);
        return;
    }
    made a = of_type(g, type_of(roll(g, 2) ? TG_DT_i32 : TG_DT_i8, 2, (int64_t[]){8, 16}));
    made b = of_type(g, type_of(roll(g, 2) ? TG_DT_i32 : TG_DT_i8, 2, (int64_t[]){16, 8}));
    give_dot(g, type_of(TG_DT_i32, 2, (int64_t[]){8, 8}), a, b, (dot_dims){.lhs = 1, .rhs = 0});
}

/* ---- of RANDOM_TYPED alone ---- */

/* What gather and scatter along the dimension `*along` say of dimensions. */
static void give_windows(maker *g, const int64_t *offsets, int count, const int64_t *along,
                         bool collapses)
{
    give_ints(g, TG_ATTR_offset_dims, offsets, count);
    give_ints(g, TG_ATTR_collapsed_dims, along, collapses);
    give_ints(g, TG_ATTR_start_index_map, along, 1);
    give_ints(g, TG_ATTR_operand_batch, NULL, 0);
    give_ints(g, TG_ATTR_indices_batch, NULL, 0);
}

/* Slices along one dimension, at indices that may lie outside. */
void make_gather(maker *g)
{
    made a = any(g);
    if (a.type.rank == 0 || a.type.rank > 5 || tg_type_count(&a.type) > 600) return;
    const int64_t along = roll(g, (unsigned)a.type.rank), count = 1 + (int)roll(g, 4);
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
    give_windows(g, offsets, type.rank - 1, &along, collapses);
    give_ints(g, TG_ATTR_slice_sizes, sizes, a.type.rank);
    tg_build_name(&g->b, TG_ATTR_mode, fills ? "fill" : "clip");
    if (fills && roll(g, 2)) tg_build_number(&g->b, TG_ATTR_fill, type.dtype, 1);
    give2(g, TG_OP_gather, type, a, at);
}

/* Slices along one dimension are combined with updates, at indices that may lie outside or be equal. */
void make_scatter(maker *g)
{
    static const char *const numbers[] = {"set", "min", "max", "add", "sub", "mul"};
    made a = any(g);
    if (a.type.rank == 0 || a.type.rank > 5 || tg_type_count(&a.type) > 600) return;
    const int64_t along = roll(g, (unsigned)a.type.rank), count = 1 + (int)roll(g, 4);
    tg_type type = {.dtype = a.type.dtype, .rank = 1, .shape = {count}};
    int64_t offsets[TG_MAX_RANK];
    for (int d = 0; d < a.type.rank; d++) {
        if (d == along) continue;
        offsets[type.rank - 1] = type.rank;
        type.shape[type.rank++] = 1 + roll(g, (unsigned)a.type.shape[d]);
    }
    made at = of_type(g, type_of(TG_DT_i32, 2, (int64_t[]){count, 1})), updates = of_type(g, type);
    give_windows(g, offsets, type.rank - 1, &along, true);
    tg_build_name(&g->b, TG_ATTR_combine, numbers[roll(g, type.dtype == TG_DT_bool ? 3 : 6)]);
    tg_build_name(&g->b, TG_ATTR_mode, roll(g, 2) ? "clip" : "drop");
    give3(g, TG_OP_scatter, a.type, a, at, updates);
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
    if (roll(g, 2)) tg_build_int(&g->b, TG_ATTR_total, true);
    if (roll(g, 2)) tg_build_int(&g->b, TG_ATTR_descending, true);
    tg_build_int(&g->b, TG_ATTR_keys, 1 + roll(g, 2));
    tg_build_int(&g->b, TG_ATTR_axis, roll(g, (unsigned)a.type.rank));
    use(g, a);
    use(g, b);
    const made first = {.id = tg_build_value(&g->b, &a.type), .type = a.type};
    tg_build_out(&g->b, first.id);
    take_value(g, first);
    give(g, TG_OP_sort, other);
}

/* Two operands of one dtype; as many elements share an instance as divide their number. */
void make_inline_ptx(maker *g)
{
    made a = any(g);
    const int bits = tg_dtypes[a.type.dtype].bits;
    const bool is_bool = a.type.dtype == TG_DT_bool;
    const int64_t count = tg_type_count(&a.type), each = is_bool || bits > 32 ? 1 : 32 / bits;
    if (bits < 8 && !is_bool) return;
    a = plain_nans(g, a);
    made b = plain_nans(g, of_type(g, a.type));
    const bool is_packed = !is_bool && count % each == 0 && roll(g, 2);
    tg_build_int(&g->b, TG_ATTR_packed, is_packed ? each : 1);
    tg_build_text(&g->b, TG_ATTR_constraints, bits == 64 ? "=l,l,l" : "=r,r,r");
    tg_build_text(
        &g->b, TG_ATTR_text,
        bits == 64 ? "{ .reg .pred %p; setp.lt.u64 %p, $1, $2; @%p bra L; mov.b64 $0, $1; bra M; "
                     "L: mov.b64 $0, $2; M: }"
        : is_packed || bits < 32 ? "and.b32 $0, $1, $2;"
                                 : "shf.l.wrap.b32 $0, $1, $2, 7;");
    plain_nans(g, give2(g, TG_OP_inline_ptx, a.type, a, b));
}

made plain_nans(maker *g, made v)
{
    tg_type is_nan = v.type;
    is_nan.dtype = TG_DT_bool;
    if (!tg_is_float(v.type.dtype) || v.type.dtype == TG_DT_f4e2m1fn) return v;
    made which = give2(g, TG_OP_ne, is_nan, v, v);
    tg_build_number(&g->b, TG_ATTR_value, v.type.dtype, (double)NAN);
    made nan = give(g, TG_OP_constant, v.type);
    return give3(g, TG_OP_select, v.type, which, v, nan);
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
    give1(g, TG_OP_bitcast, type, a);
}
