/* Index maps that return the offsets of elements where indices of blocks are expected. */
#include "checks/checks.h"
#include "interp/state/machine.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PROGRAMS = 1 << 20 };

typedef struct map {
    const tg_param *param;
    const tg_mapping *mapping;
    const tg_grid *grid;
    int64_t programs, blocks;    /* of the grid; of the array */
    int64_t along[TG_MAX_RANK];  /* number of blocks per dimension */
    bool is_offset[TG_MAX_RANK]; /* the results must be divided by the size of the block */
} map;

static bool is_looked_at(const map *m)
{
    if (!m->param->has_block || !m->mapping->is_affine) return false;
    for (int d = 0; d < m->param->array.rank; d++)
        if (m->param->block[d].kind == TG_BLOCK_ELEMENT || m->param->block[d].size <= 0)
            return false;
    return m->programs > 0 && m->programs <= MOST_PROGRAMS && m->blocks <= m->programs;
}

static void measure(map *m)
{
    m->programs = tg_grid_programs(m->grid);
    m->blocks = 1;
    for (int d = 0; d < m->param->array.rank && m->blocks <= MOST_PROGRAMS; d++) {
        const int64_t size = m->param->block[d].size, extent = m->param->array.shape[d];
        m->along[d] = size > 0 ? extent / size + (extent % size != 0) : 0;
        m->blocks = m->along[d] > MOST_PROGRAMS ? MOST_PROGRAMS + 1 : m->blocks * m->along[d];
    }
}

/* The factors and offsets come from the user, so sums may overflow; such an index is invalid. */
static bool give(const map *m, int64_t program_index, int64_t *index)
{
    int64_t program[TG_MAX_AXES], part;
    tg_grid_coordinates(m->grid, program_index, program);
    for (int d = 0; d < m->param->array.rank; d++) {
        index[d] = m->mapping->base[d];
        for (int a = 0; a < m->grid->rank; a++)
            if (__builtin_mul_overflow(m->mapping->factor[d][a], program[a], &part) ||
                __builtin_add_overflow(index[d], part, &index[d]))
                return false;
    }
    return true;
}

/* Finds the dimensions in which all results of the map are multiples of the size of the block, and
 * not all 0.  Returns false if there is none. */
static bool find_offsets(map *m)
{
    bool is_any = false, is_more[TG_MAX_RANK] = {false};
    int64_t index[TG_MAX_RANK];
    const int rank = m->param->array.rank;
    for (int d = 0; d < rank; d++) m->is_offset[d] = m->param->block[d].size > 1;
    for (int64_t program_index = 0; program_index < m->programs; program_index++) {
        if (!give(m, program_index, index)) return false;
        for (int d = 0; d < rank; d++) {
            is_more[d] = is_more[d] || index[d] != 0;
            if (index[d] % m->param->block[d].size != 0) m->is_offset[d] = false;
        }
    }
    for (int d = 0; d < rank; d++) {
        m->is_offset[d] = m->is_offset[d] && is_more[d];
        is_any = is_any || m->is_offset[d];
    }
    return is_any;
}

/* Returns the row-major number of the block; -1 if there is no such block. */
static int64_t block_of(const map *m, const int64_t *index)
{
    int64_t block = 0;
    for (int d = 0; d < m->param->array.rank; d++) {
        const int64_t at = m->is_offset[d] ? index[d] / m->param->block[d].size : index[d];
        if (at < 0 || at >= m->along[d]) return -1;
        block = block * m->along[d] + at;
    }
    return block;
}

/* Returns whether the divided indices cover all blocks; `seen` has room for one flag per block. */
static bool is_all_blocks(const map *m, bool *seen)
{
    int64_t index[TG_MAX_RANK], count = 0;
    for (int64_t program_index = 0; program_index < m->programs; program_index++) {
        const int64_t block = give(m, program_index, index) ? block_of(m, index) : -1;
        if (block < 0) return false;
        count += !seen[block];
        seen[block] = true;
    }
    return count == m->blocks;
}

/* Returns false also if memory runs out. */
static bool gives_offsets(const tg_plan *plan, const tg_grid *grid, const tg_param *param,
                          bool *out)
{
    map m = {
        .param = param, .mapping = &plan->mappings[param - plan->kernel->params], .grid = grid};
    measure(&m);
    *out = false;
    if (!is_looked_at(&m) || !find_offsets(&m)) return true;
    bool *seen = calloc((size_t)m.blocks + 1, sizeof *seen);
    if (!seen) return false;
    *out = is_all_blocks(&m, seen);
    free(seen);
    return true;
}

static void tell(tg_found *found)
{
    static const char text[] = ".  The index map gives offsets of elements where indices of blocks "
                               "are wanted: divided by the block shape, they are all blocks of "
                               "the array";
    const size_t used = strlen(found->message);
    if (used + sizeof text <= sizeof found->message)
        memcpy(found->message + used, text, sizeof text);
}

/* Some findings are about blocks outside an array, or about elements that no program wrote.  Adds
 * to them a note if the index map of the parameter returns offsets of elements: that is, if its
 * results over the whole grid, taken as offsets of elements, are exactly the blocks of the array,
 * each at least once and nothing else.  Examines maps that are linear in the program's coordinates,
 * over grids of up to 2^20 programs. */
static bool report(void *state, tg_run_end *run)
{
    (void)state;
    for (size_t i = 0; run->is_whole && i < run->findings->count; i++) {
        tg_found *found = &run->findings->list[i];
        bool is_so;
        if (found->kind != TG_FINDING_BLOCK_OUTSIDE_ARRAY &&
            found->kind != TG_FINDING_OUTPUT_UNWRITTEN)
            continue;
        if (!gives_offsets(run->launch->plan, run->grid, found->param, &is_so)) return false;
        if (is_so) tell(found);
    }
    return true;
}

/* Comes after all other detectors, because it reads their findings. */
const tg_detector tg_detector_element_offsets = {.report = report};
