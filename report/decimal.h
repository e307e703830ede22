/* Floats as decimal digits, and digits as text.  The text is the same in every locale. */
#ifndef TG_REPORT_DECIMAL_H
#define TG_REPORT_DECIMAL_H

#include "base/text.h"
#include "ir/type.h"

/* The finite number 0.DIGITS * 10^point; 0 has the single digit 0 and point 1. */
enum { TG_MOST_DIGITS = 1200 };
typedef struct tg_decimal {
    bool is_negative;
    int count, point;
    char digits[TG_MOST_DIGITS];
} tg_decimal;

/* Finds the fewest digits that read back as the same value of the dtype (f16, f32 or f64). */
void tg_decimal_shortest(tg_decimal *d, tg_dtype dtype, double value);

/* Round to `places` digits after the point (at most 800), or to `count` significant digits. */
void tg_decimal_to_places(tg_decimal *d, double value, int places);
void tg_decimal_to_digits(tg_decimal *d, double value, int count);

/* Prints 123.45 with at least `places` digits after the point, without sign.  If no digit follows,
 * it omits the point. */
void tg_decimal_positional(tg_text *text, const tg_decimal *d, int places);

/* Prints 1.2345e+02 with at least `places` digits after the point and `exponent_digits` digits of
 * the exponent. */
void tg_decimal_scientific(tg_text *text, const tg_decimal *d, int places, int exponent_digits);

/* The exponent of the first digit, as in 1.2345e+02. */
static inline int tg_decimal_exponent(const tg_decimal *d) { return d->point - 1; }

/* The number of digits after the point that tg_decimal_positional needs. */
static inline int tg_decimal_places(const tg_decimal *d)
{
    return d->count > d->point ? d->count - d->point : 0;
}

#endif
