/* The history of elements: what is logged of each access, in which order, with which values, and what a log that is full says. */
#include "ir/tensor.h"
#include "record_random.h"
#include "sampled.h"

static const tg_record_limits roomy = {
    .size = sizeof roomy, .accesses = 1 << 16, .values = 1 << 20};

typedef struct recorded {
    tg_module *module;
    arrays all;
    tg_report *report;
    tg_recording *recording;
    const tg_history *history;
} recorded;

static recorded record_with(const char *text, const named *inputs, tg_run_options options,
                            const tg_record_limits *limits)
{
    recorded r = {.module = load_kernel(text)};
    tg_errors *errors = tg_errors_new();
    options.size = sizeof options;
    r.all = make_arrays(r.module, inputs);
    r.report = run_once(r.module, &r.all, &options);
    const tg_status status = tg_record(r.module, NULL, r.all.list, r.all.count, &options, r.report,
                                       limits, &r.recording, errors);
    if (status != TG_OK) show_errors(errors);
    cr_assert_eq(status, TG_OK);
    tg_errors_free(errors);
    r.history = r.recording->history;
    return r;
}

static recorded record(const char *text, const named *inputs)
{
    return record_with(text, inputs, (tg_run_options){.order = "sequential"}, &roomy);
}

static void drop(recorded *r)
{
    tg_recording_free(r->recording);
    tg_report_free(r->report);
    free_arrays(&r->all);
    tg_module_free(r->module);
}

/* "STEP KIND PARAM (PROGRAM) OP:LINE FIRST COUNTxSTRIDE... = VALUES", values as i32. */
static void print_entry(const recorded *r, size_t i, char *out, size_t size)
{
    const tg_history_entry *e = &r->history->entries[i];
    static const char *const kinds[] = {
        [TG_ACCESS_READ] = "read", [TG_ACCESS_WRITE] = "write", [TG_ACCESS_UPDATED] = "atomic"};
    size_t used = (size_t)snprintf(
        out, size, "%d%s %s%s %s (%d) %s:%d %d", (int)e->step, e->steps > 1 ? "+" : "",
        e->is_part ? "part-" : "", kinds[e->kind], r->recording->kernel->params[e->param].name,
        (int)e->program, tg_ops[e->inst->op].name,
        (int)r->recording->module->locs[e->inst->loc].line, (int)e->first);
    for (int d = 0; d < e->rank && used < size; d++)
        used += (size_t)snprintf(out + used, size - used, " %dx%d", (int)e->count[d],
                                 (int)e->stride[d]);
    for (int64_t v = 0; v < e->value_count && used < size; v++) {
        int32_t value;
        memcpy(&value, r->history->values + e->value_at + (size_t)v * sizeof value, sizeof value);
        used += (size_t)snprintf(out + used, size - used, "%s%d", v ? " " : " = ", (int)value);
    }
}

static void check_log(recorded *r, const char *const *lines, size_t count)
{
    char line[512];
    for (size_t i = 0; i < r->history->count; i++) {
        print_entry(r, i, line, sizeof line);
        if (i >= count || strcmp(line, lines[i]) != 0) fprintf(stderr, "entry %zu: %s\n", i, line);
        if (i < count) cr_assert_str_eq(line, lines[i]);
    }
    cr_assert_eq(r->history->count, count, "%zu entries", r->history->count);
}

#define EXPECT(r, ...)                                                                             \
    check_log(r, (const char *const[]){__VA_ARGS__},                                               \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

#define PROGRAM_ID "%10:i32[] = program_id axis=0\n"

static const int32_t numbers[] = {10, 11, 12, 13, 14, 15, 16, 17};

/* ---- what is logged ---- */

Test(history, reads_and_writes_in_their_order)
{
    recorded r =
        record("grid 2\ninput x i32[2,4] block s b4 at i 0\noutput o i32[8] block b4 at i\n"
               "body\n%11:i32[2] = load %1 [1:2] loc=3; %12:i32[2] = add %11 %11; "
               "store %2 %12 [0:2:2] loc=4\n",
               NAMED({"x", numbers}));
    EXPECT(&r, "0 read x (0) load:3 1 2x1", "1 write o (0) store:4 0 2x2 = 22 24",
           "2 read x (1) load:3 5 2x1", "3 write o (1) store:4 4 2x2 = 30 32");
    cr_assert_eq(r.history->step, 4);
    cr_assert_eq(r.history->gaps[1].accesses + r.history->gaps[1].values, 0);
    drop(&r);
}

Test(history, the_order_of_the_run)
{
    recorded r = record_with("grid 3\noutput o i32[3] block s at i\nbody\n" PROGRAM_ID
                             "store %1 %10 [] loc=1\n",
                             NAMED({NULL, NULL}), (tg_run_options){.order = "reversed"}, &roomy);
    EXPECT(&r, "0 write o (2) store:1 2 1x1 = 2", "1 write o (1) store:1 1 1x1 = 1",
           "2 write o (0) store:1 0 1x1 = 0");
    drop(&r);
}

/* An output that is an alias is told of under the name of the input, whose array stays as it is. */
Test(history, aliases_are_one_memory)
{
    recorded r = record("grid 1\ninput x i32[4]\noutput o i32[4] alias=x\nbody\n"
                        "%11:i32[2] = load %1 [1:2] loc=1; store %2 %11 [0:2] loc=2; "
                        "%12:i32[1] = load %2 [0:1] loc=3\nstore %2 %12 [3:1] loc=4\n",
                        NAMED({"x", numbers}));
    EXPECT(&r, "0 read x (0) load:1 1 2x1", "1 write x (0) store:2 0 2x1 = 11 12",
           "2 read x (0) load:3 0 1x1", "3 write x (0) store:4 3 1x1 = 11");
    cr_assert_eq(((const int32_t *)r.recording->data[0])[0], 10);
    cr_assert_eq(((const int32_t *)r.recording->data[1])[3], 11);
    drop(&r);
}

/* An atomic is logged with what it leaves. */
Test(history, atomics)
{
    recorded r = record("grid 2\ninput x i32[2]\noutput o i32[2] alias=x\nbody\n" PROGRAM_ID
                        "%11:i32[] = constant value=1; %12:i32[] = constant value=5\n"
                        "add_update %2 %12 %11 [@] loc=2; %13:i32[] = atomic_rmw %2 %12 %10 [@] "
                        "kind='add' loc=3\n",
                        NAMED({"x", numbers}));
    EXPECT(&r, "0 atomic x (0) add_update:2 1 1x1 = 16", "1 atomic x (0) atomic_rmw:3 0 1x1 = 15",
           "2 atomic x (1) add_update:2 1 1x1 = 21", "3 atomic x (1) atomic_rmw:3 1 1x1 = 26");
    drop(&r);
}

/* Elements that are touched one by one are a series where they follow each other at one distance, also at none. */
Test(history, series)
{
    recorded r = record("grid 1\ninput x i32[8]\noutput o i32[8]\nbody\n"
                        "%11:i32[6] = constant value=[1,3,5,0,0,0]; %12:i32[6] = load %1 %11 [@] "
                        "loc=1; store %2 %12 %11 [@] loc=2\n",
                        NAMED({"x", numbers}));
    EXPECT(&r, "0+ read x (0) load:1 1 3x2", "3+ read x (0) load:1 0 3x0",
           "6+ write o (0) store:2 1 3x2 = 11 13 15", "9+ write o (0) store:2 0 3x0 = 10 10 10");
    drop(&r);
}

Test(history, scratch_and_masks)
{
    recorded r = record("grid 2\ninput x i32[8] block b4 at i\noutput o i32[8] block b4 at i\n"
                        "scratch s i32[4]\nbody\n%11:i32[4] = load %1 [0:4] loc=1\n"
                        "%12:bool[4] = constant value=[true,true,false,true]; store %3 %11 %12 "
                        "[0:4] mask=true loc=2; %13:i32[4] = load %3 [0:4] loc=3\n"
                        "store %2 %13 [0:4] loc=4\n",
                        NAMED({"x", numbers}));
    cr_assert_eq(r.history->count, 10);
    char line[512];
    print_entry(&r, 1, line, sizeof line);
    cr_assert_str_eq(line, "1 write s (0) store:2 0 2x1 = 10 11");
    print_entry(&r, 7, line, sizeof line);
    cr_assert_str_eq(line, "7 write s (1) store:2 3 1x1 = 17");
    drop(&r);
}

/* A reference to bytes: what is told is the elements that they are parts of, whole. */
Test(history, parts_of_elements)
{
    static const int32_t zeros[4] = {0};
    recorded r = record("grid 1\ninput x i32[1,4]\noutput o i32[1,4] alias=x\nbody\n"
                        "%20:ref<i8[4,4]> = view_bitcast %2; %11:i8[1,2] = constant value=1; store "
                        "%20 %11 [1:1,1:2] loc=6\n",
                        NAMED({"x", zeros}));
    EXPECT(&r, "0+ part-write x (0) store:6 1 2x1 = 256 256");
    drop(&r);
}

/* By a reference with a layout, neighbours are told of together; those that a mask turns off are not. */
Test(history, layouts)
{
    recorded r =
        record("grid 1\ninput x i32[8]\noutput o i32[8]\nbody\n"
               "%10:ref<i32[8]>'Sw<1,1,1> o 8:1' = view_layout %1; %11:i32[8] = load %10 "
               "[0:8] loc=1\n%12:bool[8] = constant value=[true,true,true,false,true,true,true,"
               "true]; %13:ref<i32[8]>'Sw<1,1,1> o 8:1' = view_layout %2; store %13 %11 "
               "%12 [0:8] mask=true loc=2\n%14:ref<i32[2,4]>'(4,2):(2,1)' = view_layout %1; "
               "%15:i32[2,3] = load %14 [0:2,0:3] loc=3\n",
               NAMED({"x", numbers}));
    EXPECT(&r, "0 read x (0) load:1 0 4x1", "1 read x (0) load:1 6 2x1",
           "2 read x (0) load:1 4 2x1", "3 write o (0) store:2 0 3x1 = 10 11 12",
           "4 write o (0) store:2 6 2x1 = 16 17", "5 write o (0) store:2 4 2x1 = 14 15",
           "6 read x (0) load:3 0 2x4 3x1");
    drop(&r);
}

/* ---- room ---- */

/* Each of 64 programs reads o[0], which all write: nothing else is asked for, and gets half of the room. */
Test(history, findings_come_first)
{
    static const int32_t many[64] = {0};
    const tg_record_limits narrow = {.size = sizeof narrow, .accesses = 160, .values = 6400};
    recorded r =
        record_with("grid 64\ninput x i32[64] block s at i\noutput o i32[1]\nbody\n" PROGRAM_ID
                    "%11:i32[] = load %1 [] loc=1; %12:i32[] = load %1 [] loc=2; %13:i32[] "
                    "= load %1 [] loc=3\n"
                    "%14:i32[1] = broadcast_in_dim %10 dims=[]; store %2 %14 [0:1] loc=4\n",
                    NAMED({"x", many}), (tg_run_options){.checks = "races"}, &narrow);
    cr_assert_eq(tg_report_finding_count(r.report), 1);
    cr_assert_eq(r.history->step, 4 * 64);
    size_t loads = 0, stores = 0;
    for (size_t i = 0; i < r.history->count; i++)
        *(r.history->entries[i].kind == TG_ACCESS_READ ? &loads : &stores) += 1;
    cr_assert_eq(stores, 64, "%zu", stores);
    cr_assert_eq(loads, 40, "%zu: one operation gets a quarter", loads);
    cr_assert_eq(r.history->gaps[0].accesses, 3 * 64 - 40);
    cr_assert_eq(r.history->gaps[0].since, 53, "%d", (int)r.history->gaps[0].since);
    cr_assert_eq(r.history->gaps[1].accesses, 0);
    cr_assert_eq(r.history->gaps[1].since, INT64_MAX);
    cr_assert_eq(r.history->gaps[1].since_asked_for, INT64_MAX);
    drop(&r);
}

/* Also what is asked for has an end, and says from where on. */
Test(history, room_ends)
{
    const tg_record_limits narrow = {.size = sizeof narrow, .accesses = 10, .values = 6400};
    recorded r =
        record_with("grid 64\noutput o i32[1]\nbody\n" PROGRAM_ID
                    "%14:i32[1] = broadcast_in_dim %10 dims=[]; store %1 %14 [0:1] loc=4\n",
                    NAMED({NULL, NULL}), (tg_run_options){.checks = "races"}, &narrow);
    cr_assert_eq(r.history->count, 10);
    cr_assert_eq(r.history->gaps[0].accesses, 54);
    cr_assert_eq(r.history->gaps[0].since_asked_for, 10);
    cr_assert_eq(r.history->gaps[0].since, INT64_MAX);
    drop(&r);
}

/* An access keeps its first values. */
Test(history, values_have_an_end)
{
    const tg_record_limits narrow = {.size = sizeof narrow, .accesses = 100, .values = 256};
    recorded r = record_with("grid 2\noutput o i32[16] block b8 at i\nbody\n"
                             "%11:i32[8] = iota axis=0; store %1 %11 [0:8] loc=4\n",
                             NAMED({NULL, NULL}), (tg_run_options){.checks = "none"}, &narrow);
    EXPECT(&r, "0 write o (0) store:4 0 8x1 = 0 1 2 3", "1 write o (1) store:4 8 8x1 = 0 1 2 3");
    cr_assert_eq(r.history->gaps[0].values, 8);
    drop(&r);
}

/* ---- what nobody can record ---- */

Test(history, refusals)
{
    tg_module *module = load_kernel("grid d\noutput o i32[1]\nbody\n");
    arrays all = make_arrays(module, NAMED({NULL, NULL}));
    const int64_t grid = 2, negative = -1;
    tg_run_options options = {
        .size = sizeof options, .dynamic_grid = &grid, .dynamic_grid_count = 1};
    tg_report *report = run_once(module, &all, &options);
    tg_recording *recording;
    cr_assert_eq(
        tg_record(module, "other", all.list, all.count, &options, report, &roomy, &recording, NULL),
        TG_ERR_USAGE);
    cr_assert_null(recording);
    options.dynamic_grid = &negative;
    cr_assert_eq(
        tg_record(module, NULL, all.list, all.count, &options, report, &roomy, &recording, NULL),
        TG_ERR_USAGE);
    options.dynamic_grid = &grid;
    cr_assert_eq(tg_record(module, NULL, all.list, 0, &options, report, &roomy, &recording, NULL),
                 TG_ERR_USAGE);
    cr_assert_null(recording);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

/* ---- by definition ---- */

enum { SEEDS = 120 };

/* What the log says that memory is in the end. */
typedef struct image {
    unsigned char *data[MOST_PARAMS];
    bool *known[MOST_PARAMS];
} image;

static void replay(const tg_recording *r, const tg_history_entry *e, image *out)
{
    const size_t width = tg_dtypes[r->kernel->params[e->param].array.dtype].bytes;
    int64_t count = 1;
    for (int d = 0; d < e->rank; d++) count *= e->count[d];
    if (e->kind == TG_ACCESS_READ) return;
    cr_assert_eq(e->value_count, count);
    for (int64_t i = 0; i < count; i++) {
        int64_t element = e->first, rest = i;
        for (int d = e->rank - 1; d >= 0; d--) {
            element += rest % e->count[d] * e->stride[d];
            rest /= e->count[d];
        }
        memcpy(out->data[e->param] + (size_t)element * width,
               r->history->values + e->value_at + (size_t)i * width, width);
        out->known[e->param][element] = true;
    }
}

/* Returns how many elements of outputs the log knows; each must be what the run has left. */
static int64_t check_image(const tg_recording *r, uint64_t seed, const char *order)
{
    image end = {0};
    int64_t known = 0;
    for (uint32_t p = 0; p < r->kernel->param_count; p++) {
        const tg_type *array = &r->kernel->params[p].array;
        if (array->dtype >= TG_DT_COUNT) continue; /* semaphores, which nobody stores to */
        end.data[p] = calloc(1, tg_tensor_bytes(array) + 1);
        end.known[p] = calloc((size_t)tg_type_count(array) + 1, sizeof(bool));
    }
    for (size_t i = 0; i < r->history->count; i++) replay(r, &r->history->entries[i], &end);
    for (uint32_t p = 0; p < r->kernel->param_count; p++) {
        const tg_param *param = &r->kernel->params[p];
        const uint32_t memory = tg_param_owner(r->kernel, p);
        const size_t width = tg_dtypes[param->array.dtype].bytes;
        for (int64_t e = 0; param->role == TG_ROLE_OUTPUT && e < tg_type_count(&param->array);
             e++) {
            if (!end.known[memory][e]) continue;
            known++;
            cr_assert_eq(memcmp(end.data[memory] + (size_t)e * width,
                                (char *)r->data[p] + (size_t)e * width, width),
                         0, "seed %d, %s: %s[%d]", (int)seed, order, param->name, (int)e);
        }
    }
    for (int p = 0; p < MOST_PARAMS; p++) {
        free(end.data[p]);
        free(end.known[p]);
    }
    return known;
}

static void look(const tg_recording *r, uint64_t seed, const char *order, void *known)
{
    *(int64_t *)known += check_image(r, seed, order);
}

/* Whatever a kernel does, the last value that the log has for an element is what the element is in the end. */
Test(history, the_last_value_is_what_is_left)
{
    const uint64_t seeds = (uint64_t)sampled(SEEDS, 40);
    int64_t known = 0;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        record_random(seed, "sequential", &roomy, look, &known);
        record_random(seed, "interleaved:3", &roomy, look, &known);
    }
    cr_assert_gt(3 * known, 500 * (int64_t)seeds, "%d", (int)known); /* 20,000 of 120 kernels */
}
