/* Loops, branches, scoped memory. */
#include "random/maker.h"

#include <stdio.h>
#include <string.h>

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

static void add_arg(maker *g, tg_type type)
{
    made arg = {.id = g->next_id++, .type = type};
    take_value(g, arg);
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
    for (int i = 0; i < count; i++) take_value(g, results[i]);
}

void make_for(maker *g)
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
void make_while(maker *g)
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

void make_switch(maker *g)
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

void make_scoped(maker *g)
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

void make_print(maker *g)
{
    tg_text_add(&g->text, "debug_print %%%d format='a value: {}'\n", any(g).id);
}

/* Of a condition that holds, so that nothing is found. */
void make_check(maker *g)
{
    made fine = begin(g, (tg_type){.dtype = TG_DT_bool});
    tg_text_add(&g->text, "constant value=true\ncheck %%%d %%%d format='a value: {}'\n", fine.id,
                any(g).id);
}
