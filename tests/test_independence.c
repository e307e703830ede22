/* Grids whose programs all do the same. */
#include "check_text.h"

static const float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const int32_t first[1] = {0};

static void check(const char *text, const char *const *wanted)
{
    const tg_run_options how = {.checks = "independence"};
    check_lines(text, NAMED({"x", numbers}, {"t", first}), &how, wanted);
}

#define KERNEL(grid, x, ops)                                                                       \
    "grid " grid "\ninput x f32[8]" x "\noutput o f32[8] block b4 at i\nbody\n" ops

Test(independence, same_for_all)
{
    check(
        KERNEL("2", "",
               "%10:f32[4] = load %1 [0:4]; %11:f32[4] = add %10 %10; store %2 %11 [0:4] loc=5\n"),
        LINES(
            "note program-independent store 5 (0) o[0..0]: every program stores the same into its "
            "block of o: nothing that it reads or computes depends on its place in the grid"));
}

/* Its place goes in by its number, or by its block; or there is one program only; or nothing is read. */
Test(independence, not_the_same)
{
    check(KERNEL("2", "",
                 "%12:i32[] = program_id axis=0; %10:f32[4] = load %1 %12 [*:4]; store %2 %10 "
                 "[0:4]\n"),
          NO_LINES);
    check(KERNEL("2", " block b4 at i", "%10:f32[4] = load %1 [0:4]; store %2 %10 [0:4]\n"),
          NO_LINES);
    check("input x f32[8]\noutput o f32[8]\nbody\n%10:f32[8] = load %1 [0:8]; store %2 %10 [0:8]\n",
          NO_LINES);
    check("prefetch t i32[1]\ninput x f32[8]\noutput o f32[4] block b4 { (%901:ref<i32[1]>) "
          "%902:i32[] = constant value=0; %903:i32[] = load %901 %902 [@]; yield %903 }\n"
          "body\n%10:f32[4] = load %2 [0:4]; store %3 %10 [0:4]\n",
          NO_LINES);
    check(KERNEL("2", "", "%10:f32[4] = constant value=3; store %2 %10 [0:4]\n"), NO_LINES);
}

/* What earlier programs leave tells programs apart. */
Test(independence, memory)
{
    check("grid 2a\ninput x f32[8]\noutput o f32[8] block b4 at i\nscratch s f32[4]\nbody\n"
          "%10:f32[4] = load %1 [0:4]; %11:f32[4] = load %3 [0:4]; %12:f32[4] = add %10 %11; "
          "store %3 %12 [0:4]; store %2 %12 [0:4]\n",
          NO_LINES);
    check("grid 2\ninput x f32[8]\noutput o f32[8] alias=x block b4 at i\nbody\n"
          "%10:f32[4] = load %1 [0:4]; store %2 %10 [0:4]\n",
          NO_LINES);
}
