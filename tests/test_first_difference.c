/* The first op that two backends differ in: kernels whose PTX has a fault that the tests put there, and the same kernels
 * without one. */
#include "crosscheck/first_difference.h"

#include "gpu_backend/device/device_emulator.h"
#include "ir/bits.h"
#include "ir/ir.h"
#include "random/programs.h"
#include "run_text.h"
#include "sampled.h"

/* ---- a device with a fault ---- */

/* The emulator, given texts in which occurrence number `which` (0: the first) of `from` is `to`, of the same length. */
typedef struct faulty {
    tg_device device; /* first: it is what the functions get */
    tg_device_kind kind;
    tg_device *emulator;
    const char *from, *to;
    int which;
} faulty;

static faulty *faulty_of(tg_device *device) { return (faulty *)(void *)device; }

static tg_status load_faulty(tg_device *device, const tg_ptx *ptx, void **module, tg_diags *diags)
{
    const faulty *f = faulty_of(device);
    tg_ptx edited = *ptx;
    const size_t bytes = strlen(ptx->text) + 1;
    edited.text = malloc(bytes);
    cr_assert(edited.text && strlen(f->from) == strlen(f->to));
    memcpy(edited.text, ptx->text, bytes);
    char *at = strstr(edited.text, f->from);
    for (int i = 0; i < f->which && at; i++) at = strstr(at + 1, f->from);
    cr_assert_not_null(at, "there is no %s to spoil in\n%s", f->from, ptx->text);
    memcpy(at, f->to, strlen(f->to));
    const tg_status status = f->emulator->kind->load(f->emulator, &edited, module, diags);
    free(edited.text);
    return status;
}

static void unload(tg_device *d, void *module) { faulty_of(d)->emulator->kind->unload(d, module); }
static uint32_t resident(tg_device *d, void *module, const tg_ptx *ptx)
{
    tg_device *e = faulty_of(d)->emulator;
    return e->kind->resident(e, module, ptx);
}
static tg_status alloc(tg_device *d, size_t bytes, const char *name, uint64_t *at, tg_diags *diags)
{
    tg_device *e = faulty_of(d)->emulator;
    return e->kind->alloc(e, bytes, name, at, diags);
}
static void release(tg_device *d, uint64_t at)
{
    tg_device *e = faulty_of(d)->emulator;
    e->kind->release(e, at);
}
static tg_status write_to(tg_device *d, uint64_t to, const void *from, size_t bytes,
                          tg_diags *diags)
{
    tg_device *e = faulty_of(d)->emulator;
    return e->kind->write(e, to, from, bytes, diags);
}
static tg_status read_from(tg_device *d, void *to, uint64_t from, size_t bytes, tg_diags *diags)
{
    tg_device *e = faulty_of(d)->emulator;
    return e->kind->read(e, to, from, bytes, diags);
}
static tg_status launch(tg_device *d, void *module, const tg_ptx *ptx, const tg_device_launch *l,
                        tg_diags *diags)
{
    tg_device *e = faulty_of(d)->emulator;
    return e->kind->launch(e, module, ptx, l, diags);
}

/* ---- searches ---- */

enum { MOST_PARAMS = 16, MOST_BYTES = 1 << 16 };

/* What numbers inputs hold, element by element. */
typedef double number_fn(int64_t element);

static double counted(int64_t element) { return (double)(element + 1); }
static double mixed(int64_t element) { return (double)(element * 37 % 101) / 8 - 5; }

static void fill(const tg_type *array, number_fn *number, unsigned char *to)
{
    const size_t bytes = tg_dtypes[array->dtype].bytes;
    cr_assert((size_t)tg_type_count(array) * bytes <= MOST_BYTES);
    for (int64_t i = 0; i < tg_type_count(array); i++) {
        const uint64_t bits = tg_is_float(array->dtype)    ? tg_bits_round(array->dtype, number(i))
                              : array->dtype == TG_DT_bool ? (uint64_t)(i % 3 == 0)
                                                           : (uint64_t)(int64_t)number(i);
        tg_bits_store(array->dtype, bits, to + (size_t)i * bytes);
    }
}

static tg_status find(const tg_module *module, number_fn *number, const tg_first_settings *settings,
                      tg_first_difference *first, tg_diags *diags)
{
    static unsigned char data[MOST_PARAMS][MOST_BYTES];
    tg_case_tensor inputs[MOST_PARAMS] = {{0}};
    const tg_case c = {
        .module = (tg_module *)module, .kernel = &module->kernels[0], .inputs = inputs};
    cr_assert(c.kernel->param_count <= MOST_PARAMS);
    for (uint32_t p = 0; p < c.kernel->param_count; p++) {
        const tg_param *param = &c.kernel->params[p];
        if (param->role != TG_ROLE_INPUT && param->role != TG_ROLE_PREFETCH) continue;
        fill(&param->array, number, data[p]);
        inputs[p] = (tg_case_tensor){TG_CASE_TENSOR, {param->array, data[p]}};
    }
    return tg_first_difference_find(&c, settings, first, diags);
}

/* What is found for a kernel in the notation of kernel_text.h. */
static tg_first_kind find_line(const char *text, const tg_first_settings *settings,
                               char line[TG_FIRST_TEXT])
{
    tg_first_difference first;
    tg_diags diags = {0};
    tg_module *module = load_kernel(text);
    cr_assert_eq(find(module, counted, settings, &first, &diags), TG_OK, "%s",
                 diags.count ? diags.list[0].message : "");
    tg_first_difference_print(&first, "emulator", line);
    tg_module_free(module);
    return first.kind;
}

static void expect_windows(const char *text, const char *from, const char *to, int which,
                           size_t window, uint32_t most, const char *wanted)
{
    char line[TG_FIRST_TEXT];
    tg_device *emulator = tg_device_emulator(0);
    faulty f = {
        .kind = *emulator->kind, .emulator = emulator, .from = from, .to = to, .which = which};
    f.kind.load = load_faulty;
    f.kind.unload = unload;
    f.kind.resident = resident;
    f.kind.alloc = alloc;
    f.kind.release = release;
    f.kind.write = write_to;
    f.kind.read = read_from;
    f.kind.launch = launch;
    f.device.kind = &f.kind;
    const tg_first_settings spoilt = {.device = &f.device, .window = window, .most_windows = most},
                            sound = {.device = emulator, .window = window};
    find_line(text, &spoilt, line);
    cr_expect_str_eq(line, wanted, "found: %s\nnot:   %s", line, wanted);
    cr_expect_eq(find_line(text, &sound, line), TG_FIRST_NONE, "without the fault: %s", line);
    tg_device_free(emulator);
}

static void expect_first(const char *text, const char *from, const char *to, int which,
                         const char *wanted)
{
    expect_windows(text, from, to, which, 0, 0, wanted);
}

/* ---- ops ---- */

/* Its block never gets to memory; ops before and behind it are in the same loop. */
Test(first_difference, op_of_a_group)
{
    expect_first("grid 2\ninput x f32[8] block b4 at i\noutput o f32[8] block b4 at i\nbody\n"
                 "%10:f32[4] = load %1 [0:4] loc=1; %11:f32[4] = mul %10 %10 loc=2\n"
                 "%12:f32[4] = add %11 %10 loc=3; %13:f32[4] = neg %12 loc=4\n"
                 "store %2 %13 [0:4] loc=5\n",
                 "add.rn.f32", "sub.rn.f32", 0,
                 "first op that differs: add at k.py:3 in program (0), f32 element [0]: cpu 2 "
                 "[40000000], emulator 0 [00000000], 1073741824 ULP apart; 4 of 4 elements differ");
}

Test(first_difference, dot)
{
    expect_first(
        "input x f32[2,3]\ninput y f32[3,2]\noutput o f32[2,2]\nbody\n"
        "%10:f32[2,3] = load %1 [0:2,0:3] loc=1; %11:f32[3,2] = load %2 [0:3,0:2] loc=2\n"
        "%14:f32[2,3] = constant value=3; %15:f32[2,3] = div %10 %14 loc=6\n"
        "%12:f32[2,2] = dot_general %15 %11 lhs_contract=[1] rhs_contract=[0] lhs_batch=[] "
        "rhs_batch=[] loc=3\n"
        "%13:f32[2,2] = exp %12 loc=4; store %3 %13 [0:2,0:2] loc=5\n",
        "fma.rn.f32", "fma.rz.f32", 0,
        "first op that differs: dot_general at k.py:3 in program (), f32 element [0, 0]: cpu "
        "7.33333349 = 0x1.d55556p+2 [40eaaaab], emulator 7.33333302 = 0x1.d55554p+2 [40eaaaaa], 1 "
        "ULP apart; 2 of 4 elements differ");
}

Test(first_difference, reduction)
{
    expect_first(
        "input x f32[2,5]\noutput o f32[2]\nbody\n"
        "%10:f32[2,5] = load %1 [0:2,0:5] loc=1\n"
        "%11:f32[2] = reduce_sum %10 axes=[1] loc=2\n"
        "%12:f32[2] = neg %11 loc=3; store %2 %12 [0:2] loc=4\n",
        "add.rn.f32", "sub.rn.f32", 0,
        "first op that differs: reduce_sum at k.py:2 in program (), f32 element [0]: cpu 15 "
        "[41700000], emulator 5 [40a00000], 13631488 ULP apart; 2 of 2 elements differ");
}

/* Masked off elements get the other value; here the two are mixed up. */
Test(first_difference, masked_load)
{
    expect_first(
        "grid 2\ninput x f32[6] block b4 at i\noutput o f32[8] block b4 at i\nbody\n"
        "%10:f32[4] = constant value=2.5 loc=1\n"
        "%11:i32[4] = iota axis=0 loc=2; %12:i32[4] = constant value=2 loc=3\n"
        "%13:bool[4] = lt %11 %12 loc=4\n"
        "%14:f32[4] = load %1 %13 %10 [0:4] mask=true other=true loc=5\n"
        "%15:f32[4] = add %14 %14 loc=6; store %2 %15 [0:4] loc=7\n",
        "setp.ne.u32", "setp.eq.u32", 0,
        "first op that differs: load at k.py:5 in program (0), f32 element [0]: cpu 1 [3f800000], "
        "emulator 2.5 = 0x1.4p+1 [40200000], 10485760 ULP apart; 4 of 4 elements differ");
}

/* 2 * 2 is 2 + 2: it is the second turn that differs. */
Test(first_difference, within_a_loop)
{
    expect_first(
        "grid 2\noutput o f32[8] block b4 at i\nbody\n"
        "%11:i32[] = constant value=0; %12:i32[] = constant value=3\n"
        "%13:i32[] = constant value=1; %14:f32[4] = constant value=2\n"
        "%15:f32[4] = for %11 %12 %13 %14 loc=2 { (%20:i32[] %21:f32[4]) "
        "%22:f32[4] = mul %21 %21 loc=3; yield %22 }\n"
        "store %1 %15 [0:4] loc=4\n",
        "mul.rn.f32", "add.rn.f32", 0,
        "first op that differs: mul at k.py:3 in program (0), visit 2, f32 element [0]: cpu 16 "
        "[41800000], emulator 8 [41000000], 8388608 ULP apart; 4 of 4 elements differ");
}

Test(first_difference, integers)
{
    expect_first("output o i32[8]\nbody\n"
                 "%10:i32[8] = iota axis=0 loc=1; %11:i32[8] = mul %10 %10 loc=2\n"
                 "%12:i32[8] = max %10 %11 loc=3; store %1 %12 [0:8] loc=4\n",
                 "max.s32", "min.s32", 0,
                 "first op that differs: max at k.py:3 in program (), i32 element [2]: cpu 4 "
                 "[00000004], emulator 2 [00000002], 2 ULP apart; 6 of 8 elements differ");
}

/* bf16 is held as f32, and told as what it is. */
Test(first_difference, narrow_floats)
{
    expect_first("input x f32[4]\noutput o bf16[4]\nbody\n"
                 "%10:f32[4] = load %1 [0:4] loc=1; %11:bf16[4] = convert %10 loc=2\n"
                 "%12:bf16[4] = add %11 %11 loc=3; store %2 %12 [0:4] loc=4\n",
                 "add.rn.f32", "sub.rn.f32", 0,
                 "first op that differs: add at k.py:3 in program (), bf16 element [0]: cpu 2 "
                 "[4000], emulator 0 [0000], 16384 ULP apart; 4 of 4 elements differ");
}

/* NaN is NaN whatever its bits: what differs is the op behind it. */
Test(first_difference, nan_is_nan)
{
    expect_first("input x f32[4]\noutput o f32[4]\noutput p f32[4]\nbody\n"
                 "%10:f32[4] = load %1 [0:4] loc=1; %11:f32[4] = sub %10 %10 loc=2\n"
                 "%12:f32[4] = div %11 %11 loc=3; store %2 %12 [0:4] loc=4\n"
                 "%13:f32[4] = mul %10 %10 loc=5; store %3 %13 [0:4] loc=6\n",
                 "mul.rn.f32", "add.rn.f32", 0,
                 "first op that differs: mul at k.py:5 in program (), f32 element [0]: cpu 1 "
                 "[3f800000], emulator 2 [40000000], 8388608 ULP apart; 3 of 4 elements differ");
}

/* ---- what is no block of an op ---- */

Test(first_difference, another_branch)
{
    expect_first("grid 2\ninput x f32[4]\noutput o f32[8] block b4 at i\nbody\n"
                 "%10:f32[4] = load %1 [0:4] loc=1; %11:i32[] = program_id axis=0 loc=2\n"
                 "%12:f32[4] = switch %11 loc=3 { %21:f32[4] = neg %10 loc=4; yield %21 } "
                 "{ %23:f32[4] = exp %10 loc=5; yield %23 }\n"
                 "store %2 %12 [0:4] loc=6\n",
                 "setp.eq.s64", "setp.ne.s64", 0,
                 "ops go another way, all blocks before being the same: cpu has neg at k.py:4 in "
                 "program (0) where emulator has exp at k.py:5 in program (0)");
}

/* Half of each element does not get there.  Of blocks beyond the array elements are stored one by one. */
Test(first_difference, store)
{
    expect_first("grid 2\ninput x f32[7] block b4 at i\noutput o f32[7] block b4 at i\nbody\n"
                 "%10:f32[4] = load %1 [0:4] loc=1; %11:f32[4] = neg %10 loc=2\n"
                 "store %2 %11 [0:4] loc=3\n",
                 "st.global.u32", "st.global.u16", 0,
                 "all ops leave the same blocks, and output o differs at [0]: cpu -1 [bf800000], "
                 "emulator nan [7fc00000]; 7 of 7 elements differ; it is written last by store at "
                 "k.py:3 in program (0)");
}

/* ---- memory ---- */

/* Each program leaves 72 bytes of log; max and min differ from program 2 on. */
#define SQUARES                                                                                    \
    "grid 4\noutput o i32[4] block s at i\nbody\n"                                                 \
    "%10:i32[] = program_id axis=0 loc=1; %11:i32[] = mul %10 %10 loc=2\n"                         \
    "%12:i32[] = max %10 %11 loc=3; store %1 %12 [] loc=4\n"

Test(first_difference, goes_through_windows)
{
    expect_windows(SQUARES, "max.s32", "min.s32", 0, 72, 3,
                   "first op that differs: max at k.py:3 in program (2), i32 element []: cpu 4 "
                   "[00000004], emulator 2 [00000002], 2 ULP apart; 1 of 1 elements differ");
}

Test(first_difference, a_window_has_room_for_what_an_instruction_leaves)
{
    expect_windows(SQUARES, "max.s32", "min.s32", 0, 1, 0,
                   "first op that differs: max at k.py:3 in program (2), i32 element []: cpu 4 "
                   "[00000004], emulator 2 [00000002], 2 ULP apart; 1 of 1 elements differ");
}

Test(first_difference, tells_where_it_gave_up)
{
    expect_windows(SQUARES, "max.s32", "min.s32", 0, 72, 2,
                   "no op that differs among those whose blocks fill the first 144 bytes; the "
                   "others were not looked at");
}

/* ---- without a fault ---- */

/* Every op on every dtype, in loops and branches: both logs are the same, record by record. */
Test(first_difference, none_in_random_kernels)
{
    const int kernels = sampled(150, 8);
    int refused = 0;
    for (uint64_t seed = 0; seed < (uint64_t)kernels; seed++) {
        tg_device *emulator = tg_device_emulator(0);
        const tg_first_settings settings = {.device = emulator, .window = 1 << 16};
        tg_first_difference first;
        tg_diags diags = {0};
        tg_module *module;
        char line[TG_FIRST_TEXT], *json = random_program_json(seed, PROGRAM_OPS);
        cr_assert_eq(tg_module_load_text(json, strlen(json), &module, NULL), TG_OK);
        const tg_status status = find(module, mixed, &settings, &first, &diags);
        if (status == TG_OK)
            cr_expect_eq(first.kind, TG_FIRST_NONE, "seed %d: %s", (int)seed,
                         tg_first_difference_print(&first, "emulator", line));
        else
            cr_expect_eq(status, TG_ERR_UNSUPPORTED, "seed %d: %s", (int)seed,
                         diags.list[0].message);
        refused += status == TG_ERR_UNSUPPORTED;
        tg_diags_free(&diags);
        tg_module_free(module);
        tg_device_free(emulator);
        free(json);
    }
    cr_expect(refused < kernels / 2, "%d kernels were refused", refused);
}
