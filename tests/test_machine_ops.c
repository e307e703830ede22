/* Every pure op once through the whole pipeline: text, plan, machine, memory.  What the ops do to all values is
 * the business of test_lanes_*.c and test_blocks_*.c. */
#include <math.h>

#include "ir/op.h"
#include "run_text.h"

#define NO_NUMBER ((double)NAN)
#define INF ((double)INFINITY)

/* ---- memory elements from doubles ---- */

/* The value of a code of a narrow float. */
static double decoded(tg_dtype dtype, unsigned code)
{
    const tg_dtype_info *info = &tg_dtypes[dtype];
    unsigned man_ones = (1U << info->man_bits) - 1, exp_ones = (1U << info->exp_bits) - 1;
    unsigned man = code & man_ones, exp = code >> info->man_bits & exp_ones;
    bool negative = info->special != TG_SPECIAL_E8M0 && code >> (info->bits - 1);
    double size = exp || info->special == TG_SPECIAL_E8M0
                      ? ldexp(1 + man / (double)(man_ones + 1), (int)exp - info->bias)
                      : ldexp(man / (double)(man_ones + 1), 1 - info->bias);
    if (info->special == TG_SPECIAL_IEEE && exp == exp_ones) size = man ? NO_NUMBER : INF;
    if (info->special == TG_SPECIAL_FN && exp == exp_ones && man == man_ones) size = NO_NUMBER;
    if (info->special == TG_SPECIAL_FNUZ && negative && !exp && !man) return NO_NUMBER;
    if (info->special == TG_SPECIAL_E8M0 && exp == exp_ones) size = NO_NUMBER;
    /* FINITE: no code is special */
    return negative ? -size : size;
}

static unsigned code_of(tg_dtype dtype, double value)
{
    for (unsigned code = 0; code < 1U << tg_dtypes[dtype].bits; code++) {
        double there = decoded(dtype, code);
        if (isnan(value) ? isnan(there) : there == value && signbit(there) == signbit(value))
            return code;
    }
    cr_assert_fail("%s has no %g", tg_dtypes[dtype].name, value);
    return 0;
}

static void put_number(tg_dtype dtype, void *data, size_t i, double value)
{
    uint64_t bits = (uint64_t)(int64_t)(tg_is_float(dtype) ? 0 : value);
    float single = (float)value;
    if (dtype == TG_DT_f64)
        memcpy(&bits, &value, 8);
    else if (dtype == TG_DT_f32)
        bits = 0, memcpy(&bits, &single, 4);
    else if (tg_is_float(dtype))
        bits = code_of(dtype, value);
    memcpy((char *)data + i * tg_dtypes[dtype].bytes, &bits, tg_dtypes[dtype].bytes);
}

static double get_number(tg_dtype dtype, const void *data, size_t i)
{
    uint64_t bits = 0;
    float single;
    double wide;
    memcpy(&bits, (const char *)data + i * tg_dtypes[dtype].bytes, tg_dtypes[dtype].bytes);
    if (dtype == TG_DT_f64) return memcpy(&wide, &bits, 8), wide;
    if (dtype == TG_DT_f32) return memcpy(&single, &bits, 4), (double)single;
    if (tg_is_float(dtype)) return decoded(dtype, (unsigned)bits);
    unsigned shift = 64 - 8U * tg_dtypes[dtype].bytes;
    return tg_is_signed(dtype) ? (double)((int64_t)(bits << shift) >> shift) : (double)bits;
}

static bool is_number(double found, double wanted)
{
    if (isnan(wanted)) return isnan(found);
    return found == wanted && signbit(found) == signbit(wanted);
}

/* ---- a table of operations ---- */

enum { MOST = 24 };

typedef struct op_row {
    const char *op;    /* with its attributes */
    const char *in[4]; /* types of the operands */
    double a[MOST], b[MOST], c[MOST], d[MOST];
    const char *out;
    double r[MOST];
} op_row;

static tg_type parsed(const char *text)
{
    tg_type type;
    cr_assert_null(tg_type_parse(text, &type), "%s", text);
    return type;
}

static void whole_index(const tg_type *type, char *out)
{
    char *end = out + sprintf(out, "[");
    for (int d = 0; d < type->rank; d++)
        end += sprintf(end, "%s0:%lld", d ? "," : "", (long long)type->shape[d]);
    sprintf(end, "]");
}

/* Loads every operand, applies the op, stores the result. */
static void text_of_row(const op_row *row, char *out)
{
    char index[96], name[64] = "";
    int count = 0;
    tg_type result = parsed(row->out);
    sscanf(row->op, "%63s", name);
    for (; count < 4 && row->in[count]; count++)
        out += sprintf(out, "input x%d %s\n", count, row->in[count]);
    out += sprintf(out, "output o %s\nbody\n", row->out);
    for (int i = 0; i < count; i++) {
        tg_type type = parsed(row->in[i]);
        whole_index(&type, index);
        out += sprintf(out, "%%%d:%s = load %%%d %s\n", 10 + i, row->in[i], 1 + i, index);
    }
    out += sprintf(out, "%%20:%s = %s", row->out, name);
    for (int i = 0; i < count; i++) out += sprintf(out, " %%%d", 10 + i);
    whole_index(&result, index);
    sprintf(out, "%s\nstore %%%d %%20 %s\n", row->op + strlen(name), count + 1, index);
}

static void check_row(const op_row *row)
{
    static const char *const isas[] = {"baseline", "avx2", "avx512"};
    char text[2048];
    text_of_row(row, text);
    tg_module *module = load_kernel(text);
    tg_type out = parsed(row->out);
    for (int isa = 0; isa < 3; isa++) {
        const double *const given[] = {row->a, row->b, row->c, row->d};
        uint64_t memory[4][MOST] = {{0}};
        named list[6] = {{"o", NULL}};
        static const char *const names[] = {"x0", "x1", "x2", "x3"};
        for (int i = 0; i < 4 && row->in[i]; i++) {
            tg_type type = parsed(row->in[i]);
            cr_assert(tg_type_count(&type) <= MOST);
            for (size_t k = 0; k < (size_t)tg_type_count(&type); k++)
                put_number(type.dtype, memory[i], k, given[i][k]);
            list[i + 1] = (named){names[i], memory[i]};
        }
        tg_run_options options = {.size = sizeof options, .isa = isas[isa]};
        arrays all = make_arrays(module, list);
        tg_report *report = NULL;
        tg_status status = tg_run(module, NULL, all.list, all.count, &options, &report, NULL);
        cr_assert(status == TG_OK || (status == TG_ERR_USAGE && isa > 0), "%s: %s", row->op,
                  tg_status_name(status));
        for (size_t k = 0; status == TG_OK && k < (size_t)tg_type_count(&out); k++) {
            double found = get_number(out.dtype, array_data(&all, "o"), k);
            cr_assert(is_number(found, row->r[k]),
                      "%s %s -> %s on %s: element %zu is %a, wanted %a", row->op,
                      row->in[0] ? row->in[0] : "", row->out, isas[isa], k, found, row->r[k]);
        }
        if (report) cr_assert_eq(tg_report_finding_count(report), 0);
        tg_report_free(report);
        free_arrays(&all);
    }
    tg_module_free(module);
}

/* clang-format off */
static const op_row rows[] = {
    /* element-wise, one operand */
    {"neg", {"f32[3]"}, {1, -0.0, INF}, {0}, {0}, {0}, "f32[3]", {-1, 0, -INF}},
    {"neg", {"i8[3]"}, {1, -128, 0}, {0}, {0}, {0}, "i8[3]", {-1, -128, 0}},
    {"neg", {"u4[3]"}, {1, 0, 15}, {0}, {0}, {0}, "u4[3]", {15, 0, 1}},
    {"abs", {"i4[2]"}, {-8, -3}, {0}, {0}, {0}, "i4[2]", {-8, 3}},
    {"abs", {"bf16[2]"}, {-8, NO_NUMBER}, {0}, {0}, {0}, "bf16[2]", {8, NO_NUMBER}},
    {"sign", {"f16[4]"}, {-8, -0.0, NO_NUMBER, 5}, {0}, {0}, {0}, "f16[4]", {-1, -0.0, NO_NUMBER, 1}},
    {"sign", {"i64[3]"}, {-8, 0, 9e15}, {0}, {0}, {0}, "i64[3]", {-1, 0, 1}},
    {"not", {"bool[2]"}, {0, 1}, {0}, {0}, {0}, "bool[2]", {1, 0}},
    {"not", {"u4[2]"}, {0, 5}, {0}, {0}, {0}, "u4[2]", {15, 10}},
    {"not", {"i4[2]"}, {0, 5}, {0}, {0}, {0}, "i4[2]", {-1, -6}},
    {"square", {"f8e4m3fn[3]"}, {3, 20, -2}, {0}, {0}, {0}, "f8e4m3fn[3]", {9, 384, 4}},
    {"square", {"f8e4m3fn[]"}, {24}, {0}, {0}, {0}, "f8e4m3fn[]", {NO_NUMBER}},
    {"square", {"f8e5m2[]"}, {256}, {0}, {0}, {0}, "f8e5m2[]", {INF}},
    {"integer_pow exponent=3", {"f32[2]"}, {2, -3}, {0}, {0}, {0}, "f32[2]", {8, -27}},
    {"integer_pow exponent=-1", {"f64[2]"}, {2, -4}, {0}, {0}, {0}, "f64[2]", {0.5, -0.25}},
    {"integer_pow exponent=0", {"i16[2]"}, {2, -3}, {0}, {0}, {0}, "i16[2]", {1, 1}},
    {"integer_pow exponent=2", {"i4[2]"}, {3, -2}, {0}, {0}, {0}, "i4[2]", {-7, 4}},
    {"round rounding='even'", {"f32[3]"}, {0.5, 1.5, -2.5}, {0}, {0}, {0}, "f32[3]", {0, 2, -2}},
    {"round rounding='away'", {"f16[3]"}, {0.5, 1.5, -2.5}, {0}, {0}, {0}, "f16[3]", {1, 2, -3}},
    {"floor", {"f64[3]"}, {1.5, -1.5, -0.0}, {0}, {0}, {0}, "f64[3]", {1, -2, -0.0}},
    {"ceil", {"bf16[3]"}, {1.5, -1.5, -0.5}, {0}, {0}, {0}, "bf16[3]", {2, -1, -0.0}},
    {"reduce_precision exponent_bits=5 mantissa_bits=10", {"f32[6]"}, {65520, 1 + 0x1p-11, 1 + 0x3p-11, -0x1p-15, 0x1p-14, NO_NUMBER}, {0}, {0}, {0}, "f32[6]", {INF, 1, 1 + 0x1p-9, -0.0, 0x1p-14, NO_NUMBER}},
    {"reduce_precision exponent_bits=8 mantissa_bits=2", {"f64[3]"}, {1.125, -1.375, 0x1p128}, {0}, {0}, {0}, "f64[3]", {1, -1.5, INF}},
    {"reduce_precision exponent_bits=5 mantissa_bits=1", {"f16[4]"}, {0x1p-24, 0x3p-24, 1.25, -65504}, {0}, {0}, {0}, "f16[4]", {0, 0, 1, -INF}},
    {"reduce_precision exponent_bits=3 mantissa_bits=20", {"bf16[4]"}, {15.5, 16, 0x1p-3, 0.25}, {0}, {0}, {0}, "bf16[4]", {15.5, INF, 0, 0.25}},
    {"reduce_precision exponent_bits=3 mantissa_bits=0", {"f16[3]"}, {0.1875, 0.375, 12}, {0}, {0}, {0}, "f16[3]", {0, 0.5, 8}},
    {"reduce_precision exponent_bits=3 mantissa_bits=1", {"f8e4m3fn[4]"}, {16, 1.25, -0.125, 14}, {0}, {0}, {0}, "f8e4m3fn[4]", {NO_NUMBER, 1, -0.0, NO_NUMBER}},
    {"reduce_precision exponent_bits=4 mantissa_bits=0", {"f8e8m0fnu[3]"}, {128, 0.015625, 256}, {0}, {0}, {0}, "f8e8m0fnu[3]", {128, 0.015625, NO_NUMBER}},
    {"is_finite", {"f8e5m2[3]"}, {1, INF, NO_NUMBER}, {0}, {0}, {0}, "bool[3]", {1, 0, 0}},
    {"is_finite", {"f64[3]"}, {1, -INF, NO_NUMBER}, {0}, {0}, {0}, "bool[3]", {1, 0, 0}},
    {"population_count", {"i8[2]"}, {-1, 6}, {0}, {0}, {0}, "i8[2]", {8, 2}},
    {"population_count", {"i2[3]"}, {-1, 1, -2}, {0}, {0}, {0}, "i2[3]", {-2, 1, 1}},
    {"clz", {"u2[3]"}, {0, 1, 2}, {0}, {0}, {0}, "u2[3]", {2, 1, 0}},
    {"abs", {"i2[2]"}, {-2, -1}, {0}, {0}, {0}, "i2[2]", {-2, 1}},
    {"population_count", {"i4[2]"}, {-1, 6}, {0}, {0}, {0}, "i4[2]", {4, 2}},
    {"clz", {"u4[3]"}, {0, 1, 8}, {0}, {0}, {0}, "u4[3]", {4, 3, 0}},
    {"clz", {"i64[2]"}, {-1, 1}, {0}, {0}, {0}, "i64[2]", {0, 63}},
    {"assume_multiple multiple=8", {"i32[2]"}, {8, 16}, {0}, {0}, {0}, "i32[2]", {8, 16}},
    {"convert", {"f32[4]"}, {1e9, -1e9, NO_NUMBER, 3.7}, {0}, {0}, {0}, "i8[4]", {127, -128, 0, 3}},
    {"convert", {"f64[4]"}, {1e9, -1, NO_NUMBER, 3.7}, {0}, {0}, {0}, "u4[4]", {15, 0, 0, 3}},
    {"convert", {"i32[3]"}, {257, -1, 8}, {0}, {0}, {0}, "i4[3]", {1, -1, -8}},
    {"convert", {"f16[3]"}, {0, -0.0, NO_NUMBER}, {0}, {0}, {0}, "bool[3]", {0, 0, 1}},
    {"convert", {"bool[2]"}, {0, 1}, {0}, {0}, {0}, "f8e4m3fn[2]", {0, 1}},
    {"convert", {"f32[2]"}, {3, 1e6}, {0}, {0}, {0}, "f8e8m0fnu[2]", {4, 1048576}},
    {"convert", {"f32[5]"}, {-1e9, 3.7, NO_NUMBER, 1, -2.5}, {0}, {0}, {0}, "i2[5]", {-2, 1, 0, 1, -2}},
    {"convert", {"f16[3]"}, {-1, 3.75, 2.5}, {0}, {0}, {0}, "u2[3]", {0, 3, 2}},
    {"convert", {"i32[4]"}, {5, -1, 2, 3}, {0}, {0}, {0}, "i2[4]", {1, -1, -2, -1}},
    {"convert", {"f32[8]"}, {1e9, -INF, NO_NUMBER, 0.25, 0.75, 5, 3.5, -0.0}, {0}, {0}, {0}, "f4e2m1fn[8]", {6, -6, -0.0, 0, 1, 4, 4, -0.0}},
    {"convert", {"f4e2m1fn[3]"}, {0.5, -6, 1.5}, {0}, {0}, {0}, "i4[3]", {0, -6, 1}},
    {"convert", {"f16[2]"}, {65504, 1.5}, {0}, {0}, {0}, "bf16[2]", {65536, 1.5}},
    {"convert", {"f64[2]"}, {65520, 2049}, {0}, {0}, {0}, "f16[2]", {INF, 2048}},
    {"convert", {"u64[2]"}, {9007198717870080, 3}, {0}, {0}, {0}, "f32[2]", {9007198717870080, 3}},
    {"convert", {"i32[2]"}, {16777217, 3}, {0}, {0}, {0}, "i32[2]", {16777217, 3}},
    /* element-wise, two operands */
    {"add", {"f32[2]", "f32[2]"}, {1, INF}, {2, -INF}, {0}, {0}, "f32[2]", {3, NO_NUMBER}},
    {"add", {"i4[2]", "i4[2]"}, {7, -8}, {1, -1}, {0}, {0}, "i4[2]", {-8, 7}},
    {"add", {"f16[2]", "f16[2]"}, {2048, 60000}, {1, 60000}, {0}, {0}, "f16[2]", {2048, INF}},
    {"add", {"i2[4]", "i2[4]"}, {1, -2, 1, -1}, {1, -1, -1, -1}, {0}, {0}, "i2[4]", {-2, 1, 0, -2}},
    {"mul", {"u2[2]", "u2[2]"}, {3, 2}, {3, 3}, {0}, {0}, "u2[2]", {1, 2}},
    {"shift_right_logical", {"i2[2]", "i2[2]"}, {-1, -2}, {1, 0}, {0}, {0}, "i2[2]", {1, -2}},
    {"div", {"i2[4]", "i2[4]"}, {-2, -2, 1, 0}, {-1, 0, -2, 1}, {0}, {0}, "i2[4]", {-2, -1, 0, 0}},
    {"mul", {"f4e2m1fn[4]", "f4e2m1fn[4]"}, {1.5, 3, 0.5, 6}, {1.5, -3, 0.5, 0.5}, {0}, {0}, "f4e2m1fn[4]", {2, -6, 0, 3}},
    {"div", {"f4e2m1fn[2]", "f4e2m1fn[2]"}, {1, 0}, {0, 0}, {0}, {0}, "f4e2m1fn[2]", {6, -0.0}},
    {"sub", {"u8[2]", "u8[2]"}, {1, 200}, {2, 100}, {0}, {0}, "u8[2]", {255, 100}},
    {"mul", {"i64[2]", "i64[2]"}, {4294967296, -3}, {4294967296, 5}, {0}, {0}, "i64[2]", {0, -15}},
    {"mul", {"f8e3m4[2]", "f8e3m4[2]"}, {1.5, 15}, {1.5, 2}, {0}, {0}, "f8e3m4[2]", {2.25, INF}},
    {"div", {"i32[4]", "i32[4]"}, {7, -7, 5, -2147483648}, {2, 2, 0, -1}, {0}, {0}, "i32[4]", {3, -3, -1, -2147483648}},
    {"div", {"u16[2]", "u16[2]"}, {7, 7}, {2, 0}, {0}, {0}, "u16[2]", {3, 65535}},
    {"div", {"f32[3]", "f32[3]"}, {1, -1, 0}, {0, 4, 0}, {0}, {0}, "f32[3]", {INF, -0.25, NO_NUMBER}},
    {"rem", {"i8[3]", "i8[3]"}, {7, -7, 5}, {3, 3, 0}, {0}, {0}, "i8[3]", {1, -1, 5}},
    {"rem", {"f64[3]", "f64[3]"}, {7.5, -7.5, 1}, {2, 2, 0}, {0}, {0}, "f64[3]", {1.5, -1.5, NO_NUMBER}},
    {"max", {"f32[3]", "f32[3]"}, {-0.0, 1, NO_NUMBER}, {0, -1, 2}, {0}, {0}, "f32[3]", {0, 1, NO_NUMBER}},
    {"max", {"bool[2]", "bool[2]"}, {0, 1}, {0, 0}, {0}, {0}, "bool[2]", {0, 1}},
    {"min", {"bf16[3]", "bf16[3]"}, {-0.0, 1, NO_NUMBER}, {0, -1, 2}, {0}, {0}, "bf16[3]", {-0.0, -1, NO_NUMBER}},
    {"min", {"u64[2]", "u64[2]"}, {1, 9e15}, {2, 3}, {0}, {0}, "u64[2]", {1, 3}},
    {"pow", {"f32[3]", "f32[3]"}, {2, 4, -8}, {10, 0.5, 3}, {0}, {0}, "f32[3]", {1024, 2, -512}},
    {"pow", {"f16[3]", "i32[3]"}, {2, 4, -8}, {10, -1, 3}, {0}, {0}, "f16[3]", {1024, 0.25, -512}},
    {"pow", {"f64[2]", "i8[2]"}, {2, -1}, {100, 127}, {0}, {0}, "f64[2]", {0x1p100, -1}},
    {"atan2", {"f32[3]", "f32[3]"}, {0, 0, -0.0}, {1, -0.0, 1}, {0}, {0}, "f32[3]", {0, 0x1.921fb6p+1, -0.0}},
    {"nextafter", {"f32[3]", "f32[3]"}, {1, 0, 1}, {2, -1, 1}, {0}, {0}, "f32[3]", {0x1.000002p0, -0x1p-149, 1}},
    {"nextafter", {"f8e4m3fn[]", "f8e4m3fn[]"}, {1}, {2}, {0}, {0}, "f8e4m3fn[]", {1.125}},
    {"and", {"i16[2]", "i16[2]"}, {6, -1}, {3, 5}, {0}, {0}, "i16[2]", {2, 5}},
    {"and", {"bool[2]", "bool[2]"}, {1, 1}, {0, 1}, {0}, {0}, "bool[2]", {0, 1}},
    {"or", {"u4[2]", "u4[2]"}, {6, 8}, {3, 5}, {0}, {0}, "u4[2]", {7, 13}},
    {"xor", {"i4[2]", "i4[2]"}, {6, -1}, {3, 5}, {0}, {0}, "i4[2]", {5, -6}},
    {"shift_left", {"i4[4]", "i4[4]"}, {1, 3, 1, 1}, {2, 2, 4, -1}, {0}, {0}, "i4[4]", {4, -4, 0, 0}},
    {"shift_right_logical", {"i8[3]", "i8[3]"}, {-1, -128, 5}, {4, 8, 1}, {0}, {0}, "i8[3]", {15, 0, 2}},
    {"shift_right_arithmetic", {"i8[3]", "i8[3]"}, {-1, -128, 5}, {4, 8, 1}, {0}, {0}, "i8[3]", {-1, -1, 2}},
    {"shift_right_logical", {"i4[2]", "i4[2]"}, {-1, -8}, {1, 3}, {0}, {0}, "i4[2]", {7, 1}},
    {"eq", {"f16[3]", "f16[3]"}, {0, NO_NUMBER, 1}, {-0.0, NO_NUMBER, 2}, {0}, {0}, "bool[3]", {1, 0, 0}},
    {"ne", {"f32[3]", "f32[3]"}, {0, NO_NUMBER, 1}, {-0.0, NO_NUMBER, 2}, {0}, {0}, "bool[3]", {0, 1, 1}},
    {"lt", {"u8[2]", "u8[2]"}, {200, 1}, {100, 2}, {0}, {0}, "bool[2]", {0, 1}},
    {"le", {"i4[2]", "i4[2]"}, {-8, 3}, {7, 3}, {0}, {0}, "bool[2]", {1, 1}},
    {"gt", {"bool[2]", "bool[2]"}, {1, 0}, {0, 0}, {0}, {0}, "bool[2]", {1, 0}},
    {"ge", {"f64[2]", "f64[2]"}, {1, NO_NUMBER}, {1, 0}, {0}, {0}, "bool[2]", {1, 0}},
    /* choosing */
    {"select", {"bool[3]", "f32[3]", "f32[3]"}, {0, 1, 0}, {1, 2, 3}, {4, 5, 6}, {0}, "f32[3]", {1, 5, 3}},
    {"select", {"bool[]", "i4[3]", "i4[3]"}, {1}, {1, 2, 3}, {4, 5, 6}, {0}, "i4[3]", {4, 5, 6}},
    {"select", {"i32[4]", "u8[4]", "u8[4]", "u8[4]"}, {0, 2, -5, 9}, {1, 2, 3, 4}, {4, 5, 6, 7}, {7, 8, 9, 10}, "u8[4]", {1, 8, 3, 10}},
    {"select", {"i32[]", "f8e5m2[2]", "f8e5m2[2]", "f8e5m2[2]"}, {1}, {1, 2}, {4, 5}, {7, 8}, "f8e5m2[2]", {4, 5}},
    {"fma", {"f16[3]", "f16[3]", "f16[3]"}, {256, 0x1.004p0, 3}, {256, 0x1.004p0, INF}, {-32, -0x1.008p0, 1}, {0}, "f16[3]", {65504, 0x1p-20, INF}},
    {"fma", {"f64[1]", "f64[1]", "f64[1]"}, {0x1.0000000000001p0}, {0x1.0000000000001p0}, {-0x1.0000000000002p0}, {0}, "f64[1]", {0x1p-104}},
    {"mul_high", {"i32[2]", "i32[2]"}, {-1, 65536}, {1, 65536}, {0}, {0}, "i32[2]", {-1, 1}},
    {"mul_high", {"u2[2]", "u2[2]"}, {3, 1}, {3, 3}, {0}, {0}, "u2[2]", {2, 0}},
    {"clamp", {"f32[]", "f32[4]", "f32[]"}, {-1}, {-5, 0.5, 9, NO_NUMBER}, {1}, {0}, "f32[4]", {-1, 0.5, 1, NO_NUMBER}},
    {"clamp", {"i4[2]", "i4[2]", "i4[2]"}, {-1, 2}, {-5, 3}, {1, 1}, {0}, "i4[2]", {-1, 1}},
    {"clamp", {"u16[]", "u16[2]", "u16[2]"}, {2}, {1, 9}, {5, 8}, {0}, "u16[2]", {2, 8}},
    /* values from nothing */
    {"constant value=[1,'0x1.8p+0','nan']", {0}, {0}, {0}, {0}, {0}, "bf16[3]", {1, 1.5, NO_NUMBER}},
    {"constant value=-3", {0}, {0}, {0}, {0}, {0}, "i4[2,2]", {-3, -3, -3, -3}},
    {"constant value=true", {0}, {0}, {0}, {0}, {0}, "bool[]", {1}},
    {"iota axis=1", {0}, {0}, {0}, {0}, {0}, "i32[2,3]", {0, 1, 2, 0, 1, 2}},
    {"iota axis=0", {0}, {0}, {0}, {0}, {0}, "f16[3,2]", {0, 0, 1, 1, 2, 2}},
    {"iota axis=0", {0}, {0}, {0}, {0}, {0}, "i4[10]", {0, 1, 2, 3, 4, 5, 6, 7, -8, -7}},
    {"iota axis=0", {0}, {0}, {0}, {0}, {0}, "u64[1]", {0}},
    {"undefined", {0}, {0}, {0}, {0}, {0}, "f16[2]", {NO_NUMBER, NO_NUMBER}},
    {"undefined", {0}, {0}, {0}, {0}, {0}, "i16[2]", {-32768, -32768}},
    {"undefined", {0}, {0}, {0}, {0}, {0}, "u8[]", {0}},
    {"undefined", {0}, {0}, {0}, {0}, {0}, "bool[]", {0}},
    /* bits */
    {"bitcast", {"f32[2]"}, {1, -2}, {0}, {0}, {0}, "i32[2]", {0x3f800000, -0x40000000}},
    {"bitcast", {"f16[2]"}, {1, -2}, {0}, {0}, {0}, "u16[2]", {0x3c00, 0xc000}},
    {"bitcast", {"u8[2]"}, {0x38, 0x7f}, {0}, {0}, {0}, "f8e4m3fn[2]", {1, NO_NUMBER}},
    {"bitcast", {"f8e5m2[]"}, {1}, {0}, {0}, {0}, "f8e4m3fn[]", {1.5}},
    {"bitcast", {"u32[2]"}, {0x04030201, 0x3f80}, {0}, {0}, {0}, "u8[2,4]", {1, 2, 3, 4, 0x80, 0x3f, 0, 0}},
    {"bitcast", {"u16[2]"}, {0x3f80, 0x4000}, {0}, {0}, {0}, "bf16[2]", {1, 2}},
    {"bitcast", {"bf16[1,2]"}, {0, 1}, {0}, {0}, {0}, "f32[1]", {1}},
    {"bitcast", {"u32[2]"}, {0, 0x3ff00000}, {0}, {0}, {0}, "f64[]", {1}},
    {"bitcast", {"u8[2]"}, {0x64, 0xf1}, {0}, {0}, {0}, "u4[2,2]", {4, 6, 1, 15}},
    {"bitcast", {"i8[2]"}, {0x64, -15}, {0}, {0}, {0}, "i4[2,2]", {4, 6, 1, -1}},
    {"bitcast", {"i4[2,2]"}, {4, 6, 1, -1}, {0}, {0}, {0}, "u8[2]", {0x64, 0xf1}},
    {"bitcast", {"u2[1,8]"}, {0, 1, 2, 3, 3, 0, 1, 2}, {0}, {0}, {0}, "u16[1]", {0x93e4}},
    {"bitcast", {"u16[1]"}, {0x93e4}, {0}, {0}, {0}, "i2[1,8]", {0, 1, -2, -1, -1, 0, 1, -2}},
    {"bitcast", {"u4[3]"}, {6, 1, 15}, {0}, {0}, {0}, "u2[3,2]", {2, 1, 1, 0, 3, 3}},
    {"bitcast", {"i2[3,2]"}, {-2, 1, 1, 0, -1, -1}, {0}, {0}, {0}, "i4[3]", {6, 1, -1}},
    {"bitcast", {"f4e2m1fn[1,2]"}, {1.5, -6}, {0}, {0}, {0}, "f8e5m2[1]", {-0x1.cp+13}},
    {"bitcast", {"f4e2m1fn[3]"}, {1.5, -6, -0.0}, {0}, {0}, {0}, "u4[3]", {3, 15, 8}},
    {"bitcast", {"u32[1]"}, {0x7654321f}, {0}, {0}, {0}, "f4e2m1fn[1,8]", {-6, 0.5, 1, 1.5, 2, 3, 4, 6}},
    {"bitcast", {"i2[3]"}, {-1, 1, -2}, {0}, {0}, {0}, "u2[3]", {3, 1, 2}},
    {"bitcast", {"i4[3]"}, {-1, 3, -8}, {0}, {0}, {0}, "u4[3]", {15, 3, 8}},
    /* moving */
    {"broadcast_in_dim dims=[1]", {"f32[3]"}, {1, 2, 3}, {0}, {0}, {0}, "f32[2,3]", {1, 2, 3, 1, 2, 3}},
    {"broadcast_in_dim dims=[0]", {"i4[2]"}, {1, 2}, {0}, {0}, {0}, "i4[2,3]", {1, 1, 1, 2, 2, 2}},
    {"broadcast_in_dim dims=[0,2]", {"u8[1,2]"}, {1, 2}, {0}, {0}, {0}, "u8[2,2,2]", {1, 2, 1, 2, 1, 2, 1, 2}},
    {"broadcast_in_dim dims=[]", {"bool[]"}, {1}, {0}, {0}, {0}, "bool[2,2]", {1, 1, 1, 1}},
    {"reshape", {"f32[2,3]"}, {1, 2, 3, 4, 5, 6}, {0}, {0}, {0}, "f32[3,1,2]", {1, 2, 3, 4, 5, 6}},
    {"reshape", {"i64[1,1]"}, {7}, {0}, {0}, {0}, "i64[]", {7}},
    {"transpose permutation=[1,0]", {"f32[2,3]"}, {1, 2, 3, 4, 5, 6}, {0}, {0}, {0}, "f32[3,2]", {1, 4, 2, 5, 3, 6}},
    {"transpose permutation=[2,0,1]", {"u8[1,2,2]"}, {1, 2, 3, 4}, {0}, {0}, {0}, "u8[2,1,2]", {1, 3, 2, 4}},
    {"rev axes=[1]", {"i32[2,3]"}, {1, 2, 3, 4, 5, 6}, {0}, {0}, {0}, "i32[2,3]", {3, 2, 1, 6, 5, 4}},
    {"rev axes=[0,1]", {"f16[2,2]"}, {1, 2, 3, 4}, {0}, {0}, {0}, "f16[2,2]", {4, 3, 2, 1}},
    {"slice start=[1,0] stride=[1,2]", {"i32[2,3]"}, {1, 2, 3, 4, 5, 6}, {0}, {0}, {0}, "i32[1,2]", {4, 6}},
    {"dynamic_slice", {"i32[4]", "i32[]"}, {1, 2, 3, 4}, {9}, {0}, {0}, "i32[2]", {3, 4}},
    {"dynamic_slice", {"f8e4m3fn[2,3]", "i8[]", "u64[]"}, {1, 2, 3, 4, 5, 6}, {-3}, {1}, {0}, "f8e4m3fn[1,2]", {2, 3}},
    {"dynamic_update_slice", {"i32[4]", "i32[2]", "i32[]"}, {1, 2, 3, 4}, {8, 9}, {-7}, {0}, "i32[4]", {8, 9, 3, 4}},
    {"dynamic_update_slice", {"f64[2,2]", "f64[1,1]", "i32[]", "i32[]"}, {1, 2, 3, 4}, {8}, {1}, {5}, "f64[2,2]", {1, 2, 3, 8}},
    {"concatenate axis=0", {"i8[2]", "i8[1]", "i8[0]"}, {1, 2}, {3}, {0}, {0}, "i8[3]", {1, 2, 3}},
    {"concatenate axis=1", {"f32[2,1]", "f32[2,2]"}, {1, 2}, {3, 4, 5, 6}, {0}, {0}, "f32[2,3]", {1, 3, 4, 2, 5, 6}},
    {"pad low=[1] high=[2] interior=[1]", {"f32[2]", "f32[]"}, {1, 2}, {9}, {0}, {0}, "f32[6]", {9, 1, 9, 2, 9, 9}},
    {"pad low=[-1] high=[-1] interior=[0]", {"i4[4]", "i4[]"}, {1, 2, 3, 4}, {7}, {0}, {0}, "i4[2]", {2, 3}},
    {"pad low=[-2] high=[1] interior=[2]", {"u8[3]", "u8[]"}, {1, 2, 3}, {9}, {0}, {0}, "u8[6]", {9, 2, 9, 9, 3, 9}},
    {"pad low=[-3] high=[5] interior=[0]", {"i32[2]", "i32[]"}, {1, 2}, {9}, {0}, {0}, "i32[4]", {9, 9, 9, 9}},
    {"pad low=[0,1] high=[0,0] interior=[0,0]", {"bool[2,1]", "bool[]"}, {1, 0}, {1}, {0}, {0}, "bool[2,2]", {1, 1, 1, 0}},
    {"tile reps=[2]", {"i32[3]"}, {1, 2, 3}, {0}, {0}, {0}, "i32[6]", {1, 2, 3, 1, 2, 3}},
    {"tile reps=[2,1]", {"bf16[1,2]"}, {1, 2}, {0}, {0}, {0}, "bf16[2,2]", {1, 2, 1, 2}},
    {"tile reps=[1,3]", {"f64[2,2]"}, {1, 2, 3, 4}, {0}, {0}, {0}, "f64[2,6]", {1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4}},
    {"gather offset_dims=[] collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] "
     "slice_sizes=[1] mode='clip'",
     {"f32[4]", "i32[4,1]"}, {1, 2, 3, 4}, {2, -1, 9, 0}, {0}, {0}, "f32[4]", {3, 1, 4, 1}},
    {"gather offset_dims=[1] collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] "
     "slice_sizes=[1,2] mode='fill'",
     {"f16[3,2]", "i64[3,1]"}, {1, 2, 3, 4, 5, 6}, {2, 3, 4294967296}, {0}, {0}, "f16[3,2]", {5, 6, NO_NUMBER, NO_NUMBER, NO_NUMBER, NO_NUMBER}},
    {"gather offset_dims=[] collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] "
     "slice_sizes=[1] mode='clip'",
     {"f32[4]", "u32[2,1]"}, {1, 2, 3, 4}, {4294967295, 1}, {0}, {0}, "f32[2]", {4, 2}},
    {"gather offset_dims=[] collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] "
     "slice_sizes=[1] mode='fill' fill=7",
     {"i4[4]", "i8[3,1]"}, {1, 2, 3, 4}, {-1, 0, 4}, {0}, {0}, "i4[3]", {7, 1, 7}},
    {"gather offset_dims=[] collapsed_dims=[1] start_index_map=[1] operand_batch=[0] indices_batch=[0] "
     "slice_sizes=[1,1] mode='clip'",
     {"i32[2,3]", "i32[2,1]"}, {1, 2, 3, 4, 5, 6}, {2, 0}, {0}, {0}, "i32[2]", {3, 4}},
    {"scatter offset_dims=[] collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] mode='drop' "
     "combine='set'",
     {"f32[4]", "i32[5,1]", "f32[5]"}, {1, 2, 3, 4}, {2, -1, 4, 0, 2}, {5, 6, 7, 8, 9}, {0}, "f32[4]", {8, 2, 9, 4}},
    {"scatter offset_dims=[] collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] mode='clip' "
     "combine='add'",
     {"i8[3]", "i64[4,1]", "i8[4]"}, {100, 2, 3}, {0, -5, 9000000000, 1}, {20, 30, 40, 50}, {0}, "i8[3]", {-106, 52, 43}},
    {"scatter offset_dims=[1] collapsed_dims=[] start_index_map=[0] operand_batch=[] indices_batch=[] mode='drop' "
     "combine='sub'",
     {"f16[5]", "i32[3,1]", "f16[3,2]"}, {1, 2, 3, 4, 5}, {4, 0, 1}, {9, 9, 1, 2, 10, 20}, {0}, "f16[5]", {0, -10, -17, 4, 5}},
    {"scatter offset_dims=[0] collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] mode='clip' "
     "combine='mul'",
     {"f8e4m3fn[2,3]", "u8[2,1]", "f8e4m3fn[3,2]"}, {1, 2, 3, 4, 5, 6}, {1, 200}, {2, 3, 4, 5, 0, -1}, {0}, "f8e4m3fn[2,3]", {1, 2, 3, 24, 96, -0.0}},
    {"scatter offset_dims=[] collapsed_dims=[1] start_index_map=[1] operand_batch=[0] indices_batch=[0] mode='drop' "
     "combine='min'",
     {"f32[2,2]", "i32[2,2,1]", "f32[2,2]"}, {1, 2, 3, 0}, {0, 1, 1, 1}, {-1, 7, NO_NUMBER, -9}, {0}, "f32[2,2]", {-1, 2, 3, NO_NUMBER}},
    {"scatter offset_dims=[] collapsed_dims=[0] start_index_map=[0] operand_batch=[] indices_batch=[] mode='drop' "
     "combine='max'",
     {"bool[3]", "i32[2,1]", "bool[2]"}, {0, 0, 1}, {0, 2}, {1, 0}, {0}, "bool[3]", {1, 0, 1}},
    {"sort axis=0 keys=1", {"f32[7]"}, {1, NO_NUMBER, 0, -0.0, -INF, INF, 0}, {0}, {0}, {0}, "f32[7]", {-INF, 0, -0.0, 0, 1, INF, NO_NUMBER}},
    {"sort axis=0 keys=1 total=true", {"bf16[5]"}, {1, 0, -0.0, -INF, NO_NUMBER}, {0}, {0}, {0}, "bf16[5]", {-INF, -0.0, 0, 1, NO_NUMBER}},
    {"sort axis=0 keys=1 descending=true", {"f64[6]"}, {1, 0, -0.0, -INF, NO_NUMBER, 2}, {0}, {0}, {0}, "f64[6]", {NO_NUMBER, 2, 1, 0, -0.0, -INF}},
    {"sort axis=0 keys=1", {"i4[2,3]"}, {1, -8, 3, 0, 7, -1}, {0}, {0}, {0}, "i4[2,3]", {0, -8, -1, 1, 7, 3}},
    {"sort axis=1 keys=1", {"u64[2,2]"}, {9e15, 1, 2, 3}, {0}, {0}, {0}, "u64[2,2]", {1, 9e15, 2, 3}},
    {"sort axis=0 keys=1", {"bool[3]"}, {1, 0, 1}, {0}, {0}, {0}, "bool[3]", {0, 1, 1}},
    {"sort axis=0 keys=1", {"i16[0]"}, {0}, {0}, {0}, {0}, "i16[0]", {0}},
    {"inline_ptx constraints='=r,r,r' packed=1 text='{ .reg .pred %p; setp.lt.s32 %p, $1, $2; selp.b32 $0, $2, $1, %p; }'",
     {"i32[2]", "i32[2]"}, {-3, 9}, {4, 2}, {0}, {0}, "i32[2]", {4, 9}},
    {"inline_ptx constraints='=r,r' packed=4 text='xor.b32 $0, $1, 0x01010101;'", {"u8[2,2]"}, {1, 2, 3, 4}, {0}, {0}, {0}, "u8[2,2]", {0, 3, 2, 5}},
    {"inline_ptx constraints='=h,h' packed=1 text='neg.f16 $0, $1;'", {"f16[2]"}, {1.5, -2}, {0}, {0}, {0}, "f16[2]", {-1.5, 2}},
    {"inline_ptx constraints='=r,r' packed=2 text='neg.bf16x2 $0, $1;'", {"bf16[4]"}, {1, 2, 3, 4}, {0}, {0}, {0}, "bf16[4]", {-1, -2, -3, -4}},
    {"inline_ptx constraints='=d,d' packed=1 text='add.rn.f64 $0, $1, 0d3FF0000000000000;'", {"f64[2]"}, {0.5, INF}, {0}, {0}, {0}, "f64[2]", {1.5, INF}},
    {"inline_ptx constraints='=l,=l,l,1' packed=2 text='add.s64 $0, $2, 1; add.s64 $3, $1, 1;'", {"i64[2]"}, {7, 8}, {0}, {0}, {0}, "i64[2]", {8, 9}},
    {"inline_ptx constraints='=r,r' packed=1 text='xor.b32 $0, $1, 1;'", {"bool[3]"}, {1, 0, 1}, {0}, {0}, {0}, "bool[3]", {0, 1, 0}},
    {"inline_ptx constraints='=f,f' packed=1 text='mov.b32 $0, $1;'", {"f32[0]"}, {0}, {0}, {0}, {0}, "f32[0]", {0}},
    /* reducing */
    {"reduce_sum axes=[0]", {"f32[2,3]"}, {1, 2, 3, 4, 5, 6}, {0}, {0}, {0}, "f32[3]", {5, 7, 9}},
    {"reduce_sum axes=[1]", {"f16[2,3]"}, {1, 2, 3, 2048, 1, 1}, {0}, {0}, {0}, "f16[2]", {6, 2048}},
    {"reduce_sum axes=[0,1]", {"i8[2,3]"}, {100, 20, 3, 4, 5, 6}, {0}, {0}, {0}, "i8[]", {-118}},
    {"reduce_sum axes=[0,2]", {"i32[2,2,2]"}, {1, 2, 3, 4, 5, 6, 7, 8}, {0}, {0}, {0}, "i32[2]", {14, 22}},
    {"reduce_sum axes=[]", {"i32[2]"}, {1, 2}, {0}, {0}, {0}, "i32[2]", {1, 2}},
    {"reduce_sum axes=[0]", {"f32[0,2]"}, {0}, {0}, {0}, {0}, "f32[2]", {0, 0}},
    {"reduce_prod axes=[0]", {"f64[3]"}, {2, 3, 4}, {0}, {0}, {0}, "f64[]", {24}},
    {"reduce_prod axes=[0]", {"u4[3]"}, {2, 3, 4}, {0}, {0}, {0}, "u4[]", {8}},
    {"reduce_max axes=[1]", {"f32[2,2]"}, {-0.0, 0, NO_NUMBER, 1}, {0}, {0}, {0}, "f32[2]", {0, NO_NUMBER}},
    {"reduce_max axes=[0]", {"i16[0]"}, {0}, {0}, {0}, {0}, "i16[]", {-32768}},
    {"reduce_max axes=[0]", {"bool[2]"}, {0, 1}, {0}, {0}, {0}, "bool[]", {1}},
    {"reduce_min axes=[0]", {"bf16[3]"}, {3, -1, 2}, {0}, {0}, {0}, "bf16[]", {-1}},
    {"reduce_min axes=[0]", {"f32[0]"}, {0}, {0}, {0}, {0}, "f32[]", {INF}},
    {"reduce_and axes=[0]", {"i4[2]"}, {6, 3}, {0}, {0}, {0}, "i4[]", {2}},
    {"reduce_or axes=[0]", {"u8[2]"}, {6, 3}, {0}, {0}, {0}, "u8[]", {7}},
    {"reduce_xor axes=[0]", {"bool[3]"}, {1, 1, 1}, {0}, {0}, {0}, "bool[]", {1}},
    {"argmax axis=0", {"f32[4]"}, {1, 5, 5, 2}, {0}, {0}, {0}, "i32[]", {1}},
    {"argmax axis=1", {"f16[2,3]"}, {1, NO_NUMBER, NO_NUMBER, -INF, -INF, -INF}, {0}, {0}, {0}, "i64[2]", {1, 0}},
    {"argmin axis=0", {"i4[4]"}, {1, -8, -8, 2}, {0}, {0}, {0}, "u32[]", {1}},
    {"argmin axis=0", {"f64[2,2]"}, {-0.0, 3, 0, 2}, {0}, {0}, {0}, "u64[2]", {0, 1}},
    {"cumsum axis=0", {"f32[4]"}, {1, 2, 3, 4}, {0}, {0}, {0}, "f32[4]", {1, 3, 6, 10}},
    {"cumsum axis=1 reverse=true", {"i8[2,2]"}, {1, 2, 100, 100}, {0}, {0}, {0}, "i8[2,2]", {3, 2, -56, 100}},
    {"cumprod axis=0", {"f16[3]"}, {3, 3, 3}, {0}, {0}, {0}, "f16[3]", {3, 9, 27}},
    {"cummax axis=0", {"bf16[4]"}, {1, 3, NO_NUMBER, 4}, {0}, {0}, {0}, "bf16[4]", {1, 3, NO_NUMBER, NO_NUMBER}},
    {"cummin axis=0 reverse=true", {"u4[3]"}, {5, 9, 7}, {0}, {0}, {0}, "u4[3]", {5, 7, 7}},
    /* dots */
    {"dot_general lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]",
     {"f32[2,2]", "f32[2,2]"}, {1, 2, 3, 4}, {5, 6, 7, 8}, {0}, {0}, "f32[2,2]", {19, 22, 43, 50}},
    {"dot_general lhs_contract=[0] rhs_contract=[1] lhs_batch=[] rhs_batch=[]",
     {"f16[2,2]", "f16[2,2]"}, {1, 2, 3, 4}, {5, 6, 7, 8}, {0}, {0}, "f32[2,2]", {23, 31, 34, 46}},
    {"dot_general lhs_contract=[2] rhs_contract=[1] lhs_batch=[0] rhs_batch=[0]",
     {"bf16[2,1,2]", "f32[2,2,1]"}, {1, 2, 3, 4}, {5, 6, 7, 8}, {0}, {0}, "f32[2,1,1]", {17, 53}},
    {"dot_general lhs_contract=[1] rhs_contract=[0] lhs_batch=[2] rhs_batch=[1]",
     {"i8[1,2,2]", "i8[2,2]"}, {1, 2, 3, 4}, {5, 6, 7, 8}, {0}, {0}, "i32[2,1]", {26, 44}},
    {"dot_general lhs_contract=[0,1] rhs_contract=[1,0] lhs_batch=[] rhs_batch=[]",
     {"i64[2,2]", "i32[2,2]"}, {1, 2, 3, 4}, {5, 6, 7, 8}, {0}, {0}, "i64[]", {69}},
    {"dot_general lhs_contract=[0,1] rhs_contract=[0,1] lhs_batch=[] rhs_batch=[]",
     {"f8e4m3fn[2,2]", "f8e5m2[2,2]"}, {1, 2, 3, 4}, {5, 6, 7, 8}, {0}, {0}, "bf16[]", {70}},
    {"dot_general lhs_contract=[0] rhs_contract=[0] lhs_batch=[] rhs_batch=[]",
     {"u4[2]", "i4[2]"}, {15, 1}, {7, -8}, {0}, {0}, "i8[]", {97}},
    {"dot_general lhs_contract=[] rhs_contract=[] lhs_batch=[] rhs_batch=[]",
     {"f64[2]", "f64[2]"}, {1, 2}, {3, 4}, {0}, {0}, "f64[2,2]", {3, 4, 6, 8}},
    {"dot_general lhs_contract=[1] rhs_contract=[0] lhs_batch=[] rhs_batch=[]",
     {"f32[2,0]", "f32[0,2]"}, {0}, {0}, {0}, {0}, "f32[2,2]", {0, 0, 0, 0}},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };

Test(machine_ops, table)
{
    for (int i = 0; i < ROWS; i++) check_row(&rows[i]);
}

/* ---- elementary functions ---- */

static long double rsqrt(long double x) { return 1 / sqrtl(x); }
static long double logistic(long double x) { return 1 / (1 + expl(-x)); }
static long double erf_inv(long double y)
{
    long double x = 0;
    for (int i = 0; i < 60; i++) x -= (erfl(x) - y) / (2 / sqrtl(acosl(-1)) * expl(-x * x));
    return x;
}

static const struct {
    const char *name;
    long double (*f)(long double);
    double low, high;
} functions[] = {
    {"sqrt", sqrtl, 0, 100},       {"rsqrt", rsqrt, 0.1, 100}, {"cbrt", cbrtl, -9, 9},
    {"exp", expl, -5, 5},          {"exp2", exp2l, -5, 5},     {"expm1", expm1l, -1, 3},
    {"log", logl, 0.1, 90},        {"log2", log2l, 0.1, 90},   {"log1p", log1pl, -0.5, 9},
    {"sin", sinl, -9, 9},          {"cos", cosl, -9, 9},       {"tan", tanl, -1.5, 1.5},
    {"asin", asinl, -1, 1},        {"acos", acosl, -1, 1},     {"atan", atanl, -9, 9},
    {"sinh", sinhl, -5, 5},        {"cosh", coshl, -5, 5},     {"tanh", tanhl, -3, 3},
    {"asinh", asinhl, -9, 9},      {"acosh", acoshl, 1, 9},    {"atanh", atanhl, -0.9, 0.9},
    {"logistic", logistic, -5, 5}, {"erf", erfl, -2, 2},       {"erf_inv", erf_inv, -0.9, 0.9},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions, POINTS = 600, FEW_POINTS = 60 };

/* Value of an f64 in the units of the last place of `dtype`, roughly: for a bound on the distance. */
static double ulp_of(tg_dtype dtype, double value)
{
    int exponent;
    frexp(value, &exponent);
    return ldexp(1, exponent - 1 - tg_dtypes[dtype].man_bits);
}

static void check_function(int f, tg_dtype dtype)
{
    char text[512];
    static uint64_t x[POINTS];
    int points = dtype == TG_DT_f32 || dtype == TG_DT_f64 ? POINTS : FEW_POINTS;
    snprintf(text, sizeof text,
             "input x %1$s[%3$d]\noutput o %1$s[%3$d]\nbody\n%%10:%1$s[%3$d] = load %%1 [0:%3$d]\n"
             "%%11:%1$s[%3$d] = %2$s %%10\nstore %%2 %%11 [0:%3$d]\n",
             tg_dtypes[dtype].name, functions[f].name, points);
    for (int i = 0; i < points; i++) {
        double value = functions[f].low + (functions[f].high - functions[f].low) * i / (points - 1);
        if (dtype == TG_DT_bf16 || dtype == TG_DT_f16) value = rint(value * 2) / 2;
        if (value < functions[f].low) value = ceil(functions[f].low * 2) / 2;
        if (value > functions[f].high) value = floor(functions[f].high * 2) / 2;
        put_number(dtype, x, (size_t)i, value);
    }
    tg_module *module = load_kernel(text);
    const named *list = NAMED({"x", x});
    arrays all = make_arrays(module, list);
    tg_run_options options = {.size = sizeof options};
    tg_report_free(run_once(module, &all, &options));
    for (size_t i = 0; i < (size_t)points; i++) {
        double from = get_number(dtype, x, i), found = get_number(dtype, array_data(&all, "o"), i);
        double wanted = (double)functions[f].f((long double)from),
               most = dtype == TG_DT_f64 ? 2 : 0.51;
        cr_assert(fabs(found - wanted) <= most * ulp_of(dtype, wanted) + 1e-300,
                  "%s(%a) on %s is %a, wanted %a", functions[f].name, from, tg_dtypes[dtype].name,
                  found, wanted);
    }
    free_arrays(&all);
    tg_module_free(module);
}

Test(machine_ops, elementary_functions)
{
    static const tg_dtype dtypes[] = {TG_DT_f32, TG_DT_f64, TG_DT_f16, TG_DT_bf16};
    for (int f = 0; f < FUNCTIONS; f++)
        for (int d = 0; d < 4; d++) check_function(f, dtypes[d]);
}

/* Whoever adds an op adds a row; refs are in test_machine_refs.c, and what has a layout in
 * test_physical.c. */
Test(machine_ops, no_pure_op_is_forgotten)
{
    for (int op = 0; op < TG_OP_COUNT; op++) {
        bool seen = !(tg_ops[op].traits & TG_TRAIT_PURE) || tg_is_view_op((tg_opcode)op) ||
                    op == TG_OP_alloc || op == TG_OP_layout_cast;
        size_t length = strlen(tg_ops[op].name);
        for (int i = 0; i < ROWS && !seen; i++)
            seen = strncmp(rows[i].op, tg_ops[op].name, length) == 0 &&
                   strchr(" ", rows[i].op[length]);
        for (int i = 0; i < FUNCTIONS && !seen; i++)
            seen = strcmp(functions[i].name, tg_ops[op].name) == 0;
        cr_assert(seen, "%s", tg_ops[op].name);
    }
}

/* ---- every dtype ---- */

/* Values that all dtypes have: 1, 2, 4. */
static const char dtype_text[] = "grid 2\n"
                                 "input x %1$s[6] block b4 at i\n"
                                 "input at i32[4]\n"
                                 "output sorted %1$s[6] block b4 at i\n"
                                 "output taken %1$s[8] block b4 at i\n"
                                 "output most %1$s[2] block s at i\n"
                                 "output masked %1$s[6] block b4 at i\n"
                                 "output wide f32[6] block b4 at i\n"
                                 "output which i32[2] block s at i\n"
                                 "scratch s %1$s[4,2]\n"
                                 "body\n"
                                 "%%10:%1$s[4] = load %%1 [0:4]\n"
                                 "%%11:%1$s[4] = rev %%10 axes=[0]\n"
                                 "%%12:%1$s[4] = max %%10 %%11\n"
                                 "%%13:%1$s[4] = min %%10 %%11\n"
                                 "%%14:bool[4] = eq %%12 %%13\n"
                                 "%%15:%1$s[4] = select %%14 %%12 %%13\n"
                                 "store %%3 %%15 [0:4]\n"
                                 "%%16:i32[4] = load %%2 [0:4]\n"
                                 "%%17:%1$s[4] = load %%1 %%16 [@]\n"
                                 "store %%4 %%17 %%16 [@]\n"
                                 "%%18:%1$s[] = reduce_max %%10 axes=[0]\n"
                                 "store %%5 %%18 []\n"
                                 "%%19:bool[4] = ne %%10 %%11\n"
                                 "%%20:%1$s[4] = load %%1 %%19 [0:4] mask=true\n"
                                 "%%21:bool[4] = not %%19\n"
                                 "store %%6 %%20 %%19 [0:4] mask=true\n"
                                 "store %%6 %%12 %%21 [0:4] mask=true\n"
                                 "%%22:f32[4] = convert %%10\n"
                                 "store %%7 %%22 [0:4]\n"
                                 "%%23:i32[] = argmin %%10 axis=0\n"
                                 "store %%8 %%23 []\n"
                                 "%%24:%1$s[2,2] = reshape %%10\n"
                                 "store %%9 %%24 [0:2:2,0:2]\n"
                                 "%%25:%1$s[2,2] = load %%9 [0:2:2,0:2]\n"
                                 "%%26:%1$s[4,2] = concatenate %%25 %%24 axis=0\n"
                                 "%%27:%1$s[2,4] = transpose %%26 permutation=[1,0]\n";

static double larger_of(double a, double b) { return isnan(a) || a > b ? a : b; }

static void check_dtype(tg_dtype dtype)
{
    static const double from[6] = {1, 4, 2, 4, 2, 4};
    double undefined = tg_is_float(dtype)                             ? NO_NUMBER
                       : dtype == TG_DT_bool || tg_is_unsigned(dtype) ? 0
                                                                      : -1;
    if (dtype == TG_DT_f4e2m1fn) undefined = -6;
    if (tg_is_signed(dtype)) undefined = -ldexp(1, tg_dtypes[dtype].bits - 1);
    uint64_t x[6] = {0};
    static const int32_t at[4] = {3, 0, 2, 1};
    char text[4096];
    tg_run_options options = {.size = sizeof options, .order = "shuffled"};
    snprintf(text, sizeof text, dtype_text, tg_dtypes[dtype].name);
    for (size_t i = 0; i < 6; i++) {
        const double few = i == 0 || i == 4; /* of what 1 and 2 bits hold */
        put_number(dtype, x, i,
                   dtype == TG_DT_bool          ? i != 3
                   : tg_dtypes[dtype].bits == 2 ? few
                                                : from[i]);
    }
    tg_module *module = load_kernel(text);
    arrays all = make_arrays(module, NAMED({"x", x}, {"at", at}));
    tg_report *report = run_once(module, &all, &options);
    cr_assert_eq(tg_report_finding_count(report), 0);
    for (size_t p = 0; p < 2; p++) {
        double v[4], most = -1e300;
        for (size_t i = 0; i < 4; i++)
            v[i] = 4 * p + i < 6 ? get_number(dtype, x, 4 * p + i) : undefined;
        for (size_t i = 0; i < 4; i++) most = larger_of(v[i], most);
        cr_assert(is_number(get_number(dtype, array_data(&all, "most"), p), most), "%s",
                  tg_dtypes[dtype].name);
        for (size_t i = 0; i < 4; i++) {
            double taken = get_number(dtype, array_data(&all, "taken"), 4 * p + i), w = v[3 - i];
            double larger = larger_of(v[i], w);
            cr_assert(is_number(taken, v[i]), "%s taken %zu: %g", tg_dtypes[dtype].name, i, taken);
            if (4 * p + i >= 6) continue;
            cr_assert(is_number(get_number(dtype, array_data(&all, "sorted"), 4 * p + i), larger));
            cr_assert(is_number(get_number(dtype, array_data(&all, "masked"), 4 * p + i),
                                v[i] != w ? v[i] : larger));
            cr_assert(is_number(get_number(TG_DT_f32, array_data(&all, "wide"), 4 * p + i), v[i]));
        }
    }
    tg_report_free(report);
    free_arrays(&all);
    tg_module_free(module);
}

Test(machine_ops, every_dtype)
{
    for (int d = 0; d < TG_DT_COUNT; d++) check_dtype((tg_dtype)d);
}

/* 64-bit values that no double holds. */
Test(machine_ops, wide_integers)
{
    static const int64_t x[2] = {INT64_MAX, INT64_MIN + 1}, o[2] = {INT64_MIN, INT64_MIN + 2};
    static const uint64_t u[2] = {UINT64_MAX, 1}, ou[2] = {0, 2};
    static const uint8_t less[2] = {0, 1}, more[2] = {0, 0};
    expect("input x i64[2]\ninput u u64[2]\n"
           "output o i64[2]\noutput ou u64[2]\noutput less bool[2]\noutput more bool[2]\n"
           "body\n"
           "%10:i64[2] = load %1 [0:2]; %11:i64[2] = constant value=1; %12:i64[2] = add %10 %11\n"
           "store %3 %12 [0:2]\n"
           "%20:u64[2] = load %2 [0:2]; %21:u64[2] = constant value=1; %22:u64[2] = add %20 %21\n"
           "store %4 %22 [0:2]\n"
           "%30:i64[2] = constant value='9223372036854775806'; %31:bool[2] = lt %10 %30\n"
           "store %5 %31 [0:2]\n"
           "%40:u64[2] = constant value='18446744073709551615'; %41:bool[2] = gt %20 %40\n"
           "store %6 %41 [0:2]\n",
           NAMED({"x", x}, {"u", u}, {"o", o}, {"ou", ou}, {"less", less}, {"more", more}));
}
