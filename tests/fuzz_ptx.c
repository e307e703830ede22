/* Any text as PTX: refused with a diagnosis, or run for a while without harm. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/emulator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BYTES = 256, MOST_PARAMS = 1024 };

/* Every parameter of 8 bytes points to memory, and others are 3. */
static void launch(tg_emu_module *module, size_t entry, uint64_t seed)
{
    unsigned char params[MOST_PARAMS] = {0};
    tg_emu_memory *memory = tg_emu_memory_new();
    tg_diags diags = {0};
    tg_emu_result result;
    char report[2048];
    if (!memory || tg_emu_param_bytes(module, entry) > sizeof params) {
        tg_emu_memory_free(memory);
        return;
    }
    for (size_t i = 0; i < tg_emu_param_count(module, entry); i++) {
        tg_emu_param param = tg_emu_param_at(module, entry, i);
        uint64_t address =
            param.bytes == 8 ? tg_emu_alloc(memory, BYTES, param.alignment, param.name) : 3;
        memcpy(params + param.offset, &address, param.bytes < 8 ? param.bytes : 8);
    }
    tg_emu_launch options = {.entry = entry,
                             .grid = {2, 1, 1},
                             .block = {33, 1, 1},
                             .params = params,
                             .param_bytes = tg_emu_param_bytes(module, entry),
                             .seed = seed,
                             .races = true,
                             .cta_races = seed & 1,
                             .instruction_limit = 2000};
    tg_status status = tg_emu_run(module, memory, &options, &result, &diags);
    if (status == TG_OK && result.trapped)
        tg_emu_trap_print(module, entry, &result.trap, report, sizeof report);
    if (status != TG_OK && status != TG_ERR_USAGE && status != TG_ERR_NO_MEMORY) abort();
    tg_diags_free(&diags);
    tg_emu_memory_free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tg_emu_module *module = NULL;
    tg_diags diags = {0};
    tg_status status = tg_emu_module_load((const char *)data, size, "fuzz.ptx", &module, &diags);
    if (status != TG_OK && diags.worst == TG_OK) abort(); /* a failure without a diagnosis */
    if ((status == TG_OK) != (module != NULL)) abort();
    for (size_t i = 0; module && i < tg_emu_entry_count(module) && i < 4; i++)
        launch(module, i, size % 3);
    tg_emu_module_free(module);
    tg_diags_free(&diags);
    return 0;
}
