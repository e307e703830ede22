#include "layouts/linear_model.h"

#include <string.h>

static void exchange(tg_linear_dim *a, tg_linear_dim *b)
{
    const tg_linear_dim t = *a;
    *a = *b;
    *b = t;
}

void shuffle_dims(chance *c, tg_linear_dims *dims)
{
    for (int i = dims->count - 1; i > 0; i--) exchange(&dims->list[i], &dims->list[pick(c, 0, i)]);
}

void random_dims(chance *c, const dims_wish *w, tg_linear_dims *out)
{
    const int names = (int)strlen(w->names);
    int left = w->most_bits;
    memset(out, 0, sizeof *out);
    for (int i = 0; i < names; i++) {
        out->list[i].name[0] = w->names[i];
        out->count++;
    }
    shuffle_dims(c, out);
    out->count = (int)pick(c, w->least, w->most);
    for (int i = 0; i < out->count; i++) {
        out->list[i].bits = (int)pick(c, 0, left < 3 ? left : 3);
        left -= out->list[i].bits;
    }
}

void random_bases(chance *c, tg_linear *linear)
{
    const int ins = dims_bits(&linear->in), outs = dims_bits(&linear->out);
    const uint64_t below = (UINT64_C(1) << outs) - 1;
    const bool is_wild = one_in(c, 3);
    uint64_t unused = below;
    for (int i = 0; i < ins; i++) {
        const int bit = outs ? (int)pick(c, 0, outs - 1) : 0;
        uint64_t column = outs ? UINT64_C(1) << bit : 0;
        /* An unused bit, most of the time. */
        for (int k = 0; k < outs && !one_in(c, 8) && unused; k++) {
            column = UINT64_C(1) << ((bit + k) % outs);
            if (unused & column) break;
        }
        unused &= ~column;
        if (is_wild && one_in(c, 2)) column ^= (uint64_t)pick(c, 0, (int64_t)below);
        linear->columns[i] = one_in(c, 6) ? 0 : column;
    }
}

void random_linear(chance *c, const dims_wish *ins, const dims_wish *outs, tg_linear *out)
{
    memset(out, 0, sizeof *out);
    random_dims(c, ins, &out->in);
    random_dims(c, outs, &out->out);
    random_bases(c, out);
}

int dims_bits(const tg_linear_dims *dims)
{
    int bits = 0;
    for (int i = 0; i < dims->count; i++) bits += dims->list[i].bits;
    return bits;
}

int dims_find(const tg_linear_dims *dims, const char *name)
{
    for (int i = 0; i < dims->count; i++)
        if (strcmp(dims->list[i].name, name) == 0) return i;
    return -1;
}

int64_t index_in(const tg_linear_dims *dims, uint64_t all, int dim)
{
    for (int i = 0; i < dim; i++) all /= UINT64_C(1) << dims->list[i].bits;
    return (int64_t)(all % (UINT64_C(1) << dims->list[dim].bits));
}

uint64_t index_by_name(const tg_linear_dims *from, uint64_t all, const tg_linear_dims *to)
{
    uint64_t index = 0;
    for (int i = to->count - 1; i >= 0; i--) {
        const int dim = dims_find(from, to->list[i].name);
        index *= UINT64_C(1) << to->list[i].bits;
        if (dim >= 0) index += (uint64_t)index_in(from, all, dim);
    }
    return index;
}

uint64_t model_image(const tg_linear *linear, uint64_t in)
{
    uint64_t out = 0;
    for (int i = 0; in; i++, in /= 2)
        if (in % 2) out ^= linear->columns[i];
    return out;
}

/* The index in `product` of one in `low` and one in `high`, which has its bits above. */
static uint64_t joined(const tg_linear_dims *low, uint64_t a, const tg_linear_dims *high,
                       uint64_t b, const tg_linear_dims *product)
{
    uint64_t index = 0;
    for (int i = product->count - 1; i >= 0; i--) {
        const int x = dims_find(low, product->list[i].name);
        const int y = dims_find(high, product->list[i].name);
        index *= UINT64_C(1) << product->list[i].bits;
        if (x >= 0) index += (uint64_t)index_in(low, a, x);
        if (y >= 0) index += (uint64_t)index_in(high, b, y) << (x >= 0 ? low->list[x].bits : 0);
    }
    return index;
}

static bool has_sums(const tg_linear_dims *a, const tg_linear_dims *b, const tg_linear_dims *sum)
{
    for (int i = 0; i < sum->count; i++) {
        const int x = dims_find(a, sum->list[i].name), y = dims_find(b, sum->list[i].name);
        if (x < 0 && y < 0) return false;
        if (sum->list[i].bits != (x < 0 ? 0 : a->list[x].bits) + (y < 0 ? 0 : b->list[y].bits))
            return false;
    }
    for (int i = 0; i < a->count; i++)
        if (dims_find(sum, a->list[i].name) < 0) return false;
    for (int i = 0; i < b->count; i++)
        if (dims_find(sum, b->list[i].name) < 0) return false;
    return true;
}

bool model_is_product(const tg_linear *inner, const tg_linear *outer, const tg_linear *product)
{
    if (!has_sums(&inner->in, &outer->in, &product->in) ||
        !has_sums(&inner->out, &outer->out, &product->out))
        return false;
    for (uint64_t a = 0; a >> dims_bits(&inner->in) == 0; a++)
        for (uint64_t b = 0; b >> dims_bits(&outer->in) == 0; b++) {
            const uint64_t in = joined(&inner->in, a, &outer->in, b, &product->in);
            const uint64_t out = joined(&inner->out, model_image(inner, a), &outer->out,
                                        model_image(outer, b), &product->out);
            if (model_image(product, in) != out) return false;
        }
    return true;
}
