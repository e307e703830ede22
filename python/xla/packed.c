#include "packed.h"

#include <string.h>

void tg_unpack(unsigned char *to, const unsigned char *from, size_t count, unsigned bits,
               bool is_signed)
{
    const unsigned per_byte = 8 / bits, mask = (1U << bits) - 1, sign = 1U << (bits - 1);
    for (size_t i = 0; i < count; i++) {
        unsigned value = (unsigned)from[i / per_byte] >> (i % per_byte * bits) & mask;
        to[i] = (unsigned char)(is_signed ? (value ^ sign) - sign : value);
    }
}

void tg_pack(unsigned char *to, const unsigned char *from, size_t count, unsigned bits)
{
    const unsigned per_byte = 8 / bits, mask = (1U << bits) - 1;
    memset(to, 0, (count + per_byte - 1) / per_byte);
    for (size_t i = 0; i < count; i++)
        to[i / per_byte] |= (unsigned char)((from[i] & mask) << (i % per_byte * bits));
}
