/* One lane of an element-wise op as PTX rows: registers in, a register out, no memory.
 *
 * Registers hold carriers (ir/type.h), in the class of tg_ptx_class_of and in canonical form: ints of less
 * than 32 bits extended by sign or zeros to 32, ints of 2 and 4 bits wrapped, narrow floats rounded to their own
 * format and held as f32.  Every operation on floats names its rounding, nothing is contracted or flushed, and
 * nothing approximated but by tg_ptx_lane_fast. */
#ifndef TG_GPU_BACKEND_ELEMENTWISE_LANE_H
#define TG_GPU_BACKEND_ELEMENTWISE_LANE_H

#include "gpu_backend/text/writer.h"
#include "ir/op.h"

/* An element-wise op of ops.def other than convert; `dtype`, `second` and `imm` as in tg_lane (plan/plan.h).
 * The result is a register of its own, of the result's class (comparisons: a bool).  False, and nothing
 * written, where there is no such op on that dtype.  `in` has `count` operands, as many as the op takes.
 * Elementary functions may need a table in the module: the writer remembers which. */
bool tg_ptx_lane(tg_ptx_writer *w, tg_opcode op, tg_dtype dtype, tg_dtype second, int64_t imm,
                 uint32_t count, const tg_ptx_reg *in, tg_ptx_reg *out);

/* The same by approximate instructions, for profile fast (fast.def).  False, and nothing written, where there are none
 * whose error is documented: then the op is as tg_ptx_lane has it. */
bool tg_ptx_lane_fast(tg_ptx_writer *w, tg_opcode op, tg_dtype dtype, uint32_t count,
                      const tg_ptx_reg *in, tg_ptx_reg *out);

/* How far from the exact value y of an operand x such a result may be, before it is rounded to a narrow dtype:
 * (relative + by_operand |x|) |y| + absolute. */
typedef struct tg_ptx_error {
    double relative, by_operand, absolute;
} tg_ptx_error;

/* False where tg_ptx_lane_fast is. */
bool tg_ptx_lane_error(tg_opcode op, tg_dtype dtype, tg_ptx_error *out);

/* The op convert: rounded once, saturating, wrapping as ops.def says.  This and the functions below may return
 * the very register they were given. */
tg_ptx_reg tg_ptx_convert(tg_ptx_writer *w, tg_dtype from, tg_dtype to, tg_ptx_reg in);

/* A constant, given as its carrier. */
tg_ptx_reg tg_ptx_constant(tg_ptx_writer *w, tg_dtype dtype, const void *carrier);

/* The undefined value of the dtype as a carrier (docs/semantics.md), bit for bit. */
tg_ptx_reg tg_ptx_undefined(tg_ptx_writer *w, tg_dtype dtype);

/* Between an element's memory representation and its carrier.  In memory are the low bytes of a .b32 register,
 * of a .b64 for 8 bytes; what lies above them does not matter, but for a bool, whose byte is 0 or 1. */
tg_ptx_reg tg_ptx_from_memory(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits);
tg_ptx_reg tg_ptx_to_memory(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg carrier);

/* A carrier as bits: .b32 or .b64 by its size, and back. */
tg_ptx_reg tg_ptx_bits(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg carrier);
tg_ptx_reg tg_ptx_of_bits(tg_ptx_writer *w, tg_dtype dtype, tg_ptx_reg bits);

#endif
