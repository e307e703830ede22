/* Linear layouts: a program of words, each a layout or an operation, that work on a stack. */
#define _POSIX_C_SOURCE 200809L

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout/linear/apply.h"
#include "layout/linear/concat.h"
#include "layout/linear/divide.h"
#include "layout/linear/invert.h"
#include "layout/linear/make.h"
#include "layout/linear/print.h"
#include "layout/linear/product.h"
#include "layout/linear/read.h"
#include "layout/linear/reshape.h"
#include "layout/linear/resize.h"
#include "layout/linear/solve.h"
#include "layout/linear/sublayout.h"
#include "layouts/judge.h"

enum { MOST_STACK = 8, MOST_ARGS = 24, WORD_SIZE = 16384 };

/* A word cut at its spaces: an operation and what it is told. */
typedef struct word {
    char text[WORD_SIZE];
    int count; /* of args */
    const char *name, *args[MOST_ARGS];
} word;

typedef struct machine {
    tg_linear stack[MOST_STACK + 1];
    int depth;
    bool has_answered; /* a question was the last word: the layout itself is not printed */
    tg_text *out;
    tg_diags *diags;
} machine;

static tg_status wrong(machine *m, const char *what)
{
    return tg_fail(m->diags, TG_ERR_SYNTAX, NULL, "no word: %s", what);
}

static bool split_word(const char *text, size_t length, word *w)
{
    if (length >= sizeof w->text) return false;
    memcpy(w->text, text, length);
    w->text[length] = 0;
    w->count = 0;
    char *rest = NULL;
    w->name = strtok_r(w->text, " \n", &rest);
    for (const char *arg; (arg = strtok_r(NULL, " \n", &rest));) {
        if (w->count == MOST_ARGS) return false;
        w->args[w->count++] = arg;
    }
    return w->name != NULL;
}

static int64_t number(const word *w, int i)
{
    return i < w->count ? strtoll(w->args[i], NULL, 10) : 1;
}

static const char *name_of(const word *w, int i) { return i < w->count ? w->args[i] : ""; }

static bool is(const word *w, const char *name) { return strcmp(w->name, name) == 0; }

/* "a=2": cuts it at the sign. */
static int64_t value_of(const word *w, int i)
{
    char *sign = strchr(w->args[i], '=');
    if (!sign) return 0;
    *sign = 0;
    return strtoll(sign + 1, NULL, 10);
}

static tg_status make(machine *m, word *w, bool *done)
{
    tg_linear *to = &m->stack[m->depth];
    *done = true;
    if (is(w, "empty")) {
        tg_linear_begin(to);
    } else if (is(w, "identity")) {
        TG_TRY(tg_linear_identity(number(w, 0), name_of(w, 1), name_of(w, 2), to, m->diags));
    } else if (is(w, "strided")) {
        TG_TRY(tg_linear_strided(number(w, 0), number(w, 1), name_of(w, 2), name_of(w, 3), to,
                                 m->diags));
    } else if (is(w, "zeros")) {
        TG_TRY(tg_linear_zeros(number(w, 0), name_of(w, 1), name_of(w, 2), number(w, 3), to,
                               m->diags));
    } else {
        *done = false;
        return TG_OK;
    }
    m->depth++;
    return TG_OK;
}

typedef tg_status binary(const tg_linear *a, const tg_linear *b, tg_linear *result,
                         tg_diags *diags);

static tg_status combine(machine *m, word *w, bool *done)
{
    static const struct {
        const char *name;
        binary *run;
    } all[] = {{"*", tg_linear_product},
               {"compose", tg_linear_compose},
               {"divideLeft", tg_linear_divide_left},
               {"divideRight", tg_linear_divide_right},
               {"invertAndCompose", tg_linear_invert_and_compose},
               {"concatIns", tg_linear_concat_ins},
               {"concatOuts", tg_linear_concat_outs}};
    *done = false;
    for (size_t i = 0; i < sizeof all / sizeof *all && m->depth >= 2; i++)
        if (is(w, all[i].name)) {
            tg_linear *a = &m->stack[m->depth - 2];
            *done = true;
            m->depth--;
            return all[i].run(a, &m->stack[m->depth], a, m->diags);
        }
    return TG_OK;
}

static tg_status read_dims(machine *m, word *w, tg_linear_dims *dims)
{
    dims->count = 0;
    for (int i = 0; i < w->count; i++) {
        int bits;
        TG_TRY(tg_linear_size_bits(value_of(w, i), &bits, m->diags));
        TG_TRY(tg_linear_add_dim(dims, w->args[i], bits, m->diags));
    }
    return TG_OK;
}

/* "a b -> c d" */
static tg_status read_sets(machine *m, word *w, const tg_linear *of, tg_linear_dim_set *ins,
                           tg_linear_dim_set *outs)
{
    int arrow = 0;
    while (arrow < w->count && strcmp(w->args[arrow], "->") != 0) arrow++;
    TG_TRY(tg_linear_dims_named(&of->in, w->args, arrow, ins, m->diags));
    const int from = arrow < w->count ? arrow + 1 : arrow;
    return tg_linear_dims_named(&of->out, w->args + from, w->count - from, outs, m->diags);
}

static tg_status change_dims(machine *m, word *w, tg_linear *top, bool *done)
{
    tg_linear_dims dims;
    if (is(w, "reshapeIns")) {
        TG_TRY(read_dims(m, w, &dims));
        return tg_linear_reshape_ins(top, &dims, m->diags);
    }
    if (is(w, "reshapeOuts")) {
        TG_TRY(read_dims(m, w, &dims));
        return tg_linear_reshape_outs(top, &dims, m->diags);
    }
    if (is(w, "transposeIns")) return tg_linear_transpose_ins(top, w->args, w->count, m->diags);
    if (is(w, "transposeOuts")) return tg_linear_transpose_outs(top, w->args, w->count, m->diags);
    if (is(w, "flattenIns"))
        tg_linear_flatten_ins(top);
    else if (is(w, "flattenOuts"))
        tg_linear_flatten_outs(top);
    else
        *done = false;
    return TG_OK;
}

static tg_status select_bits(machine *m, word *w, tg_linear *top)
{
    int bits[MOST_ARGS];
    for (int i = 1; i < w->count; i++) bits[i - 1] = (int)number(w, i);
    return tg_linear_select(top, name_of(w, 0), bits, w->count > 0 ? w->count - 1 : 0, m->diags);
}

static tg_status change(machine *m, word *w, bool *done)
{
    tg_linear *top = &m->stack[m->depth - 1];
    *done = true;
    if (is(w, "invert")) return tg_linear_invert(top, top, m->diags);
    if (is(w, "pseudoinvert")) return tg_linear_pseudoinvert(top, top, m->diags);
    if (is(w, "quotient")) return tg_linear_quotient(top, w->args, w->count, top, m->diags);
    if (is(w, "resizeIn")) return tg_linear_resize_in(top, name_of(w, 0), number(w, 1), m->diags);
    if (is(w, "resizeOut")) return tg_linear_resize_out(top, name_of(w, 0), number(w, 1), m->diags);
    if (is(w, "removeZeros")) return tg_linear_remove_zeros(top, name_of(w, 0), m->diags);
    if (is(w, "select")) return select_bits(m, w, top);
    if (is(w, "sublayout")) {
        tg_linear_dim_set ins, outs;
        TG_TRY(read_sets(m, w, top, &ins, &outs));
        tg_linear_sublayout(top, ins, outs, top);
        return TG_OK;
    }
    return change_dims(m, w, top, done);
}

/* ---- questions ---- */

static void say(machine *m, bool yes) { tg_text_put(m->out, yes ? "true" : "false"); }

static tg_status say_image(machine *m, word *w, const tg_linear *top)
{
    int64_t in[TG_LINEAR_MAX_DIMS] = {0}, out[TG_LINEAR_MAX_DIMS];
    for (int i = 0; i < w->count; i++) {
        int dim;
        const int64_t value = value_of(w, i);
        TG_TRY(tg_linear_need_dim(&top->in, w->args[i], &dim, m->diags));
        in[dim] = value;
    }
    tg_linear_apply_dims(top, in, out);
    for (int o = 0; o < top->out.count; o++)
        tg_text_add(m->out, "%s%s=%" PRId64, o ? " " : "", top->out.list[o].name, out[o]);
    return TG_OK;
}

static void say_names(machine *m, const tg_linear_dims *dims)
{
    for (int i = 0; i < dims->count; i++)
        tg_text_add(m->out, "%s%s", i ? " " : "", dims->list[i].name);
}

static void say_masks(machine *m, const tg_linear *top)
{
    int64_t mask[TG_LINEAR_MAX_DIMS];
    tg_linear_free_masks(top, mask);
    for (int i = 0; i < top->in.count; i++)
        tg_text_add(m->out, "%s%s=%" PRId64, i ? " " : "", top->in.list[i].name, mask[i]);
}

/* All images, flattened. */
static void say_table(machine *m, const tg_linear *top)
{
    for (uint64_t i = 0; i < UINT64_C(1) << tg_linear_bit_count(&top->in) && i < 4096; i++)
        tg_text_add(m->out, "%s%" PRIu64, i ? " " : "", tg_linear_apply(top, i));
}

/* A row for each out bit, a digit for each in bit. */
static void say_matrix(machine *m, const tg_linear *top)
{
    for (int o = 0; o < tg_linear_bit_count(&top->out); o++) {
        if (o) tg_text_put(m->out, " ");
        for (int i = 0; i < tg_linear_bit_count(&top->in); i++)
            tg_text_put(m->out, top->columns[i] >> o & 1 ? "1" : "0");
    }
}

static tg_status say_bits(machine *m, word *w, const tg_linear_dims *dims)
{
    int dim;
    TG_TRY(tg_linear_need_dim(dims, name_of(w, 0), &dim, m->diags));
    tg_text_add(m->out, "%d", dims->list[dim].bits);
    return TG_OK;
}

static tg_status ask_of_dims(machine *m, word *w, const tg_linear *top, bool *done)
{
    tg_linear_dim_set ins, outs;
    bool is_trivial;
    if (is(w, "isZero")) {
        TG_TRY(read_sets(m, w, top, &ins, &outs));
        say(m, tg_linear_is_zero(top, ins, outs));
    } else if (is(w, "trivialOver")) {
        TG_TRY(tg_linear_is_trivial_over(top, w->args, w->count, &is_trivial, m->diags));
        say(m, is_trivial);
    } else if (is(w, "inBits")) {
        return say_bits(m, w, &top->in);
    } else if (is(w, "outBits")) {
        return say_bits(m, w, &top->out);
    } else if (is(w, "apply")) {
        return say_image(m, w, top);
    } else {
        *done = false;
    }
    return TG_OK;
}

static tg_status ask(machine *m, word *w, bool *done)
{
    const tg_linear *top = &m->stack[m->depth - 1], *second = top - (m->depth > 1);
    *done = true;
    if (is(w, "equal"))
        say(m, tg_linear_same(second, top));
    else if (is(w, "equalBases"))
        say(m, tg_linear_same_bases(second, top));
    else if (is(w, "surjective"))
        say(m, tg_linear_is_surjective(top));
    else if (is(w, "injective"))
        say(m, tg_linear_is_injective(top));
    else if (is(w, "invertible"))
        say(m, tg_linear_is_invertible(top));
    else if (is(w, "exists"))
        say(m, true);
    else if (is(w, "consecutive"))
        tg_text_add(m->out, "%" PRId64, tg_linear_consecutive(top));
    else if (is(w, "totalOut"))
        tg_text_add(m->out, "%" PRId64, INT64_C(1) << tg_linear_bit_count(&top->out));
    else if (is(w, "ins"))
        say_names(m, &top->in);
    else if (is(w, "outs"))
        say_names(m, &top->out);
    else if (is(w, "freeMasks"))
        say_masks(m, top);
    else if (is(w, "table"))
        say_table(m, top);
    else if (is(w, "matrix"))
        say_matrix(m, top);
    else if (is(w, "lines"))
        tg_linear_print_lines(top, m->out);
    else
        return ask_of_dims(m, w, top, done);
    return TG_OK;
}

/* ---- programs ---- */

static bool is_layout(const char *text, size_t length)
{
    while (length && (*text == ' ' || *text == '\n')) text++, length--;
    return length && strchr("{#(-", *text) && !(length == 1);
}

static tg_status run_word(machine *m, const char *text, size_t length)
{
    static word w;
    bool done = false;
    m->has_answered = false;
    if (m->depth == MOST_STACK) return wrong(m, "the stack is full");
    if (is_layout(text, length)) {
        TG_TRY(tg_linear_read(text, length, &m->stack[m->depth], m->diags));
        m->depth++;
        return TG_OK;
    }
    if (!split_word(text, length, &w)) return wrong(m, "too long, or none");
    TG_TRY(make(m, &w, &done));
    if (!done) TG_TRY(combine(m, &w, &done));
    if (!done && m->depth) TG_TRY(change(m, &w, &done));
    if (!done && m->depth) {
        TG_TRY(ask(m, &w, &done));
        m->has_answered = done;
    }
    return done ? TG_OK : wrong(m, w.name);
}

tg_status judged_linear(const char *const *in, int count, tg_text *out, tg_diags *diags)
{
    static machine m;
    m = (machine){.out = out, .diags = diags};
    for (int i = 0; i < count; i++)
        for (const char *at = in[i]; *at;) {
            const size_t length = strcspn(at, ";");
            TG_TRY(run_word(&m, at, length));
            at += length + (at[length] == ';');
        }
    if (!m.depth) return wrong(&m, "there is no layout");
    if (!m.has_answered) tg_linear_print(&m.stack[m.depth - 1], out);
    return TG_OK;
}
