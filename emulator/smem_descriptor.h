/* Descriptors by which products read matrices in shared memory (PTX ISA, "Matrix Descriptor Format").
 *
 * Such a matrix is made of units of 16 bytes, which are neighbours along its major dimension: along k, or
 * along mn (rows of A, columns of B).  Eight rows of units are a core matrix.  Bits of the descriptor:
 *   0-13   start: the address of the first unit, in units
 *   16-29  leading, 32-45 stride: distances of core matrices, in units, by mode and majorness
 *   46-48  version: 0 for wgmma, 1 for tcgen05
 *   49-51  base offset: 0 if the pattern of the swizzle begins at a multiple of its size
 *   61-63  swizzle: 0 none, 6 of 32, 4 of 64, 2 of 128 bytes */
#ifndef TG_EMULATOR_SMEM_DESCRIPTOR_H
#define TG_EMULATOR_SMEM_DESCRIPTOR_H

#include <stddef.h>
#include <stdint.h>

enum { TG_EMU_SMEM_UNIT = 16, TG_EMU_SMEM_CORE = 8 };

/* All in bytes, `start` an address of the shared space. */
typedef struct tg_emu_smem_descriptor {
    uint32_t start, leading, stride;
    unsigned swizzle_bits; /* 0: none; 1, 2, 3: rows of 32, 64, 128 bytes */
} tg_emu_smem_descriptor;

/* Reads the descriptor of an instruction of `version`.  Returns NULL, or what is wrong with it. */
const char *tg_emu_smem_read(uint64_t bits, unsigned version, tg_emu_smem_descriptor *out);

/* The address of a unit.  K-major: of row `mn`, the unit `unit` along k.  MN-major: of row `k`, the unit
 * `unit` along mn. */
uint32_t tg_emu_smem_k_major(const tg_emu_smem_descriptor *descriptor, unsigned mn, unsigned unit);
uint32_t tg_emu_smem_mn_major(const tg_emu_smem_descriptor *descriptor, unsigned unit, unsigned k);

#endif
