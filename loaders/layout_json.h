/* Reads layouts from JSON: {"D":[[8,4,"lane"],[2,1]],"R":[[2,4,"warp"]],"O":{"warp":5},
 * "swizzle":{"axis":"m","unit":"element","bits":3,"base":4,"shift":3}}. */
#ifndef TG_LOADERS_LAYOUT_JSON_H
#define TG_LOADERS_LAYOUT_JSON_H

#include "layout/axe.h"

/* Reads a layout, checked as tg_axe_check does.  "D" is a must.  An axis that is not written is m; the
 * unit of a swizzle, if written, is that of its axis.  Integers from 2^53 on are strings.
 *
 * TG_ERR_SYNTAX for what is not JSON; TG_ERR_INVALID for a layout that is none, or for members that
 * are unknown, missing or out of range, each reported with its path and byte offset. */
tg_status tg_axe_read_json(const char *text, size_t length, tg_axe *out, tg_diags *diags);

#endif
