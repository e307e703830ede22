/* Forms of instructions: the full name, the operands, and the handler. */
#ifndef TG_EMULATOR_FORMS_H
#define TG_EMULATOR_FORMS_H

#include "emulator/module_impl.h"

enum { TG_EMU_FORM_OPERANDS = 5 };

/* What a form has besides its operands. */
enum {
    TG_EMU_CARRY_OUT = 1, /* writes the carry flag, its second result */
    TG_EMU_CARRY_IN = 2,  /* reads the carry flag, its last operand */
    TG_EMU_INEXACT = 4,   /* imitates an approximation */
};

typedef struct tg_emu_form {
    const char *name; /* "add.rn.f32" */
    tg_emu_exec_fn *exec;
    uint32_t flags;
    tg_emu_type operands[TG_EMU_FORM_OPERANDS]; /* the result first; ends at TG_EMU_NONE */
} tg_emu_form;

typedef struct tg_emu_form_list {
    const tg_emu_form *list;
    size_t count;
} tg_emu_form_list;

/* tg_emu_inst.flags of setp: how the comparison is combined with the third operand. */
enum {
    TG_EMU_COMPARE_AND = 1,
    TG_EMU_COMPARE_OR = 2,
    TG_EMU_COMPARE_XOR = 3,
    TG_EMU_COMPARE_WITH = 3,
    TG_EMU_COMPARE_NOT = 4, /* the third operand is negated first */
};

tg_emu_form_list tg_emu_forms_predicate(void);
tg_emu_form_list tg_emu_forms_soft(void);

#endif
