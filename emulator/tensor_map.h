/* Tensor maps: what tensor copies (cp.async.bulk.tensor) know of an array in global memory.
 *
 * The bytes of a tensor map are opaque in PTX.  Here they are those of tg_emu_tensor_map, which tensormap.replace writes
 * field by field. */
#ifndef TG_EMULATOR_TENSOR_MAP_H
#define TG_EMULATOR_TENSOR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/type.h"

enum { TG_EMU_TENSOR_MAP_BYTES = 128, TG_EMU_TENSOR_MAP_RANK = 5 };

typedef struct tg_emu_tensor_map {
    uint64_t address;
    uint32_t rank; /* less 1 */
    uint32_t element, interleave, swizzle, fill;
    uint32_t
        box[TG_EMU_TENSOR_MAP_RANK]; /* elements that a copy has, the innermost dimension first */
    uint64_t
        strides[TG_EMU_TENSOR_MAP_RANK - 1]; /* bytes, of all dimensions but the innermost one */
    uint32_t extents[TG_EMU_TENSOR_MAP_RANK];
    uint32_t element_strides[TG_EMU_TENSOR_MAP_RANK];
} tg_emu_tensor_map;

/* A box of a tensor: what a copy moves. */
typedef struct tg_emu_box {
    tg_emu_tensor_map map;
    int32_t at[TG_EMU_TENSOR_MAP_RANK]; /* its first element */
} tg_emu_box;

/* The part of a row of a box that is inside the tensor. */
typedef struct tg_emu_box_row {
    uint64_t address; /* of its first byte in global memory */
    uint32_t offset;  /* where that is in the box, without swizzle */
    uint32_t bytes;   /* 0: nothing is inside */
} tg_emu_box_row;

/* NULL, or what is wrong with a map, of which a copy says that it has `rank` dimensions. */
const char *tg_emu_tensor_map_fault(const tg_emu_tensor_map *map, unsigned rank);

unsigned tg_emu_tensor_map_element_bytes(const tg_emu_tensor_map *map);
/* TG_EMU_NONE for tf32 */
tg_emu_type tg_emu_tensor_map_element_type(const tg_emu_tensor_map *map);
uint32_t tg_emu_box_bytes(const tg_emu_box *box);
uint32_t tg_emu_box_rows(const tg_emu_box *box);
tg_emu_box_row tg_emu_box_row_at(const tg_emu_box *box, uint32_t row);

/* The shared address of the byte that has address `address` without swizzle. */
uint64_t tg_emu_box_swizzled(const tg_emu_box *box, uint64_t address);

/* Fills the box as it is where it lies outside the tensor: zeros, or NaN. */
void tg_emu_box_fill(const tg_emu_box *box, unsigned char *bytes);

#endif
