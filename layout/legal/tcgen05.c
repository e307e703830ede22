#include "layout/legal/tcgen05.h"

#include <inttypes.h>

enum { QUARTER = 32, QUARTERS = 4, COLUMNS = 512, COLUMN_BITS = 32, LEAST_COLUMNS = 32 };
enum { MOST_N = 256, K_BITS = 256, MOST_REPEAT_BITS = 8192 };

const tg_demand tg_tcgen05_rules[TG_TCGEN05_RULE_COUNT] = {
#define TG_TCGEN05_RULE(id, of, demands, source)                                                   \
    [TG_TCGEN05_##id] = {"tcgen05_" #id, demands, source},
#include "layout/legal/tcgen05.def"
};

static bool is_power_of_2(int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

/* ---- multiplication ---- */

static bool keeps_ctas(const tg_tcgen05 *t, tg_text *found)
{
    tg_text_add(found, "there are %d", t->ctas);
    return t->ctas == 1 || t->ctas == 2;
}

static bool keeps_m(const tg_tcgen05 *t, tg_text *found)
{
    tg_text_add(found, "M is %" PRId64 " of %d", t->m, t->ctas);
    return t->m == 64 * t->ctas || t->m == 128 * t->ctas;
}

static bool keeps_n(const tg_tcgen05 *t, tg_text *found)
{
    tg_text_add(found, "N is %" PRId64 " of %d", t->n, t->ctas);
    return t->n > 0 && t->n <= MOST_N && t->ctas > 0 && t->n % (8 * t->ctas) == 0;
}

static bool keeps_n_integer(const tg_tcgen05 *t, tg_text *found)
{
    tg_text_add(found, "N is %" PRId64 " of %d", t->n, t->ctas);
    const bool is_small = t->ctas == 1 && (t->n == 8 || t->n == 24);
    return !t->is_integer || is_small || (t->ctas > 0 && t->n % (16 * t->ctas) == 0);
}

static bool keeps_k(const tg_tcgen05 *t, tg_text *found)
{
    tg_text_add(found, "K is %" PRId64 " elements of %d bits", t->k, t->bits);
    return t->k > 0 && t->bits > 0 && (__int128)t->k * t->bits % K_BITS == 0;
}

/* ---- allocation ---- */

static bool keeps_alloc(const tg_tcgen05 *t, tg_text *found)
{
    tg_text_add(found, "they are %" PRId64, t->columns);
    return is_power_of_2(t->columns) && t->columns >= LEAST_COLUMNS && t->columns <= COLUMNS;
}

/* ---- moves to and from registers ---- */

static bool is_shape(const tg_tcgen05 *t)
{
    if (t->rows == 32) return t->shape_bits == 32;
    return t->rows == 16 && (t->shape_bits == 64 || t->shape_bits == 128 || t->shape_bits == 256);
}

static bool keeps_shape(const tg_tcgen05 *t, tg_text *found)
{
    tg_text_add(found, "it is %dx%db", t->rows, t->shape_bits);
    return is_shape(t);
}

static bool keeps_repeat(const tg_tcgen05 *t, tg_text *found)
{
    tg_text_add(found, "%dx%db is repeated %" PRId64 " times", t->rows, t->shape_bits, t->repeat);
    const int64_t most = t->shape_bits > 64 ? MOST_REPEAT_BITS / t->shape_bits : 128;
    return !is_shape(t) || (is_power_of_2(t->repeat) && t->repeat <= most);
}

static bool keeps_quarter(const tg_tcgen05 *t, tg_text *found)
{
    const int64_t first = t->warp % QUARTERS * QUARTER;
    tg_text_add(found, "warp %" PRId64 " moves lanes %" PRId64 " to %" PRId64, t->warp, t->lane,
                t->lane + t->rows - 1);
    return t->warp >= 0 && t->lane >= first && t->lane <= first + QUARTER - t->rows;
}

static bool keeps_lane(const tg_tcgen05 *t, tg_text *found)
{
    tg_text_add(found, "%d lanes begin at %" PRId64, t->rows, t->lane);
    return !is_shape(t) || t->lane % t->rows == 0;
}

static bool keeps_columns(const tg_tcgen05 *t, tg_text *found)
{
    const __int128 count = (__int128)t->shape_bits / COLUMN_BITS * t->repeat;
    tg_text_add(found, "%" PRId64 " times %d columns begin at %" PRId64, t->repeat,
                t->shape_bits / COLUMN_BITS, t->column);
    return t->column >= 0 && t->column + count <= COLUMNS;
}

typedef struct row {
    tg_tcgen05_of of;
    bool (*keeps)(const tg_tcgen05 *, tg_text *);
} row;

static const row rows[] = {
#define TG_TCGEN05_RULE(id, of, demands, source)                                                   \
    [TG_TCGEN05_##id] = {TG_TCGEN05_OF_##of, keeps_##id},
#include "layout/legal/tcgen05.def"
};

tg_status tg_tcgen05_check(const tg_tcgen05 *instruction, bool all, tg_diags *diags)
{
    tg_status status = TG_OK;
    for (int i = 0; i < TG_TCGEN05_RULE_COUNT; i++) {
        tg_text found = {0};
        if (rows[i].of != instruction->of || rows[i].keeps(instruction, &found)) {
            tg_text_drop(&found);
            continue;
        }
        status = tg_demand_broken(&tg_tcgen05_rules[i], &found, diags);
        if (!all) break;
    }
    return status;
}
