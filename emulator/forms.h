/* Forms of instructions: what each is called in full, what operands it takes, who executes it. */
#ifndef TG_EMULATOR_FORMS_H
#define TG_EMULATOR_FORMS_H

#include "emulator/module.h"

enum { TG_EMU_FORM_OPERANDS = 5 };

/* What a form has besides its operands. */
enum {
    TG_EMU_CARRY_OUT = 1, /* writes the carry flag: the second result */
    TG_EMU_CARRY_IN = 2,  /* reads it: the last operand */
    TG_EMU_INEXACT = 4,   /* a stand-in for an approximation */
};

typedef struct tg_emu_form {
    const char *name;                           /* "add.rn.f32" */
    tg_emu_type operands[TG_EMU_FORM_OPERANDS]; /* result first; TG_EMU_NONE ends them */
    tg_emu_exec_fn *exec;
    uint32_t flags;
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

/* Three lists for each instruction set: integers, floats, comparisons; then those that are compiled once. */
enum {
    TG_EMU_ISA_LISTS = 3,
    TG_EMU_COMMON_LISTS = 2,
    TG_EMU_FORM_LISTS = TG_EMU_ISA_LISTS + TG_EMU_COMMON_LISTS
};
typedef struct tg_emu_isa {
    const char *name;
    tg_emu_form_list forms[TG_EMU_FORM_LISTS];
} tg_emu_isa;

tg_emu_form_list tg_emu_forms_predicate(void);
tg_emu_form_list tg_emu_forms_soft(void);

/* The instruction set called so; false if the machine lacks it.  NULL: see tg_emu_module_load_for. */
bool tg_emu_isa_get(const char *name, tg_emu_isa *out);

/* The form called so, or NULL. */
const tg_emu_form *tg_emu_form_find(const tg_emu_isa *isa, const char *name);

/* Names of one instruction set's own lists: tg_emu_forms_int__avx2. */
#define TG_EMU_PASTE2(a, b) a##__##b
#define TG_EMU_PASTE(a, b) TG_EMU_PASTE2(a, b)
#define TG_EMU_ISA_NAME(name) TG_EMU_PASTE(name, TG_ISA)

#endif
