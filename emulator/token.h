/* Tokens of PTX text, one at a time. */
#ifndef TG_EMULATOR_TOKEN_H
#define TG_EMULATOR_TOKEN_H

#include <stdbool.h>

#include "base/diag.h"

typedef enum tg_emu_token_kind {
    TG_EMU_TOKEN_END,
    TG_EMU_TOKEN_NAME,   /* add, %r1, LOOP */
    TG_EMU_TOKEN_DOT,    /* .global: the text without the dot */
    TG_EMU_TOKEN_INT,    /* 12, 0x1f: value in `bits` */
    TG_EMU_TOKEN_F32,    /* 0f3F800000: bits */
    TG_EMU_TOKEN_F64,    /* 0d3FF0000000000000: bits */
    TG_EMU_TOKEN_STRING, /* "...": the text within */
    TG_EMU_TOKEN_MARK,   /* one character of ,;:()[]{}<>@!|+-=_ */
} tg_emu_token_kind;

typedef struct tg_emu_token {
    tg_emu_token_kind kind;
    const char *text; /* within the source */
    size_t length;
    uint64_t bits;
    uint32_t line, column; /* from 1 */
    bool glued;            /* no space between this token and the one before */
} tg_emu_token;

typedef struct tg_emu_reader {
    const char *at, *end, *line_start;
    uint32_t line;
    tg_emu_token token; /* the current one */
    tg_diags *diags;
} tg_emu_reader;

/* Records a problem at a place; returns `status`. */
TG_PRINTF(5, 6)
tg_status tg_emu_fail(tg_diags *diags, tg_status status, uint32_t line, uint32_t column,
                      const char *format, ...);

/* Begins at the first token of the text, which is borrowed. */
tg_status tg_emu_reader_begin(tg_emu_reader *reader, const char *text, size_t length,
                              tg_diags *diags);

/* Goes on to the next token.  TG_ERR_SYNTAX for characters and numbers that are none of PTX. */
tg_status tg_emu_next(tg_emu_reader *reader);

bool tg_emu_is_mark(const tg_emu_token *token, char mark);
bool tg_emu_is(const tg_emu_token *token, tg_emu_token_kind kind, const char *text);

/* Consumes the mark, or says that it is missing. */
tg_status tg_emu_expect(tg_emu_reader *reader, char mark);

/* "`add'", "the end of the text": how a token is called in diagnoses.  Returns `out`. */
enum { TG_EMU_TOKEN_TEXT = 64 };
const char *tg_emu_token_text(const tg_emu_token *token, char out[TG_EMU_TOKEN_TEXT]);

#endif
