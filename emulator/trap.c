/* Formats traps as text. */
#include "emulator/trap.h"

#include <stdio.h>

static const char *const names[TG_EMU_TRAP_COUNT] = {
#define TG_EMU_TRAP(id, name, means, example) name,
#include "emulator/traps.def"
};

const char *tg_emu_trap_name(tg_emu_trap_kind kind) { return names[kind]; }

static int print_place(const tg_emu_place *place, char *out, size_t size)
{
    char source[256] = "";
    if (place->source)
        snprintf(source, sizeof source, " (%.200s:%u)", place->source, place->source_line);
    return snprintf(out, size, "%u:%u%s, CTA (%u, %u, %u), thread (%u, %u, %u)", place->line,
                    place->column, source, place->ctaid[0], place->ctaid[1], place->ctaid[2],
                    place->tid[0], place->tid[1], place->tid[2]);
}

/* What stands between the text and the positions, and behind them. */
typedef struct layout {
    const char *at, *and_at, *end;
} layout;

static int print_trap(const tg_emu_module *module, size_t entry, const tg_emu_trap *trap,
                      const layout *between, char *out, size_t size)
{
    char at[384], other[384];
    print_place(&trap->at, at, sizeof at);
    print_place(&trap->other, other, sizeof other);
    return snprintf(out, size, "%s: %s%s%s of %s%s%s%s%s", tg_emu_trap_name(trap->kind), trap->text,
                    between->at, at, tg_emu_entry_name(module, entry),
                    trap->has_other ? between->and_at : "", trap->has_other ? other : "",
                    trap->has_other ? ", before" : "", between->end);
}

int tg_emu_trap_print(const tg_emu_module *module, size_t entry, const tg_emu_trap *trap, char *out,
                      size_t size)
{
    const layout lines = {"\n  at ", "\n  and ", "\n"};
    return print_trap(module, entry, trap, &lines, out, size);
}

int tg_emu_trap_line(const tg_emu_module *module, size_t entry, const tg_emu_trap *trap, char *out,
                     size_t size)
{
    const layout one_line = {", at ", ", and ", ""};
    return print_trap(module, entry, trap, &one_line, out, size);
}
