/* Tries the laws of layouts (laws.def) on as many random layouts as it is told to.
 *
 *   layout_laws [--first SEED] [--count N] [LAW ..]
 *
 * Prints a table.  Exit status 1 if a law is broken, after the seed and the layout. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layout/print.h"
#include "layouts/law.h"

typedef struct tally {
    uint64_t tried, refused, broken;
    double seconds;
} tally;

static void show_broken(const law *l, uint64_t seed, const tg_axe *axe)
{
    tg_text text = {0};
    tg_axe_print(axe, &text);
    char *printed = tg_text_finish(&text);
    printf("%s is broken: seed %" PRIu64 ", %s\n", l->name, seed, printed ? printed : "");
    free(printed);
}

static tally try_law(const law *l, uint64_t first, uint64_t count)
{
    tally t = {0};
    const clock_t begun = clock();
    for (uint64_t seed = first; seed < first + count; seed++) {
        chance c = {seed};
        tg_axe shown;
        tg_axe_begin(&shown);
        const outcome o = l->try(&c, &shown);
        t.tried++;
        t.refused += o == REFUSED;
        if (o == BROKEN && t.broken++ < 3) show_broken(l, seed, &shown);
    }
    t.seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    return t;
}

static bool is_wanted(const law *l, int argc, char **argv, int first)
{
    bool wanted = first == argc;
    for (int i = first; i < argc; i++) wanted |= strcmp(argv[i], l->name) == 0;
    return wanted;
}

static bool is_law(const char *name)
{
    for (const law *l = laws; l->name; l++)
        if (strcmp(name, l->name) == 0) return true;
    return false;
}

int main(int argc, char **argv)
{
    uint64_t first = 0, count = 1000, broken = 0;
    int at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        if (strcmp(argv[at], "--first") == 0)
            first = strtoull(argv[at + 1], NULL, 10);
        else if (strcmp(argv[at], "--count") == 0)
            count = strtoull(argv[at + 1], NULL, 10);
        else
            break;
    }
    for (int i = at; i < argc; i++)
        if (!is_law(argv[i])) {
            fprintf(stderr, "layout_laws: there is no law \"%s\"\n", argv[i]);
            return 2;
        }
    printf("%-14s %9s %9s %7s %8s  %s\n", "law", "layouts", "refused", "broken", "seconds", "says");
    for (const law *l = laws; l->name; l++) {
        if (!is_wanted(l, argc, argv, at)) continue;
        const tally t = try_law(l, first, count);
        broken += t.broken;
        printf("%-14s %9" PRIu64 " %9" PRIu64 " %7" PRIu64 " %8.1f  %s\n", l->name, t.tried,
               t.refused, t.broken, t.seconds, l->says);
        fflush(stdout);
    }
    return broken != 0;
}
