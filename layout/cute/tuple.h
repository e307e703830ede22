/* Nested tuples of integers, as CuTe's shapes, strides and coordinates are: 8, (4,3), ((2,2),(2,3)).
 * An integer and a tuple of one integer differ: 8 is not (8). */
#ifndef TG_LAYOUT_CUTE_TUPLE_H
#define TG_LAYOUT_CUTE_TUPLE_H

#include <stdbool.h>

#include "base/diag.h"

enum { TG_TUPLE_MOST_INTEGERS = 64, TG_TUPLE_MOST_NODES = 192, TG_TUPLE_MOST_DEPTH = 16 };

/* An integer, or a tuple, whose elements are the nodes that follow it. */
typedef struct tg_tuple_node {
    int64_t value; /* of an integer */
    int span;      /* nodes of it and of all within it: 1 exactly for an integer */
} tg_tuple_node;

/* Node 0 is the whole.  Made by tg_tuple_begin, then the next three functions; it is one once
 * tg_tuple_check accepts it. */
typedef struct tg_tuple {
    int count;
    bool
        full; /* something had no room: remembered, so that callers need no check after every part */
    tg_tuple_node node[TG_TUPLE_MOST_NODES];
} tg_tuple;

void tg_tuple_begin(tg_tuple *tuple);
void tg_tuple_put(tg_tuple *tuple, int64_t value);

/* A tuple of all that is put until it is closed with what `open` returned. */
int tg_tuple_open(tg_tuple *tuple);
void tg_tuple_close(tg_tuple *tuple, int at);

/* Appends node `at` of another tuple, with all within it. */
void tg_tuple_put_node(tg_tuple *tuple, const tg_tuple *from, int at);

/* Copies what is in use. */
void tg_tuple_copy(const tg_tuple *from, tg_tuple *to);

/* TG_ERR_UNSUPPORTED if it has had no room or is too deep, TG_ERR_INVALID if it is or contains an empty
 * tuple. */
tg_status tg_tuple_check(const tg_tuple *tuple, tg_diags *diags);

bool tg_tuple_is_integer(const tg_tuple *tuple, int at);

/* Elements of a node: 1 for an integer, which is its own element 0. */
int tg_tuple_rank(const tg_tuple *tuple, int at);

/* The node of element `i`, 0 <= i < rank. */
int tg_tuple_element(const tg_tuple *tuple, int at, int i);

int tg_tuple_integers(const tg_tuple *tuple, int at);

/* Whether nodes have the same nesting, whatever the integers. */
bool tg_tuple_congruent(const tg_tuple *a, int at, const tg_tuple *b, int bt);

/* As tg_tuple_congruent, but an integer of `a` may stand for any tuple of `b`. */
bool tg_tuple_weakly_congruent(const tg_tuple *a, int at, const tg_tuple *b, int bt);

/* Whether all coordinates in shape `a` are coordinates in shape `b`, of the same size: an integer of `a`
 * stands for an integer, or a tuple, of that product. */
bool tg_tuple_compatible(const tg_tuple *a, int at, const tg_tuple *b, int bt);

bool tg_tuple_same(const tg_tuple *a, const tg_tuple *b);

/* The product of the integers of a node, which fits in 63 bits as that of a layout's shape does. */
int64_t tg_tuple_product(const tg_tuple *tuple, int at);

#endif
