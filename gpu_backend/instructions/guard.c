/* Checks operands for elements with a forbidden value, or that break a promise. */
#include "gpu_backend/instructions/insts.h"

#include <inttypes.h>

#include "gpu_backend/emit/index.h"
#include "gpu_backend/emit/loop.h"
#include "gpu_backend/emit/operand.h"
#include "gpu_backend/emit/report.h"
#include "gpu_backend/text/ptx.h"
#include "gpu_backend/text/writer.h"
#include "ir/type.h"

/* Tests in 64 bits, since every promise fits in these. */
static void test_multiple(tg_ptx_emitter *em, const struct tg_inst_guard *guard, tg_ptx_reg value,
                          tg_ptx_reg bad)
{
    const char sign = tg_is_signed(guard->in.dtype) ? 's' : 'u';
    const tg_ptx_reg rest = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_reg wide = value;
    if (value.class != TG_PTX_B64) {
        wide = tg_ptx_new(&em->w, TG_PTX_B64);
        tg_ptx_row(&em->w, "cvt.%c64.%c32 %s, %s;", sign, sign, wide.name, value.name);
    }
    tg_ptx_row(&em->w, "rem.%c64 %s, %s, %" PRId64 ";", sign, rest.name, wide.name, guard->limit);
    tg_ptx_row(&em->w, "setp.ne.%c64 %s, %s, 0;", sign, bad.name, rest.name);
}

void tg_ptx_inst_guard(tg_ptx_emitter *em, const tg_inst *inst)
{
    const struct tg_inst_guard *guard = inst->as.guard;
    const tg_operand *in = &guard->in;
    tg_ptx_reg index[TG_MAX_RANK];
    const int64_t count = guard->kind == TG_GUARD_MULTIPLE ? 1 : tg_ptx_count(in);
    if (count == 0) return;
    const tg_ptx_loop loop = tg_ptx_loop_begin(em, count);
    tg_ptx_unravel(em, loop.element, in->rank, in->shape, index);
    const tg_ptx_reg value = tg_ptx_load(em, in, index), bad = tg_ptx_new(&em->w, TG_PTX_PRED);
    const int bits = value.class == TG_PTX_B64 ? 64 : 32;
    if (guard->kind == TG_GUARD_NOT_ZERO)
        tg_ptx_row(&em->w, "setp.eq.u%d %s, %s, 0;", bits, bad.name, value.name);
    else if (guard->kind == TG_GUARD_MULTIPLE)
        test_multiple(em, guard, value, bad);
    else
        tg_ptx_row(&em->w, "setp.ge.u%d %s, %s, %" PRId64 ";", bits, bad.name, value.name,
                   guard->limit);
    tg_ptx_report(em, TG_PTX_SITE_GUARD, bad);
    tg_ptx_loop_end(em, &loop);
}
