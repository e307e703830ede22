#include "target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "interrupts.h"
#include "listen.h"
#include "packed.h"
#include "place.h"
#include "pool.h"
#include "prepared.h"

enum { FEW = 32 }; /* up to this many parameters, pointers need no allocation */

tg_ffi_type_id tg_xla_state_id;
tg_ffi_type_info tg_xla_state_info = {.struct_size = sizeof(tg_ffi_type_info),
                                      .deleter = tg_prepared_drop};

static tg_xla_counts counts;

static void print(void *context, const char *text)
{
    (void)context;
    tg_tell(TG_XLA_PRINT, text);
}

static void count(int64_t *counter, int64_t more)
{
    __atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

void tg_xla_count(tg_xla_counts *out)
{
    out->runs = __atomic_load_n(&counts.runs, __ATOMIC_RELAXED);
    out->programs = __atomic_load_n(&counts.programs, __ATOMIC_RELAXED);
    out->failed = __atomic_load_n(&counts.failed, __ATOMIC_RELAXED);
}

/* ---- instantiate ---- */

static tg_ffi_error *read_recipe(const tg_ffi_frame *frame, tg_recipe *out)
{
    *out = (tg_recipe){.module = tg_frame_text(frame, "module"),
                       .order = tg_frame_text(frame, "order"),
                       .compat = tg_frame_text(frame, "compat"),
                       .profile = tg_frame_text(frame, "profile"),
                       .backend = tg_frame_text(frame, "backend"),
                       .findings = tg_frame_text(frame, "findings"),
                       .checks = tg_frame_text(frame, "checks"),
                       .target = tg_frame_text(frame, "target"),
                       .max_steps = tg_frame_text(frame, "max_steps"),
                       .tensor_core = tg_frame_text(frame, "tensor_core"),
                       .search = tg_frame_text(frame, "search"),
                       .fail_on = tg_frame_text(frame, "fail_on"),
                       .suppressions = tg_frame_text(frame, "suppressions")};
    if (!out->module.ptr || !out->order.ptr || !out->compat.ptr || !out->profile.ptr ||
        !out->backend.ptr || !out->findings.ptr)
        return tg_frame_fail(frame, TG_FFI_INVALID_ARGUMENT,
                             "tilegrind: the call lacks one of the attributes module, order, "
                             "compat, profile, backend, findings");
    const char *wrong = tg_policy_read(out->findings, out->search, out->fail_on, &out->policy);
    return wrong ? tg_frame_fail(frame, TG_FFI_INVALID_ARGUMENT, "tilegrind: the call's %s", wrong)
                 : NULL;
}

tg_ffi_error *tg_xla_instantiate(tg_ffi_frame *frame)
{
    if (tg_frame_describe(frame, tg_xla_state_id)) return NULL;
    tg_recipe recipe;
    tg_ffi_error *failure = read_recipe(frame, &recipe);
    if (failure) return failure;
    tg_errors *errors = tg_errors_new();
    tg_prepared *prepared;
    tg_status status = tg_prepared_get(&recipe, print, &prepared, errors);
    if (status != TG_OK) {
        failure = tg_frame_fail_with(frame, status, errors);
    } else {
        tg_ffi_state_args args = {.struct_size = sizeof args,
                                  .context = frame->context,
                                  .stage = TG_FFI_STAGE_INSTANTIATE,
                                  .type_id = &tg_xla_state_id,
                                  .state = prepared};
        failure = frame->api->state_set(&args);
        if (failure) tg_prepared_drop(prepared);
    }
    tg_errors_free(errors);
    return failure;
}

/* ---- buffers ---- */

/* A run's view of the data that XLA passed. */
typedef struct call {
    const tg_ffi_frame *frame;
    const tg_prepared *prepared;
    void **data;  /* per param */
    void **moved; /* per param: XLA's buffer if `data` is memory of our own instead, else NULL */
    int64_t *grid;
} call;

static tg_ffi_error *check_buffer(const call *c, const tg_slot_type *slot,
                                  const tg_ffi_buffer *buffer)
{
    bool fits = buffer->dtype == slot->dtype && buffer->rank == slot->info.rank;
    for (int64_t d = 0; fits && d < buffer->rank; d++)
        fits = buffer->dims[d] == slot->info.shape[d];
    if (fits) return NULL;
    return tg_frame_fail(c->frame, TG_FFI_INVALID_ARGUMENT,
                         "tilegrind: kernel %s: the buffer for %s %s has another type than the "
                         "parameter, which is of dtype %s and rank %d",
                         tg_module_kernel_name(c->prepared->module, 0), slot->info.role,
                         slot->info.name, slot->info.dtype, slot->info.rank);
}

static tg_ffi_error *check_counts(const call *c)
{
    const tg_ffi_frame *frame = c->frame;
    if (frame->args.size == (int64_t)c->prepared->arg_count &&
        frame->rets.size == (int64_t)c->prepared->ret_count)
        return NULL;
    return tg_frame_fail(frame, TG_FFI_INVALID_ARGUMENT,
                         "tilegrind: kernel %s takes %zu operands and has %zu results; the call "
                         "has %" PRId64 " and %" PRId64,
                         tg_module_kernel_name(c->prepared->module, 0), c->prepared->arg_count,
                         c->prepared->ret_count, frame->args.size, frame->rets.size);
}

/* The sizes of the dynamic axes come first, as scalars. */
static tg_ffi_error *read_grid(const call *c)
{
    for (size_t i = 0; i < c->prepared->dynamic_count; i++) {
        const tg_ffi_buffer *buffer = c->frame->args.list[i];
        if (buffer->rank == 0 && buffer->dtype == TG_FFI_i32)
            c->grid[i] = *(const int32_t *)buffer->data;
        else if (buffer->rank == 0 && buffer->dtype == TG_FFI_i64)
            c->grid[i] = *(const int64_t *)buffer->data;
        else
            return tg_frame_fail(c->frame, TG_FFI_INVALID_ARGUMENT,
                                 "tilegrind: kernel %s: size %zu of the grid is no i32 or i64",
                                 tg_module_kernel_name(c->prepared->module, 0), i);
    }
    return NULL;
}

/* Gives parameter `p` memory with one byte an element, filled from the buffer of an input. */
static bool unpack(const call *c, size_t p)
{
    const tg_slot_type *slot = &c->prepared->params[p];
    unsigned char *memory = malloc(slot->count + 1);
    if (!memory) return false;
    if (!slot->is_result)
        tg_unpack(memory, c->data[p], slot->count, slot->bits, slot->info.dtype[0] == 'i');
    c->moved[p] = c->data[p];
    c->data[p] = memory;
    return true;
}

static void end_moved(const call *c, bool is_good)
{
    for (size_t p = 0; p < c->prepared->param_count; p++) {
        const tg_slot_type *slot = &c->prepared->params[p];
        if (!c->moved[p]) continue;
        if (slot->is_result && is_good) tg_pack(c->moved[p], c->data[p], slot->count, slot->bits);
        free(c->data[p]);
    }
}

static tg_ffi_error *read_buffers(const call *c)
{
    const tg_prepared *prepared = c->prepared;
    size_t arg = prepared->dynamic_count, ret = 0;
    for (size_t p = 0; p < prepared->param_count; p++) {
        const tg_slot_type *slot = &prepared->params[p];
        if (!slot->bits) continue; /* scratch */
        const tg_ffi_buffer *buffer =
            slot->is_result ? c->frame->rets.list[ret++] : c->frame->args.list[arg++];
        tg_ffi_error *failure = check_buffer(c, slot, buffer);
        if (failure) return failure;
        c->data[p] = buffer->data;
        if (slot->bits < 8 && !unpack(c, p))
            return tg_frame_fail_with(c->frame, TG_ERR_NO_MEMORY, NULL);
    }
    return NULL;
}

/* Listeners for checks need the inputs before the run: copies an input whose memory result `p`
 * reuses. */
static bool keep_input_of(const call *c, size_t p)
{
    const tg_slot_type *slots = c->prepared->params;
    for (size_t i = 0; slots[p].info.alias && i < c->prepared->param_count; i++) {
        if (!c->data[i] || c->data[i] != c->data[p]) continue;
        if (strcmp(slots[i].info.name, slots[p].info.alias) != 0) continue;
        const size_t bytes = slots[i].count * (slots[i].bits / 8);
        void *copy = malloc(bytes + 1);
        if (!copy) return false;
        memcpy(copy, c->data[i], bytes);
        c->moved[i] = c->data[i];
        c->data[i] = copy;
    }
    return true;
}

static tg_ffi_error *keep_inputs(const call *c)
{
    for (size_t p = 0; c->prepared->policy.is_check && p < c->prepared->param_count; p++)
        if (!keep_input_of(c, p)) return tg_frame_fail_with(c->frame, TG_ERR_NO_MEMORY, NULL);
    return NULL;
}

/* ---- findings ---- */

static void write_finding(FILE *out, const tg_report *report, const tg_finding *f)
{
    fprintf(out, "kernel %s%s%s", f->kernel, *f->device ? ", " : "", f->device);
    if (f->program && f->rank > 0) {
        char *name = tg_report_program(report, f->program);
        fprintf(out, ", program %s", name ? name : "");
        tg_text_free(name);
    }
    if (*f->op) fprintf(out, ", %s", f->op);
    if (f->line) fprintf(out, " at %s:%" PRId64 " (%s)", f->file, f->line, f->function);
    fprintf(out, ": %s: %s", f->kind, f->message);
    if (f->count > 1) fprintf(out, " (%" PRId64 " times)", f->count);
}

/* Whether a suppression of the call covers the finding. */
static bool is_known(const call *c, const tg_report *report, size_t index)
{
    const tg_suppressions *known = c->prepared->known;
    return known && tg_suppressions_find(known, report, index) < tg_suppressions_count(known);
}

/* The findings of a run that end the call, or those that do not, without suppressed ones, one per
 * line; NULL if there are none or memory runs out. */
static char *text_of(const call *c, const tg_report *report, bool ends)
{
    char *text = NULL;
    size_t length, written = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        tg_finding finding = tg_report_finding(report, i);
        if (is_known(c, report, i)) continue;
        if (tg_policy_ends(&c->prepared->policy, &finding) != ends) continue;
        if (written++) fputc('\n', out);
        write_finding(out, report, &finding);
    }
    fclose(out);
    if (written) return text;
    free(text);
    return NULL;
}

/* Fails the call with a text of any length. */
static tg_ffi_error *fail_with_text(const call *c, const char *text, tg_ffi_code code)
{
    tg_ffi_error_create_args args = {
        .struct_size = sizeof args, .message = text, .code = (int)code};
    return c->frame->api->error_create(&args);
}

/* The error of a stopped run: where it was, and its findings until then. */
static tg_ffi_error *fail_stopped(const call *c, const tg_report *report, const tg_errors *errors)
{
    char *found[] = {text_of(c, report, true), text_of(c, report, false)}, *text = NULL;
    const char *where = tg_errors_count(errors) ? tg_errors_get(errors, 0).message : "stopped";
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out) fprintf(out, "%s%s", where, found[0] || found[1] ? "; it had found:" : "");
    for (int i = 0; i < 2; i++) {
        if (out && found[i]) fprintf(out, "\n%s", found[i]);
        free(found[i]);
    }
    if (out) fclose(out);
    tg_ffi_error *failure = fail_with_text(c, text ? text : where, TG_FFI_CANCELLED);
    free(text);
    return failure;
}

static bool any_ends(const call *c, const tg_report *report)
{
    for (size_t i = 0; i < tg_report_finding_count(report); i++) {
        const tg_finding finding = tg_report_finding(report, i);
        if (tg_policy_ends(&c->prepared->policy, &finding) && !is_known(c, report, i)) return true;
    }
    return false;
}

static tg_ffi_error *tell_findings(const call *c, const tg_report *report)
{
    const tg_policy *policy = &c->prepared->policy;
    if (policy->findings == TG_WARN || policy->kinds.ptr) {
        char *text = text_of(c, report, false);
        if (text) tg_tell(TG_XLA_WARNING, text);
        free(text);
    }
    if (!any_ends(c, report)) return NULL;
    char *text = text_of(c, report, true);
    tg_ffi_error *failure =
        fail_with_text(c, text ? text : "the run has findings, and no memory to say which",
                       TG_FFI_FAILED_PRECONDITION);
    free(text);
    return failure;
}

/* ---- execute ---- */

static tg_ffi_error *run_kernel(const call *c)
{
    tg_errors *errors = tg_errors_new();
    tg_report *report;
    tg_ffi_error *failure = NULL;
    const tg_prepared *p = c->prepared;
    const size_t sizes = p->dynamic_count;
    tg_executor pool;
    tg_interrupts_begin();
    const tg_status status = p->policy.searches
                                 ? tg_executable_check(p->executable, c->data, c->grid, sizes,
                                                       &p->policy.search, &report, errors)
                                 : tg_executable_run_on(p->executable, tg_pool_of(c->frame, &pool),
                                                        c->data, c->grid, sizes, &report, errors);
    tg_interrupts_end(status == TG_ERR_STOPPED);
    if (report) {
        count(&counts.runs, status == TG_OK);
        count(&counts.programs, tg_report_stats(report).programs);
        tg_place_report(c->frame, report);
        if (p->policy.is_check)
            tg_tell_checked(&(tg_xla_checked){.module = p->module,
                                              .report = report,
                                              .known = p->known,
                                              .data = c->data,
                                              .grid = c->grid,
                                              .grid_count = sizes,
                                              .target = p->is_tpu ? "tpu" : "any"});
        failure = status == TG_OK ? tell_findings(c, report) : fail_stopped(c, report, errors);
        tg_report_free(report);
    } else {
        failure = tg_frame_fail_with(c->frame, status, errors);
    }
    tg_errors_free(errors);
    return failure;
}

static tg_ffi_error *run_call(const call *c)
{
    tg_ffi_error *failure = check_counts(c);
    if (!failure) failure = read_grid(c);
    if (!failure) failure = read_buffers(c);
    if (!failure) failure = keep_inputs(c);
    if (!failure) failure = run_kernel(c);
    end_moved(c, !failure);
    if (failure) count(&counts.failed, 1);
    return failure;
}

static tg_ffi_error *run_many(call *c)
{
    size_t params = c->prepared->param_count;
    c->data = calloc(2 * params, sizeof *c->data);
    c->grid = calloc(c->prepared->dynamic_count + 1, sizeof *c->grid);
    tg_ffi_error *failure = NULL;
    if (c->data && c->grid) {
        c->moved = c->data + params;
        failure = run_call(c);
    } else {
        failure = tg_frame_fail_with(c->frame, TG_ERR_NO_MEMORY, NULL);
    }
    free(c->data);
    free(c->grid);
    return failure;
}

tg_ffi_error *tg_xla_execute(tg_ffi_frame *frame)
{
    if (tg_frame_describe(frame, tg_xla_state_id)) return NULL;
    tg_ffi_state_args args = {.struct_size = sizeof args,
                              .context = frame->context,
                              .stage = TG_FFI_STAGE_INSTANTIATE,
                              .type_id = &tg_xla_state_id};
    tg_ffi_error *failure = frame->api->state_get(&args);
    if (failure) return failure;
    call c = {.frame = frame, .prepared = args.state};
    if (c.prepared->param_count > FEW || c.prepared->dynamic_count > FEW) return run_many(&c);
    void *data[FEW] = {0}, *moved[FEW] = {0};
    int64_t grid[FEW];
    c.data = data;
    c.moved = moved;
    c.grid = grid;
    return run_call(&c);
}
