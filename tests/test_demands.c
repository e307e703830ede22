/* What ops, and copies of blocks, demand of layouts: each kind of problem, and the words of one message of
 * each file. */
#include "run_text.h"

#include "ir/ir.h"
#include "physical/demands.h"

enum { MOST = 4 };

typedef struct heard {
    int count;
    tg_problem list[MOST];
} heard;

static void hear(void *context, const tg_problem *problem)
{
    heard *h = context;
    if (h->count < MOST) h->list[h->count] = *problem;
    h->count++;
}

static heard problems_of(const char *text)
{
    heard all = {0};
    tg_problems problems = {.tell = hear, .context = &all};
    tg_module *module = load_kernel(text);
    cr_assert_eq(tg_demands_check(&module->kernels[0], &problems), TG_OK);
    cr_assert_eq((int)problems.count, all.count);
    tg_module_free(module);
    return all;
}

/* One problem, of this kind and in these words. */
static void tells(const char *text, tg_problem_kind kind, const char *message)
{
    const heard all = problems_of(text);
    cr_assert_eq(all.count, 1, "%d problems, the first: %s\n%s", all.count, all.list[0].message,
                 text);
    cr_expect_eq(all.list[0].kind, kind, "%s", all.list[0].message);
    cr_expect_str_eq(all.list[0].message, message);
}

static void tells_nothing(const char *text)
{
    const heard all = problems_of(text);
    cr_expect_eq(all.count, 0, "%s\n%s", all.list[0].message, text);
}

/* ---- agreement ---- */

#define ROWS "'(8,4,2):(4@lane,1@lane,1@reg)'"
#define SUM(left, right)                                                                           \
    "input x f32[8,8]\noutput o f32[8,8]\nbody\n%10:f32[8,8] = load %1 [0:8,0:8]\n"                \
    "%11:f32[8,8]" left " = layout_cast %10\n%12:f32[8,8]" right " = layout_cast %10\n"            \
    "%13:f32[8,8] = add %11 %12\nstore %2 %13 [0:8,0:8]"

Test(demands, of_operands_that_meet)
{
    tells_nothing(SUM(ROWS, ROWS));
    tells(SUM(ROWS, "'(8,2,4):(4@lane,1@reg,1@lane)'"), TG_PROBLEM_MISMATCH,
          "operand 1 of add is held as (8,2,4):(4@lane,1@reg,1@lane), wanted is "
          "(32,2):(1@lane,1@reg): element (0,1) is in lane 1, wanted in reg 1");
}

#define OF_ROWS(op, to, result, rest)                                                              \
    "input x f32[8,12]\noutput o f32[8,12]\nbody\n"                                                \
    "%10:f32[8,12]'(8,12):(1@lane,1@reg)' = load %1 [0:8,0:12]\n%11:" to "'" result "' = " op      \
    " %10 " rest "\nstore %2 %10 [0:8,0:12]"

/* Cumulative ops, sorts and reductions to indices. */
Test(demands, of_ops_along_an_axis)
{
    tells_nothing(OF_ROWS("cumsum", "f32[8,12]", "(8,12):(1@lane,1@reg)", "axis=1"));
    tells(OF_ROWS("cumsum", "f32[8,12]", "(8,12):(12@reg,1@reg)", "axis=1"), TG_PROBLEM_MISMATCH,
          "the result of cumsum is held as 96:1@reg, wanted is (8,12):(1@lane,1@reg): element "
          "(1,0) is in reg 12, wanted in lane 1");
    tells_nothing(
        OF_ROWS("sort", "f32[8,12]", "(8,12):(1@lane,1@reg)", "axis=1 keys=1 descending=false"));
    tells(OF_ROWS("sort", "f32[8,12]", "(8,12):(12@reg,1@reg)", "axis=1 keys=1 descending=false"),
          TG_PROBLEM_MISMATCH,
          "the result of sort is held as 96:1@reg, wanted is (8,12):(1@lane,1@reg): element (1,0) "
          "is in reg 12, wanted in lane 1");
    tells_nothing(OF_ROWS("argmax", "i32[8]", "(8):(1@lane)", "axis=1"));
    tells(OF_ROWS("argmax", "i32[8]", "(8):(2@lane)", "axis=1"), TG_PROBLEM_MISMATCH,
          "the result of argmax is held as 8:1@lane, wanted is 8:2@lane: element (1) is in lane 1, "
          "wanted in lane 2");
}

/* Elements that an op only renames are where the operand has them. */
Test(demands, of_other_indices)
{
    tells_nothing(OF_ROWS("rev", "f32[8,12]", "(8,12):(1@lane,-1@reg) + 11@reg", "axes=[1]"));
    tells_nothing(
        OF_ROWS("rev", "f32[8,12]", "(8,12):(-1@lane,-1@reg) + 7@lane + 11@reg", "axes=[0,1]"));
    tells(OF_ROWS("rev", "f32[8,12]", "(8,12):(1@lane,-1@reg) + 11@reg", "axes=[0]"),
          TG_PROBLEM_MISMATCH,
          "the result of rev is held as (8,12):(1@lane,-1@reg) + 11@reg, wanted is "
          "(8,12):(-1@lane,1@reg) + 7@lane: element (0,0) is in reg 11, wanted in lane 7");
    tells_nothing(OF_ROWS("slice", "f32[4,5]", "(4,5):(2@lane,2@reg) + 1@lane + 2@reg",
                          "start=[1,2] stride=[2,2]"));
    tells(OF_ROWS("slice", "f32[4,5]", "(4,5):(2@lane,2@reg) + 2@reg", "start=[1,2] stride=[2,2]"),
          TG_PROBLEM_MISMATCH,
          "the result of slice is held as (4,5):(2@lane,2@reg) + 2@reg, wanted is "
          "(4,5):(2@lane,2@reg) + 1@lane + 2@reg: element (0,0) is in reg 2, wanted in lane 1, reg "
          "2");
    tells(OF_ROWS("slice", "f32[8,3]", "(8,3):(1@lane,5@reg)", "start=[0,0] stride=[1,5]"),
          TG_PROBLEM_UNCHECKED,
          "the result of slice is not checked: its last stride ends beyond the operand");
    tells(OF_ROWS("bitcast", "u16[8,12,2]", "(8,24):(1@lane,1@reg)", ""), TG_PROBLEM_UNCHECKED,
          "the result of bitcast is not checked: its elements are parts of the operand's, or "
          "several");
}

#define AGAIN(condition, body)                                                                     \
    "input x f32[8,8]\noutput o f32[8,8]\nbody\n%10:f32[8,8] = load %1 [0:8,0:8]\n"                \
    "%11:f32[8,8]" ROWS " = layout_cast %10\n%12:f32[8,8] = while %11 { (%20:f32[8,8]" condition   \
    ") %21:bool[] = constant value=false; yield %21 } { (%30:f32[8,8]" body                        \
    ") yield %11 }\nstore %2 %12 [0:8,0:8]"

/* Both the condition and the body take the carry. */
Test(demands, of_loops)
{
    static const char found[] = "argument 0 of while is held as (8,2,4):(4@lane,1@reg,1@lane), "
                                "wanted is (32,2):(1@lane,1@reg): element (0,1) is in lane 1, "
                                "wanted in reg 1";
    tells_nothing(AGAIN(ROWS, ROWS));
    tells(AGAIN("'(8,2,4):(4@lane,1@reg,1@lane)'", ""), TG_PROBLEM_MISMATCH, found);
    tells(AGAIN("", "'(8,2,4):(4@lane,1@reg,1@lane)'"), TG_PROBLEM_MISMATCH, found);
}

/* The result of an op with regions, which is held as ROWS without saying so, meets another layout. */
#define RESULT(op)                                                                                 \
    "input x f32[8,8]\noutput o f32[8,8]\nbody\n%10:f32[8,8] = load %1 [0:8,0:8]\n"                \
    "%11:f32[8,8]" ROWS " = layout_cast %10\n%9:bool[] = constant value=false\n"                   \
    "%12:f32[8,8]'(8,2,4):(4@lane,1@reg,1@lane)' = layout_cast %10\n%13:f32[8,8] = " op            \
    "\n%14:f32[8,8] = add %13 %12\nstore %2 %14 [0:8,0:8]"

Test(demands, of_results_of_loops_and_branches)
{
    static const char found[] = "operand 1 of add is held as (8,2,4):(4@lane,1@reg,1@lane), wanted "
                                "is (32,2):(1@lane,1@reg): element (0,1) is in lane 1, wanted in "
                                "reg 1";
    tells(RESULT("while %11 { (%20:f32[8,8]) %21:bool[] = constant value=false; yield %21 } "
                 "{ (%30:f32[8,8]) yield %30 }"),
          TG_PROBLEM_MISMATCH, found);
    tells(RESULT("switch %9 { () yield %11 } { () yield %11 }"), TG_PROBLEM_MISMATCH, found);
}

/* A column that is repeated along the rows. */
#define REPEATED(column)                                                                           \
    "input x f32[8,1]\noutput o f32[8,8]\nbody\n%10:f32[8,1]'" column                              \
    "' = load %1 [0:8,0:1]\n%11:f32[8,8]" ROWS                                                     \
    " = broadcast_in_dim %10 dims=[0,1]\nstore %2 %11 [0:8,0:8]"

Test(demands, of_columns_that_are_repeated)
{
    tells_nothing(REPEATED("8:4@lane + [4:1@lane]"));
    tells(REPEATED("8:4@lane"), TG_PROBLEM_MISMATCH,
          "operand 0 of broadcast_in_dim is held as 8:4@lane, wanted is 8:4@lane + [4:1@lane]: "
          "element (0,0) is in lane 0, reg 0, wanted in lane 1");
}

/* ---- products ---- */

#define PRODUCT(b)                                                                                 \
    "input a f16[32,16]\ninput b f16[16,8]\noutput o f32[32,8]\nbody\n"                            \
    "%10:f16[32,16] = load %1 [0:32,0:16]\n%11:f16[16,8] = load %2 [0:16,0:8]\n"                   \
    "%12:f16[16,8]'" b "' = layout_cast %11\n"                                                     \
    "%13:f32[32,8]'(2,2,8,4,2):(1@warp,2@reg,4@lane,1@lane,1@reg)' = dot_general %10 %12 "         \
    "lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[] instruction='mma'\n"              \
    "store %3 %13 [0:32,0:8]"
#define COLUMNS "(2,4,2,8):(2@reg,1@lane,1@reg,4@lane)"

Test(demands, of_products)
{
    tells_nothing(PRODUCT(COLUMNS " + [2:1@warp]"));
    tells(PRODUCT(COLUMNS), TG_PROBLEM_MISMATCH,
          "operand 1 of dot_general is held as " COLUMNS ", wanted is " COLUMNS
          " + [2:1@warp]: element (0,0) is in lane 0, reg 0, wanted in warp 1");
}

/* A of m x k elements times B, both in shared memory with a swizzle of 128 bytes. */
#define IN_SHARED(name, shape, layout)                                                             \
    "scratch " name " f16[" shape "] space=smem layout='Sw<3,4,3>@byte o " layout "'\n"
#define THROUGH(loaded, again, param, scratch, shape, index)                                       \
    loaded ":f16[" shape "] = load " param " " index "\nstore " scratch " " loaded " " index       \
           "\n" again ":f16[" shape "] = load " scratch " " index "\n"
#define OF_SHARED(m, k, a, b, held)                                                                \
    "input a f16[" m "," k "]\ninput b f16[8," k "]\noutput o f32[" m                              \
    ",8]\n" IN_SHARED("s", m "," k, a) IN_SHARED("t", "8," k, b) "body\n" THROUGH(                 \
        "%10", "%11", "%1", "%4", m "," k, "[0:" m ",0:" k "]")                                    \
        THROUGH("%12", "%13", "%2", "%5", "8," k,                                                  \
                "[0:8,0:" k                                                                        \
                "]") "%14:f32[" m ",8]'" held                                                      \
                     "' = dot_general %11 %13 lhs_contract=[1] rhs_contract=[1] "                  \
                     "lhs_batch=[] rhs_batch=[] instruction='wgmma'\nstore %3 %14 [0:" m ",0:8]"
#define LATER_ROWS(at)                                                                             \
    OF_SHARED("128", "64", "(2,64,64):(" at "@byte,128@byte,2@byte)", "(8,64):(128@byte,2@byte)",  \
              "(2,4,2,8,4,2):(4@reg,1@wid_in_wg,2@reg,4@lane,1@lane,1@reg)")
#define LATER_COLUMNS(at)                                                                          \
    OF_SHARED("64", "128", "(64,2,64):(128@byte," at "@byte,2@byte)",                              \
              "(8,2,64):(128@byte,1024@byte,2@byte)",                                              \
              "(4,2,8,4,2):(1@wid_in_wg,2@reg,4@lane,1@lane,1@reg)")

/* A product beside the threads of `rows` x 64 elements times 64 x 8, which are held as 8 x 64. */
#define STARTED(rows, space, swizzle, left)                                                        \
    "scratch a f16[" rows ",64] space=" space " layout='" swizzle "@byte o (" rows                 \
    ",64):(128@byte,2@byte)'\nscratch b f16[8,64] space=smem "                                     \
    "layout='Sw<3,4,3>@byte o (8,64):(128@byte,2@byte)'\nbody\n%10:i32[] = constant value=0\n"     \
    "scoped { (%11:ref<f32[" rows ",8]>) %12:ref<f16[64,8]> = view_transpose %2 "                  \
    "permutation=[1,0]\n%13:f16[" rows ",64] = load %1 [0:" rows ",0:64]\n"                        \
    "dot_start %11 " left " %12 instruction='wgmma'\ndot_commit; dot_wait_groups %10; yield }\n"

Test(demands, of_a_product_beside_the_threads)
{
    tells_nothing(STARTED("64", "smem", "Sw<3,4,3>", "%1"));
    tells_nothing(STARTED("128", "smem", "Sw<3,4,3>", "%1"));
    tells_nothing(STARTED("64", "smem", "Sw<2,4,3>", "%13"));
    tells(STARTED("64", "gmem", "Sw<3,4,3>", "%1"), TG_PROBLEM_ILLEGAL,
          "operand 1 of dot_start is in memory space gmem; the instruction takes it from smem");
    tells(STARTED("64", "smem", "Sw<2,4,3>", "%1"), TG_PROBLEM_MISMATCH,
          "operand 1 of dot_start is in memory as Sw<2,3,3> o 4096:1, which no descriptor of "
          "matrices gives: the stride of the 8 rows of an atom, along MN is 128 bytes, not 64");
    tells(STARTED("32", "smem", "Sw<3,4,3>", "%1"), TG_PROBLEM_ILLEGAL,
          "dot_start: wgmma_m: M is 32; M is a multiple of 64 (PTX ISA, wgmma.mma_async)");
}

/* Likewise of tcgen05, whose sum is in tensor memory: 128 x 64 elements times 64 x 8. */
#define IN_TMEM(space, swizzle)                                                                    \
    "scratch a f16[128,64] space=" space " layout='" swizzle                                       \
    "@byte o (128,64):(128@byte,2@byte)'\n"                                                        \
    "scratch b f16[8,64] space=smem layout='Sw<3,4,3>@byte o (8,64):(128@byte,2@byte)'\n"          \
    "scratch d f32[128,8] space=tmem\nscratch r barrier[] arrivals=1\nbody\n"                      \
    "%12:ref<f16[64,8]> = view_transpose %2 permutation=[1,0]\n"                                   \
    "dot_start %3 %1 %12 replaces=true instruction='tcgen05'; dot_arrive %4; barrier_wait %4\n"

Test(demands, of_a_product_in_tensor_memory)
{
    tells_nothing(IN_TMEM("smem", "Sw<3,4,3>"));
    tells_nothing(IN_TMEM("tmem", "Sw<2,4,3>"));
    tells("scratch b f16[64,8] space=smem\nscratch d f32[128,8] space=tmem\nbody\n"
          "%10:f16[128,64] = constant value=0\n"
          "dot_start %2 %10 %1 replaces=true instruction='tcgen05'; dot_commit\n",
          TG_PROBLEM_ILLEGAL,
          "operand 1 of dot_start is in registers; the instruction takes it from smem");
    tells(IN_TMEM("smem", "Sw<2,4,3>"), TG_PROBLEM_MISMATCH,
          "operand 1 of dot_start is in memory as Sw<2,3,3> o 8192:1, which no descriptor of "
          "matrices gives: the stride of the 8 rows of an atom, along MN is 128 bytes, not 64");
}

/* A later part of A that begins in the middle of the pattern of the swizzle: of the rows, and along K. */
Test(demands, of_each_part_of_a_product)
{
    static const char *const wrong[] = {LATER_ROWS("8704"), LATER_COLUMNS("8704")};
    tells_nothing(LATER_ROWS("8192"));
    tells_nothing(LATER_COLUMNS("8192"));
    for (int i = 0; i < 2; i++) {
        const heard all = problems_of(wrong[i]);
        cr_assert_eq(all.count, 1, "%d: %s", all.count, all.list[0].message);
        cr_expect(strstr(all.list[0].message, "32 bytes from 8704 on are not in the first of 8"),
                  "%s", all.list[0].message);
    }
}

/* ---- transfers ---- */

#define MATRICES(memory, held)                                                                     \
    "input x f16[8,8]\noutput o f16[8,8]\nscratch s f16[8,8] layout='" memory                      \
    "'\nbody\n%10:f16[8,8] = load %1 [0:8,0:8]\nstore %3 %10 [0:8,0:8]\n"                          \
    "%11:f16[8,8]'" held "' = load %3 [0:8,0:8] instruction='ldmatrix'\n"                          \
    "store %2 %11 [0:8,0:8]"

Test(demands, of_transfers)
{
    tells_nothing(MATRICES("(8,8):(40,1)", "(8,4,2):(4@lane,1@lane,1@reg)"));
    tells_nothing(MATRICES("(8,8):(1,40)", "(4,2,8):(1@lane,1@reg,4@lane)"));
    tells(MATRICES("(8,8):(36,1)", "(8,4,2):(4@lane,1@lane,1@reg)"), TG_PROBLEM_ILLEGAL,
          "operand 0 of load: the row of a matrix from element 8 on is not 16 bytes at a multiple "
          "of 16, but at byte 72; each row begins at a multiple of 16 bytes (PTX ISA, ldmatrix, "
          "stmatrix)");
}

/* Columns of memory that are rows of what is loaded. */
Test(demands, of_transposed_memory)
{
    tells_nothing("input x f16[8,16]\noutput o f16[16,8]\nscratch s f16[8,16] "
                  "layout='(8,16):(1,40)'\nbody\n"
                  "%10:f16[8,16] = load %1 [0:8,0:16]\nstore %3 %10 [0:8,0:16]\n"
                  "%11:ref<f16[16,8]> = view_transpose %3 permutation=[1,0]\n"
                  "%12:f16[16,8]'(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)' = load %11 [0:16,0:8] "
                  "instruction='ldmatrix'\nstore %2 %12 [0:16,0:8]");
}

/* ---- copies of blocks ---- */

#define COPIED(layout)                                                                             \
    "input x f32[16,8] space=smem layout='" layout "'\noutput o f32[16,8]\nbody\n"                 \
    "%10:f32[16,8] = load %1 [0:16,0:8]\nstore %2 %10 [0:16,0:8]"

Test(demands, of_copies)
{
    tells_nothing(COPIED("Sw<1,4,3>@byte o (16,8):(32@byte,4@byte)"));
    tells(COPIED("(16,8):(12,1)"), TG_PROBLEM_ILLEGAL,
          "the block of x cannot be copied to shared memory as its layout says: what is copied has "
          "no gaps in shared memory, and lies there once: 16 elements are 12 apart, not 8");
}

/* ---- copies by the tensor memory accelerator ---- */

/* A part of x goes to a slot of s, which the run decides, from there to o. */
#define TMA(slots, from, into)                                                                     \
    "input x f16[64,256]\noutput o f16[32,64]\nscratch s f16[2,32,64] space=smem layout='" slots   \
    "'\nscratch d dma_sem[]\nbody\n" from "dma_start %10 %11 %4 instruction='tma'\n"               \
    "dma_wait %11 %4\n" into "dma_wait %2 %4\n"
#define SLOT "view %3 %9 [@,0:32,0:64]\n"
#define PART                                                                                       \
    "%9:i32[] = constant value=1\n%10:ref<f16[32,64]> = view %1 [0:32,64:64]\n"                    \
    "%11:ref<f16[32,64]> = " SLOT
#define BACK "dma_start %11 %2 %4 instruction='tma'\n"

Test(demands, of_tma_copies)
{
    tells_nothing(TMA("Sw<3,4,3>@byte o (2,32,64):(4096@byte,128@byte,2@byte)", PART, BACK));
    const heard all =
        problems_of(TMA("Sw<2,4,3>@byte o (2,32,64):(4096@byte,128@byte,2@byte)", PART, BACK));
    cr_assert_eq(all.count, 2);
    cr_expect_str_eq(all.list[0].message,
                     "no copy by tma leaves operand 1 of dma_start as its layout says: "
                     "tma_swizzle_box: it has 64 elements of 16 bits, the swizzle 64 bytes; the "
                     "last dimension of a box is at most as long as the swizzle (CUDA driver API, "
                     "cuTensorMapEncodeTiled)");
    cr_expect(strstr(all.list[1].message, "leaves operand 0 of dma_start"), "%s",
              all.list[1].message);
}

/* A matrix of several: the dimension in which the view has one position is none of the box. */
Test(demands, of_tma_copies_of_one_of_several)
{
    tells_nothing("input x f16[2,64,256]\noutput o f16[32,64]\nscratch s f16[32,64] space=smem "
                  "layout='Sw<3,4,3>@byte o (32,64):(128@byte,2@byte)'\nscratch d dma_sem[]\nbody\n"
                  "%9:i32[] = constant value=1\n%10:ref<f16[32,64]> = view %1 %9 [@,0:32,64:64]\n"
                  "dma_start %10 %3 %4 instruction='tma'\ndma_wait %3 %4\n"
                  "dma_start %3 %2 %4 instruction='tma'\ndma_wait %2 %4");
}

/* A part whose place the run knows, and which may reach out of the array. */
Test(demands, of_tma_copies_of_parts)
{
#define OF_PART(swizzle)                                                                           \
    "input x f16[100,256]\noutput o f16[32,64]\nscratch s f16[32,64] space=smem "                  \
    "layout='" swizzle " o (32,64):(128@byte,2@byte)'\nscratch d dma_sem[]\nbody\n"                \
    "%9:i32[] = program_id axis=0; %20:i32[] = constant value=32; %21:i32[] = constant value=64\n" \
    "%10:ref<f16[32,64]> = view_part %1 %9 %9 %20 %21 beyond=[32,64]\n"                            \
    "dma_start %10 %3 %4 instruction='tma'\ndma_wait %3 %4\n"
    tells_nothing("grid 4\n" OF_PART("Sw<3,4,3>@byte"));
    tells("grid 4\n" OF_PART("Sw<2,4,3>@byte"), TG_PROBLEM_ILLEGAL,
          "no copy by tma leaves operand 1 of dma_start as its layout says: tma_swizzle_box: it "
          "has 64 elements of 16 bits, the swizzle 64 bytes; the last dimension of a box is at "
          "most as long as the swizzle (CUDA driver API, cuTensorMapEncodeTiled)");
}

Test(demands, of_tma_copies_that_are_none)
{
    tells(TMA("(2,32,64):(4096@byte,128@byte,2@byte)", PART,
              "%12:ref<f16[32,64]> = view %1 [0:32,0:64]\ndma_start %12 %2 %4 instruction='tma'\n"),
          TG_PROBLEM_ILLEGAL,
          "no operand of dma_start is in smem; tma copies between global and shared memory");
    tells(TMA("(2,32,64):(4096@byte,128@byte,2@byte)", PART,
              "%12:ref<f16[32,64]> = " SLOT "dma_start %11 %12 %4 "
              "instruction='tma'\ndma_wait %12 %4\n" BACK),
          TG_PROBLEM_UNCHECKED,
          "operand 0 of dma_start is no part of an array that slices without strides give");
}

/* ---- two elements at one place ---- */

#define SCRATCH(layout)                                                                            \
    "input x f32[4,8]\noutput o f32[4,8]\nscratch s f32[4,8] layout='" layout "'\nbody\n"          \
    "%10:f32[4,8] = load %1 [0:4,0:8]\nstore %3 %10 [0:4,0:8]\n"                                   \
    "%11:f32[4,8] = load %3 [0:4,0:8]\nstore %2 %11 [0:4,0:8]"

Test(demands, of_places)
{
    tells_nothing(SCRATCH("(4,8):(9,1)"));
    tells(SCRATCH("(4,8):(6,1)"), TG_PROBLEM_OVERLAP,
          "two elements of s are at one place as (4,8):(6,1): elements (0,6) and (1,0) are both at "
          "m 6");
}

/* ---- what is not checked ---- */

/* Strided slices have no layout that the check knows of. */
Test(demands, that_are_not_checked)
{
    const heard all = problems_of(
        "input x f16[8,16]\noutput o f16[8,8]\nscratch s f16[8,16]\nbody\n"
        "%10:f16[8,16] = load %1 [0:8,0:16]\nstore %3 %10 [0:8,0:16]\n"
        "%11:f16[8,8]'(8,4,2):(4@lane,1@lane,1@reg)' = load %3 [0:8,0:8:2] instruction='ldmatrix'\n"
        "store %2 %11 [0:8,0:8]");
    cr_assert_eq(all.count, 1);
    cr_expect_eq(all.list[0].kind, TG_PROBLEM_UNCHECKED);
    cr_expect(strstr(all.list[0].message, "a slice with a stride"), "%s", all.list[0].message);
}

/* An accumulator is in scratch of its own; nothing moves it to other lanes. */
Test(demands, of_what_is_in_tensor_memory)
{
#define ACCUMULATOR(memory, at)                                                                    \
    "output o f32[1]\nscratch a f16[64,16] space=smem\n"                                           \
    "scratch s f32[64,128] space=tmem layout='" memory "'\nbody\n"                                 \
    "%10:f16[64,16] = constant value=0\n"                                                          \
    "%11:f32[64,64]'(4,16,64):(32@TLane,1@TLane,1@TCol)' = dot_general %10 %10 lhs_contract=[1] "  \
    "rhs_contract=[1] lhs_batch=[] rhs_batch=[] instruction='tcgen05'\n"                           \
    "store %3 %11 [0:64," at "]\n%99:f32[1] = constant value=0\nstore %1 %99 [0:1]"
    tells_nothing(ACCUMULATOR("(4,16,128):(32@TLane,1@TLane,1@TCol)", "0:64"));
    tells(ACCUMULATOR("(4,16,128):(32@TLane,1@TLane,1@TCol)", "64:64"), TG_PROBLEM_MISMATCH,
          "operand 1 of store is in tensor memory as (4,16,64):(32@TLane,1@TLane,1@TCol), and is "
          "stored in memory that is there as (4,16,128):(32@TLane,1@TLane,1@TCol): it stays where "
          "it is");
    tells(ACCUMULATOR("(4,16,128):(32@TLane,1@TLane,1@TCol) + 1@TLane", "0:64"),
          TG_PROBLEM_MISMATCH,
          "operand 1 of store is in tensor memory as (4,16,64):(32@TLane,1@TLane,1@TCol), and is "
          "stored in memory that is there as (4,16,128):(32@TLane,1@TLane,1@TCol) + 1@TLane: it "
          "stays where it is");
}

/* Only a load of tcgen05 moves what is in tensor memory to registers. */
Test(demands, of_operands_in_other_memory)
{
    tells(
        "output o f32[1]\nscratch a f16[64,16] space=smem\nbody\n"
        "%10:f16[64,16] = constant value=0\n"
        "%11:f32[64,64]'(4,16,64):(32@TLane,1@TLane,1@TCol)' = dot_general %10 %10 "
        "lhs_contract=[1] rhs_contract=[1] lhs_batch=[] rhs_batch=[] instruction='tcgen05'\n"
        "%12:f32[64,64] = constant value=0\n"
        "%13:f32[64,64]'(4,16,64):(1@wid_in_wg,1@lane,1@reg)' = layout_cast %12\n"
        "%14:f32[64,64] = add %13 %11\n"
        "%99:f32[1] = constant value=0\nstore %1 %99 [0:1]",
        TG_PROBLEM_MISMATCH,
        "operand 1 of add: one layout is on memory axis TLane, the other on reg: that is a load or "
        "a store, not a change of layout");
}

/* How elements of 4 bits lie in shared memory is not known. */
Test(demands, of_elements_of_4_bits)
{
    const heard all = problems_of(
        "output o f32[128,64]\n"
        "scratch a f4e2m1fn[128,64] space=smem\nscratch b f4e2m1fn[64,64] space=smem\nbody\n"
        "%10:f4e2m1fn[128,64] = load %2 [0:128,0:64]\n"
        "%11:f4e2m1fn[64,64] = load %3 [0:64,0:64]\n"
        "%12:f32[128,64]'(128,64):(1@TLane,1@TCol)' = dot_general %10 %11 lhs_contract=[1] "
        "rhs_contract=[1] lhs_batch=[] rhs_batch=[] instruction='tcgen05'\n"
        "store %1 %12 [0:128,0:64]");
    cr_assert_eq(all.count, 2);
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(all.list[i].kind, TG_PROBLEM_UNCHECKED);
        cr_expect(strstr(all.list[i].message, "its elements are of less than a byte"), "%s",
                  all.list[i].message);
    }
}

/* B is K x N with its columns in a row.  wgmma cannot take that of elements of 8 bits; tcgen05 can. */
Test(demands, of_bytes_contiguous_along_mn)
{
#define BYTES(instruction, d)                                                                      \
    "output o f32[64,64]\n"                                                                        \
    "scratch s f8e4m3fn[64,64] space=smem layout='Sw<2,4,3>@byte o (64,64):(64@byte,1@byte)'\n"    \
    "body\n%10:f8e4m3fn[64,64] = load %2 [0:64,0:64]\n"                                            \
    "%11:f32[64,64]'" d "' = dot_general %10 %10 lhs_contract=[1] rhs_contract=[0] lhs_batch=[] "  \
    "rhs_batch=[] instruction='" instruction "'\nstore %1 %11 [0:64,0:64]"
    tells(BYTES("wgmma", "(4,2,8,8,4,2):(1@wid_in_wg,2@reg,4@lane,4@reg,1@lane,1@reg)"),
          TG_PROBLEM_MISMATCH,
          "operand 1 of dot_general is in memory as Sw<2,4,3> o 4096:1, which no descriptor of "
          "matrices gives: a matrix that is contiguous along MN has elements of 2 bytes, not of 1");
    tells(BYTES("tcgen05", "(64,2,32):(1@TLane,64@TLane,1@TCol)"), TG_PROBLEM_UNCHECKED,
          "operand 1 of dot_general is not checked: what is contiguous along MN is known of "
          "elements of 2 bytes only");
}

Test(demands, nothing_is_said_of_layouts)
{
    static const char text[] = "input x f32[8]\noutput o f32[8]\nbody\n"
                               "%10:f32[8] = load %1 [0:8]\nstore %2 %10 [0:8]";
    tells_nothing(text);
}
