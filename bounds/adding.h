/* How a contract adds the terms of sums and of products of matrices. */
#ifndef TG_BOUNDS_ADDING_H
#define TG_BOUNDS_ADDING_H

#include "bounds/impl.h"

typedef struct tg_bound_adding {
    double roundings, unit; /* of a chain, and the size of each, relative to the partial sum */
    double random;          /* bounds/probable.h */
    double least;           /* what underflow may take from each term */
    double greatest;        /* partial sums beyond it may be infinite */
    /* Terms that are multiples of 2^-quantum and whose sizes add up to no more than 2^most have
     * exact sums, in any order; most < 0: nothing is said of them. */
    int quantum, most;
    bool is_wider; /* the sum is rounded to the result's dtype afterwards */
} tg_bound_adding;

/* Of the current op, a sum or a product of matrices, of so many terms; a tree has `levels`. */
tg_bound_adding tg_bound_adding_of(const tg_bound *b, bool of_dot, double terms, int levels);

#endif
