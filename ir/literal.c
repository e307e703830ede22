#include "ir/literal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ir/bits.h"

/* Integers of a magnitude below this are exact in a JSON number, and no other integer rounds to
 * them. */
static const uint64_t number_limit = (uint64_t)1 << 53;

/* Integral floats below this are printed as plain decimals, which are easier to read than hex. */
static const double short_integer = 1e7;

/* -- integers -- */

static const char out_of_range[] = "is out of range for its dtype";

static const char *store_integer(tg_dtype dtype, bool negative, uint64_t magnitude, void *out)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    uint64_t top = (uint64_t)1 << (info->bits - 1); /* one past the greatest signed value */
    if (info->kind == TG_KIND_SINT ? magnitude > top - !negative
                                   : negative || (magnitude >> (info->bits - 1)) > 1)
        return out_of_range;
    tg_bits_store(dtype, negative ? 0 - magnitude : magnitude, out);
    return NULL;
}

static void load_integer(tg_dtype dtype, const void *element, bool *negative, uint64_t *magnitude)
{
    unsigned width = tg_dtypes[dtype].bits;
    uint64_t bits = tg_bits_load(dtype, element);
    *negative = tg_is_signed(dtype) && (bits >> (width - 1)) & 1;
    if (*negative && width < 64) bits |= ~(uint64_t)0 << width;
    *magnitude = *negative ? 0 - bits : bits;
}

const char *tg_literal_integer(const char *text, bool *negative, uint64_t *magnitude)
{
    *negative = *text == '-';
    *magnitude = 0;
    const char *p = text + *negative;
    if (*p < '0' || *p > '9') return "is not a decimal integer";
    if (*p == '0' && (p[1] != '\0' || *negative))
        return "is not a decimal integer in its short form";
    for (; *p >= '0' && *p <= '9'; p++) {
        unsigned digit = (unsigned)(*p - '0');
        if (*magnitude > (UINT64_MAX - digit) / 10) return "does not fit 64 bits";
        *magnitude = *magnitude * 10 + digit;
    }
    return *p ? "is not a decimal integer" : NULL;
}

/* -- floats -- */

static const char inexact[] = "is not exact in its dtype";

/* Stores a finite value; fails if rounding to the dtype changes it, including the sign of zero. */
static const char *store_exact(tg_dtype dtype, double value, void *out)
{
    uint64_t bits = tg_bits_round(dtype, value);
    double back = tg_bits_value(dtype, bits);
    if (!(back == value) || !signbit(back) != !signbit(value)) return inexact;
    tg_bits_to_carrier(dtype, bits, out);
    return NULL;
}

/* Computes m * 2^exponent; false if that is not exactly a double. */
static bool make_double(uint64_t m, int64_t exponent, double *out)
{
    for (; m && !(m & 1); m >>= 1) exponent++;
    *out = 0;
    if (m == 0) return true;
    if (m >= number_limit || exponent < -1074 || exponent > 1023) return false;
    *out = ldexp((double)m, (int)exponent);
    return isfinite(*out) && ldexp(*out, (int)-exponent) == (double)m;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* Reads hex digits with at most one point; false if there is no digit.  Nonzero digits that do not
 * fit into 64 bits set the lowest bit: the number then has more bits than any dtype. */
static bool read_hex_digits(const char **text, uint64_t *m, int64_t *exponent)
{
    bool any = false, fraction = false;
    const char *p = *text;
    for (;; p++) {
        int digit = hex_digit(*p);
        if (*p == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (digit < 0) break;
        bool full = *m >> 60 != 0;
        *m = full ? *m | (digit != 0) : *m << 4 | (uint64_t)digit;
        *exponent += 4 * (full - fraction);
        any = true;
    }
    *text = p;
    return any;
}

static const char *read_hex_float(tg_dtype dtype, const char *text, void *out)
{
    static const char malformed[] =
        "is not a hex float, \"inf\", \"-inf\", \"nan\" or \"bits:...\"";
    bool negative = *text == '-', down;
    uint64_t m = 0;
    int64_t exponent = 0, power = 0;
    const char *p = text + negative;
    if (p[0] != '0' || p[1] != 'x') return malformed;
    p += 2;
    if (!read_hex_digits(&p, &m, &exponent)) return malformed;
    if (*p++ != 'p') return malformed;
    down = *p == '-';
    if (*p == '-' || *p == '+') p++;
    if (*p < '0' || *p > '9') return malformed;
    for (; *p >= '0' && *p <= '9'; p++)
        if (power < 100000) power = power * 10 + (*p - '0');
    if (*p) return malformed;
    double value;
    if (!make_double(m, exponent + (down ? -power : power), &value)) return inexact;
    return store_exact(dtype, negative ? -value : value, out);
}

static const char *read_bits(tg_dtype dtype, const char *text, void *out)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    uint64_t bits = 0;
    if (strlen(text) != info->bits / 4u) return "has not as many bits as its dtype";
    for (; *text; text++) {
        int digit = hex_digit(*text);
        if (digit < 0) return "has bits that are not hexadecimal";
        bits = bits << 4 | (uint64_t)digit;
    }
    tg_bits_to_carrier(dtype, bits, out);
    return NULL;
}

static const char *store_default_nan(tg_dtype dtype, void *out)
{
    if (tg_dtypes[dtype].special == TG_SPECIAL_FINITE) return "is no value of its dtype";
    if (tg_carrier_of(dtype) == TG_C_f64)
        memcpy(out, &(uint64_t){0x7ff8000000000000u}, 8);
    else
        memcpy(out, &(uint32_t){0x7fc00000u}, 4);
    return NULL;
}

/* -- reading -- */

const char *tg_literal_from_bool(tg_dtype dtype, bool value, void *out)
{
    if (dtype != TG_DT_bool) return "is a boolean, but its dtype is not bool";
    *(uint8_t *)out = value;
    return NULL;
}

const char *tg_literal_from_number(tg_dtype dtype, double number, void *out)
{
    if (dtype == TG_DT_bool) return "is a number where bool takes true or false";
    double magnitude = fabs(number);
    if (!isfinite(number)) return "exceeds every double";
    if (tg_is_int(dtype)) {
        if (floor(magnitude) != magnitude) return "is not an integer";
        if (magnitude >= (double)number_limit) return "needs quotes: it may have been rounded";
        return store_integer(dtype, number < 0, (uint64_t)magnitude, out);
    }
    return store_exact(dtype, number, out);
}

const char *tg_literal_from_text(tg_dtype dtype, const char *text, void *out)
{
    if (dtype == TG_DT_bool) return "is a string where bool takes true or false";
    if (tg_is_int(dtype)) {
        bool negative;
        uint64_t magnitude;
        const char *wrong = tg_literal_integer(text, &negative, &magnitude);
        return wrong ? wrong : store_integer(dtype, negative, magnitude, out);
    }
    if (strcmp(text, "nan") == 0) return store_default_nan(dtype, out);
    if (strcmp(text, "inf") == 0) return store_exact(dtype, (double)INFINITY, out);
    if (strcmp(text, "-inf") == 0) return store_exact(dtype, (double)-INFINITY, out);
    if (strncmp(text, "bits:", 5) == 0) return read_bits(dtype, text + 5, out);
    return read_hex_float(dtype, text, out);
}

/* -- printing -- */

/* Prints as C's %a does: "0x1.8p+3", the digits after the point without trailing zeros. */
static void print_hex_float(double value, char *out)
{
    int exponent, digits = 13;
    double fraction = frexp(fabs(value), &exponent);
    uint64_t m =
        (uint64_t)ldexp(fraction, 53) & (number_limit / 2 - 1); /* the digits after the point */
    for (; digits && !(m & 15); m >>= 4) digits--;
    const char *sign = signbit(value) ? "-" : "";
    if (value == 0)
        snprintf(out, TG_LITERAL_TEXT, "%s0x0p+0", sign);
    else if (digits == 0)
        snprintf(out, TG_LITERAL_TEXT, "%s0x1p%+d", sign, exponent - 1);
    else
        snprintf(out, TG_LITERAL_TEXT, "%s0x1.%0*" PRIx64 "p%+d", sign, digits, m, exponent - 1);
}

static void print_nan(tg_dtype dtype, const void *element, char *out)
{
    uint64_t bits = tg_bits_from_carrier(dtype, element);
    char normal[8], given[8];
    store_default_nan(dtype, normal);
    tg_bits_to_carrier(dtype, bits,
                       given); /* compare with the element that the text reads back as */
    if (memcmp(normal, given, tg_carrier_bytes[tg_carrier_of(dtype)]) == 0)
        strcpy(out, "nan");
    else
        snprintf(out, TG_LITERAL_TEXT, "bits:%0*" PRIx64, tg_dtypes[dtype].bits / 4, bits);
}

static bool print_float(tg_dtype dtype, const void *element, char *out)
{
    double value;
    if (tg_carrier_of(dtype) == TG_C_f64)
        memcpy(&value, element, 8);
    else {
        float narrow;
        memcpy(&narrow, element, 4);
        value = (double)narrow;
    }
    if (isnan(value))
        print_nan(dtype, element, out);
    else if (isinf(value))
        strcpy(out, value < 0 ? "-inf" : "inf");
    else if (fabs(value) < short_integer && floor(value) == value &&
             !(value == 0 && signbit(value))) {
        snprintf(out, TG_LITERAL_TEXT, "%d", (int)value);
        return true;
    } else
        print_hex_float(value, out);
    return false;
}

bool tg_literal_print(tg_dtype dtype, const void *element, char out[TG_LITERAL_TEXT])
{
    if (dtype == TG_DT_bool) {
        strcpy(out, *(const uint8_t *)element ? "true" : "false");
        return true;
    }
    if (tg_is_float(dtype)) return print_float(dtype, element, out);
    bool negative;
    uint64_t magnitude;
    load_integer(dtype, element, &negative, &magnitude);
    snprintf(out, TG_LITERAL_TEXT, "%s%" PRIu64, negative ? "-" : "", magnitude);
    return magnitude < number_limit;
}
