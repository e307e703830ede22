#include "layout/thread.h"

int64_t tg_thread_in_block(const tg_coordinate *at)
{
    const int64_t warps = at->at[TG_AXIS_warp] + at->at[TG_AXIS_wid_in_wg];
    return at->at[TG_AXIS_tx] + TG_WARPGROUP_THREADS * at->at[TG_AXIS_wgid] +
           TG_WARP_THREADS * warps + at->at[TG_AXIS_tid_in_wg] + at->at[TG_AXIS_lane];
}

int tg_lane_of(int64_t thread)
{
    const int64_t rest = thread % TG_WARP_THREADS;
    return (int)(rest < 0 ? rest + TG_WARP_THREADS : rest);
}

int64_t tg_warp_of(int64_t thread) { return (thread - tg_lane_of(thread)) / TG_WARP_THREADS; }

static bool is_outside_of_blocks(const tg_axis_info *axis)
{
    return axis->kind == TG_AXIS_DEVICE ||
           (axis->kind == TG_AXIS_THREAD && axis->from == TG_SCOPE_BLOCK);
}

int tg_block_compare(const tg_coordinate *a, const tg_coordinate *b)
{
    for (int i = 0; i < TG_AXIS_COUNT; i++)
        if (is_outside_of_blocks(&tg_axes[i]) && a->at[i] != b->at[i])
            return a->at[i] < b->at[i] ? -1 : 1;
    return 0;
}

bool tg_same_block(const tg_coordinate *a, const tg_coordinate *b)
{
    return tg_block_compare(a, b) == 0;
}

bool tg_same_memory(const tg_coordinate *a, const tg_coordinate *b)
{
    for (int i = 0; i < TG_AXIS_COUNT; i++)
        if (tg_axes[i].kind == TG_AXIS_MEMORY && a->at[i] != b->at[i]) return false;
    return true;
}
