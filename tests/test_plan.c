/* Lowering seen from outside: kernels whose shape is hard for the plan, and what a plan prints. */
#include "run_text.h"

Test(plan, adds_blocks)
{
    static float x[30], want[30];
    for (int i = 0; i < 30; i++) want[i] = 2 * (x[i] = (float)i);
    expect("grid 4\n"
           "input x f32[30] block b8 at i\n"
           "output o f32[30] block b8 at i\n"
           "body\n"
           "%10:f32[8] = load %1 [0:8]\n"
           "%11:f32[8] = add %10 %10\n"
           "store %2 %11 [0:8]\n",
           NAMED({"x", x}, {"o", want}));
}

Test(plan, nested_loops)
{
    static const int32_t x[4] = {1, 2, 3, 4};
    static const int32_t want[4] = {13, 14, 15, 16};
    expect("input x i32[4]\n"
           "output o i32[4]\n"
           "body\n"
           "%10:i32[4] = load %1 [0:4]\n"
           "%11:i32[] = constant value=0; %12:i32[] = constant value=3; %13:i32[] = constant value=1\n"
           "%14:i32[4] = constant value=1\n"
           "%15:i32[4] = for %11 %12 %13 %10 { (%20:i32[] %21:i32[4])\n"
           "  %22:i32[4] = for %11 %12 %13 %21 { (%30:i32[] %31:i32[4])\n"
           "     %32:i32[4] = add %31 %14; yield %32 }\n"
           "  %23:i32[4] = add %22 %14\n"
           "  yield %23 }\n"
           "store %2 %15 [0:4]\n",
           NAMED({"x", x}, {"o", want}));
}
