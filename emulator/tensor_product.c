#include "emulator/tensor_product.h"

#include <inttypes.h>
#include <math.h>

#include "base/float_bits.h"
#include "emulator/cluster.h"
#include "emulator/find.h"
#include "emulator/mbarrier.h"
#include "emulator/mma.h"
#include "emulator/smem_descriptor.h"
#include "emulator/soft.h"
#include "emulator/tensor_descriptor.h"
#include "emulator/trapping.h"

/* BYTES: of a row along k.  MOST_ROWS: of b. */
enum { A, B, BYTES = 32, UNIT = TG_EMU_SMEM_UNIT, MOST_ROWS = 256, VERSION = 1 };

static bool trap(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane, const char *what,
                 const char *text, uint64_t bits)
{
    tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_TENSOR_PRODUCT, "%s 0x%" PRIx64 ": %s", what,
                   bits, text);
    return false;
}

/* ---- reading factors ---- */

/* The rows of a factor, along k. */
typedef struct factor {
    unsigned char bytes[MOST_ROWS][BYTES];
} factor;

static const unsigned char *find_unit(tg_emu_exec *exec, const tg_emu_tensor_op *op,
                                      uint32_t offset, const tg_emu_visit *visit)
{
    return tg_emu_find_range(exec, op->inst, op->lane, exec->warp->cta, offset, UNIT, visit);
}

/* Unit `unit` along m or n of row `k`: one element in each of some rows. */
static void spread(factor *f, const unsigned char *from, unsigned bytes, unsigned unit, unsigned k)
{
    const unsigned count = UNIT / bytes;
    for (unsigned i = 0; i < count; i++)
        memcpy(&f->bytes[unit * count + i][k * bytes], from + i * bytes, bytes);
}

static bool read_shared(tg_emu_exec *exec, const tg_emu_tensor_op *op, int which, uint32_t rows,
                        factor *out)
{
    const tg_emu_tensor_product *p = &op->product;
    const unsigned bytes = tg_emu_tensor_bytes((tg_emu_tensor_format)p->formats[which]);
    const tg_emu_visit visit = tg_emu_tensor_visit(exec, op, op->reader, TG_EMU_READ);
    const uint32_t along = p->is_mn_major[which] ? BYTES / bytes : rows,
                   units = p->is_mn_major[which] ? rows * bytes / UNIT : BYTES / UNIT;
    tg_emu_smem_descriptor d;
    (void)tg_emu_smem_read(p->factors[which], VERSION, &d); /* checked when it was started */
    for (uint32_t i = 0; i < along; i++)
        for (uint32_t u = 0; u < units; u++) {
            const uint32_t at = p->is_mn_major[which] ? tg_emu_smem_mn_major(&d, u, i)
                                                      : tg_emu_smem_k_major(&d, i, u);
            const unsigned char *from = find_unit(exec, op, at, &visit);
            if (!from) return false;
            if (p->is_mn_major[which])
                spread(out, from, bytes, u, i);
            else
                memcpy(&out->bytes[i][u * UNIT], from, UNIT);
        }
    return true;
}

/* Row i is lane i, and 8 columns have its 32 bytes. */
static bool read_tensor_memory(tg_emu_exec *exec, const tg_emu_tensor_op *op, factor *out)
{
    const uint32_t address = (uint32_t)op->product.factors[A];
    const tg_emu_tensor_part part = {tg_emu_tensor_lane_of(address), op->product.m,
                                     tg_emu_tensor_column_of(address), BYTES / sizeof(uint32_t)};
    const tg_emu_visit visit = tg_emu_tensor_visit(exec, op, op->own, TG_EMU_READ);
    if (!tg_emu_tensor_access(exec, op->inst, op->lane, &part, &visit)) return false;
    for (uint32_t i = 0; i < part.lanes; i++)
        memcpy(out->bytes[i], &tg_emu_tensor_memory_of(exec)->cells[part.lane + i][part.column],
               BYTES);
    return true;
}

/* ---- numbers ---- */

static float number(tg_emu_tensor_format format, const unsigned char *from)
{
    static const tg_emu_format *const formats[] = {[TG_EMU_TENSOR_OF_F16] = &tg_emu_f16,
                                                   [TG_EMU_TENSOR_OF_BF16] = &tg_emu_bf16,
                                                   [TG_EMU_TENSOR_OF_E4M3] = &tg_emu_e4m3,
                                                   [TG_EMU_TENSOR_OF_E5M2] = &tg_emu_e5m2};
    uint32_t bits = 0;
    memcpy(&bits, from, tg_emu_tensor_bytes(format));
    if (format == TG_EMU_TENSOR_OF_TF32) return tg_emu_mma_tf32(bits);
    const tg_emu_soft value = tg_emu_unpack(formats[format], bits);
    const float magnitude = value.class == TG_EMU_NAN   ? NAN
                            : value.class == TG_EMU_INF ? INFINITY
                            : value.class == TG_EMU_ZERO
                                ? 0
                                : (float)ldexp((double)(uint64_t)value.significand, value.exponent);
    return value.sign ? -magnitude : magnitude;
}

static void numbers_of(const tg_emu_tensor_product *p, int which, uint32_t rows, const factor *from,
                       float to[][BYTES])
{
    const tg_emu_tensor_format format = (tg_emu_tensor_format)p->formats[which];
    const unsigned bytes = tg_emu_tensor_bytes(format);
    for (uint32_t i = 0; i < rows; i++)
        for (unsigned k = 0; k < BYTES / bytes; k++)
            to[i][k] = number(format, &from->bytes[i][k * bytes]);
}

static uint32_t integer_sum(const tg_emu_tensor_product *p, const unsigned char *a,
                            const unsigned char *b, uint32_t sum)
{
    for (unsigned k = 0; k < BYTES; k++) {
        const int32_t x = p->formats[A] == TG_EMU_TENSOR_OF_S8 ? (int8_t)a[k] : a[k],
                      y = p->formats[B] == TG_EMU_TENSOR_OF_S8 ? (int8_t)b[k] : b[k];
        sum += (uint32_t)(x * y);
    }
    return sum;
}

/* ---- multiplying ---- */

/* The lane of a row of d: with m 64 there are 16 rows in each 32 lanes. */
static uint32_t lane_of(const tg_emu_tensor_product *p, uint32_t first, uint32_t row)
{
    return first + (p->m == 64 ? row / 16 * 32 + row % 16 : row);
}

/* Checks and records what happens to d. */
static bool access_sum(tg_emu_exec *exec, const tg_emu_tensor_op *op)
{
    const tg_emu_tensor_product *p = &op->product;
    const uint32_t first = tg_emu_tensor_lane_of(op->address), lanes = p->m == 64 ? 16 : 32;
    for (int is_write = !p->accumulates; is_write <= 1; is_write++)
        for (uint32_t l = 0; l < TG_EMU_TENSOR_LANES; l += 32) {
            const tg_emu_tensor_part part = {first + l, lanes, tg_emu_tensor_column_of(op->address),
                                             p->n};
            const tg_emu_visit visit =
                tg_emu_tensor_visit(exec, op, op->own, is_write ? TG_EMU_WRITE : TG_EMU_READ);
            if (!tg_emu_tensor_access(exec, op->inst, op->lane, &part, &visit)) return false;
        }
    return true;
}

static void add_integers(tg_emu_exec *exec, const tg_emu_tensor_op *op, const factor *factors)
{
    const tg_emu_tensor_product *p = &op->product;
    const uint32_t first = tg_emu_tensor_lane_of(op->address);
    for (uint32_t i = 0; i < p->m; i++) {
        uint32_t *d = &tg_emu_tensor_memory_of(exec)
                           ->cells[lane_of(p, first, i)][tg_emu_tensor_column_of(op->address)];
        for (uint32_t j = 0; j < p->n; j++)
            d[j] =
                integer_sum(p, factors[A].bytes[i], factors[B].bytes[j], p->accumulates ? d[j] : 0);
    }
}

static void add_floats(tg_emu_exec *exec, const tg_emu_tensor_op *op, const factor *factors)
{
    static _Thread_local float a[TG_EMU_TENSOR_LANES][BYTES], b[MOST_ROWS][BYTES];
    const tg_emu_tensor_product *p = &op->product;
    const tg_emu_mma_sum how = tg_emu_mma_way(exec->launch->is_published, exec->launch->seed);
    const size_t k = BYTES / tg_emu_tensor_bytes((tg_emu_tensor_format)p->formats[A]);
    const uint32_t first = tg_emu_tensor_lane_of(op->address);
    numbers_of(p, A, p->m, &factors[A], a);
    numbers_of(p, B, p->n, &factors[B], b);
    for (uint32_t i = 0; i < p->m; i++) {
        uint32_t *d = &tg_emu_tensor_memory_of(exec)
                           ->cells[lane_of(p, first, i)][tg_emu_tensor_column_of(op->address)];
        for (uint32_t j = 0; j < p->n; j++)
            d[j] =
                bits_of_f32(tg_emu_mma(how, k, a[i], b[j], p->accumulates ? f32_of_bits(d[j]) : 0));
    }
}

tg_emu_step tg_emu_tensor_multiply(tg_emu_exec *exec, tg_emu_tensor_op *op)
{
    const tg_emu_tensor_product *p = &op->product;
    factor factors[2];
    const bool is_read = p->is_a_in_tensor_memory ? read_tensor_memory(exec, op, &factors[A])
                                                  : read_shared(exec, op, A, p->m, &factors[A]);
    if (!is_read || !read_shared(exec, op, B, p->n, &factors[B]) || !access_sum(exec, op))
        return TG_EMU_TRAPPED;
    if (p->formats[A] >= TG_EMU_TENSOR_OF_U8)
        add_integers(exec, op, factors);
    else
        add_floats(exec, op, factors);
    return TG_EMU_ON;
}

/* ---- starting ---- */

static bool check_shared(tg_emu_exec *exec, const tg_emu_tensor_op *op, int which)
{
    tg_emu_smem_descriptor d;
    const char *wrong = tg_emu_smem_read(op->product.factors[which], VERSION, &d);
    return !wrong || trap(exec, op->inst, op->lane,
                          which == A ? "the descriptor of a," : "the descriptor of b,", wrong,
                          op->product.factors[which]);
}

/* Of d, the lane that its address names. */
static bool check_sum(tg_emu_exec *exec, const tg_emu_tensor_op *op)
{
    const tg_emu_tensor_product *p = &op->product;
    const uint32_t lane = tg_emu_tensor_lane_of(op->address);
    const tg_emu_tensor_part part = {lane, p->m == 64 ? 112 : 128,
                                     tg_emu_tensor_column_of(op->address), p->n};
    if (lane && !(p->m == 64 && lane == 16))
        return trap(exec, op->inst, op->lane, "the address of d,",
                    "it is lane 0, or also 16 where m is 64", op->address);
    return tg_emu_tensor_check(exec, op->inst, op->lane, &part);
}

static tg_emu_step start(tg_emu_exec *exec, const tg_emu_inst *inst, unsigned lane)
{
    const uint32_t *d = tg_emu_at(exec, &inst->in[0]), *descriptor = tg_emu_at(exec, &inst->in[3]);
    const uint32_t is_read = *(const uint32_t *)tg_emu_at(exec, &inst->in[4]),
                   thread = exec->warp->first_tid + lane;
    const bool is_a_held = inst->flags & TG_EMU_TENSOR_A_IN_TENSOR_MEMORY;
    tg_emu_tensor_op op = {.kind = TG_EMU_TENSOR_PRODUCT,
                           .inst = inst,
                           .thread = thread,
                           .warp = thread / TG_EMU_LANES,
                           .lane = lane,
                           .address = d[lane] + (uint32_t)inst->immediate};
    tg_emu_tensor_product *p = &op.product;
    p->is_a_in_tensor_memory = is_a_held;
    p->accumulates = is_read >> lane & 1;
    p->factors[A] = tg_emu_lane_bits(tg_emu_at(exec, &inst->in[1]), is_a_held ? 4 : 8, lane);
    p->factors[B] = tg_emu_lane_bits(tg_emu_at(exec, &inst->in[2]), 8, lane);
    const char *wrong = tg_emu_tensor_read(
        descriptor[lane],
        (tg_emu_tensor_product_kind)(inst->flags % TG_EMU_TENSOR_A_IN_TENSOR_MEMORY), p);
    if (wrong) {
        trap(exec, inst, lane, "the instruction descriptor", wrong, descriptor[lane]);
        return TG_EMU_TRAPPED;
    }
    if ((!is_a_held && !check_shared(exec, &op, A)) || !check_shared(exec, &op, B) ||
        !check_sum(exec, &op))
        return TG_EMU_TRAPPED;
    return tg_emu_tensor_start(exec, &op);
}

tg_emu_step tg_emu_exec_tensor_product(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++)
        if ((mask >> lane & 1) && start(exec, inst, lane) != TG_EMU_ON) return TG_EMU_TRAPPED;
    return TG_EMU_ON;
}

tg_emu_step tg_emu_exec_tensor_commit(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    uint64_t addresses[TG_EMU_LANES];
    tg_emu_addresses_of(exec, inst, addresses);
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        const uint32_t thread = exec->warp->first_tid + lane;
        if (!(mask >> lane & 1)) continue;
        tg_emu_cta *cta = tg_emu_cluster_find(exec, inst, lane, &addresses[lane]);
        if (!cta) return TG_EMU_TRAPPED;
        tg_emu_tensor_op op = {.kind = TG_EMU_TENSOR_COMMIT,
                               .inst = inst,
                               .thread = thread,
                               .warp = thread / TG_EMU_LANES,
                               .lane = lane,
                               .address = (uint32_t)addresses[lane],
                               .cta = cta->rank};
        if (!tg_emu_mbarrier_find(exec, inst, lane, cta, op.address, NULL) ||
            tg_emu_tensor_start(exec, &op) != TG_EMU_ON)
            return TG_EMU_TRAPPED;
    }
    return TG_EMU_ON;
}
