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

char *tg_program_print(const tg_kernel *kernel, const int64_t *grid, const int64_t *program,
                       char out[TG_PROGRAM_TEXT])
{
    const int rank = kernel->axis_count;
    size_t used = 0;
    for (int a = 0; a < rank; a++) {
        const bool is_last_hope = a == rank - 1 && used == 0;
        if (!kernel->axes[a].name || grid[a] != 1 || is_last_hope)
            used = append(out, used, kernel->axes[a].name, program[a]);
    }
    return close_text(out, used);
}
