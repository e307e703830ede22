#include "plan/program_text.h"

#include <inttypes.h>
#include <stdio.h>

/* Returns the length of the text with the coordinate behind it. */
static size_t append(char *out, size_t used, const char *name, int64_t at)
{
    if (used >= TG_PROGRAM_TEXT) return used;
    return used + (size_t)snprintf(out + used, TG_PROGRAM_TEXT - used, "%s%s%s%" PRId64,
                                   used ? ", " : "(", name ? name : "", name ? "=" : "", at);
}

static char *close_text(char *out, size_t used)
{
    if (used < TG_PROGRAM_TEXT) snprintf(out + used, TG_PROGRAM_TEXT - used, used ? ")" : "()");
    return out;
}

char *tg_coordinates_print(int rank, const int64_t *at, char out[TG_PROGRAM_TEXT])
{
    size_t used = 0;
    for (int a = 0; a < rank; a++) used = append(out, used, NULL, at[a]);
    return close_text(out, used);
}

char *tg_named_coordinates_print(int count, const tg_grid_coordinate *coordinates,
                                 char out[TG_PROGRAM_TEXT])
{
    size_t used = 0;
    for (int a = 0; a < count; a++) {
        const tg_grid_coordinate *c = &coordinates[a];
        const bool would_be_empty = a == count - 1 && used == 0;
        if (!c->name || c->size != 1 || would_be_empty) used = append(out, used, c->name, c->at);
    }
    return close_text(out, used);
}

char *tg_program_print(const tg_kernel *kernel, const int64_t *grid, const int64_t *program,
                       char out[TG_PROGRAM_TEXT])
{
    tg_grid_coordinate coordinates[TG_MAX_AXES];
    for (int a = 0; a < kernel->axis_count; a++)
        coordinates[a] = (tg_grid_coordinate){kernel->axes[a].name, grid[a], program[a]};
    return tg_named_coordinates_print(kernel->axis_count, coordinates, out);
}
