/* ptxas as a program that may hang, refuse or print anything: tests/gpu/fake_ptxas.sh, and the real one where
 * this machine has it. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu_backend/device/process.h"
#include "gpu_backend/device/ptxas.h"

#define FAKE "tests/gpu/fake_ptxas.sh"

/* ---- programs ---- */

static tg_process_result run(const char *script, double limit_s)
{
    char text[512];
    tg_process_result result;
    tg_diags diags = {0};
    snprintf(text, sizeof text, "%s", script);
    char *const argv[] = {"/bin/sh", "-c", text, NULL};
    cr_assert_eq(tg_process_run(argv, limit_s, &result, &diags), TG_OK);
    return result;
}

Test(process, tells_output_and_end)
{
    tg_process_result r = run("echo one; echo two >&2; exit 3", 60);
    cr_assert_str_eq(r.output, "one\ntwo\n");
    cr_assert(r.exit_code == 3 && r.signal == 0 && !r.timed_out);
    free(r.output);
    r = run("kill -9 $$", 60);
    cr_assert(r.exit_code == -1 && r.signal == 9 && !r.timed_out);
    free(r.output);
    r = run("read line || echo nothing", 60); /* there is no input */
    cr_assert_str_eq(r.output, "nothing\n");
    free(r.output);
}

Test(process, keeps_the_start_of_a_long_output)
{
    tg_process_result r = run("yes | head -c 1000000", 60);
    cr_assert(r.exit_code == 0 && !r.timed_out);
    cr_assert_eq(strlen(r.output), 65536);
    free(r.output);
}

Test(process, is_killed_at_its_limit)
{
    static const char *const scripts[] = {
        "sleep 100",                    /* holds the output */
        "exec >&- 2>&-; sleep 100",     /* has closed it */
        "sleep 100 & echo on; wait",    /* a child holds it */
        "trap '' TERM INT; sleep 100",  /* does not end when asked to */
        "while :; do echo again; done", /* never stops writing */
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        tg_process_result r = run(scripts[i], 0.2);
        cr_assert(r.timed_out && r.exit_code == -1, "%s", scripts[i]);
        cr_assert_lt(r.seconds, 30, "%s", scripts[i]);
        free(r.output);
    }
}

Test(process, cannot_start_what_is_not_there)
{
    tg_process_result r;
    tg_diags diags = {0};
    char *const argv[] = {"/nowhere/ptxas", NULL};
    cr_assert_eq(tg_process_run(argv, 1, &r, &diags), TG_ERR_IO);
    cr_assert(strstr(diags.list[0].message, "/nowhere/ptxas cannot be started: No such file"));
    cr_assert_null(r.output);
    tg_diags_free(&diags);
}

/* ---- finding it ---- */

static void forget_cuda(void)
{
    unsetenv("TILEGRIND_PTXAS");
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
}

/* A folder of its own with an executable bin/ptxas, which is the fake one; removed by the caller. */
static void make_home(char *folder)
{
    char path[128], target[1024];
    cr_assert(mkdtemp(folder) && getcwd(target, sizeof target - sizeof FAKE - 1));
    strcat(target, "/" FAKE);
    snprintf(path, sizeof path, "%s/bin", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/bin/ptxas", folder);
    cr_assert_eq(symlink(target, path), 0);
}

static void remove_home(const char *folder)
{
    char path[128];
    snprintf(path, sizeof path, "%s/bin/ptxas", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/bin", folder);
    rmdir(path);
    rmdir(folder);
}

static tg_ptxas expect_found(const char *path)
{
    tg_ptxas ptxas;
    tg_diags diags = {0};
    cr_assert_eq(tg_ptxas_find(&ptxas, &diags), TG_OK, "%s",
                 diags.count ? diags.list[0].message : "");
    cr_assert_str_eq(ptxas.path, path);
    cr_assert_str_eq(ptxas.version, "12.4.131");
    return ptxas;
}

Test(ptxas, is_found)
{
    char home[] = "/tmp/tilegrind-test-XXXXXX", search[256], path[64];
    make_home(home);
    snprintf(path, sizeof path, "%s/bin/ptxas", home);
    const char *const usual = getenv("PATH");
    forget_cuda();
    setenv("TILEGRIND_PTXAS", FAKE, 1);
    expect_found(FAKE);
    forget_cuda();
    snprintf(search, sizeof search, "/nowhere::%s/bin:%s", home, usual ? usual : "");
    setenv("PATH", search, 1);
    expect_found(path);
    setenv("PATH", "/usr/bin:/bin", 1); /* the script needs some */
    setenv("CUDA_PATH", home, 1);
    if (access("/usr/bin/ptxas", X_OK) != 0 && access("/bin/ptxas", X_OK) != 0) expect_found(path);
    remove_home(home);
}

static void expect_none(tg_status status, const char *why)
{
    tg_ptxas ptxas;
    tg_diags diags = {0};
    cr_assert_eq(tg_ptxas_find(&ptxas, &diags), status);
    cr_assert(strstr(diags.list[diags.count - 1].message, why), "\"%s\" is not in \"%s\"", why,
              diags.list[diags.count - 1].message);
    tg_diags_free(&diags);
}

Test(ptxas, is_refused_where_it_is_none)
{
    static char endless[2 * TG_PTXAS_PATH];
    setenv("TILEGRIND_PTXAS", "", 1);
    expect_none(TG_ERR_UNSUPPORTED, "TILEGRIND_PTXAS says to use none");
    setenv("TILEGRIND_PTXAS", "/nowhere/ptxas", 1);
    expect_none(TG_ERR_IO, "/nowhere/ptxas cannot be started");
    setenv("TILEGRIND_PTXAS", "/bin/true", 1);
    expect_none(TG_ERR_UNSUPPORTED, "/bin/true does not tell a version");
    setenv("TILEGRIND_PTXAS", "/bin/false", 1);
    expect_none(TG_ERR_UNSUPPORTED, "/bin/false does not tell a version");
    setenv("TILEGRIND_PTXAS", FAKE, 1);
    setenv("FAKE_PTXAS", "silent", 1);
    expect_none(TG_ERR_UNSUPPORTED, "does not tell a version");
    memset(endless, 'x', sizeof endless - 1);
    setenv("TILEGRIND_PTXAS", endless, 1);
    expect_none(TG_ERR_UNSUPPORTED, "too long");
}

/* ---- assembling ---- */

static int entries_of(const char *folder)
{
    DIR *open = opendir(folder);
    int count = 0;
    cr_assert(open);
    while (readdir(open)) count++;
    closedir(open);
    return count - 2; /* . and .. */
}

/* With temporary files in a folder of their own, which must be empty afterwards. */
static tg_ptxas_result assemble(const char *mode, int level, double limit_s)
{
    char folder[] = "/tmp/tilegrind-test-XXXXXX";
    const tg_ptxas ptxas = {.path = FAKE};
    tg_ptxas_result result;
    tg_diags diags = {0};
    cr_assert(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
    setenv("FAKE_PTXAS", mode, 1);
    const tg_ptxas_job job = {"some text", "sm_90", level, limit_s};
    cr_assert_eq(tg_ptxas_assemble(&ptxas, &job, &result, &diags), TG_OK);
    cr_assert_eq(entries_of(folder), 0, "%s: temporary files are left", mode);
    rmdir(folder);
    tg_diags_free(&diags);
    return result;
}

Test(ptxas, gives_a_cubin_and_tells_what_it_takes)
{
    tg_ptxas_result r = assemble("well", 3, 60);
    cr_assert_eq(r.outcome, TG_PTXAS_ASSEMBLED, "%s", r.log);
    cr_assert_eq(r.cubin_bytes, 4 + sizeof "some text");
    cr_assert_eq(memcmp(r.cubin, "\177ELFsome text", r.cubin_bytes), 0);
    cr_assert(r.registers == 40 && r.shared_bytes == 512 && r.stack_bytes == 8);
    cr_assert(r.spill_store_bytes == 4 && r.spill_load_bytes == 12);
    cr_assert(r.seconds > 0);
    tg_ptxas_result_free(&r);
    cr_assert_null(r.cubin);
}

Test(ptxas, has_a_time_limit)
{
    tg_ptxas_result r = assemble("slow", 3, 0.3);
    cr_assert_eq(r.outcome, TG_PTXAS_TIMED_OUT);
    cr_assert(r.cubin == NULL && r.seconds < 30);
    tg_ptxas_result_free(&r);
    r = assemble("slow", 1, 60);
    cr_assert_eq(r.outcome, TG_PTXAS_ASSEMBLED);
    tg_ptxas_result_free(&r);
}

Test(ptxas, may_refuse)
{
    tg_ptxas_result r = assemble("refusing", 3, 60);
    cr_assert_eq(r.outcome, TG_PTXAS_REFUSED);
    cr_assert(strstr(r.log, "Unsupported .version"));
    cr_assert(r.cubin == NULL && r.registers == -1 && r.shared_bytes == -1);
    tg_ptxas_result_free(&r);
    r = assemble("nonsense", 3, 60);
    cr_assert_eq(r.outcome, TG_PTXAS_REFUSED);
    cr_assert(r.cubin == NULL && r.registers == -1 && r.shared_bytes == -1);
    cr_assert_eq(r.spill_store_bytes, INT64_MAX, "a number beyond all is the largest");
    tg_ptxas_result_free(&r);
    r = assemble("empty", 3, 60);
    cr_assert_eq(r.outcome, TG_PTXAS_REFUSED);
    cr_assert_str_eq(r.log, "");
    tg_ptxas_result_free(&r);
}

static void expect_io_error(const char *ptxas_path, const char *folder, const char *why)
{
    tg_ptxas ptxas = {{0}, ""};
    tg_ptxas_result result;
    tg_diags diags = {0};
    snprintf(ptxas.path, sizeof ptxas.path, "%s", ptxas_path);
    setenv("TMPDIR", folder, 1);
    const tg_ptxas_job job = {"", "sm_90", 3, 1};
    cr_assert_eq(tg_ptxas_assemble(&ptxas, &job, &result, &diags), TG_ERR_IO);
    cr_assert(strstr(diags.list[0].message, why), "%s", diags.list[0].message);
    cr_assert(result.cubin == NULL && result.log == NULL);
    tg_ptxas_result_free(&result);
    tg_diags_free(&diags);
}

Test(ptxas, needs_a_place_for_its_files)
{
    static char endless[2 * TG_PTXAS_PATH];
    memset(endless, 'x', sizeof endless - 1);
    expect_io_error(FAKE, "/nowhere", "/nowhere/tilegrind-");
    expect_io_error(FAKE, endless, "too long");
    expect_io_error("/nowhere/ptxas", "/tmp", "cannot be started");
}

/* ---- the real one ---- */

static const char vector_add[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry add(.param .u64 to)\n{\n"
    ".reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n"
    ".shared .align 4 .b8 room[64];\n"
    "ld.param.u64 %rd0, [to];\nmov.u32 %r0, %tid.x;\n"
    "st.shared.b32 [room], %r0;\nbar.sync 0;\n"
    "ld.shared.b32 %r1, [room];\nst.global.b32 [%rd0], %r1;\nret;\n}\n";

Test(ptxas, assembles_for_real)
{
    tg_ptxas ptxas;
    tg_ptxas_result r;
    tg_diags diags = {0};
    if (tg_ptxas_find(&ptxas, &diags) != TG_OK) cr_skip_test("this machine has no ptxas");
    const tg_ptxas_job good = {vector_add, "sm_90", 3, 120}, bad = {"nonsense", "sm_90", 3, 120};
    cr_assert_eq(tg_ptxas_assemble(&ptxas, &good, &r, &diags), TG_OK);
    cr_assert_eq(r.outcome, TG_PTXAS_ASSEMBLED, "%s", r.log);
    cr_assert(r.cubin_bytes > 64 && r.registers > 0 && r.shared_bytes == 64, "%s", r.log);
    cr_assert(r.spill_store_bytes == 0 && r.spill_load_bytes == 0, "%s", r.log);
    tg_ptxas_result_free(&r);
    cr_assert_eq(tg_ptxas_assemble(&ptxas, &bad, &r, &diags), TG_OK);
    cr_assert_eq(r.outcome, TG_PTXAS_REFUSED);
    cr_assert(strstr(r.log, "error") || strstr(r.log, "fatal"), "%s", r.log);
    tg_ptxas_result_free(&r);
    tg_diags_free(&diags);
}
