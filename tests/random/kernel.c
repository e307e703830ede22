/* Whole kernels: params, body, and which op comes next. */
#include "random/maker.h"

#include <stdlib.h>
#include <string.h>

#include "ir/print.h"

/* ---- ops ---- */

/* How often each comes, in either range. */
static const struct {
    void (*make)(maker *g);
    unsigned plain, typed;
    bool nests;
} makers[] = {
    {make_lane, 14, 16, false},        {make_reshape, 2, 2, false},
    {make_transpose, 2, 2, false},     {make_broadcast, 2, 2, false},
    {make_slice, 2, 2, false},         {make_rev, 1, 1, false},
    {make_pad, 1, 1, false},           {make_concatenate, 1, 1, false},
    {make_tile, 1, 1, false},          {make_dynamic, 2, 2, false},
    {make_reduce, 2, 4, false},        {make_dot, 1, 2, false},
    {make_gather, 0, 2, false},        {make_bitcast, 0, 2, false},
    {make_inline_ptx, 0, 4, false},    {make_scatter, 0, 2, false},
    {make_sort, 0, 2, false},          {make_memory, 7, 8, false},
    {make_shared_atomic, 0, 1, false}, {make_print, 0, 1, false},
    {make_check, 0, 1, false},         {make_for, 2, 2, true},
    {make_while, 1, 1, true},          {make_switch, 2, 2, true},
    {make_scoped, 1, 1, true},         {make_copy, 0, 6, false},
    {make_semaphore, 0, 2, false},     {make_view_layout, 0, 6, false},
    {make_layout_cast, 0, 3, false},
};
/* The last ones are for RANDOM_COPIES alone, and for RANDOM_LAYOUTS. */
enum {
    MAKERS = sizeof makers / sizeof *makers,
    FIRST_LAYING = MAKERS - 2,
    FIRST_COPYING = FIRST_LAYING - 2
};

static unsigned weight(const maker *g, int i)
{
    if (makers[i].make == make_inline_ptx && !g->has_ptx) return 0;
    if (i >= FIRST_LAYING && !g->has_layouts) return 0;
    if (i >= FIRST_COPYING && i < FIRST_LAYING && !g->has_copies) return 0;
    return g->range == RANDOM_PLAIN ? makers[i].plain : makers[i].typed;
}

static void make_op(maker *g)
{
    unsigned all = 0;
    int i = 0;
    for (int k = 0; k < MAKERS; k++) all += weight(g, k);
    unsigned pick = roll(g, all);
    while (pick >= weight(g, i)) pick -= weight(g, i++);
    if (makers[i].nests && (g->depth >= 4 || g->budget <= 20))
        make_lane(g);
    else
        makers[i].make(g);
}

void make_ops(maker *g, int count)
{
    while (count-- > 0 && g->budget-- > 0) make_op(g);
}

/* ---- params ---- */

typedef enum param_use {
    READ,
    WRITTEN,
    SHARED, /* by all programs, for atomics */
    BLOCK,  /* written; at the end, a block to all of it */
    SUMS    /* written; at the end, a sum of each value that is wanted */
} param_use;

/* A row of the kernel's params. */
typedef struct param_row {
    tg_role role;
    const char *name;
    tg_dtype plain;   /* of RANDOM_PLAIN, which lacks those with TG_DT_COUNT */
    tg_dtype typed;   /* of RANDOM_TYPED; TG_DT_COUNT: any */
    const char *like; /* or that of this param, whose memory it has as well */
    param_use use;
    int rank;
    int64_t shape[TG_MAX_RANK];
    tg_block_dim block[TG_MAX_RANK]; /* of size 0: none */
} param_row;

/* Blocks of the axis that tells programs apart; at the edges they reach beyond the array. */
/* clang-format off */
#define B(size_) {.kind = TG_BLOCK_BLOCKED, .size = (size_)}
#define E(size_, low, high) {TG_BLOCK_ELEMENT, size_, low, high}
#define S {.kind = TG_BLOCK_SQUEEZED, .size = 1}
#define ANY TG_DT_COUNT
#define NONE TG_DT_COUNT
static const param_row rows[] = {
    {TG_ROLE_INPUT,   "x",  TG_DT_i32,  ANY,       "",  WRITTEN, 2, {24, 20},   {B(8), B(16)}},
    {TG_ROLE_INPUT,   "y",  TG_DT_i32,  ANY,       "",  READ,    2, {7, 600}, {{0}}},
    {TG_ROLE_INPUT,   "w",  TG_DT_i8,   ANY,       "",  WRITTEN, 2, {20, 16},   {B(8), B(16)}},
    {TG_ROLE_INPUT,   "z",  TG_DT_i32,  ANY,       "",  WRITTEN, 3, {3, 5, 8},  {S, B(5), B(8)}},
    {TG_ROLE_INPUT,   "r",  TG_DT_i32,  ANY,       "",  READ,    2, {20, 20}, {B(8), B(16)}},
    {TG_ROLE_INPUT,   "e",  NONE,       ANY,       "",  READ,    1, {30}, {E(12, 2, 1)}},
    {TG_ROLE_INPUT,   "n",  NONE,       TG_DT_i32, "",  SHARED,  2, {6, 5}, {{0}}},
    {TG_ROLE_OUTPUT,  "o",  TG_DT_i32,  ANY,       "",  BLOCK,   2, {24, 20}, {B(8), B(16)}},
    {TG_ROLE_OUTPUT,  "q",  TG_DT_i32,  TG_DT_i32, "",  SUMS,    2, {3, 600}, {S, B(600)}},
    {TG_ROLE_OUTPUT,  "zo", TG_DT_i32,  ANY,       "z", WRITTEN, 3, {3, 5, 8},  {S, B(5), B(8)}},
    {TG_ROLE_OUTPUT,  "b",  TG_DT_bool, ANY,       "",  WRITTEN, 2, {22, 4},    {B(8), B(4)}},
    {TG_ROLE_OUTPUT,  "no", NONE,       TG_DT_i32, "n", SHARED,  2, {6, 5}, {{0}}},
    {TG_ROLE_SCRATCH, "s",  TG_DT_i32,  ANY,       "",  WRITTEN, 2, {8, 16},    {{0}}},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };

static tg_dtype dtype_of(maker *g, const param_row *row, const tg_dtype *so_far)
{
    if (g->range == RANDOM_PLAIN) return row->plain;
    for (int p = 0; &rows[p] < row; p++)
        if (strcmp(rows[p].name, row->like) == 0) return so_far[p];
    return row->typed == TG_DT_COUNT ? any_dtype(g) : row->typed;
}

static void take_param(maker *g, const param_row *row, made ref)
{
    if (row->use == BLOCK) g->block = ref;
    if (row->use == SUMS) g->sums = ref;
    if (row->use == SHARED)
        g->shared = ref;
    else
        g->refs[g->ref_count++] = ref;
}

/* The block of the program's place on the first axis, and the first one in all other dimensions. */
static tg_region make_map(maker *g, int rank)
{
    tg_value_id at[TG_MAX_RANK] = {0};
    tg_build_open(&g->b);
    for (int a = 0; g->b.kernel && a < g->b.kernel->axis_count; a++) {
        const tg_value_id arg = tg_build_new_arg(&g->b, &scalar);
        if (a == 0) at[0] = arg;
    }
    for (int d = 1; d < rank; d++) at[d] = tg_build_constant(&g->b, &scalar, 0);
    for (int d = 0; d < rank; d++) tg_build_yield(&g->b, at[d]);
    return tg_build_close(&g->b);
}

static int position_of(const maker *g, const char *name)
{
    for (uint32_t p = 0; g->b.kernel && p < g->b.kernel->param_count; p++)
        if (strcmp(g->b.kernel->params[p].name, name) == 0) return (int)p;
    return -1;
}

/* In a physical run a block that reaches beyond its array has elements there, so those of outputs must
 * not; and inputs must not be written. */
static bool may_have_layout(const param_row *row)
{
    return row->use == READ || row->use == BLOCK || row->use == SUMS ||
           row->role == TG_ROLE_SCRATCH;
}

static made add_param(maker *g, const param_row *row, tg_dtype dtype)
{
    tg_region map;
    tg_param param = {.name = (char *)row->name, .role = row->role};
    param.has_block = row->block[0].size > 0;
    param.array = type_of(dtype, row->rank, row->shape);
    memcpy(param.block, row->block, sizeof param.block);
    param.alias = position_of(g, row->like);
    if (param.has_block) {
        map = make_map(g, row->rank);
        param.index_map = &map;
    }
    made ref = {.type = tg_param_ref(&param), .is_fixed = row->use == READ};
    tg_axe layout;
    if (may_have_layout(row) && take_memory_layout(g, tg_type_count(&ref.type), &layout)) {
        param.layout = &layout;
        ref.is_copied = row->role != TG_ROLE_SCRATCH;
    }
    ref.id = tg_build_param(&g->b, &param);
    ref.type.is_ref = false;
    return ref;
}

static void make_params(maker *g)
{
    tg_dtype dtypes[ROWS];
    for (int p = 0; p < ROWS; p++) {
        const param_row *row = &rows[p];
        if (g->range == RANDOM_PLAIN && row->plain == NONE) continue;
        dtypes[p] = dtype_of(g, row, dtypes);
        take_param(g, row, add_param(g, row, dtypes[p]));
    }
}

static void make_grid(maker *g)
{
    static const tg_grid_axis grids[][2] = {
        {{.size = 3, .is_assumed = true}, {0}},
        {{.size = 2, .is_assumed = true}, {.size = 2, .semantics = TG_SEMANTICS_ARBITRARY}},
        {{.size = 3, .semantics = TG_SEMANTICS_PARALLEL},
         {.size = 3, .semantics = TG_SEMANTICS_ARBITRARY}}};
    const tg_grid_axis *grid = grids[g->range == RANDOM_TYPED ? roll(g, 3) : 0];
    for (int a = 0; a < 2; a++)
        if (grid[a].size) tg_build_axis(&g->b, &grid[a]);
}

/* ---- the end of a program ---- */

static const int64_t all_axes[TG_MAX_RANK] = {0, 1, 2, 3, 4, 5, 6, 7};

/* As an integer that has all bits of v, where there is such a dtype. */
static made bits_of(maker *g, made v)
{
    if (g->range == RANDOM_PLAIN || !tg_is_float(v.type.dtype)) return v;
    const int bits = tg_dtypes[v.type.dtype].bits;
    tg_type type = v.type;
    type.dtype = bits == 4    ? TG_DT_u4
                 : bits == 8  ? TG_DT_u8
                 : bits == 16 ? TG_DT_u16
                 : bits == 32 ? TG_DT_i32
                              : TG_DT_i64;
    return give1(g, TG_OP_bitcast, type, plain_nans(g, v));
}

/* The value goes to the ref from index `first` of dimension 0 on. */
static void store(maker *g, made ref, made value, int64_t first)
{
    tg_index_dim index[TG_MAX_RANK];
    for (int d = 0; d < value.type.rank; d++)
        index[d] = (tg_index_dim){TG_INDEX_SLICE, true, d ? 0 : first, value.type.shape[d], 1};
    use(g, ref);
    use(g, value);
    tg_build_index(&g->b, index, value.type.rank);
    tg_build_op(&g->b, TG_OP_store);
}

/* Wants the value: its sum goes to an element of q. */
static void store_sum(maker *g, made v, int at)
{
    tg_type type = v.type;
    type.dtype = TG_DT_i32;
    made wide = give1(g, TG_OP_convert, type, bits_of(g, v));
    give_ints(g, TG_ATTR_axes, all_axes, type.rank);
    made sum = give1(g, TG_OP_reduce_sum, scalar, wide);
    store(g, g->sums, give1(g, TG_OP_reshape, type_of(TG_DT_i32, 1, (int64_t[]){1}), sum), at);
}

static void store_results(maker *g)
{
    const int sums = g->range == RANDOM_PLAIN ? 20 : 8;
    for (int i = 0; i < sums; i++) store_sum(g, any(g), i);
    made last = of_type(g, g->block.type),
         row = of_type(g, type_of(TG_DT_i32, 1, (int64_t[]){580}));
    store(g, g->block, last, 0);
    store(g, g->sums, row, 20);
}

/* ---- the whole ---- */

/* i32 and bool are in every kernel; indices and masks need them. */
static void pick_palette(maker *g)
{
    static const tg_dtype plain[PALETTE] = {TG_DT_i32, TG_DT_i32, TG_DT_i32,
                                            TG_DT_i8,  TG_DT_i8,  TG_DT_bool};
    memcpy(g->palette, plain, sizeof plain);
    if (g->range == RANDOM_TYPED)
        for (int i = 1; i < PALETTE - 1; i++) g->palette[i] = (tg_dtype)roll(g, TG_DT_COUNT);
}

static void begin_body(maker *g)
{
    static const char *const kinds[] = {"add", "max", "min", "and", "or", "xor"};
    g->shared_kind = kinds[roll(g, 6)];
    tg_build_int(&g->b, TG_ATTR_axis, 0);
    give(g, TG_OP_program_id, scalar);
    if (g->range == RANDOM_TYPED) {
        tg_build_int(&g->b, TG_ATTR_axis, 0);
        give(g, TG_OP_num_programs, scalar);
    }
    tg_build_whole(&g->b, g->refs[0].id);
    give1(g, TG_OP_load, g->refs[0].type, g->refs[0]);
}

tg_module *random_kernel(random_range range, uint64_t seed, int ops)
{
    maker *g = calloc(1, sizeof *g);
    if (!g) abort();
    g->range = range;
    g->has_copies = seed >= RANDOM_COPIES;
    g->has_layouts = seed >= RANDOM_LAYOUTS;
    g->has_groups = seed >= RANDOM_GROUPS;
    g->has_products = seed >= RANDOM_PRODUCTS;
    g->has_combined = seed >= RANDOM_COMBINED;
    g->has_scaled = seed >= RANDOM_SCALED;
    g->has_ptx = seed >= RANDOM_PTX;
    g->state = seed * 977 + 13;
    g->budget = 150;
    pick_palette(g);
    tg_build_begin(&g->b);
    const uint32_t loc = tg_build_loc(&g->b, &(tg_loc){.file = "k.py", .function = "f", .line = 9});
    tg_build_kernel(&g->b, "k");
    if (g->b.kernel) g->b.kernel->loc = loc;
    make_grid(g);
    make_params(g);
    begin_body(g);
    make_ops(g, ops);
    store_results(g);
    tg_build_kernel_end(&g->b);
    tg_module *module = tg_build_finish(&g->b);
    if (!module) abort();
    free(g);
    return module;
}

char *random_json(random_range range, uint64_t seed, int ops)
{
    tg_module *module = random_kernel(range, seed, ops);
    char *json = tg_print_json(module);
    if (!json) abort();
    tg_module_destroy(module);
    return json;
}
