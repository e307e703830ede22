#include "bounds/share.h"

#include <string.h>

#include "base/list.h"

/* So many ops back is looked; more would take time that grows with the square of the kernel. */
enum { WINDOW = 512, MOST_IN = 3 };

typedef struct tg_shared_op {
    tg_opcode code;
    const tg_op *of; /* the op whose attributes it has; NULL: it has none */
    tg_value_id in[MOST_IN];
    double number; /* of a constant */
    tg_type type;
    tg_value_id result;
} tg_shared_op;

static bool is_same(const tg_shared_op *x, const tg_shared_op *y)
{
    return x->code == y->code && x->of == y->of && memcmp(x->in, y->in, sizeof x->in) == 0 &&
           memcmp(&x->number, &y->number, sizeof x->number) == 0 &&
           tg_same_type(&x->type, &y->type);
}

/* Returns the op that is there already; NULL: there is none. */
static const tg_shared_op *find(const tg_bound *b, const tg_shared_op *wanted)
{
    const size_t first = b->shared_count > WINDOW ? b->shared_count - WINDOW : 0;
    for (size_t i = b->shared_count; i > first; i--)
        if (is_same(&b->shared[i - 1], wanted)) return &b->shared[i - 1];
    return NULL;
}

static tg_value_id emit(tg_bound *b, tg_shared_op *wanted, int count)
{
    const tg_shared_op *there = find(b, wanted);
    if (there) return there->result;
    for (int i = 0; i < count; i++) tg_build_in(b->to, wanted->in[i]);
    if (wanted->of) tg_build_attrs_of(b->to, wanted->of);
    wanted->result = wanted->code == TG_OP_constant
                         ? tg_build_constant(b->to, &wanted->type, wanted->number)
                         : tg_build_result(b->to, wanted->code, &wanted->type);
    tg_shared_op *wide = tg_list_grow(b->shared, b->shared_count, &b->shared_room, sizeof *wide);
    if (wide) {
        b->shared = wide;
        wide[b->shared_count++] = *wanted;
    }
    return wanted->result;
}

/* The type that the op's rule gives, SAME or PREDICATE. */
static tg_type ruled(const tg_bound *b, tg_opcode code, tg_value_id x)
{
    tg_type type = tg_build_type(b->to, x);
    if (tg_ops[code].rule == TG_RULE_PREDICATE) type.dtype = TG_DT_bool;
    return type;
}

tg_value_id tg_bound_1(tg_bound *b, tg_opcode code, tg_value_id x)
{
    tg_shared_op op = {.code = code, .in = {x}, .type = ruled(b, code, x)};
    return emit(b, &op, 1);
}

tg_value_id tg_bound_2(tg_bound *b, tg_opcode code, tg_value_id x, tg_value_id y)
{
    tg_shared_op op = {.code = code, .in = {x, y}, .type = ruled(b, code, x)};
    return emit(b, &op, 2);
}

tg_value_id tg_bound_select(tg_bound *b, tg_value_id which, tg_value_id first, tg_value_id second)
{
    tg_shared_op op = {
        .code = TG_OP_select, .in = {which, first, second}, .type = tg_build_type(b->to, first)};
    return emit(b, &op, 3);
}

tg_value_id tg_bound_convert(tg_bound *b, tg_value_id x, tg_dtype dtype)
{
    tg_shared_op op = {.code = TG_OP_convert, .in = {x}, .type = tg_build_type(b->to, x)};
    if (op.type.dtype == dtype) return x;
    op.type.dtype = dtype;
    return emit(b, &op, 1);
}

tg_value_id tg_bound_constant(tg_bound *b, const tg_type *type, double number)
{
    tg_shared_op op = {.code = TG_OP_constant, .number = number, .type = *type};
    return emit(b, &op, 0);
}

tg_value_id tg_bound_like(tg_bound *b, tg_opcode code, const tg_value_id *in, int count,
                          const tg_type *type)
{
    tg_shared_op op = {.code = code, .of = b->op, .type = *type};
    for (int i = 0; i < count; i++) op.in[i] = in[i];
    return emit(b, &op, count);
}

void tg_bound_forget(tg_bound *b, size_t mark) { b->shared_count = mark; }
