/* Inputs of which bytes are undefined when a run begins, and what is known of them after it. */
#include "check_text.h"
#include "run_text.h"

#include <string.h>

static const float numbers[4] = {1, 2, 3, 4};

#define KERNEL                                                                                     \
    "input x f32[4]\noutput o f32[4] alias=x\nbody\n%10:f32[2] = load %2 [0:2] "                   \
    "loc=1; store %2 %10 [2:2] loc=2\n"

static void look(const char *checks, const uint8_t *before, uint8_t *after,
                 const char *const *wanted)
{
    const tg_undefined_bytes known = {"x", before, after};
    const tg_run_options how = {.checks = checks, .undefined = &known, .undefined_count = 1};
    check_lines(KERNEL, NAMED({"x", numbers}), &how, wanted);
}

/* What is read is told of; what is overwritten becomes what was read. */
Test(undefined_inputs, move_with_their_bytes)
{
    uint8_t before[16] = {0}, after[16], wanted[16] = {0};
    memset(before + 4, 1, 4);
    memset(before + 12, 1, 4);
    memset(wanted + 4, 1, 4);
    memset(wanted + 12, 1, 4);
    look("undefined", before, after,
         LINES("error undefined-output store 2 () o[3..3]: program () leaves an undefined value in "
               "o[3]: it comes from o, which nothing had written before the run | read by load 1 | "
               "comes from memory  9"));
    cr_assert_arr_eq(after, wanted, sizeof wanted);
}

/* Nobody reads them, and they are written. */
Test(undefined_inputs, are_defined_by_writes)
{
    uint8_t bytes[16] = {0}, wanted[16] = {0};
    memset(bytes + 8, 1, 8);
    look("undefined", bytes, bytes, NO_LINES);
    cr_assert_arr_eq(bytes, wanted, sizeof wanted);
}

/* Of an input that no program writes. */
Test(undefined_inputs, read_only)
{
    uint8_t before[16] = {0};
    before[7] = 1;
    const tg_undefined_bytes known = {"x", before, NULL};
    const tg_run_options how = {.checks = "undefined", .undefined = &known, .undefined_count = 1};
    check_lines("input x f32[4]\noutput o f32[4]\nbody\n%10:f32[4] = load %1 [0:4] loc=1; store %2 "
                "%10 [0:4] loc=2\n",
                NAMED({"x", numbers}), &how,
                LINES("error undefined-output store 2 () o[1..1]: program () leaves an undefined "
                      "value in o[1]: it comes from x, which nothing had written before the run | "
                      "read by load 1 | comes from memory  9"));
}

/* With compat zero what a mask turns off is 0, by slices and through index arrays. */
Test(undefined_inputs, masked_lanes_are_zero)
{
#define MASKED(load)                                                                               \
    "input x f32[4]\noutput o f32[4]\nbody\n%11:bool[4] = constant "                               \
    "value=[true,false,true,false]; %12:i32[4] = iota axis=0; %13:i32[4] = constant "              \
    "value=[3,2,1,0]; %10:f32[4] = load %1 " load " mask=true loc=1; store %2 %10 [0:4] loc=2\n"
    const tg_run_options zero = {.checks = "undefined", .compat = "zero"};
    check_lines(MASKED("%11 [0:4]"), NAMED({"x", numbers}), &zero, NO_LINES);
    check_lines(MASKED("%13 %11 [@]"), NAMED({"x", numbers}), &zero, NO_LINES);
    const tg_run_options strict = {.checks = "undefined"};
    check_lines(MASKED("%11 [0:4]"), NAMED({"x", numbers}), &strict,
                LINES("error undefined-output store 2 () o[1..3]: program () leaves an undefined "
                      "value in o[1]: it comes from a lane that the mask turns off, without "
                      "`other`; 2 elements in all | comes from load 1"));
}

/* Without the check nobody looks, and nothing becomes known. */
Test(undefined_inputs, without_the_check)
{
    uint8_t before[16], after[16];
    memset(before, 1, sizeof before);
    memset(after, 7, sizeof after);
    look("races", before, after, NO_LINES);
    cr_assert_eq(after[0], 7);
}
