#include "layout/multiples.h"

__extension__ typedef __int128 wide;

int64_t tg_gcd(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* The inverse of a modulo m; they have no common divisor. */
static int64_t inverse(int64_t a, int64_t m)
{
    int64_t r0 = m, r1 = a % m, t0 = 0, t1 = 1;
    while (r1) {
        const int64_t q = r0 / r1, r = r0 - q * r1, t = t0 - q * t1;
        r0 = r1;
        r1 = r;
        t0 = t1;
        t1 = t;
    }
    return t0 < 0 ? t0 + m : t0;
}

static bool is_among(tg_multiples m, int64_t u)
{
    return u % m.of == 0 && (m.not_of == 0 || u % m.not_of != 0);
}

/* What is among both is a progression, of which each exclusion takes every n-th, n >= 2, or all or nothing.
 * Two such leave one of any four that follow each other, or none at all. */
int64_t tg_multiples_meet(tg_multiples a, tg_multiples b, int64_t shift, int64_t end)
{
    enum { ENOUGH = 4 };
    const int64_t common = tg_gcd(a.of, b.of), rest = shift % b.of;
    if (rest % common != 0) return end;
    /* u = a.of * t, where a.of * t = -shift modulo b.of */
    const int64_t m = b.of / common, wanted = rest ? (b.of - rest) / common : 0;
    const int64_t t = m == 1 ? 0 : (int64_t)((wide)wanted * inverse(a.of / common, m) % m);
    const wide step = (wide)a.of * m;
    wide u = (wide)a.of * t;
    if (u == 0) u = step;
    for (int i = 0; i < ENOUGH && u < end; i++, u += step)
        if (is_among(a, (int64_t)u) && is_among(b, shift + (int64_t)u)) return (int64_t)u;
    return end;
}
