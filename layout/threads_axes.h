/* Threads of a block on other axes: tx = 32 warp + lane = 128 wgid + tid_in_wg, warp = 4 wgid + wid_in_wg,
 * tid_in_wg = 32 wid_in_wg + lane. */
#ifndef TG_LAYOUT_THREADS_AXES_H
#define TG_LAYOUT_THREADS_AXES_H

#include "layout/axe.h"
#include "layout/scope.h"

/* The same layout with its threads on the axes of `to`, of tx, wgid, warp, wid_in_wg, tid_in_wg, lane: every
 * copy of every element is in the same thread.  Other axes stay.  An axis that the layout does not use
 * has 0, as always.
 *
 * TG_ERR_INVALID if `to` has other axes, counts the same twice, or is not connected; if a lane, a warp or a
 * thread of the layout is none (lane 32).  TG_ERR_UNSUPPORTED if `to` does not reach far enough, as lane for
 * two warps, or warp for two lanes; if an iter has no form there: its steps must stay within a warp, or be
 * whole warps, or both in parts, as 64:1@tx is (2,32):(1@warp,1@lane), and likewise with warpgroups; or if
 * the steps of several iters, and the offset, carry from one warp to the next. */
tg_status tg_axe_move_threads(const tg_axe *axe, tg_axis_set to, tg_axe *out, tg_diags *diags);

#endif
