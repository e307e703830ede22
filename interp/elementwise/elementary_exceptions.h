/* The f32 operands whose f64 form rounds to the wrong f32: rows of E(operand bits, result bits).
 * Found by tests/verify_elementary.c, which tries every f32.  Functions without a row have none. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_EXCEPTIONS_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_EXCEPTIONS_H

#define TG_EXCEPTIONS_exp(E)
#define TG_EXCEPTIONS_exp2(E)                                                                      \
    E(0x3b429d37, 0x3f804385)                                                                      \
    E(0xbcf3a937, 0x3f7ac6b1)
#define TG_EXCEPTIONS_expm1(E)
#define TG_EXCEPTIONS_log(E)                                                                       \
    E(0x3c413d3a, 0xc08e158f)                                                                      \
    E(0x41178feb, 0x400fe5e7)                                                                      \
    E(0x4c5d65a5, 0x418f034b)                                                                      \
    E(0x65d890d3, 0x4254d1f9)                                                                      \
    E(0x6f31a8ec, 0x42845a89)
#define TG_EXCEPTIONS_log2(E)
#define TG_EXCEPTIONS_log1p(E)                                                                     \
    E(0x35400003, 0x353fffff)                                                                      \
    E(0x3710001b, 0x370ffff3)                                                                      \
    E(0x3efd81ad, 0x3ecdeee1)                                                                      \
    E(0x41078feb, 0x400fe5e7)                                                                      \
    E(0x65d890d3, 0x4254d1f9)                                                                      \
    E(0x6f31a8ec, 0x42845a89)                                                                      \
    E(0xb53ffffd, 0xb5400001)                                                                      \
    E(0xb70fffe5, 0xb710000d)                                                                      \
    E(0xbb0ec8c4, 0xbb0ef0a5)
#define TG_EXCEPTIONS_sin(E)                                                                       \
    E(0x46199998, 0xbeb1fa5d)                                                                      \
    E(0xc6199998, 0x3eb1fa5d)
#define TG_EXCEPTIONS_cos(E)                                                                       \
    E(0x5f18b878, 0x3f7f14bb)                                                                      \
    E(0x6115cb11, 0x3f78142f)                                                                      \
    E(0xdf18b878, 0x3f7f14bb)                                                                      \
    E(0xe115cb11, 0x3f78142f)
#define TG_EXCEPTIONS_tan(E)
#define TG_EXCEPTIONS_asin(E)
#define TG_EXCEPTIONS_acos(E)                                                                      \
    E(0x328885a3, 0x3fc90fdb)                                                                      \
    E(0x39826222, 0x3fc907b5)
#define TG_EXCEPTIONS_atan(E)                                                                      \
    E(0x3d8d6b23, 0x3d8d31c3)                                                                      \
    E(0xbd8d6b23, 0xbd8d31c3)
#define TG_EXCEPTIONS_sinh(E)                                                                      \
    E(0x3a1285ff, 0x3a1285ff)                                                                      \
    E(0xba1285ff, 0xba1285ff)
#define TG_EXCEPTIONS_cosh(E)
#define TG_EXCEPTIONS_tanh(E)
#define TG_EXCEPTIONS_asinh(E)                                                                     \
    E(0x4bdd65a5, 0x418f034b)                                                                      \
    E(0x655890d3, 0x4254d1f9)                                                                      \
    E(0x6eb1a8ec, 0x42845a89)                                                                      \
    E(0xcbdd65a5, 0xc18f034b)                                                                      \
    E(0xe55890d3, 0xc254d1f9)                                                                      \
    E(0xeeb1a8ec, 0xc2845a89)
#define TG_EXCEPTIONS_acosh(E)                                                                     \
    E(0x655890d3, 0x4254d1f9)                                                                      \
    E(0x6eb1a8ec, 0x42845a89)
#define TG_EXCEPTIONS_atanh(E)
#define TG_EXCEPTIONS_logistic(E)
#define TG_EXCEPTIONS_erf(E)
#define TG_EXCEPTIONS_erf_inv(E)
#define TG_EXCEPTIONS_cbrt(E)
#define TG_EXCEPTIONS_rsqrt(E)

#endif
