/* Shared by the parts of the parser: the text, the module that is being built, and the declarations
 * so far. */
#ifndef TG_EMULATOR_PARSER_H
#define TG_EMULATOR_PARSER_H

#include "emulator/isa.h"
#include "emulator/module_impl.h"
#include "emulator/names.h"
#include "emulator/token.h"

/* A reference to a label; resolved at the end of the scope that has the label. */
typedef struct tg_emu_pending {
    tg_emu_token token;
    uint32_t inst;
} tg_emu_pending;

typedef struct tg_emu_function tg_emu_function; /* emulator/function.h */

/* A function whose body is being parsed in place of a call. */
typedef struct tg_emu_inlined {
    const tg_emu_function *function;
    struct tg_emu_inlined *caller; /* NULL: the entry */
    uint32_t
        last_return; /* index of the branch of a `ret`, whose target is that of the one before */
} tg_emu_inlined;
#define TG_EMU_NO_RETURN UINT32_MAX

typedef struct tg_emu_parser {
    tg_emu_reader reader;
    tg_diags *diags;
    tg_emu_module *module;
    tg_arena scratch; /* memory that only loading needs */
    const tg_emu_isa *isa;
    tg_emu_token target; /* of .target */
    tg_emu_names names;
    tg_emu_entry *entry; /* the current entry; `common` between entries */
    tg_emu_entry common; /* the beginning of every entry: the module's shared variables */
    uint32_t source_file, source_line; /* of the last .loc in the entry; line 0: none */
    tg_emu_pending *pending;
    size_t pending_count, pending_capacity;
    size_t first_pending; /* of the entry, or of the function that is being parsed */
    tg_emu_function *functions;
    size_t function_count, function_capacity;
    bool knows_functions;    /* they are all those of the text */
    tg_emu_inlined *inlined; /* NULL: no function is being parsed */
    uint32_t calls;          /* of functions, in the entry */
    tg_emu_dynamic_use *dynamic;
    size_t dynamic_count, dynamic_capacity;
    struct {
        uint64_t bits;
        uint32_t offset;
        unsigned bytes; /* 0: unused */
    } recent[256];      /* a cache of the entry's constants; a later one replaces an earlier one */
    bool is_fraction_known; /* the instruction has a decimal fraction that nothing reads */
    tg_emu_slot carry;      /* the register of the carry flag; reg is 0 before its first use */
} tg_emu_parser;

typedef enum tg_emu_operand_kind {
    TG_EMU_OPERAND_NAME,    /* register, variable, label or special register */
    TG_EMU_OPERAND_NUMBER,  /* see the token's kind */
    TG_EMU_OPERAND_ADDRESS, /* [base + offset] */
    TG_EMU_OPERAND_VECTOR,  /* {a, b} */
    TG_EMU_OPERAND_SINK     /* _ */
} tg_emu_operand_kind;

/* An operand as written; names are not looked up yet. */
typedef struct tg_emu_operand {
    tg_emu_operand_kind kind;
    tg_emu_token token;              /* the name, the number, or the bracket */
    tg_emu_token second;             /* q of p|q; if absent, of kind TG_EMU_TOKEN_END */
    tg_emu_token member;             /* x of %tid.x; likewise */
    bool is_flipped;                 /* !p */
    bool is_negative;                /* -5 */
    int64_t offset;                  /* of an address */
    struct tg_emu_operand *elements; /* of a vector */
    size_t element_count;
} tg_emu_operand;

enum { TG_EMU_MAX_MODIFIERS = 12, TG_EMU_MAX_OPERANDS = 8, TG_EMU_MAX_NAME = 128 };

/* One instruction as written. */
typedef struct tg_emu_statement {
    tg_emu_token opcode;
    tg_emu_token modifiers[TG_EMU_MAX_MODIFIERS];
    size_t modifier_count, next_modifier; /* next_modifier: the first that no decoder has taken */
    char name[TG_EMU_MAX_NAME];           /* in full: "add.rn.f32" */
    tg_emu_operand operands[TG_EMU_MAX_OPERANDS];
    size_t operand_count;
} tg_emu_statement;

/* Makes room for one more element in a list of the arena; returns the list, or NULL if memory runs
 * out. */
void *tg_emu_grow(tg_arena *arena, void *list, size_t count, size_t *capacity, size_t size);

tg_status tg_emu_no_memory(tg_emu_parser *parser);

/* Copies part of the text to a string as long-lived as the module; NULL if memory runs out. */
char *tg_emu_kept_text(tg_emu_parser *parser, const char *text, size_t length);

TG_PRINTF(4, 5)
tg_status tg_emu_fail_at(tg_emu_parser *parser, tg_status status, const tg_emu_token *at,
                         const char *format, ...);

/* Finds the symbol with that name; fails if there is none. */
tg_status tg_emu_look_up(tg_emu_parser *parser, const tg_emu_token *token, tg_emu_found *out);

/* Parses a number without sign, at most `most`. */
tg_status tg_emu_parse_number(tg_emu_parser *parser, uint64_t most, uint64_t *out);

#endif
