/* Random kernels: what the plan and the machine make of them must be what evaluating the IR op by op gives. */
#include "ir_eval.h"
#include "loaders/json_ir.h"
#include "run_text.h"

/* ---- making a kernel ---- */

typedef struct made {
    int id;
    tg_type type;
    bool is_fixed; /* a ref that is only read */
} made;

enum { MOST_MADE = 4000 };

typedef struct maker {
    uint64_t state;
    tg_text text;
    made values[MOST_MADE], refs[64]; /* those in scope */
    int value_count, ref_count, next_id, depth, budget;
} maker;

static unsigned roll(maker *g, unsigned n)
{
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(g->state >> 33) % n;
}

static tg_type type_of(tg_dtype dtype, int rank, const int64_t *shape)
{
    tg_type type = {.dtype = dtype, .rank = rank};
    if (rank) memcpy(type.shape, shape, (size_t)rank * sizeof *shape);
    return type;
}

static const char *shown(const tg_type *type)
{
    static char text[4][TG_TYPE_TEXT];
    static int next;
    return tg_type_print(type, text[next = (next + 1) % 4], TG_TYPE_TEXT);
}

/* Begins "%7:i32[4] = " for a value in scope from here on. */
static made begin(maker *g, tg_type type)
{
    made value = {.id = g->next_id++, .type = type};
    cr_assert(g->value_count < MOST_MADE);
    g->values[g->value_count++] = value;
    tg_text_add(&g->text, "%%%d:%s = ", value.id, shown(&type));
    return value;
}

static made constant(maker *g, tg_type type, int value)
{
    made c = begin(g, type);
    if (type.dtype == TG_DT_bool)
        tg_text_add(&g->text, "constant value=%s\n", value & 1 ? "true" : "false");
    else
        tg_text_add(&g->text, "constant value=%d\n", value % 100);
    return c;
}

static const tg_type scalar = {.dtype = TG_DT_i32};

static made zero(maker *g) { return constant(g, scalar, 0); }

/* A random value; late ones are likelier, and blocks than scalars. */
static made any(maker *g)
{
    made v = g->values[0];
    for (int tries = 0; tries < 6; tries++) {
        int back = (int)roll(g, 2) ? (int)roll(g, 12) : (int)roll(g, (unsigned)g->value_count);
        v = g->values[back < g->value_count ? g->value_count - 1 - back : 0];
        if (v.type.rank > 0) break;
    }
    return v;
}

static tg_type shape_from_pool(maker *g, tg_dtype dtype)
{
    static const tg_type pool[] = {{.rank = 0},
                                   {.rank = 1, .shape = {5}},
                                   {.rank = 1, .shape = {600}},
                                   {.rank = 2, .shape = {8, 16}},
                                   {.rank = 2, .shape = {16, 8}},
                                   {.rank = 2, .shape = {5, 8}},
                                   {.rank = 3, .shape = {2, 3, 4}},
                                   {.rank = 3, .shape = {4, 1, 8}},
                                   {.rank = 2, .shape = {1, 16}}};
    tg_type type = pool[roll(g, sizeof pool / sizeof *pool)];
    type.dtype = dtype;
    return type;
}

static tg_dtype any_dtype(maker *g)
{
    static const tg_dtype dtypes[] = {TG_DT_i32, TG_DT_i32, TG_DT_i8, TG_DT_bool};
    return dtypes[roll(g, 4)];
}

/* A value of that type: one there is, if the dice say so, else a new one. */
static made of_type(maker *g, tg_type type)
{
    int start = (int)roll(g, (unsigned)g->value_count + 1);
    if (roll(g, 8))
        for (int k = 0; k < g->value_count; k++) {
            made v = g->values[(start + k) % g->value_count];
            if (tg_same_type(&v.type, &type)) return v;
        }
    if (type.rank && type.dtype != TG_DT_bool && roll(g, 2)) {
        made v = begin(g, type);
        tg_text_add(&g->text, "iota axis=%u\n", roll(g, (unsigned)type.rank));
        return v;
    }
    return constant(g, type, (int)roll(g, 50) - 20);
}

static void line1(maker *g, const char *op, made a, const char *rest)
{
    tg_text_add(&g->text, "%s %%%d%s\n", op, a.id, rest);
}

static void line2(maker *g, const char *op, made a, made b)
{
    tg_text_add(&g->text, "%s %%%d %%%d\n", op, a.id, b.id);
}

/* A scalar in 0 .. most. */
static made index_up_to(maker *g, int64_t most)
{
    made low = zero(g), x = of_type(g, scalar);
    made top = begin(g, scalar);
    tg_text_add(&g->text, "constant value=%lld\n", (long long)most);
    made index = begin(g, scalar);
    tg_text_add(&g->text, "clamp %%%d %%%d %%%d\n", low.id, x.id, top.id);
    return index;
}

/* ---- element-wise ---- */

static void make_lane(maker *g)
{
    static const char *const arithmetic[] = {"add", "sub", "mul", "max", "min", "and", "or", "xor"};
    static const char *const compare[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const single[] = {"neg", "abs", "sign", "square", "not"};
    made a = any(g), b;
    tg_type type = a.type;
    bool is_bool = type.dtype == TG_DT_bool;
    switch (roll(g, 8)) {
    case 0: {
        const char *op = single[is_bool ? 4 : roll(g, 5)];
        begin(g, type);
        line1(g, op, a, "");
        return;
    }
    case 1:
        b = of_type(g, type);
        type.dtype = TG_DT_bool;
        begin(g, type);
        line2(g, compare[roll(g, 6)], a, b);
        return;
    case 2: {
        tg_type which = type;
        which.dtype = TG_DT_bool;
        if (roll(g, 3) == 0) which = (tg_type){.dtype = TG_DT_bool};
        made w = of_type(g, which);
        b = of_type(g, type);
        begin(g, type);
        tg_text_add(&g->text, "select %%%d %%%d %%%d\n", w.id, a.id, b.id);
        return;
    }
    case 3: {
        if (is_bool) return;
        tg_type bound = roll(g, 2) ? type : (tg_type){.dtype = type.dtype};
        made low = of_type(g, bound), high = of_type(g, roll(g, 2) ? type : bound);
        begin(g, type);
        tg_text_add(&g->text, "clamp %%%d %%%d %%%d\n", low.id, a.id, high.id);
        return;
    }
    case 4: {
        type.dtype = any_dtype(g);
        begin(g, type);
        line1(g, "convert", a, "");
        return;
    }
    case 5: {
        tg_type which = type;
        which.dtype = TG_DT_i32;
        made w = of_type(g, roll(g, 3) ? which : scalar), c;
        b = of_type(g, type);
        c = of_type(g, type);
        begin(g, type);
        tg_text_add(&g->text, "select %%%d %%%d %%%d %%%d\n", w.id, a.id, b.id, c.id);
        return;
    }
    default:
        b = of_type(g, type);
        begin(g, type);
        line2(g, is_bool ? arithmetic[3 + roll(g, 5)] : arithmetic[roll(g, 8)], a, b);
    }
}

/* ---- moving ---- */

static const char *list_text(const int64_t *list, int count)
{
    static char text[4][128];
    static int next;
    char *out = text[next = (next + 1) % 4];
    strcpy(out, "[");
    for (int i = 0; i < count; i++)
        snprintf(out + strlen(out), 128 - strlen(out), "%s%lld", i ? "," : "", (long long)list[i]);
    strcat(out, "]");
    return out;
}

static void make_reshape(maker *g)
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

static void make_transpose(maker *g)
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

static void make_broadcast(maker *g)
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

static void make_slice(maker *g)
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

static void make_rev(maker *g)
{
    made a = any(g);
    int64_t axes[TG_MAX_RANK];
    int count = 0;
    for (int d = 0; d < a.type.rank; d++)
        if (roll(g, 2)) axes[count++] = d;
    begin(g, a.type);
    tg_text_add(&g->text, "rev %%%d axes=%s\n", a.id, list_text(axes, count));
}

static void make_pad(maker *g)
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

static void make_concatenate(maker *g)
{
    made a = any(g), b = of_type(g, a.type);
    if (a.type.rank == 0 || tg_type_count(&a.type) > 400) return;
    int axis = (int)roll(g, (unsigned)a.type.rank);
    tg_type type = a.type;
    type.shape[axis] *= 3;
    begin(g, type);
    tg_text_add(&g->text, "concatenate %%%d %%%d %%%d axis=%d\n", a.id, b.id, a.id, axis);
}

static void make_tile(maker *g)
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
static void make_dynamic(maker *g)
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

static void make_reduce(maker *g)
{
    static const char *const ops[] = {"reduce_sum", "reduce_max", "reduce_min"};
    made a = any(g);
    int64_t axes[TG_MAX_RANK];
    int count = 0;
    tg_type type = {.dtype = a.type.dtype};
    bool is_bool = type.dtype == TG_DT_bool;
    if (a.type.rank && !is_bool && roll(g, 3) == 0) {
        begin(g, a.type);
        tg_text_add(&g->text, "cumsum %%%d axis=%u%s\n", a.id, roll(g, (unsigned)a.type.rank),
                    roll(g, 2) ? " reverse=true" : "");
        return;
    }
    for (int d = 0; d < a.type.rank; d++) {
        if (roll(g, 2))
            axes[count++] = d;
        else
            type.shape[type.rank++] = a.type.shape[d];
    }
    const char *op = ops[is_bool ? 1 + roll(g, 2) : roll(g, 3)];
    begin(g, type);
    tg_text_add(&g->text, "%s %%%d axes=%s\n", op, a.id, list_text(axes, count));
}

static void make_dot(maker *g)
{
    made a = of_type(g, type_of(roll(g, 2) ? TG_DT_i32 : TG_DT_i8, 2, (int64_t[]){8, 16}));
    made b = of_type(g, type_of(roll(g, 2) ? TG_DT_i32 : TG_DT_i8, 2, (int64_t[]){16, 8}));
    begin(g, type_of(TG_DT_i32, 2, (int64_t[]){8, 8}));
    tg_text_add(
        &g->text,
        "dot_general %%%d %%%d lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]\n", a.id,
        b.id);
}

/* ---- memory ---- */

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
    made low = zero(g), high = begin(g, scalar);
    tg_text_add(&g->text, "constant value=%lld\n", (long long)most);
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
    made view = {g->next_id++, a.type, ref->is_fixed};
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

static void make_memory(maker *g)
{
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

/* ---- control ---- */

static void make_ops(maker *g, int count);

typedef struct scope {
    int values, refs;
} scope;

static scope open_scope(maker *g)
{
    g->depth++;
    return (scope){g->value_count, g->ref_count};
}

static void close_scope(maker *g, scope s)
{
    g->depth--;
    g->value_count = s.values;
    g->ref_count = s.refs;
}

static void add_arg(maker *g, tg_type type)
{
    made arg = {.id = g->next_id++, .type = type};
    g->values[g->value_count++] = arg;
    tg_text_add(&g->text, "%%%d:%s ", arg.id, shown(&type));
}

/* Ops of a region, then the yield of values of these types. */
static void make_body(maker *g, const tg_type *yields, int count, const char *first)
{
    int ids[8];
    make_ops(g, 2 + (int)roll(g, 7));
    for (int i = 0; i < count; i++) ids[i] = of_type(g, yields[i]).id;
    tg_text_add(&g->text, "yield %s", first);
    for (int i = 0; i < count; i++) tg_text_add(&g->text, " %%%d", ids[i]);
    tg_text_put(&g->text, " }");
}

/* The types of what control yields; "%5:i32[4] %6:i32[] = " for the ids from `first` on. */
static int result_types(maker *g, tg_type *types)
{
    int count = (int)roll(g, 4);
    for (int i = 0; i < count; i++)
        types[i] = roll(g, 2) ? any(g).type : shape_from_pool(g, any_dtype(g));
    if (count > 1 && roll(g, 2)) types[1] = types[0];
    if (count > 2 && roll(g, 2)) types[2] = types[0];
    return count;
}

static void put_results(maker *g, const tg_type *types, int count, made *out)
{
    for (int i = 0; i < count; i++) {
        out[i] = (made){.id = g->next_id++, .type = types[i]};
        tg_text_add(&g->text, "%%%d:%s ", out[i].id, shown(&types[i]));
    }
    if (count) tg_text_put(&g->text, "= ");
}

static void keep_results(maker *g, const made *results, int count)
{
    for (int i = 0; i < count; i++) g->values[g->value_count++] = results[i];
}

static void make_for(maker *g)
{
    tg_type types[8];
    made init[8], results[8];
    int count = result_types(g, types);
    for (int i = 0; i < count; i++) init[i] = of_type(g, types[i]);
    made low = zero(g),
         high = roll(g, 2) ? constant(g, scalar, (int)roll(g, 4)) : index_up_to(g, 3),
         step = constant(g, scalar, 1 + (int)roll(g, 2));
    put_results(g, types, count, results);
    tg_text_add(&g->text, "for %%%d %%%d %%%d", low.id, high.id, step.id);
    for (int i = 0; i < count; i++) tg_text_add(&g->text, " %%%d", init[i].id);
    scope s = open_scope(g);
    tg_text_put(&g->text, " { (");
    add_arg(g, scalar);
    for (int i = 0; i < count; i++) add_arg(g, types[i]);
    tg_text_put(&g->text, ")\n");
    make_body(g, types, count, "");
    tg_text_put(&g->text, "\n");
    close_scope(g, s);
    keep_results(g, results, count);
}

/* The first carry counts down. */
static void make_while(maker *g)
{
    tg_type types[8];
    made init[8], results[8];
    int count = 1 + result_types(g, types + 1);
    types[0] = scalar;
    init[0] = index_up_to(g, 3);
    for (int i = 1; i < count; i++) init[i] = of_type(g, types[i]);
    made none = zero(g), one = constant(g, scalar, 1);
    put_results(g, types, count, results);
    tg_text_put(&g->text, "while");
    for (int i = 0; i < count; i++) tg_text_add(&g->text, " %%%d", init[i].id);
    scope s = open_scope(g);
    for (int region = 0; region < 2; region++) {
        int counter = g->next_id;
        tg_text_put(&g->text, " { (");
        for (int i = 0; i < count; i++) add_arg(g, types[i]);
        tg_text_put(&g->text, ")\n");
        made next = begin(g, region ? scalar : (tg_type){.dtype = TG_DT_bool});
        tg_text_add(&g->text, "%s %%%d %%%d\n", region ? "sub" : "gt", counter,
                    region ? one.id : none.id);
        char first[32];
        snprintf(first, sizeof first, "%%%d", next.id);
        make_body(g, types + 1, region ? count - 1 : 0, first);
        close_scope(g, s);
        g->depth++;
    }
    tg_text_put(&g->text, "\n");
    close_scope(g, s);
    keep_results(g, results, count);
}

static void make_switch(maker *g)
{
    tg_type types[8];
    made results[8];
    int count = result_types(g, types);
    bool is_bool = roll(g, 2) != 0;
    unsigned regions = is_bool ? 2 : 1 + roll(g, 3);
    made on = of_type(g, (tg_type){.dtype = is_bool ? TG_DT_bool : TG_DT_i32});
    put_results(g, types, count, results);
    tg_text_add(&g->text, "switch %%%d", on.id);
    for (unsigned r = 0; r < regions; r++) {
        scope s = open_scope(g);
        tg_text_put(&g->text, " {\n");
        make_body(g, types, count, "");
        close_scope(g, s);
    }
    tg_text_put(&g->text, "\n");
    keep_results(g, results, count);
}

static void make_scoped(maker *g)
{
    tg_type types[8];
    made results[8];
    int count = result_types(g, types);
    put_results(g, types, count, results);
    tg_text_put(&g->text, "scoped");
    scope s = open_scope(g);
    tg_text_put(&g->text, " { (");
    for (int i = 0; i < 2; i++) {
        made ref = {.id = g->next_id++, .type = shape_from_pool(g, any_dtype(g))};
        g->refs[g->ref_count++] = ref;
        tg_type type = ref.type;
        type.is_ref = true;
        tg_text_add(&g->text, "%%%d:%s ", ref.id, shown(&type));
    }
    tg_text_put(&g->text, ")\n");
    make_body(g, types, count, "");
    tg_text_put(&g->text, "\n");
    close_scope(g, s);
    keep_results(g, results, count);
}

static void make_op(maker *g)
{
    unsigned kind = roll(g, 44);
    bool may_nest = g->depth < 4 && g->budget > 20;
    if (kind < 14)
        make_lane(g);
    else if (kind < 16)
        make_reshape(g);
    else if (kind < 18)
        make_transpose(g);
    else if (kind < 20)
        make_broadcast(g);
    else if (kind < 22)
        make_slice(g);
    else if (kind < 23)
        make_rev(g);
    else if (kind < 24)
        make_pad(g);
    else if (kind < 25)
        make_concatenate(g);
    else if (kind < 26)
        make_tile(g);
    else if (kind < 28)
        make_dynamic(g);
    else if (kind < 30)
        make_reduce(g);
    else if (kind < 31)
        make_dot(g);
    else if (kind < 38)
        make_memory(g);
    else if (!may_nest)
        make_lane(g);
    else if (kind < 40)
        make_for(g);
    else if (kind < 41)
        make_while(g);
    else if (kind < 43)
        make_switch(g);
    else
        make_scoped(g);
}

static void make_ops(maker *g, int count)
{
    while (count-- > 0 && g->budget-- > 0) make_op(g);
}

static void add_ref(maker *g, int id, tg_type type)
{
    g->refs[g->ref_count++] = (made){id, type, id == 2 || id == 5};
}

/* Wants the value at the end of the program: its sum goes to an element of q. */
static void store_sum(maker *g, made v, int at)
{
    static const int64_t all[TG_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};
    tg_type type = v.type;
    type.dtype = TG_DT_i32;
    made wide = begin(g, type);
    line1(g, "convert", v, "");
    made sum = begin(g, scalar);
    tg_text_add(&g->text, "reduce_sum %%%d axes=%s\n", wide.id, list_text(all, type.rank));
    made one = begin(g, type_of(TG_DT_i32, 1, (int64_t[]){1}));
    line1(g, "reshape", sum, "");
    tg_text_add(&g->text, "store %%7 %%%d [%d:1]\n", one.id, at);
}

static char *make_kernel(uint64_t seed)
{
    maker *g = calloc(1, sizeof *g);
    g->state = seed * 977 + 13;
    g->next_id = 20;
    g->budget = 150;
    tg_text_put(&g->text, "grid 3\n"
                          "input x i32[24,20] block b8 b16 at i 0\n"
                          "input y i32[7,600]\n"
                          "input w i8[20,16] block b8 b16 at i 0\n"
                          "input z i32[3,5,8] block s b5 b8 at i 0 0\n"
                          "input r i32[20,20] block b8 b16 at i 0\n"
                          "output o i32[24,20] block b8 b16 at i 0\n"
                          "output q i32[3,600] block s b600 at i 0\n"
                          "output zo i32[3,5,8] alias=z block s b5 b8 at i 0 0\n"
                          "output b bool[22,4] block b8 b4 at i 0\n"
                          "scratch s i32[8,16]\n"
                          "body\n%19:i32[] = program_id axis=0\n");
    static const int64_t shapes[10][2] = {{8, 16}, {7, 600}, {8, 16}, {5, 8}, {8, 16},
                                          {8, 16}, {600},    {5, 8},  {8, 4}, {8, 16}};
    for (int p = 0; p < 10; p++) {
        tg_dtype dtype = p == 2 ? TG_DT_i8 : p == 8 ? TG_DT_bool : TG_DT_i32;
        add_ref(g, p + 1, type_of(dtype, p == 6 ? 1 : 2, shapes[p]));
    }
    g->values[g->value_count++] = (made){.id = 19, .type = scalar};
    g->values[g->value_count++] = (made){.id = g->next_id++, .type = g->refs[0].type};
    tg_text_add(&g->text, "%%%d:i32[8,16] = load %%1 [0:8,0:16]\n", g->next_id - 1);
    make_ops(g, 80);
    for (int i = 0; i < 20; i++) store_sum(g, any(g), i);
    made last = of_type(g, g->refs[5].type),
         row = of_type(g, type_of(TG_DT_i32, 1, (int64_t[]){580}));
    tg_text_add(&g->text, "store %%6 %%%d [0:8,0:16]\nstore %%7 %%%d [20:580]\n", last.id, row.id);
    char *text = tg_text_finish(&g->text);
    free(g);
    return text;
}

/* ---- evaluating it ---- */

/* Extents in memory: whole blocks, so that what lies outside the array has a place too. */
static tg_type padded(const tg_param *p)
{
    tg_type type = p->array;
    for (int d = 0; p->has_block && d < type.rank; d++)
        type.shape[d] =
            (type.shape[d] + p->block[d].size - 1) / p->block[d].size * p->block[d].size;
    return type;
}

static bool is_in_array(const tg_param *p, const int64_t *at)
{
    for (int d = 0; d < p->array.rank; d++)
        if (at[d] >= p->array.shape[d]) return false;
    return true;
}

static int64_t get_element(tg_dtype dtype, const void *data, int64_t i)
{
    return dtype == TG_DT_i32 ? ((const int32_t *)data)[i] : ((const int8_t *)data)[i];
}

static void set_element(tg_dtype dtype, void *data, int64_t i, int64_t value)
{
    if (dtype == TG_DT_i32)
        ((int32_t *)data)[i] = (int32_t)value;
    else
        ((int8_t *)data)[i] = (int8_t)value;
}

static eval_memory memory_of(const tg_param *p, const void *data)
{
    tg_type type = padded(p);
    int64_t count = tg_type_count(&type), at[TG_MAX_RANK] = {0}, i = 0;
    eval_memory memory = {calloc((size_t)count, sizeof(int64_t)), calloc((size_t)count, 1)};
    do {
        memory.outside[i] = !is_in_array(p, at);
        memory.e[i] = eval_undefined(type.dtype);
        if (data && !memory.outside[i])
            memory.e[i] = get_element(type.dtype, data, eval_offset(&p->array, at));
        i++;
    } while (eval_next(type.rank, type.shape, at));
    return memory;
}

static void read_back(const tg_param *p, const eval_memory *memory, void *data)
{
    tg_type type = padded(p);
    int64_t at[TG_MAX_RANK] = {0}, i = 0;
    do {
        if (!memory->outside[i])
            set_element(type.dtype, data, eval_offset(&p->array, at), memory->e[i]);
        i++;
    } while (eval_next(type.rank, type.shape, at));
}

static eval_ref ref_of(const tg_param *p, eval_memory *memory, int64_t program)
{
    tg_type type = padded(p);
    int64_t stride[TG_MAX_RANK];
    eval_ref ref = {.memory = memory};
    int rank = 0;
    tg_dense_strides(type.rank, type.shape, stride);
    for (int d = 0; d < type.rank; d++) {
        if (p->has_block && d == 0) ref.origin = program * p->block[0].size * stride[0];
        if (!p->has_block || p->block[d].kind != TG_BLOCK_SQUEEZED) ref.stride[rank++] = stride[d];
    }
    return ref;
}

/* data: per param, inputs; outputs are written there. */
static void evaluate(const tg_kernel *k, void *const *data)
{
    eval_memory memory[16];
    for (uint32_t p = 0; p < k->param_count; p++)
        memory[p] = k->params[p].alias >= 0 ? memory[k->params[p].alias]
                                            : memory_of(&k->params[p], data[p]);
    for (int64_t program = 0; program < 3; program++) {
        eval_ref refs[16];
        for (uint32_t p = 0; p < k->param_count; p++) {
            if (k->params[p].role == TG_ROLE_SCRATCH)
                for (int64_t i = 0; i < tg_type_count(&k->params[p].array); i++)
                    memory[p].e[i] = eval_undefined(k->params[p].array.dtype);
            refs[p] = ref_of(&k->params[p], &memory[p], program);
        }
        eval_program(k, &program, refs);
    }
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role == TG_ROLE_OUTPUT) read_back(&k->params[p], &memory[p], data[p]);
    }
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].alias >= 0) continue;
        free(memory[p].e);
        free(memory[p].outside);
    }
}

static void evaluate_text(const char *text, const named *list)
{
    char *json = json_of(text);
    tg_module *module;
    tg_diags diags = {0};
    cr_assert_eq(tg_json_load(json, strlen(json), &module, &diags), TG_OK);
    void *data[16] = {0};
    for (uint32_t p = 0; p < module->kernels[0].param_count; p++)
        for (const named *n = list; n->name; n++)
            if (strcmp(n->name, module->kernels[0].params[p].name) == 0) data[p] = (void *)n->data;
    evaluate(&module->kernels[0], data);
    tg_module_free(module);
    tg_diags_free(&diags);
    free(json);
}

static void check_seed(uint64_t seed)
{
    static const char *const orders[] = {"sequential", "shuffled:3", "parallel:2", "interleaved:5"};
    static int32_t x[24 * 20], y[7 * 600], z[3 * 5 * 8], r[20 * 20], o[24 * 20], q[3 * 600],
        zo[3 * 5 * 8];
    static int8_t w[20 * 16], b[22 * 4];
    for (int i = 0; i < 24 * 20; i++) x[i] = i % 37 - 11, o[i] = INT32_MIN;
    for (int i = 0; i < 20 * 20; i++) r[i] = i * 5 % 83 - 30;
    for (int i = 0; i < 7 * 600; i++) y[i] = i * 7 % 101 - 50;
    for (int i = 0; i < 3 * 600; i++) q[i] = INT32_MIN;
    for (int i = 0; i < 3 * 5 * 8; i++) z[i] = i;
    for (int i = 0; i < 20 * 16; i++) w[i] = (int8_t)(i * 3);
    memset(b, 0, sizeof b);
    const named *list = NAMED({"x", x}, {"y", y}, {"w", w}, {"z", z}, {"r", r}, {"o", o}, {"q", q},
                              {"zo", zo}, {"b", b});
    char *text = make_kernel(seed);
    tg_module *module = load_kernel(text);
    evaluate_text(text, list);
    for (int i = 0; i < 4; i++) {
        tg_run_options options = {.size = sizeof options, .order = orders[i]};
        arrays all = make_arrays(module, list);
        tg_report *report = run_once(module, &all, &options);
        for (size_t f = 0; f < tg_report_finding_count(report); f++)
            cr_assert_str_eq(tg_report_finding(report, f).kind, "output-unwritten", "seed %d: %s",
                             (int)seed, tg_report_finding(report, f).message);
        char what[64];
        snprintf(what, sizeof what, "seed %d, %s", (int)seed, orders[i]);
        compare_arrays(&all, what);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
    free(text);
}

enum { SEEDS = 150 };

Test(machine_random, agrees_with_evaluation)
{
    const char *only = getenv("TILEGRIND_TEST_SEED");
    if (only) {
        char *text = make_kernel((uint64_t)atoi(only));
        puts(text);
        free(text);
        check_seed((uint64_t)atoi(only));
        return;
    }
    const char *most = getenv("TILEGRIND_TEST_SEEDS");
    uint64_t seeds = most ? strtoull(most, NULL, 10) : SEEDS;
    for (uint64_t seed = 0; seed < seeds; seed++) check_seed(seed);
}
