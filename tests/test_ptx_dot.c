/* Matrix products as PTX: the interpreter's bits in each form, and what tiles in shared memory save. */
#include <math.h>

#include "gpu_backend/device/device_emulator.h"
#include "gpu_backend/run.h"
#include "lower/lower.h"
#include "run_text.h"
#include "sampled.h"

enum { MOST_TEXT = 1024 };

/* A product of two stacks of matrices, whole arrays, to which a third matrix may be added. */
typedef struct shape {
    const char *dtype, *result;
    int b, m, n, k;
    bool left_is_turned, right_is_turned, adds;
    const char *precision; /* NULL: the attribute is absent */
} shape;

static const char *kernel_of(const shape *s)
{
    static char text[MOST_TEXT];
    char l[48], r[48], o[48], whole[3][64];
    const int left[2] = {s->left_is_turned ? s->k : s->m, s->left_is_turned ? s->m : s->k},
              right[2] = {s->right_is_turned ? s->n : s->k, s->right_is_turned ? s->k : s->n};
    snprintf(l, sizeof l, "%s[%d,%d,%d]", s->dtype, s->b, left[0], left[1]);
    snprintf(r, sizeof r, "%s[%d,%d,%d]", s->dtype, s->b, right[0], right[1]);
    snprintf(o, sizeof o, "%s[%d,%d,%d]", s->result, s->b, s->m, s->n);
    snprintf(whole[0], sizeof whole[0], "[0:%d,0:%d,0:%d]", s->b, left[0], left[1]);
    snprintf(whole[1], sizeof whole[1], "[0:%d,0:%d,0:%d]", s->b, right[0], right[1]);
    snprintf(whole[2], sizeof whole[2], "[0:%d,0:%d,0:%d]", s->b, s->m, s->n);
    snprintf(text, sizeof text,
             "input a %s\ninput b %s\ninput c %s\noutput o %s\nbody\n"
             "%%10:%s = load %%1 %s; %%11:%s = load %%2 %s; %%12:%s = load %%3 %s\n"
             "%%13:%s = dot_general %%10 %%11 lhs_contract=[%d] rhs_contract=[%d] lhs_batch=[0] "
             "rhs_batch=[0]%s%s%s\n%%14:%s = add %%13 %%12\nstore %%4 %s %s\n",
             l, r, o, o, l, whole[0], r, whole[1], o, whole[2], o, s->left_is_turned ? 1 : 2,
             s->right_is_turned ? 2 : 1, s->precision ? " precision='" : "",
             s->precision ? s->precision : "", s->precision ? "'" : "", o, s->adds ? "%14" : "%13",
             whole[2]);
    return text;
}

/* Numbers of every size and sign that a dtype of so many bytes has, a few of them special; the same for the same seed. */
static void fill(tg_array *array, uint64_t seed)
{
    const int bits = array->tensor.dtype.bits;
    int64_t count = 1;
    for (int d = 0; d < array->tensor.ndim; d++) count *= array->tensor.shape[d];
    for (int64_t i = 0; i < count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t bits_of = seed >> 20;
        const double value =
            ldexp((double)(int64_t)(bits_of % 4096) - 2048.0, (int)(bits_of >> 12) % 12 - 12);
        if (array->tensor.dtype.code == 0)
            memcpy((char *)array->tensor.data + i * bits / 8, &bits_of, (size_t)bits / 8);
        else if (bits == 64)
            ((double *)array->tensor.data)[i] = value;
        else if (bits == 32)
            ((float *)array->tensor.data)[i] = (float)value;
        else /* the upper half of an f32 is a bf16; as an f16 it is another number, and as good */
            memcpy((char *)array->tensor.data + 2 * i, (char *)&(float){(float)value} + 2, 2);
    }
}

/* The kernel's arrays: o as `want` has it, or not looked at where that is NULL. */
static arrays new_arrays(const tg_module *module, const void *want)
{
    static const unsigned char blank[1 << 20];
    arrays all = make_arrays(module, NAMED({"a", blank}, {"b", blank}, {"c", blank}, {"o", want}));
    for (size_t i = 0; i < all.count; i++)
        if (!all.is_output[i]) {
            fill(&all.list[i], 7 * i + 1);
            all.given[i] = NULL;
        }
    return all;
}

static tg_report *run_reference(const tg_module *module, const char *backend, const shape *s,
                                arrays *all)
{
    const tg_run_options options = {.size = sizeof options, .backend = backend};
    (void)s;
    return run_once(module, all, &options);
}

/* Runs the kernel on arrays of new_arrays, whose inputs it may change first. */
typedef tg_report *run_fn(const tg_module *module, const char *backend, const shape *s,
                          arrays *all);

/* The result is the interpreter's on every backend. */
static void check_with(const tg_module *module, const shape *s, run_fn *run, const char *text)
{
    static const char *const backends[] = {"emulator", "emulator:1", "emulator:2"};
    arrays want = new_arrays(module, NULL);
    tg_report_free(run(module, "cpu", s, &want));
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        arrays got = new_arrays(module, array_data(&want, "o"));
        tg_report_free(run(module, backends[i], s, &got));
        compare_arrays(&got, text);
        free_arrays(&got);
    }
    free_arrays(&want);
}

static void check(const shape *s)
{
    const char *text = kernel_of(s);
    tg_module *module = load_kernel(text);
    check_with(module, s, run_reference, text);
    tg_module_free(module);
}

/* A workspace in shared memory and one in global memory, whole tiles and edges, k that fills its tiles and k that does
 * not, either side turned. */
Test(ptx_dot, same_bits_as_the_interpreter)
{
    static const shape shapes[] = {
        {"f32", "f32", 1, 64, 64, 32, false, false, false, NULL},
        {"f32", "f32", 1, 128, 64, 48, false, false, true, NULL},
        {"f32", "f32", 1, 100, 120, 37, false, false, true, NULL},
        {"f32", "f32", 3, 48, 61, 24, true, false, false, NULL},
        {"f32", "f32", 1, 64, 50, 20, false, true, false, NULL},
        {"f32", "f32", 1, 61, 64, 18, true, true, true, NULL},
        {"f64", "f64", 1, 64, 70, 33, false, false, true, NULL},
        {"f64", "f64", 2, 33, 60, 16, true, true, false, NULL},
        {"f16", "f32", 1, 64, 128, 40, false, false, false, NULL},
        {"bf16", "f32", 1, 50, 64, 64, false, true, true, NULL},
        {"bf16", "bf16", 1, 64, 64, 24, false, false, false, NULL},
        {"i8", "i32", 1, 64, 64, 35, false, false, true, NULL},
        {"i16", "i32", 1, 60, 64, 16, true, false, false, NULL},
        {"u64", "u64", 1, 64, 50, 21, false, false, true, NULL},
        {"f32", "f32", 1, 16, 16, 16, false, false, true, NULL}, /* too small for tiles */
        {"f32", "f32", 1, 300, 2, 40, false, false, false, NULL},
        {"f32", "f32", 2, 64, 64, 5, false, false, false, NULL},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) check(&shapes[i]);
}

/* ---- profile fast ---- */

/* A small whole number, as whatever float the array has. */
static void set_whole(tg_array *array, const char *dtype, int64_t i, int value)
{
    int exponent;
    const float as_f32 = (float)value;
    uint32_t bits;
    uint16_t half;
    memcpy(&bits, &as_f32, sizeof bits);
    half = (uint16_t)(bits >> 16);
    if (strcmp(dtype, "f16") == 0) {
        const double mantissa = frexp(fabs((double)value), &exponent); /* in [1/2, 1) */
        const int sign = value < 0 ? 1 << 15 : 0, fraction = (int)(mantissa * 2048 - 1024);
        half = 0;
        if (value) half = (uint16_t)(sign | (exponent + 14) << 10 | fraction);
    }
    if (array->tensor.dtype.bits == 32)
        ((float *)array->tensor.data)[i] = as_f32;
    else
        ((uint16_t *)array->tensor.data)[i] = half;
}

static void fill_whole(const shape *s, arrays *all)
{
    uint64_t seed = 3;
    for (size_t a = 0; a < all->count; a++) {
        tg_array *array = &all->list[a];
        int64_t count = 1;
        for (int d = 0; d < array->tensor.ndim; d++) count *= array->tensor.shape[d];
        for (int64_t i = 0; i < count && !all->is_output[a]; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            set_whole(array, strcmp(array->name, "c") ? s->dtype : s->result, i,
                      (int)(seed >> 40) % 33 - 16);
        }
    }
}

static tg_report *run_fast(const tg_module *module, const char *backend, const shape *s,
                           arrays *all)
{
    const tg_run_options options = {.size = sizeof options,
                                    .backend = backend,
                                    .profile = strcmp(backend, "cpu") ? "fast" : "reference"};
    fill_whole(s, all);
    return run_once(module, all, &options);
}

/* Whole numbers whose sums are exact however they are added: so the matrix units must give the interpreter's bits, and
 * lanes that had each other's elements would not. */
static void check_fast(const shape *s, bool has_mma)
{
    const char *text = kernel_of(s);
    tg_module *module = load_kernel(text);
    const tg_module_ptx_options fast = {.size = sizeof fast, .profile = "fast"};
    char *ptx = tg_module_ptx(module, NULL, &fast, NULL);
    cr_assert_not_null(ptx);
    cr_expect_eq(strstr(ptx, "mma.sync") != NULL, has_mma, "%s", text);
    tg_text_free(ptx);
    check_with(module, s, run_fast, text);
    tg_module_free(module);
}

Test(ptx_dot, fast_products_by_matrix_units)
{
    static const shape shapes[] = {
        {"f16", "f32", 1, 64, 64, 32, false, false, false, NULL},
        {"f16", "f32", 1, 100, 120, 37, false, false, true, NULL},
        {"f16", "f32", 2, 50, 61, 18, true, true, true, NULL},
        {"bf16", "f32", 1, 61, 128, 48, false, true, false, NULL},
        {"bf16", "bf16", 1, 130, 64, 17, true, false, false, NULL},
        {"f32", "f32", 1, 64, 64, 32, false, false, false, NULL},
        {"f32", "f32", 1, 100, 120, 37, true, false, true, "default"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) check_fast(&shapes[i], true);
}

/* What matrix units are not for. */
Test(ptx_dot, fast_products_without_matrix_units)
{
    static const shape shapes[] = {
        {"f32", "f32", 1, 64, 64, 32, false, false, false, "highest"},
        {"f32", "f32", 1, 64, 64, 32, false, false, false, "high"},
        {"f16", "f32", 1, 8, 8, 8, false, false, false, NULL},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) check_fast(&shapes[i], false);
}

/* ---- as a tensor core sums ---- */

static tg_report *run_hopper(const tg_module *module, const char *backend, const shape *s,
                             arrays *all)
{
    const tg_run_options options = {
        .size = sizeof options, .backend = backend, .tensor_core = "sm90"};
    (void)s;
    return run_once(module, all, &options);
}

/* The emulator's mma.sync has the interpreter's bits in every order of warps, however small the product is; f32
 * loses its low bits, but for those whose precision is high. */
Test(ptx_dot, sums_of_a_tensor_core)
{
    static const shape shapes[] = {
        {"f16", "f32", 1, 64, 64, 32, false, false, false, NULL},
        {"f16", "f32", 2, 50, 61, 18, true, true, true, NULL},
        {"f16", "f16", 1, 3, 5, 7, false, false, false, NULL},
        {"bf16", "f32", 1, 61, 128, 48, false, true, false, NULL},
        {"bf16", "bf16", 1, 130, 64, 17, true, false, true, NULL},
        {"f32", "f32", 1, 64, 64, 32, false, false, false, NULL},
        {"f32", "f32", 1, 100, 20, 37, true, false, true, "default"},
        {"f32", "f32", 1, 64, 64, 32, false, false, false, "highest"},
        {"i8", "i32", 1, 33, 20, 35, false, false, true, NULL},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const char *text = kernel_of(&shapes[i]);
        tg_module *module = load_kernel(text);
        check_with(module, &shapes[i], run_hopper, text);
        tg_module_free(module);
    }
}

/* ---- work ---- */

static bool has_tiles(const char *ptx) { return strstr(ptx, "ld.shared.v") != NULL; }

typedef struct work {
    uint64_t instructions, global_loads;
    bool has_tiles;
} work;

/* Runs the kernel on an emulator with so many threads a CTA; 0: as many as it is worth. */
static work run_with(const shape *s, uint32_t threads)
{
    work w = {.has_tiles = false};
    tg_diags diags = {0};
    tg_findings findings;
    cr_assert(tg_findings_init(&findings, 100));
    tg_module *module = load_kernel(kernel_of(s));
    tg_device *device = tg_device_emulator(0);
    tg_plan *plan;
    cr_assert_eq(tg_plan_new(module, &module->kernels[0], &plan, &diags), TG_OK);
    const tg_gpu_settings settings = {
        .plan = plan, .device = device, .ptx.threads = threads, .most_ctas = 1};
    tg_gpu_runner *runner;
    cr_assert_eq(tg_gpu_runner_new(&settings, &runner, &diags), TG_OK);
    arrays all = new_arrays(module, NULL);
    void *data[MOST_ARRAYS];
    for (size_t i = 0; i < all.count; i++) data[i] = all.list[i].tensor.data;
    cr_assert_eq(tg_gpu_runner_run(runner, data, NULL, &findings, &diags), TG_OK, "%s",
                 diags.count ? diags.list[0].message : "");
    w.instructions = device->instructions;
    w.global_loads = device->global_loads;
    w.has_tiles = has_tiles(tg_gpu_runner_ptx(runner)->text);
    free_arrays(&all);
    tg_gpu_runner_free(runner);
    tg_plan_free(plan);
    tg_device_free(device);
    tg_module_free(module);
    tg_findings_free(&findings);
    tg_diags_free(&diags);
    return w;
}

static void compare_work(const char *dtype)
{
    /* Tiles want a power of two. */
    const int k = sampled(128, 64);
    const shape s = {dtype, "f32", 1, 128, 128, k, false, false, false, NULL};
    const work tiled = run_with(&s, 256), plain = run_with(&s, 224);
    cr_expect(tiled.has_tiles && !plain.has_tiles);
    cr_expect_lt(4 * tiled.instructions, plain.instructions, "%s: %llu against %llu instructions",
                 dtype, (unsigned long long)tiled.instructions,
                 (unsigned long long)plain.instructions);
    /* Each side is loaded twice, once for each half of the other, instead of 128 times; loads of what is
     * copied, the result and sides that do not stay in their arrays, are in both. */
    const uint64_t each = 128 * (uint64_t)k, both = plain.global_loads - 2 * 128 * each;
    cr_expect_eq(tiled.global_loads, both + 2 * 2 * each, "%s: %llu against %llu loads", dtype,
                 (unsigned long long)tiled.global_loads, (unsigned long long)plain.global_loads);
}

Test(ptx_dot, tiles_save_instructions_and_loads)
{
    compare_work("f32");
    compare_work("f16");
}

static size_t lines_with_tiles(const shape *s)
{
    tg_module *module = load_kernel(kernel_of(s));
    char *ptx = tg_module_ptx(module, NULL, NULL, NULL);
    size_t lines = 0;
    cr_assert(ptx && has_tiles(ptx));
    for (const char *c = ptx; *c; c++) lines += *c == '\n';
    tg_text_free(ptx);
    tg_module_free(module);
    return lines;
}

Test(ptx_dot, the_text_does_not_grow_with_the_block)
{
    shape s = {"f32", "f32", 1, 64, 64, 64, false, false, false, NULL};
    const size_t small = lines_with_tiles(&s);
    s.m = s.k = 192;
    s.n = 256;
    const size_t large = lines_with_tiles(&s);
    cr_expect_leq(large, small + 16, "%zu and %zu lines", small, large);
}
