#include "gpu_backend/elementwise/pow.h"

#include <stdbool.h>
#include <stdint.h>

#include "gpu_backend/elementwise/rows.h"
#include "gpu_backend/text/template.h"
#include "ir/op.h"
#include "ir/type.h"

/* The result of a row, in a new register. */
static tg_ptx_reg move(const tg_ptx_lane_op *l, const char *text)
{
    return tg_ptx_expand(l->w, l->dtype, tg_ptx_class_of(l->dtype), text, l->count, l->in);
}

static tg_ptx_reg one(const tg_ptx_lane_op *l)
{
    return move(l, tg_is_float(l->dtype) ? "mov.$t $r, $one;" : "mov.$u $r, 1;");
}

/* Repeated squaring, from the exponent's lowest bit on; each product is rounded as for the op mul.
 * The first product, by 1, is omitted. */
static tg_ptx_reg power_of(const tg_ptx_lane_op *l, uint64_t exponent)
{
    if (exponent == 0) return one(l);
    tg_ptx_reg square = l->in[0], power = square;
    bool has_power = false;
    for (uint64_t rest = exponent; rest != 0; rest >>= 1) {
        if (rest & 1) power = has_power ? tg_ptx_rows_of_two(l, TG_OP_mul, power, square) : square;
        has_power = has_power || (rest & 1);
        if (rest > 1) square = tg_ptx_rows_of_two(l, TG_OP_mul, square, square);
    }
    return power;
}

tg_ptx_reg tg_ptx_integer_pow(const tg_ptx_lane_op *l)
{
    if (l->imm == 1) return move(l, "mov.$u $r, $a;");
    const tg_ptx_reg power = power_of(l, l->imm < 0 ? 0 - (uint64_t)l->imm : (uint64_t)l->imm);
    return l->imm < 0 ? tg_ptx_rows_of_two(l, TG_OP_div, one(l), power) : power;
}
