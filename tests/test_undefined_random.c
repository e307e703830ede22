/* Undefined values by definition: random kernels run with one set of bits after another where nothing defines any.  What of the
 * outputs is called defined must not change; of what is called undefined it is counted how much never did. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lower/lower.h"
#include "checks/checks.h"
#include "checks/undefined/shadow.h"
#include "interp/state/actors.h"
#include "interp/exec/bind.h"
#include "interp/state/fill.h"
#include "interp/state/room.h"
#include "ir/tensor.h"
#include "schedule/schedule.h"
#include "ir/bits.h"
#include "loaders/json_ir.h"
#include "random/maker.h"
#include "random/programs.h"
#include "base/float_env.h"
#include "tests/sampled.h"

enum { MOST_PARAMS = 24, FILLS = 5, OPS = PROGRAM_OPS };

/* Elements of outputs over several kernels. */
typedef struct counts {
    int64_t kernels;
    int64_t
        decided; /* kernels in which undefined values chose a way or an address: not counted further */
    int64_t defined, undefined, constant; /* of the undefined ones: those that no fill changed */
} counts;

typedef struct trial {
    uint64_t seed;
    tg_module *module;
    tg_plan *plan;
    tg_grid grid;
    tg_launch launch;
    void *undefined; /* state of tg_detector_undefined */
    tg_findings findings;
    tg_machines machines;
    tg_buffer buffers[MOST_PARAMS];
    size_t bytes[MOST_PARAMS];
    unsigned char *given[MOST_PARAMS]; /* inputs as they are before each run */
    unsigned char *first[MOST_PARAMS]; /* outputs after the first fill */
    char *
        verdict[MOST_PARAMS]; /* of outputs, per element: 'd'efined, 'u'ndefined, '?' not written */
    bool *changed[MOST_PARAMS];
} trial;

/* ---- one kernel ---- */

static void load(trial *t)
{
    char *text = random_program_json(t->seed, OPS);
    tg_diags diags = {0};
    cr_assert_eq(tg_json_load(text, strlen(text), &t->module, &diags), TG_OK);
    cr_assert_eq(tg_plan_new(t->module, &t->module->kernels[0], &t->plan, &diags), TG_OK);
    tg_diags_free(&diags);
    free(text);
}

/* Numbers of a moderate size, small integers, any bool. */
static void make_input(tg_dtype dtype, unsigned char *data, size_t bytes, uint64_t seed)
{
    const size_t size = tg_dtypes[dtype].bytes;
    for (size_t i = 0; i * size < bytes; i++) {
        const uint64_t any = tg_random(seed, i);
        const double number = (double)(int64_t)(any % 257) / 16 - 8;
        tg_bits_store(dtype, tg_is_float(dtype) ? tg_bits_round(dtype, number) : any % 100,
                      data + i * size);
    }
}

static void make_arrays(trial *t)
{
    const tg_kernel *k = t->plan->kernel;
    cr_assert_leq(k->param_count, MOST_PARAMS);
    for (uint32_t p = 0; p < k->param_count; p++) {
        const tg_type *array = &k->params[p].array;
        tg_buffer *buffer = &t->buffers[p];
        buffer->count = tg_type_count(array);
        t->bytes[p] = tg_tensor_bytes(array);
        tg_dense_strides(array->rank, array->shape, buffer->stride);
        if (k->params[p].role == TG_ROLE_SCRATCH) continue;
        if (k->params[p].role == TG_ROLE_OUTPUT && k->params[p].alias >= 0)
            buffer->data = t->buffers[k->params[p].alias].data;
        else
            buffer->data = malloc(t->bytes[p] + 1);
        t->given[p] = calloc(1, t->bytes[p] + 1);
        t->first[p] = calloc(1, t->bytes[p] + 1);
        t->verdict[p] = malloc((size_t)buffer->count + 1);
        t->changed[p] = calloc((size_t)buffer->count + 1, sizeof(bool));
        make_input(array->dtype, t->given[p], t->bytes[p], t->seed + p);
    }
}

static void prepare(trial *t)
{
    tg_diags diags = {0};
    t->launch = (tg_launch){.plan = t->plan,
                            .elementwise = tg_elementwise_get(NULL),
                            .axis_count = t->plan->kernel->axis_count,
                            .buffers = t->buffers,
                            .findings = &t->findings};
    cr_assert_eq(tg_launch_bind(&t->launch, &diags), TG_OK);
    cr_assert_eq(pthread_mutex_init(&t->launch.atomics, NULL), 0);
    int64_t dynamic[TG_MAX_AXES] = {2, 2, 2, 2};
    cr_assert_eq(tg_grid_set(t->plan->kernel, dynamic, &tg_setting_default, &t->grid, &diags),
                 TG_OK);
    memcpy(t->launch.grid, t->grid.size, sizeof t->launch.grid);
    t->launch.actors = tg_actor_count(&t->grid);
    cr_assert(tg_detector_undefined.make(&t->launch, &t->undefined));
    tg_detector_add(&t->launch.detectors, &tg_detector_undefined, t->undefined);
}

static void finish(trial *t)
{
    for (uint32_t p = 0; p < t->plan->kernel->param_count; p++) {
        if (t->plan->kernel->params[p].role != TG_ROLE_OUTPUT ||
            t->plan->kernel->params[p].alias < 0)
            free(t->buffers[p].data);
        free(t->given[p]);
        free(t->first[p]);
        free(t->verdict[p]);
        free(t->changed[p]);
    }
    tg_machines_free(&t->machines);
    tg_detector_undefined.free(t->undefined);
    tg_launch_unbind(&t->launch);
    pthread_mutex_destroy(&t->launch.atomics);
    tg_plan_free(t->plan);
    tg_module_destroy(t->module);
}

/* ---- runs ---- */

static void fill_memory(trial *t)
{
    const tg_kernel *k = t->plan->kernel;
    for (uint32_t p = 0; p < k->param_count; p++) {
        if (k->params[p].role == TG_ROLE_OUTPUT && k->params[p].alias < 0)
            tg_launch_fill_memory(&t->launch, t->buffers[p].data, k->params[p].array.dtype,
                                  (size_t)t->buffers[p].count);
        else if (k->params[p].role != TG_ROLE_OUTPUT && k->params[p].role != TG_ROLE_SCRATCH)
            memcpy(t->buffers[p].data, t->given[p], t->bytes[p]);
    }
}

/* Whether undefined values decided nothing; adds what the trails say of each element to `verdict` at the first fill. */
static bool run_once(trial *t, int fill)
{
    static const tg_order orders[] = {{.kind = TG_ORDER_SEQUENTIAL}, {.kind = TG_ORDER_REVERSED}};
    tg_walk w = {.launch = &t->launch,
                 .grid = &t->grid,
                 .order = &orders[fill % 2],
                 .machines = &t->machines};
    t->launch.undefined_seed = (uint64_t)fill;
    tg_machines_free(&t->machines); /* some undefined values are made with a machine */
    cr_assert(tg_findings_init(&t->findings, 1000));
    fill_memory(t);
    cr_assert(tg_detector_undefined.begin(t->undefined,
                                          &(tg_run_begin){.launch = &t->launch, .grid = &t->grid}));
    tg_environment saved = tg_environment_enter();
    cr_assert_eq(tg_walk_run(&w), TG_OK);
    tg_environment_leave(saved);
    tg_room_free(&t->launch);
    tg_run_end end = {
        .launch = &t->launch, .grid = &t->grid, .findings = &t->findings, .is_whole = true};
    cr_assert(tg_detector_undefined.report(t->undefined, &end));
    bool decided = false;
    for (size_t i = 0; i < t->findings.count; i++) {
        const tg_found *f = &t->findings.list[i];
        decided = decided || f->kind != TG_FINDING_UNDEFINED_OUTPUT;
    }
    tg_findings_free(&t->findings);
    return !decided;
}

typedef struct reading {
    char *verdict;
    tg_undefined *all;
    int64_t per_element;
} reading;

static void read_run(void *context, uint32_t word, int64_t first, int64_t count)
{
    const reading *r = context;
    if (!word) return;
    const tg_trail t = tg_trails_get(&r->all->trails, tg_word_trail(word));
    for (int64_t i = first / r->per_element; i <= (first + count - 1) / r->per_element; i++)
        r->verdict[i] = tg_trail_is_origin(&t) && r->verdict[i] != 'u' ? '?' : 'u';
}

static void read_verdicts(trial *t, uint32_t p)
{
    tg_undefined *all = t->undefined;
    const tg_param *param = &t->plan->kernel->params[p];
    const uint32_t owner = tg_param_owner(t->plan->kernel, p);
    reading r = {t->verdict[p], all,
                 (int64_t)(tg_dtypes[param->array.dtype].bytes / all->params[owner].width)};
    memset(t->verdict[p], 'd', (size_t)t->buffers[p].count);
    tg_plane_visit(&all->planes[owner], 0, all->planes[owner].count, read_run, &r);
}

static void compare(trial *t, uint32_t p, int fill)
{
    const size_t size = tg_dtypes[t->plan->kernel->params[p].array.dtype].bytes;
    if (fill == 0) {
        memcpy(t->first[p], t->buffers[p].data, t->bytes[p]);
        read_verdicts(t, p);
    }
    for (int64_t i = 0; i < t->buffers[p].count; i++) {
        if (memcmp(t->first[p] + (size_t)i * size, t->buffers[p].data + (size_t)i * size, size) ==
            0)
            continue;
        t->changed[p][i] = true;
        if (t->verdict[p][i] != 'd') continue;
        char *text = random_json(RANDOM_TYPED, t->seed, OPS);
        cr_assert_fail("seed %d: element %d of %s is called defined and changed at fill %d:\n%s",
                       (int)t->seed, (int)i, t->plan->kernel->params[p].name, fill, text);
    }
}

static void count_elements(const trial *t, uint32_t p, counts *c)
{
    for (int64_t i = 0; i < t->buffers[p].count; i++) {
        c->defined += t->verdict[p][i] == 'd';
        c->undefined += t->verdict[p][i] == 'u';
        c->constant += t->verdict[p][i] == 'u' && !t->changed[p][i];
    }
}

static void try_seed(uint64_t seed, counts *c)
{
    trial t = {.seed = seed};
    load(&t);
    make_arrays(&t);
    prepare(&t);
    const tg_kernel *k = t.plan->kernel;
    bool decided = false;
    for (int fill = 0; fill < FILLS && !decided; fill++) {
        decided = !run_once(&t, fill);
        for (uint32_t p = 0; p < k->param_count && !decided; p++)
            if (k->params[p].role == TG_ROLE_OUTPUT) compare(&t, p, fill);
    }
    c->kernels++;
    c->decided += decided;
    for (uint32_t p = 0; p < k->param_count && !decided; p++)
        if (k->params[p].role == TG_ROLE_OUTPUT) count_elements(&t, p, c);
    finish(&t);
}

static counts try_seeds(uint64_t first, int seeds)
{
    counts c = {0};
    for (uint64_t seed = first; seed < first + (uint64_t)seeds; seed++) try_seed(seed, &c);
    fprintf(stderr,
            "%d kernels, in %d of them undefined values decide; elements: %d defined, "
            "%d undefined, of which %d never changed\n",
            (int)c.kernels, (int)c.decided, (int)c.defined, (int)c.undefined, (int)c.constant);
    return c;
}

/* TILEGRIND_TEST_SEED, _SEEDS: from which seed, and how many. */
Test(undefined_random, what_is_defined_never_changes)
{
    const char *from = getenv("TILEGRIND_TEST_SEED"), *most = getenv("TILEGRIND_TEST_SEEDS");
    const int seeds = most ? atoi(most) : sampled(150, 50);
    const counts c = try_seeds(from ? strtoull(from, NULL, 10) : 0, seeds);
    /* The numbers of elements vary with what random kernels are made of: most are defined. */
    cr_assert(most || (c.defined > 100 * seeds && c.undefined > 10 * seeds &&
                       4 * c.decided < 3 * c.kernels));
}

/* With copies and products beside the programs, which take place late or early. */
Test(undefined_random, with_products) { try_seeds(RANDOM_PRODUCTS, sampled(100, 30)); }

/* And with scales and sparse factors. */
Test(undefined_random, with_ptx) { try_seeds(RANDOM_PTX, sampled(100, 30)); }
Test(undefined_random, with_scaled_products) { try_seeds(RANDOM_SCALED, sampled(100, 30)); }
