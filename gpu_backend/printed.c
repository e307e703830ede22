#include "gpu_backend/printed.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_env.h"
#include "gpu_backend/text/record.h"
#include "ir/type.h"
#include "ir/view.h"
#include "report/print.h"

typedef struct record {
    const struct tg_inst_print *print;
    int64_t turn;                /* of the record's program */
    const unsigned char *values; /* operands of the record */
} record;

/* ---- reading ---- */

/* Reads the record that begins `start` bytes into the data, and sets *length to its length.
 * Returns false if there is none. */
static bool read_record(const tg_ptx_records *from, size_t start, record *out, size_t *length)
{
    const tg_plan *plan = from->plan;
    const unsigned char *at = from->data + start;
    const size_t left = from->bytes - start;
    uint64_t head[2];
    if (left < sizeof head) return false;
    memcpy(head, at, sizeof head);
    if (head[0] >= plan->body.count || plan->body.list[head[0]].kind != TG_I_PRINT) return false;
    if (head[1] >= (uint64_t)tg_grid_programs(from->grid)) return false;
    const struct tg_inst_print *print = plan->body.list[head[0]].as.print;
    *length = tg_ptx_record_bytes(print);
    *out = (record){print, tg_grid_turn(from->grid, (int64_t)head[1]), at + TG_PTX_RECORD_HEAD};
    return *length <= left;
}

/* Counts records, and stores them in `list` unless that is NULL. */
static bool read_records(const tg_ptx_records *from, record *list, size_t *count)
{
    size_t length;
    record one;
    *count = 0;
    for (size_t at = 0; at < from->bytes; at += length) {
        if (!read_record(from, at, &one, &length)) return false;
        if (list) list[*count] = one;
        ++*count;
    }
    return true;
}

static int by_turn(const void *a, const void *b)
{
    const record *x = a, *y = b;
    if (x->turn != y->turn) return x->turn < y->turn ? -1 : 1;
    return x->values < y->values ? -1 : x->values > y->values;
}

/* ---- text ---- */

static tg_view view_of(const void *context, const struct tg_inst_print *print, uint32_t i)
{
    const record *r = context;
    const tg_operand *o = &print->in[i];
    tg_view view = {.data = r->values, .rank = o->rank};
    for (uint32_t k = 0; k < i; k++)
        view.data = (const unsigned char *)view.data + tg_ptx_printed_bytes(&print->in[k]);
    memcpy(view.shape, o->shape, sizeof view.shape);
    tg_dense_strides(o->rank, o->shape, view.stride);
    return view;
}

static bool print_record(const record *r, void (*print)(void *, const char *), void *context)
{
    char *text = tg_print_values(r->print, view_of, r, "\n");
    if (!text) return false;
    print(context, text);
    free(text);
    return true;
}

tg_status tg_ptx_print_records(const tg_ptx_records *records, void (*print)(void *, const char *),
                               void *context, tg_diags *diags)
{
    size_t count;
    if (!read_records(records, NULL, &count))
        return tg_fail(diags, TG_ERR_INTERNAL, NULL,
                       "kernel %s: what it printed is no list of records",
                       records->plan->kernel->name);
    record *list = malloc(count ? count * sizeof *list : 1);
    bool has_memory = list != NULL;
    if (list) {
        read_records(records, list, &count);
        qsort(list, count, sizeof *list, by_turn);
    }
    const tg_environment saved = tg_environment_enter();
    for (size_t i = 0; i < count && has_memory; i++)
        has_memory = print_record(&list[i], print, context);
    tg_environment_leave(saved);
    free(list);
    return has_memory ? TG_OK : tg_no_memory(diags);
}
