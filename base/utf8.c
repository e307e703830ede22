#include "base/utf8.h"

int tg_utf8_length(const char *at, const char *end)
{
    const unsigned char *p = (const unsigned char *)at;
    if (p[0] < 0x80) return 1;
    int length = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4 || end - at < length) return 0;
    for (int i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if (p[0] == 0xe0 && p[1] < 0xa0) return 0; /* longer than needed */
    if (p[0] == 0xed && p[1] > 0x9f) return 0; /* a surrogate */
    if (p[0] == 0xf0 && p[1] < 0x90) return 0; /* longer than needed */
    if (p[0] == 0xf4 && p[1] > 0x8f) return 0; /* beyond U+10FFFF */
    return length;
}
