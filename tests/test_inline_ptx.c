/* PTX text in ops: many instances, registers that elements share, and what a trap leaves and says. */
#include "check_text.h"

enum { MANY = 700 };

/* ---- registers ---- */

/* Of eight elements two registers: the text exchanges them. */
Test(inline_ptx, elements_in_several_registers)
{
    uint8_t x[16], o[16];
    for (int i = 0; i < 16; i++) {
        x[i] = (uint8_t)(200 + i);
        o[i] = (uint8_t)(200 + (i ^ 4));
    }
    expect("input x u8[16]\noutput o u8[16]\nbody\n%10:u8[16] = load %1 [0:16]\n"
           "%11:u8[16] = inline_ptx packed=8 constraints='=&r,=&r,r,r' "
           "text='mov.b32 $0, $3; mov.b32 $1, $2;' %10\nstore %2 %11 [0:16]\n",
           NAMED({"x", x}, {"o", o}));
}

/* An element that is alone in a wider register has zeros above it, whatever its sign. */
Test(inline_ptx, zeros_above_an_element)
{
    static const int8_t x[4] = {-1, -128, 127, 16}, o[4] = {15, 8, 7, 1};
    static const int16_t wide_x[2] = {-1, 256}, wide_o[2] = {255, 1};
    expect("input x i8[4]\noutput o i8[4]\nbody\n%10:i8[4] = load %1 [0:4]\n"
           "%11:i8[4] = inline_ptx packed=1 constraints='=r,r' text='shr.u32 $0, $1, 4;' %10\n"
           "store %2 %11 [0:4]\n",
           NAMED({"x", x}, {"o", o}));
    expect("input x i16[2]\noutput o i16[2]\nbody\n%10:i16[2] = load %1 [0:2]\n"
           "%11:i16[2] = inline_ptx packed=1 constraints='=l,l' text='shr.u64 $0, $1, 8;' %10\n"
           "store %2 %11 [0:2]\n",
           NAMED({"x", wide_x}, {"o", wide_o}));
}

/* The text may change a register that an operand shares with a result, but not the operand. */
Test(inline_ptx, an_operand_in_the_register_of_a_result)
{
    static const int32_t x[2] = {1, 5}, o[2] = {11, 55}, p[2] = {2, 10};
    expect("input x i32[2]\noutput o i32[2]\noutput p i32[2]\nbody\n%10:i32[2] = load %1 [0:2]\n"
           "%11:i32[2] = inline_ptx packed=1 constraints='=r,0' "
           "text='mad.lo.u32 $1, $1, 10, $0;' %10\n"
           "%12:i32[2] = add %10 %10\nstore %2 %11 [0:2]\nstore %3 %12 [0:2]\n",
           NAMED({"x", x}, {"o", o}, {"p", p}));
}

#define ALL_OF(text, more)                                                                         \
    "input x i32[700]\noutput o i32[700]\nbody\n%10:i32[700] = load %1 [0:700]\n"                  \
    "%11:i32[700] = inline_ptx packed=1 constraints='=r,r' " more "text='" text "' %10\n"          \
    "store %2 %11 [0:700]\n"

Test(inline_ptx, many_instances)
{
    static int32_t x[MANY], o[MANY];
    for (int i = 0; i < MANY; i++) {
        x[i] = i;
        o[i] = 3 * i + 1;
    }
    expect(ALL_OF("mad.lo.s32 $0, $1, 3, 1;", ""), NAMED({"x", x}, {"o", o}));
}

/* ---- traps ---- */

/* Instances behind one that traps run, those of the same part too. */
Test(inline_ptx, others_run_beside_one_that_traps)
{
    static int32_t x[MANY], o[MANY];
    for (int i = 0; i < MANY; i++) {
        x[i] = i % 300 == 2 ? 0 : i + 1;
        o[i] = i % 300 == 2 ? INT32_MIN : 5040 / (i + 1);
    }
    expect_with(ALL_OF("div.s32 $0, 5040, $1;", ""), NAMED({"x", x}, {"o", o}),
                (tg_run_options){.checks = "none"}, 1);
}

/* All results of the instance are the value of undefined elements: -128. */
Test(inline_ptx, packed_results_of_a_trap)
{
    static const int8_t x[8] = {1, 2, 3, 4, 0, 0, 0, 0},
                        o[8] = {1, 2, 3, 4, -128, -128, -128, -128};
    expect_with("input x i8[8]\noutput o i8[8]\nbody\n%10:i8[8] = load %1 [0:8]\n"
                "%11:i8[8] = inline_ptx packed=4 constraints='=r,r' "
                "text='{ .reg .b32 %t; div.u32 %t, 7, $1; mov.b32 $0, $1; }' %10\n"
                "store %2 %11 [0:8]\n",
                NAMED({"x", x}, {"o", o}), (tg_run_options){.checks = "none"}, 1);
}

/* The first element of the instance, and the line of the text, its last one too. */
Test(inline_ptx, traps_are_told_with_line_and_element)
{
    static const uint8_t x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0};
    check_lines(
        "input x u8[12]\noutput o u8[12]\nbody\n%10:u8[12] = load %1 [0:12]\n"
        "%11:u8[12] = inline_ptx packed=4 constraints='=r,r' loc=3 "
        "text='mov.b32 $0, 7;\\ndiv.u32 $0, $0, $1;' %10\nstore %2 %11 [0:12]\n",
        NAMED({"x", x}), &(tg_run_options){.checks = "none"},
        LINES(
            "error inline-ptx-trap inline_ptx 3 (): inline_ptx: division-by-zero: the divisor is 0 "
            "(line 2 of the text, element 8)"));
}
