#include "layout/linear/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether each out dimension is as large as the bases need. */
static bool has_least_sizes(const tg_linear *linear)
{
    uint64_t used = 0;
    for (int i = 0; i < tg_linear_bit_count(&linear->in); i++) used |= linear->columns[i];
    for (int o = 0; o < linear->out.count; o++) {
        const int bits = linear->out.list[o].bits;
        if (bits && !(tg_linear_part(&linear->out, used, o) >> (bits - 1))) return false;
    }
    return true;
}

static bool has_standard_outs(const tg_linear *linear)
{
    if (!linear->out.count || !tg_linear_bit_count(&linear->in)) return false;
    for (int o = 0; o < linear->out.count; o++) {
        char name[TG_LINEAR_NAME_SIZE];
        snprintf(name, sizeof name, "dim%d", o);
        if (strcmp(name, linear->out.list[o].name) != 0) return false;
    }
    return has_least_sizes(linear);
}

static void print_parts(const tg_linear *linear, uint64_t column, tg_text *out)
{
    for (int o = 0; o < linear->out.count; o++)
        tg_text_add(out, "%s%" PRId64, o ? ", " : "", tg_linear_part(&linear->out, column, o));
}

static void print_bases(const tg_linear *linear, tg_text *out)
{
    tg_text_put(out, "{");
    for (int d = 0, k = 0; d < linear->in.count; d++) {
        tg_text_add(out, "%s%s = [", d ? ", " : "", linear->in.list[d].name);
        for (int i = 0; i < linear->in.list[d].bits; i++) {
            tg_text_put(out, i ? ", [" : "[");
            print_parts(linear, linear->columns[k++], out);
            tg_text_put(out, "]");
        }
        tg_text_put(out, "]");
    }
    tg_text_put(out, "}");
}

void tg_linear_print(const tg_linear *linear, tg_text *out)
{
    const bool is_standard = has_standard_outs(linear);
    if (is_standard) tg_text_put(out, "#ttg.linear<");
    print_bases(linear, out);
    if (is_standard) {
        tg_text_put(out, ">");
        return;
    }
    tg_text_put(out, " -> (");
    for (int o = 0; o < linear->out.count; o++)
        tg_text_add(out, "%s%s = %" PRId64, o ? ", " : "", linear->out.list[o].name,
                    INT64_C(1) << linear->out.list[o].bits);
    tg_text_put(out, ")");
}

static void print_in_lines(const tg_linear *linear, int in, tg_text *out)
{
    const tg_linear_dim *dim = &linear->in.list[in];
    const int first = tg_linear_first_bit(&linear->in, in);
    if (!dim->bits) tg_text_add(out, " - %s is a size 1 dimension\n", dim->name);
    for (int i = 0; i < dim->bits; i++) {
        tg_text_add(out, "%s%s=%" PRId64 " -> (", i ? "   " : " - ", dim->name, INT64_C(1) << i);
        print_parts(linear, linear->columns[first + i], out);
        tg_text_put(out, ")\n");
    }
}

void tg_linear_print_lines(const tg_linear *linear, tg_text *out)
{
    tg_text_put(out, "\n");
    if (!linear->in.count && !linear->out.count) {
        tg_text_put(out, "(empty layout)");
        return;
    }
    for (int d = 0; d < linear->in.count; d++) print_in_lines(linear, d, out);
    tg_text_put(out, linear->in.count ? "where out dims are: [" : "(empty layout with out-dims [");
    for (int o = 0; o < linear->out.count; o++)
        tg_text_add(out, "%s%s (size %" PRId64 ")", o ? ", " : "", linear->out.list[o].name,
                    INT64_C(1) << linear->out.list[o].bits);
    tg_text_put(out, linear->in.count ? "]" : "])");
}
