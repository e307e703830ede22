/* The f32 operands whose f64 form rounds to the wrong f32: rows of E(operand bits, result bits).
 * Found by tests/verify_elementary.c, which tries every f32.  Functions without a row have none. */
#ifndef TG_INTERP_LANES_ELEMENTARY_EXCEPTIONS_H
#define TG_INTERP_LANES_ELEMENTARY_EXCEPTIONS_H

#define TG_EXCEPTIONS_exp(E)
#define TG_EXCEPTIONS_exp2(E)
#define TG_EXCEPTIONS_expm1(E)
#define TG_EXCEPTIONS_log(E)
#define TG_EXCEPTIONS_log1p(E)
#define TG_EXCEPTIONS_sin(E)
#define TG_EXCEPTIONS_cos(E)
#define TG_EXCEPTIONS_tan(E)
#define TG_EXCEPTIONS_asin(E)
#define TG_EXCEPTIONS_acos(E)
#define TG_EXCEPTIONS_atan(E)
#define TG_EXCEPTIONS_sinh(E)
#define TG_EXCEPTIONS_cosh(E)
#define TG_EXCEPTIONS_tanh(E)
#define TG_EXCEPTIONS_asinh(E)
#define TG_EXCEPTIONS_acosh(E)
#define TG_EXCEPTIONS_atanh(E)
#define TG_EXCEPTIONS_logistic(E)
#define TG_EXCEPTIONS_erf(E)
#define TG_EXCEPTIONS_erf_inv(E)
#define TG_EXCEPTIONS_cbrt(E)
#define TG_EXCEPTIONS_rsqrt(E)

#endif
