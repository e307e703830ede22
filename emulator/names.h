/* Names of a text and their scopes. */
#ifndef TG_EMULATOR_NAMES_H
#define TG_EMULATOR_NAMES_H

#include "emulator/module_impl.h"
#include "emulator/token.h"

typedef enum tg_emu_symbol_kind {
    TG_EMU_SYMBOL_REGISTER,
    TG_EMU_SYMBOL_RANGE,    /* %r<N>: its name is the part before the number */
    TG_EMU_SYMBOL_VARIABLE, /* in global, constant or shared memory */
    TG_EMU_SYMBOL_PARAM,
    TG_EMU_SYMBOL_LABEL
} tg_emu_symbol_kind;

typedef struct tg_emu_symbol {
    const char *name;
    size_t length;
    tg_emu_symbol_kind kind;
    tg_emu_type type;
    tg_emu_slot slot;   /* of a register, or of the first of a range */
    uint32_t count;     /* of a range */
    tg_emu_space space; /* of a variable */
    bool is_dynamic;    /* .extern .shared: where it is comes out at the end of the entry */
    uint64_t address;   /* of a variable; offset of a param */
    size_t bytes;
    uint32_t pc; /* of a label */
    unsigned depth;
    struct tg_emu_symbol *next, *below; /* in the bucket; declared before it */
} tg_emu_symbol;

typedef struct tg_emu_names {
    tg_arena *arena;
    tg_emu_symbol **buckets;
    size_t bucket_count;
    tg_emu_symbol *top; /* declared last */
    unsigned depth;
} tg_emu_names;

/* A name's meaning: the symbol and, for a register, which. */
typedef struct tg_emu_found {
    const tg_emu_symbol *symbol; /* NULL: unknown */
    tg_emu_slot slot;
} tg_emu_found;

bool tg_emu_names_begin(tg_emu_names *names, tg_arena *arena);
void tg_emu_names_open(tg_emu_names *names);
void tg_emu_names_close(tg_emu_names *names); /* forgets what was declared since the scope opened */

tg_emu_found tg_emu_names_find(const tg_emu_names *names, const char *name, size_t length);

/* Adds a copy of `symbol`, whose name is borrowed.  NULL without memory. */
tg_emu_symbol *tg_emu_names_add(tg_emu_names *names, const tg_emu_symbol *symbol);

#endif
