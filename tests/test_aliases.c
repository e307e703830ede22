/* Memory with two names: what is written by the one and read by the other. */
#include "check_text.h"

static const float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void check(const char *text, const char *const *wanted)
{
    const tg_run_options how = {.checks = "aliases"};
    check_lines(text, NAMED({"x", numbers}), &how, wanted);
}

Test(aliases, within_a_program)
{
    check(
        "input x f32[8]\noutput o f32[8] alias=x\nbody\n%10:f32[8] = load %1 [0:8] loc=1; "
        "store %2 %10 [0:8] loc=2; %11:f32[2] = load %1 [4:2] loc=3; store %2 %11 [0:2] loc=4\n",
        LINES(
            "warning alias-assumed load 3 () x[4..4]: load reads x[4], which was written as o: the "
            "two share memory here, but elsewhere they may not, and the old value is read | "
            "written by store 2"));
}

/* By the name it was written by, or before it was, or from elements that were not. */
Test(aliases, no_matter)
{
    check("input x f32[8]\noutput o f32[8] alias=x\nbody\n%10:f32[8] = load %1 [0:8]; "
          "store %2 %10 [0:8]; %11:f32[2] = load %2 [4:2]; store %2 %11 [0:2]\n",
          NO_LINES);
    check("grid 4\ninput x f32[8] block b2 at i\noutput o f32[8] alias=x block b2 at i\nbody\n"
          "%10:f32[2] = load %1 [0:2]; %11:f32[2] = neg %10; store %2 %11 [0:2]\n",
          NO_LINES);
    check("input x f32[8]\noutput o f32[8] alias=x\nbody\n%10:f32[4] = load %1 [0:4]; "
          "store %2 %10 [4:4]; %11:f32[4] = load %1 [0:4]; store %2 %11 [4:4]\n",
          NO_LINES);
}

/* Steps of one chain are ordered; programs that nothing orders race, which is another finding. */
Test(aliases, chains)
{
    check(
        "grid 2a\ninput x f32[8] block b8 at 0\noutput o f32[8] alias=x block b8 at 0\n"
        "body\n%10:f32[8] = load %1 [0:8] loc=1; %11:f32[8] = add %10 %10; store %2 %11 [0:8] "
        "loc=2\n",
        LINES("warning alias-assumed load 1 (1) x[0..0]: load reads x[0], which was written as o: "
              "the two share memory here, but elsewhere they may not, and the old value is read | "
              "written by store 2 (0)"));
    check("grid 2\ninput x f32[8] block b8 at 0\noutput o f32[8] alias=x block b8 at 0\n"
          "body\n%10:f32[8] = load %1 [0:8] loc=1; %11:f32[8] = add %10 %10; store %2 %11 [0:8] "
          "loc=2\n",
          NO_LINES);
}

/* Through a reference of other elements, of which some are half. */
Test(aliases, narrower_elements)
{
    check(
        "input x f32[4,2]\noutput o f32[4,2] alias=x\nbody\n%20:ref<u16[8,2]> = view_bitcast %2; "
        "%10:f32[4,2] = load %1 [0:4,0:2]; %11:u16[1,1] = constant value=7; store %20 %11 "
        "[3:1,0:1] loc=2; %12:f32[4,2] = load %1 [0:4,0:2] loc=3; store %2 %12 [0:4,0:2]\n",
        LINES(
            "warning alias-assumed load 3 () x[2..2]: load reads x[1, 0], which was written as o: "
            "the two share memory here, but elsewhere they may not, and the old value is read | "
            "written by store 2"));
}
