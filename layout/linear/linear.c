#include "layout/linear/linear.h"

#include <string.h>

void tg_linear_begin(tg_linear *linear) { memset(linear, 0, sizeof *linear); }

/* ---- dimensions ---- */

tg_status tg_linear_add_dim(tg_linear_dims *dims, const char *name, int bits, tg_diags *diags)
{
    const size_t length = strlen(name);
    if (length == 0 || length >= TG_LINEAR_NAME_SIZE)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "the name of a dimension has %zu bytes; it has 1 to %d", length,
                       TG_LINEAR_NAME_SIZE - 1);
    if (tg_linear_find_dim(dims, name) >= 0)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "there are two dimensions \"%s\"", name);
    if (dims->count == TG_LINEAR_MAX_DIMS)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "there are more than %d dimensions",
                       TG_LINEAR_MAX_DIMS);
    if (bits < 0 || bits > TG_LINEAR_MAX_BITS - tg_linear_bit_count(dims))
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "with dimension \"%s\" of 2^%d, the dimensions have more than %d bits", name,
                       bits, TG_LINEAR_MAX_BITS);
    tg_linear_dim *dim = &dims->list[dims->count++];
    memset(dim->name, 0, sizeof dim->name);
    memcpy(dim->name, name, length);
    dim->bits = bits;
    return TG_OK;
}

int tg_linear_find_dim(const tg_linear_dims *dims, const char *name)
{
    for (int i = 0; i < dims->count; i++)
        if (strcmp(dims->list[i].name, name) == 0) return i;
    return -1;
}

tg_status tg_linear_need_dim(const tg_linear_dims *dims, const char *name, int *dim,
                             tg_diags *diags)
{
    *dim = tg_linear_find_dim(dims, name);
    if (*dim >= 0) return TG_OK;
    char known[TG_LINEAR_MAX_DIMS * (TG_LINEAR_NAME_SIZE + 1) + 1] = "";
    for (int i = 0; i < dims->count; i++) {
        strcat(known, " ");
        strcat(known, dims->list[i].name);
    }
    return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no dimension \"%s\"; there are:%s", name,
                   dims->count ? known : " none");
}

int tg_linear_bit_count(const tg_linear_dims *dims)
{
    return tg_linear_first_bit(dims, dims->count);
}

int tg_linear_first_bit(const tg_linear_dims *dims, int dim)
{
    int first = 0;
    for (int i = 0; i < dim; i++) first += dims->list[i].bits;
    return first;
}

bool tg_linear_dims_same(const tg_linear_dims *a, const tg_linear_dims *b)
{
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->list[i].name, b->list[i].name) != 0 || a->list[i].bits != b->list[i].bits)
            return false;
    return true;
}

bool tg_linear_dims_same_names(const tg_linear_dims *a, const tg_linear_dims *b)
{
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (tg_linear_find_dim(b, a->list[i].name) < 0) return false;
    return true;
}

tg_status tg_linear_size_bits(int64_t size, int *bits, tg_diags *diags)
{
    if (size < 1 || (size & (size - 1)))
        return tg_fail(diags, TG_ERR_INVALID, NULL, "size %lld is no power of two",
                       (long long)size);
    *bits = __builtin_ctzll((unsigned long long)size);
    return TG_OK;
}

/* ---- bases ---- */

static uint64_t ones(int bits) { return (UINT64_C(1) << bits) - 1; }

int64_t tg_linear_part(const tg_linear_dims *out, uint64_t column, int dim)
{
    return (int64_t)(column >> tg_linear_first_bit(out, dim) & ones(out->list[dim].bits));
}

uint64_t tg_linear_column(const tg_linear_dims *out, int dim, int64_t value)
{
    return (uint64_t)value << tg_linear_first_bit(out, dim);
}

int64_t tg_linear_basis(const tg_linear *linear, int in, int bit, int out)
{
    return tg_linear_part(&linear->out, linear->columns[tg_linear_first_bit(&linear->in, in) + bit],
                          out);
}

void tg_linear_set_basis(tg_linear *linear, int in, int bit, int out, int64_t value)
{
    uint64_t *column = &linear->columns[tg_linear_first_bit(&linear->in, in) + bit];
    *column &= ~tg_linear_column(&linear->out, out, (int64_t)ones(linear->out.list[out].bits));
    *column |= tg_linear_column(&linear->out, out, value);
}

bool tg_linear_same(const tg_linear *a, const tg_linear *b)
{
    return tg_linear_dims_same(&a->in, &b->in) && tg_linear_dims_same(&a->out, &b->out) &&
           memcmp(a->columns, b->columns,
                  (size_t)tg_linear_bit_count(&a->in) * sizeof *a->columns) == 0;
}

bool tg_linear_same_bases(const tg_linear *a, const tg_linear *b)
{
    if (!tg_linear_dims_same(&a->in, &b->in) || a->out.count != b->out.count) return false;
    for (int out = 0; out < a->out.count; out++) {
        if (strcmp(a->out.list[out].name, b->out.list[out].name) != 0) return false;
        for (int i = 0; i < tg_linear_bit_count(&a->in); i++)
            if (tg_linear_part(&a->out, a->columns[i], out) !=
                tg_linear_part(&b->out, b->columns[i], out))
                return false;
    }
    return true;
}
