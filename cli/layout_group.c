#include "cli/layout_group.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/layout_text.h"

enum { MOST_SHAPES = 8, MOST_RANK = 16 };

/* The shapes of the operands, one after the other, and where the blocks of each begin. */
typedef struct blocks {
    size_t count, ranks[MOST_SHAPES], first[MOST_SHAPES * (MOST_RANK + 1)];
    int64_t extents[MOST_SHAPES * MOST_RANK];
    char **texts;
} blocks;

static int read_shapes(int count, char **operands, blocks *out)
{
    int64_t *next = out->extents;
    out->count = (size_t)count;
    out->texts = operands;
    for (int i = 0; i < count; i++) {
        tg_cli_shape shape;
        if (!tg_cli_shape_read(operands[i], &shape)) {
            fprintf(stderr, "tilegrind layout: \"%s\" is no shape, such as 8,16\n", operands[i]);
            return TG_EXIT_USAGE;
        }
        out->ranks[i] = shape.rank;
        memcpy(next, shape.extent, shape.rank * sizeof *next);
        next += shape.rank;
    }
    return TG_EXIT_CLEAN;
}

/* "4,6: iters 0,1 | 2" */
static void print_blocks(const blocks *b)
{
    const size_t *first = b->first;
    for (size_t s = 0; s < b->count; s++) {
        printf("%s: iters ", b->texts[s]);
        for (size_t i = 0; i < b->ranks[s]; i++) {
            if (i) printf(" | ");
            if (first[i] == first[i + 1]) printf("none");
            for (size_t k = first[i]; k < first[i + 1]; k++)
                printf("%s%zu", k > first[i] ? "," : "", k);
        }
        printf("\n");
        first += b->ranks[s] + 1;
    }
}

static void print_first(const blocks *b)
{
    const size_t *first = b->first;
    for (size_t s = 0; s < b->count; s++) {
        printf("%s[", s ? "," : "");
        for (size_t i = 0; i <= b->ranks[s]; i++) printf("%s%zu", i ? "," : "", *first++);
        printf("]");
    }
}

static int print_result(const tg_cli_layout *request, const tg_layout *layout, const blocks *b)
{
    char *text = request->json ? tg_layout_print_json(layout) : tg_layout_print(layout);
    if (!text) return tg_cli_no_memory();
    if (request->json) {
        printf("{\"layout\":%s,\"first\":[", text);
        print_first(b);
        printf("]}\n");
    } else {
        puts(text);
        print_blocks(b);
    }
    tg_text_free(text);
    return TG_EXIT_CLEAN;
}

int tg_cli_layout_group(const tg_cli_layout *request, int count, char **operands)
{
    int code = TG_EXIT_CLEAN;
    blocks b = {.count = 0};
    tg_layout *grouped = NULL, *layout = tg_cli_layout_read(request, operands[0], &code);
    if (layout) code = read_shapes(count - 1, operands + 1, &b);
    if (layout && code == TG_EXIT_CLEAN) {
        if (tg_layout_group_many(layout, b.extents, b.ranks, b.count, &grouped, b.first,
                                 request->errors) != TG_OK)
            code = tg_cli_layout_failed(request);
        else
            code = print_result(request, grouped, &b);
    }
    tg_layout_free(grouped);
    tg_layout_free(layout);
    return code;
}
