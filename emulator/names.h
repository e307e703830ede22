/* Names in a text, and their scopes. */
#ifndef TG_EMULATOR_NAMES_H
#define TG_EMULATOR_NAMES_H

#include "emulator/module_impl.h"
#include "emulator/token.h"

typedef enum tg_emu_symbol_kind {
    TG_EMU_SYMBOL_REGISTER,
    TG_EMU_SYMBOL_RANGE,    /* %r<N>; its name is the part before the number */
    TG_EMU_SYMBOL_VARIABLE, /* in global, constant or shared memory */
    TG_EMU_SYMBOL_PARAM,
    TG_EMU_SYMBOL_LABEL
} tg_emu_symbol_kind;

typedef struct tg_emu_symbol {
    const char *name;
    size_t length;
    tg_emu_symbol_kind kind;
    tg_emu_type type;
    tg_emu_slot slot;   /* of a register, or of the first register of a range */
    uint32_t count;     /* of a range: number of registers */
    tg_emu_space space; /* of a variable */
    bool is_dynamic;    /* .extern .shared: its address is known only at the end of the entry */
    bool is_param;      /* a .param variable of a call or a function, which is in local memory */
    uint64_t address;   /* of a variable; for a param, its offset */
    size_t bytes;
    uint32_t pc; /* of a label */
    unsigned depth;
    /* the next symbol in the bucket; the symbol declared before this one */
    struct tg_emu_symbol *next, *below;
} tg_emu_symbol;

typedef struct tg_emu_names {
    tg_arena *arena;
    tg_emu_symbol **buckets;
    size_t bucket_count;
    tg_emu_symbol *top; /* the symbol declared last */
    unsigned depth;
    unsigned
        floor; /* names of depths from 1 up to here, this one excluded, are not seen: those of a function's caller */
} tg_emu_names;

/* The meaning of a name: the symbol and, for a register, its slot. */
typedef struct tg_emu_found {
    const tg_emu_symbol *symbol; /* NULL: unknown */
    tg_emu_slot slot;
} tg_emu_found;

bool tg_emu_names_begin(tg_emu_names *names, tg_arena *arena);
void tg_emu_names_open(tg_emu_names *names);
/* removes what was declared since the scope was opened */
void tg_emu_names_close(tg_emu_names *names);

tg_emu_found tg_emu_names_find(const tg_emu_names *names, const char *name, size_t length);

/* Adds a copy of `symbol`, whose name is borrowed.  Returns NULL if memory runs out. */
tg_emu_symbol *tg_emu_names_add(tg_emu_names *names, const tg_emu_symbol *symbol);

#endif
