/* What is known of values when a companion kernel is made.  A fact that is not known costs ops, but
 * no bound. */
#ifndef TG_BOUNDS_FACTS_H
#define TG_BOUNDS_FACTS_H

#include "bounds/impl.h"

typedef enum tg_fact {
    TG_FACT_POSITIVE = 1,     /* a bound that is not 0 */
    TG_FACT_NOT_NEGATIVE = 2, /* results that keep the contract are at least 0, or NaN */
    TG_FACT_FINITE = 4,       /* neither infinite nor NaN */
    TG_FACT_HUGE = 8 /* some element may be near the greatest number, as those behind masks */
} tg_fact;

/* Element i of a constant of floats. */
double tg_bound_element(const tg_bound *b, const tg_op *op, int64_t i);

bool tg_bound_knows(const tg_bound *b, tg_value_id v, tg_fact fact);
void tg_bound_note(tg_bound *b, tg_value_id v, tg_fact fact);

/* Returns whether a region has a constant near the greatest number of its dtype. */
bool tg_bound_has_huge(const tg_bound *b, const tg_region *region);

/* Returns whether the result of the current op may have such elements. */
bool tg_bound_may_be_huge(const tg_bound *b);

/* Notes what is known of the results of the current op. */
void tg_bound_note_results(tg_bound *b);

#endif
