/* How messages name a program. */
#include <criterion/criterion.h>
#include <string.h>

#include "plan/program_text.h"

static tg_kernel with_axes(int count, char *const *names)
{
    tg_kernel kernel = {.axis_count = count};
    for (int a = 0; a < count; a++) kernel.axes[a].name = names ? names[a] : NULL;
    return kernel;
}

static void expect(const tg_kernel *kernel, const int64_t *grid, const int64_t *program,
                   const char *want)
{
    char out[TG_PROGRAM_TEXT];
    cr_expect_str_eq(tg_program_print(kernel, grid, program, out), want);
}

Test(program_text, axes_without_names)
{
    const tg_kernel none = with_axes(0, NULL), two = with_axes(2, NULL);
    expect(&none, NULL, NULL, "()");
    expect(&two, (int64_t[]){1, 4}, (int64_t[]){0, 3}, "(0, 3)");
}

/* Of axes with names, those that have one program tell nothing. */
Test(program_text, axes_with_names)
{
    const tg_kernel triton = with_axes(3, (char *[]){"z", "y", "x"});
    expect(&triton, (int64_t[]){1, 1, 8}, (int64_t[]){0, 0, 3}, "(x=3)");
    expect(&triton, (int64_t[]){2, 1, 8}, (int64_t[]){1, 0, 3}, "(z=1, x=3)");
    expect(&triton, (int64_t[]){2, 1, 1}, (int64_t[]){1, 0, 0}, "(z=1)");
    expect(&triton, (int64_t[]){1, 1, 1}, (int64_t[]){0, 0, 0}, "(x=0)");
    const tg_kernel mixed = with_axes(2, (char *[]){NULL, "thread"});
    expect(&mixed, (int64_t[]){1, 2}, (int64_t[]){0, 1}, "(0, thread=1)");
    expect(&mixed, (int64_t[]){1, 1}, (int64_t[]){0, 0}, "(0)");
}

/* What does not fit is left out. */
Test(program_text, long_names)
{
    char name[3 * TG_PROGRAM_TEXT], out[TG_PROGRAM_TEXT];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const tg_kernel kernel = with_axes(2, (char *[]){name, "x"});
    cr_expect_eq(strlen(tg_program_print(&kernel, (int64_t[]){2, 2}, (int64_t[]){0, 1}, out)),
                 TG_PROGRAM_TEXT - 1);
}
