#include "checks/undefined/exact.h"

#include "interp/exec/dot.h"
#include "interp/state/operand.h"
#include "interp/state/index_walk.h"
#include "ir/reduction.h"

__extension__ typedef unsigned __int128 u128;

tg_exact tg_exact_begin(tg_opcode step)
{
    return (tg_exact){.is_product = step == TG_OP_mul, .low = step == TG_OP_mul};
}

static void add(tg_exact *e, tg_i128 value)
{
    e->high += value >> 64;
    e->low += (uint64_t)value;
}

/* Factors other than 0 never reduce the magnitude, so a product beyond the limit stays beyond
 * it. */
static void multiply(tg_exact *e, int64_t value)
{
    static const tg_i128 most = (tg_i128)1 << 64;
    e->is_zero = e->is_zero || value == 0;
    if (e->is_zero || e->is_beyond) return;
    if (__builtin_mul_overflow(e->low, (tg_i128)value, &e->low) || e->low > most || e->low < -most)
        e->is_beyond = true;
}

void tg_exact_take(tg_exact *exact, int64_t value)
{
    if (exact->is_product)
        multiply(exact, value);
    else
        add(exact, value);
}

void tg_exact_add_product(tg_exact *exact, int64_t a, int64_t b) { add(exact, (tg_i128)a * b); }

static bool fits(tg_i128 value, tg_dtype dtype)
{
    const tg_i128 most = (tg_i128)1 << (tg_dtypes[dtype].bits - 1);
    return value >= -most && value < most;
}

bool tg_exact_fits(const tg_exact *e, tg_dtype dtype)
{
    if (e->is_product) return e->is_zero || (!e->is_beyond && fits(e->low, dtype));
    const tg_i128 high = e->high + (e->low >> 64);
    if (high != 0 && high != -1) return false;
    return fits((tg_i128)((u128)high << 64 | (uint64_t)e->low), dtype);
}

static bool sums_or_multiplies(tg_opcode op)
{
    return tg_reduction_step(op) == TG_OP_add || tg_reduction_step(op) == TG_OP_mul;
}

bool tg_exact_may_fail(const tg_inst *inst)
{
    switch (inst->kind) {
    case TG_I_REDUCE:
    case TG_I_SCAN: return sums_or_multiplies(inst->op) && tg_is_signed(inst->as.reduce->in.dtype);
    case TG_I_DOT: return tg_is_signed(inst->as.dot->acc);
    default: return false;
    }
}

int64_t tg_signed_at(const void *elements, tg_dtype dtype, int64_t at)
{
    switch (tg_carrier_bytes[tg_carrier_of(dtype)]) {
    case 1: return ((const int8_t *)elements)[at];
    case 2: return ((const int16_t *)elements)[at];
    case 4: return ((const int32_t *)elements)[at];
    default: return ((const int64_t *)elements)[at];
    }
}

bool tg_exact_reduction_fails(const tg_inst *inst, const tg_view *lanes)
{
    const tg_dtype dtype = inst->as.reduce->in.dtype;
    tg_exact e = tg_exact_begin(tg_reduction_step(inst->op));
    tg_index_walk walk;
    if (!tg_index_begin(&walk, lanes->rank, lanes->shape)) return false;
    do tg_exact_take(&e, tg_signed_at(lanes->data, dtype, tg_index_offset(&walk, lanes->stride)));
    while (tg_index_next(&walk));
    return !tg_exact_fits(&e, dtype);
}

bool tg_exact_dot_fails(const tg_machine *m, const struct tg_inst_dot *dot, int64_t batch,
                        int64_t row, int64_t column)
{
    const tg_dot_shape s =
        tg_dot_shape_of(dot, m->storage[dot->lhs.slot], m->storage[dot->rhs.slot]);
    const void *lhs = tg_operand_at(m, &dot->lhs), *rhs = tg_operand_at(m, &dot->rhs);
    const int64_t from = batch * s.lhs_b + row * s.lhs_m, to = batch * s.rhs_b + column * s.rhs_n;
    tg_exact e = tg_exact_begin(TG_OP_add);
    for (int64_t k = 0; k < s.k; k++)
        tg_exact_add_product(&e, tg_signed_at(lhs, dot->acc, from + k * s.lhs_k),
                             tg_signed_at(rhs, dot->acc, to + k * s.rhs_k));
    if (!tg_exact_fits(&e, dot->acc)) return true;
    if (!dot->has_addend) return false;
    const tg_view addend = tg_operand_view(m, &dot->addend);
    tg_exact_take(&e, tg_signed_at(addend.data, dot->acc,
                                   row * addend.stride[0] + column * addend.stride[1]));
    return !tg_exact_fits(&e, dot->acc);
}
