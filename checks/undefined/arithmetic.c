#include "checks/undefined/arithmetic.h"

#include <math.h>
#include <stdlib.h>

#include "checks/undefined/addresses.h"
#include "checks/undefined/exact.h"
#include "checks/undefined/values.h"

/* ---- which ops ---- */

static bool wraps(const tg_group_op *op)
{
    switch (op->op) {
    case TG_OP_add:
    case TG_OP_sub:
    case TG_OP_mul:
    case TG_OP_div:
    case TG_OP_neg:
    case TG_OP_abs:
    case TG_OP_shift_left: return tg_is_signed(op->dtype);
    case TG_OP_convert:
        return tg_is_signed(op->dtype) && tg_is_signed(op->second) &&
               tg_dtypes[op->second].bits < tg_dtypes[op->dtype].bits;
    default: return false;
    }
}

bool tg_arithmetic_may_fail(const tg_group_op *op, tg_shadow_kind kind)
{
    if (kind == TG_SHADOW_OVERFLOW) return wraps(op);
    return op->op == TG_OP_convert && tg_is_float(op->dtype) && tg_is_int(op->second);
}

/* ---- elements ---- */

static bool fits(int64_t value, tg_dtype dtype)
{
    const int spare = 64 - tg_dtypes[dtype].bits;
    return (int64_t)((uint64_t)value << spare) >> spare == value;
}

/* Returns whether a << by, shifted back, is no longer a. */
static bool loses(int64_t a, int64_t by, tg_dtype dtype)
{
    if (by < 0 || by >= tg_dtypes[dtype].bits) return a != 0;
    const int64_t result = (int64_t)((uint64_t)a << by);
    return result >> by != a || !fits(result, dtype);
}

static bool overflows(const tg_group_op *op, const void *const *operands, size_t at)
{
    const int64_t a = tg_signed_at(operands[0], op->dtype, (int64_t)at);
    const int64_t b = op->in_count > 1 ? tg_signed_at(operands[1], op->dtype, (int64_t)at) : 0;
    int64_t result;
    switch (op->op) {
    case TG_OP_add: return __builtin_add_overflow(a, b, &result) || !fits(result, op->dtype);
    case TG_OP_sub: return __builtin_sub_overflow(a, b, &result) || !fits(result, op->dtype);
    case TG_OP_mul: return __builtin_mul_overflow(a, b, &result) || !fits(result, op->dtype);
    case TG_OP_div: return b == -1 && (a == INT64_MIN || !fits(-a, op->dtype));
    case TG_OP_neg: return a == INT64_MIN || !fits(-a, op->dtype);
    case TG_OP_abs: return a == INT64_MIN || !fits(a < 0 ? -a : a, op->dtype);
    case TG_OP_shift_left: return loses(a, b, op->dtype);
    default: return !fits(a, op->second);
    }
}

/* converts round towards zero */
static bool is_out_of_range(double value, tg_dtype dtype)
{
    const int bits = tg_dtypes[dtype].bits - (tg_is_signed(dtype) ? 1 : 0);
    const double most = ldexp(1.0, bits), whole = trunc(value);
    return !(whole < most && whole >= (tg_is_signed(dtype) ? -most : 0.0));
}

bool tg_arithmetic_fails(const tg_group_op *op, const void *const *operands, size_t at)
{
    if (!tg_is_float(op->dtype)) return overflows(op, operands, at);
    const bool is_wide = tg_carrier_of(op->dtype) == TG_C_f64;
    return is_out_of_range(is_wide ? ((const double *)operands[0])[at]
                                   : (double)((const float *)operands[0])[at],
                           op->second);
}

/* The ops that indices consist of, in loops that compilers vectorize. */
#define ANY_BEYOND_I32(op)                                                                         \
    for (size_t i = 0; i < count; i++) {                                                           \
        const int64_t result = (int64_t)a[i] op(int64_t) b[i];                                     \
        beyond |= result ^ (int32_t)result;                                                        \
    }                                                                                              \
    return beyond != 0

static bool any_beyond_i32(tg_opcode op, const int32_t *a, const int32_t *b, size_t count)
{
    int64_t beyond = 0;
    switch (op) {
    case TG_OP_add: ANY_BEYOND_I32(+);
    case TG_OP_sub: ANY_BEYOND_I32(-);
    default: ANY_BEYOND_I32(*);
    }
}

/* A sum has overflowed if its sign is that of neither operand; a difference, if its sign and that of b
 * are not those of a. */
static bool any_beyond_i64(tg_opcode op, const int64_t *a, const int64_t *b, size_t count)
{
    int64_t beyond = 0, product;
    switch (op) {
    case TG_OP_add:
        for (size_t i = 0; i < count; i++) {
            const int64_t result = (int64_t)((uint64_t)a[i] + (uint64_t)b[i]);
            beyond |= (a[i] ^ result) & (b[i] ^ result);
        }
        return beyond < 0;
    case TG_OP_sub:
        for (size_t i = 0; i < count; i++) {
            const int64_t result = (int64_t)((uint64_t)a[i] - (uint64_t)b[i]);
            beyond |= (a[i] ^ b[i]) & (a[i] ^ result);
        }
        return beyond < 0;
    default:
        for (size_t i = 0; i < count; i++) beyond |= __builtin_mul_overflow(a[i], b[i], &product);
        return beyond != 0;
    }
}

bool tg_arithmetic_any_fails(const tg_group_op *op, const void *const *operands, size_t count)
{
    if (op->op == TG_OP_add || op->op == TG_OP_sub || op->op == TG_OP_mul) {
        if (op->dtype == TG_DT_i32) return any_beyond_i32(op->op, operands[0], operands[1], count);
        if (op->dtype == TG_DT_i64) return any_beyond_i64(op->op, operands[0], operands[1], count);
    }
    for (size_t i = 0; i < count; i++)
        if (tg_arithmetic_fails(op, operands, i)) return true;
    return false;
}

/* ---- which instructions may fail, and which values they need ---- */

typedef struct finder {
    tg_arithmetic *arithmetic;
    tg_shadow_kind kind;
    const bool *is_address; /* per slot; NULL: results count wherever they go */
} finder;

static bool leads_anywhere(const finder *f, const tg_group *g)
{
    for (uint32_t i = 0; i < g->output_count && f->is_address; i++)
        if (f->is_address[g->outputs[i].slot]) return true;
    return !f->is_address;
}

static bool has_failing_lane(const finder *f, const tg_group *g)
{
    for (uint32_t l = 0; l < g->op_count; l++)
        if (tg_arithmetic_may_fail(&g->ops[l], f->kind)) return true;
    return false;
}

/* Rules that read values, and ops that may fail, need the values of their operands: found backwards
 * through the registers. */
static void ask_for_values(const finder *f, const tg_group *g, bool *is_asked_for)
{
    for (uint32_t l = g->op_count; l > 0; l--) {
        const tg_group_op *op = &g->ops[l - 1];
        if (!is_asked_for[l - 1] && !tg_group_op_needs_values(op) &&
            !tg_arithmetic_may_fail(op, f->kind))
            continue;
        for (uint32_t i = 0; i < op->in_count; i++) {
            if (op->in[i].kind == TG_PLACE_INPUT) {
                is_asked_for[g->op_count + op->in[i].index] = true;
                continue;
            }
            for (uint32_t from = l - 1; from > 0; from--) {
                const tg_place out = g->ops[from - 1].out;
                if (out.kind != op->in[i].kind || out.index != op->in[i].index) continue;
                is_asked_for[from - 1] = true;
                break;
            }
        }
    }
}

/* Returns whether a sum or product in the instruction may wrap around and then become part of an
 * address. */
static bool is_failing_block(const finder *f, const tg_inst *inst)
{
    if (f->kind != TG_SHADOW_OVERFLOW || !tg_exact_may_fail(inst)) return false;
    const tg_operand *out = inst->kind == TG_I_DOT ? &inst->as.dot->out : &inst->as.reduce->out;
    return f->is_address[out->slot];
}

static bool is_failing_group(const finder *f, const tg_inst *inst)
{
    if (inst->kind != TG_I_GROUP || inst->as.group->count == 0) return false;
    return has_failing_lane(f, inst->as.group) && leads_anywhere(f, inst->as.group);
}

static bool find_in(const finder *f, const tg_code *code, bool ***out)
{
    *out = calloc(code->count + 1, sizeof **out);
    if (!*out) return false;
    for (uint32_t i = 0; i < code->count; i++) {
        const tg_inst *inst = &code->list[i];
        const bool is_group = is_failing_group(f, inst);
        if (!is_group && !is_failing_block(f, inst)) continue;
        const tg_group *g = is_group ? inst->as.group : NULL;
        (*out)[i] = calloc(g ? g->op_count + g->input_count : 1, sizeof ***out);
        if (!(*out)[i]) return false;
        if (g) ask_for_values(f, g, (*out)[i]);
        f->arithmetic->is_needed = true;
    }
    return true;
}

static bool find_all(const finder *f)
{
    tg_arithmetic *a = f->arithmetic;
    const uint32_t params = a->plan->kernel->param_count;
    a->maps = calloc(params + 1, sizeof *a->maps);
    if (!a->maps || !find_in(f, &a->plan->body, &a->body)) return false;
    for (uint32_t p = 0; p < params; p++)
        if (!find_in(f, &a->plan->mappings[p].code, &a->maps[p])) return false;
    return true;
}

bool tg_arithmetic_init(tg_arithmetic *arithmetic, const tg_plan *plan, tg_shadow_kind kind)
{
    finder f = {.arithmetic = arithmetic, .kind = kind};
    *arithmetic = (tg_arithmetic){.plan = plan};
    if (kind != TG_SHADOW_OVERFLOW) return find_all(&f);
    bool *is_address = tg_address_slots(plan);
    if (!is_address) return false;
    f.is_address = is_address;
    const bool is_complete = find_all(&f);
    free(is_address);
    return is_complete;
}

static void free_code(bool **lanes, const tg_code *code)
{
    for (uint32_t i = 0; lanes && i < code->count; i++) free(lanes[i]);
    free(lanes);
}

void tg_arithmetic_free(tg_arithmetic *a)
{
    if (!a->plan) return;
    free_code(a->body, &a->plan->body);
    for (uint32_t p = 0; a->maps && p < a->plan->kernel->param_count; p++)
        free_code(a->maps[p], &a->plan->mappings[p].code);
    free(a->maps);
    *a = (tg_arithmetic){0};
}

const bool *tg_arithmetic_ops(const tg_arithmetic *a, const tg_inst *inst)
{
    if (!a->is_needed) return NULL;
    const tg_code *body = &a->plan->body;
    if (inst >= body->list && inst < body->list + body->count) return a->body[inst - body->list];
    for (uint32_t p = 0;; p++) {
        const tg_code *map = &a->plan->mappings[p].code;
        if (inst >= map->list && inst < map->list + map->count) return a->maps[p][inst - map->list];
    }
}
