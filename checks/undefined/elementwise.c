/* Shadow rules of element-wise ops: which bytes of a result are undefined if bytes of the operands
 * are undefined.
 *
 *    select              the bytes of the chosen case; all if the choice is undefined
 *    and, or             byte by byte: defined if both are, or if one is defined and decides
 *                        alone (0, or all ones)
 *    xor, not            byte by byte
 *    shifts              the bits move; all if the amount is undefined
 *    convert of integers bytes that stay keep their state; bytes of a sign extension are as the
 *                        highest byte
 *    every other op      all, whatever the values are */
#include "checks/undefined/elementwise.h"

#include "checks/undefined/values.h"

static size_t carrier_bytes(tg_dtype dtype) { return tg_carrier_bytes[tg_carrier_of(dtype)]; }

static uint32_t word_at(const uint32_t *words, size_t at) { return words ? words[at] : 0; }

/* ---- the rules ---- */

static void rule_all(const tg_group_op_shadow *s, tg_step_trail *step)
{
    const unsigned bytes = tg_all_bytes(tg_group_op_dtype(s->op));
    for (size_t i = 0; i < s->count; i++) {
        uint32_t word = 0;
        for (uint32_t k = 0; k < s->op->in_count && !word; k++) word = word_at(s->words[k], i);
        s->out[i] = word ? tg_step_word(step, word, bytes) : 0;
    }
}

static void rule_bytes(const tg_group_op_shadow *s, tg_step_trail *step)
{
    for (size_t i = 0; i < s->count; i++) {
        uint32_t first = 0;
        unsigned bytes = 0;
        for (uint32_t k = 0; k < s->op->in_count; k++) {
            const uint32_t word = word_at(s->words[k], i);
            if (!first) first = word;
            bytes |= tg_word_bytes(word);
        }
        s->out[i] = first ? tg_step_word(step, first, bytes) : 0;
    }
}

/* Returns the bytes of a value that are equal to `byte`. */
static unsigned bytes_equal(uint64_t value, unsigned byte)
{
    unsigned equal = 0;
    for (int b = 0; b < 8; b++)
        if ((value >> (8 * b) & 0xff) == byte) equal |= 1U << b;
    return equal;
}

static void rule_absorbing(const tg_group_op_shadow *s, tg_step_trail *step, unsigned byte)
{
    const size_t wide = carrier_bytes(s->op->dtype);
    for (size_t i = 0; i < s->count; i++) {
        const uint32_t a = word_at(s->words[0], i), b = word_at(s->words[1], i);
        if (!(a | b)) {
            s->out[i] = 0;
            continue;
        }
        const unsigned decides_a =
            bytes_equal(tg_carrier_bits(s->values[0], wide, (int64_t)i), byte) & ~tg_word_bytes(a);
        const unsigned decides_b =
            bytes_equal(tg_carrier_bits(s->values[1], wide, (int64_t)i), byte) & ~tg_word_bytes(b);
        const unsigned bytes = (tg_word_bytes(a) & ~decides_b) | (tg_word_bytes(b) & ~decides_a);
        s->out[i] = bytes ? tg_step_word(step, tg_word_bytes(a) & bytes ? a : b, bytes) : 0;
    }
}

/* The bits of the undefined bytes, and the bytes with any undefined bit. */
static uint64_t bits_of(unsigned bytes)
{
    uint64_t bits = 0;
    for (int b = 0; b < 8; b++)
        if (bytes >> b & 1) bits |= UINT64_C(0xff) << (8 * b);
    return bits;
}

static unsigned bytes_of(uint64_t bits)
{
    unsigned bytes = 0;
    for (int b = 0; b < 8; b++)
        if (bits >> (8 * b) & 0xff) bytes |= 1U << b;
    return bytes;
}

/* Returns the undefined bytes after a shift of a value whose undefined bytes are `bytes`. */
static unsigned shifted(tg_opcode op, unsigned bytes, uint64_t amount, int width)
{
    const bool is_signed = op == TG_OP_shift_right_arithmetic;
    const unsigned sign = bytes >> (width < 8 ? 0 : width / 8 - 1) & 1;
    if (amount >= (uint64_t)width) {
        if (!is_signed || !sign) return 0;
        amount = (uint64_t)width - 1;
    }
    if (width < 8) return bytes; /* one byte */
    const uint64_t ones = UINT64_MAX >> (64 - width);
    uint64_t bits = bits_of(bytes);
    if (op == TG_OP_shift_left) return bytes_of(bits << amount & ones);
    if (is_signed && sign) bits |= ~ones;
    return bytes_of(
        (is_signed && sign && amount ? bits >> amount | ~(UINT64_MAX >> amount) : bits >> amount) &
        ones);
}

static void rule_shift(const tg_group_op_shadow *s, tg_step_trail *step)
{
    const tg_dtype dtype = s->op->dtype;
    const size_t wide = carrier_bytes(dtype);
    for (size_t i = 0; i < s->count; i++) {
        const uint32_t a = word_at(s->words[0], i), by = word_at(s->words[1], i);
        const uint64_t amount = tg_carrier_bits(s->values[1], wide, (int64_t)i);
        unsigned bytes = by ? tg_all_bytes(dtype)
                            : shifted(s->op->op, tg_word_bytes(a), amount, tg_dtypes[dtype].bits);
        s->out[i] = bytes ? tg_step_word(step, by ? by : a, bytes) : 0;
    }
}

/* Returns the chosen case, as the op itself chooses: out of range means the nearest case. */
static uint32_t chosen_case(const tg_group_op_shadow *s, size_t i)
{
    const int64_t last = (int64_t)s->op->in_count - 2;
    if (tg_carrier_of(s->op->second) == TG_C_b8) return ((const uint8_t *)s->values[0])[i] ? 1 : 0;
    const int64_t which = ((const int32_t *)s->values[0])[i];
    return (uint32_t)(which < 0 ? 0 : which > last ? last : which);
}

static void rule_select(const tg_group_op_shadow *s, tg_step_trail *step)
{
    for (size_t i = 0; i < s->count; i++) {
        const uint32_t which = word_at(s->words[0], i);
        const uint32_t word = which ? which : word_at(s->words[1 + chosen_case(s, i)], i);
        const unsigned bytes = which ? tg_all_bytes(s->op->dtype) : tg_word_bytes(word);
        s->out[i] = bytes ? tg_step_word(step, word, bytes) : 0;
    }
}

/* Returns whether a convert only adds or drops high bytes. */
static bool moves_bytes(const tg_group_op *op)
{
    const tg_dtype from = op->dtype, to = op->second;
    return from == to || ((tg_is_int(from) || from == TG_DT_bool) && tg_is_int(to));
}

static void rule_convert(const tg_group_op_shadow *s, tg_step_trail *step)
{
    const tg_dtype from = s->op->dtype, to = s->op->second;
    const int bytes_in = tg_dtypes[from].bytes;
    for (size_t i = 0; i < s->count; i++) {
        const uint32_t word = word_at(s->words[0], i);
        unsigned bytes = tg_word_bytes(word);
        if (tg_is_signed(from) && bytes >> (bytes_in - 1) & 1) bytes |= 0xffU << bytes_in;
        bytes &= tg_all_bytes(to);
        s->out[i] = bytes ? tg_step_word(step, word, bytes) : 0;
    }
}

void tg_group_op_rule(const tg_group_op_shadow *s, tg_step_trail *step)
{
    const tg_group_op *op = s->op;
    unsigned byte;
    if (op->op == TG_OP_select)
        rule_select(s, step);
    else if (tg_absorbing_byte(op->op, op->dtype, &byte))
        rule_absorbing(s, step, byte);
    else if (tg_is_shift(op->op))
        rule_shift(s, step);
    else if (op->op == TG_OP_convert && moves_bytes(op))
        rule_convert(s, step);
    else if (op->op == TG_OP_xor || op->op == TG_OP_not || op->op == TG_OP_assume_multiple)
        rule_bytes(s, step);
    else
        rule_all(s, step);
}
