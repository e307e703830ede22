/* Sides of products that a machine packs once and keeps: which, for how long, and that results are as without. */
#include "interp/exec/panels.h"
#include "run_text.h"

/* ---- one machine ---- */

enum { SIZE = 128, BLOCKS = 140, COUNT = BLOCKS * SIZE * SIZE };

/* A dot whose sides are both blocks of one array, in place. */
typedef struct setup {
    tg_param param;
    tg_kernel kernel;
    tg_plan plan;
    bool is_written;
    tg_buffer buffer;
    tg_launch launch;
    struct tg_inst_dot dot;
    uint8_t storage[2];
    tg_machine machine;
    float *data;
} setup;

static void make(setup *s)
{
    memset(s, 0, sizeof *s);
    s->data = calloc(COUNT, sizeof *s->data);
    s->param = (tg_param){.role = TG_ROLE_INPUT, .array = {.dtype = TG_DT_f32}};
    s->kernel = (tg_kernel){.params = &s->param, .param_count = 1};
    s->plan = (tg_plan){.kernel = &s->kernel, .is_written = &s->is_written};
    s->buffer = (tg_buffer){.data = (unsigned char *)s->data, .count = COUNT};
    s->launch = (tg_launch){.plan = &s->plan,
                            .elementwise = tg_elementwise_get(NULL),
                            .axis_count = 2,
                            .grid = {2, BLOCKS},
                            .buffers = &s->buffer};
    s->dot = (struct tg_inst_dot){
        .lhs.slot = 0, .rhs.slot = 1, .acc = TG_DT_f32, .b = 1, .m = SIZE, .n = SIZE, .k = SIZE};
    s->storage[0] = s->storage[1] = TG_STORAGE_MEMORY;
    s->machine = (tg_machine){.launch = &s->launch, .storage = s->storage};
}

static void drop(setup *s)
{
    tg_panels_free(&s->machine);
    free(s->data);
}

/* What the dot of block `lhs` with block `rhs` is given. */
static tg_dot_shape use(setup *s, int lhs, int rhs)
{
    tg_dot_shape shape = {.b = 1,
                          .m = SIZE,
                          .n = SIZE,
                          .k = SIZE,
                          .lhs_m = SIZE,
                          .lhs_k = 1,
                          .rhs_k = SIZE,
                          .rhs_n = 1};
    tg_panels_use(&s->machine, &s->dot, s->data + lhs * SIZE * SIZE, s->data + rhs * SIZE * SIZE,
                  &shape);
    return shape;
}

/* Each side has its own panels, even of the same block. */
Test(panels, are_packed_once)
{
    setup s;
    make(&s);
    s.data[1] = 5; /* second column of the first row, second row of the first column */
    const tg_dot_shape first = use(&s, 0, 0), other = use(&s, 1, 2), again = use(&s, 0, 0);
    cr_assert(first.lhs_panels && first.rhs_panels);
    cr_expect_neq(first.lhs_panels, first.rhs_panels);
    cr_expect_eq(((const float *)(const void *)first.rhs_panels)[1], 5);
    cr_expect_neq(((const float *)(const void *)first.lhs_panels)[1], 5);
    cr_expect_eq(again.lhs_panels, first.lhs_panels);
    cr_expect_eq(again.rhs_panels, first.rhs_panels);
    cr_expect_eq(other.lhs_panels, first.lhs_panels + SIZE * SIZE * sizeof(float));
    cr_expect_eq(other.rhs_panels, first.next_rhs_panels);
    drop(&s);
}

Test(panels, are_packed_anew_in_the_next_run)
{
    setup s;
    make(&s);
    s.data[0] = 1;
    cr_assert_eq(*(const float *)(const void *)use(&s, 0, 0).rhs_panels, 1);
    s.data[0] = 2;
    tg_panels_forget(&s.machine);
    cr_expect_eq(*(const float *)(const void *)use(&s, 0, 0).rhs_panels, 2);
    cr_expect_eq(*(const float *)(const void *)use(&s, 0, 0).lhs_panels, 2);
    drop(&s);
}

static void expect_none(setup *s, const char *why)
{
    const tg_dot_shape shape = use(s, 0, 0);
    cr_expect(!shape.lhs_panels && !shape.rhs_panels && !shape.next_rhs_panels, "%s", why);
    cr_expect_null(s->machine.panels, "%s", why);
    drop(s);
}

Test(panels, that_are_not_kept)
{
    setup s;
    make(&s);
    s.is_written = true;
    expect_none(&s, "a program may write the array");
    make(&s);
    s.launch.grid[0] = 1;
    expect_none(&s, "each block has one program");
    make(&s);
    s.machine.stops = true;
    expect_none(&s, "machines take turns");
    make(&s);
    s.storage[0] = s.storage[1] = TG_STORAGE_DENSE;
    expect_none(&s, "the block was copied");
    make(&s);
    s.buffer.count = SIZE; /* so that the second block is somewhere else */
    const tg_dot_shape shape = use(&s, 1, 1);
    cr_expect(!shape.lhs_panels && !shape.rhs_panels, "memory of no array");
    drop(&s);
}

/* Those that there is no more room for are not; those before remain. */
Test(panels, are_not_kept_without_end)
{
    setup s;
    make(&s);
    int kept = 0;
    for (int b = 0; b < BLOCKS; b++) kept += use(&s, b, b).rhs_panels != NULL;
    cr_expect(kept > 100 && kept < BLOCKS, "%d", kept);
    cr_expect_eq(use(&s, BLOCKS - 1, 0).lhs_panels, NULL);
    cr_expect_not_null(use(&s, BLOCKS - 1, 0).rhs_panels);
    drop(&s);
}

/* ---- whole runs ---- */

/* The least depth with which sides of SIZE rows or columns are kept is a little smaller. */
enum { ROWS = 256, COLS = 256, DEPTH = 40 };

static int32_t x[ROWS * DEPTH], y[DEPTH * COLS], o[ROWS * COLS], wanted[ROWS * COLS];

static void compute(int seed)
{
    for (int i = 0; i < ROWS * DEPTH; i++) x[i] = (i + seed) % 23 - 11;
    for (int i = 0; i < DEPTH * COLS; i++) y[i] = (i * seed) % 19 - 9;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) {
            int32_t sum = 0;
            for (int k = 0; k < DEPTH; k++) sum += x[i * DEPTH + k] * y[k * COLS + j];
            wanted[i * COLS + j] = sum;
        }
}

static const char product_text[] =
    "grid 2 2\ninput x i32[256,40] block b128 b40 at i 0\n"
    "input y i32[40,256] block b40 b128 at 0 j\n"
    "output o i32[256,256] block b128 b128 at i j\nbody\n"
    "%10:i32[128,40] = load %1 [0:128,0:40]; %11:i32[40,128] = load %2 [0:40,0:128]\n"
    "%12:i32[128,128] = dot_general %10 %11 lhs_contract=[1] rhs_contract=[0] lhs_batch=[] "
    "rhs_batch=[]\nstore %3 %12 [0:128,0:128]\n";

Test(panels, every_order_and_instruction_set)
{
    compute(3);
    expect(product_text, NAMED({"x", x}, {"y", y}, {"o", wanted}));
}

Test(panels, arrays_change_between_runs)
{
    tg_module *module = load_kernel(product_text);
    tg_run_options options = {.size = sizeof options};
    tg_executable *executable;
    cr_assert_eq(tg_executable_new(module, NULL, &options, &executable, NULL), TG_OK);
    for (int seed = 1; seed < 4; seed++) {
        compute(seed);
        tg_report *report = NULL;
        void *const data[] = {x, y, o};
        cr_assert_eq(tg_executable_run(executable, data, NULL, 0, &report, NULL), TG_OK);
        tg_report_free(report);
        cr_assert(memcmp(o, wanted, sizeof o) == 0, "%d", seed);
    }
    tg_executable_free(executable);
    tg_module_free(module);
}
