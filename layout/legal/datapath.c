#include "layout/legal/datapath.h"

#include <inttypes.h>

enum { GROUP_LANES = 32, HALF_LANES = 16, MOST_COLUMNS = 512 };

typedef struct datapath {
    char letter;
    int groups, in_group, parts, part_lanes, halves;
} datapath;

static const datapath datapaths[] = {
#define TG_DATAPATH(letter, groups, in_group, parts, part_lanes, halves)                           \
    {#letter[0], groups, in_group, parts, part_lanes, halves},
#include "layout/legal/datapath.def"
};

static const datapath *find(char letter)
{
    for (size_t i = 0; i < sizeof datapaths / sizeof *datapaths; i++)
        if (datapaths[i].letter == letter) return &datapaths[i];
    return NULL;
}

tg_status tg_datapath_to_axe(char letter, int64_t columns, int half, tg_axe *out, tg_diags *diags)
{
    const datapath *path = find(letter);
    if (!path)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no datapath \"%c\"; there are A to G",
                       letter);
    if (half < 0 || half >= path->halves)
        return tg_fail(diags, TG_ERR_INVALID, NULL, "datapath %c has no half %d; it has %d", letter,
                       half, path->halves);
    if (columns < 1 || columns % path->parts != 0 || columns / path->parts > MOST_COLUMNS)
        return tg_fail(diags, TG_ERR_INVALID, NULL,
                       "%" PRId64 " columns in %d parts; a part has whole columns, up to %d",
                       columns, path->parts, MOST_COLUMNS);
    tg_axe_begin(out);
    tg_iters_put(&out->d, path->groups, GROUP_LANES, TG_AXIS_TLane);
    tg_iters_put(&out->d, path->in_group, 1, TG_AXIS_TLane);
    tg_iters_put(&out->d, path->parts, path->part_lanes, TG_AXIS_TLane);
    tg_iters_put(&out->d, columns / path->parts, 1, TG_AXIS_TCol);
    out->offset[TG_AXIS_TLane] = half * HALF_LANES;
    return TG_OK;
}
