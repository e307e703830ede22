#include "gpu_backend/instructions/product_parts.h"

#include <inttypes.h>

#include "gpu_backend/elementwise/bits.h"
#include "gpu_backend/elementwise/convert.h"
#include "gpu_backend/emit/operand.h"

void tg_ptx_matrix_begin(tg_ptx_emitter *em, const tg_async_place *place, tg_ptx_matrix *out)
{
    out->place = place;
    if (!place->is_value) tg_ptx_whole_begin(em, place, &out->whole);
}

tg_ptx_reg tg_ptx_matrix_number(tg_ptx_emitter *em, const tg_ptx_matrix *m, tg_ptx_reg row,
                                tg_ptx_reg column)
{
    const tg_ptx_reg number = tg_ptx_new(&em->w, TG_PTX_B32);
    tg_ptx_row(&em->w, "mad.lo.s32 %s, %s, %" PRId64 ", %s;", number.name, row.name,
               m->place->type.shape[1], column.name);
    return number;
}

tg_ptx_reg tg_ptx_matrix_read(tg_ptx_emitter *em, const tg_ptx_matrix *m, tg_ptx_reg number,
                              tg_ptx_element *at)
{
    *at = tg_ptx_find(em, &m->whole.walk, number);
    const tg_ptx_reg bits = tg_ptx_read_bits(em, &m->whole.walk, at);
    return tg_ptx_from_memory(&em->w, m->place->type.dtype, bits);
}

static tg_ptx_reg value_at(tg_ptx_emitter *em, const tg_ptx_matrix *m, tg_ptx_reg row,
                           tg_ptx_reg column)
{
    const tg_ptx_reg index[2] = {row, column};
    return tg_ptx_load(em, &m->place->value, index);
}

tg_ptx_reg tg_ptx_matrix_factor(tg_ptx_emitter *em, const tg_ptx_matrix *m, tg_ptx_reg row,
                                tg_ptx_reg column, tg_dtype as)
{
    tg_ptx_element at;
    const tg_ptx_reg value =
        m->place->is_value
            ? value_at(em, m, row, column)
            : tg_ptx_matrix_read(em, m, tg_ptx_matrix_number(em, m, row, column), &at);
    return tg_ptx_convert(&em->w, m->place->type.dtype, as, value);
}

tg_ptx_reg tg_ptx_matrix_bits(tg_ptx_emitter *em, const tg_ptx_matrix *m, tg_ptx_reg row,
                              tg_ptx_reg column)
{
    if (m->place->is_value)
        return tg_ptx_to_memory(&em->w, m->place->type.dtype, value_at(em, m, row, column));
    const tg_ptx_element at =
        tg_ptx_find(em, &m->whole.walk, tg_ptx_matrix_number(em, m, row, column));
    return tg_ptx_read_bits(em, &m->whole.walk, &at);
}
