#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "api/trace_pieces.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"

/* Events are written as what stands on one line. */
enum { DEPTH = 1 };

void tg_trace_pieces_begin(tg_trace_pieces *p)
{
    p->json.out = open_memstream(&p->text, &p->size);
    p->failed = !p->json.out;
}

void tg_trace_piece_begin(tg_trace_pieces *p, int64_t ts, tg_trace_rank rank, size_t slice)
{
    if (p->failed) return;
    tg_trace_piece *list = tg_list_grow(p->list, p->count, &p->room, sizeof *list);
    p->failed = !list;
    if (!list) return;
    p->list = list;
    list[p->count] = (tg_trace_piece){ts, rank, slice, p->count, ftell(p->json.out), 0};
    p->json = (tg_json_out){.out = p->json.out, .depth = DEPTH, .flat_from = DEPTH};
    tg_emit_open(&p->json, NULL, '{');
}

void tg_trace_piece_end(tg_trace_pieces *p)
{
    if (p->failed) return;
    tg_emit_close(&p->json, '}');
    p->list[p->count++].end = ftell(p->json.out);
}

static bool is_inner(const tg_trace_piece *piece)
{
    return piece->rank == TG_RANK_INNER || piece->rank == TG_RANK_ARROW_BEGINS;
}

static int in_order(const void *a, const void *b)
{
    const tg_trace_piece *x = a, *y = b;
    if (x->ts != y->ts) return x->ts < y->ts ? -1 : 1;
    if (is_inner(x) && is_inner(y) && x->slice != y->slice) return x->slice < y->slice ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

bool tg_trace_pieces_write(tg_trace_pieces *p, tg_json_out *json)
{
    if (p->json.out && (ferror(p->json.out) || fclose(p->json.out) != 0)) p->failed = true;
    if (!p->text) p->failed = true;
    if (!p->failed) qsort(p->list, p->count, sizeof *p->list, in_order);
    for (size_t i = 0; i < p->count && !p->failed; i++) {
        const tg_trace_piece *piece = &p->list[i];
        tg_emit_written(json, p->text + piece->first, (size_t)(piece->end - piece->first));
    }
    free(p->text);
    free(p->list);
    const bool is_good = !p->failed;
    *p = (tg_trace_pieces){.failed = false};
    return is_good;
}
