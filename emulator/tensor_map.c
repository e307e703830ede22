#include "emulator/tensor_map.h"

#include <string.h>

enum { UNIT = 16, LEAST_LINE = 7, CHUNK = 4, MOST_BOX = 256 };

/* By the number of an element's type.  Of f32 there are two, f32 and f32.ftz, and behind bf16 stand tf32 and
 * tf32.ftz. */
static const tg_emu_type element_types[] = {
    TG_EMU_U8,  TG_EMU_U16, TG_EMU_U32, TG_EMU_S32,  TG_EMU_U64,  TG_EMU_S64, TG_EMU_F16,
    TG_EMU_F32, TG_EMU_F32, TG_EMU_F64, TG_EMU_BF16, TG_EMU_NONE, TG_EMU_NONE};
enum { FIRST_FLOAT = 6, TF32_BYTES = 4 };

tg_emu_type tg_emu_tensor_map_element_type(const tg_emu_tensor_map *m)
{
    return element_types[m->element];
}

unsigned tg_emu_tensor_map_element_bytes(const tg_emu_tensor_map *m)
{
    const tg_emu_type type = element_types[m->element];
    return type == TG_EMU_NONE ? TF32_BYTES : tg_emu_types[type].bytes;
}

static const char *fault_of_dimension(const tg_emu_tensor_map *m, unsigned d)
{
    if (m->box[d] == 0 || m->box[d] > MOST_BOX) return "a box has 1 to 256 elements a dimension";
    if (m->extents[d] == 0) return "a dimension has no elements";
    if (m->element_strides[d] != 1) return "only element strides of 1 are understood";
    return d && m->strides[d - 1] % UNIT ? "a stride is a multiple of 16 bytes" : NULL;
}

const char *tg_emu_tensor_map_fault(const tg_emu_tensor_map *m, unsigned rank)
{
    static const unsigned spans[] = {0, 32, 64, 128};
    if (m->rank + 1 != rank) return "the tensor has another number of dimensions than the copy";
    if (m->element >= sizeof element_types / sizeof *element_types)
        return "there is no such type of elements";
    if (m->interleave) return "only tensors without interleave are understood";
    if (m->swizzle >= sizeof spans / sizeof *spans) return "there is no such swizzle";
    if (m->address % UNIT) return "the tensor's address is a multiple of 16";
    for (unsigned d = 0; d < rank; d++) {
        const char *fault = fault_of_dimension(m, d);
        if (fault) return fault;
    }
    const unsigned inner = m->box[0] * tg_emu_tensor_map_element_bytes(m);
    if (inner % UNIT) return "a row of a box is a multiple of 16 bytes";
    return m->swizzle && inner > spans[m->swizzle] ? "a row of a box is longer than the swizzle"
                                                   : NULL;
}

uint32_t tg_emu_box_rows(const tg_emu_box *b)
{
    uint32_t rows = 1;
    for (unsigned d = 1; d <= b->map.rank; d++) rows *= b->map.box[d];
    return rows;
}

uint32_t tg_emu_box_bytes(const tg_emu_box *b)
{
    return tg_emu_box_rows(b) * b->map.box[0] * tg_emu_tensor_map_element_bytes(&b->map);
}

tg_emu_box_row tg_emu_box_row_at(const tg_emu_box *b, uint32_t row)
{
    const tg_emu_tensor_map *m = &b->map;
    const unsigned bytes = tg_emu_tensor_map_element_bytes(m);
    const int64_t first = b->at[0] < 0 ? 0 : b->at[0], end = (int64_t)b->at[0] + m->box[0],
                  last = end < m->extents[0] ? end : m->extents[0];
    tg_emu_box_row r = {.address = m->address + (uint64_t)first * bytes,
                        .offset = row * m->box[0] * bytes + (uint32_t)(first - b->at[0]) * bytes};
    for (unsigned d = 1; d <= m->rank; d++) {
        const int64_t at = (int64_t)b->at[d] + row % m->box[d];
        row /= m->box[d];
        if (at < 0 || at >= m->extents[d]) return r;
        r.address += (uint64_t)at * m->strides[d - 1];
    }
    if (last > first) r.bytes = (uint32_t)(last - first) * bytes;
    return r;
}

uint64_t tg_emu_box_swizzled(const tg_emu_box *b, uint64_t address)
{
    const uint64_t lines = (1u << b->map.swizzle) - 1;
    return address ^ (address >> LEAST_LINE & lines) << CHUNK;
}

void tg_emu_box_fill(const tg_emu_box *b, unsigned char *bytes)
{
    const unsigned element = tg_emu_tensor_map_element_bytes(&b->map);
    const uint32_t all = tg_emu_box_bytes(b);
    const bool is_nan = b->map.fill && b->map.element >= FIRST_FLOAT;
    memset(bytes, is_nan ? 0xff : 0, all);
    for (uint32_t i = element - 1; is_nan && i < all; i += element) bytes[i] = 0x7f;
}
