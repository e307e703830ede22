/* Rules of semaphores, of the copies that signal them, and of groups. */
#include "verify/own_rules.h"

#include <inttypes.h>

#include "verify/common.h"
#include "verify/memory.h"

/* Checks that the operand is one semaphore of dtype `wanted`; with TG_DT_COUNT, of either dtype
 * that counts. */
static bool check_semaphore(const tg_verifier *v, uint32_t operand, tg_dtype wanted)
{
    const tg_type *type = tg_in(v, operand);
    const bool fits = wanted == TG_DT_COUNT
                          ? type->dtype == TG_DT_sem || type->dtype == TG_DT_dma_sem
                          : type->dtype == wanted;
    if (fits && type->rank == 0) return true;
    return tg_mistyped(v, "operand %" PRIu32 " is %s, but must be %s", operand, tg_show(type).text,
                       wanted == TG_DT_sem       ? "ref<sem[]>"
                       : wanted == TG_DT_dma_sem ? "ref<dma_sem[]>"
                                                 : "ref<sem[]> or ref<dma_sem[]>");
}

static void check_number(const tg_verifier *v, uint32_t operand)
{
    const tg_type *type = tg_in(v, operand);
    if (type->rank != 0 || type->dtype != TG_DT_i32)
        tg_mistyped(v, "operand %" PRIu32 " is %s, but must be i32[]", operand, tg_show(type).text);
}

/* Checks that the operand refers to elements that a copy can move. */
static bool check_copied(const tg_verifier *v, uint32_t operand)
{
    const tg_type *type = tg_in(v, operand);
    if (!tg_is_semaphore(type->dtype)) return true;
    return tg_mistyped(v, "operand %" PRIu32 " is %s, but semaphores are not copied", operand,
                       tg_show(type).text);
}

void tg_verify_op_semaphore_signal(const tg_verifier *v)
{
    check_semaphore(v, 0, TG_DT_sem);
    check_number(v, 1);
    if (v->op->in_count == 3) check_number(v, 2);
}

void tg_verify_op_semaphore_wait(const tg_verifier *v)
{
    check_semaphore(v, 0, TG_DT_sem);
    check_number(v, 1);
}

void tg_verify_op_semaphore_read(const tg_verifier *v)
{
    const tg_type *result = tg_out(v, 0);
    check_semaphore(v, 0, TG_DT_COUNT);
    if (result->dtype != TG_DT_i32 || result->rank != 0)
        tg_mistyped(v, "the result is %s, but must be i32[]", tg_show(result).text);
}

/* Checks what is told that a copy has taken place. */
static void check_told(const tg_verifier *v)
{
    const tg_type *type = tg_in(v, 2);
    if ((type->dtype == TG_DT_dma_sem || type->dtype == TG_DT_barrier) && type->rank == 0) return;
    tg_mistyped(v, "operand 2 is %s, but must be ref<dma_sem[]> or ref<barrier[]>",
                tg_show(type).text);
}

/* A side that stands for registers: the copy is of a group. */
static void check_registers(const tg_verifier *v)
{
    if (v->op->in_count == 3 || tg_op_int(v->op, TG_ATTR_among_products, 0) ||
        tg_op_attr(v->op, TG_ATTR_kind))
        tg_illegal(
            v, "a copy with `registers` tells nobody, is not among products and combines nothing");
}

void tg_verify_op_dma_start(const tg_verifier *v)
{
    const tg_type *from = tg_in(v, 0), *to = tg_in(v, 1);
    if (check_copied(v, 0) && check_copied(v, 1) &&
        (from->dtype != to->dtype || !tg_same_shape(from, to)))
        tg_mistyped(v, "the source is %s, but the destination %s; they must agree",
                    tg_show(from).text, tg_show(to).text);
    if (tg_op_attr(v->op, TG_ATTR_kind)) {
        tg_verify_combined(v, 1);
        if (tg_op_int(v->op, TG_ATTR_kind, 0) == tg_attr_name_index(TG_ATTR_kind, "xchg"))
            tg_illegal(v, "a copy combines nothing by xchg; without `kind` it replaces");
    }
    const bool has_told = v->op->in_count == 3;
    if (has_told) check_told(v);
    if (tg_op_int(v->op, TG_ATTR_expected, 0) && !(has_told && tg_in(v, 2)->dtype == TG_DT_barrier))
        tg_illegal(v, "`expected` is for copies that tell a barrier");
    if (tg_op_int(v->op, TG_ATTR_among_products, 0) && has_told)
        tg_illegal(v, "a copy among products tells nobody; an arrival may come behind it");
    if (tg_op_attr(v->op, TG_ATTR_registers)) check_registers(v);
}

void tg_verify_op_dma_commit(const tg_verifier *v) { (void)v; }

void tg_verify_op_dma_wait_groups(const tg_verifier *v)
{
    check_number(v, 0);
    tg_check_followers(v);
}

void tg_verify_op_dot_commit(const tg_verifier *v) { (void)v; }

void tg_verify_op_dot_wait_groups(const tg_verifier *v) { check_number(v, 0); }

void tg_verify_op_proxy_fence(const tg_verifier *v) { (void)v; }

void tg_verify_op_dma_wait(const tg_verifier *v)
{
    check_copied(v, 0);
    check_semaphore(v, 1, TG_DT_dma_sem);
}
