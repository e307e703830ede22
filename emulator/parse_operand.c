/* Parses operands as written. */
#include "emulator/parse_operand.h"

/* Elements of vectors: of most instructions; of products of a warpgroup and of moves of tensor memory; of
 * coordinates. */
enum { MOST_ELEMENTS = 4, MOST_OF_LONG = 128, MOST_COORDINATES = 5 };

static tg_status parse_vector(tg_emu_parser *p, size_t most, tg_emu_operand *out);

static tg_status bad_operand(tg_emu_parser *p, const tg_emu_token *token)
{
    char text[TG_EMU_TOKEN_TEXT];
    return tg_emu_fail_at(p, TG_ERR_SYNTAX, token, "expected an operand before %s",
                          tg_emu_token_text(token, text));
}

/* , {x, y}: coordinates behind the address of a tensor map */
static tg_status parse_coordinates(tg_emu_parser *p, tg_emu_operand *out)
{
    tg_emu_operand vector = {0};
    TG_TRY(tg_emu_next(&p->reader));
    if (!tg_emu_is_mark(&p->reader.token, '{')) return bad_operand(p, &p->reader.token);
    TG_TRY(parse_vector(p, MOST_COORDINATES, &vector));
    out->elements = vector.elements;
    out->element_count = vector.element_count;
    return TG_OK;
}

/* [name], [name+4], [name-4], [name+-4], [name, {x, y}] */
static tg_status parse_address(tg_emu_parser *p, tg_emu_operand *out)
{
    uint64_t offset = 0;
    bool is_negative = false;
    out->kind = TG_EMU_OPERAND_ADDRESS;
    TG_TRY(tg_emu_next(&p->reader));
    out->token = p->reader.token;
    if (out->token.kind != TG_EMU_TOKEN_NAME) return bad_operand(p, &out->token);
    TG_TRY(tg_emu_next(&p->reader));
    if (!tg_emu_is_mark(&p->reader.token, ']')) {
        if (tg_emu_is_mark(&p->reader.token, ',')) {
            TG_TRY(parse_coordinates(p, out));
            return tg_emu_expect(&p->reader, ']');
        }
        if (tg_emu_is_mark(&p->reader.token, '+'))
            TG_TRY(tg_emu_next(&p->reader));
        else if (!tg_emu_is_mark(&p->reader.token, '-'))
            return tg_emu_expect(&p->reader, ']');
        is_negative = tg_emu_is_mark(&p->reader.token, '-');
        if (is_negative) TG_TRY(tg_emu_next(&p->reader));
        TG_TRY(tg_emu_parse_number(p, INT32_MAX, &offset));
    }
    out->offset = is_negative ? -(int64_t)offset : (int64_t)offset;
    return tg_emu_expect(&p->reader, ']');
}

static tg_status parse_number(tg_emu_parser *p, tg_emu_operand *out)
{
    out->kind = TG_EMU_OPERAND_NUMBER;
    if (tg_emu_is_mark(&p->reader.token, '-')) {
        out->is_negative = true;
        TG_TRY(tg_emu_next(&p->reader));
    }
    out->token = p->reader.token;
    if (out->token.kind != TG_EMU_TOKEN_INT && out->token.kind != TG_EMU_TOKEN_F32 &&
        out->token.kind != TG_EMU_TOKEN_F64)
        return bad_operand(p, &out->token);
    TG_TRY(tg_emu_next(&p->reader));
    if (p->reader.token.kind == TG_EMU_TOKEN_DOT && p->is_fraction_known)
        return tg_emu_next(&p->reader); /* 1.0 of createpolicy, which nothing reads */
    if (p->reader.token.kind == TG_EMU_TOKEN_DOT)
        return tg_emu_fail_at(p, TG_ERR_UNSUPPORTED, &out->token,
                              "a decimal float: write its bits, as in 0f3F800000");
    return TG_OK;
}

/* |q */
static tg_status parse_second(tg_emu_parser *p, tg_emu_operand *out)
{
    if (!tg_emu_is_mark(&p->reader.token, '|')) return TG_OK;
    TG_TRY(tg_emu_next(&p->reader));
    out->second = p->reader.token;
    if (out->second.kind != TG_EMU_TOKEN_NAME) return bad_operand(p, &out->second);
    return tg_emu_next(&p->reader);
}

/* p, !p, p|q, %tid.x */
static tg_status parse_name(tg_emu_parser *p, tg_emu_operand *out)
{
    out->kind = TG_EMU_OPERAND_NAME;
    if (tg_emu_is_mark(&p->reader.token, '!')) {
        out->is_flipped = true;
        TG_TRY(tg_emu_next(&p->reader));
    }
    out->token = p->reader.token;
    if (out->token.kind != TG_EMU_TOKEN_NAME) return bad_operand(p, &out->token);
    TG_TRY(tg_emu_next(&p->reader));
    if (p->reader.token.kind == TG_EMU_TOKEN_DOT) {
        out->member = p->reader.token;
        return tg_emu_next(&p->reader);
    }
    return parse_second(p, out);
}

static tg_status parse_single(tg_emu_parser *p, tg_emu_operand *out)
{
    const tg_emu_token *token = &p->reader.token;
    if (tg_emu_is_mark(token, '_')) {
        *out = (tg_emu_operand){.kind = TG_EMU_OPERAND_SINK, .token = *token};
        TG_TRY(tg_emu_next(&p->reader));
        return parse_second(p, out);
    }
    bool is_name = token->kind == TG_EMU_TOKEN_NAME || tg_emu_is_mark(token, '!');
    return is_name ? parse_name(p, out) : parse_number(p, out);
}

static tg_status parse_vector(tg_emu_parser *p, size_t most, tg_emu_operand *out)
{
    out->kind = TG_EMU_OPERAND_VECTOR;
    out->token = p->reader.token;
    out->elements = tg_arena_take(&p->scratch, most, sizeof *out->elements);
    if (!out->elements) return tg_emu_no_memory(p);
    TG_TRY(tg_emu_next(&p->reader));
    for (;;) {
        if (out->element_count == most)
            return tg_emu_fail_at(p, TG_ERR_SYNTAX, &p->reader.token,
                                  "a vector of more than %zu elements", most);
        TG_TRY(parse_single(p, &out->elements[out->element_count++]));
        if (!tg_emu_is_mark(&p->reader.token, ',')) return tg_emu_expect(&p->reader, '}');
        TG_TRY(tg_emu_next(&p->reader));
    }
}

tg_status tg_emu_parse_operand(tg_emu_parser *p, bool is_long, tg_emu_operand *out)
{
    *out = (tg_emu_operand){0};
    if (tg_emu_is_mark(&p->reader.token, '[')) return parse_address(p, out);
    if (tg_emu_is_mark(&p->reader.token, '{'))
        return parse_vector(p, is_long ? MOST_OF_LONG : MOST_ELEMENTS, out);
    return parse_single(p, out);
}
