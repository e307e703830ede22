/* The numbers that a dtype has. */
#ifndef TG_BOUNDS_FORMATS_H
#define TG_BOUNDS_FORMATS_H

#include "ir/ir.h"

/* Half a unit of a dtype, relative to the number, and half its least number. */
double tg_bound_half_unit(tg_dtype dtype);
double tg_bound_half_least(tg_dtype dtype);

/* The least normal number of a dtype. */
double tg_bound_least_normal(tg_dtype dtype);

/* The greatest finite number of a dtype that has infinities; less than that of one without. */
double tg_bound_greatest(tg_dtype dtype);

#endif
