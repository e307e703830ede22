/* Instructions that the threads of a warp execute together: shfl, vote, redux, activemask. */
#include "emulator/decoders.h"
#include "emulator/lanes.h"
#include "emulator/operands.h"
#include "emulator/trapping.h"
#include "emulator/warp.h"

/* -- handlers -- */

/* Whether the lanes of `mask` are exactly those in their member masks, which must all be equal.  If
 * not, sets *step. */
static bool are_together(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask,
                         const tg_emu_slot *slot, tg_emu_step *step)
{
    const uint32_t *members = tg_emu_at(exec, slot);
    uint32_t wanted = members[tg_emu_first_lane(mask)];
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        if (!(mask >> lane & 1) || (members[lane] == wanted && wanted >> lane & 1)) continue;
        *step = tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_DIVERGENT_SYNC,
                               members[lane] == wanted
                                   ? "the thread is not in its own member mask 0x%08x"
                                   : "member mask 0x%08x differs from that of another lane",
                               members[lane]);
        return false;
    }
    uint32_t kept_out = wanted & exec->group->mask & ~mask;
    if (kept_out) {
        *step = tg_emu_trap_at(exec, inst, kept_out, TG_EMU_TRAP_DIVERGENT_SYNC,
                               "the predicate keeps lane %u out, which is in member mask 0x%08x",
                               tg_emu_first_lane(kept_out), wanted);
        return false;
    }
    return tg_emu_gather(exec, inst, wanted & exec->warp->live, TG_EMU_TRAP_DIVERGENT_SYNC, step);
}

typedef enum shuffle_mode { SHUFFLE_UP, SHUFFLE_DOWN, SHUFFLE_BFLY, SHUFFLE_IDX } shuffle_mode;

/* The lane that `lane` reads from; *is_inside is PTX's predicate result. */
static unsigned source_lane(shuffle_mode mode, unsigned lane, uint32_t b, uint32_t c,
                            bool *is_inside)
{
    unsigned step = b & 31, segment = c >> 8 & 31, most = (lane & segment) | (c & 31 & ~segment);
    int from = 0;
    switch (mode) {
    case SHUFFLE_UP: from = (int)lane - (int)step; break;
    case SHUFFLE_DOWN: from = (int)(lane + step); break;
    case SHUFFLE_BFLY: from = (int)(lane ^ step); break;
    case SHUFFLE_IDX: from = (int)((lane & segment) | (step & ~segment)); break;
    }
    *is_inside = mode == SHUFFLE_UP ? from >= (int)most : from <= (int)most;
    return *is_inside ? (unsigned)from : lane;
}

static tg_emu_step exec_shfl(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const uint32_t *as = tg_emu_at(exec, &inst->in[0]), *bs = tg_emu_at(exec, &inst->in[1]);
    const uint32_t *cs = tg_emu_at(exec, &inst->in[2]);
    uint32_t t[TG_EMU_LANES] = {0}, inside = 0;
    tg_emu_step step;
    if (!are_together(exec, inst, mask, &inst->in[3], &step)) return step;
    for (unsigned lane = 0; lane < TG_EMU_LANES; lane++) {
        bool is_inside;
        if (!(mask >> lane & 1)) continue;
        unsigned from =
            source_lane((shuffle_mode)inst->flags, lane, bs[lane], cs[lane], &is_inside);
        if (!(mask >> from & 1))
            return tg_emu_trap_at(exec, inst, 1u << lane, TG_EMU_TRAP_INACTIVE_SOURCE,
                                  "lane %u reads from lane %u, which does not take part", lane,
                                  from);
        t[lane] = as[from];
        inside |= (uint32_t)is_inside << lane;
    }
    put_32(tg_emu_at(exec, &inst->out[0]), t, mask);
    if (inst->out_count == 2) {
        uint32_t *p = tg_emu_at(exec, &inst->out[1]);
        *p = (*p & ~mask) | inside;
    }
    return TG_EMU_ON;
}

typedef enum vote_mode { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT } vote_mode;
enum { VOTE_FLIPPED = 4 };

static tg_emu_step exec_vote(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    uint32_t truth = *(const uint32_t *)tg_emu_at(exec, &inst->in[0]);
    tg_emu_step step;
    if (!are_together(exec, inst, mask, &inst->in[1], &step)) return step;
    truth = (inst->flags & VOTE_FLIPPED ? ~truth : truth) & mask;
    uint32_t t[TG_EMU_LANES], *result = tg_emu_at(exec, &inst->out[0]);
    bool verdict = true;
    switch ((vote_mode)(inst->flags & 3)) {
    case VOTE_BALLOT:
        for (unsigned i = 0; i < TG_EMU_LANES; i++) t[i] = truth;
        put_32(result, t, mask);
        return TG_EMU_ON;
    case VOTE_ALL: verdict = truth == mask; break;
    case VOTE_ANY: verdict = truth != 0; break;
    case VOTE_UNI: verdict = truth == mask || truth == 0; break;
    }
    *result = (*result & ~mask) | (verdict ? mask : 0);
    return TG_EMU_ON;
}

typedef enum redux_op { REDUX_ADD, REDUX_AND, REDUX_OR, REDUX_XOR, REDUX_MIN, REDUX_MAX } redux_op;
enum { REDUX_SIGNED = 8 };

static uint32_t reduce(redux_op op, bool is_signed, uint32_t a, uint32_t b)
{
    bool is_less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (op) {
    case REDUX_ADD: return a + b;
    case REDUX_AND: return a & b;
    case REDUX_OR: return a | b;
    case REDUX_XOR: return a ^ b;
    case REDUX_MIN: return is_less ? a : b;
    default: return is_less ? b : a;
    }
}

static tg_emu_step exec_redux(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    const uint32_t *as = tg_emu_at(exec, &inst->in[0]);
    tg_emu_step step;
    if (!are_together(exec, inst, mask, &inst->in[1], &step)) return step;
    unsigned first = tg_emu_first_lane(mask);
    uint32_t result = as[first], t[TG_EMU_LANES];
    for (unsigned lane = first + 1; lane < TG_EMU_LANES; lane++)
        if (mask >> lane & 1)
            result =
                reduce((redux_op)(inst->flags & 7), inst->flags & REDUX_SIGNED, result, as[lane]);
    for (unsigned i = 0; i < TG_EMU_LANES; i++) t[i] = result;
    put_32(tg_emu_at(exec, &inst->out[0]), t, mask);
    return TG_EMU_ON;
}

static tg_emu_step exec_activemask(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    uint32_t t[TG_EMU_LANES];
    for (unsigned i = 0; i < TG_EMU_LANES; i++) t[i] = mask;
    put_32(tg_emu_at(exec, &inst->out[0]), t, mask);
    return TG_EMU_ON;
}

/* The same lane for the same members, as PTX has it. */
static tg_emu_step exec_elect(tg_emu_exec *exec, const tg_emu_inst *inst, uint32_t mask)
{
    tg_emu_step step;
    if (!are_together(exec, inst, mask, &inst->in[0], &step)) return step;
    unsigned skipped = (unsigned)(exec->launch->seed % (unsigned)__builtin_popcount(mask));
    uint32_t left = mask, t[TG_EMU_LANES];
    while (skipped-- > 0) left &= left - 1;
    const unsigned leader = tg_emu_first_lane(left);
    for (unsigned i = 0; i < TG_EMU_LANES; i++) t[i] = leader;
    uint32_t *p = tg_emu_at(exec, &inst->out[0]);
    *p = (*p & ~mask) | 1u << leader;
    if (inst->out_count == 2) put_32(tg_emu_at(exec, &inst->out[1]), t, mask);
    return TG_EMU_ON;
}

/* -- decoding -- */

static bool take_one(tg_emu_statement *s, const char *const *names, unsigned count, uint32_t *out)
{
    for (unsigned i = 0; i < count; i++)
        if (tg_emu_take(s, names[i])) {
            *out = i;
            return true;
        }
    return false;
}

tg_status tg_emu_decode_shfl(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    if (!tg_emu_take(s, "sync") || !take_one(s, modes, 4, &inst->flags) || !tg_emu_take(s, "b32"))
        return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 5));
    tg_emu_operand first = s->operands[0], second = {.token = first.second};
    first.second = (tg_emu_token){0};
    TG_TRY(tg_emu_out(p, &first, TG_EMU_B32, inst));
    if (second.token.kind != TG_EMU_TOKEN_END) TG_TRY(tg_emu_out(p, &second, TG_EMU_PRED, inst));
    for (size_t i = 1; i < 5; i++) TG_TRY(tg_emu_in(p, &s->operands[i], TG_EMU_B32, inst));
    inst->exec = exec_shfl;
    return TG_OK;
}

tg_status tg_emu_decode_vote(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    static const char *const modes[] = {"all", "any", "uni", "ballot"};
    if (!tg_emu_take(s, "sync") || !take_one(s, modes, 4, &inst->flags))
        return tg_emu_unknown(p, s);
    tg_emu_type type = inst->flags == VOTE_BALLOT ? TG_EMU_B32 : TG_EMU_PRED;
    if (!tg_emu_take(s, tg_emu_types[type].name)) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 3));
    TG_TRY(tg_emu_out(p, &s->operands[0], type, inst));
    tg_emu_operand question = s->operands[1];
    if (question.is_flipped) inst->flags |= VOTE_FLIPPED;
    question.is_flipped = false;
    TG_TRY(tg_emu_in(p, &question, TG_EMU_PRED, inst));
    TG_TRY(tg_emu_in(p, &s->operands[2], TG_EMU_B32, inst));
    inst->exec = exec_vote;
    return TG_OK;
}

tg_status tg_emu_decode_redux(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    static const char *const ops[] = {"add", "and", "or", "xor", "min", "max"};
    uint32_t op;
    if (!tg_emu_take(s, "sync") || !take_one(s, ops, 6, &op)) return tg_emu_unknown(p, s);
    bool is_bits = op == REDUX_AND || op == REDUX_OR || op == REDUX_XOR;
    bool is_signed = !is_bits && tg_emu_take(s, "s32");
    if (!is_signed && !tg_emu_take(s, is_bits ? "b32" : "u32")) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 3));
    tg_emu_type type = is_bits ? TG_EMU_B32 : TG_EMU_U32;
    TG_TRY(tg_emu_out(p, &s->operands[0], type, inst));
    TG_TRY(tg_emu_in(p, &s->operands[1], type, inst));
    TG_TRY(tg_emu_in(p, &s->operands[2], TG_EMU_B32, inst));
    inst->exec = exec_redux;
    inst->flags = op | (is_signed ? REDUX_SIGNED : 0);
    return TG_OK;
}

tg_status tg_emu_decode_activemask(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    if (!tg_emu_take(s, "b32")) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 1));
    inst->exec = exec_activemask;
    return tg_emu_out(p, &s->operands[0], TG_EMU_B32, inst);
}

/* elect.sync {d, _}|p, members */
tg_status tg_emu_decode_elect(tg_emu_parser *p, tg_emu_statement *s, tg_emu_inst *inst)
{
    if (!tg_emu_take(s, "sync")) return tg_emu_unknown(p, s);
    TG_TRY(tg_emu_all_taken(p, s));
    TG_TRY(tg_emu_want_operands(p, s, 2));
    tg_emu_operand leader = s->operands[0], verdict = {.token = leader.second};
    if (leader.second.kind == TG_EMU_TOKEN_END)
        return tg_emu_fail_at(p, TG_ERR_SYNTAX, &leader.token, "expected leader|predicate here");
    leader.second = (tg_emu_token){0};
    TG_TRY(tg_emu_out(p, &verdict, TG_EMU_PRED, inst));
    if (leader.kind != TG_EMU_OPERAND_SINK) TG_TRY(tg_emu_out(p, &leader, TG_EMU_B32, inst));
    inst->exec = exec_elect;
    return tg_emu_in(p, &s->operands[1], TG_EMU_B32, inst);
}
