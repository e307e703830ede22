/* Blocks of outputs that a chain leaves and comes back to, and what else is different on a TPU. */
#include "check_text.h"

static const float numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void check(const char *target, const char *text, const char *const *wanted)
{
    const tg_run_options how = {.checks = "revisits,races", .target = target};
    check_lines(text, NAMED({"x", numbers}, {"y", numbers}), &how, wanted);
}

#define READS(level)                                                                               \
    level " block-revisited load 1 (1) o[0..0]: the block of o, output 0, with o[0] is left and "  \
          "come back "                                                                             \
          "to, and "                                                                               \
          "read before this visit writes it: where blocks are kept in fast memory while they are " \
          "visited, as on a TPU, it holds anything then | visited before by store 2 (0)"
#define LEAVES                                                                                     \
    "note block-revisited store 2 (1) o[1..1]: the block of o, output 0, with o[1] is left and "   \
    "come back "                                                                                   \
    "to, and "                                                                                     \
    "this visit does not write all of it: where blocks are kept in fast memory while they are "    \
    "visited, as on a TPU, it holds anything then | visited before by store 2 (0)"

/* Blocks 0 1 0 1. */
#define ROUND(ops) "grid 2a 2a\ninput x f32[8]\noutput o f32[4] block b2 at j\nbody\n" ops
#define HALVES(ops)                                                                                \
    "grid 2a 2a\ninput x f32[8]\ninput y f32[4]\noutput o f32[4] alias=y block b2 at "             \
    "j\nbody\n" ops
/* Blocks 0 0 1 1. */
#define IN_TURN(ops) "grid 2a 2a\ninput x f32[8]\noutput o f32[4] block b2 at i\nbody\n" ops

#define ADD "%10:f32[2] = load %2 [0:2] loc=1; %11:f32[2] = add %10 %10; store %2 %11 [0:2] loc=2\n"

Test(revisits, reads)
{
    check(NULL, ROUND(ADD), LINES(READS("note")));
    check("any", ROUND(ADD), LINES(READS("note")));
    check("tpu", ROUND(ADD), LINES(READS("error")));
    check("tpu", IN_TURN(ADD), NO_LINES);
}

/* A visit that writes all of the block before it reads is fine; one that writes half is not. */
Test(revisits, writes)
{
    check("tpu",
          ROUND("%10:f32[2] = load %1 [0:2]; store %2 %10 [0:2]; %11:f32[2] = load %2 [0:2]; store "
                "%2 %11 [0:2]\n"),
          NO_LINES);
    check(NULL, HALVES("%10:f32[1] = load %1 [0:1]; store %3 %10 [0:1] loc=2\n"), LINES(LEAVES));
}

/* A visit that writes nothing is that of the program that comes back. */
Test(revisits, writes_nothing)
{
    check("tpu",
          "grid 6a\ninput x f32[8]\noutput p f32[2]\noutput o f32[4] block b2 { (%900:i32[]) "
          "%902:i32[] = constant value=2; %903:i32[] = div %900 %902; %904:i32[] = rem %903 %902; "
          "yield %904 }\nbody\n%10:f32[2] = load %1 [0:2]; store %2 %10 [0:2]\n",
          LINES("error block-revisited  9 (4) o[0..0]: the block of o, output 1, with o[0] is left "
                "and come back to, and this visit does not write all of it: where blocks are kept "
                "in fast memory while they are visited, as on a TPU, it holds anything then | "
                "visited before by  9 (1)",
                "error output-unwritten  9 () o[0..3]: no program wrote 4 of the 4 elements of "
                "output o, f32[4]; the first is o[0]; of its 2 blocks 2 are unwritten, the first "
                "of them (0)"));
}

/* Nothing orders programs of parallel axes: they have no visits. */
Test(revisits, parallel)
{
    check("tpu",
          "grid 4\ninput x f32[8]\noutput o f32[8] block b2 at i\nbody\n%10:f32[2] = load %1 "
          "[0:2]; store %2 %10 [0:2]\n",
          NO_LINES);
}

Test(revisits, add_update)
{
#define COUNTS                                                                                     \
    "grid 2p\ninput x f32[1]\noutput o f32[1] alias=x\nbody\n%10:f32[1] = constant value=1; "      \
    "add_update %2 %10 [0:1] loc=3\n"
    check(NULL, COUNTS, NO_LINES);
    check(
        "tpu", COUNTS,
        LINES("error race add_update 3 (0) o[0..0]: program (0) writes o[0], program (1) reads it, "
              "and nothing orders the two | conflicts with add_update 3 (1)"));
}
