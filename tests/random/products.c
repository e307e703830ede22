/* Products that run beside the program.
 *
 * Their matrices are memory that nothing else refers to, and between the start and the wait only element-wise ops stand; so the
 * moment of a product changes no bit. */
#include "random/maker.h"

/* Memory of the program's own that holds some value of the type. */
static made held(maker *g, tg_type type)
{
    const made value = of_type(g, type), ref = give_ref(g, TG_OP_alloc, type);
    use(g, ref);
    use(g, value);
    tg_build_whole(&g->b, ref.id);
    tg_build_op(&g->b, TG_OP_store);
    return ref;
}

/* The operands of a product: the sum, the factors, and perhaps scales and a selection. */
enum { MOST_OPERANDS = 6 };
typedef struct operands {
    made list[MOST_OPERANDS];
    int count;
} operands;

static void start(maker *g, const operands *of)
{
    for (int i = 0; i < of->count; i++) use(g, of->list[i]);
    tg_build_op(&g->b, TG_OP_dot_start);
    if (roll(g, 2)) tg_build_op(&g->b, TG_OP_dot_commit);
    for (unsigned lanes = roll(g, 3); lanes > 0; lanes--) make_lane(g);
}

static void add_held(maker *g, operands *of, tg_dtype dtype, int64_t rows, int64_t columns)
{
    of->list[of->count++] = held(g, type_of(dtype, 2, (int64_t[]){rows, columns}));
}

/* Of a left factor (m, k) and columns n: one scale for all of k, or for each. */
static void add_scales(maker *g, operands *of, int64_t m, int64_t k, int64_t n)
{
    const int64_t blocks = roll(g, 2) ? 1 : k;
    add_held(g, of, number_like(g, true), m, blocks);
    add_held(g, of, number_like(g, true), n, blocks);
}

void make_product(maker *g)
{
    static const int64_t extents[] = {1, 3, 8, 16};
    const bool is_sparse = g->has_scaled && roll(g, 2);
    const int64_t m = extents[roll(g, 4)], k = is_sparse ? 2 << roll(g, 3) : extents[roll(g, 4)],
                  n = extents[roll(g, 4)];
    const bool is_float = roll(g, 2), is_scaled = g->has_scaled && is_float && roll(g, 2);
    const tg_type a = type_of(number_like(g, is_float), 2, (int64_t[]){m, k}),
                  b = type_of(number_like(g, is_float), 2, (int64_t[]){is_sparse ? 2 * k : k, n}),
                  r = type_of(number_like(g, is_float), 2, (int64_t[]){m, n});
    const made sum = held(g, r), rhs = held(g, b), lhs = roll(g, 2) ? of_type(g, a) : held(g, a);
    operands of = {{sum, lhs, rhs}, 3};
    if (is_scaled) add_scales(g, &of, m, k, n);
    if (is_sparse) add_held(g, &of, TG_DT_u2, m, k);
    for (unsigned count = 1 + roll(g, 2); count > 0; count--) start(g, &of);
    tg_build_op(&g->b, TG_OP_dot_commit);
    use(g, zero(g));
    tg_build_op(&g->b, TG_OP_dot_wait_groups);
    tg_build_whole(&g->b, sum.id);
    give1(g, TG_OP_load, r, sum);
}
