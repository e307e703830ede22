/* Axe layouts: axes of threads, algebra, elements of another width, spans. */
#include <inttypes.h>
#include <string.h>

#include "layout/compose.h"
#include "layout/cute/axe_algebra.h"
#include "layout/permute.h"
#include "layout/recast.h"
#include "layout/threads_axes.h"
#include "layouts/judged_parts.h"

/* Axes as "warp lane". */
tg_status judged_axe_threads(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe, result;
    tg_axis_set to = 0;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    for (const char *at = in[1]; *at;) {
        const size_t length = strcspn(at, " ");
        const tg_axis axis = tg_axis_find(at, length);
        if (axis == TG_AXIS_NONE)
            return tg_fail(diags, TG_ERR_INVALID, NULL, "there is no axis \"%s\"", at);
        to |= TG_AXIS_BIT(axis);
        at += length + strspn(at + length, " ");
    }
    return judge_print_canonical(&result, tg_axe_move_threads(&axe, to, &result, diags), out);
}

/* ---- algebra ---- */

typedef tg_status combines(const tg_axe *a, const tg_axe *b, tg_axe *out, tg_diags *diags);

static tg_status combine(const char *const *in, combines *how, tg_text *out, tg_diags *diags)
{
    tg_axe a, b, result;
    TG_TRY(judge_read(in[0], &a, diags));
    TG_TRY(judge_read(in[1], &b, diags));
    return judge_print_canonical(&result, how(&a, &b, &result, diags), out);
}

tg_status judged_axe_compose(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return combine(in, tg_axe_compose, out, diags);
}

tg_status judged_axe_divide(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return combine(in, tg_axe_divide, out, diags);
}

tg_status judged_axe_product(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    (void)count;
    return combine(in, tg_axe_product, out, diags);
}

tg_status judged_axe_complement(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe, result;
    tg_axis axis = TG_AXIS_m;
    int64_t size;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(judge_read_integer(in[1], &size, diags));
    if (count > 2) TG_TRY(judge_read_axis(in[2], &axis, diags));
    return judge_print_canonical(&result, tg_axe_complement(&axe, axis, size, &result, diags), out);
}

tg_status judged_axe_right_inverse(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe, result;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    return judge_print_canonical(&result, tg_axe_right_inverse(&axe, &result, diags), out);
}

tg_status judged_axe_left_inverse(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe, result;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    return judge_print_canonical(&result, tg_axe_left_inverse(&axe, &result, diags), out);
}

/* ---- elements of another width ---- */

typedef tg_status recasts(const tg_axe *axe, tg_axis axis, int64_t count, tg_axe *out,
                          tg_diags *diags);

static tg_status recast(const char *const *in, int count, recasts *how, tg_text *out,
                        tg_diags *diags)
{
    tg_axe axe, result;
    tg_axis axis;
    int64_t parts;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(judge_read_integer(in[1], &parts, diags));
    TG_TRY(count > 2 ? judge_read_axis(in[2], &axis, diags)
                     : tg_axe_packed_axis(&axe, &axis, diags));
    return judge_print_canonical(&result, how(&axe, axis, parts, &result, diags), out);
}

tg_status judged_axe_unpack(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    return recast(in, count, tg_axe_unpack, out, diags);
}

tg_status judged_axe_pack(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    return recast(in, count, tg_axe_pack, out, diags);
}

/* ---- dimensions, spans ---- */

tg_status judged_axe_permute(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe, result;
    tg_shape shape, permutation;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(judge_read_shape(in[1], &shape, diags));
    TG_TRY(judge_read_shape(in[2], &permutation, diags));
    return judge_print_canonical(&result,
                                 tg_axe_permute(&axe, &shape, &permutation, &result, diags), out);
}

tg_status judged_axe_storage(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe, result;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    tg_axe_storage(&axe, &result);
    return judge_print_canonical(&result, TG_OK, out);
}

/* Elements, or the span on an axis. */
tg_status judged_axe_size(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_axis axis;
    TG_TRY(judge_read(in[0], &axe, diags));
    if (count > 1) TG_TRY(judge_read_axis(in[1], &axis, diags));
    tg_text_add(out, "%" PRId64, count > 1 ? tg_axe_size_on(&axe, axis) : tg_iters_size(&axe.d));
    return TG_OK;
}

tg_status judged_axe_span(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    tg_axe axe;
    tg_axis axis;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(judge_read_axis(in[1], &axis, diags));
    tg_text_add(out, "%" PRId64, tg_axe_span(&axe, axis));
    return TG_OK;
}

/* At most this many numbers are printed. */
enum { MOST_VALUES = 4096 };

tg_status judged_axe_values(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    static int64_t values[MOST_VALUES];
    tg_axe axe;
    tg_axis axis;
    (void)count;
    TG_TRY(judge_read(in[0], &axe, diags));
    TG_TRY(judge_read_axis(in[1], &axis, diags));
    const int64_t size = tg_iters_size(&axe.d);
    if (size > MOST_VALUES) return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "too many elements");
    tg_axe_map_many(&axe, axis, 0, size, values);
    for (int64_t i = 0; i < size; i++) tg_text_add(out, "%s%" PRId64, i ? " " : "", values[i]);
    return TG_OK;
}

tg_status judged_axis_kind(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    static const char *const kinds[] = {
        [TG_AXIS_THREAD] = "thread", [TG_AXIS_MEMORY] = "memory", [TG_AXIS_DEVICE] = "device"};
    tg_axis axis;
    (void)count;
    TG_TRY(judge_read_axis(in[0], &axis, diags));
    tg_text_put(out, kinds[tg_axes[axis].kind]);
    return TG_OK;
}
