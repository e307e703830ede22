/* Written by tools/coefficients.py; do not edit. */
#ifndef TG_INTERP_ELEMENTWISE_ELEMENTARY_COEFFICIENTS_H
#define TG_INTERP_ELEMENTWISE_ELEMENTARY_COEFFICIENTS_H

#include "interp/elementwise/elementary_dd.h"

/* Split constants: their sum is the number; TG_LN2_0 and _1 leave room for an 11-bit factor. */
#define TG_LN2_0 0x1.62e42fefa3800p-1
#define TG_LN2_1 0x1.ef35793c76800p-45
#define TG_LN2_2 -0x1.9ff0342542fc3p-90
#define TG_LN2D_0 0x1.62e42fefa39efp-1
#define TG_LN2D_1 0x1.abc9e3b39803fp-56
#define TG_LOG2E_0 0x1.71547652b82fep+0
#define TG_LOG2E_1 0x1.777d0ffda0d24p-56
#define TG_TWO_OVER_PI_0 0x1.45f306dc9c883p-1
#define TG_HALF_PI_0 0x1.921fb54442d18p+0
#define TG_HALF_PI_1 0x1.1a62633145c07p-54
#define TG_HALF_PI_2 -0x1.f1976b7ed8fbcp-110
#define TG_QUARTER_PI_0 0x1.921fb54442d18p-1
#define TG_QUARTER_PI_1 0x1.1a62633145c07p-55
#define TG_TWO_OVER_SQRT_PI_0 0x1.20dd750429b6dp+0
#define TG_TWO_OVER_SQRT_PI_1 0x1.1ae3a914fed80p-56
#define TG_ERF_SECOND_0 -0x1.812746b0379e7p-2
#define TG_ERF_SECOND_1 0x1.ee12e49cab700p-57
#define TG_HALF_SQRT_PI_0 0x1.c5bf891b4ef6bp-1
#define TG_HALF_SQRT_PI_1 -0x1.618f13eb7ca89p-55
#define TG_TAN_PI_8_0 0x1.a827999fcef32p-2
#define TG_ONE_OVER_3_0 0x1.5555555555555p-2
#define TG_ONE_OVER_3_1 0x1.5555555555555p-56
#define TG_ONE_OVER_5_0 0x1.999999999999ap-3
#define TG_ONE_OVER_5_1 -0x1.999999999999ap-57
#define TG_ONE_OVER_7_0 0x1.2492492492492p-3
#define TG_ONE_OVER_7_1 0x1.2492492492492p-57
#define TG_ONE_OVER_6_0 0x1.5555555555555p-3
#define TG_ONE_OVER_6_1 0x1.5555555555555p-57
#define TG_ONE_OVER_24_0 0x1.5555555555555p-5
#define TG_ONE_OVER_24_1 0x1.5555555555555p-59
#define TG_ONE_OVER_120_0 0x1.1111111111111p-7
#define TG_ONE_OVER_120_1 0x1.1111111111111p-63
/* In f32; TG_LN2F_0 leaves room for an 8-bit factor. */
#define TG_LN2F_0 0x1.62e4000000000p-1F
#define TG_LN2F_1 0x1.7f7d1c0000000p-20F
#define TG_LN2F 0x1.62e4300000000p-1F
#define TG_LOG2EF_0 0x1.7154760000000p+0F

/* The bits of 2/pi below the point. */
static const uint64_t tg_two_over_pi_bits[20] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

/* (e^x - 1 - x) / x^2;
 * x in [-0.3468, 0.3468], error of the result before rounding below 2^-68. */
TG_FORM double tg_poly_exp(double x)
{
    double r = 0x1.61bfd62b11746p-33;
    r = tg_fma(r, x, 0x1.1f7f50c120cd3p-29);
    r = tg_fma(r, x, 0x1.ae642c6b11d22p-26);
    r = tg_fma(r, x, 0x1.27e4d403115d8p-22);
    r = tg_fma(r, x, 0x1.71de3a5aac2f8p-19);
    r = tg_fma(r, x, 0x1.a01a01a9f1ebep-16);
    r = tg_fma(r, x, 0x1.a01a01a0196a2p-13);
    r = tg_fma(r, x, 0x1.6c16c16c15a54p-10);
    r = tg_fma(r, x, 0x1.1111111111111p-7);
    r = tg_fma(r, x, 0x1.5555555555557p-5);
    r = tg_fma(r, x, 0x1.5555555555555p-3);
    r = tg_fma(r, x, 0x1.0000000000000p-1);
    return r;
}

/* (e^x - 1 - x) / x^2;
 * x in [-0.3468, 0.3468], error of the result before rounding below 2^-56. */
TG_FORM double tg_poly_exp_short(double x)
{
    const double square = x * x;
    double even = 0x1.2891b6514ff7cp-22;
    even = tg_fma(even, square, 0x1.a019b8e3fdb17p-16);
    even = tg_fma(even, square, 0x1.6c16c17896742p-10);
    even = tg_fma(even, square, 0x1.5555555553d48p-5);
    even = tg_fma(even, square, 0x1.0000000000001p-1);
    double odd = 0x1.af38e5e7b1a55p-26;
    odd = tg_fma(odd, square, 0x1.71de0d950eaadp-19);
    odd = tg_fma(odd, square, 0x1.a01a01a7caa3bp-13);
    odd = tg_fma(odd, square, 0x1.11111111109abp-7);
    odd = tg_fma(odd, square, 0x1.5555555555556p-3);
    return tg_fma(odd, x, even);
}

/* (e^x - 1 - x) / x^2;
 * x in [-0.3468, 0.3468], error of the result before rounding below 2^-27. */
TG_FORM float tg_poly_exp_fast(float x)
{
    float r = 0x1.6d11500000000p-10F;
    r = tg_fma_f32(r, x, 0x1.120bb60000000p-7F);
    r = tg_fma_f32(r, x, 0x1.55551a0000000p-5F);
    r = tg_fma_f32(r, x, 0x1.5554dc0000000p-3F);
    r = tg_fma_f32(r, x, 0x1.0000000000000p-1F);
    return r;
}

/* 2 (e^x - 1 - x - x^2 / 2) / x^3;
 * x in [-0.3468, 0.3468], error of the result before rounding below 2^-66. */
TG_FORM double tg_poly_expm1(double x)
{
    double r = 0x1.61b2dfbd745fep-32;
    r = tg_fma(r, x, 0x1.1f732921c514bp-28);
    r = tg_fma(r, x, 0x1.ae643436969c5p-25);
    r = tg_fma(r, x, 0x1.27e4db5238e9ap-21);
    r = tg_fma(r, x, 0x1.71de3a5908306p-18);
    r = tg_fma(r, x, 0x1.a01a01a6de478p-15);
    r = tg_fma(r, x, 0x1.a01a01a019b24p-12);
    r = tg_fma(r, x, 0x1.6c16c16c162cap-9);
    r = tg_fma(r, x, 0x1.1111111111111p-6);
    r = tg_fma(r, x, 0x1.5555555555556p-4);
    r = tg_fma(r, x, 0x1.5555555555555p-2);
    return r;
}

/* the terms of e^x from x^6 on, over x^6;
 * x in [-0.3468, 0.3468], error of the result before rounding below 2^-78. */
TG_FORM double tg_poly_exp6(double x)
{
    double r = 0x1.aef923b1ef5cdp-41;
    r = tg_fma(r, x, 0x1.9418d05968234p-37);
    r = tg_fma(r, x, 0x1.61245465ffc2bp-33);
    r = tg_fma(r, x, 0x1.1eed815d6ed45p-29);
    r = tg_fma(r, x, 0x1.ae6456806e7e6p-26);
    r = tg_fma(r, x, 0x1.27e4fb78b5d07p-22);
    r = tg_fma(r, x, 0x1.71de3a556c6acp-19);
    r = tg_fma(r, x, 0x1.a01a01a019ef9p-16);
    r = tg_fma(r, x, 0x1.a01a01a01a01ap-13);
    r = tg_fma(r, x, 0x1.6c16c16c16c17p-10);
    return r;
}

/* (2 atanh(s) - 2 s) / s^3 for x = s^2;
 * x in [0.0, 0.02945], error of the result before rounding below 2^-71. */
TG_FORM double tg_poly_log(double x)
{
    double r = 0x1.e6b660fec7379p-4;
    r = tg_fma(r, x, 0x1.debe214e33b96p-4);
    r = tg_fma(r, x, 0x1.111d2b673d7e2p-3);
    r = tg_fma(r, x, 0x1.3b137b1bd652bp-3);
    r = tg_fma(r, x, 0x1.745d17d3a387ap-3);
    r = tg_fma(r, x, 0x1.c71c71c64bff9p-3);
    r = tg_fma(r, x, 0x1.249249249295dp-2);
    r = tg_fma(r, x, 0x1.9999999999998p-2);
    r = tg_fma(r, x, 0x1.5555555555555p-1);
    return r;
}

/* the terms of atanh(s) / s from x^4 on, over x^4, for x = s^2;
 * x in [0.0, 0.02945], error of the result before rounding below 2^-87. */
TG_FORM double tg_poly_log4(double x)
{
    double r = 0x1.72f37a21ffa1ap-5;
    r = tg_fma(r, x, 0x1.61ba339b9fbd9p-5);
    r = tg_fma(r, x, 0x1.862b3f4f477c5p-5);
    r = tg_fma(r, x, 0x1.af281769634bep-5);
    r = tg_fma(r, x, 0x1.e1e1e2bf00912p-5);
    r = tg_fma(r, x, 0x1.111111106e8f1p-4);
    r = tg_fma(r, x, 0x1.3b13b13b1428cp-4);
    r = tg_fma(r, x, 0x1.745d1745d1744p-4);
    r = tg_fma(r, x, 0x1.c71c71c71c71cp-4);
    return r;
}

/* (sin(r) - r) / r^3 for x = r^2;
 * x in [0.0, 0.6175], error of the result before rounding below 2^-66. */
TG_FORM double tg_poly_sin(double x)
{
    double r = -0x1.ab16e9f2b693ep-41;
    r = tg_fma(r, x, 0x1.61217d7e3619cp-33);
    r = tg_fma(r, x, -0x1.ae645410cfd07p-26);
    r = tg_fma(r, x, 0x1.71de3a545f74cp-19);
    r = tg_fma(r, x, -0x1.a01a01a01992fp-13);
    r = tg_fma(r, x, 0x1.1111111111110p-7);
    r = tg_fma(r, x, -0x1.5555555555555p-3);
    return r;
}

/* (cos(r) - 1 + r^2 / 2) / r^4 for x = r^2;
 * x in [0.0, 0.6175], error of the result before rounding below 2^-71. */
TG_FORM double tg_poly_cos(double x)
{
    double r = 0x1.ab778ac7ad240p-45;
    r = tg_fma(r, x, -0x1.9394b8ab6c9b1p-37);
    r = tg_fma(r, x, 0x1.1eed8deab8936p-29);
    r = tg_fma(r, x, -0x1.27e4fb771255dp-22);
    r = tg_fma(r, x, 0x1.a01a01a019d06p-16);
    r = tg_fma(r, x, -0x1.6c16c16c16c16p-10);
    r = tg_fma(r, x, 0x1.5555555555555p-5);
    return r;
}

/* the terms of atan(s) / s from x^4 on, over x^4, for x = s^2;
 * x in [0.0, 0.17158], error of the result before rounding below 2^-70. */
TG_FORM double tg_poly_atan4(double x)
{
    double r = -0x1.a8baad345b28ep-7;
    r = tg_fma(r, x, 0x1.be8004f6f8120p-6);
    r = tg_fma(r, x, -0x1.2170aa92ab2d4p-5);
    r = tg_fma(r, x, 0x1.458278625aeedp-5);
    r = tg_fma(r, x, -0x1.63f260b46e2f5p-5);
    r = tg_fma(r, x, 0x1.861446bd32655p-5);
    r = tg_fma(r, x, -0x1.af283a9d1d695p-5);
    r = tg_fma(r, x, 0x1.e1e1e06a9afd3p-5);
    r = tg_fma(r, x, -0x1.1111110dc13e4p-4);
    r = tg_fma(r, x, 0x1.3b13b13b0bf0bp-4);
    r = tg_fma(r, x, -0x1.745d1745d16d4p-4);
    r = tg_fma(r, x, 0x1.c71c71c71c71cp-4);
    return r;
}

/* (erf(y) / y - 2 / sqrt(pi) (1 - x / 3)) / x^2 for x = y^2;
 * x in [0.0, 0.5626], error of the result before rounding below 2^-62. */
TG_FORM double tg_poly_erf4(double x)
{
    double r = -0x1.10bbabd5b2395p-30;
    r = tg_fma(r, x, 0x1.f368a9d936f96p-27);
    r = tg_fma(r, x, -0x1.5f12e5bd50b42p-23);
    r = tg_fma(r, x, 0x1.b9e1fa5dc55dep-20);
    r = tg_fma(r, x, -0x1.f4d23666fccc1p-17);
    r = tg_fma(r, x, 0x1.f9a3264416d24p-14);
    r = tg_fma(r, x, -0x1.c02db3fe4b31cp-11);
    r = tg_fma(r, x, 0x1.565bcd0e6793ep-8);
    r = tg_fma(r, x, -0x1.b82ce31288b21p-6);
    r = tg_fma(r, x, 0x1.ce2f21a042be2p-4);
    return r;
}

#define TG_ERFCX_MIDDLE_0 0x1.43cc6f6c9672cp+0
#define TG_ERFCX_MIDDLE_1 0x1.911ee50e1c968p-56
/* (e^(y^2) erfc(y) (1 + 2 y) - its value at x = 0) / x for x = (y - 2.5) / (y + 2.5);
 * x in [-0.53846, 0.41176], error of the result before rounding below 2^-60. */
TG_FORM double tg_poly_erfcx(double x)
{
    double r = 0x1.8073f90f36cdap-22;
    r = tg_fma(r, x, 0x1.10c2f3aa4927fp-21);
    r = tg_fma(r, x, -0x1.90add33b9cdd2p-20);
    r = tg_fma(r, x, -0x1.19b36e063c9afp-18);
    r = tg_fma(r, x, 0x1.5ab806052b8a4p-19);
    r = tg_fma(r, x, 0x1.7cba373e43e5bp-16);
    r = tg_fma(r, x, 0x1.a4cbb80df44e4p-18);
    r = tg_fma(r, x, -0x1.dc248fc27dabbp-14);
    r = tg_fma(r, x, -0x1.731c5f3d69688p-14);
    r = tg_fma(r, x, 0x1.4b6a478bc0aa2p-11);
    r = tg_fma(r, x, 0x1.01e11ddee01bfp-11);
    r = tg_fma(r, x, -0x1.1f2f13230b082p-8);
    r = tg_fma(r, x, 0x1.e8948954f874dp-11);
    r = tg_fma(r, x, 0x1.0c6092a5a131fp-5);
    r = tg_fma(r, x, -0x1.a5c0c8a403937p-4);
    r = tg_fma(r, x, 0x1.42d379989b5dfp-3);
    r = tg_fma(r, x, -0x1.959ac16f85722p-4);
    r = tg_fma(r, x, -0x1.f52c5d7e22302p-4);
    return r;
}

/* erf_inv(y) / y for x = -log(1 - y^2);
 * x in [0.0, 0.71], error of the result before rounding below 2^-34. */
TG_FORM double tg_poly_erf_inv_near(double x)
{
    double r = 0x1.929e8b5a7e101p-15;
    r = tg_fma(r, x, -0x1.0d431be242b60p-13);
    r = tg_fma(r, x, -0x1.321109c54a4fcp-9);
    r = tg_fma(r, x, 0x1.7a72ffc20a776p-7);
    r = tg_fma(r, x, 0x1.db29fb0c9493fp-3);
    r = tg_fma(r, x, 0x1.c5bf891b66aa9p-1);
    return r;
}

/* erf_inv(y) for x = sqrt(-log(1 - y));
 * x in [1.11, 6.07], error of the result before rounding below 2^-31. */
TG_FORM double tg_poly_erf_inv_far(double x)
{
    double r = 0x1.45ed724c6365dp-38;
    r = tg_fma(r, x, -0x1.6c823576c751fp-32);
    r = tg_fma(r, x, 0x1.7e1b38b4f40a0p-27);
    r = tg_fma(r, x, -0x1.f2d7f33d6dfe2p-23);
    r = tg_fma(r, x, 0x1.c66c69b97fca0p-19);
    r = tg_fma(r, x, -0x1.32bc298b804c8p-15);
    r = tg_fma(r, x, 0x1.3dfb5648387b3p-12);
    r = tg_fma(r, x, -0x1.02ce7853ff58bp-9);
    r = tg_fma(r, x, 0x1.4f3bfc9ed83ddp-7);
    r = tg_fma(r, x, -0x1.5bed0c0c75ba3p-5);
    r = tg_fma(r, x, 0x1.21a22ef8eed8fp-3);
    r = tg_fma(r, x, -0x1.80b297109d240p-2);
    r = tg_fma(r, x, 0x1.91c2b41724913p-1);
    r = tg_fma(r, x, -0x1.3fc1b8ab3b652p+0);
    r = tg_fma(r, x, 0x1.6874517e92c64p+0);
    r = tg_fma(r, x, -0x1.bf77b5c6519fap-1);
    r = tg_fma(r, x, -0x1.08b11318fddcbp-2);
    r = tg_fma(r, x, 0x1.33ceb1bb9d876p+0);
    r = tg_fma(r, x, -0x1.0840f3e6ed2e3p-3);
    r = tg_fma(r, x, 0x1.4d9de09b81d0ep-6);
    return r;
}

#endif
