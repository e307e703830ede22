/* Conversions between all dtypes, and between memory, carriers and constants, as PTX rows in the emulator give the
 * bits of the interpreter's. */
#include "ptx_lanes.h"
#include "sampled.h"
#include "ir/undefined.h"

static const tg_elementwise *baseline(void) { return tg_elementwise_get("baseline"); }

static ptx_codes codes;

/* -- convert -- */

static void add_number(tg_dtype d, double x)
{
    const float f32 = (float)x;
    if (d == TG_DT_f64) ptx_add(&codes, bits_of_f64(x));
    if (d == TG_DT_f32) ptx_add(&codes, bits_of_f32(f32));
    if (tg_is_int(d) && fabs(x) < 9e18) ptx_add(&codes, (uint64_t)(int64_t)x);
}

/* The middles between neighbours of a narrow format, where rounding changes, and what is next to them. */
static void add_middles(tg_dtype from, tg_dtype to)
{
    for (uint32_t code = 0; code < magnitude_codes(to); code++) {
        const double middle = (plain_value(to, code) + plain_value(to, code + 1)) / 2,
                     sign = code % 2 ? -1 : 1;
        const double next = from == TG_DT_f64
                                ? nextafter(middle, ORACLE_INF) - middle
                                : (double)nextafterf((float)middle, INFINITY) - middle;
        add_number(from, sign * middle);
        add_number(from, sign * (middle + (tg_is_int(from) ? 1 : next)));
        add_number(from, sign * (middle - (tg_is_int(from) ? 1 : next)));
    }
}

/* About the middles of f32 and f64. */
static void add_wide_middles(tg_dtype from, tg_dtype to)
{
    uint64_t seed = (uint64_t)from;
    for (int i = 0; i < 4096; i++) {
        const int kept = to == TG_DT_f32 ? 24 : 53;
        const uint64_t head = random_bits(&seed) | (uint64_t)1 << 63;
        const uint64_t cut = head & ~(uint64_t)0 << (64 - kept),
                       tie = cut | (uint64_t)1 << (63 - kept);
        const uint64_t near = tie + (uint64_t)(i % 3) - 1;
        if (tg_is_int(from)) ptx_add(&codes, near >> i % 40);
        if (from == TG_DT_f64 && to == TG_DT_f32)
            ptx_add(&codes, (bits_of_f64((double)cut) | (uint64_t)1 << 28) + (uint64_t)(i % 3) - 1);
    }
}

static void add_operands(tg_dtype from, tg_dtype to)
{
    codes.count = 0;
    ptx_add_edges(&codes, from, 16);
    if (tg_dtypes[from].bits > 16) ptx_add_random(&codes, from, (uint64_t)to, 4096);
    if (is_narrow(to))
        add_middles(from, to);
    else if (tg_is_float(to))
        add_wide_middles(from, to);
}

static void check_convert(tg_dtype from, tg_dtype to)
{
    const ptx_lane lane = ptx_convert_of(from, to);
    add_operands(from, to);
    ptx_keep_each(&codes, sampled(1, 7));
    void *const in = ptx_carriers(from, &codes), *const expected = malloc(codes.count * 8);
    const void *const src[1] = {in};
    lanes_run(tg_elementwise_convert(baseline(), from, to), expected, src, 0, codes.count, 0);
    ptx_check(&lane, codes.count, src, expected);
    free(in);
    free(expected);
}

static void check_conversions(bool (*from)(tg_dtype))
{
    for (int a = 0; a < TG_DT_COUNT; a++)
        for (int b = 0; b < TG_DT_COUNT; b++)
            if (from((tg_dtype)a)) check_convert((tg_dtype)a, (tg_dtype)b);
}

static bool is_whole(tg_dtype d) { return !tg_is_float(d); }
static bool is_wide_float(tg_dtype d) { return tg_is_float(d) && !is_narrow(d); }

Test(ptx_convert, from_ints_and_bools) { check_conversions(is_whole); }
Test(ptx_convert, from_narrow_floats) { check_conversions(is_narrow); }
Test(ptx_convert, from_f32_and_f64) { check_conversions(is_wide_float); }

/* -- memory -- */

static tg_dtype word_of(tg_dtype d) { return tg_dtypes[d].bytes == 8 ? TG_DT_u64 : TG_DT_u32; }

static bool write_load(const ptx_lane *l, tg_ptx_writer *w, const tg_ptx_reg *in, tg_ptx_reg *out)
{
    *out = tg_ptx_from_memory(w, l->dtype, in[0]);
    return true;
}

/* The element's bytes, zeros above. */
static bool write_store(const ptx_lane *l, tg_ptx_writer *w, const tg_ptx_reg *in, tg_ptx_reg *out)
{
    const tg_ptx_reg bits = tg_ptx_to_memory(w, l->dtype, in[0]);
    *out = tg_ptx_new(w, (tg_ptx_class)bits.class);
    if (tg_dtypes[l->dtype].bytes == 8)
        tg_ptx_row(w, "mov.b64 %s, %s;", out->name, bits.name);
    else
        tg_ptx_row(w, "and.b32 %s, %s, 0x%llx;", out->name, bits.name,
                   ~0ull >> (64 - 8 * tg_dtypes[l->dtype].bytes));
    return true;
}

/* What was stored is read back. */
static bool write_store_load(const ptx_lane *l, tg_ptx_writer *w, const tg_ptx_reg *in,
                             tg_ptx_reg *out)
{
    *out = tg_ptx_from_memory(w, l->dtype, tg_ptx_to_memory(w, l->dtype, in[0]));
    return true;
}

static void add_codes(tg_dtype d)
{
    codes.count = 0;
    ptx_add_edges(&codes, d, 16);
    ptx_add_random(&codes, d, (uint64_t)d, 4096);
    for (size_t i = 0; d == TG_DT_bool && i < codes.count; i++) codes.list[i] &= 1;
}

/* Which NaN is stored is not said. */
static void drop_nans(tg_dtype d)
{
    size_t kept = 0;
    for (size_t i = 0; i < codes.count; i++)
        if (!is_narrow(d) ||
            !isnan(code_value(d, (uint32_t)codes.list[i] & ((1u << tg_dtypes[d].bits) - 1))))
            codes.list[kept++] = codes.list[i];
    codes.count = kept;
}

/* Elements of memory, each in a word of its own. */
static void *words_of(tg_dtype d, const void *elements, size_t count)
{
    const size_t bytes = tg_dtypes[d].bytes, word = tg_dtypes[word_of(d)].bytes;
    unsigned char *const words = calloc(count, word);
    for (size_t i = 0; i < count; i++)
        memcpy(words + i * word, (const unsigned char *)elements + i * bytes, bytes);
    return words;
}

static void *stored(tg_dtype d, const void *carriers, size_t count)
{
    const void *const src[1] = {carriers};
    void *const elements = malloc(count * 8);
    tg_elementwise_fn *const write = tg_elementwise_store(baseline(), d);
    if (write != NULL)
        write(elements, src, 0, count, 0);
    else
        memcpy(elements, carriers, count * tg_dtypes[d].bytes);
    void *const words = words_of(d, elements, count);
    free(elements);
    return words;
}

static ptx_lane memory_lane(bool (*write)(const ptx_lane *, tg_ptx_writer *, const tg_ptx_reg *,
                                          tg_ptx_reg *),
                            tg_opcode op, tg_dtype d, tg_dtype in, tg_dtype result)
{
    return (ptx_lane){.write = write,
                      .op = op,
                      .dtype = d,
                      .second = d,
                      .result = result,
                      .count = 1,
                      .in = {in}};
}

/* As the library reads it. */
Test(ptx_convert, loads)
{
    for (int k = 0; k < TG_DT_COUNT; k++) {
        const tg_dtype d = (tg_dtype)k;
        const ptx_lane lane = memory_lane(write_load, TG_OP_load, d, word_of(d), d);
        add_codes(d);
        void *const carriers = ptx_carriers(d, &codes), *const words =
                                                            ptx_carriers(word_of(d), &codes);
        const void *const src[1] = {words};
        ptx_check(&lane, codes.count, src, carriers);
        free(carriers);
        free(words);
    }
}

/* As the library writes it; a NaN is read back as one. */
Test(ptx_convert, stores)
{
    for (int k = 0; k < TG_DT_COUNT; k++) {
        const tg_dtype d = (tg_dtype)k;
        const ptx_lane both = memory_lane(write_store_load, TG_OP_store, d, d, d);
        const ptx_lane store = memory_lane(write_store, TG_OP_store, d, d, word_of(d));
        add_codes(d);
        void *const all = ptx_carriers(d, &codes);
        const void *const all_src[1] = {all};
        ptx_check(&both, codes.count, all_src, all);
        drop_nans(d);
        void *const some = ptx_carriers(d, &codes), *const expected = stored(d, some, codes.count);
        const void *const some_src[1] = {some};
        ptx_check(&store, codes.count, some_src, expected);
        free(all);
        free(some);
        free(expected);
    }
}

/* -- values that are there from the start -- */

static bool write_undefined(const ptx_lane *l, tg_ptx_writer *w, const tg_ptx_reg *in,
                            tg_ptx_reg *out)
{
    (void)in;
    *out = tg_ptx_bits(w, l->dtype, tg_ptx_undefined(w, l->dtype));
    return true;
}

static uint64_t constant;

static bool write_constant(const ptx_lane *l, tg_ptx_writer *w, const tg_ptx_reg *in,
                           tg_ptx_reg *out)
{
    (void)in;
    *out = tg_ptx_constant(w, l->dtype, &constant);
    return true;
}

/* Bit for bit, hence as a word. */
Test(ptx_convert, undefined)
{
    for (int k = 0; k < TG_DT_COUNT; k++) {
        const tg_dtype d = (tg_dtype)k;
        ptx_lane lane = memory_lane(write_undefined, TG_OP_undefined, d, d,
                                    ptx_bytes(d) == 8 ? TG_DT_u64 : TG_DT_u32);
        lane.count = 0;
        uint64_t carrier[1];
        tg_fill_undefined_carrier(carrier, d, 1);
        const uint64_t expected = ptx_canonical(d, carrier, 0);
        ptx_check(&lane, 1, NULL, &expected);
    }
}

Test(ptx_convert, constants)
{
    for (int k = 0; k < TG_DT_COUNT; k++) {
        const tg_dtype d = (tg_dtype)k;
        ptx_lane lane = memory_lane(write_constant, TG_OP_constant, d, d, d);
        lane.count = 0;
        codes.count = 0;
        ptx_add_edges(&codes, d, 4);
        ptx_add_random(&codes, d, (uint64_t)d, 8);
        unsigned char *const carriers = ptx_carriers(d, &codes);
        for (size_t i = 0; i < codes.count; i += tg_is_float(d) ? 7 : 1) {
            memcpy(&constant, carriers + i * ptx_bytes(d), ptx_bytes(d));
            ptx_check(&lane, 1, NULL, &constant);
        }
        free(carriers);
    }
}
