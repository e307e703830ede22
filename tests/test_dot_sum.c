/* Dots that add a matrix themselves: where the sum may take the place of its addend, and where it may not. */
#include <string.h>

#include "run_text.h"

enum { M = 20, N = 37, K = 30, LONG = 300 };

/* dot_general of %1 and %2, which are loaded as %10 and %11. */
#define PRODUCT(n, m, k)                                                                           \
    "%10:i32[" m "," k "] = load %1 [0:" m ",0:" k "]; %11:i32[" k ",37] = load %2 [0:" k          \
    ",0:37]\n%" n ":i32[" m ",37] = dot_general %10 %11 lhs_contract=[1] rhs_contract=[0] "        \
    "lhs_batch=[] rhs_batch=[]\n"

static int32_t a[M * LONG], b[LONG * N], x[M * N], product[M * N], o[M * N], p[M * N];

static void multiply(int k)
{
    for (int i = 0; i < M * k; i++) a[i] = i % 23 - 11;
    for (int i = 0; i < k * N; i++) b[i] = i % 19 - 9;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            x[i * N + j] = 100 * i + j;
            product[i * N + j] = 0;
            for (int q = 0; q < k; q++) product[i * N + j] += a[i * k + q] * b[q * N + j];
        }
}

/* Runs a kernel, whose plan says `part`, or must not. */
static void check(const char *text, const char *part, bool is_said)
{
    tg_module *module = load_kernel(text);
    char *plan = tg_module_print(module, TG_TEXT_PLAN, NULL);
    cr_assert_not_null(plan);
    cr_expect_eq(strstr(plan, part) != NULL, is_said, "%s:\n%s", part, plan);
    tg_text_free(plan);
    tg_module_free(module);
    expect(text, NAMED({"a", a}, {"b", b}, {"x", x}, {"o", o}, {"p", p}));
}

/* How a dot ends that adds in place. */
#define IN_PLACE "*:i32[20,37] in i32"

#define ARRAYS                                                                                     \
    "input a i32[20,30]\ninput b i32[30,37]\ninput x i32[20,37]\n"                                 \
    "output o i32[20,37] alias=x\noutput p i32[20,37]\nbody\n"

/* Twice, and once from either side; p is computed aside. */
Test(dot_sum, in_place)
{
    multiply(K);
    for (int i = 0; i < M * N; i++) {
        o[i] = x[i] + 2 * product[i];
        p[i] = x[i] - product[i];
    }
    check(ARRAYS "%12:i32[20,37] = load %4 [0:20,0:37]\n" PRODUCT(
              "13", "20", "30") "%14:i32[20,37] = sub %12 %13; store %5 %14 [0:20,0:37]\n"
                                "%15:i32[20,37] = load %4 [0:20,0:37]\n"
                                "%16:i32[20,37] = dot_general %10 %11 lhs_contract=[1] "
                                "rhs_contract=[0] lhs_batch=[] "
                                "rhs_batch=[]\n"
                                "%17:i32[20,37] = add %15 %16; store %4 %17 [0:20,0:37]\n"
                                "%18:i32[20,37] = load %4 [0:20,0:37]\n"
                                "%19:i32[20,37] = dot_general %10 %11 lhs_contract=[1] "
                                "rhs_contract=[0] lhs_batch=[] "
                                "rhs_batch=[]\n"
                                "%20:i32[20,37] = add %19 %18; store %4 %20 [0:20,0:37]\n",
          IN_PLACE, true);
}

/* Blocks of 8 of 20 rows and of 16 of 37 columns: those at the edges are no memory in one piece. */
Test(dot_sum, blocks_at_edges)
{
    multiply(K);
    for (int i = 0; i < M * N; i++) o[i] = x[i] + product[i];
    memcpy(p, o, sizeof p);
    check("grid 3 3\ninput a i32[20,30] block b8 b30 at i 0\ninput b i32[30,37] block b30 b16 at 0 "
          "j\n"
          "input x i32[20,37] block b8 b16 at i j\n"
          "output o i32[20,37] alias=x block b8 b16 at i j\n"
          "output p i32[20,37] block b8 b16 at i j\nbody\n"
          "%10:i32[8,30] = load %1 [0:8,0:30]; %11:i32[30,16] = load %2 [0:30,0:16]\n"
          "%12:i32[8,16] = load %4 [0:8,0:16]\n"
          "%13:i32[8,16] = dot_general %10 %11 lhs_contract=[1] rhs_contract=[0] lhs_batch=[] "
          "rhs_batch=[]\n"
          "%14:i32[8,16] = add %12 %13; store %4 %14 [0:8,0:16]\n"
          "%15:i32[8,16] = load %4 [0:8,0:16]; store %5 %15 [0:8,0:16]\n",
          "*:i32[8,16] in i32", true);
}

/* The addend is wanted again after the sum has taken its place. */
Test(dot_sum, addend_lives_on)
{
    multiply(K);
    for (int i = 0; i < M * N; i++) {
        o[i] = x[i] + product[i];
        p[i] = x[i];
    }
    check(ARRAYS "%12:i32[20,37] = load %4 [0:20,0:37]\n" PRODUCT(
              "13", "20", "30") "%14:i32[20,37] = add %12 %13; store %4 %14 [0:20,0:37]\n"
                                "store %5 %12 [0:20,0:37]\n",
          IN_PLACE, false);
}

/* The product is wanted again: no dot adds. */
Test(dot_sum, product_lives_on)
{
    multiply(K);
    for (int i = 0; i < M * N; i++) o[i] = x[i] + product[i];
    memcpy(p, product, sizeof p);
    check(ARRAYS "%12:i32[20,37] = load %4 [0:20,0:37]\n" PRODUCT(
              "13", "20", "30") "%14:i32[20,37] = add %12 %13; store %4 %14 [0:20,0:37]\n"
                                "store %5 %13 [0:20,0:37]\n",
          "add.i32", true);
}

/* The addend is the block upside down, or its lower part goes to the upper one. */
Test(dot_sum, addend_from_elsewhere)
{
    multiply(K);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            o[i * N + j] = x[(M - 1 - i) * N + j] + product[i * N + j];
            p[i * N + j] = x[i * N + j];
        }
    check(ARRAYS
          "%30:i32[20,37] = load %3 [0:20,0:37]; store %5 %30 [0:20,0:37]\n"
          "%12:i32[20,37] = load %4 [0:20,0:37]; %21:i32[20,37] = rev %12 axes=[0]\n" PRODUCT(
              "13", "20", "30") "%14:i32[20,37] = add %21 %13; store %4 %14 [0:20,0:37]\n",
          IN_PLACE, false);
    memcpy(o, x, sizeof o);
    for (int i = 0; i < 8 * N; i++) o[i] = x[i + 4 * N] + product[i];
    check(ARRAYS "%30:i32[20,37] = load %3 [0:20,0:37]; store %5 %30 [0:20,0:37]\n"
                 "%12:i32[8,37] = load %4 [4:8,0:37]\n"
                 "%10:i32[8,30] = load %1 [0:8,0:30]; %11:i32[30,37] = load %2 [0:30,0:37]\n"
                 "%13:i32[8,37] = dot_general %10 %11 lhs_contract=[1] rhs_contract=[0] "
                 "lhs_batch=[] rhs_batch=[]\n"
                 "%14:i32[8,37] = add %12 %13; store %4 %14 [0:8,0:37]\n",
          "*:i32[8,37] in i32", false);
}

/* So long a sum is computed in several blocks of k, whose unfinished sums would be where the addend is. */
Test(dot_sum, long_sums)
{
    multiply(LONG);
    for (int i = 0; i < M * N; i++) o[i] = x[i] + product[i];
    memcpy(p, x, sizeof p);
    check("input a i32[20,300]\ninput b i32[300,37]\ninput x i32[20,37]\n"
          "output o i32[20,37] alias=x\noutput p i32[20,37]\nbody\n"
          "%30:i32[20,37] = load %3 [0:20,0:37]; store %5 %30 [0:20,0:37]\n"
          "%12:i32[20,37] = load %4 [0:20,0:37]\n" PRODUCT(
              "13", "20", "300") "%14:i32[20,37] = add %12 %13; store %4 %14 [0:20,0:37]\n",
          IN_PLACE, false);
}

/* In loops: one sum of a product made before the loop, and one that the loop carries. */
Test(dot_sum, loops)
{
    multiply(K);
    for (int i = 0; i < M * N; i++) {
        o[i] = x[i] + 3 * product[i];
        p[i] = 4 * product[i];
    }
    check(ARRAYS "%12:i32[] = constant value=0; %15:i32[] = constant value=1; %16:i32[] = constant "
                 "value=3\n%17:i32[20,37] = load %4 [0:20,0:37]\n" PRODUCT(
                     "13", "20",
                     "30") "for %12 %16 %15 { (%20:i32[]) %21:i32[20,37] = load %4 [0:20,0:37]; "
                           "%22:i32[20,37] = add %21 %13; store %4 %22 [0:20,0:37]; yield }\n"
                           "%23:i32[20,37] = for %12 %16 %15 %13 { (%24:i32[] %25:i32[20,37])\n"
                           "%26:i32[20,37] = dot_general %10 %11 lhs_contract=[1] rhs_contract=[0] "
                           "lhs_batch=[] rhs_batch=[]\n"
                           "%27:i32[20,37] = add %25 %26; yield %27 }\n"
                           "store %5 %23 [0:20,0:37]\n",
          IN_PLACE, false);
}
