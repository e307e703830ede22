/* Loads, stores, views, atomics. */
#include "random/maker.h"

#include <string.h>

/* What of a ref an op touches. */
typedef struct box {
    tg_type type;
    tg_index_dim index[TG_MAX_RANK];
    int rank;
    made operands[TG_MAX_RANK];
    int operand_count;
} box;

static void use_operands(maker *g, const box *a)
{
    for (int i = 0; i < a->operand_count; i++) use(g, a->operands[i]);
}

static void give_index(maker *g, const box *a) { tg_build_index(&g->b, a->index, a->rank); }

/* The last of the operands, where there is one. */
static void use_mask(maker *g, const made *mask)
{
    if (!mask) return;
    use(g, *mask);
    tg_build_int(&g->b, TG_ATTR_mask, true);
}

/* start + step * iota, which stays in 0 .. most; the start is a constant or known at run time. */
static made even_array(maker *g, tg_type type, int64_t most)
{
    int axis = (int)roll(g, (unsigned)type.rank);
    int64_t last = type.shape[axis] - 1, step = 1 + roll(g, 3);
    if (last * step > most) step = last > most ? 0 : 1;
    made from = give_iota(g, type, axis), by = constant(g, type, (int)step),
         scaled = give2(g, TG_OP_mul, type, from, by);
    int64_t room = most - last * step;
    made start = roll(g, 2) ? constant(g, type, (int)roll(g, (unsigned)(room < 90 ? room : 90) + 1))
                            : index_up_to(g, room);
    if (start.type.rank == 0) {
        give_ints(g, TG_ATTR_dims, NULL, 0);
        start = give1(g, TG_OP_broadcast_in_dim, type, start);
    }
    return give2(g, TG_OP_add, type, scaled, start);
}

/* Positions in 0 .. most, as a block of that shape: clamped values, or numbers that go up or down evenly. */
static made index_array(maker *g, tg_type type, int64_t most)
{
    if (roll(g, 3) == 0) return even_array(g, type, most);
    made low = zero(g), high = exactly(g, most);
    made from = of_type(g, type);
    if (roll(g, 2)) {
        from = give_iota(g, type, type.rank - 1);
        made step = constant(g, type, (int)roll(g, 5) - 1),
             start = constant(g, type, (int)roll(g, 8)),
             scaled = give2(g, TG_OP_mul, type, from, step);
        from = give2(g, TG_OP_add, type, scaled, start);
    }
    return give3(g, TG_OP_clamp, type, low, from, high);
}

/* The result's shape, by numpy's rule for the positions. */
static tg_type placed(tg_dtype dtype, const tg_type *positions, const bool *is_at,
                      const int64_t *size, int rank)
{
    tg_type type = {.dtype = dtype};
    int first = -1, last = -1, count = 0;
    for (int d = 0; d < rank; d++)
        if (is_at[d]) first = first < 0 ? d : first, last = d, count++;
    int before = count && last - first + 1 == count ? first : 0;
    for (int d = 0, slices = 0; d <= rank; d++) {
        if (d == rank || !is_at[d]) {
            if (slices++ == before)
                for (int k = 0; k < positions->rank; k++)
                    type.shape[type.rank++] = positions->shape[k];
            if (d < rank) type.shape[type.rank++] = size[d];
        }
    }
    return type;
}

static box make_access(maker *g, const made *ref, bool takes_arrays)
{
    box a = {.rank = ref->type.rank};
    tg_type positions = {.dtype = TG_DT_i32},
            array = {.dtype = TG_DT_i32, .rank = 1 + (int)roll(g, 2)};
    bool is_at[TG_MAX_RANK] = {false};
    int64_t sizes[TG_MAX_RANK];
    for (int d = 0; d < array.rank; d++) array.shape[d] = 1 + roll(g, array.rank == 1 ? 9 : 3);
    takes_arrays = takes_arrays && roll(g, 2);
    for (int d = 0; d < ref->type.rank; d++) {
        int64_t extent = ref->type.shape[d], size = 1 + roll(g, (unsigned)extent), stride = 1;
        tg_index_dim *dim = &a.index[d];
        switch (roll(g, 5)) {
        case 0: {
            bool is_array = takes_arrays && roll(g, 3);
            if (is_array) positions = array;
            a.operands[a.operand_count++] =
                is_array ? index_array(g, array, extent - 1) : index_up_to(g, extent - 1);
            dim->kind = TG_INDEX_AT;
            is_at[d] = true;
            break;
        }
        case 1:
            a.operands[a.operand_count++] = index_up_to(g, extent - size);
            *dim = (tg_index_dim){TG_INDEX_SLICE, false, 0, size, 1};
            break;
        case 2:
            stride = 1 + roll(g, 3);
            size = (extent - 1) / stride + 1;
            *dim = (tg_index_dim){TG_INDEX_SLICE, true, 0, size, stride};
            break;
        case 3: *dim = (tg_index_dim){TG_INDEX_SLICE, true, extent - size, size, 1}; break;
        default: size = extent; *dim = (tg_index_dim){TG_INDEX_SLICE, true, 0, size, 1};
        }
        sizes[d] = size;
    }
    a.type = placed(ref->type.dtype, &positions, is_at, sizes, ref->type.rank);
    return a;
}

static void make_view(maker *g, const made *ref)
{
    const box a = make_access(g, ref, false);
    use(g, *ref);
    use_operands(g, &a);
    give_index(g, &a);
    made view = give_ref(g, TG_OP_view, a.type);
    view.is_fixed = ref->is_fixed;
    view.is_recast = ref->is_recast;
    view.is_copied = ref->is_copied;
    g->refs[g->ref_count++] = view;
}

/* What an atomic orders, and for whom: no value depends on it. */
static void give_order(maker *g, const char *const *sems, unsigned count)
{
    static const char *const scopes[] = {"gpu", "cta", "sys"};
    if (roll(g, 2)) return;
    tg_build_name(&g->b, TG_ATTR_sem, sems[roll(g, count)]);
    if (roll(g, 2)) tg_build_name(&g->b, TG_ATTR_scope, scopes[roll(g, 3)]);
}

static void give_any_order(maker *g)
{
    static const char *const sems[] = {"acq_rel", "relaxed", "acquire", "release"};
    give_order(g, sems, 4);
}

/* Of a load or a store. */
static void give_half_order(maker *g, const char *other)
{
    const char *const sems[] = {"relaxed", other};
    if (roll(g, 4) == 0) give_order(g, sems, 2);
}

static void make_load(maker *g, const made *ref, const box *a, const made *mask)
{
    made other;
    const bool has_other = mask && roll(g, 2);
    if (has_other) other = of_type(g, roll(g, 2) ? a->type : (tg_type){.dtype = a->type.dtype});
    use(g, *ref);
    use_operands(g, a);
    give_index(g, a);
    use_mask(g, mask);
    if (has_other) {
        use(g, other);
        tg_build_int(&g->b, TG_ATTR_other, true);
    }
    if (!ref->is_recast) give_half_order(g, "acquire");
    give(g, TG_OP_load, a->type);
}

/* Compares and swaps elements of the access, or updates them. */
static void make_atomic(maker *g, const made *ref, const box *a)
{
    static const char *const kinds[] = {"xchg", "add", "max", "min", "and", "or", "xor"};
    made value = of_type(g, a->type);
    if (roll(g, a->type.rank == 0 ? 2 : 4) == 1) {
        made wanted = of_type(g, a->type);
        use(g, *ref);
        use(g, wanted);
        use(g, value);
        use_operands(g, a);
        give_index(g, a);
        give_any_order(g);
        give(g, TG_OP_atomic_cas, a->type);
        return;
    }
    unsigned first = 0, count = 7;
    if (tg_is_float(a->type.dtype)) count = 4;
    if (a->type.dtype == TG_DT_bool) first = 4, count = 3;
    const char *kind = kinds[first + roll(g, count)];
    made mask = {0};
    const bool is_masked = roll(g, 4) == 0;
    if (is_masked) {
        tg_type type = a->type;
        type.dtype = TG_DT_bool;
        mask = of_type(g, type);
    }
    use(g, *ref);
    use(g, value);
    use_operands(g, a);
    give_index(g, a);
    use_mask(g, is_masked ? &mask : NULL);
    tg_build_name(&g->b, TG_ATTR_kind, kind);
    give_any_order(g);
    give(g, TG_OP_atomic_rmw, a->type);
}

/* On what all programs share: one kind of update, whose order plays no part, and whose result is not used. */
void make_shared_atomic(maker *g)
{
    const box a = make_access(g, &g->shared, true);
    made value = of_type(g, a.type);
    const bool adds = strcmp(g->shared_kind, "add") == 0 && roll(g, 2);
    use(g, g->shared);
    use(g, value);
    use_operands(g, &a);
    give_index(g, &a);
    if (adds) {
        tg_build_op(&g->b, TG_OP_add_update);
        return;
    }
    tg_build_name(&g->b, TG_ATTR_kind, g->shared_kind);
    tg_build_result(&g->b, TG_OP_atomic_rmw, &a.type);
}

/* A tensor that has all bytes of a ref's memory: the ref itself. */
static void make_tensor(maker *g)
{
    if (g->ref_count >= 40) return;
    made ref = g->refs[roll(g, (unsigned)g->ref_count)];
    tg_build_text(&g->b, TG_ATTR_name, "t");
    tg_build_int(&g->b, TG_ATTR_offset, 0);
    give_ints(g, TG_ATTR_extents, (int64_t[]){INT32_MAX}, 1);
    give_ints(g, TG_ATTR_steps, (int64_t[]){1}, 1);
    use(g, ref);
    ref.id = give_ref(g, TG_OP_view_tensor, ref.type).id;
    g->refs[g->ref_count++] = ref;
}

/* A ref to what another one refers to, in another order, shape or dtype.  Floats are not seen as other dtypes:
 * what a NaN carries would show. */
void make_recast(maker *g)
{
    if (g->ref_count >= 40) return;
    made ref = g->refs[roll(g, (unsigned)g->ref_count)];
    tg_type type = ref.type;
    const int rank = type.rank;
    tg_opcode op = TG_OP_view_reshape;
    unsigned kind = roll(g, 3);
    if (kind == 0 && rank == 2) {
        op = TG_OP_view_transpose;
        give_ints(g, TG_ATTR_permutation, (int64_t[]){1, 0}, 2);
        type = (tg_type){.dtype = type.dtype, .rank = 2, .shape = {type.shape[1], type.shape[0]}};
    } else if (kind == 1 && tg_dtypes[type.dtype].bits >= 8 && tg_is_int(type.dtype)) {
        static const tg_dtype same[][2] = {{TG_DT_i8, TG_DT_u8},
                                           {TG_DT_i16, TG_DT_u16},
                                           {TG_DT_i32, TG_DT_u32},
                                           {TG_DT_i64, TG_DT_u64}};
        const int bytes = tg_dtypes[type.dtype].bytes;
        const int size = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
        op = TG_OP_view_bitcast;
        if (rank >= 2 && roll(g, 2)) {
            type.dtype = TG_DT_u8;
            type.shape[rank - 2] *= bytes;
        } else {
            type.dtype = same[size][roll(g, 2)];
        }
    } else {
        type = (tg_type){.dtype = type.dtype, .rank = 1, .shape = {tg_type_count(&type)}};
    }
    use(g, ref);
    made view = give_ref(g, op, type);
    view.is_fixed = ref.is_fixed;
    view.is_copied = ref.is_copied;
    view.is_recast = true;
    g->refs[g->ref_count++] = view;
}

/* Memory that every program has for itself. */
void make_alloc(maker *g)
{
    if (g->ref_count >= 40) return;
    tg_axe layout;
    const made ref = give_ref(g, TG_OP_alloc, shape_from_pool(g, any_dtype(g)));
    if (take_memory_layout(g, tg_type_count(&ref.type), &layout))
        tg_build_place(&g->b, ref.id, "smem", &layout);
    g->refs[g->ref_count++] = ref;
}

void make_memory(maker *g)
{
    if (g->range == RANDOM_TYPED && roll(g, 8) == 0) {
        if (roll(g, 8) == 0)
            make_tensor(g);
        else if (roll(g, 3))
            make_recast(g);
        else
            make_alloc(g);
        return;
    }
    made ref = g->refs[roll(g, (unsigned)g->ref_count)];
    unsigned kind = ref.is_fixed ? roll(g, 4) : roll(g, 8);
    if (kind == 3) {
        if (g->ref_count < 40) make_view(g, &ref);
        return;
    }
    if (ref.is_copied && kind > 4) kind = 4; /* neither add_update nor other atomics */
    const box a = make_access(g, &ref, true);
    bool masks = roll(g, 4) == 0, adds = kind == 5 && a.type.dtype != TG_DT_bool;
    made drawn;
    const made *mask = NULL;
    if (masks && !adds) {
        tg_type type = a.type;
        type.dtype = TG_DT_bool;
        if (roll(g, 4) == 0) type = (tg_type){.dtype = TG_DT_bool};
        drawn = of_type(g, type);
        mask = &drawn;
    }
    if (g->range == RANDOM_TYPED && kind > 5 && roll(g, 2)) {
        make_atomic(g, &ref, &a);
        return;
    }
    if (kind < 3) {
        make_load(g, &ref, &a, mask);
        return;
    }
    made value = of_type(g, a.type);
    use(g, ref);
    use(g, value);
    use_operands(g, &a);
    give_index(g, &a);
    use_mask(g, mask);
    if (kind != 4 && !adds && !ref.is_recast) give_half_order(g, "release");
    if (kind == 4)
        give(g, TG_OP_swap, a.type);
    else
        tg_build_op(&g->b, adds ? TG_OP_add_update : TG_OP_store);
}
