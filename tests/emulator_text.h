/* Short PTX for tests of the emulator: a body becomes an entry `k` with a pointer to 4,096 bytes. */
#ifndef TG_TESTS_EMULATOR_TEXT_H
#define TG_TESTS_EMULATOR_TEXT_H

#include <stdio.h>
#include <string.h>

#include "emulator/emulator.h"

enum { EMULATOR_TEXT = 8192, EMULATOR_BYTES = 4096, EMULATOR_BODY_LINE = 9 };

/* The body begins in line EMULATOR_BODY_LINE.  %rd1 points to the bytes, %r1 is the number of the thread. */
static inline const char *emulator_text(const char *body)
{
    static char text[EMULATOR_TEXT];
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_80\n.address_size 64\n"
             ".visible .entry k(.param .u64 out)\n{\n"
             ".reg .pred %%p<8>; .reg .b16 %%h<8>; .reg .b32 %%r<16>; .reg .b64 %%rd<8>; "
             ".reg .f32 %%f<8>; .reg .f64 %%fd<8>;\n"
             "ld.param.u64 %%rd1, [out]; cvta.to.global.u64 %%rd1, %%rd1;\nmov.u32 %%r1, %%tid.x;\n"
             "%s\n}\n",
             body);
    return text;
}

typedef struct emulator_run {
    tg_status status;
    tg_emu_result result;
    char message[512]; /* of the first diagnosis */
    char source[64];   /* the file of a trap, after the module's end */
    uint32_t words[EMULATOR_BYTES / 4];
} emulator_run;

/* Loads and runs a grid; `launch` has its extents and the options. */
static inline emulator_run emulator_run_grid(const char *text, tg_emu_launch launch)
{
    emulator_run r = {0};
    tg_diags diags = {0};
    tg_emu_module *module;
    r.status = tg_emu_module_load(text, strlen(text), NULL, &module, &diags);
    if (r.status == TG_OK) {
        tg_emu_memory *memory = tg_emu_memory_new();
        uint64_t out = tg_emu_alloc(memory, EMULATOR_BYTES, 16, "out");
        launch.params = &out;
        launch.param_bytes = sizeof out;
        r.status = tg_emu_run(module, memory, &launch, &r.result, &diags);
        memcpy(r.words, tg_emu_host(memory, out, EMULATOR_BYTES), EMULATOR_BYTES);
        const char *source = r.result.trapped ? r.result.trap.at.source : NULL;
        snprintf(r.source, sizeof r.source, "%s", source ? source : "");
        tg_emu_memory_free(memory);
        tg_emu_module_free(module);
    }
    if (diags.count) snprintf(r.message, sizeof r.message, "%s", diags.list[0].message);
    tg_diags_free(&diags);
    return r;
}

/* The same with one CTA, or `ctas`, of `threads` threads. */
static inline emulator_run emulator_run_text(const char *text, uint32_t threads, uint32_t ctas,
                                             tg_emu_launch launch)
{
    launch.grid[0] = ctas;
    launch.block[0] = threads;
    launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
    return emulator_run_grid(text, launch);
}

static inline emulator_run emulator_run_body(const char *body, uint32_t threads,
                                             tg_emu_launch launch)
{
    return emulator_run_text(emulator_text(body), threads, 1, launch);
}

#endif
