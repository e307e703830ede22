#define _POSIX_C_SOURCE 200809L /* uselocale */
#include "emulator/print_format.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A conversion as snprintf takes it, with 64-bit integers: "%-8.3lld". */
enum { MOST_DIGITS = 8, SPECIFICATION = 48, MOST_WIDTH = 4096 };
typedef struct conversion {
    char specification[SPECIFICATION];
    size_t length;
    unsigned bytes; /* of an integer: 4 or 8 */
    char letter;
} conversion;

typedef struct printing {
    const char *at; /* what is left of the format */
    const tg_emu_print_values *values;
    tg_text *out;
    int count;
    bool has_ended;
} printing;

static void add_char(conversion *c, char letter)
{
    if (c->length + 1 < SPECIFICATION) c->specification[c->length++] = letter;
}

static bool next_value(printing *p, unsigned bytes, uint64_t *out)
{
    p->has_ended = !p->values->next(p->values->context, bytes, out);
    p->count++;
    return !p->has_ended;
}

/* Digits, or * for the next value.  Returns false for more of them than any text needs. */
static bool take_number(printing *p, conversion *c)
{
    char digits[16];
    uint64_t value;
    if (*p->at == '*') {
        p->at++;
        if (!next_value(p, sizeof(uint32_t), &value)) return false;
        const int number = (int)(uint32_t)value;
        if (number < -MOST_WIDTH || number > MOST_WIDTH) return false;
        snprintf(digits, sizeof digits, "%d", number);
        for (const char *d = digits; *d; d++) add_char(c, *d);
        return true;
    }
    unsigned count = 0, number = 0;
    for (; *p->at >= '0' && *p->at <= '9' && count < MOST_DIGITS; p->at++, count++) {
        add_char(c, *p->at);
        number = 10 * number + (unsigned)(*p->at - '0');
    }
    return number <= MOST_WIDTH;
}

/* h, hh, l, ll, j, z, t: how many bytes an integer has; shorter ones are passed as 4. */
static void take_length(printing *p, conversion *c)
{
    c->bytes = 4;
    for (; *p->at && strchr("hljztL", *p->at); p->at++)
        if (*p->at != 'h') c->bytes = 8;
}

/* From behind %.  Returns false for what is no conversion. */
static bool take_conversion(printing *p, conversion *c)
{
    *c = (conversion){.specification = "%", .length = 1};
    for (unsigned i = 0; i < 5 && *p->at && strchr("-+ #0", *p->at); i++) add_char(c, *p->at++);
    if (!take_number(p, c)) return false;
    if (*p->at == '.') {
        add_char(c, *p->at++);
        if (!take_number(p, c)) return false;
    }
    take_length(p, c);
    c->letter = *p->at;
    if (!c->letter || !strchr("diouxXpcaAeEfFgGs", c->letter)) return false;
    p->at++;
    return true;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* take_conversion has checked it */

/* Appends one value by a conversion that is complete. */
#define ADD(p, c, value)                                                                           \
    do {                                                                                           \
        const int length = snprintf(NULL, 0, (c)->specification, value);                           \
        char *text = length < 0 ? NULL : malloc((size_t)length + 1);                               \
        if (text) {                                                                                \
            snprintf(text, (size_t)length + 1, (c)->specification, value);                         \
            tg_text_put_bytes((p)->out, text, (size_t)length);                                     \
        }                                                                                          \
        (p)->out->failed |= !text;                                                                 \
        free(text);                                                                                \
    } while (0)

static void add_string(printing *p, const conversion *c)
{
    tg_text string = {0};
    p->count++;
    p->has_ended = !p->values->next_string(p->values->context, &string);
    if (!p->has_ended) ADD(p, c, string.data ? string.data : "");
    p->out->failed |= string.failed;
    tg_text_drop(&string);
}

static void add_float(printing *p, const conversion *c)
{
    uint64_t bits;
    double value;
    if (!next_value(p, sizeof bits, &bits)) return;
    memcpy(&value, &bits, sizeof value);
    ADD(p, c, value);
}

static void add_integer(printing *p, conversion *c)
{
    uint64_t bits;
    const bool is_signed = c->letter == 'd' || c->letter == 'i', is_char = c->letter == 'c';
    if (!next_value(p, c->letter == 'p' ? 8 : c->bytes, &bits)) return;
    if (is_char) {
        add_char(c, 'c');
        ADD(p, c, (int)(unsigned char)bits);
        return;
    }
    if (c->letter == 'p') { /* as CUDA writes it */
        tg_text_put(p->out, "0x");
        c->letter = 'x';
    }
    add_char(c, 'l');
    add_char(c, 'l');
    add_char(c, c->letter);
    if (is_signed)
        ADD(p, c, c->bytes == 4 ? (long long)(int32_t)(uint32_t)bits : (long long)bits);
    else
        ADD(p, c, (unsigned long long)bits);
}

#pragma GCC diagnostic pop

static void add(printing *p, conversion *c)
{
    if (strchr("aAeEfFgGs", c->letter)) {
        add_char(c, c->letter);
        if (c->letter == 's')
            add_string(p, c);
        else
            add_float(p, c);
        return;
    }
    add_integer(p, c);
}

static int print(printing *p, const char *format, size_t *problem)
{
    for (p->at = format; *p->at;) {
        const size_t plain = strcspn(p->at, "%");
        conversion c;
        tg_text_put_bytes(p->out, p->at, plain);
        p->at += plain;
        if (!*p->at) break;
        *problem = (size_t)(p->at++ - format);
        if (*p->at == '%') {
            tg_text_put_bytes(p->out, p->at++, 1);
            continue;
        }
        const bool is_conversion = take_conversion(p, &c);
        if (p->has_ended) return TG_EMU_PRINT_ENDED;
        if (!is_conversion) return TG_EMU_PRINT_UNKNOWN;
        add(p, &c);
        if (p->has_ended) return TG_EMU_PRINT_ENDED;
    }
    return p->count;
}

int tg_emu_print_format(const char *format, const tg_emu_print_values *values, tg_text *out,
                        size_t *problem)
{
    printing p = {.values = values, .out = out};
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = uselocale(plain);
    const int count = print(&p, format, problem);
    uselocale(before);
    if (plain) freelocale(plain);
    return count;
}
