/* Elements of outputs that no program writes.  They hold undefined values. */
#include "checks/written_bits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/state/fill.h"
#include "interp/state/index_walk.h"
#include "checks/checks.h"
#include "interp/state/machine.h"
#include "plan/program_text.h"

/* Counts the blocks of an output whose mapping divides it into blocks. */
typedef struct block_count {
    int64_t blocks;       /* 0: it is not divided */
    int64_t empty, parts; /* blocks that are not written at all; that are partly written */
    /* Index of the first block that is not wholly written. */
    int64_t first[TG_MAX_RANK];
} block_count;

static bool is_divided(const tg_param *param)
{
    for (int d = 0; d < param->array.rank; d++)
        if (param->block[d].kind == TG_BLOCK_ELEMENT || param->block[d].size <= 0) return false;
    return param->has_block && param->array.rank > 0;
}

static int64_t blocks_along(const tg_param *param, int d)
{
    return (param->array.shape[d] + param->block[d].size - 1) / param->block[d].size;
}

/* Returns how many elements of the block no program wrote, and sets *count to the number of its
 * elements. */
static int64_t missing_in_block(const tg_written *written, uint32_t p, const tg_param *param,
                                const int64_t *block, int64_t *count)
{
    const int rank = param->array.rank;
    int64_t begin[TG_MAX_RANK], shape[TG_MAX_RANK], missing = 0;
    tg_index_walk in;
    for (int d = 0; d < rank; d++) {
        const int64_t rest = param->array.shape[d] - block[d] * param->block[d].size;
        begin[d] = block[d] * param->block[d].size;
        shape[d] = rest < param->block[d].size ? rest : param->block[d].size;
    }
    *count = 0;
    for (bool more = tg_index_begin(&in, rank, shape); more; more = tg_index_next(&in)) {
        int64_t at = 0;
        for (int d = 0; d < rank; d++) at = at * param->array.shape[d] + begin[d] + in.at[d];
        missing += !tg_written_is(written, p, at);
        ++*count;
    }
    return missing;
}

static block_count count_blocks(const tg_written *written, uint32_t p, const tg_param *param)
{
    block_count c = {0};
    if (!is_divided(param)) return c;
    int64_t blocks[TG_MAX_RANK] = {0};
    tg_index_walk block;
    for (int d = 0; d < param->array.rank; d++) blocks[d] = blocks_along(param, d);
    for (bool more = tg_index_begin(&block, param->array.rank, blocks); more;
         more = tg_index_next(&block)) {
        int64_t count;
        const int64_t missing = missing_in_block(written, p, param, block.at, &count);
        c.blocks++;
        if (missing && c.empty + c.parts == 0)
            memcpy(c.first, block.at, (size_t)block.rank * sizeof *block.at);
        c.empty += missing == count;
        c.parts += missing > 0 && missing < count;
    }
    return c;
}

/* Prints "; of its 4 blocks 2 are unwritten and 1 in part, the first of them (1)"; "" if there is
 * only one block. */
static void print_blocks(const block_count *c, int rank, char *out, size_t size)
{
    char first[TG_PROGRAM_TEXT], empty[60] = "", parts[60] = "";
    *out = '\0';
    if (c->blocks < 2) return;
    if (c->empty)
        snprintf(empty, sizeof empty, "%" PRId64 " %s unwritten", c->empty,
                 c->empty == 1 ? "is" : "are");
    if (c->parts)
        snprintf(parts, sizeof parts, "%s%" PRId64 "%s", c->empty ? " and " : "", c->parts,
                 c->empty        ? " in part"
                 : c->parts == 1 ? " is unwritten in part"
                                 : " are unwritten in part");
    snprintf(out, size, "; of its %" PRId64 " blocks %s%s, the first of them %s", c->blocks, empty,
             parts, tg_coordinates_print(rank, c->first, first));
}

/* Reports `missing` elements; `first` and `last` are the first and last of them, row-major. */
static void tell(const tg_launch *launch, const tg_written *written, uint32_t p, int64_t missing,
                 int64_t first, int64_t last)
{
    const tg_kernel *k = launch->plan->kernel;
    const tg_param *param = &k->params[p];
    const block_count blocks = count_blocks(written, p, param);
    char type[TG_TYPE_TEXT], at[TG_INDEX_TEXT], in[400];
    tg_found found = {.kind = TG_FINDING_OUTPUT_UNWRITTEN,
                      .is_partial = missing < tg_type_count(&param->array),
                      .param = param,
                      .at = {.op = TG_OP_COUNT, .loc = k->loc},
                      .has_elements = true,
                      .first = first,
                      .last = last,
                      .program_index = INT64_MAX,
                      .count = 1};
    print_blocks(&blocks, param->array.rank, in, sizeof in);
    snprintf(found.message, sizeof found.message,
             "no program wrote %" PRId64 " of the %" PRId64
             " elements of output %s, %s; the first is %s%s%s",
             missing, tg_type_count(&param->array), param->name,
             tg_type_print(&param->array, type, sizeof type), param->name,
             tg_index_print(&param->array, first, at), in);
    tg_findings_add(launch->findings, &found);
}

/* Returns whether the kernel declares that parts of the output stay unwritten; this never covers
 * the whole output. */
static bool is_meant(const tg_launch *launch, uint32_t p, int64_t missing)
{
    const bool is_declared = launch->plan->kernel->params[p].is_partly_written ||
                             (launch->partly_written && launch->partly_written[p]);
    return is_declared && missing < launch->buffers[p].count;
}

/* Fills the elements of outputs that no program wrote with undefined values, and adds a finding for
 * each such output, which names the blocks of its mapping that contain them. */
static bool report(void *state, tg_run_end *run)
{
    const tg_launch *launch = run->launch;
    const tg_written *written = state;
    if (!run->is_whole) return true;
    for (uint32_t p = 0; p < launch->plan->kernel->param_count; p++) {
        const tg_dtype dtype = launch->plan->kernel->params[p].array.dtype;
        const tg_buffer *buffer = &launch->buffers[p];
        int64_t first = 0, last = 0;
        const int64_t missing = tg_written_missing(written, p, buffer->count, &first);
        if (!missing) continue;
        for (int64_t i = first; i < buffer->count; i++) {
            if (tg_written_is(written, p, i)) continue;
            tg_launch_fill_memory(launch, buffer->data + (size_t)i * tg_dtypes[dtype].bytes, dtype,
                                  1);
            last = i;
        }
        if (!is_meant(launch, p, missing)) tell(launch, written, p, missing, first, last);
    }
    return true;
}

/* ---- setup and cleanup ---- */

static void free_written(void *state)
{
    tg_written_free(state);
    free(state);
}

static bool make(const tg_launch *launch, void **state)
{
    tg_written *written = calloc(1, sizeof *written);
    if (!written) return false;
    if (!tg_written_init(written, launch->plan->kernel)) {
        free_written(written);
        return false;
    }
    *state = written;
    return true;
}

static bool begin(void *state, const tg_run_begin *run)
{
    tg_written_reset(state, run->launch->plan->kernel, run->is_shared);
    return true;
}

static void accessed(void *own, const tg_access_event *event) { tg_written_accessed(own, event); }

const tg_detector tg_detector_written = {.accesses = TG_ACCESS_WRITE | TG_ACCESS_ATOMIC,
                                         .make = make,
                                         .free = free_written,
                                         .begin = begin,
                                         .accessed = accessed,
                                         .report = report};
