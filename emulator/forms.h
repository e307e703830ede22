/* Forms of instructions: what each is called in full, what operands it takes, who executes it. */
#ifndef TG_EMULATOR_FORMS_H
#define TG_EMULATOR_FORMS_H

#include "emulator/module_impl.h"

enum { TG_EMU_FORM_OPERANDS = 5 };

/* What a form has besides its operands. */
enum {
    TG_EMU_CARRY_OUT = 1, /* writes the carry flag: the second result */
    TG_EMU_CARRY_IN = 2,  /* reads it: the last operand */
    TG_EMU_INEXACT = 4,   /* a stand-in for an approximation */
};

typedef struct tg_emu_form {
    const char *name; /* "add.rn.f32" */
    tg_emu_exec_fn *exec;
    uint32_t flags;
    tg_emu_type operands[TG_EMU_FORM_OPERANDS]; /* result first; TG_EMU_NONE ends them */
} tg_emu_form;

typedef struct tg_emu_form_list {
    const tg_emu_form *list;
    size_t count;
} tg_emu_form_list;

/* tg_emu_inst.flags of setp: what the comparison is combined with. */
enum {
    TG_EMU_COMPARE_AND = 1,
    TG_EMU_COMPARE_OR = 2,
    TG_EMU_COMPARE_XOR = 3,
    TG_EMU_COMPARE_WITH = 3,
    TG_EMU_COMPARE_NOT = 4, /* with the opposite of the third operand */
};

tg_emu_form_list tg_emu_forms_predicate(void);
tg_emu_form_list tg_emu_forms_soft(void);

#endif
