/* Loads, stores, views, atomics. */
#include "random/maker.h"

#include <stdio.h>
#include <string.h>

typedef struct access_text {
    tg_type type;
    char index[256], operands[128];
} access_text;

/* start + step * iota, which stays in 0 .. most; the start is a constant or known at run time. */
static made even_array(maker *g, tg_type type, int64_t most)
{
    int axis = (int)roll(g, (unsigned)type.rank);
    int64_t last = type.shape[axis] - 1, step = 1 + roll(g, 3);
    if (last * step > most) step = last > most ? 0 : 1;
    made from = begin(g, type);
    tg_text_add(&g->text, "iota axis=%d\n", axis);
    made by = constant(g, type, (int)step), scaled = begin(g, type);
    line2(g, "mul", from, by);
    int64_t room = most - last * step;
    made start = roll(g, 2) ? constant(g, type, (int)roll(g, (unsigned)(room < 90 ? room : 90) + 1))
                            : index_up_to(g, room);
    if (start.type.rank == 0) {
        made wide = begin(g, type);
        line1(g, "broadcast_in_dim", start, " dims=[]");
        start = wide;
    }
    made index = begin(g, type);
    line2(g, "add", scaled, start);
    return index;
}

/* Positions in 0 .. most, as a block of that shape: clamped values, or numbers that go up or down evenly. */
static made index_array(maker *g, tg_type type, int64_t most)
{
    if (roll(g, 3) == 0) return even_array(g, type, most);
    made low = zero(g), high = exactly(g, most);
    made from = of_type(g, type);
    if (roll(g, 2)) {
        from = begin(g, type);
        tg_text_add(&g->text, "iota axis=%d\n", type.rank - 1);
        made step = constant(g, type, (int)roll(g, 5) - 1),
             start = constant(g, type, (int)roll(g, 8)), scaled = begin(g, type);
        line2(g, "mul", from, step);
        from = begin(g, type);
        line2(g, "add", scaled, start);
    }
    made index = begin(g, type);
    tg_text_add(&g->text, "clamp %%%d %%%d %%%d\n", low.id, from.id, high.id);
    return index;
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

static access_text make_access(maker *g, const made *ref, bool takes_arrays)
{
    access_text a = {.index = "["};
    tg_type positions = {.dtype = TG_DT_i32},
            array = {.dtype = TG_DT_i32, .rank = 1 + (int)roll(g, 2)};
    bool is_at[TG_MAX_RANK] = {false};
    int64_t sizes[TG_MAX_RANK];
    for (int d = 0; d < array.rank; d++) array.shape[d] = 1 + roll(g, array.rank == 1 ? 9 : 3);
    takes_arrays = takes_arrays && roll(g, 2);
    for (int d = 0; d < ref->type.rank; d++) {
        int64_t extent = ref->type.shape[d], size = 1 + roll(g, (unsigned)extent), stride = 1;
        char *end = a.index + strlen(a.index), *operands = a.operands + strlen(a.operands);
        size_t room = sizeof a.index - (size_t)(end - a.index);
        const char *comma = d ? "," : "";
        switch (roll(g, 5)) {
        case 0: {
            bool is_array = takes_arrays && roll(g, 3);
            if (is_array) positions = array;
            made at = is_array ? index_array(g, array, extent - 1) : index_up_to(g, extent - 1);
            snprintf(end, room, "%s@", comma);
            sprintf(operands, " %%%d", at.id);
            is_at[d] = true;
            break;
        }
        case 1: {
            made at = index_up_to(g, extent - size);
            snprintf(end, room, "%s*:%lld", comma, (long long)size);
            sprintf(operands, " %%%d", at.id);
            break;
        }
        case 2:
            stride = 1 + roll(g, 3);
            size = (extent - 1) / stride + 1;
            snprintf(end, room, "%s0:%lld:%lld", comma, (long long)size, (long long)stride);
            break;
        case 3:
            snprintf(end, room, "%s%lld:%lld", comma, (long long)(extent - size), (long long)size);
            break;
        default: size = extent; snprintf(end, room, "%s0:%lld", comma, (long long)size);
        }
        sizes[d] = size;
    }
    strcat(a.index, "]");
    a.type = placed(ref->type.dtype, &positions, is_at, sizes, ref->type.rank);
    return a;
}

static void make_view(maker *g, const made *ref)
{
    access_text a = make_access(g, ref, false);
    made view = {g->next_id++, a.type, ref->is_fixed, ref->is_recast};
    a.type.is_ref = true;
    tg_text_add(&g->text, "%%%d:%s = view %%%d%s %s\n", view.id, shown(&a.type), ref->id,
                a.operands, a.index);
    g->refs[g->ref_count++] = view;
}

static void make_load(maker *g, const made *ref, const access_text *a, bool masks, const char *mask)
{
    char other[32] = "";
    if (masks && roll(g, 2))
        snprintf(other, sizeof other, " %%%d",
                 of_type(g, roll(g, 2) ? a->type : (tg_type){.dtype = a->type.dtype}).id);
    begin(g, a->type);
    tg_text_add(&g->text, "load %%%d%s%s%s %s%s%s\n", ref->id, a->operands, mask, other, a->index,
                masks ? " mask=true" : "", *other ? " other=true" : "");
}

/* Compares and swaps an element, or updates those of the access. */
static void make_atomic(maker *g, const made *ref, const access_text *a)
{
    static const char *const kinds[] = {"xchg", "add", "max", "min", "and", "or", "xor"};
    made value = of_type(g, a->type);
    if (a->type.rank == 0 && roll(g, 2)) {
        made wanted = of_type(g, a->type);
        begin(g, a->type);
        tg_text_add(&g->text, "atomic_cas %%%d %%%d %%%d%s %s\n", ref->id, wanted.id, value.id,
                    a->operands, a->index);
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
    begin(g, a->type);
    tg_text_add(&g->text, "atomic_rmw %%%d %%%d%s", ref->id, value.id, a->operands);
    if (is_masked) tg_text_add(&g->text, " %%%d", mask.id);
    tg_text_add(&g->text, " %s kind='%s'%s\n", a->index, kind, is_masked ? " mask=true" : "");
}

/* On what all programs share: one kind of update, whose order plays no part, and whose result is not used. */
void make_shared_atomic(maker *g)
{
    access_text a = make_access(g, &g->shared, true);
    made value = of_type(g, a.type);
    if (strcmp(g->shared_kind, "add") == 0 && roll(g, 2)) {
        tg_text_add(&g->text, "add_update %%%d %%%d%s %s\n", g->shared.id, value.id, a.operands,
                    a.index);
        return;
    }
    tg_text_add(&g->text, "%%%d:%s = atomic_rmw %%%d %%%d%s %s kind='%s'\n", g->next_id++,
                shown(&a.type), g->shared.id, value.id, a.operands, a.index, g->shared_kind);
}

/* A ref to what another one refers to, in another order, shape or dtype.  Floats are not seen as other dtypes:
 * what a NaN carries would show. */
void make_recast(maker *g)
{
    if (g->ref_count >= 40) return;
    made ref = g->refs[roll(g, (unsigned)g->ref_count)],
         view = {g->next_id++, ref.type, ref.is_fixed, true};
    tg_type type = ref.type;
    const int rank = type.rank;
    const char *op = "view_reshape", *rest = "";
    unsigned kind = roll(g, 3);
    if (kind == 0 && rank == 2) {
        op = "view_transpose";
        rest = " permutation=[1,0]";
        type = (tg_type){.dtype = type.dtype, .rank = 2, .shape = {type.shape[1], type.shape[0]}};
    } else if (kind == 1 && tg_dtypes[type.dtype].bits >= 8 && tg_is_int(type.dtype)) {
        static const tg_dtype same[][2] = {{TG_DT_i8, TG_DT_u8},
                                           {TG_DT_i16, TG_DT_u16},
                                           {TG_DT_i32, TG_DT_u32},
                                           {TG_DT_i64, TG_DT_u64}};
        const int bytes = tg_dtypes[type.dtype].bytes;
        const int size = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
        op = "view_bitcast";
        if (rank >= 2 && roll(g, 2)) {
            type.dtype = TG_DT_u8;
            type.shape[rank - 2] *= bytes;
        } else {
            type.dtype = same[size][roll(g, 2)];
        }
    } else {
        type = (tg_type){.dtype = type.dtype, .rank = 1, .shape = {tg_type_count(&type)}};
    }
    view.type = type;
    type.is_ref = true;
    tg_text_add(&g->text, "%%%d:%s = %s %%%d%s\n", view.id, shown(&type), op, ref.id, rest);
    g->refs[g->ref_count++] = view;
}

/* Memory that every program has for itself. */
void make_alloc(maker *g)
{
    if (g->ref_count >= 40) return;
    made ref = {.id = g->next_id++, .type = shape_from_pool(g, any_dtype(g))};
    tg_type type = ref.type;
    type.is_ref = true;
    tg_text_add(&g->text, "%%%d:%s = alloc\n", ref.id, shown(&type));
    g->refs[g->ref_count++] = ref;
}

void make_memory(maker *g)
{
    if (g->range == RANDOM_TYPED && roll(g, 8) == 0) {
        if (roll(g, 3))
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
    access_text a = make_access(g, &ref, true);
    bool masks = roll(g, 4) == 0, adds = kind == 5 && a.type.dtype != TG_DT_bool;
    char mask[32] = "";
    if (masks && !adds) {
        tg_type type = a.type;
        type.dtype = TG_DT_bool;
        if (roll(g, 4) == 0) type = (tg_type){.dtype = TG_DT_bool};
        snprintf(mask, sizeof mask, " %%%d", of_type(g, type).id);
    }
    if (g->range == RANDOM_TYPED && kind > 5 && roll(g, 2)) {
        make_atomic(g, &ref, &a);
        return;
    }
    if (kind < 3) {
        make_load(g, &ref, &a, masks, mask);
        return;
    }
    made value = of_type(g, a.type);
    if (kind == 4) begin(g, a.type);
    tg_text_add(&g->text, "%s %%%d %%%d%s%s %s%s\n",
                kind == 4 ? "swap"
                : adds    ? "add_update"
                          : "store",
                ref.id, value.id, a.operands, mask, a.index, masks && !adds ? " mask=true" : "");
}
