/* Pipelines in the notation of kernel_text.h. */
#include "base/text.h"
#include "random/pipelines.h"

/* What is known where the next op is put: the values of a thread. */
typedef struct put {
    const pipe_kernel *k;
    tg_text text;
    int next;              /* id */
    int chain, trip, base; /* the first two as values; the turns before this step, PIPE_NONE: 0 */
    int turn, total;       /* j and i as values; PIPE_NONE: they are `known` */
    int known;
    int registers[PIPE_REGISTERS];
} put;

static int param_of(const put *p, int memory)
{
    return memory == 0 ? 1 : memory + 1 + p->k->has_trip;
}

static int constant(put *p, int value)
{
    tg_text_add(&p->text, "%%%d:i32[] = constant value=%d; ", p->next, value);
    return p->next++;
}

static int give(put *p, const char *type, const char *op, int a, int b)
{
    tg_text_add(&p->text, "%%%d:%s = %s %%%d %%%d; ", p->next, type, op, a, b);
    return p->next++;
}

/* ---- places ---- */

static int put_index(put *p, const pipe_place *place)
{
    if (p->total == PIPE_NONE) return constant(p, pipe_block(place, p->known));
    if (place->modulus == 1) return constant(p, place->base);
    int at = p->total;
    if (place->offset) at = give(p, "i32[]", "add", at, constant(p, place->offset));
    at = give(p, "i32[]", "rem", at, constant(p, place->modulus));
    return place->base ? give(p, "i32[]", "add", at, constant(p, place->base)) : at;
}

/* The chain, or the block that has the memory; PIPE_NONE: neither is an index. */
static int put_first(put *p, const pipe_place *place)
{
    const pipe_memory *memory = &p->k->memories[place->memory];
    if (memory->kind == PIPE_INPUT || memory->kind == PIPE_OUTPUT) return p->chain;
    return memory->home == PIPE_NONE ? PIPE_NONE : constant(p, memory->home);
}

static const char *const rows_of[] = {"0:2", "0:1", "1:1"};

/* A reference to the block, or to one row of it. */
static int put_view(put *p, const pipe_place *place)
{
    const int at = put_index(p, place), first = put_first(p, place), view = p->next++;
    tg_text_add(&p->text, "%%%d:ref<i32[%d,2]> = view %%%d", view,
                place->part == PIPE_WHOLE ? 2 : 1, param_of(p, place->memory));
    if (first != PIPE_NONE) tg_text_add(&p->text, " %%%d", first);
    tg_text_add(&p->text, " %%%d [%s@,%s,0:2]; ", at, first != PIPE_NONE ? "@," : "",
                rows_of[place->part]);
    return view;
}

static int put_barrier(put *p, const pipe_place *place)
{
    const int at = put_index(p, place), first = put_first(p, place), view = p->next++;
    tg_text_add(&p->text, "%%%d:ref<barrier[]> = view %%%d", view, param_of(p, place->memory));
    if (first != PIPE_NONE) tg_text_add(&p->text, " %%%d", first);
    tg_text_add(&p->text, " %%%d [%s@]; ", at, first != PIPE_NONE ? "@," : "");
    return view;
}

/* ---- ops ---- */

static void put_load(put *p, const pipe_op *op)
{
    const int view = put_view(p, &op->from[0]);
    tg_text_add(&p->text, "%%%d:i32[2,2] = load %%%d [0:2,0:2]\n", p->next, view);
    p->registers[op->result] = p->next++;
}

static void put_store(put *p, const pipe_op *op)
{
    const int view = put_view(p, &op->to), row = op->to.part == PIPE_LOWER;
    int value = p->registers[op->operand[0]];
    if (op->to.part != PIPE_WHOLE) {
        tg_text_add(&p->text, "%%%d:i32[1,2] = slice %%%d start=[%d,0] stride=[1,1]; ", p->next,
                    value, row);
        value = p->next++;
    }
    tg_text_add(&p->text, "store %%%d %%%d [0:%d,0:2]\n", view, value,
                op->to.part == PIPE_WHOLE ? 2 : 1);
}

static void put_lane(put *p, const pipe_op *op)
{
    static const char *const names[PIPE_LANES] = {"add", "sub", "mul", "max", "min", "xor"};
    int second;
    if (op->operand[1] == PIPE_NONE) {
        const int turn = p->total == PIPE_NONE ? constant(p, p->known) : p->total;
        second = p->next++;
        tg_text_add(&p->text, "%%%d:i32[2,2] = broadcast_in_dim %%%d dims=[]; ", second, turn);
    } else {
        second = p->registers[op->operand[1]];
    }
    p->registers[op->result] =
        give(p, "i32[2,2]", names[op->number], p->registers[op->operand[0]], second);
    tg_text_put(&p->text, "\n");
}

static const char *registers_of(const pipe_op *op)
{
    return op->told == PIPE_TARGET   ? " registers='target'"
           : op->told == PIPE_SOURCE ? " registers='source'"
                                     : "";
}

static void put_copy(put *p, const pipe_op *op)
{
    const int from = put_view(p, &op->from[0]), to = put_view(p, &op->to);
    const bool tells = op->told == PIPE_BARRIER || op->told == PIPE_EXPECTED;
    const int barrier = tells ? put_barrier(p, &op->barrier) : 0;
    tg_text_add(&p->text, "dma_start %%%d %%%d", from, to);
    if (tells) tg_text_add(&p->text, " %%%d", barrier);
    tg_text_add(&p->text, "%s%s\n",
                op->told == PIPE_EXPECTED ? " expected=true"
                : op->told == PIPE_AMONG  ? " among_products=true"
                                          : "",
                registers_of(op));
}

static void put_dot(put *p, const pipe_op *op)
{
    const int sum = put_view(p, &op->to);
    const int left =
        op->operand[0] == PIPE_NONE ? put_view(p, &op->from[0]) : p->registers[op->operand[0]];
    int right = put_view(p, &op->from[1]);
    if (op->is_transposed) {
        tg_text_add(&p->text, "%%%d:ref<i32[2,2]> = view_transpose %%%d permutation=[1,0]; ",
                    p->next, right);
        right = p->next++;
    }
    tg_text_add(&p->text, "dot_start %%%d %%%d %%%d%s\n", sum, left, right,
                op->replaces ? " replaces=true" : "");
}

static void put_at_barrier(put *p, const pipe_op *op)
{
    const int barrier = put_barrier(p, &op->to);
    const int bytes = op->act == PIPE_EXPECT ? constant(p, op->number) : 0;
    tg_text_add(&p->text, "%s %%%d", pipe_names[op->act], barrier);
    if (bytes) tg_text_add(&p->text, " %%%d", bytes);
    const bool may_order = op->act == PIPE_WAIT || op->act == PIPE_ARRIVE;
    tg_text_put(&p->text, op->orders && may_order ? " orders_products=true\n" : "\n");
}

static void put_group_wait(put *p, const pipe_op *op)
{
    const int newest = constant(p, op->number);
    tg_text_add(&p->text, "%s %%%d%s%s%s\n", pipe_names[op->act], newest,
                op->reads ? " reads=true" : "", op->is_promised ? " promised=true" : "",
                registers_of(op));
}

static void put_act(put *p, const pipe_op *op)
{
    switch (op->act) {
    case PIPE_WAIT:
    case PIPE_ARRIVE:
    case PIPE_EXPECT:
    case PIPE_DOT_ARRIVE: put_at_barrier(p, op); return;
    case PIPE_WAIT_GROUPS:
    case PIPE_DOT_WAIT: put_group_wait(p, op); return;
    case PIPE_COPY: put_copy(p, op); return;
    case PIPE_DOT: put_dot(p, op); return;
    case PIPE_LOAD: put_load(p, op); return;
    case PIPE_STORE: put_store(p, op); return;
    case PIPE_LANE: put_lane(p, op); return;
    default: tg_text_add(&p->text, "%s%s\n", pipe_names[op->act], registers_of(op)); return;
    }
}

/* ---- turns ---- */

/* `condition` and a comparison of a value with a number; PIPE_NONE: there was none so far. */
static int put_limit(put *p, int condition, const char *op, int value, int limit)
{
    const int one = give(p, "bool[]", op, value, constant(p, limit));
    return condition == PIPE_NONE ? one : give(p, "bool[]", "and", condition, one);
}

static int put_condition(put *p, const pipe_op *op)
{
    const int turns = p->k->turns, total = pipe_total(p->k);
    int c = PIPE_NONE;
    if (op->from_turn > 0) c = put_limit(p, c, "ge", p->turn, op->from_turn);
    if (op->to_turn < turns + PIPE_ROWS) c = put_limit(p, c, "lt", p->turn, op->to_turn);
    if (op->from_total > 0) c = put_limit(p, c, "ge", p->total, op->from_total);
    if (op->to_total < total + PIPE_ROWS) c = put_limit(p, c, "lt", p->total, op->to_total);
    if (op->skipped != PIPE_NONE) c = put_limit(p, c, "ne", p->total, op->skipped);
    return c;
}

static void put_op(put *p, const pipe_op *op)
{
    if (p->total == PIPE_NONE) {
        if (pipe_takes_place(p->k, op, 0, p->known)) put_act(p, op);
        return;
    }
    const int condition = put_condition(p, op);
    if (condition != PIPE_NONE) tg_text_add(&p->text, "switch %%%d { yield } {\n", condition);
    put_act(p, op);
    if (condition != PIPE_NONE) tg_text_put(&p->text, "yield }\n");
}

/* i is j and the turns of the steps before. */
static void begin_turn(put *p, int turn)
{
    p->turn = p->total = turn;
    if (p->base != PIPE_NONE) p->total = give(p, "i32[]", "add", turn, p->base);
}

static void put_ops(put *p, const pipe_section *s)
{
    for (int i = 0; i < s->count; i++) put_op(p, &s->ops[i]);
}

static void put_loop(put *p, const pipe_section *s)
{
    const int first = constant(p, s->first), one = constant(p, 1),
              end = s->is_main && p->k->has_trip ? p->trip : constant(p, s->end);
    const int results = p->next;
    int before[PIPE_REGISTERS];
    p->next += PIPE_REGISTERS;
    tg_text_put(&p->text, "\n");
    for (int r = 0; r < PIPE_REGISTERS; r++) tg_text_add(&p->text, "%%%d:i32[2,2] ", results + r);
    tg_text_add(&p->text, "= for %%%d %%%d %%%d", first, end, one);
    for (int r = 0; r < PIPE_REGISTERS; r++) {
        before[r] = p->registers[r];
        tg_text_add(&p->text, " %%%d", before[r]);
    }
    const int turn = p->next++;
    tg_text_add(&p->text, " { (%%%d:i32[]", turn);
    for (int r = 0; r < PIPE_REGISTERS; r++) {
        p->registers[r] = p->next++;
        tg_text_add(&p->text, " %%%d:i32[2,2]", p->registers[r]);
    }
    tg_text_put(&p->text, ")\n");
    begin_turn(p, turn);
    put_ops(p, s);
    tg_text_put(&p->text, "yield");
    for (int r = 0; r < PIPE_REGISTERS; r++) {
        tg_text_add(&p->text, " %%%d", p->registers[r]);
        p->registers[r] = results + r;
    }
    tg_text_put(&p->text, " }\n");
}

static void put_section(put *p, const pipe_section *s, bool is_unrolled)
{
    p->turn = p->total = PIPE_NONE;
    if (!s->count) return;
    if (is_unrolled) {
        for (p->known = s->first; p->known < s->end; p->known++) put_ops(p, s);
    } else if (s->end == s->first + 1 && !s->is_main) {
        begin_turn(p, constant(p, s->first));
        put_ops(p, s);
    } else {
        put_loop(p, s);
    }
}

static void put_thread(put *p, int number)
{
    const pipe_thread *t = &p->k->thread[number];
    tg_text_put(&p->text, " {\n");
    for (int r = 0; r < PIPE_REGISTERS; r++) {
        tg_text_add(&p->text, "%%%d:i32[2,2] = constant value=%d\n", p->next, number + r + 1);
        p->registers[r] = p->next++;
    }
    for (int s = 0; s < t->count; s++) put_section(p, &t->sections[s], t->is_unrolled);
    tg_text_put(&p->text, "yield }");
}

/* ---- the kernel ---- */

static void put_memories(put *p)
{
    const pipe_kernel *k = p->k;
    for (int m = 0; m < k->memory_count; m++) {
        const pipe_memory *memory = &k->memories[m];
        const char *const blocks = memory->home == PIPE_NONE ? "" : "2,", *const cluster =
                                                                              memory->home ==
                                                                                      PIPE_NONE
                                                                                  ? ""
                                                                                  : " cluster=1";
        switch (memory->kind) {
        case PIPE_INPUT:
            tg_text_add(&p->text, "input x i32[%d,%d,2,2]\n", k->chains, memory->count);
            if (k->has_trip) tg_text_put(&p->text, "input trip i32[1]\n");
            break;
        case PIPE_OUTPUT:
            tg_text_add(&p->text, "output o i32[%d,%d,2,2]\n", k->chains, memory->count);
            break;
        case PIPE_BARRIERS:
            tg_text_add(&p->text, "scratch b%d barrier[%s%d] arrivals=%d%s\n", m, blocks,
                        memory->count, memory->arrivals, cluster);
            break;
        default:
            tg_text_add(&p->text, "scratch s%d i32[%s%d,2,2]%s%s\n", m, blocks, memory->count,
                        memory->kind == PIPE_SHARED ? " space=smem" : "", cluster);
        }
    }
}

/* Where the steps of a chain are more than one, and blocks, they have axes of their own. */
static int put_grid(put *p)
{
    const pipe_kernel *k = p->k;
    tg_text_add(&p->text, "grid %dp", k->chains);
    if (k->steps > 1) tg_text_add(&p->text, " %da", k->steps);
    if (k->blocks > 1) tg_text_add(&p->text, " %dt", k->blocks);
    tg_text_add(&p->text, " %dt\n", k->threads);
    return 1 + (k->steps > 1);
}

static int put_program_id(put *p, int axis)
{
    tg_text_add(&p->text, "%%%d:i32[] = program_id axis=%d\n", p->next, axis);
    return p->next++;
}

static int put_thread_number(put *p, int axis)
{
    const int first = put_program_id(p, axis);
    if (p->k->blocks == 1) return first;
    const int of_blocks = give(p, "i32[]", "mul", first, constant(p, p->k->threads));
    return give(p, "i32[]", "add", of_blocks, put_program_id(p, axis + 1));
}

/* A loop of as many turns as the thread has. */
static void put_meeting(put *p, const pipe_meeting *m, int number, int axis)
{
    const int zero = constant(p, 0), one = constant(p, 1), times = p->next++;
    tg_text_add(&p->text, "%%%d:i32[] = switch %%%d", times, number);
    for (int t = 0; t < pipe_number_of_threads(p->k); t++) {
        tg_text_put(&p->text, " { ");
        const int own = constant(p, m->times[t]);
        tg_text_add(&p->text, "yield %%%d }", own);
    }
    tg_text_add(&p->text, "\nfor %%%d %%%d %%%d { (%%%d:i32[]) collective along=[", zero, times,
                one, p->next++);
    if (m->is_along_blocks) tg_text_add(&p->text, "%d%s", axis, m->is_along_threads ? "," : "");
    if (m->is_along_threads) tg_text_add(&p->text, "%d", axis + (p->k->blocks > 1));
    tg_text_put(&p->text, "]; yield }\n");
}

char *pipe_text(const pipe_kernel *k)
{
    put p = {.k = k, .next = 100, .base = PIPE_NONE, .trip = PIPE_NONE};
    const int axis = put_grid(&p);
    put_memories(&p);
    tg_text_put(&p.text, "body\n");
    p.chain = put_program_id(&p, 0);
    if (k->steps > 1)
        p.base = give(&p, "i32[]", "mul", put_program_id(&p, 1), constant(&p, k->turns));
    if (k->has_trip) {
        const int zero = constant(&p, 0);
        tg_text_add(&p.text, "%%%d:i32[] = load %%2 %%%d [@]\n", p.trip = p.next++, zero);
    }
    const int number = put_thread_number(&p, axis);
    for (int m = 0; m < k->meeting_count; m++) put_meeting(&p, &k->meetings[m], number, axis);
    tg_text_add(&p.text, "switch %%%d", number);
    for (int t = 0; t < pipe_number_of_threads(k); t++) put_thread(&p, t);
    tg_text_put(&p.text, "\n");
    return tg_text_finish(&p.text);
}
