/* What layouts of a kernel do not fit: an op, an operand or a param, and why. */
#ifndef TG_PHYSICAL_PROBLEM_H
#define TG_PHYSICAL_PROBLEM_H

#include "ir/ir.h"

typedef enum tg_problem_kind {
    TG_PROBLEM_MISMATCH,  /* two want an element in different places */
    TG_PROBLEM_OVERLAP,   /* two elements at one place */
    TG_PROBLEM_ILLEGAL,   /* an instruction cannot take it */
    TG_PROBLEM_UNCHECKED, /* too large to be compared */
    TG_PROBLEM_COUNT
} tg_problem_kind;

typedef struct tg_problem {
    tg_problem_kind kind;
    const tg_op *op; /* NULL: it is about the param */
    uint32_t param;  /* UINT32_MAX: none */
    char message[800];
} tg_problem;

/* Who is told; `tell` copies what it keeps. */
typedef struct tg_problems {
    void (*tell)(void *context, const tg_problem *problem);
    void *context;
    uint32_t count;
    bool failed; /* memory ran out: not all has been looked at */
} tg_problems;

/* Tell a problem of an op, and of a param. */
TG_PRINTF(4, 5)
void tg_problem_tell(tg_problems *problems, tg_problem_kind kind, const tg_op *op,
                     const char *format, ...);
TG_PRINTF(4, 5)
void tg_problem_tell_param(tg_problems *problems, tg_problem_kind kind, uint32_t param,
                           const char *format, ...);

#endif
