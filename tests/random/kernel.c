/* Whole kernels: params, body, and which op comes next. */
#include "random/maker.h"

#include <stdlib.h>
#include <string.h>

/* ---- ops ---- */

/* How often each comes, in either range. */
static const struct {
    void (*make)(maker *g);
    unsigned plain, typed;
    bool nests;
} makers[] = {
    {make_lane, 14, 16, false},    {make_reshape, 2, 2, false},
    {make_transpose, 2, 2, false}, {make_broadcast, 2, 2, false},
    {make_slice, 2, 2, false},     {make_rev, 1, 1, false},
    {make_pad, 1, 1, false},       {make_concatenate, 1, 1, false},
    {make_tile, 1, 1, false},      {make_dynamic, 2, 2, false},
    {make_reduce, 2, 4, false},    {make_dot, 1, 2, false},
    {make_gather, 0, 2, false},    {make_bitcast, 0, 2, false},
    {make_scatter, 0, 2, false},   {make_sort, 0, 2, false},
    {make_memory, 7, 8, false},    {make_shared_atomic, 0, 1, false},
    {make_print, 0, 1, false},     {make_check, 0, 1, false},
    {make_for, 2, 2, true},        {make_while, 1, 1, true},
    {make_switch, 2, 2, true},     {make_scoped, 1, 1, true},
    {make_copy, 0, 6, false},      {make_semaphore, 0, 2, false},
};
/* The last ones are for RANDOM_COPIES alone. */
enum { MAKERS = sizeof makers / sizeof *makers, FIRST_COPYING = MAKERS - 2 };

static unsigned weight(const maker *g, int i)
{
    if (i >= FIRST_COPYING && !g->has_copies) return 0;
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
    const char *role, *name, *shape, *mapping;
    tg_dtype plain;   /* of RANDOM_PLAIN, which lacks those with TG_DT_COUNT */
    tg_dtype typed;   /* of RANDOM_TYPED; TG_DT_COUNT: any */
    const char *like; /* or that of this param */
    param_use use;
    tg_type ref;
} param_row;

/* Blocks of the axis that tells programs apart, "i"; at the edges they reach beyond the array. */
/* clang-format off */
static const param_row rows[] = {
    {"input",   "x",  "24,20", "block b8 b16 at i 0",            TG_DT_i32,   TG_DT_COUNT, "",  WRITTEN, {.rank = 2, .shape = {8, 16}}},
    {"input",   "y",  "7,600", "",                               TG_DT_i32,   TG_DT_COUNT, "",  READ,    {.rank = 2, .shape = {7, 600}}},
    {"input",   "w",  "20,16", "block b8 b16 at i 0",            TG_DT_i8,    TG_DT_COUNT, "",  WRITTEN, {.rank = 2, .shape = {8, 16}}},
    {"input",   "z",  "3,5,8", "block s b5 b8 at i 0 0",         TG_DT_i32,   TG_DT_COUNT, "",  WRITTEN, {.rank = 2, .shape = {5, 8}}},
    {"input",   "r",  "20,20", "block b8 b16 at i 0",            TG_DT_i32,   TG_DT_COUNT, "",  READ,    {.rank = 2, .shape = {8, 16}}},
    {"input",   "e",  "30",    "block e12:2:1 at i",             TG_DT_COUNT, TG_DT_COUNT, "",  READ,    {.rank = 1, .shape = {12}}},
    {"input",   "n",  "6,5",   "",                               TG_DT_COUNT, TG_DT_i32,   "",  SHARED,  {.rank = 2, .shape = {6, 5}}},
    {"output",  "o",  "24,20", "block b8 b16 at i 0",            TG_DT_i32,   TG_DT_COUNT, "",  BLOCK,   {.rank = 2, .shape = {8, 16}}},
    {"output",  "q",  "3,600", "block s b600 at i 0",            TG_DT_i32,   TG_DT_i32,   "",  SUMS,    {.rank = 1, .shape = {600}}},
    {"output",  "zo", "3,5,8", "alias=z block s b5 b8 at i 0 0", TG_DT_i32,   TG_DT_COUNT, "z", WRITTEN, {.rank = 2, .shape = {5, 8}}},
    {"output",  "b",  "22,4",  "block b8 b4 at i 0",             TG_DT_bool,  TG_DT_COUNT, "",  WRITTEN, {.rank = 2, .shape = {8, 4}}},
    {"output",  "no", "6,5",   "alias=n",                        TG_DT_COUNT, TG_DT_i32,   "",  SHARED,  {.rank = 2, .shape = {6, 5}}},
    {"scratch", "s",  "8,16",  "",                               TG_DT_i32,   TG_DT_COUNT, "",  WRITTEN, {.rank = 2, .shape = {8, 16}}},
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

static void make_params(maker *g)
{
    tg_dtype dtypes[ROWS];
    int id = 0;
    for (int p = 0; p < ROWS; p++) {
        const param_row *row = &rows[p];
        if (g->range == RANDOM_PLAIN && row->plain == TG_DT_COUNT) continue;
        dtypes[p] = dtype_of(g, row, dtypes);
        tg_text_add(&g->text, "%s %s %s[%s] %s\n", row->role, row->name, tg_dtypes[dtypes[p]].name,
                    row->shape, row->mapping);
        made ref = {.id = ++id, .type = row->ref, .is_fixed = row->use == READ};
        ref.type.dtype = dtypes[p];
        take_param(g, row, ref);
    }
}

static void make_grid(maker *g)
{
    static const char *const grids[] = {"3", "2 2a", "3p 3a"};
    tg_text_add(&g->text, "grid %s\n", grids[g->range == RANDOM_TYPED ? roll(g, 3) : 0]);
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
    made plain = plain_nans(g, v), raw = begin(g, type);
    line1(g, "bitcast", plain, "");
    return raw;
}

/* Wants the value: its sum goes to an element of q. */
static void store_sum(maker *g, made v, int at)
{
    tg_type type = v.type;
    type.dtype = TG_DT_i32;
    made raw = bits_of(g, v), wide = begin(g, type);
    line1(g, "convert", raw, "");
    made sum = begin(g, scalar);
    tg_text_add(&g->text, "reduce_sum %%%d axes=%s\n", wide.id, list_text(all_axes, type.rank));
    made one = begin(g, type_of(TG_DT_i32, 1, (int64_t[]){1}));
    line1(g, "reshape", sum, "");
    tg_text_add(&g->text, "store %%%d %%%d [%d:1]\n", g->sums.id, one.id, at);
}

static void store_results(maker *g)
{
    const int sums = g->range == RANDOM_PLAIN ? 20 : 8;
    for (int i = 0; i < sums; i++) store_sum(g, any(g), i);
    made last = of_type(g, g->block.type),
         row = of_type(g, type_of(TG_DT_i32, 1, (int64_t[]){580}));
    tg_text_add(&g->text, "store %%%d %%%d [0:8,0:16]\nstore %%%d %%%d [20:580]\n", g->block.id,
                last.id, g->sums.id, row.id);
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
    tg_text_put(&g->text, "body\n%19:i32[] = program_id axis=0\n");
    take_value(g, (made){.id = 19, .type = scalar});
    if (g->range == RANDOM_TYPED) {
        begin(g, scalar);
        tg_text_put(&g->text, "num_programs axis=0\n");
    }
    begin(g, g->refs[0].type);
    tg_text_put(&g->text, "load %1 [0:8,0:16]\n");
}

char *random_kernel(random_range range, uint64_t seed, int ops)
{
    maker *g = calloc(1, sizeof *g);
    if (!g) abort();
    g->range = range;
    g->has_copies = seed >= RANDOM_COPIES;
    g->state = seed * 977 + 13;
    g->next_id = 20;
    g->budget = 150;
    pick_palette(g);
    make_grid(g);
    make_params(g);
    begin_body(g);
    make_ops(g, ops);
    store_results(g);
    char *text = tg_text_finish(&g->text);
    free(g);
    return text;
}
