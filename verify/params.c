#include "verify/params.h"

#include <inttypes.h>

#include "verify/common.h"
#include "verify/layout.h"
#include "verify/mapping.h"

static bool has_block_mapping(tg_role role)
{
    return role == TG_ROLE_INPUT || role == TG_ROLE_OUTPUT;
}

static void check_arrivals(const tg_verifier *v, const tg_param *p)
{
    const bool is_barrier = p->array.dtype == TG_DT_barrier;
    if (is_barrier && (p->arrivals < 1 || p->arrivals > TG_MOST_ARRIVALS))
        tg_illegal(v, "arrivals must be between 1 and %d: so many complete a phase of the barrier",
                   TG_MOST_ARRIVALS);
    if (!is_barrier && p->arrivals)
        tg_illegal(v, "the array is %s, but only barriers take arrivals", tg_show(&p->array).text);
}

/* The blocks of a cluster are numbered by the first thread axes.  Returns how many of the first
 * dimensions are their sizes. */
static int64_t dims_of_blocks(const tg_kernel *k, const tg_type *array)
{
    int64_t dim = 0;
    for (int a = 0; a < k->axis_count; a++) {
        if (k->axes[a].semantics != TG_SEMANTICS_THREAD) continue;
        if (dim >= array->rank || array->shape[dim] != k->axes[a].size) break;
        dim++;
    }
    return dim;
}

static void check_cluster(const tg_verifier *v, const tg_param *p)
{
    const tg_kernel *k = v->kernel;
    if (!p->cluster) return;
    if (p->role != TG_ROLE_SCRATCH)
        tg_illegal(v, "role %s takes no cluster; only scratch does", tg_role_names[p->role]);
    else if (dims_of_blocks(k, &p->array) < p->cluster)
        tg_illegal(v,
                   "the array is %s, but its first %" PRId64 " dimensions must be the sizes of the "
                   "first thread axes, which number the blocks of the cluster",
                   tg_show(&p->array).text, p->cluster);
    for (const tg_param *other = k->params; other < p; other++)
        if (other->cluster && other->cluster != p->cluster) {
            tg_illegal(v, "the cluster has %" PRId64 " dimensions, but that of \"%s\" has %" PRId64,
                       p->cluster, other->name, other->cluster);
            return;
        }
}

static void check_role(const tg_verifier *v, uint32_t index)
{
    const tg_param *params = v->kernel->params, *p = &params[index];
    if (index > 0 && p->role < params[index - 1].role)
        tg_illegal(v, "role %s follows role %s, but the order is prefetch, input, output, scratch",
                   tg_role_names[p->role], tg_role_names[params[index - 1].role]);
    if (tg_is_semaphore(p->array.dtype) && p->role != TG_ROLE_SCRATCH)
        tg_mistyped(v, "role %s takes no semaphores; only scratch does", tg_role_names[p->role]);
    check_arrivals(v, p);
    check_cluster(v, p);
    if (p->is_shared && p->array.dtype != TG_DT_sem)
        tg_illegal(v, "the array is %s, but only semaphores (sem) can be shared",
                   tg_show(&p->array).text);
    if (has_block_mapping(p->role)) return;
    if (p->has_block) tg_illegal(v, "role %s takes no block", tg_role_names[p->role]);
    if (p->index_map) tg_illegal(v, "role %s takes no index_map", tg_role_names[p->role]);
}

static const char *name_of_param(const tg_verifier *v, uint32_t index)
{
    return v->kernel->params[index].name;
}

static void check_alias(const tg_verifier *v, uint32_t index)
{
    const tg_param *params = v->kernel->params, *p = &params[index];
    if (p->alias < 0) return;
    if (p->role != TG_ROLE_OUTPUT) {
        tg_illegal(v, "role %s takes no alias; only outputs do", tg_role_names[p->role]);
        return;
    }
    if ((uint32_t)p->alias >= v->kernel->param_count || params[p->alias].role > TG_ROLE_INPUT) {
        tg_illegal(v, "alias must be an input or prefetch param");
        return;
    }
    const tg_param *shared = &params[p->alias];
    if (!tg_same_type(&p->array, &shared->array))
        tg_mistyped(v, "the array is %s, but its alias \"%s\" is %s", tg_show(&p->array).text,
                    shared->name ? shared->name : "", tg_show(&shared->array).text);
    for (uint32_t earlier = 0; earlier < index; earlier++)
        if (params[earlier].role == TG_ROLE_OUTPUT && params[earlier].alias == p->alias)
            tg_illegal(v, "param %" PRIu32 " is aliased to the same param already", earlier);
}

/* Checks that the body's argument is the reference that the block mapping gives. */
static void check_ref(const tg_verifier *v, uint32_t index, const tg_verifier *of_kernel)
{
    const tg_kernel *k = v->kernel;
    const tg_type expected = tg_block_ref(&k->params[index]);
    if (!tg_type_is_sound(&expected)) {
        tg_illegal(v, "the block has more than 2^47 elements");
        return;
    }
    const tg_type *found =
        index < k->body.arg_count ? tg_type_of(k, k->body.args[index]) : &expected;
    if (!tg_same_type(found, &expected)) {
        tg_path body = {of_kernel->at, "body", 0}, args = {&body, "args", 0},
                here = {&args, NULL, index};
        tg_verifier at_arg = tg_verifier_at(v, &here);
        tg_mistyped(&at_arg,
                    "argument %" PRIu32 " is %s, but must be %s, the block of param \"%s\"", index,
                    tg_show(found).text, tg_show(&expected).text,
                    k->params[index].name ? k->params[index].name : "");
    } else if (!tg_same_type(&k->params[index].ref, &expected))
        tg_mistyped(v, "the ref is %s, but the block gives %s", tg_show(&k->params[index].ref).text,
                    tg_show(&expected).text);
}

/* What memory a param is in, and how, is said by the param. */
static void check_argument(const tg_verifier *of_kernel, uint32_t index)
{
    const tg_kernel *k = of_kernel->kernel;
    if (index >= k->body.arg_count) return;
    tg_path body = {of_kernel->at, "body", 0}, args = {&body, "args", 0},
            here = {&args, NULL, index};
    tg_verifier at_arg = tg_verifier_at(of_kernel, &here);
    tg_verify_no_place(&at_arg, k->body.args[index]);
}

void tg_verify_params(const tg_verifier *v)
{
    tg_path params = {v->at, "params", 0};
    for (uint32_t index = 0; index < v->kernel->param_count; index++) {
        const tg_param *p = &v->kernel->params[index];
        tg_path here = {&params, NULL, index};
        tg_verifier at_param = tg_verifier_at(v, &here);
        check_role(&at_param, index);
        tg_verify_name(&at_param, "param", name_of_param, index);
        check_alias(&at_param, index);
        tg_verify_param_layout(&at_param, p);
        check_argument(v, index);
        if (tg_verify_block(&at_param, p)) check_ref(&at_param, index, v);
        tg_verify_index_map(&at_param, p);
    }
}
