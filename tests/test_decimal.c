/* Decimal digits of short binary fractions, which are worked out here, against printf's. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/decimal.h"
#include "sampled.h"

#define STEP sampled(331, 3313)

/* Multiples of 2^-10, 2^-7 and 1 of either sign; some are too large or too fine for the short way. */
static void for_fractions(void (*check)(double value, int count))
{
    int count = 0;
    for (int part = -3000000; part <= 3000000; part += STEP)
        for (int shift = -11; shift <= 0; shift++) check(ldexp(part, shift), count++ % 12);
    check(0.0, 0);
    check(-0.0, 3);
}

static void check_digits(double value, int count)
{
    char want[64];
    tg_decimal d;
    tg_text text = {0};
    tg_decimal_to_digits(&d, value, count + 1);
    tg_decimal_scientific(&text, &d, count, 2);
    snprintf(want, sizeof want, "%.*e", count, fabs(value));
    cr_assert_str_eq(text.data, want);
    cr_assert_eq(d.is_negative, signbit(value) != 0);
    tg_text_drop(&text);
}

static void check_places(double value, int count)
{
    char want[64];
    tg_decimal d;
    tg_text text = {0};
    tg_decimal_to_places(&d, value, count);
    tg_decimal_positional(&text, &d, count);
    snprintf(want, sizeof want, "%.*f", count, fabs(value));
    cr_assert_str_eq(text.data, want);
    tg_text_drop(&text);
}

/* The first count of digits that reads back. */
static void check_shortest(double value, int unused)
{
    char want[64];
    tg_decimal d;
    tg_text text = {0};
    value = (double)(float)value;
    for (int digits = 0; digits < 9; digits++) {
        snprintf(want, sizeof want, "%.*e", digits, fabs(value));
        if ((double)strtof(want, NULL) == fabs(value)) break;
    }
    tg_decimal_shortest(&d, TG_DT_f32, value);
    tg_decimal_scientific(&text, &d, 0, 2);
    cr_assert_str_eq(text.data, want);
    tg_text_drop(&text);
    (void)unused;
}

Test(decimal, digits_are_those_of_printf) { for_fractions(check_digits); }

Test(decimal, places_are_those_of_printf) { for_fractions(check_places); }

Test(decimal, no_fewer_digits_read_back) { for_fractions(check_shortest); }
