#include "run/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lower/lower.h"
#include "interp/exec/bind.h"
#include "interp/exec/block.h"
#include "interp/exec/storage.h"
#include "interp/state/machine.h"
#include "base/text.h"

enum { MOST_ELEMENTS = 10000, MOST_PROGRAMS = 100000, LABEL = 48 };

/* The programs whose block contains an element: the last one in grid order, and their number. */
typedef struct cell {
    int64_t program[TG_MAX_AXES];
    int64_t count;
} cell;

typedef struct drawing {
    const tg_kernel *kernel;
    const tg_param *param;
    uint32_t index; /* of the param */
    cell *cells;    /* row-major over the array */
    int64_t count;
} drawing;

/* ---- filling the cells ---- */

static void note_block(drawing *d, const tg_machine *m)
{
    const tg_ref *ref = &m->refs[d->index];
    int64_t at[TG_MAX_RANK];
    int rank = d->param->ref.rank;
    if (ref->is_nothing) return;
    for (int i = 0; i < rank; i++) {
        at[i] = ref->low[i];
        if (ref->low[i] >= ref->high[i]) return;
    }
    for (;;) {
        int64_t offset = ref->origin;
        for (int i = 0; i < rank; i++) offset += at[i] * ref->stride[i];
        memcpy(d->cells[offset].program, m->program, sizeof m->program);
        d->cells[offset].count++;
        int i = rank - 1;
        while (i >= 0 && ++at[i] == ref->high[i]) {
            at[i] = ref->low[i];
            i--;
        }
        if (i < 0) return;
    }
}

static void visit_programs(drawing *d, tg_machine *m)
{
    int64_t program[TG_MAX_AXES] = {0}, order = 0;
    int rank = d->kernel->axis_count;
    for (int a = 0; a < rank; a++)
        if (d->kernel->axes[a].size == 0) return;
    for (;; order++) {
        memcpy(m->program, program, sizeof program);
        m->program_index = order;
        tg_ref_start(m, d->index); /* only this param: other maps may read values of a run */
        note_block(d, m);
        int a = rank - 1;
        while (a >= 0 && ++program[a] == d->kernel->axes[a].size) program[a--] = 0;
        if (a < 0) return;
    }
}

static tg_status fill_with(drawing *d, tg_launch *launch, tg_diags *diags)
{
    TG_TRY(tg_launch_bind(launch, diags));
    tg_machine *m = tg_machine_new(launch);
    if (!m) return tg_no_memory(diags);
    visit_programs(d, m);
    tg_machine_free(m);
    return TG_OK;
}

static tg_status fill(drawing *d, const tg_plan *plan, tg_diags *diags)
{
    const tg_kernel *k = d->kernel;
    tg_findings ignored;
    if (!plan->mappings[d->index].is_affine && tg_param_count(k, TG_ROLE_PREFETCH) > 0)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                       "the index map of %s reads prefetched values, which only a run has",
                       d->param->name);
    if (!tg_findings_init(&ignored, 1)) return tg_no_memory(diags);
    tg_launch launch = {.plan = plan,
                        .elementwise = tg_elementwise_get(NULL),
                        .axis_count = k->axis_count,
                        .findings = &ignored};
    launch.buffers = calloc(k->param_count + 1, sizeof *launch.buffers);
    tg_status status = TG_ERR_NO_MEMORY;
    if (!launch.buffers) {
        tg_no_memory(diags);
    } else {
        for (int a = 0; a < k->axis_count; a++) launch.grid[a] = k->axes[a].size;
        for (uint32_t p = 0; p < k->param_count; p++)
            tg_dense_strides(k->params[p].array.rank, k->params[p].array.shape,
                             launch.buffers[p].stride);
        status = fill_with(d, &launch, diags);
    }
    tg_launch_unbind(&launch);
    free(launch.buffers);
    tg_findings_free(&ignored);
    return status;
}

/* ---- drawing ---- */

static void label(const drawing *d, const cell *c, char *out)
{
    tg_text text = {0};
    if (!c->count) tg_text_put(&text, "-");
    for (int a = 0; c->count && a < d->kernel->axis_count; a++)
        tg_text_add(&text, "%s%" PRId64, a ? "," : "", c->program[a]);
    if (c->count && d->kernel->axis_count == 0) tg_text_put(&text, "()");
    if (c->count > 1) tg_text_add(&text, "+%" PRId64, c->count - 1);
    char *whole = tg_text_finish(&text);
    snprintf(out, LABEL, "%s", whole ? whole : "?");
    free(whole);
}

static int widest_label(const drawing *d)
{
    char text[LABEL];
    size_t most = 1;
    for (int64_t i = 0; i < d->count; i++) {
        label(d, &d->cells[i], text);
        if (strlen(text) > most) most = strlen(text);
    }
    return (int)most;
}

static void columns_and_rows(const drawing *d, int64_t *columns, int64_t *rows)
{
    const tg_type *array = &d->param->array;
    *columns = array->rank > 0 ? array->shape[array->rank - 1] : 1;
    *rows = array->rank > 1 ? array->shape[array->rank - 2] : 1;
}

/* Adds "x[3, :, :]" for slice number `slice`. */
static void add_slice_name(tg_text *t, const drawing *d, int64_t slice)
{
    const tg_type *array = &d->param->array;
    int64_t index[TG_MAX_RANK];
    for (int i = array->rank - 3; i >= 0; i--) {
        index[i] = slice % array->shape[i];
        slice /= array->shape[i];
    }
    tg_text_add(t, "%s[", d->param->name);
    for (int i = 0; i < array->rank - 2; i++) tg_text_add(t, "%" PRId64 ", ", index[i]);
    tg_text_put(t, ":, :]");
}

static char *draw_text(const drawing *d)
{
    tg_text t = {0};
    char type[TG_TYPE_TEXT], text[LABEL];
    int64_t columns, rows;
    int width = widest_label(d);
    columns_and_rows(d, &columns, &rows);
    tg_text_add(&t, "%s %s %s: program of each element; +n: n more programs have it, - none\n",
                tg_role_names[d->param->role], d->param->name,
                tg_type_print(&d->param->array, type, sizeof type));
    for (int64_t i = 0; i < d->count; i++) {
        if (i % (columns * rows) == 0 && d->param->array.rank > 2) {
            add_slice_name(&t, d, i / (columns * rows));
            tg_text_put(&t, "\n");
        }
        label(d, &d->cells[i], text);
        tg_text_add(&t, "%s%*s", i % columns ? " " : "[", width, text);
        if (i % columns == columns - 1) tg_text_put(&t, "]\n");
    }
    return tg_text_finish(&t);
}

/* Neighbouring programs get very different colours: the hue advances by the golden angle. */
static void add_cell(tg_text *t, const drawing *d, int64_t i, int64_t x, int64_t y, int size)
{
    const cell *c = &d->cells[i];
    char text[LABEL];
    int64_t order = 0;
    for (int a = 0; a < d->kernel->axis_count; a++)
        order = order * d->kernel->axes[a].size + c->program[a];
    label(d, c, text);
    tg_text_add(
        t, "<rect x=\"%" PRId64 "\" y=\"%" PRId64 "\" width=\"%d\" height=\"24\" stroke=\"#fff\" ",
        x, y, size);
    if (c->count)
        tg_text_add(t, "fill=\"hsl(%" PRId64 ",55%%,%d%%)\"/>", order * 137 % 360,
                    c->count > 1 ? 60 : 78);
    else
        tg_text_put(t, "fill=\"#eee\"/>");
    tg_text_add(t, "<text x=\"%" PRId64 "\" y=\"%" PRId64 "\">%s</text>\n", x + size / 2, y + 16,
                text);
}

static char *draw_svg(const drawing *d)
{
    enum { TOP = 28, ROW = 24 };
    tg_text t = {0};
    char type[TG_TYPE_TEXT];
    int64_t columns, rows;
    int size = 12 + 7 * widest_label(d);
    columns_and_rows(d, &columns, &rows);
    int64_t slices = columns * rows > 0 ? d->count / (columns * rows) : 0,
            height = rows * ROW + TOP;
    tg_text_add(&t,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRId64 "\" height=\"%" PRId64
                "\" font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\">\n",
                columns * size + 300, slices * height + 8);
    for (int64_t i = 0; i < d->count; i++) {
        int64_t slice = i / (columns * rows), y = slice * height;
        if (i % (columns * rows) == 0) {
            tg_text_add(&t, "<text x=\"4\" y=\"%" PRId64 "\" text-anchor=\"start\">", y + 18);
            if (d->param->array.rank > 2)
                add_slice_name(&t, d, slice);
            else
                tg_text_add(&t, "%s %s", d->param->name,
                            tg_type_print(&d->param->array, type, sizeof type));
            tg_text_put(&t, "</text>\n");
        }
        add_cell(&t, d, i, i % columns * size, y + TOP + i / columns % rows * ROW, size);
    }
    tg_text_put(&t, "</svg>\n");
    return tg_text_finish(&t);
}

/* ---- the whole picture ---- */

static tg_status check(const drawing *d, tg_diags *diags)
{
    int64_t programs = 1;
    if (d->param->role == TG_ROLE_SCRATCH)
        return tg_fail(diags, TG_ERR_USAGE, NULL, "%s is scratch: it has no block mapping",
                       d->param->name);
    for (int a = 0; a < d->kernel->axis_count; a++) {
        if (d->kernel->axes[a].size < 0)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL,
                           "axis %d of the grid has its size from the launch", a);
        if (d->kernel->axes[a].size && programs > MOST_PROGRAMS / d->kernel->axes[a].size)
            return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "the grid has more than %d programs",
                           MOST_PROGRAMS);
        programs *= d->kernel->axes[a].size;
    }
    if (d->count > MOST_ELEMENTS)
        return tg_fail(diags, TG_ERR_UNSUPPORTED, NULL, "%s has more than %d elements",
                       d->param->name, MOST_ELEMENTS);
    return TG_OK;
}

static tg_status prepare(drawing *d, const tg_module *module, tg_diags *diags)
{
    tg_plan *plan;
    TG_TRY(check(d, diags));
    TG_TRY(tg_plan_new(module, d->kernel, &plan, diags));
    d->cells = calloc((size_t)d->count + 1, sizeof *d->cells);
    tg_status status = d->cells ? fill(d, plan, diags) : tg_no_memory(diags);
    tg_plan_free(plan);
    return status;
}

char *tg_map_draw(const tg_module *module, const tg_kernel *kernel, const char *name, bool is_svg,
                  tg_diags *diags)
{
    drawing d = {.kernel = kernel};
    char *text = NULL;
    for (uint32_t p = 0; p < kernel->param_count; p++)
        if (strcmp(kernel->params[p].name, name) == 0) {
            d.param = &kernel->params[p];
            d.index = p;
        }
    if (!d.param) {
        tg_fail(diags, TG_ERR_USAGE, NULL, "kernel %s has no parameter %s", kernel->name, name);
        return NULL;
    }
    d.count = tg_type_count(&d.param->array);
    if (prepare(&d, module, diags) == TG_OK) {
        text = is_svg ? draw_svg(&d) : draw_text(&d);
        if (!text) tg_no_memory(diags);
    }
    free(d.cells);
    return text;
}
