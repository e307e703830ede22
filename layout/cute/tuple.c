#include "layout/cute/tuple.h"

#include <string.h>

void tg_tuple_begin(tg_tuple *tuple)
{
    tuple->count = 0;
    tuple->full = false;
}

static int put(tg_tuple *tuple, int64_t value)
{
    if (tuple->count == TG_TUPLE_MOST_NODES) {
        tuple->full = true;
        return 0;
    }
    tuple->node[tuple->count] = (tg_tuple_node){value, 1};
    return tuple->count++;
}

void tg_tuple_put(tg_tuple *tuple, int64_t value) { put(tuple, value); }

int tg_tuple_open(tg_tuple *tuple) { return put(tuple, 0); }

void tg_tuple_close(tg_tuple *tuple, int at)
{
    if (tuple->full) return;
    tuple->node[at].span = tuple->count - at;
    if (tuple->node[at].span == 1) tuple->node[at].span = 0; /* empty, which the check refuses */
}

void tg_tuple_put_node(tg_tuple *tuple, const tg_tuple *from, int at)
{
    const int span = from->node[at].span;
    if (span > TG_TUPLE_MOST_NODES - tuple->count) {
        tuple->full = true;
        return;
    }
    memmove(&tuple->node[tuple->count], &from->node[at], (size_t)span * sizeof *from->node);
    tuple->count += span;
}

void tg_tuple_copy(const tg_tuple *from, tg_tuple *to)
{
    to->count = from->count;
    to->full = from->full;
    memmove(to->node, from->node, (size_t)from->count * sizeof *from->node);
}

static int depth_of(const tg_tuple *tuple, int at)
{
    int most = 0;
    if (tg_tuple_is_integer(tuple, at)) return 0;
    for (int i = at + 1; i < at + tuple->node[at].span; i += tuple->node[i].span) {
        const int depth = depth_of(tuple, i);
        if (depth > most) most = depth;
    }
    return most + 1;
}

tg_status tg_tuple_check(const tg_tuple *tuple, tg_diags *diags)
{
    for (int i = 0; i < tuple->count; i++)
        if (tuple->node[i].span == 0)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "a tuple is empty");
    if (tuple->count == 0) return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no tuple");
    if (tuple->full || tg_tuple_integers(tuple, 0) > TG_TUPLE_MOST_INTEGERS)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "a tuple has more than %d integers",
                       TG_TUPLE_MOST_INTEGERS);
    if (depth_of(tuple, 0) > TG_TUPLE_MOST_DEPTH)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "tuples are nested more than %d deep",
                       TG_TUPLE_MOST_DEPTH);
    return TG_OK;
}

bool tg_tuple_is_integer(const tg_tuple *tuple, int at) { return tuple->node[at].span == 1; }

int tg_tuple_rank(const tg_tuple *tuple, int at)
{
    int rank = 0;
    if (tg_tuple_is_integer(tuple, at)) return 1;
    for (int i = at + 1; i < at + tuple->node[at].span; i += tuple->node[i].span) rank++;
    return rank;
}

int tg_tuple_element(const tg_tuple *tuple, int at, int i)
{
    if (tg_tuple_is_integer(tuple, at)) return at;
    for (at++; i; i--) at += tuple->node[at].span;
    return at;
}

int tg_tuple_integers(const tg_tuple *tuple, int at)
{
    int count = 0;
    for (int i = at; i < at + tuple->node[at].span; i++) count += tg_tuple_is_integer(tuple, i);
    return count;
}

bool tg_tuple_congruent(const tg_tuple *a, int at, const tg_tuple *b, int bt)
{
    const int span = a->node[at].span;
    for (int i = 0; i < span; i++)
        if (a->node[at + i].span != b->node[bt + i].span) return false;
    return true;
}

typedef bool agrees(const tg_tuple *a, int at, const tg_tuple *b, int bt);

/* Whether each integer of `a` agrees with what stands in its place in `b`. */
static bool all_agree(const tg_tuple *a, int at, const tg_tuple *b, int bt, agrees *agree)
{
    if (tg_tuple_is_integer(a, at)) return agree(a, at, b, bt);
    const int rank = tg_tuple_rank(a, at);
    if (tg_tuple_is_integer(b, bt) || tg_tuple_rank(b, bt) != rank) return false;
    for (int i = 0; i < rank; i++)
        if (!all_agree(a, tg_tuple_element(a, at, i), b, tg_tuple_element(b, bt, i), agree))
            return false;
    return true;
}

static bool any(const tg_tuple *a, int at, const tg_tuple *b, int bt)
{
    (void)a, (void)at, (void)b, (void)bt;
    return true;
}

static bool of_product(const tg_tuple *a, int at, const tg_tuple *b, int bt)
{
    return a->node[at].value == tg_tuple_product(b, bt);
}

bool tg_tuple_weakly_congruent(const tg_tuple *a, int at, const tg_tuple *b, int bt)
{
    return all_agree(a, at, b, bt, any);
}

bool tg_tuple_compatible(const tg_tuple *a, int at, const tg_tuple *b, int bt)
{
    return all_agree(a, at, b, bt, of_product);
}

bool tg_tuple_same(const tg_tuple *a, const tg_tuple *b)
{
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        if (a->node[i].span != b->node[i].span) return false;
        if (tg_tuple_is_integer(a, i) && a->node[i].value != b->node[i].value) return false;
    }
    return true;
}

int64_t tg_tuple_product(const tg_tuple *tuple, int at)
{
    int64_t product = 1;
    for (int i = at; i < at + tuple->node[at].span; i++)
        if (tg_tuple_is_integer(tuple, i)) product *= tuple->node[i].value;
    return product;
}
