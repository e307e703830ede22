/* Elements of less than a byte: several to a byte in XLA's buffers (the first in the low bits), one
 * to a byte in Tilegrind's arrays. */
#ifndef TG_PYTHON_XLA_PACKED_H
#define TG_PYTHON_XLA_PACKED_H

#include <stdbool.h>
#include <stddef.h>

/* `bits` is 2 or 4; signed elements are extended to the byte. */
void tg_unpack(unsigned char *to, const unsigned char *from, size_t count, unsigned bits,
               bool is_signed);

/* Unused bits of the last byte become 0. */
void tg_pack(unsigned char *to, const unsigned char *from, size_t count, unsigned bits);

#endif
