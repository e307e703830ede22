/* Loops, branches, scoped memory. */
#include "random/maker.h"

scope open_scope(maker *g)
{
    g->depth++;
    return (scope){g->value_count, g->ref_count};
}

void close_scope(maker *g, scope s)
{
    g->depth--;
    g->value_count = s.values;
    g->ref_count = s.refs;
}

static made add_arg(maker *g, tg_type type)
{
    const made arg = {.id = tg_build_new_arg(&g->b, &type), .type = type};
    take_value(g, arg);
    return arg;
}

/* Ops of the open region, then the yield of values of these types, which ends it. */
static void make_body(maker *g, const tg_type *yields, int count)
{
    make_ops(g, 2 + (int)roll(g, 7));
    for (int i = 0; i < count; i++) tg_build_yield(&g->b, of_type(g, yields[i]).id);
    tg_build_region(&g->b, tg_build_close(&g->b));
}

/* The types of what control yields. */
static int result_types(maker *g, tg_type *types)
{
    int count = (int)roll(g, 4);
    for (int i = 0; i < count; i++)
        types[i] = roll(g, 2) ? any(g).type : shape_from_pool(g, any_dtype(g));
    if (count > 1 && roll(g, 2)) types[1] = types[0];
    if (count > 2 && roll(g, 2)) types[2] = types[0];
    return count;
}

/* Appends the op, whose results are in scope from here on. */
static void give_results(maker *g, tg_opcode op, const tg_type *types, int count)
{
    for (int i = 0; i < count; i++) {
        const made result = {.id = tg_build_value(&g->b, &types[i]), .type = types[i]};
        tg_build_out(&g->b, result.id);
        take_value(g, result);
    }
    tg_build_op(&g->b, op);
}

void make_for(maker *g)
{
    tg_type types[8];
    made init[8];
    int count = result_types(g, types);
    for (int i = 0; i < count; i++) init[i] = of_type(g, types[i]);
    made low = zero(g),
         high = roll(g, 2) ? constant(g, scalar, (int)roll(g, 4)) : index_up_to(g, 3),
         step = constant(g, scalar, 1 + (int)roll(g, 2));
    use(g, low);
    use(g, high);
    use(g, step);
    for (int i = 0; i < count; i++) use(g, init[i]);
    scope s = open_scope(g);
    tg_build_open(&g->b);
    add_arg(g, scalar);
    for (int i = 0; i < count; i++) add_arg(g, types[i]);
    make_body(g, types, count);
    close_scope(g, s);
    give_results(g, TG_OP_for, types, count);
}

/* The first carry counts down. */
void make_while(maker *g)
{
    tg_type types[8];
    made init[8];
    int count = 1 + result_types(g, types + 1);
    types[0] = scalar;
    init[0] = index_up_to(g, 3);
    for (int i = 1; i < count; i++) init[i] = of_type(g, types[i]);
    made none = zero(g), one = constant(g, scalar, 1);
    for (int i = 0; i < count; i++) use(g, init[i]);
    scope s = open_scope(g);
    for (int region = 0; region < 2; region++) {
        tg_build_open(&g->b);
        const made counter = add_arg(g, scalar);
        for (int i = 1; i < count; i++) add_arg(g, types[i]);
        const made next = region
                              ? give2(g, TG_OP_sub, scalar, counter, one)
                              : give2(g, TG_OP_gt, (tg_type){.dtype = TG_DT_bool}, counter, none);
        tg_build_yield(&g->b, next.id);
        make_body(g, types + 1, region ? count - 1 : 0);
        close_scope(g, s);
        g->depth++;
    }
    close_scope(g, s);
    give_results(g, TG_OP_while, types, count);
}

void make_switch(maker *g)
{
    tg_type types[8];
    int count = result_types(g, types);
    bool is_bool = roll(g, 2) != 0;
    unsigned regions = is_bool ? 2 : 1 + roll(g, 3);
    made on = of_type(g, (tg_type){.dtype = is_bool ? TG_DT_bool : TG_DT_i32});
    use(g, on);
    for (unsigned r = 0; r < regions; r++) {
        scope s = open_scope(g);
        tg_build_open(&g->b);
        make_body(g, types, count);
        close_scope(g, s);
    }
    give_results(g, TG_OP_switch, types, count);
}

void make_scoped(maker *g)
{
    tg_type types[8];
    int count = result_types(g, types);
    scope s = open_scope(g);
    tg_build_open(&g->b);
    for (int i = 0; i < 2; i++) {
        made ref = {.type = shape_from_pool(g, any_dtype(g))};
        tg_type type = ref.type;
        type.is_ref = true;
        ref.id = tg_build_new_arg(&g->b, &type);
        tg_axe layout;
        if (take_memory_layout(g, tg_type_count(&ref.type), &layout))
            tg_build_place(&g->b, ref.id, NULL, &layout);
        g->refs[g->ref_count++] = ref;
    }
    make_body(g, types, count);
    close_scope(g, s);
    give_results(g, TG_OP_scoped, types, count);
}

void make_print(maker *g)
{
    use(g, any(g));
    tg_build_text(&g->b, TG_ATTR_format, "a value: {}");
    tg_build_op(&g->b, TG_OP_debug_print);
}

/* Of a condition that holds, so that nothing is found. */
void make_check(maker *g)
{
    made fine = constant(g, (tg_type){.dtype = TG_DT_bool}, true), shown = any(g);
    use(g, fine);
    use(g, shown);
    tg_build_text(&g->b, TG_ATTR_format, "a value: {}");
    tg_build_op(&g->b, TG_OP_check);
}
