/* The floating-point environment that all computations assume: round to nearest, keep subnormal
 * numbers, no traps.  Callers may have another one (XLA's threads flush subnormal numbers to zero),
 * so all code that computes enters ours and restores theirs afterwards. */
#ifndef TG_BASE_FLOAT_ENV_H
#define TG_BASE_FLOAT_ENV_H

/* The control register itself on machines that we know: the functions of <fenv.h> also save the old
 * x87 unit, which takes ten times as long. */
#if defined __x86_64__ || defined __SSE2__
#include <xmmintrin.h>
typedef unsigned tg_environment;
#elif defined __aarch64__ && defined __GNUC__
#include <stdint.h>
typedef uint64_t tg_environment;
#else
#include <fenv.h>
typedef fenv_t tg_environment;
#endif

/* Sets our environment for the calling thread.  Returns the previous one. */
static inline tg_environment tg_environment_enter(void)
{
#if defined __x86_64__ || defined __SSE2__
    unsigned saved = _mm_getcsr();
    _mm_setcsr(0x1f80); /* all exceptions masked, everything else off */
    return saved;
#elif defined __aarch64__ && defined __GNUC__
    uint64_t saved;
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return saved;
#else
    fenv_t saved;
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
    return saved;
#endif
}

static inline void tg_environment_leave(tg_environment saved)
{
#if defined __x86_64__ || defined __SSE2__
    _mm_setcsr(saved);
#elif defined __aarch64__ && defined __GNUC__
    __asm__ volatile("msr fpcr, %0" : : "r"(saved));
#else
    fesetenv(&saved);
#endif
}

#endif
