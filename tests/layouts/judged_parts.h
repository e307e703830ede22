/* What operations on texts share: reading layouts, shapes and coordinates, printing canonical forms. */
#ifndef TG_TESTS_LAYOUTS_JUDGED_PARTS_H
#define TG_TESTS_LAYOUTS_JUDGED_PARTS_H

#include "layout/map.h"
#include "layout/shape.h"
#include "layouts/judge.h"

/* tg_shape_read of a text that ends with NUL. */
tg_status judge_read_shape(const char *text, tg_shape *out, tg_diags *diags);

tg_status judge_read_integer(const char *text, int64_t *out, tg_diags *diags);

/* The axis of a name. */
tg_status judge_read_axis(const char *text, tg_axis *out, tg_diags *diags);

/* Dimensions "1" or "0,2" as a set. */
tg_status judge_read_dims(const char *text, uint32_t *out, tg_diags *diags);

/* A place as "8@lane 6@warp", as judge_print_place has it; an axis that is not named has 0. */
tg_status judge_read_place(const char *text, tg_coordinate *out, tg_diags *diags);
void judge_print_place(const tg_coordinate *at, tg_text *out);

/* Prints the canonical form, unless the status is that of a failure, which is returned. */
tg_status judge_print_canonical(tg_axe *axe, tg_status status, tg_text *out);

#endif
