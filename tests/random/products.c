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

static void start(maker *g, made sum, made lhs, made rhs)
{
    use(g, sum);
    use(g, lhs);
    use(g, rhs);
    tg_build_op(&g->b, TG_OP_dot_start);
    if (roll(g, 2)) tg_build_op(&g->b, TG_OP_dot_commit);
    for (unsigned lanes = roll(g, 3); lanes > 0; lanes--) make_lane(g);
}

void make_product(maker *g)
{
    static const int64_t extents[] = {1, 3, 8, 16};
    const int64_t m = extents[roll(g, 4)], k = extents[roll(g, 4)], n = extents[roll(g, 4)];
    const bool is_float = roll(g, 2);
    const tg_type a = type_of(number_like(g, is_float), 2, (int64_t[]){m, k}),
                  b = type_of(number_like(g, is_float), 2, (int64_t[]){k, n}),
                  r = type_of(number_like(g, is_float), 2, (int64_t[]){m, n});
    const made sum = held(g, r), rhs = held(g, b), lhs = roll(g, 2) ? of_type(g, a) : held(g, a);
    for (unsigned count = 1 + roll(g, 2); count > 0; count--) start(g, sum, lhs, rhs);
    tg_build_op(&g->b, TG_OP_dot_commit);
    use(g, zero(g));
    tg_build_op(&g->b, TG_OP_dot_wait_groups);
    tg_build_whole(&g->b, sum.id);
    give1(g, TG_OP_load, r, sum);
}
