#include "report/decimal.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/bits.h"

/* Removes zeros at both ends. */
static void trim(tg_decimal *d)
{
    int zeros = 0;
    while (zeros + 1 < d->count && d->digits[zeros] == '0') zeros++;
    memmove(d->digits, d->digits + zeros, (size_t)(d->count - zeros));
    d->count -= zeros;
    d->point -= zeros;
    while (d->count > 1 && d->digits[d->count - 1] == '0') d->count--;
    if (d->digits[0] == '0') d->point = 1;
}

/* Reads the text of printf, whose decimal point depends on the locale. */
static void read_text(tg_decimal *d, const char *text)
{
    bool behind_point = false;
    int exponent = 0;
    d->is_negative = *text == '-';
    d->count = d->point = 0;
    for (const char *p = text + d->is_negative; *p; p++) {
        if (*p == 'e') {
            exponent = atoi(p + 1);
            break;
        }
        if (*p < '0' || *p > '9')
            behind_point = true;
        else if (d->count < TG_MOST_DIGITS) {
            d->digits[d->count++] = *p;
            if (!behind_point) d->point++;
        }
    }
    d->point += exponent;
    trim(d);
}

/* Handles short binary fractions, whose decimal digits a double holds exactly, if they have at most
 * `most` digits, of which at most `most_places` are after the point.  Returns false for all others,
 * which need printf. */
static bool take_fraction(tg_decimal *d, double value, int most, int most_places)
{
    enum { PLACES = 10, ROOM = 16 }; /* multiples of 2^-10; at most 4 digits before the point */
    const double parts = fabs(value) * (1 << PLACES);
    double whole = fabs(value);
    char digits[ROOM];
    int places = 0, at = ROOM;
    if (!(whole < 1024) || floor(parts) != parts) return false;
    while (floor(whole) != whole) {
        whole *= 10;
        places++;
    }
    for (uint64_t rest = (uint64_t)whole; rest > 0 || at == ROOM; rest /= 10)
        digits[--at] = (char)('0' + rest % 10);
    if (ROOM - at > most || places > most_places) return false;
    d->is_negative = signbit(value);
    d->count = ROOM - at;
    d->point = d->count - places;
    memcpy(d->digits, digits + at, (size_t)d->count);
    trim(d);
    return true;
}

void tg_decimal_to_places(tg_decimal *d, double value, int places)
{
    if (take_fraction(d, value, INT_MAX, places)) return;
    char text[TG_MOST_DIGITS + 16];
    snprintf(text, sizeof text, "%.*f", places, value);
    read_text(d, text);
}

void tg_decimal_to_digits(tg_decimal *d, double value, int count)
{
    if (take_fraction(d, value, count, INT_MAX)) return;
    char text[TG_MOST_DIGITS + 16];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    read_text(d, text);
}

/* Returns the value that the digits read back as. */
static double value_of(const tg_decimal *d, tg_dtype dtype)
{
    char text[64];
    snprintf(text, sizeof text, "%s%.*se%d", d->is_negative ? "-" : "", d->count, d->digits,
             d->point - d->count);
    if (dtype == TG_DT_f32) return (double)strtof(text, NULL);
    double value = strtod(text, NULL);
    return dtype == TG_DT_f64 ? value : tg_bits_value(dtype, tg_bits_round(dtype, value));
}

/* Adds one to the last digit. */
static void step_up(tg_decimal *d)
{
    int i = d->count - 1;
    while (i >= 0 && d->digits[i] == '9') d->digits[i--] = '0';
    if (i >= 0) {
        d->digits[i]++;
    } else {
        memmove(d->digits + 1, d->digits, (size_t)d->count);
        d->digits[0] = '1';
        d->count++;
        d->point++;
    }
    trim(d);
}

/* Returns how many digits a decimal number may have so that no two such numbers have the same value
 * in the dtype: if one is exact, no shorter one reads back. */
static int distinct_digits(tg_dtype dtype)
{
    return dtype == TG_DT_f16 ? 3 : dtype == TG_DT_f32 ? 6 : 15;
}

/* For each count of digits, tests whether the nearest decimal number reads back.  At a power of
 * two, floats above are farther apart than floats below, so the next decimal number up may read
 * back where the nearest one does not. */
void tg_decimal_shortest(tg_decimal *d, tg_dtype dtype, double value)
{
    enum { ENOUGH = 17 };
    if (take_fraction(d, value, distinct_digits(dtype), INT_MAX)) return;
    for (int count = 1; count <= ENOUGH; count++) {
        tg_decimal_to_digits(d, value, count);
        if (value_of(d, dtype) == value) return;
        int exponent;
        if (fabs(frexp(value, &exponent)) != 0.5) continue;
        char text[64];
        snprintf(text, sizeof text, "%.*e", count - 1, value);
        read_text(d, text);
        for (int zeros = d->count; zeros < count; zeros++) d->digits[d->count++] = '0';
        step_up(d);
        if (value_of(d, dtype) == value) return;
    }
    tg_decimal_to_digits(d, value, ENOUGH);
}

/* ---- as text ---- */

static void put_zeros(tg_text *text, int count)
{
    while (count-- > 0) tg_text_put(text, "0");
}

/* Puts digits [from, to), counted from the first digit; digits outside the number are 0. */
static void put_digits(tg_text *text, const tg_decimal *d, int from, int to)
{
    for (int i = from; i < to; i++)
        tg_text_put_bytes(text, i >= 0 && i < d->count ? &d->digits[i] : "0", 1);
}

void tg_decimal_positional(tg_text *text, const tg_decimal *d, int places)
{
    if (places < tg_decimal_places(d)) places = tg_decimal_places(d);
    if (d->point > 0)
        put_digits(text, d, 0, d->point);
    else
        tg_text_put(text, "0");
    if (places == 0) return;
    tg_text_put(text, ".");
    put_digits(text, d, d->point, d->point + places);
}

void tg_decimal_scientific(tg_text *text, const tg_decimal *d, int places, int exponent_digits)
{
    int exponent = d->digits[0] == '0' ? 0 : tg_decimal_exponent(d);
    char digits[16];
    if (places < d->count - 1) places = d->count - 1;
    put_digits(text, d, 0, 1);
    if (places > 0) tg_text_put(text, ".");
    put_digits(text, d, 1, 1 + places);
    int length = snprintf(digits, sizeof digits, "%d", abs(exponent));
    tg_text_put(text, exponent < 0 ? "e-" : "e+");
    put_zeros(text, exponent_digits - length);
    tg_text_put(text, digits);
}
