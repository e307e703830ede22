#include "physical/want.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "layout/canonical.h"
#include "layout/equal.h"
#include "layout/print.h"
#include "layout/relayout/moves.h"
#include "layout/thread.h"

/* ---- the message ---- */

static void put_canonical(tg_text *text, const tg_axe *axe)
{
    tg_axe canonical;
    tg_axe_copy(axe, &canonical);
    tg_axe_canonize(&canonical);
    tg_axe_print(&canonical, text);
}

static void put_place(tg_text *text, const tg_coordinate *at)
{
    bool any = false;
    for (int a = 0; a < TG_AXIS_COUNT; a++) {
        if (!at->at[a]) continue;
        tg_text_add(text, "%s%s %lld", any ? ", " : "", tg_axes[a].name, (long long)at->at[a]);
        any = true;
    }
    if (!any) tg_text_put(text, "lane 0, reg 0");
}

static tg_status put_message(const tg_want *want, const tg_move *move, const char *what,
                             char why[TG_WANT_TEXT], tg_diags *diags)
{
    tg_text text = {0};
    tg_shape index;
    tg_shape_coordinate(want->shape, move->element, &index);
    tg_text_put(&text, "is held as ");
    put_canonical(&text, want->is);
    tg_text_put(&text, ", wanted is ");
    put_canonical(&text, want->wanted);
    tg_text_put(&text, ": element ");
    tg_shape_print(&index, &text);
    tg_text_put(&text, " is in ");
    put_place(&text, &move->from);
    tg_text_put(&text, ", wanted in ");
    put_place(&text, &move->to);
    tg_text_put(&text, what);
    char *message = tg_text_finish(&text);
    if (!message) return tg_no_memory(diags);
    snprintf(why, TG_WANT_TEXT, "%s", message);
    free(message);
    return TG_OK;
}

/* ---- elements that share a register ---- */

typedef struct packed {
    const tg_move *move;
    int64_t thread, to, from; /* 32-bit registers */
} packed;

static int compare(const void *a, const void *b)
{
    const packed *left = a, *right = b;
    if (left->thread != right->thread) return left->thread < right->thread ? -1 : 1;
    if (left->to != right->to) return left->to < right->to ? -1 : 1;
    return 0;
}

/* The first move after which elements that share a register do not share one any more, or are in
 * another order; NULL if there is none. */
static tg_status find_parted(const tg_moves *moves, int share, const tg_move **parted,
                             tg_diags *diags)
{
    *parted = NULL;
    if (share < 2) return TG_OK;
    packed *list = calloc(moves->count + 1, sizeof *list);
    if (!list) return tg_no_memory(diags);
    for (size_t i = 0; i < moves->count; i++) {
        const tg_move *move = &moves->list[i];
        const int64_t from = move->from.at[TG_AXIS_reg], to = move->to.at[TG_AXIS_reg];
        list[i] = (packed){move, tg_thread_in_block(&move->to), to / share, from / share};
        if (!*parted && from % share != to % share) *parted = move;
    }
    qsort(list, moves->count, sizeof *list, compare);
    for (size_t i = 1; i < moves->count && !*parted; i++)
        if (compare(&list[i - 1], &list[i]) == 0 && list[i - 1].from != list[i].from)
            *parted = list[i].move;
    free(list);
    return TG_OK;
}

/* ---- the check ---- */

static tg_status check_moves(const tg_want *want, const tg_moves *moves, char why[TG_WANT_TEXT],
                             tg_diags *diags)
{
    const tg_reach most = want->freedom == TG_WANT_EXACTLY ? TG_REACH_NONE : TG_REACH_THREAD;
    const tg_move *parted;
    for (size_t i = 0; i < moves->count; i++)
        if (moves->list[i].reach > most) return put_message(want, &moves->list[i], "", why, diags);
    TG_TRY(find_parted(moves, want->freedom == TG_WANT_IN_THREADS ? 32 / want->bits : 1, &parted,
                       diags));
    if (parted)
        return put_message(want, parted, ": elements that share a register of 32 bits are apart",
                           why, diags);
    return TG_OK;
}

tg_status tg_want_check(const tg_want *want, char why[TG_WANT_TEXT], tg_diags *diags)
{
    bool equal;
    tg_moves moves;
    why[0] = '\0';
    TG_TRY(tg_axe_equal(want->is, want->wanted, &equal, diags));
    if (equal) return TG_OK;
    TG_TRY(tg_moves_between(want->is, want->wanted, &moves, diags));
    const tg_status status = check_moves(want, &moves, why, diags);
    tg_moves_free(&moves);
    return status;
}
