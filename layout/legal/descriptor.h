/* Descriptors of matrices in shared memory, which a multiplication by a warpgroup reads.
 *
 * In units of e bytes an element, T = 16 / e elements a chunk and S bytes a row of the swizzle, elements
 * (mn, k) of one instruction, 32 bytes of k, are at start plus
 *
 *     along K,  no swizzle:  16 (mn % 8) + SBO (mn / 8) + e (k % T)  + LBO (k / T)
 *     along K,  swizzle:      S (mn % 8) + SBO (mn / 8) + e k
 *     along MN, no swizzle:   e (mn % T) + SBO (mn / T) + 16 (k % 8) + LBO (k / 8)
 *     along MN, swizzle:      e (mn % W) + LBO (mn / W) + S (k % 8)  + SBO (k / 8),  W = S / e
 *
 * with bits 4, 5, 6 of the address then exchanged by the swizzle.  (PTX ISA, wgmma: matrix descriptor
 * and canonical layouts; CUTLASS, include/cute/atom/mma_traits_sm90_gmma.hpp.) */
#ifndef TG_LAYOUT_LEGAL_DESCRIPTOR_H
#define TG_LAYOUT_LEGAL_DESCRIPTOR_H

#include "layout/axe.h"

typedef struct tg_descriptor {
    bool is_mn_major;
    int swizzle;                    /* S: 16 (none), 32, 64 or 128 */
    int64_t start, leading, stride; /* bytes: the address, LBO, SBO; 0 where one does not count */
} tg_descriptor;

/* Derives the descriptor of a matrix of (mn, k) elements of `bytes` from its layout in memory, on axis m
 * in elements or on axis byte; the swizzle is that of the layout.
 *
 * TG_ERR_INVALID for sizes of which there is no instruction: k is 32 bytes, mn a multiple of 8, elements
 * have 1, 2 or 4 bytes, and 2 if the matrix is contiguous along mn.
 * TG_ERR_UNSUPPORTED with the reason if no descriptor gives these addresses: another axis, copies, another
 * swizzle, strides that are not of the form above; numbers that are no multiples of 16 or do not fit in
 * 18 bits; a swizzle whose pattern does not begin with each 8 rows. */
tg_status tg_descriptor_derive(const tg_axe *axe, int64_t mn, int64_t k, int bytes,
                               bool is_mn_major, tg_descriptor *out, tg_diags *diags);

/* The 64 bits: start / 16 from bit 0 on, leading / 16 from 16 on, stride / 16 from 32 on, and from 62 on
 * the mode: 0 none, 1 of 128 bytes, 2 of 64, 3 of 32. */
uint64_t tg_descriptor_encode(const tg_descriptor *descriptor);

/* What 64 bits say; whether the matrix is contiguous along mn is said by the instruction. */
void tg_descriptor_decode(uint64_t bits, bool is_mn_major, tg_descriptor *out);

/* The address of an element, in bytes. */
int64_t tg_descriptor_address(const tg_descriptor *descriptor, int64_t mn, int64_t k, int bytes);

#endif
