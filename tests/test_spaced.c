/* Index arrays that are evenly spaced: what is loaded, stored and found is the same as by a ref of two dimensions, whose elements are
 * taken one by one. */
#include "run_text.h"

enum { PROGRAMS = 2, LENGTH = 96, MOST_RANK = 4, MOST_COUNT = 64, CASES = 600 };

static uint64_t state;

static int64_t below(int64_t limit)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int64_t)(state >> 33) % limit;
}

/* The shape of the accesses, and the positions and masks of all programs. */
typedef struct access {
    int rank;
    int64_t shape[MOST_RANK], count;
    int64_t at[PROGRAMS * MOST_COUNT];
    uint8_t mask[PROGRAMS * MOST_COUNT];
} access;

/* Sets the index of element `n`. */
static void index_of(const access *a, int64_t n, int64_t *index)
{
    for (int d = a->rank - 1; d >= 0; d--) {
        index[d] = n % a->shape[d];
        n /= a->shape[d];
    }
}

/* Mostly evenly spaced, now and then with overlaps, backwards, or over an end. */
static void draw_positions(access *a, int program)
{
    int64_t stride[MOST_RANK], index[MOST_RANK], next = 1;
    const int64_t start = below(10) ? below(24) : below(LENGTH + 40) - 20;
    for (int d = a->rank - 1; d >= 0; d--) {
        stride[d] = below(8) ? next + below(2) : below(5) - 1;
        next = stride[d] * a->shape[d];
    }
    if (a->rank > 1 && !below(3)) {
        const int64_t first = stride[0];
        stride[0] = stride[a->rank - 1];
        stride[a->rank - 1] = first;
    }
    for (int64_t n = 0; n < a->count; n++) {
        int64_t *at = &a->at[program * a->count + n];
        index_of(a, n, index);
        *at = start;
        for (int d = 0; d < a->rank; d++) *at += index[d] * stride[d];
    }
    if (!below(4)) a->at[program * a->count + below(a->count)] += 1 + below(3);
}

/* All on, all off, a part of each dimension, or anything; what would be outside is mostly off. */
static void draw_mask(access *a, int program)
{
    int64_t low[MOST_RANK], high[MOST_RANK], index[MOST_RANK];
    const int64_t kind = below(8), bounded = below(8);
    for (int d = 0; d < a->rank; d++) {
        low[d] = kind > 2 && !below(3) ? below(a->shape[d]) : 0;
        high[d] = kind > 2 ? low[d] + 1 + below(a->shape[d] - low[d]) : a->shape[d];
    }
    for (int64_t n = 0; n < a->count; n++) {
        bool is_on = kind != 0;
        index_of(a, n, index);
        for (int d = 0; d < a->rank; d++) is_on &= index[d] >= low[d] && index[d] < high[d];
        if (kind == 1) is_on = below(2);
        const int64_t at = a->at[program * a->count + n];
        if (bounded && (at < 0 || at >= LENGTH)) is_on = false;
        a->mask[program * a->count + n] = is_on;
    }
}

static int64_t most_extent(int rank, int d)
{
    static const int64_t most[MOST_RANK + 1] = {0, 40, 4, 4, 2};
    return rank == 2 && d == 1 ? 16 : rank == MOST_RANK && d > 1 ? 3 : most[rank];
}

static void draw(access *a)
{
    a->rank = 1 + (int)below(MOST_RANK);
    a->count = 1;
    for (int d = 0; d < a->rank; d++) {
        a->shape[d] = 1 + below(most_extent(a->rank, d));
        a->count *= a->shape[d];
    }
    for (int program = 0; program < PROGRAMS; program++) {
        draw_positions(a, program);
        draw_mask(a, program);
    }
}

/* The kernel, whose array has one dimension, or a first one of 1 in addition. */
static void write_kernel(const access *a, const char *dtype, const char *how, bool is_plain,
                         char *text, size_t size)
{
    char shape[64] = "", slices[64] = "";
    for (int d = 0; d < a->rank; d++) {
        const size_t used = strlen(shape), said = strlen(slices);
        snprintf(shape + used, sizeof shape - used, "%s%d", d ? "," : "", (int)a->shape[d]);
        snprintf(slices + said, sizeof slices - said, ",0:%d", (int)a->shape[d]);
    }
    const char *more = is_plain ? "" : "1,", *row = is_plain ? "" : "%20 ",
               *at = is_plain ? "@" : "@,@";
    const bool has_mask = strchr(how, 'm'), has_other = strchr(how, 'o');
    const char *mask = has_mask ? "%11 " : "", *other = has_other ? "%12 " : "";
    const char *masked = has_mask ? " mask=true" : "";
    snprintf(text, size,
             "grid 2p\ninput x %s[%s%d]\ninput at i64[2,%s]\ninput m bool[2,%s]\ninput v %s[%s]\n"
             "output y %s[%s%d] alias=x\noutput o %s[2,%s]\nbody\n"
             "%%20:i32[] = constant value=0; %%9:i32[] = program_id axis=0\n"
             "%%10:i64[%s] = load %%2 %%9 [@%s]; %%11:bool[%s] = load %%3 %%9 [@%s]; "
             "%%12:%s[%s] = load %%4 [%s]\n"
             "%%13:%s[%s] = load %%1 %s%%10 %s%s[%s]%s%s loc=7\n"
             "store %%6 %%13 %%9 [@%s]\n"
             "store %%5 %%12 %s%%10 %s[%s]%s loc=9\n",
             dtype, more, LENGTH, shape, shape, dtype, shape, dtype, more, LENGTH, dtype, shape,
             shape, slices, shape, slices, dtype, shape, slices + 1, dtype, shape, row, mask, other,
             at, masked, has_other ? " other=true" : "", slices, row, mask, at, masked);
}

typedef struct outcome {
    char *told;
    unsigned char *bytes;
    size_t size;
} outcome;

static outcome run(const char *text, const named *list, const char *order)
{
    tg_module *module = load_kernel(text);
    arrays all = make_arrays(module, list);
    const tg_run_options options = {.size = sizeof options, .order = order, .checks = "all"};
    tg_report *report = run_once(module, &all, &options);
    tg_text told = {0};
    outcome out = {0};
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding f = tg_report_finding(report, i);
        tg_text_add(&told, "%s@%d %lld..%lld; ", f.kind, (int)f.line, (long long)f.first,
                    (long long)f.last);
    }
    out.told = tg_text_finish(&told);
    for (size_t i = 0; i < all.count; i++) out.size += all.bytes[i];
    out.bytes = malloc(out.size + 1);
    for (size_t i = 0, at = 0; i < all.count; at += all.bytes[i++])
        memcpy(out.bytes + at, all.list[i].tensor.data, all.bytes[i]);
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
    return out;
}

static void check(const access *a, const char *dtype, const char *how, const char *order)
{
    static uint64_t x[LENGTH], v[MOST_COUNT];
    char plain[4096], apart[4096];
    for (int i = 0; i < LENGTH; i++) x[i] = 0x3c003c013c023c03U + 0x0001000100010001U * (uint64_t)i;
    for (int i = 0; i < MOST_COUNT; i++)
        v[i] = 0x3800380138023803U + 0x0001000100010001U * (uint64_t)i;
    const named *list = NAMED({"x", x}, {"at", a->at}, {"m", a->mask}, {"v", v});
    write_kernel(a, dtype, how, true, plain, sizeof plain);
    write_kernel(a, dtype, how, false, apart, sizeof apart);
    outcome one = run(plain, list, order), other = run(apart, list, order);
    cr_assert_str_eq(one.told, other.told, "%s\n%s\n%s\n%s", order, plain, one.told, other.told);
    cr_assert(one.size == other.size && memcmp(one.bytes, other.bytes, one.size) == 0, "%s\n%s",
              order, plain);
    free(one.told);
    free(one.bytes);
    free(other.told);
    free(other.bytes);
}

Test(spaced, as_one_by_one)
{
    static const char *const dtypes[] = {"i32", "f32", "f16", "bf16", "i8", "i64"};
    static const char *const hows[] = {"", "m", "mo"};
    static const char *const orders[] = {"sequential", "reversed", "shuffled:5", "interleaved:3"};
    for (int i = 0; i < CASES; i++) {
        access a;
        state = (uint64_t)i;
        draw(&a);
        check(&a, dtypes[below(6)], hows[below(3)], orders[below(4)]);
    }
}
