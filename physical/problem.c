#include "physical/problem.h"

#include <stdarg.h>
#include <stdio.h>

void tg_problem_tell(tg_problems *problems, tg_problem_kind kind, const tg_op *op,
                     const char *format, ...)
{
    tg_problem problem = {.kind = kind, .op = op, .param = UINT32_MAX};
    va_list args;
    va_start(args, format);
    vsnprintf(problem.message, sizeof problem.message, format, args);
    va_end(args);
    problems->count++;
    problems->tell(problems->context, &problem);
}

void tg_problem_tell_param(tg_problems *problems, tg_problem_kind kind, uint32_t param,
                           const char *format, ...)
{
    tg_problem problem = {.kind = kind, .param = param};
    va_list args;
    va_start(args, format);
    vsnprintf(problem.message, sizeof problem.message, format, args);
    va_end(args);
    problems->count++;
    problems->tell(problems->context, &problem);
}
