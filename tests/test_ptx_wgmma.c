/* Products beside the threads as wgmma: with `--tensor-core sm90` the emulator's bits are the interpreter's, in every order of
 * warps; integers are exact in every profile; what no instruction has is refused, with its place. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */

#include <math.h>

#include "gpu_backend/device/device_emulator.h"
#include "gpu_backend/run.h"
#include "ir/bits.h"
#include "ptx_of_text.h"

enum { MOST_TEXT = 2048, SEEDS = 3 };

/* ---- kernels ---- */

typedef struct shape {
    const char *lhs, *rhs, *sum;
    int m, n, k;
    bool lhs_is_value, replaces, twice, has_teams, turned;
} shape;

/* Each of its lines, where it is wanted, else "". */
#define LINE_IF(condition, line) ((condition) ? (line) : "")

/* A sum in scratch, which begins as c, and one product or two; with teams, of the second of two threads. */
static const char *kernel_of(const shape *s)
{
    static char text[MOST_TEXT];
    char sum[64], x[64], y[64], turn[128], product[128];
    snprintf(sum, sizeof sum, "%s[%d,%d]", s->sum, s->m, s->n);
    snprintf(x, sizeof x, "%s[%d,%d]", s->lhs, s->m, s->k);
    snprintf(y, sizeof y, "%s[%d,%d]", s->rhs, s->turned ? s->n : s->k, s->turned ? s->k : s->n);
    snprintf(turn, sizeof turn, "%%12:ref<%s[%d,%d]> = view_transpose %%2 permutation=[1,0]\n",
             s->rhs, s->k, s->n);
    snprintf(product, sizeof product, "dot_start %%5 %s %s%s loc=7; dot_commit\n",
             s->lhs_is_value ? "%10" : "%1", s->turned ? "%12" : "%2",
             LINE_IF(s->replaces, " replaces=true"));
    snprintf(text, sizeof text,
             "%sinput a %s\ninput b %s\ninput c %s\noutput o %s\nscratch s %s\nbody\n"
             "%%9:i32[] = constant value=0\n%s%s%%10:%s = load %%1 [0:%d,0:%d]\n"
             "%%11:%s = load %%3 [0:%d,0:%d]\nstore %%5 %%11 [0:%d,0:%d]\n%s%s"
             "dot_wait_groups %%9\n%%13:%s = load %%5 [0:%d,0:%d]\nstore %%4 %%13 [0:%d,0:%d]\n%s",
             LINE_IF(s->has_teams, "grid 1p 2t\n"), x, y, sum, sum, sum,
             LINE_IF(s->has_teams, "%7:i32[] = program_id axis=1\nswitch %7 { } {\n"),
             LINE_IF(s->turned, turn), x, s->m, s->k, sum, s->m, s->n, s->m, s->n, product,
             LINE_IF(s->twice, product), sum, s->m, s->n, s->m, s->n, LINE_IF(s->has_teams, "}\n"));
    return text;
}

/* ---- arrays ---- */

/* Numbers of many sizes: sums lose digits, but do not overflow. */
static void fill(tg_array *array, const char *dtype, uint64_t seed)
{
    const tg_dtype d = tg_dtype_by_name(dtype);
    const size_t bytes = tg_dtypes[d].bytes;
    const int spread = bytes == 1 ? 5 : 10;
    int64_t count = 1;
    for (int i = 0; i < array->tensor.ndim; i++) count *= array->tensor.shape[i];
    for (int64_t i = 0; i < count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t random = seed >> 20;
        const double value =
            ldexp((double)(int64_t)(random % 4096) - 2048, (int)(random >> 12) % spread - 13);
        const uint64_t bits = tg_is_float(d) ? tg_bits_round(d, value) : random;
        memcpy((char *)array->tensor.data + i * (int64_t)bytes, &bits, bytes);
    }
}

static arrays new_arrays(const tg_module *module, const shape *s, const void *want)
{
    static const unsigned char blank[1 << 20];
    arrays all = make_arrays(module, NAMED({"a", blank}, {"b", blank}, {"c", blank}, {"o", want}));
    for (size_t i = 0; i < all.count; i++) {
        if (all.is_output[i]) continue;
        fill(&all.list[i], i == 0 ? s->lhs : i == 1 ? s->rhs : s->sum, 7 * i + 1);
        all.given[i] = NULL;
    }
    return all;
}

/* ---- bits ---- */

static void check(const shape *s, const char *core)
{
    const char *text = kernel_of(s);
    tg_module *module = load_kernel(text);
    arrays want = new_arrays(module, s, NULL);
    tg_run_options options = {.size = sizeof options, .tensor_core = core};
    tg_report_free(run_once(module, &want, &options));
    for (int seed = 0; seed < SEEDS; seed++) {
        char backend[32];
        arrays got = new_arrays(module, s, array_data(&want, "o"));
        snprintf(backend, sizeof backend, "emulator:%d", seed);
        options.backend = backend;
        tg_report_free(run_once(module, &got, &options));
        compare_arrays(&got, text);
        free_arrays(&got);
    }
    free_arrays(&want);
    tg_module_free(module);
}

/* Every dtype; edges of tiles in each direction; k of one step, of an odd number and of several chunks. */
static const shape shapes[] = {
    {"f16", "f16", "f32", 64, 8, 16, 0, 0, 0, 0, 0},
    {"f16", "f16", "f32", 64, 64, 64, 0, 0, 1, 0, 0},
    {"f16", "f16", "f32", 70, 72, 40, 0, 0, 0, 0, 0},
    {"f16", "f16", "f32", 200, 130, 56, 0, 1, 0, 0, 0},
    {"f16", "f16", "f32", 3, 5, 7, 1, 0, 0, 0, 0},
    {"f16", "f16", "f32", 64, 24, 32, 1, 1, 0, 0, 1},
    {"f16", "f16", "f16", 80, 20, 48, 0, 0, 1, 0, 0},
    {"f16", "f16", "f16", 64, 16, 16, 0, 1, 0, 0, 0},
    {"bf16", "bf16", "f32", 64, 40, 50, 0, 0, 0, 0, 1},
    {"f32", "f32", "f32", 64, 16, 20, 1, 0, 0, 0, 0},
    {"f32", "f32", "f32", 65, 9, 8, 0, 1, 0, 0, 1},
    {"f8e4m3fn", "f8e4m3fn", "f32", 64, 16, 64, 0, 0, 1, 0, 0},
    {"f8e5m2", "f8e4m3fn", "f32", 20, 12, 33, 1, 0, 0, 0, 0},
    {"f8e4m3fn", "f8e5m2", "f16", 64, 16, 96, 0, 0, 0, 0, 0},
    {"i8", "i8", "i32", 64, 36, 64, 0, 0, 1, 0, 0},
    {"i8", "i8", "i32", 20, 20, 40, 1, 1, 0, 0, 1},
    {"u8", "u8", "u32", 64, 50, 33, 0, 0, 0, 0, 0},
    {"f16", "f16", "f32", 64, 32, 48, 0, 0, 1, 1, 0},
    {"i8", "u8", "i32", 16, 16, 32, 0, 0, 0, 0, 0}, /* in software, which is exact */
    {"f64", "f64", "f64", 8, 8, 8, 0, 0, 0, 0, 0},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, SOFTWARE = SHAPES - 2 };

Test(ptx_wgmma, sums_are_those_of_the_interpreter)
{
    for (int i = 0; i < SHAPES; i++) check(&shapes[i], "sm90");
}

/* ---- profile fast ---- */

static void set_whole(const shape *s, size_t array, void *data, size_t i)
{
    const double value = (double)(i * 7919 % 33) - 16;
    const tg_dtype d = tg_dtype_by_name(array == 0 ? s->lhs : array == 1 ? s->rhs : s->sum);
    const uint64_t bits = tg_bits_round(d, value);
    memcpy((char *)data + i * tg_dtypes[d].bytes, &bits, tg_dtypes[d].bytes);
}

static double element(const char *dtype, const void *data, int i)
{
    const tg_dtype d = tg_dtype_by_name(dtype);
    uint64_t bits = 0;
    memcpy(&bits, (const char *)data + (size_t)i * tg_dtypes[d].bytes, tg_dtypes[d].bytes);
    return tg_bits_value(d, bits);
}

/* Sums in double precision are exact here but for what no bound notices.  What is added to is a term as well. */
static void compare_within(const shape *s, bool is_whole, void *const *data)
{
    for (int row = 0; row < s->m; row++)
        for (int column = 0; column < s->n; column++) {
            const int at = row * s->n + column;
            double sum = element(s->sum, data[2], at), size = fabs(sum);
            for (int k = 0; k < s->k; k++) {
                const double product = element(s->lhs, data[0], row * s->k + k) *
                                       element(s->rhs, data[1], k * s->n + column);
                sum += product;
                size += fabs(product);
            }
            const double n = 2 * (s->k + 2), u = ldexp(1, -24), off = size * n * u / (1 - n * u);
            cr_assert_leq(fabs(element(s->sum, data[3], at) - sum), is_whole ? 0 : off,
                          "row %d, column %d", row, column);
        }
}

/* Without an option of sums: of small whole numbers they are exact however they are added, and otherwise
 * within the bound of docs/gpu.md, in each of the emulator's ways. */
static void check_fast(const shape *s, bool is_whole)
{
    enum { WAYS = 3 };
    tg_module *module = load_kernel(kernel_of(s));
    tg_diags diags = {0};
    tg_plan *plan;
    cr_assert_eq(tg_plan_new(module, &module->kernels[0], &plan, &diags), TG_OK);
    for (uint64_t seed = 0; seed < WAYS; seed++) {
        tg_findings findings;
        tg_gpu_runner *runner;
        cr_assert(tg_findings_init(&findings, 1));
        tg_device *device = tg_device_emulator(seed);
        const tg_gpu_settings settings = {.plan = plan,
                                          .device = device,
                                          .ptx = {.target = "sm_90a", .is_fast = true},
                                          .most_ctas = 1};
        cr_assert_eq(tg_gpu_runner_new(&settings, &runner, &diags), TG_OK);
        cr_assert_not_null(strstr(tg_gpu_runner_ptx(runner)->text, "wgmma.mma_async"));
        arrays all = new_arrays(module, s, NULL);
        void *data[MOST_ARRAYS];
        for (size_t i = 0; i < all.count; i++) {
            data[i] = all.list[i].tensor.data;
            for (size_t k = 0; is_whole && k < all.bytes[i] / (i < 2 ? 2 : 4); k++)
                set_whole(s, i, data[i], k);
        }
        cr_assert_eq(tg_gpu_runner_run(runner, data, NULL, &findings, &diags), TG_OK, "%s",
                     diags.count ? diags.list[0].message : "");
        compare_within(s, is_whole, data);
        free_arrays(&all);
        tg_gpu_runner_free(runner);
        tg_device_free(device);
        tg_findings_free(&findings);
    }
    tg_plan_free(plan);
    tg_module_free(module);
}

Test(ptx_wgmma, profile_fast)
{
    static const shape fast[] = {{"f16", "f16", "f32", 70, 20, 40, 0, 0, 0, 0, 0},
                                 {"bf16", "bf16", "f32", 64, 72, 64, 1, 0, 0, 0, 0}};
    for (int i = 0; i < 2; i++)
        for (int is_whole = 0; is_whole < 2; is_whole++) check_fast(&fast[i], is_whole);
}

/* ---- texts ---- */

static char *text_of(const shape *s, const tg_ptx_options *options)
{
    return ptx_of_text(kernel_of(s), options);
}

static const tg_ptx_options hopper = {.tensor_core = TG_TENSOR_CORE_SM90};

Test(ptx_wgmma, texts_are_taken_by_ptxas)
{
    const char *const ptxas = find_ptxas();
    for (int i = 0; i < SHAPES; i++) {
        char *text = text_of(&shapes[i], &hopper);
        cr_expect_not_null(strstr(text, ".target sm_90a\n"));
        assemble(ptxas, "sm_90a", text);
        free(text);
    }
}

Test(ptx_wgmma, forms)
{
    static const struct {
        int shape;
        const char *form;
    } cases[] = {
        {0, "m64n8k16.f32.f16.f16 "},     {1, "m64n64k16.f32.f16.f16 "},
        {5, "m64n24k16.f32.f16.f16 "},    {6, "m64n24k16.f16.f16.f16 "},
        {8, "m64n40k16.f32.bf16.bf16 "},  {9, "m64n16k8.f32.tf32.tf32 "},
        {12, "m64n16k32.f32.e5m2.e4m3 "}, {13, "m64n16k32.f16.e4m3.e5m2 "},
        {14, "m64n48k32.s32.s8.s8 "},     {16, "m64n64k32.s32.u8.u8 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = text_of(&shapes[cases[i].shape], &hopper);
        cr_expect_not_null(strstr(text, cases[i].form), "%s", cases[i].form);
        free(text);
    }
    for (int i = 0; i < SHAPES; i++) {
        char *text = text_of(&shapes[i], &hopper);
        cr_expect_eq(strstr(text, "wgmma") != NULL, i < SOFTWARE, "shape %d", i);
        free(text);
    }
}

/* Without a tensor core asked for: integers anywhere, f16 and bf16 in profile fast, and nothing on other chips. */
Test(ptx_wgmma, where_the_numbers_allow_it)
{
    static const struct {
        int shape;
        bool in_reference, in_fast;
    } cases[] = {{0, false, true},   {6, false, false}, {8, false, true}, {9, false, false},
                 {11, false, false}, {14, true, true},  {18, true, true}, {19, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int fast = 0; fast < 2; fast++) {
            const int number = cases[i].shape == 18 ? 16 : cases[i].shape;
            const tg_ptx_options here = {.target = "sm_90a", .is_fast = fast},
                                 elsewhere = {.target = fast ? "sm_90" : "sm_100a",
                                              .is_fast = fast};
            char *text = text_of(&shapes[number], &here),
                 *other = text_of(&shapes[number], &elsewhere);
            cr_expect_eq(strstr(text, "wgmma") != NULL,
                         fast ? cases[i].in_fast : cases[i].in_reference, "shape %d, fast %d",
                         number, fast);
            cr_expect_null(strstr(other, "wgmma"));
            free(text);
            free(other);
        }
}
