/* Pipelines as people read them: a line for each op. */
#include "base/text.h"
#include "random/pipelines.h"

static void put_place(tg_text *t, const pipe_place *place)
{
    static const char *const parts[] = {"", ".0", ".1"};
    tg_text_add(t, " m%d[%d + (i + %d) mod %d]%s", place->memory, place->base, place->offset,
                place->modulus, parts[place->part]);
}

/* What the op has, by its kind. */
static void put_operands(tg_text *t, const pipe_op *op)
{
    if (op->act <= PIPE_COPY || op->act == PIPE_DOT || op->act == PIPE_DOT_ARRIVE ||
        op->act == PIPE_STORE)
        put_place(t, &op->to);
    if (op->act == PIPE_COPY || op->act == PIPE_LOAD || (op->act == PIPE_DOT && op->operand[0] < 0))
        put_place(t, &op->from[0]);
    if (op->act == PIPE_DOT) put_place(t, &op->from[1]);
    if (op->act == PIPE_COPY) {
        static const char *const told[] = {"", " tells", " expected", " among products", "", ""};
        tg_text_put(t, told[op->told]);
        if (op->told == PIPE_BARRIER || op->told == PIPE_EXPECTED) put_place(t, &op->barrier);
    }
    if (op->act == PIPE_EXPECT || op->act == PIPE_WAIT_GROUPS || op->act == PIPE_DOT_WAIT)
        tg_text_add(t, " %d%s", op->number, op->reads ? " reads" : "");
    if (op->act == PIPE_LOAD || op->act == PIPE_LANE) tg_text_add(t, " to r%d", op->result);
}

static void put_op(tg_text *t, const pipe_kernel *k, const pipe_op *op)
{
    tg_text_add(t, "    %s", pipe_names[op->act]);
    put_operands(t, op);
    if (op->replaces) tg_text_put(t, " replaces");
    if (op->told == PIPE_TARGET) tg_text_put(t, " registers target");
    if (op->told == PIPE_SOURCE) tg_text_put(t, " registers source");
    if (op->orders) tg_text_put(t, " orders products");
    if (op->is_promised) tg_text_put(t, " promised");
    if (op->from_turn) tg_text_add(t, ", j >= %d", op->from_turn);
    if (op->to_turn < k->turns + PIPE_ROWS) tg_text_add(t, ", j < %d", op->to_turn);
    if (op->from_total > 0) tg_text_add(t, ", i >= %d", op->from_total);
    if (op->to_total < pipe_total(k) + PIPE_ROWS) tg_text_add(t, ", i < %d", op->to_total);
    if (op->skipped != PIPE_NONE) tg_text_add(t, ", i != %d", op->skipped);
    tg_text_put(t, "\n");
}

char *pipe_outline(const pipe_kernel *k)
{
    static const char *const kinds[] = {"input", "output", "shared", "plain", "barriers"};
    tg_text t = {0};
    tg_text_add(&t, "%d blocks, %d threads, %d chains, %d steps of %d turns\n", k->blocks,
                k->threads, k->chains, k->steps, k->turns);
    for (int m = 0; m < k->memory_count; m++)
        tg_text_add(&t, "m%d: %s, %d, %d arrivals, block %d\n", m, kinds[k->memories[m].kind],
                    k->memories[m].count, k->memories[m].arrivals, k->memories[m].home);
    for (int n = 0; n < pipe_number_of_threads(k); n++) {
        tg_text_add(&t, "thread %d\n", n);
        for (int s = 0; s < k->thread[n].count; s++) {
            const pipe_section *section = &k->thread[n].sections[s];
            if (!section->count) continue;
            tg_text_add(&t, "  turns %d to %d\n", section->first, section->end);
            for (int i = 0; i < section->count; i++) put_op(&t, k, &section->ops[i]);
        }
    }
    return tg_text_finish(&t);
}
