/* Reads the tokens of a PTX text one at a time. */
#ifndef TG_EMULATOR_TOKEN_H
#define TG_EMULATOR_TOKEN_H

#include <stdbool.h>

#include "base/diag.h"

typedef enum tg_emu_token_kind {
    TG_EMU_TOKEN_END,
    TG_EMU_TOKEN_NAME,   /* add, %r1, LOOP */
    TG_EMU_TOKEN_DOT,    /* .global; the text excludes the dot */
    TG_EMU_TOKEN_INT,    /* 12, 0x1f; the value is in `bits` */
    TG_EMU_TOKEN_F32,    /* 0f3F800000; likewise */
    TG_EMU_TOKEN_F64,    /* 0d3FF0000000000000; likewise */
    TG_EMU_TOKEN_STRING, /* "..."; the text excludes the quotes */
    TG_EMU_TOKEN_MARK,   /* one character of ,;:()[]{}<>@!|+-=_ */
} tg_emu_token_kind;

typedef struct tg_emu_token {
    tg_emu_token_kind kind;
    const char *text; /* within the source */
    size_t length;
    uint64_t bits;
    uint32_t line, column; /* from 1 */
    bool glued;            /* no space between this token and the previous one */
} tg_emu_token;

typedef struct tg_emu_reader {
    const char *at, *end, *line_start;
    uint32_t line;
    tg_emu_token token; /* the current one */
    tg_diags *diags;
} tg_emu_reader;

/* Records a problem at a position in the text; returns `status`. */
TG_PRINTF(5, 6)
tg_status tg_emu_fail(tg_diags *diags, tg_status status, uint32_t line, uint32_t column,
                      const char *format, ...);

/* Starts at the first token of the text, which is borrowed. */
tg_status tg_emu_reader_begin(tg_emu_reader *reader, const char *text, size_t length,
                              tg_diags *diags);

/* Advances to the next token.  Returns TG_ERR_SYNTAX for characters and numbers that PTX does not
 * have. */
tg_status tg_emu_next(tg_emu_reader *reader);

bool tg_emu_is_mark(const tg_emu_token *token, char mark);
bool tg_emu_is(const tg_emu_token *token, tg_emu_token_kind kind, const char *text);

/* Consumes the mark; fails if it is missing. */
tg_status tg_emu_expect(tg_emu_reader *reader, char mark);

/* How diagnoses name a token: "`add'", "the end of the text".  Returns `out`. */
enum { TG_EMU_TOKEN_TEXT = 64 };
const char *tg_emu_token_text(const tg_emu_token *token, char out[TG_EMU_TOKEN_TEXT]);

#endif
