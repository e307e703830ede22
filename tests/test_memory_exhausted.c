/* Every allocation on the way from text to report fails in turn: each time the answer is TG_ERR_NO_MEMORY with a
 * diagnosis, or the same result as ever; nothing leaks, nothing crashes.
 *
 * Takes malloc's place in the whole test program, which needs glibc and no sanitizer that does the same. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <errno.h>

#include "xla_frame.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define HAS_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER
#endif

#if !defined(__GLIBC__) || defined(HAS_SANITIZER)

Test(memory_exhausted, every_allocation)
{
    cr_skip_test("needs glibc's malloc, without sanitizers");
}

#else

#include "api/record.h"
#include "crosscheck/crosscheck.h"
#include "emulator/emulator.h"
#include "gpu/fake_device.h"
#include "gpu_backend/device/device_gpu.h"
#include "ir/build.h"
#include "tilegrind/build.h"
#include "tilegrind/mesh.h"

/* ---- malloc that fails on demand ---- */

#define VISIBLE __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *memory);

static bool is_armed; /* counting and failing, in whatever thread; switched while one runs */
static long left;     /* allocations that still succeed */
static bool goes_on;  /* all later ones fail too, not just one */
static long live;     /* blocks allocated while armed and not freed */
static bool has_failed;

static bool fails(void)
{
    if (!is_armed) return false;
    long number = __atomic_fetch_sub(&left, 1, __ATOMIC_RELAXED);
    if (number > 0 || (number < 0 && !goes_on)) return false;
    __atomic_store_n(&has_failed, true, __ATOMIC_RELAXED);
    errno = ENOMEM;
    return true;
}

static void *counted(void *memory)
{
    if (is_armed && memory) __atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    return memory;
}

VISIBLE void *malloc(size_t size) { return fails() ? NULL : counted(__libc_malloc(size)); }
VISIBLE void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}
VISIBLE void *aligned_alloc(size_t align, size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(align, size));
}

VISIBLE void *realloc(void *old, size_t size)
{
    if (fails()) return NULL;
    return old ? __libc_realloc(old, size) : counted(__libc_malloc(size));
}

VISIBLE int posix_memalign(void **out, size_t align, size_t size)
{
    *out = fails() ? NULL : counted(__libc_memalign(align, size));
    return *out ? 0 : ENOMEM;
}

VISIBLE void free(void *memory)
{
    if (is_armed && memory) __atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
    __libc_free(memory);
}

/* ---- every allocation in turn ---- */

/* Something to do where memory may be short: true if all of it was done. */
typedef bool attempt(const void *about);

/* Fails one allocation after the other, or with `all_later` all from one on, until an attempt makes fewer; returns how
 * many that one made. */
static long exhaust_one_way(attempt *make, const void *about, bool all_later)
{
    for (long n = 0;; n++) {
        left = n;
        goes_on = all_later;
        has_failed = false;
        live = 0;
        is_armed = true;
        const bool good = make(about);
        is_armed = false;
        cr_assert_eq(live, 0, "%ld blocks lost where allocation %ld fails", live, n);
        cr_assert(good || has_failed);
        if (!has_failed) return n;
    }
}

/* More than `least` allocations must be needed. */
static void exhaust(attempt *make, const void *about, long least)
{
    cr_assert(make(about)); /* what is set up once is set up now */
    for (int all_later = 0; all_later < 2; all_later++)
        cr_assert_gt(exhaust_one_way(make, about, all_later), least);
}

/* ---- one pass from text to report ---- */

typedef struct pass {
    const char *json;
    const arrays *arrays, *wanted; /* wanted: what is to be in them after a whole run */
    const char *order, *checks;
    size_t findings; /* of the whole run */
} pass;

static void drop_text(void *context, const char *text)
{
    (void)context;
    (void)text;
}

/* After a failure there must be a reason, unless even that had no room. */
static void check_reason(tg_status status, const tg_errors *errors)
{
    cr_assert_eq(status, TG_ERR_NO_MEMORY, "%s", tg_status_name(status));
    if (!errors) return;
    if (!goes_on) cr_assert_gt(tg_errors_count(errors), 0);
    for (size_t i = 0; i < tg_errors_count(errors); i++) {
        cr_assert_eq(tg_errors_get(errors, i).status, TG_ERR_NO_MEMORY, "%s",
                     tg_errors_get(errors, i).message);
        cr_assert_not_null(tg_errors_get(errors, i).message);
    }
}

static bool print_texts(const tg_module *module, tg_errors *errors)
{
    for (int format = 0; format < 3; format++) {
        char *text = tg_module_print(module, (tg_text_format)format, errors);
        if (!text) {
            check_reason(TG_ERR_NO_MEMORY, errors);
            return false;
        }
        tg_text_free(text);
    }
    char *map = tg_module_map(module, NULL, "o", TG_MAP_SVG, errors);
    if (!map) check_reason(TG_ERR_NO_MEMORY, errors);
    tg_text_free(map);
    return map != NULL;
}

/* Each finding is covered by the block that is printed for it. */
static bool suppress_all(const tg_report *report, tg_errors *errors)
{
    tg_suppressions *all = tg_suppressions_new();
    bool good = all != NULL;
    for (size_t i = 0; good && i < tg_report_finding_count(report); i++) {
        char *text = tg_suppression_for(report, i);
        good = text != NULL;
        const tg_status status =
            good ? tg_suppressions_add_text(all, text, strlen(text), "f", errors)
                 : TG_ERR_NO_MEMORY;
        if (good && status != TG_OK) check_reason(status, errors);
        good = status == TG_OK;
        if (good) cr_assert_lt(tg_suppressions_find(all, report, i), tg_suppressions_count(all));
        tg_text_free(text);
    }
    tg_suppressions_free(all);
    return good;
}

static bool run_pass(const void *about)
{
    const pass *p = about;
    tg_errors *errors = tg_errors_new();
    tg_module *module = NULL;
    tg_report *report = NULL;
    tg_run_options options = {
        .size = sizeof options, .order = p->order, .checks = p->checks, .print = drop_text};
    tg_status status = tg_module_load_text(p->json, strlen(p->json), &module, errors);
    bool good = status == TG_OK;
    if (!good) check_reason(status, errors);
    cr_assert_eq(good, module != NULL);
    good = good && print_texts(module, errors);
    if (good) {
        status = tg_run(module, NULL, p->arrays->list, p->arrays->count, &options, &report, errors);
        if (status != TG_OK) check_reason(status, errors);
        cr_assert_eq(status == TG_OK, report != NULL);
        good = status == TG_OK;
    }
    if (good && tg_report_finding_count(report) != p->findings) show_findings(report);
    if (good) cr_assert_eq(tg_report_finding_count(report), p->findings);
    if (good) {
        static const tg_record_limits limits = {
            .size = sizeof limits, .accesses = 100, .values = 1000};
        tg_recording *recording;
        status = tg_record(module, NULL, p->arrays->list, p->arrays->count, &options, report,
                           &limits, &recording, errors);
        if (status != TG_OK) check_reason(status, errors);
        good = status == TG_OK;
        tg_recording_free(recording);
    }
    good = good && suppress_all(report, errors);
    tg_report_free(report);
    tg_module_free(module);
    tg_errors_free(errors);
    for (size_t i = 0; good && i < p->arrays->count; i++)
        cr_assert_eq(memcmp(p->arrays->list[i].tensor.data, p->wanted->list[i].tensor.data,
                            p->arrays->bytes[i]),
                     0, "another result where an allocation fails");
    return good;
}

/* ---- kernels ---- */

static const char rich_text[] =
    "grid 3 2a\nprefetch n i32[3]\n"
    "input x f32[40,16] block b8 b16 { (%900:i32[] %901:i32[] %902:ref<i32[3]>) %903:i32[] = load "
    "%902 %900 [@]; %904:i32[] = constant value=0; yield %903 %904 }\n"
    "input y f16[20]\ninput w i32[4]\noutput o f32[40,16] block b8 b16 at i 0\noutput w2 i32[4] "
    "alias=w\noutput un f16[7]\nscratch s f32[8]\nbody\n"
    "%10:f32[8,16] = load %2 [0:8,0:16] loc=1\n"
    "%11:f32[8] = reduce_sum %10 axes=[1]; %12:f32[8] = cumsum %11 axis=0; %13:i32[8] = argmax %10 "
    "axis=1\n"
    "%14:f32[8,8] = dot_general %10 %10 lhs_contract=[1] rhs_contract=[1] lhs_batch=[] "
    "rhs_batch=[]\n"
    "%15:f32[8,16] = broadcast_in_dim %12 dims=[0]; %16:f32[8,16] = mul %10 %15; %17:f32[8,16] = "
    "exp %16\n"
    "%18:i32[] = constant value=0; %19:i32[] = constant value=3; %20:i32[] = constant value=1\n"
    "%21:f32[8,16] %22:f32[8,16] = for %18 %19 %20 %10 %17 { (%30:i32[] %31:f32[8,16] "
    "%32:f32[8,16])\n"
    "  %33:bool[] = eq %30 %20\n"
    "  %34:f32[8,16] = switch %33 { %35:f32[8,16] = add %31 %32; yield %35 } { yield %31 }\n"
    "  scoped { (%36:ref<f32[8,16]>) store %36 %34 [0:8,0:16]; %37:f32[16] = load %36 %30 "
    "[@,0:16]; debug_print %30 %37 format='{} {}' }\n"
    "  yield %34 %31 }\n"
    "%23:f32[8,16] = add %21 %22; store %5 %23 [0:8,0:16]\n"
    "%24:f16[20] = load %3 [0:20]; %25:i16[20] = bitcast %24; %26:f16[20] = convert %25; "
    "%27:f16[10] = slice %26 start=[0] stride=[2]\n"
    "%28:i32[] = program_id axis=1; %29:i32[] = atomic_rmw %6 %20 %28 [@] kind='add'\n"
    "%40:i32[2] = constant value=[5,1]; %41:i32[2] = load %4 %40 [@] loc=2\n"
    "%42:f16[10] = sort %27 axis=0 keys=1; %43:i32[10,1] = iota axis=0; %44:f16[10] = scatter %42 "
    "%43 %27 offset_dims=[] collapsed_dims=[0] start_index_map=[0] operand_batch=[] "
    "indices_batch=[] mode='drop' combine='add'\n"
    "store %8 %11 [0:8]; store %7 %44 [0:10] loc=3\n";

static const char plain_text[] =
    "grid 4\ninput x i32[30] block b8 at i\noutput o i32[30] block b8 at i\nbody\n"
    "%10:i32[8] = load %1 [0:8]; %11:i32[8] = add %10 %10; store %1 %11 [0:8]; store %2 %11 "
    "[0:8]\n";

/* What is undefined is carried through memory, loops and all kinds of ops. */
static const char spoiled_text[] = "grid 2\ninput x i32[30] block b8 at i\noutput o i32[16] block "
                                   "b8 at i\nscratch s i32[8]\nbody\n"
                                   "%10:i32[8] = load %1 [0:8]; %11:i32[8] = load %3 [0:8]; "
                                   "%12:i32[8] = iota axis=0; %13:i32[8] = "
                                   "constant value=3; %14:bool[8] = lt %12 %13\n"
                                   "store %3 %10 %14 [0:8] mask=true; %15:i32[8] = load %3 [0:8]; "
                                   "%16:i32[8] = sort %12 axis=0 keys=1\n"
                                   "%17:i32[8] = sub %16 %15; %18:i32[8] = cumsum %17 axis=0; "
                                   "%19:i32[] = reduce_max %18 axes=[0]\n"
                                   "%20:i32[] = constant value=9; %21:bool[] = lt %19 %20 loc=1; "
                                   "%22:i32[8] = switch %21 { yield %17 } "
                                   "{ yield %18 }\n"
                                   "scoped { (%30:ref<i32[8]>) store %30 %22 [0:8]; %31:i32[8] = "
                                   "load %30 %12 [@]; store %2 %31 [0:8] "
                                   "loc=2 }\n";

/* `checked`: how many findings there are when all checks are made. */
static void check_kernel(const char *text, const named *inputs, size_t findings, size_t checked)
{
    static const struct {
        const char *order, *checks;
        bool all_later;
    } ways[] = {{"sequential", "all", false},
                {"sequential", "none", true},
                {"interleaved:2", "none", false},
                {"parallel:2", "none", false},
                {"parallel:2", "all", true}};
    tg_module *module = load_kernel(text);
    arrays wanted = make_arrays(module, inputs);
    tg_run_options options = {.size = sizeof options};
    tg_report *report = run_once(module, &wanted, &options);
    cr_assert_eq(tg_report_finding_count(report), findings, "%zu", tg_report_finding_count(report));
    tg_report_free(report);
    char *json = json_of(text);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        arrays all = make_arrays(module, inputs);
        pass p = {.json = json,
                  .arrays = &all,
                  .wanted = &wanted,
                  .order = ways[i].order,
                  .checks = ways[i].checks,
                  .findings = strcmp(ways[i].checks, "all") == 0 ? checked : findings};
        cr_assert(run_pass(&p)); /* what is set up once is set up now */
        cr_assert_gt(exhaust_one_way(run_pass, &p, ways[i].all_later), 20);
        free_arrays(&all);
    }
    free(json);
    free_arrays(&wanted);
    tg_module_free(module);
}

Test(memory_exhausted, every_allocation)
{
    static const int32_t n[3] = {0, 2, 4}, w[4] = {1, 2, 3, 4};
    static float x[640];
    static const uint16_t y[20] = {0x3c00, 0x4000};
    static int32_t plain[30];
    if (getenv("TG_BRISK")) cr_skip_test("TG_BRISK is set: one build is enough for this");
    for (int i = 0; i < 640; i++) x[i] = (float)(i % 7) * 0.125f;
    check_kernel(plain_text, NAMED({"x", plain}), 0, 0);
    check_kernel(rich_text, NAMED({"n", n}, {"x", x}, {"y", y}, {"w", w}), 3, 6);
    check_kernel(spoiled_text, NAMED({"x", plain}), 0, 2);
}

/* Costs of memory: of boxes, whose costs are kept, and of index arrays; conflicts for which a swizzle is sought. */
Test(memory_exhausted, memory_cost)
{
    static const char text[] =
        "grid 3\ninput x f32[64,3]\noutput o f32[32,3] block b32 s at 0 i\nscratch s "
        "f32[32,32]\nbody\n"
        "%10:i32[] = program_id axis=0; %11:f32[32,1] = load %1 %10 [0:32:2,*:1]; %12:i32[32] = "
        "iota "
        "axis=0; %13:f32[32] = reshape %11; store %3 %13 %12 %10 [@,@]; %14:f32[1,32] = constant "
        "value=1; store %3 %14 [3:1,0:32]; %15:f32[32,1] = load %3 [0:32,5:1]; %16:f32[32] = "
        "reshape "
        "%15; store %2 %16 [0:32]\n";
    static const char *const orders[] = {"sequential", "parallel:2"};
    static float x[192];
    const named *inputs = NAMED({"x", x});
    if (getenv("TG_BRISK")) cr_skip_test("TG_BRISK is set: one build is enough for this");
    tg_module *module = load_kernel(text);
    arrays wanted = make_arrays(module, inputs);
    tg_report_free(run_once(module, &wanted, &(tg_run_options){.size = sizeof(tg_run_options)}));
    char *json = json_of(text);
    for (int i = 0; i < 2; i++) {
        arrays all = make_arrays(module, inputs);
        pass p = {.json = json,
                  .arrays = &all,
                  .wanted = &wanted,
                  .order = orders[i],
                  .checks = "memory-cost",
                  .findings = 4};
        cr_assert(run_pass(&p));
        cr_assert_gt(exhaust_one_way(run_pass, &p, i == 0), 20);
        free_arrays(&all);
    }
    free(json);
    free_arrays(&wanted);
    tg_module_free(module);
}

/* ---- programs that wait ---- */

/* Each of the first three of four programs waits for the next one, and the last for nobody, or for ever. */
#define WAITS(wanted)                                                                              \
    "grid 4\ninput z i32[5]\ninput y i32[1]\noutput f i32[5] alias=z\noutput o i32[4]\nbody\n"     \
    "%10:i32[] = program_id axis=0; %11:i32[] = constant value=0; %12:i32[] = constant value=1\n"  \
    "%13:i32[] = add %10 %12; %14:i32[] = constant value=" wanted "\n"                             \
    "while { %30:i32[] = atomic_rmw %3 %11 %13 [@] kind='add'; %31:bool[] = eq %30 %14; yield "    \
    "%31 } { }\n%40:i32[] = atomic_rmw %3 %12 %10 [@] kind='xchg'\nstore %4 %10 %10 [@]\n"

static void check_waits(const char *text, const named *inputs, const char *order)
{
    tg_module *module = load_kernel(text);
    arrays wanted = make_arrays(module, inputs), all = make_arrays(module, inputs);
    const tg_run_options options = {.size = sizeof options, .order = order, .checks = "none"};
    tg_report *report = run_once(module, &wanted, &options);
    char *json = json_of(text);
    const pass p = {.json = json,
                    .arrays = &all,
                    .wanted = &wanted,
                    .order = order,
                    .checks = "none",
                    .findings = tg_report_finding_count(report)};
    tg_report_free(report);
    exhaust(run_pass, &p, 20);
    free(json);
    free_arrays(&all);
    free_arrays(&wanted);
    tg_module_free(module);
}

Test(memory_exhausted, programs_that_wait)
{
    static const char *const orders[] = {"sequential", "reversed", "interleaved:2"};
    static const int32_t last_is_set[5] = {0, 0, 0, 0, 1}, none[5] = {0};
    if (getenv("TG_BRISK")) cr_skip_test("TG_BRISK is set: one build is enough for this");
    for (int o = 0; o < 3; o++) {
        check_waits(WAITS("0"), NAMED({"z", last_is_set}, {"y", none}), orders[o]);
        check_waits(WAITS("0"), NAMED({"z", none}, {"y", none}), orders[o]);
    }
}

/* ---- the same through the custom-call target ---- */

/* A run in full ends with the kernel's finding. */
static bool call_target(const void *frame)
{
    cr_assert_not_null(xla_run(frame));
    if (xla_code == TG_FFI_RESOURCE_EXHAUSTED) return false;
    cr_assert_eq(xla_code, TG_FFI_FAILED_PRECONDITION, "%s", xla_error);
    return true;
}

Test(memory_exhausted, custom_call_target)
{
    static const int64_t eight[1] = {8};
    unsigned char x[4] = {0x21, 0x43, 0x65, 0x07}, o[4];
    char *json = json_of("input x u4[8]\noutput o u4[8]\nbody\n"
                         "%10:u4[4] = load %1 [0:4]; store %2 %10 [0:4]\n");
    xla_call c;
    xla_begin(&c);
    xla_attrs(&c, json, "sequential", "raise");
    xla_buffer(&c, false, TG_FFI_u4, x, 1, eight);
    xla_buffer(&c, true, TG_FFI_u4, o, 1, eight);
    exhaust(call_target, &c, 20);
    free(json);
}

/* A check in place, with other orders: what runs see is the input, however much memory there is to keep it. */
Test(memory_exhausted, custom_call_check)
{
    static const int64_t two[1] = {2};
    int32_t x[2] = {5, 6};
    char *json = json_of("grid 2\ninput x i32[2]\noutput o i32[2] alias=x\nbody\n"
                         "%10:i32[2] = load %1 [0:2]; store %2 %10 [0:2]\n"
                         "%11:i32[] = program_id axis=0; %12:i32[] = constant value=1\n"
                         "%13:i32[] = add %11 %12; %14:i32[] = load %1 %13 [@]\n");
    xla_call c;
    xla_begin(&c);
    xla_attrs(&c, json, "sequential", "raise");
    xla_attr(&c, "checks", "all");
    xla_attr(&c, "search", "1,0,1");
    xla_buffer(&c, false, TG_FFI_i32, x, 1, two);
    xla_buffer(&c, true, TG_FFI_i32, x, 1, two);
    exhaust(call_target, &c, 40);
    cr_assert_eq(x[0], 5);
    cr_assert_eq(x[1], 6);
    free(json);
}

/* ---- the PTX emulator ---- */

static const char emulated[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n.const .b32 table[2] = {3, 4};\n"
    ".shared .align 4 .b8 s[256];\n.entry k(.param .u64 out)\n{\n"
    ".reg .b32 %r<6>, x; .reg .b64 %rd<3>; .reg .pred %p;\n"
    "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2;\n"
    "st.shared.u32 [%r3], %r1; bar.sync 0; ld.shared.u8 %r4, [%r3]; ld.const.u32 x, [table];\n"
    "setp.ne.u32 %p, %r1, 0; @%p bra END; red.global.add.u32 [%rd1], x; END: ret;\n}\n";

static bool check_diags(tg_status status, tg_diags *diags)
{
    if (status != TG_OK) {
        cr_assert_eq(status, TG_ERR_NO_MEMORY, "%s", tg_status_name(status));
        cr_assert_eq(diags->worst, TG_ERR_NO_MEMORY);
    }
    tg_diags_free(diags);
    return status == TG_OK;
}

/* From text to what two CTAs left in memory. */
static bool emulate(const void *text)
{
    tg_diags diags = {0};
    tg_emu_module *module = NULL;
    tg_emu_memory *memory = NULL;
    tg_emu_result result;
    bool good =
        check_diags(tg_emu_module_load(text, strlen(text), "k.ptx", &module, &diags), &diags);
    cr_assert_eq(good, module != NULL);
    uint64_t out = 0;
    if (good) memory = tg_emu_memory_new();
    if (memory) out = tg_emu_alloc(memory, 16, 16, "out");
    good = out != 0;
    if (good) {
        tg_emu_launch launch = {.grid = {2, 1, 1},
                                .block = {64, 1, 1},
                                .params = &out,
                                .param_bytes = 8,
                                .seed = 1,
                                .races = true,
                                .cta_races = true};
        diags = (tg_diags){0};
        good = check_diags(tg_emu_run(module, memory, &launch, &result, &diags), &diags);
    }
    if (good) cr_assert(!result.trapped, "%s", result.trap.text);
    if (good) cr_assert_eq(*(uint32_t *)tg_emu_host(memory, out, 4), 6);
    tg_emu_memory_free(memory);
    tg_emu_module_free(module);
    return good;
}

/* ---- a module from the builder ---- */

/* A kernel with a loop of `*ops` ops. */
static bool build(const void *ops)
{
    static const tg_type scalar = {.dtype = TG_DT_i32};
    tg_build b;
    tg_build_begin(&b);
    b.loc = tg_build_loc(&b, &(tg_loc){.file = "k.py", .line = 1});
    tg_build_kernel(&b, "k");
    tg_value_id last = tg_build_constant(&b, &scalar, 2);
    for (int i = 0; i < 4; i++) tg_build_in(&b, last);
    tg_build_open(&b);
    tg_build_new_arg(&b, &scalar);
    last = tg_build_new_arg(&b, &scalar);
    for (int i = 0; i < *(const int *)ops; i++) last = tg_build_1(&b, TG_OP_neg, last);
    tg_build_yield(&b, last);
    tg_build_region(&b, tg_build_close(&b));
    tg_build_result(&b, TG_OP_for, &scalar);
    tg_build_kernel_end(&b);
    tg_module *module = tg_build_finish(&b);
    tg_module_free(module);
    return module != NULL;
}

/* The same through the public interface, with as many regions beside each other. */
static bool build_by_api(const void *ops)
{
    tg_errors *errors = tg_errors_new();
    tg_builder *b = tg_builder_new();
    tg_module *module;
    const int64_t axes[] = {0, 1};
    tg_builder_at(b, tg_builder_location(b, "k.py", 1, "f", 0, NULL));
    tg_builder_kernel(b, "k", NULL);
    tg_builder_body(b);
    tg_builder_attr_data(b, "value", "f16", (uint16_t[4]){1, 2, 3, 4}, 4);
    tg_value_id last = tg_builder_op1(b, "constant", NULL, 0, "f16[2,2]");
    tg_builder_attr_ints(b, "axes", axes, 2);
    last = tg_builder_op1(b, "reduce_sum", &last, 1, "f16[]");
    for (int i = 0; i < *(const int *)ops / 10; i++) {
        tg_builder_open(b);
        for (int k = 0; k < 10; k++) tg_builder_op1(b, "neg", &last, 1, NULL);
        tg_builder_add_region(b, tg_builder_close(b));
        tg_builder_op(b, "scoped", NULL, 0, NULL, 0, NULL);
    }
    tg_builder_kernel_end(b);
    const tg_status status = tg_builder_finish(b, &module, errors);
    if (status != TG_OK) cr_assert_eq(status, TG_ERR_NO_MEMORY, "%s", tg_status_name(status));
    tg_builder_free(b);
    tg_module_free(module);
    tg_errors_free(errors);
    return status == TG_OK;
}

Test(memory_exhausted, builder)
{
    exhaust(build, &(const int){3000}, 8);
    exhaust(build_by_api, &(const int){1000}, 8);
}

Test(memory_exhausted, emulator) { exhaust(emulate, emulated, 10); }

/* ---- a device on a GPU, by a driver that has none ---- */

/* The first step that fails; TG_OK where none does. */
static tg_status run_on_gpu(const tg_ptx *ptx, tg_diags *diags)
{
    tg_device *device;
    void *module = NULL;
    uint64_t at = 0;
    char bytes[16] = "";
    tg_status status = tg_device_gpu(0, &device, diags);
    if (status != TG_OK) return status;
    const tg_device_kind *kind = device->kind;
    status = kind->load(device, ptx, &module, diags);
    if (status == TG_OK) status = kind->alloc(device, sizeof bytes, "x", &at, diags);
    if (status == TG_OK) status = kind->write(device, at, bytes, sizeof bytes, diags);
    const uint64_t params[] = {at, sizeof bytes};
    const tg_device_launch launch = {.ctas = 1, .params = params, .param_count = 2};
    if (status == TG_OK) status = kind->launch(device, module, ptx, &launch, diags);
    tg_device_free(device);
    return status;
}

static bool use_gpu(const void *ptx)
{
    tg_diags diags = {0};
    const tg_status status = run_on_gpu(ptx, &diags);
    tg_diags_free(&diags);
    /* A driver that cannot be loaded for want of memory is none. */
    cr_assert(status == TG_OK || status == TG_ERR_NO_MEMORY || status == TG_ERR_UNSUPPORTED, "%s",
              tg_status_name(status));
    return status == TG_OK;
}

Test(memory_exhausted, device_on_gpu)
{
    char text[] = ".version 7.8\n.visible .entry spill(\n";
    const tg_ptx ptx = {.text = text, .entry = "spill", .threads = 32};
    use_driver(TG_FAKE_DRIVER);
    exhaust(use_gpu, &ptx, 10);
    cr_assert_str_eq(leaks(), "");
}

/* ---- whole runs on devices, and backends held against each other ---- */

/* What the fake driver can execute, with a fault. */
static const char spoilt[] =
    "{\"tilegrind\": \"0.1\", \"kernels\": [{\"name\": \"spoilt\", \"grid\": [], \"params\": "
    "[{\"name\": \"o\", \"role\": \"output\", \"type\": \"i32[4]\"}], \"body\": {\"args\": "
    "[{\"id\": 1, "
    "\"type\": \"ref<i32[4]>\"}], \"ops\": [{\"op\": \"iota\", \"axis\": 0, \"out\": [{\"id\": 2, "
    "\"type\": \"i32[4]\"}]}, {\"op\": \"add\", \"in\": [2, 2], \"out\": [{\"id\": 3, \"type\": "
    "\"i32[4]\"}]}, {\"op\": \"store\", \"in\": [1, 3], \"index\": [[\"slice\", 0, 4, 1]]}]}}]}";

static const char on_device[] =
    "grid 3\ninput x f32[20,16] block b8 b16 at i 0\ninput w i32[4]\noutput o f32[20,16] block b8 "
    "b16 at "
    "i 0\noutput w2 i32[4] alias=w\nbody\n"
    "%10:f32[8,16] = load %1 [0:8,0:16]; %11:f32[8] = reduce_sum %10 axes=[1]; %12:f32[8,16] = "
    "broadcast_in_dim %11 dims=[0]\n"
    "%13:f32[8,16] = mul %10 %12; %14:f32[8,16] = exp %13; store %3 %14 [0:8,0:16]\n"
    "%20:i32[] = constant value=1; %21:i32[] = atomic_rmw %4 %20 %20 [@] kind='add'\n";

/* A case of a kernel, its inputs all 0, two backends to hold against each other, and what must come of it. */
typedef struct crossing {
    tg_case c;
    const char *backends[2];
    bool is_fast;
    tg_cross_verdict verdict;
} crossing;

static crossing crossing_of(tg_module *module, const char *backend, bool is_fast,
                            tg_cross_verdict verdict)
{
    const tg_kernel *k = &module->kernels[0];
    crossing x = {{.module = module, .kernel = k}, {"cpu", backend}, is_fast, verdict};
    x.c.inputs = calloc(k->param_count + 1, sizeof *x.c.inputs);
    x.c.expected = calloc(k->param_count + 1, sizeof *x.c.expected);
    for (uint32_t p = 0; p < k->param_count; p++) {
        tg_case_tensor *input = &x.c.inputs[p];
        if (k->params[p].role != TG_ROLE_INPUT) continue;
        input->content = TG_CASE_TENSOR;
        cr_assert_eq(tg_tensor_new(&k->params[p].array, &input->tensor), TG_OK);
        memset(input->tensor.data, 0, tg_tensor_bytes(&k->params[p].array));
    }
    return x;
}

/* Whether it came to the end that it must come to; where memory was short, that is said. */
static bool cross(const void *about)
{
    const crossing *x = about;
    const tg_crosscheck_settings settings = {
        .backends = x->backends, .count = 2, .is_fast = x->is_fast};
    tg_cross_outcome result;
    const tg_status status = tg_crosscheck_case(&x->c, &settings, &result);
    cr_assert(status == TG_OK || status == TG_ERR_NO_MEMORY, "%s", tg_status_name(status));
    if (status != TG_OK) return false;
    /* A driver that cannot be loaded for want of memory is none. */
    const bool is_refused = has_failed && result.verdict == TG_CROSS_REFUSED;
    cr_assert(is_refused || result.verdict == x->verdict, "%d: %s", (int)result.verdict,
              result.text);
    return !is_refused;
}

static void exhaust_crossing(const char *json, const char *backend, bool is_fast,
                             tg_cross_verdict verdict)
{
    tg_module *module;
    cr_assert_eq(tg_module_load_text(json, strlen(json), &module, NULL), TG_OK);
    crossing x = crossing_of(module, backend, is_fast, verdict);
    exhaust(cross, &x, 20);
    for (uint32_t p = 0; p < x.c.kernel->param_count; p++) tg_tensor_free(&x.c.inputs[p].tensor);
    free(x.c.inputs);
    free(x.c.expected);
    tg_module_free(module);
}

Test(memory_exhausted, backends)
{
    if (getenv("TG_BRISK")) cr_skip_test("TG_BRISK is set: one build is enough for this");
    use_driver(TG_FAKE_DRIVER);
    char *json = json_of(on_device);
    exhaust_crossing(json, "emulator:2", false, TG_CROSS_EQUAL);
    exhaust_crossing(json, "emulator:2", true, TG_CROSS_WITHIN);
    exhaust_crossing(spoilt, "gpu", false, TG_CROSS_DIFFERENT);
    cr_assert_str_eq(leaks(), "");
    free(json);
}

/* ---- devices of a mesh ---- */

/* Records one device, and writes its trace. */
static tg_status record_device(const tg_module *module, const tg_arrays *inputs,
                               const tg_mesh_options *mesh, const tg_report *report,
                               tg_errors *errors)
{
    static const tg_record_limits limits = {.size = sizeof limits, .accesses = 100, .values = 1000};
    const tg_trace_about about = {"sequential", NULL};
    tg_recording *recording;
    tg_status status =
        tg_mesh_record(module, NULL, inputs, mesh, 1, NULL, report, &limits, &recording, errors);
    if (status != TG_OK) return status;
    const tg_traced traced = {recording, tg_report_device_name(report, 1)};
    char *trace = tg_trace_text(&traced, 1, &about, errors);
    if (!trace) status = TG_ERR_NO_MEMORY;
    tg_text_free(trace);
    tg_recording_free(recording);
    return status;
}

/* Reads from outside on some devices, and copies that differ. */
static bool run_on_mesh(const void *about)
{
    static const tg_mesh_sharding shardings[] = {
        {"n", "P('x')", NULL, 0}, {"o", "(P)", NULL, 0}, {"p", "4:1@m + [2:1@gpuid]", NULL, 0}};
    const tg_mesh_options options = {sizeof options, "x=2", shardings, 3, "reversed", NULL};
    tg_errors *errors = tg_errors_new();
    tg_arrays *inputs = tg_arrays_new(), *outputs = tg_arrays_new();
    tg_report *report = NULL;
    tg_status status =
        inputs && outputs ? tg_arrays_add_zeros(inputs, "n", "i32[2]", errors) : TG_ERR_NO_MEMORY;
    if (status == TG_OK) {
        const int64_t four[] = {4};
        tg_mesh_sharding list[3];
        tg_mesh_options with = options;
        memcpy(list, shardings, sizeof list);
        list[2].shape = four;
        list[2].rank = 1;
        with.shardings = list;
        ((int32_t *)tg_arrays_get(inputs, 0).tensor.data)[1] = 4;
        status = tg_mesh_run(about, NULL, inputs, &with, NULL, outputs, &report, errors);
        if (status == TG_OK) status = record_device(about, inputs, &with, report, errors);
        if (status != TG_OK) check_reason(status, errors);
    }
    if (status == TG_OK) cr_assert_eq(tg_report_finding_count(report), 2);
    tg_report_free(report);
    tg_arrays_free(inputs);
    tg_arrays_free(outputs);
    tg_errors_free(errors);
    return status == TG_OK;
}

Test(memory_exhausted, devices_of_a_mesh)
{
    tg_module *module = load_kernel(
        "grid 1\ninput n i32[1]\noutput o f32[4]\noutput p i32[4]\nbody\n"
        "%10:f32[4] = constant value=0; store %2 %10 [0:4]; %11:i32[1] = load %1 [0:1]\n"
        "%12:i32[4] = broadcast_in_dim %11 dims=[0]; store %3 %12 [0:4]\n"
        "%13:i32[] = constant value=0; %14:i32[] = load %1 %13 [@]; %15:f32[] = load %2 %14 [@]\n");
    exhaust(run_on_mesh, module, 60);
    tg_module_free(module);
}

#endif
