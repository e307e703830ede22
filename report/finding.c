#include "report/finding.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

const tg_finding_info tg_finding_infos[TG_FINDING_KIND_COUNT] = {
#define TG_FINDING(ID, name, level, on_tpu, check, what)                                           \
    [TG_FINDING_##ID] = {name, {TG_LEVEL_##level, TG_LEVEL_##on_tpu}, TG_CHECK_##check, what},
#include "report/checks.def"
};

const char *const tg_level_names[TG_LEVEL_ERROR + 1] = {[TG_LEVEL_ADVICE] = "advice",
                                                        [TG_LEVEL_NOTE] = "note",
                                                        [TG_LEVEL_WARNING] = "warning",
                                                        [TG_LEVEL_ERROR] = "error"};

tg_level tg_finding_level(tg_finding_kind kind, tg_target target)
{
    return tg_finding_infos[kind].level[target];
}

tg_finding_kind tg_finding_of_check(const tg_op *op)
{
    static const tg_finding_kind kinds[] = {TG_FINDING_CHECK_FAILED, TG_FINDING_WILD_POINTER,
                                            TG_FINDING_MISALIGNED_POINTER};
    return kinds[tg_op_int(op, TG_ATTR_finding, 0)];
}

bool tg_findings_init(tg_findings *findings, size_t most)
{
    *findings = (tg_findings){.most = most};
    return pthread_mutex_init(&findings->lock, NULL) == 0;
}

void tg_findings_free(tg_findings *findings)
{
    pthread_mutex_destroy(&findings->lock);
    free(findings->list);
    *findings = (tg_findings){0};
}

static bool is_like(const tg_found *a, const tg_found *b)
{
    return a->kind == b->kind && a->at.op == b->at.op && a->at.loc == b->at.loc &&
           a->param == b->param && a->other == b->other;
}

static void append(tg_findings *findings, const tg_found *found)
{
    tg_found *list =
        tg_list_grow(findings->list, findings->count, &findings->capacity, sizeof *list);
    if (!list) {
        findings->is_incomplete = true;
        return;
    }
    findings->list = list;
    findings->list[findings->count++] = *found;
}

size_t tg_findings_find(const tg_findings *findings, const tg_found *found)
{
    size_t at = 0;
    while (at < findings->count && !is_like(&findings->list[at], found)) at++;
    return at;
}

static void add(tg_findings *findings, const tg_found *found)
{
    const size_t at = tg_findings_find(findings, found);
    if (at == findings->count) {
        append(findings, found);
        return;
    }
    tg_found *known = &findings->list[at];
    int64_t count = known->count + found->count;
    if (found->program_index < known->program_index) *known = *found;
    known->count = count;
}

void tg_findings_add(tg_findings *findings, const tg_found *found)
{
    pthread_mutex_lock(&findings->lock);
    add(findings, found);
    pthread_mutex_unlock(&findings->lock);
}

/* The same for every target. */
static bool is_advice(const tg_found *f)
{
    return tg_finding_level(f->kind, TG_TARGET_ANY) == TG_LEVEL_ADVICE;
}

static int by_order(const void *a, const void *b)
{
    const tg_found *x = a, *y = b;
    if (is_advice(x) != is_advice(y)) return is_advice(x) ? 1 : -1;
    if (x->program_index != y->program_index) return x->program_index < y->program_index ? -1 : 1;
    if (x->at.loc != y->at.loc) return x->at.loc < y->at.loc ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->at.op != y->at.op) return x->at.op < y->at.op ? -1 : 1;
    if (x->param != y->param) return x->param < y->param ? -1 : 1;
    return x->other < y->other ? -1 : x->other > y->other;
}

void tg_findings_sort(tg_findings *findings)
{
    if (findings->count) qsort(findings->list, findings->count, sizeof *findings->list, by_order);
    if (findings->count > findings->most) findings->count = findings->most;
}
