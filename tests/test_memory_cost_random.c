/* Check "memory-cost" against its definition, on random accesses; and in several orders, on random kernels. */
#include "run_text.h"

#include "random/programs.h"

/* ---- random accesses ---- */

static uint64_t state;

static int roll(int n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (unsigned)n);
}

enum { PROGRAMS = 3, MOST = 1200, LANES = 32 };

typedef struct access {
    const char *dtype;
    int bytes; /* of an element */
    bool is_shared, is_transposed, is_masked;
    int rows, columns; /* of the memory */
    int start[2], size[2], stride[2], warps;
    int run, on; /* of so many elements in the value, the mask turns on the first ones */
} access_;

static access_ random_access(void)
{
    static const struct {
        const char *name;
        int bytes;
    } dtypes[] = {{"i8", 1}, {"f16", 2}, {"f32", 4}, {"f32", 4}, {"f64", 8}};
    const int d = roll(5);
    access_ a = {.dtype = dtypes[d].name,
                 .bytes = dtypes[d].bytes,
                 .is_shared = roll(2),
                 .is_transposed = roll(2),
                 .is_masked = roll(3) == 0,
                 .warps = 1 + roll(3)};
    for (int i = 0; i < 2; i++) {
        a.stride[i] = roll(2) ? 1 : 1 + roll(4);
        a.size[i] = roll(2) ? 1 << roll(6) : 1 + roll(33);
        a.start[i] = roll(3) ? 0 : roll(9);
    }
    a.rows = a.start[0] + PROGRAMS - 1 + (a.size[0] - 1) * a.stride[0] + 1;
    a.columns = a.start[1] + (a.size[1] - 1) * a.stride[1] + 1 + roll(2) * roll(5);
    while (roll(2) && a.columns % 32 && a.columns < 128) a.columns++;
    /* Some accesses reach beyond the memory: there they touch nothing. */
    if (roll(4) == 0 && a.rows > 4) a.rows -= roll(4);
    if (roll(4) == 0 && a.columns > 8) a.columns -= roll(8);
    a.run = 1 + roll(9);
    a.on = a.is_masked ? 1 + roll(a.run) : a.run;
    return a;
}

/* Program p reads the same from one row further on. */
static void write_kernel(const access_ *a, char *out, size_t size)
{
    const int t = a->is_transposed;
    const char *in = a->is_shared ? "" : "input x", *ref = a->is_shared ? "%2" : "%1";
    size_t used = (size_t)snprintf(out, size, "grid %d\n", PROGRAMS);
    if (!a->is_shared)
        used += (size_t)snprintf(out + used, size - used, "%s %s[%d,%d]\n", in, a->dtype, a->rows,
                                 a->columns);
    used += (size_t)snprintf(out + used, size - used, "output o i32[3] block s at i\n");
    if (a->is_shared)
        used += (size_t)snprintf(out + used, size - used, "scratch x %s[%d,%d]\n", a->dtype,
                                 a->rows, a->columns);
    used += (size_t)snprintf(out + used, size - used,
                             "body\n%%10:i32[] = program_id axis=0; "
                             "%%11:i32[] = constant value=%d; %%12:i32[] "
                             "= add %%10 %%11\n",
                             a->start[0]);
    if (t)
        used += (size_t)snprintf(out + used, size - used,
                                 "%%13:ref<%s[%d,%d]> = view_transpose %s permutation=[1,0]\n",
                                 a->dtype, a->columns, a->rows, ref);
    if (a->is_masked) {
        const int outer = a->size[t], inner = a->size[!t];
        char type[40];
        snprintf(type, sizeof type, "[%d,%d]", outer, inner);
        used += (size_t)snprintf(
            out + used, size - used,
            "%%20:i32%s = iota axis=0; %%21:i32%s = constant value=%d; %%22:i32%s = mul %%20 %%21\n"
            "%%23:i32%s = iota axis=1; %%24:i32%s = add %%22 %%23; %%25:i32%s = constant value=%d\n"
            "%%26:i32%s = rem %%24 %%25; %%27:i32%s = constant value=%d; %%14:bool%s = lt %%26 "
            "%%27\n",
            type, type, inner, type, type, type, type, a->run, type, type, a->on, type);
    }
    char row[40], column[40];
    snprintf(row, sizeof row, "*:%d:%d", a->size[0], a->stride[0]);
    snprintf(column, sizeof column, "%d:%d:%d", a->start[1], a->size[1], a->stride[1]);
    used += (size_t)snprintf(out + used, size - used, "%%15:%s[%d,%d] = load %s %%12%s [%s,%s]%s\n",
                             a->dtype, a->size[t], a->size[!t], t ? "%13" : ref,
                             a->is_masked ? " %14" : "", t ? column : row, t ? row : column,
                             a->is_masked ? " mask=true" : "");
    snprintf(out + used, size - used, "store %s %%10 []\n", a->is_shared ? "%1" : "%2");
}

/* ---- the definition ---- */

typedef struct costs {
    int64_t cost, least, used;
    int narrowest, widest;
} costs;

static int addresses_of(const access_ *a, int program, int64_t *out)
{
    const int t = a->is_transposed, outer = a->size[t], inner = a->size[!t];
    for (int i = 0; i < outer * inner; i++) {
        const int at[2] = {i / inner, i % inner}; /* in the value */
        const int row = a->start[0] + program + at[t] * a->stride[0],
                  column = a->start[1] + at[!t] * a->stride[1];
        const bool is_inside = row < a->rows && column < a->columns;
        out[i] =
            is_inside && i % a->run < a->on ? (int64_t)(row * a->columns + column) * a->bytes : -1;
    }
    return outer * inner;
}

static bool is_in(const int64_t *list, int count, int64_t value)
{
    for (int i = 0; i < count; i++)
        if (list[i] == value) return true;
    return false;
}

/* Different numbers among address / unit of the active lanes, each with all `words` that it has. */
static int different(const int64_t *lanes, int first, int count, int unit, int words, int bank)
{
    int64_t seen[LANES * 4];
    int found = 0;
    for (int lane = first; lane < first + count; lane++)
        for (int w = 0; lanes[lane] >= 0 && w < words; w++) {
            const int64_t value = lanes[lane] / unit + w;
            if (bank >= 0 && value % 32 != bank) continue;
            if (!is_in(seen, found, value)) seen[found++] = value;
        }
    return found;
}

static void add_shared(const int64_t *lanes, int width, costs *out)
{
    const int phases = width > 4 ? width / 4 : 1, count = LANES / phases;
    for (int p = 0; p < phases; p++) {
        int most = 0;
        for (int bank = 0; bank < 32; bank++) {
            const int now = different(lanes, p * count, count, 4, phases, bank);
            most = now > most ? now : most;
        }
        out->cost += most;
        out->least += most > 0;
    }
}

static void add_global(const int64_t *lanes, int width, costs *out)
{
    const int used = different(lanes, 0, LANES, width, 1, -1) * width;
    out->cost += different(lanes, 0, LANES, 32, 1, -1);
    out->used += used;
    out->least += (used + 31) / 32;
}

/* The address of each vector, -1 for one without elements.  Returns false if there is one that is not in one piece. */
static bool join(const int64_t *bytes, int count, int element, int width, int64_t *vectors)
{
    const int run = width / element;
    for (int v = 0; v * run < count; v++) {
        vectors[v] = bytes[v * run];
        if (vectors[v] % width > 0) return false;
        for (int i = 0; i < run; i++) {
            const int64_t at = v * run + i < count ? bytes[v * run + i] : -1;
            if (at != (vectors[v] < 0 ? -1 : vectors[v] + (int64_t)i * element)) return false;
        }
    }
    return true;
}

static void add_program(const access_ *a, int program, costs *out)
{
    int64_t bytes[MOST], vectors[MOST + LANES];
    const int count = addresses_of(a, program, bytes);
    int width = 16;
    while (width > a->bytes && (count < width / a->bytes * LANES * a->warps ||
                                !join(bytes, count, a->bytes, width, vectors)))
        width /= 2;
    join(bytes, count, a->bytes, width, vectors);
    const int vector_count = (count * a->bytes + width - 1) / width;
    bool is_any = false;
    for (int v = vector_count; v < vector_count + LANES; v++) vectors[v] = -1;
    for (int v = 0; v < vector_count; v += LANES)
        (a->is_shared ? add_shared : add_global)(&vectors[v], width, out);
    for (int v = 0; v < vector_count; v++) is_any = is_any || vectors[v] >= 0;
    if (!is_any) return;
    if (!out->narrowest || width < out->narrowest) out->narrowest = width;
    if (width > out->widest) out->widest = width;
}

static void compare(const access_ *a, uint64_t seed, const char *order)
{
    static const unsigned char zeros[1 << 17];
    static char text[16384];
    costs wanted = {0};
    for (int p = 0; p < PROGRAMS; p++) add_program(a, p, &wanted);
    write_kernel(a, text, sizeof text);
    tg_module *module = load_kernel(text);
    arrays all = make_arrays(module, NAMED({"x", zeros}));
    const tg_run_options options = {
        .size = sizeof options, .order = order, .checks = "memory-cost", .warps = a->warps};
    tg_report *report = run_once(module, &all, &options);
    const bool is_told = tg_report_memory_cost_count(report) == 2;
    cr_assert_eq(is_told, wanted.cost > 0, "seed %d", (int)seed);
    if (is_told) {
        const tg_memory_access_cost c = tg_report_memory_cost(report, 0);
        cr_assert(c.cost == wanted.cost && c.least == wanted.least && c.used_bytes == wanted.used &&
                      c.narrowest_bytes == wanted.narrowest && c.widest_bytes == wanted.widest,
                  "seed %d, %s: %d/%d, %d used, %d..%d, wanted %d/%d, %d used, %d..%d\n%s",
                  (int)seed, order, (int)c.cost, (int)c.least, (int)c.used_bytes, c.narrowest_bytes,
                  c.widest_bytes, (int)wanted.cost, (int)wanted.least, (int)wanted.used,
                  wanted.narrowest, wanted.widest, text);
    }
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

Test(memory_cost_random, accesses)
{
    for (uint64_t seed = 0; seed < 1500; seed++) {
        state = seed;
        const access_ a = random_access();
        compare(&a, seed, seed % 2 ? "parallel:2" : "reversed");
    }
}

/* ---- random kernels ---- */

static arrays without_data(const tg_module *module)
{
    static const unsigned char zeros[1 << 20];
    named list[MOST_ARRAYS + 1] = {{NULL, NULL}};
    size_t count = 0;
    for (size_t p = 0; p < tg_module_param_count(module, NULL); p++) {
        const tg_param_info param = tg_module_param(module, NULL, p);
        if (strcmp(param.role, "scratch") == 0 || strcmp(param.role, "output") == 0) continue;
        cr_assert_leq(param_bytes(&param), sizeof zeros);
        list[count++] = (named){param.name, zeros};
        list[count].name = NULL;
    }
    return make_arrays(module, list);
}

static tg_report *run_costs(const tg_module *module, const char *order)
{
    const tg_run_options options = {
        .size = sizeof options, .order = order, .checks = "memory-cost"};
    arrays all = without_data(module);
    tg_report *report = run_once(module, &all, &options);
    free_arrays(&all);
    return report;
}

static void expect_same(const tg_report *a, const tg_report *b, uint64_t seed)
{
    cr_assert_eq(tg_report_memory_cost_count(a), tg_report_memory_cost_count(b));
    for (size_t i = 0; i < tg_report_memory_cost_count(a); i++) {
        const tg_memory_access_cost x = tg_report_memory_cost(a, i),
                                    y = tg_report_memory_cost(b, i);
        cr_assert(x.cost == y.cost && x.least == y.least && x.used_bytes == y.used_bytes &&
                      x.accesses == y.accesses && x.instructions == y.instructions &&
                      x.narrowest_bytes == y.narrowest_bytes && x.widest_bytes == y.widest_bytes,
                  "seed %llu, site %zu", (unsigned long long)seed, i);
        cr_assert(x.worst_cost == y.worst_cost && x.worst_least == y.worst_least &&
                  memcmp(x.program, y.program, (size_t)x.rank * sizeof *x.program) == 0);
        cr_assert_eq(memcmp(&x.swizzle_bytes, &y.swizzle_bytes, sizeof x.swizzle_bytes), 0);
        cr_assert_eq(x.swizzle_after, y.swizzle_after);
    }
    cr_assert_eq(count_findings(a, "memory-cost"), count_findings(b, "memory-cost"));
    for (size_t i = 0; i < tg_report_finding_count(a); i++) {
        const tg_finding x = tg_report_finding(a, i);
        if (strcmp(x.kind, "memory-cost") != 0) continue;
        cr_assert_str_eq(x.message, tg_report_finding(b, i).message, "seed %d", (int)seed);
        cr_assert_str_eq(x.advice, tg_report_finding(b, i).advice, "seed %d", (int)seed);
    }
}

Test(memory_cost_random, orders)
{
    static const char *const orders[] = {"reversed", "shuffled:3", "interleaved:1", "parallel:2"};
    size_t sites = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        enum { OPS = 60 };
        char *json = random_program_json(seed, OPS);
        tg_module *module = load_json(json);
        tg_report *first = run_costs(module, "sequential");
        sites += tg_report_memory_cost_count(first);
        for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
            tg_report *other = run_costs(module, orders[o]);
            expect_same(first, other, seed);
            tg_report_free(other);
        }
        tg_report_free(first);
        tg_module_free(module);
        free(json);
    }
    cr_assert_gt(sites, 200);
}
