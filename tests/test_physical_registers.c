/* Where the registers of a physical run are, one behind the other. */
#include <criterion/criterion.h>
#include <string.h>

#include "layout/canonical.h"
#include "layout/print.h"
#include "layout/read.h"
#include "physical/registers.h"

/* The addresses of a value that has the register file alone. */
static void lies(const char *layout, const char *wanted)
{
    tg_axe axe, address;
    tg_register_file file;
    tg_text text = {0};
    cr_assert_eq(tg_axe_read(layout, strlen(layout), &axe, NULL), TG_OK, "%s", layout);
    tg_register_file_begin(&file);
    tg_register_file_add(&file, &axe);
    tg_axe_in_registers(&axe, &file, &address);
    tg_axe_canonize(&address);
    tg_axe_print(&address, &text);
    char *printed = tg_text_finish(&text);
    cr_expect_str_eq(printed, wanted);
    free(printed);
}

/* Registers of a thread, then threads of a block, then blocks. */
Test(physical_registers, from_inside_to_outside)
{
    lies("(32,4):(1@lane,1@reg)", "128:1");
    lies("(4,32):(1@reg,1@lane)", "(4,32):(1,4)");
    lies("(2,4,32):(1@bx,1@warp,1@lane)", "256:1");
    lies("(32,4,2):(1@lane,1@warp,1@bx)", "(32,4,2):(1,32,128)");
}
