/* PTX that the emulator refuses, each with the place it names. */
#include <criterion/criterion.h>

#include "tests/emulator_text.h"

typedef struct reject_case {
    const char *text;
    tg_status status;
    const char *message; /* how it begins: "LINE:COLUMN: ...", the line of a body counted from 0 */
} reject_case;

static void expect_rejected(const char *text, const reject_case *c, const char *message)
{
    tg_diags diags = {0};
    tg_emu_module *module;
    tg_status status = tg_emu_module_load(text, strlen(text), "k.ptx", &module, &diags);
    cr_expect_eq(status, c->status, "%s: %s", c->text, tg_status_name(status));
    cr_expect_null(module);
    cr_expect_eq(diags.count, 1, "%s", c->text);
    if (diags.count) {
        cr_expect(strncmp(diags.list[0].message, message, strlen(message)) == 0, "%s: %s, not %s",
                  c->text, diags.list[0].message, message);
        cr_expect_str_eq(diags.list[0].file, "k.ptx");
    }
    tg_emu_module_free(module);
    tg_diags_free(&diags);
}

/* Bodies, in line 0 of which column 1 is the first character. */
static const reject_case bodies[] = {
    {"frob.u32 %r1, %r2;", TG_ERR_UNSUPPORTED, "0:1: 'frob.u32' is not among the forms"},
    {"div.f32 %f1, %f2, %f3;", TG_ERR_UNSUPPORTED, "0:1: 'div.f32' is not among"},
    {"add.rn.ftz.f64 %fd1, %fd2, %fd3;", TG_ERR_UNSUPPORTED, "0:1: 'add.rn.ftz.f64' is not among"},
    {"setp.lt.ftz.s32 %p1, %r2, %r3;", TG_ERR_UNSUPPORTED, "0:1: 'setp.lt.ftz.s32' is not among"},
    {"setp.eq.ftz.f16 %p1, %h2, %h3;", TG_ERR_UNSUPPORTED, "0:1: 'setp.eq.ftz.f16' is not among"},
    {"setp.eq.f16x2 %p1, %r2, %r3;", TG_ERR_SYNTAX, "0:15: expected two predicates"},
    {"setp.eq.f16x2 %p1|%p2, %h2, %r3;", TG_ERR_TYPE, "0:24: '%h2' is a register of type .b16"},
    {"setp.eq.s16x2 %p1|%p2, %r2, %r3;", TG_ERR_UNSUPPORTED, "0:1: 'setp.eq.s16x2' is not among"},
    {"cvt.rn.ftz.f64.s32 %fd1, %r2;", TG_ERR_UNSUPPORTED, "0:1: 'cvt.rn.ftz.f64.s32' is not"},
    {"add.f32x2 %rd2, %rd3, %rd4;", TG_ERR_UNSUPPORTED, "0:1: 'add.f32x2' is not among"},
    {"add.rn.ftz.f16x2 %r2, %r3, %r4;", TG_ERR_UNSUPPORTED, "0:1: 'add.rn.ftz.f16x2' is not"},
    {"add.sat.s16x2 %r2, %r3, %r4;", TG_ERR_UNSUPPORTED, "0:1: 'add.sat.s16x2' is not among"},
    {"sub.u16x2 %r2, %r3, %r4;", TG_ERR_UNSUPPORTED, "0:1: 'sub.u16x2' is not among the forms"},
    {"max.relu.u16x2 %r2, %r3, %r4;", TG_ERR_UNSUPPORTED, "0:1: 'max.relu.u16x2' is not among"},
    {"min.s16x2 %r2, %h1, %r4;", TG_ERR_TYPE, "0:16: '%h1' is a register of type .b16"},
    {"lop3.b32 %r2, %r3, %r4, %r5, %r6;", TG_ERR_SYNTAX, "0:30: expected a number"},
    {"add.u32 %r1, %r2;", TG_ERR_SYNTAX, "0:1: 'add.u32' takes 3 operands, not 2"},
    {"add.u32 %r1, %r2, %rd2;", TG_ERR_TYPE,
     "0:19: '%rd2' is a register of type .b64, but .u32 is wanted"},
    {"add.u32 %r1, %r2, %f2;", TG_ERR_TYPE,
     "0:19: '%f2' is a register of type .f32, but .u32 is wanted"},
    {"add.u32 %p1, %r2, %r3;", TG_ERR_TYPE, "0:9: '%p1' is a register of type .pred"},
    {"add.u32 5, %r2, %r3;", TG_ERR_SYNTAX, "0:9: expected a register"},
    {"add.u32 %r1, %r2, 0x100000000;", TG_ERR_TYPE,
     "0:19: '0x100000000' cannot be an operand of type .u32"},
    {"add.s16 %h1, %h2, -32769;", TG_ERR_TYPE, "0:20: '32769' cannot be an operand of type .u16"},
    {"add.u32 %r1, %r2, 0f00000000;", TG_ERR_TYPE, "0:19: '0f00000000' cannot"},
    {"add.rn.f32 %f1, %f2, 1;", TG_ERR_TYPE, "0:22: '1' cannot be an operand of type .f32"},
    {"add.rn.f32 %f1, %f2, 1.0;", TG_ERR_UNSUPPORTED, "0:22: a decimal float"},
    {"add.rn.f32 %f1, %f2, 0f1234;", TG_ERR_SYNTAX, "0:28: a float is 0f and 8"},
    {"add.u32 %r1, %r2, 99999999999999999999;", TG_ERR_SYNTAX,
     "0:38: a number that does not fit 64 bits"},
    {"add.u32 %r1, %r2, 12ab;", TG_ERR_SYNTAX, "0:21: a malformed number"},
    {"add.u32 %r1, %r2, 09;", TG_ERR_SYNTAX, "0:20: a malformed number"},
    {"add.u32 %r1, %r2, %r99;", TG_ERR_INVALID, "0:19: '%r99' is not declared"},
    {"add.u32 %r1, %r2, %r01;", TG_ERR_INVALID, "0:19: '%r01' is not declared"},
    {"add.u32 %r1, %r2, k;", TG_ERR_INVALID, "0:19: 'k' is not declared"},
    {"add.u32 %r1, %r2, %tid.x;", TG_ERR_UNSUPPORTED, "0:19: special registers are read by mov"},
    {"add.u32 %r1, %r2, out;", TG_ERR_TYPE, "0:19: 'out' is no register"},
    {"add.u32 %r1, %r2, %r3", TG_ERR_SYNTAX, "1:1: expected ';' before '}'"},
    {"add .u32 %r1, %r2, %r3;", TG_ERR_SYNTAX, "0:5: a space before a modifier"},
    {"add.a.b.c.d.e.f.g.h.i.j.k.l.m %r1;", TG_ERR_UNSUPPORTED,
     "0:1: an instruction with too many modifiers"},
    {"add.u32 %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9;", TG_ERR_SYNTAX,
     "0:49: too many operands"},
    {"mov.u32 %r2, %clock;", TG_ERR_INVALID, "0:14: '%clock' is not declared"},
    {"mov.u32 %r2, %tid.w;", TG_ERR_UNSUPPORTED, "0:14: '%tid' is not among the special registers"},
    {"mov.u64 %rd2, %tid.x;", TG_ERR_TYPE, "0:15: special registers are 32 bits wide"},
    {"mov.b64 %rd2, {%r1, %r2, %r3};", TG_ERR_TYPE, "0:15: 'mov.b64' has no vector of 3 elements"},
    {"mov.b64 %rd2, {%r1, %r2, %r3, %r4, %r5};", TG_ERR_SYNTAX, "0:36: a vector of more than 4"},
    {".shared .align 4 .b8 s[4]; mov.f32 %f1, s;", TG_ERR_TYPE,
     "0:41: an address has 64 bits, in shared"},
    {"ld.u32 %r2, [%rd1];", TG_ERR_UNSUPPORTED, "0:1: 'ld.u32': a space must be named"},
    {"ld.generic.u32 %r2, [%rd1];", TG_ERR_UNSUPPORTED,
     "0:1: 'ld.generic.u32': a space must be named"},
    {"ld.relaxed.gpu.local.u32 %r2, [%rd1];", TG_ERR_UNSUPPORTED,
     "0:1: 'ld.relaxed.gpu.local.u32'"},
    {"ld.global.L2::cache_hint.u32 %r2, [%rd1];", TG_ERR_SYNTAX,
     "0:1: 'ld.global.L2::cache_hint.u32' takes 3 operands, not 2"},
    {"ld.global.L3::far.u32 %r2, [%rd1];", TG_ERR_UNSUPPORTED, "0:1: 'ld.global.L3::far.u32'"},
    {"st.const.u32 [%rd1], %r2;", TG_ERR_UNSUPPORTED, "0:1: 'st.const.u32': a space must be named"},
    {"ld.global.f16 %h1, [%rd1];", TG_ERR_UNSUPPORTED, "0:1: 'ld.global.f16' is not among"},
    {"ld.global.v4.u64 {%rd2, %rd3, %rd4, %rd5}, [%rd1];", TG_ERR_UNSUPPORTED,
     "0:1: 'ld.global.v4.u64'"},
    {"ld.global.v2.u32 %r2, [%rd1];", TG_ERR_SYNTAX, "0:18: expected 2 elements"},
    {"ld.global.u32 %r2, [%r1];", TG_ERR_TYPE,
     "0:21: '%r1' is a register of type .b32, which is no address"},
    {"ld.global.u32 %r2, %rd1;", TG_ERR_SYNTAX, "0:20: expected an address in brackets"},
    {"ld.global.u64 %r2, [%rd1];", TG_ERR_TYPE,
     "0:15: '%r2' is a register of type .b32, but .u64 is wanted or wider"},
    {"ld.global.u32 %r2, [%rd1+%r1];", TG_ERR_SYNTAX, "0:26: expected a number"},
    {"ld.global.u32 %r2, [%rd1+0x80000000];", TG_ERR_INVALID, "0:26: 2147483648 is more than"},
    {"ld.global.u32 %r2, [out];", TG_ERR_TYPE, "0:21: 'out' is in .param memory, not .global"},
    {"ld.param.u32 %r2, [%rd1];", TG_ERR_TYPE, "0:20: '%rd1' is no variable of .param memory"},
    {"ld.param.u32 %r2, [out+8];", TG_ERR_INVALID,
     "0:20: 4 bytes at offset 8 of 'out', which has 8"},
    {"ld.param.u32 %r2, [out+2];", TG_ERR_INVALID, "0:20: a parameter read at offset 2"},
    {"setp.lt.nand.s32 %p1, %r1, %r2, %p2;", TG_ERR_UNSUPPORTED,
     "0:1: 'setp.lt.nand.s32' is not among"},
    {"setp.lo.s32 %p1, %r1, %r2;", TG_ERR_UNSUPPORTED, "0:1: 'setp.lo.s32' is not among"},
    {"setp.lt.and.s32 %p1, %r1, %r2;", TG_ERR_SYNTAX,
     "0:1: 'setp.lt.and.s32' takes 4 operands, not 3"},
    {"selp.u32 %r2, %r3, %r4, !%p1;", TG_ERR_SYNTAX, "0:26: expected a register of type .pred"},
    {"cvt.u32.f32 %r2, %f1;", TG_ERR_UNSUPPORTED, "0:1: 'cvt.u32.f32' is not among"},
    {"cvt.rn.f64.f32 %fd1, %f1;", TG_ERR_UNSUPPORTED, "0:1: 'cvt.rn.f64.f32' is not among"},
    {"cvt.f32.f64 %f1, %fd1;", TG_ERR_UNSUPPORTED, "0:1: 'cvt.f32.f64' is not among"},
    {"cvt.rn.u32.f32 %r2, %f1;", TG_ERR_UNSUPPORTED, "0:1: 'cvt.rn.u32.f32' is not among"},
    {"cvt.sat.u32.u16 %r2, %h1;", TG_ERR_UNSUPPORTED, "0:1: 'cvt.sat.u32.u16' is not among"},
    {"cvt.rn.bf16.u8 %h1, %h2;", TG_ERR_UNSUPPORTED, "0:1: 'cvt.rn.bf16.u8' is not among"},
    {"cvt.u64.u32 %rd2, %h1;", TG_ERR_TYPE,
     "0:19: '%h1' is a register of type .b16, but .u32 is wanted or wider"},
    {"bar.arrive 1, 64;", TG_ERR_UNSUPPORTED, "0:1: 'bar.arrive' is not among"},
    {"bar.sync 1, 32, 2;", TG_ERR_SYNTAX, "0:1: 'bar.sync' takes 1 operand, not 3"},
    {"bar.warp.arrive 1;", TG_ERR_UNSUPPORTED, "0:1: 'bar.warp.arrive' is not among"},
    {"mbarrier.arrive.shared.b64 %rd2, [%rd1];", TG_ERR_UNSUPPORTED,
     "0:28: the state of an mbarrier"},
    {"mbarrier.arrive.global.b64 _, [%rd1];", TG_ERR_UNSUPPORTED,
     "0:1: 'mbarrier.arrive.global.b64' is not"},
    {"mbarrier.try_wait.shared.b64 %p1, [%rd1], %rd2;", TG_ERR_UNSUPPORTED,
     "0:1: 'mbarrier.try_wait.shared.b64' is not"},
    {"mbarrier.pending_count.b64 %r2, %rd2;", TG_ERR_UNSUPPORTED,
     "0:1: 'mbarrier.pending_count.b64' is not"},
    {"cp.async.ca.global.shared [%rd1], [%rd2], 4;", TG_ERR_UNSUPPORTED,
     "0:1: 'cp.async.ca.global.shared' is not"},
    {"cp.async.ca.shared.global [%r2], [%rd2], 2;", TG_ERR_INVALID,
     "0:42: a cp.async.ca has 4, 8 or 16 bytes"},
    {"cp.async.cg.shared.global [%r2], [%rd2], 8;", TG_ERR_INVALID,
     "0:42: a cp.async.cg has 16 bytes"},
    {"cp.async.cg.shared.global [%r2], [%rd2];", TG_ERR_SYNTAX, "0:1: 'cp.async.cg.shared.global'"},
    {"cp.async.wait_group %r2;", TG_ERR_SYNTAX, "0:21: expected a number"},
    {"cp.async.wait_all 1;", TG_ERR_SYNTAX, "0:1: 'cp.async.wait_all' takes 0 operands, not 1"},
    {"ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r2}, [%r3];", TG_ERR_UNSUPPORTED,
     "0:1: 'ldmatrix.sync.aligned.m8n8.x3.shared.b16'"},
    {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r2}, [%r3];", TG_ERR_SYNTAX,
     "0:42: expected a vector of 2 registers here"},
    {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3], {%r2, %r4};", TG_ERR_SYNTAX,
     "0:49: expected a vector of 1 registers here"},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r2, %r2, %r2, "
     "%r2}, {%r2, %r2}, {%f1, %f2, %f3, %f4};",
     TG_ERR_UNSUPPORTED, "0:1: 'mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32' is not"},
    {"mma.sync.aligned.m16n8k32.row.col.satfinite.f32.e4m3.e4m3.f32 {%f1, %f2, %f3, %f4}, {%r2, "
     "%r2, %r2, %r2}, {%r2, %r2}, {%f1, %f2, %f3, %f4};",
     TG_ERR_UNSUPPORTED, "0:1: 'mma.sync"},
    {"cp.async.bulk.tensor.6d.global.shared::cta.bulk_group [%rd1, {%r1}], [%r2];",
     TG_ERR_UNSUPPORTED, "0:1: 'cp.async.bulk.tensor.6d"},
    {"cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1}], [%r2];", TG_ERR_SYNTAX,
     "0:56: expected 2 coordinates here"},
    {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r1, %r1}], [%r2];",
     TG_ERR_UNSUPPORTED, "0:1: 'cp.reduce.async.bulk.tensor.2d.global.shared::cta.bulk_group'"},
    {"cp.reduce.async.bulk.tensor.2d.global.shared::cta.exch.bulk_group [%rd1, {%r1, %r1}], [%r2];",
     TG_ERR_UNSUPPORTED,
     "0:1: 'cp.reduce.async.bulk.tensor.2d.global.shared::cta.exch.bulk_group'"},
    {"cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group [%rd1, {%r1, "
     "%r1, %r1}], [%r2];",
     TG_ERR_UNSUPPORTED,
     "0:1: 'cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group'"},
    {"cp.reduce.async.bulk.tensor.1d.shared::cta.global.add.mbarrier::complete_tx::bytes [%r2], "
     "[%rd1, {%r1}], [%r3];",
     TG_ERR_UNSUPPORTED,
     "0:1: 'cp.reduce.async.bulk.tensor.1d.shared::cta.global.add.mbarrier::complete_tx::bytes'"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 16;", TG_ERR_UNSUPPORTED,
     "0:1: 'cp.reduce.async.bulk.global.shared::cta.bulk_group'"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%rd1], [%r2], 16;",
     TG_ERR_UNSUPPORTED, "0:1: 'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16'"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.min.noftz.f16 [%rd1], [%r2], 16;",
     TG_ERR_UNSUPPORTED, "0:1: 'cp.reduce.async.bulk.global.shared::cta.bulk_group.min.noftz.f16'"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%rd1], [%r2], 16;",
     TG_ERR_UNSUPPORTED, "0:1: 'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64'"},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.s32 [%rd1], [%r2], 16;",
     TG_ERR_UNSUPPORTED, "0:1: 'cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.s32'"},
    {"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32 [%r1], "
     "[%r2], 16, [%r3];",
     TG_ERR_UNSUPPORTED,
     "0:1: "
     "'cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32'"},
    {"cp.reduce.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.add.u32 [%r1], "
     "[%rd2], 16, [%r3];",
     TG_ERR_UNSUPPORTED,
     "0:1: 'cp.reduce.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.add.u32'"},
    {"cp.reduce.async.bulk.commit_group;", TG_ERR_UNSUPPORTED,
     "0:1: 'cp.reduce.async.bulk.commit_group'"},
    {"cp.reduce.async.commit_group;", TG_ERR_UNSUPPORTED, "0:1: 'cp.reduce.async.commit_group'"},
    {"cp.reduce.async.bulk.wait_group 0;", TG_ERR_UNSUPPORTED,
     "0:1: 'cp.reduce.async.bulk.wait_group'"},
    {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], "
     "[%r2], 16, [%r3], %rd1;",
     TG_ERR_UNSUPPORTED,
     "0:1: "
     "'cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.L2::cache_hint'"},
    {"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd1], [%r2], 16;", TG_ERR_SYNTAX,
     "0:1: 'cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint' takes 4 operands, not 3"},
    {"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%rd1], [%r2], 16, %r3;",
     TG_ERR_TYPE, "0:79: '%r3' is a register of type .b32"},
    {"ld.global.u32 %r2, [%rd1, {%r1}];", TG_ERR_SYNTAX, "0:28: coordinates belong to copies"},
    {"ld.global.u32 %r2, [%rd1, %r1];", TG_ERR_SYNTAX, "0:27: expected an operand before"},
    {"tensormap.replace.tile.colour.global.b1024.b32 [%rd1], %r1;", TG_ERR_UNSUPPORTED,
     "0:1: 'tensormap.replace.tile.colour.global.b1024.b32'"},
    {"tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 5, %r1;", TG_ERR_INVALID,
     "0:57: expected a number below 5"},
    {"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
     "[%rd1], "
     "[%r1], 64;",
     TG_ERR_INVALID, "0:103: a tensor map has 128 bytes"},
    {"tensormap.swap.global [%rd1];", TG_ERR_UNSUPPORTED, "0:1: 'tensormap.swap.global'"},
    {"fence.proxy.tensormap::generic.acquire [%rd1], 128;", TG_ERR_UNSUPPORTED,
     "0:1: 'fence.proxy.tensormap::generic.acquire'"},
    {"elect.sync %r2, -1;", TG_ERR_SYNTAX, "0:12: expected leader|predicate here"},
    {"elect.sync %r2|5, -1;", TG_ERR_SYNTAX, "0:16: expected an operand before '5'"},
    {"createpolicy.range.L2::evict_last.b64 %rd2, [%rd1], 4, 4;", TG_ERR_UNSUPPORTED,
     "0:1: 'createpolicy.range.L2::evict_last.b64'"},
    {"prefetch.shared.L1 [%r2];", TG_ERR_UNSUPPORTED, "0:1: 'prefetch.shared.L1'"},
    {"nanosleep.u64 5;", TG_ERR_UNSUPPORTED, "0:1: 'nanosleep.u64'"},
    {"atom.global.add.noftz.u32 %r2, [%rd1], 1;", TG_ERR_UNSUPPORTED,
     "0:1: 'atom.global.add.noftz.u32'"},
    {"atom.global.min.noftz.f16 %h1, [%rd1], %h2;", TG_ERR_UNSUPPORTED,
     "0:1: 'atom.global.min.noftz.f16'"},
    {"atom.relaxed.acquire.gpu.global.add.u32 %r2, [%rd1], 1;", TG_ERR_UNSUPPORTED,
     "0:1: 'atom.relaxed.acquire.gpu.global.add.u32'"},
    {".loc 1 2 3, inlined_at 1 2 3", TG_ERR_SYNTAX, "0:13: expected function_name before"},
    {".loc 1 2 3, function_name 5", TG_ERR_SYNTAX, "0:27: expected a label before '5'"},
    {".loc 1 2 3, function_name f, 5", TG_ERR_SYNTAX, "0:30: expected inlined_at before '5'"},
    {".pragma \"used_bytes\";", TG_ERR_UNSUPPORTED, "0:9: the pragma"},
    {"cp.async.bulk.wait_group %r1;", TG_ERR_SYNTAX, "0:26: expected a number"},
    {"fence.proxy.alias;", TG_ERR_UNSUPPORTED, "0:1: 'fence.proxy.alias' is not"},
    {"add.u32 _, %r1, %r2;", TG_ERR_SYNTAX, "0:9: expected a register"},
    {"bar.red.popc.u32 %r1, 0, %p1;", TG_ERR_UNSUPPORTED, "0:1: 'bar.red.popc.u32' is not among"},
    {"bra NOWHERE;", TG_ERR_INVALID, "0:5: there is no label 'NOWHERE'"},
    {"{ INSIDE: ret; } bra INSIDE;", TG_ERR_INVALID, "0:22: there is no label 'INSIDE'"},
    {"bra 5;", TG_ERR_SYNTAX, "0:5: expected a label"},
    {"L: ret; L: ret;", TG_ERR_INVALID, "0:9: 'L' is declared twice"},
    {".reg .b32 %r<4>;  .reg .b32 x; .reg .b32 x;", TG_ERR_INVALID, "0:42: 'x' is declared twice"},
    {".reg .b8 x; mov.b8 x, x;", TG_ERR_UNSUPPORTED, "0:13: 'mov.b8' is not among"},
    {".reg .b8 x; add.u16 %h1, %h2, x;", TG_ERR_TYPE, "0:31: 'x' is a register of type .b8"},
    {".reg .b8 x<4>; mov.b16 {x0, x1, x2, x3}, %h1;", TG_ERR_TYPE, "0:24: "},
    {".reg .b32 x<70000>;", TG_ERR_INVALID, "0:13: 70000 is more than 65536"},
    {".reg .b32 x<65536>;", TG_ERR_UNSUPPORTED, "0:11: more than 65536 registers"},
    {".local .b32 x[];", TG_ERR_INVALID, "0:13: an array needs a size"},
    {".local .b32 x[200000];", TG_ERR_INVALID, "0:13: more than 524288 bytes of local memory"},
    {".local .b32 x[2]; ld.local.u32 %r2, [x+8];", TG_ERR_INVALID,
     "0:38: 4 bytes at offset 8 of 'x'"},
    {".shared .b64 .ptr x;", TG_ERR_INVALID, "0:19: .ptr is for parameters"},
    {".pragma \"fast\";", TG_ERR_UNSUPPORTED, "0:9: the pragma '\"fast'"},
    {".shared .align 3 .b8 s[4];", TG_ERR_INVALID, "0:16: an alignment is a power of two"},
    {".shared .align 4 .b8 s[0];", TG_ERR_INVALID, "0:24: an array of no elements"},
    {".shared .align 4 .b8 s[];", TG_ERR_INVALID, "0:22: an array of shared memory is open"},
    {".shared .align 4 .b8 s[50000];", TG_ERR_INVALID,
     "0:22: more than 49152 bytes of static shared"},
    {".shared .f16 s;", TG_ERR_SYNTAX, "0:9: '.f16' is no type of a variable"},
    {"atom.add.u32 %r2, [%rd1], 1;", TG_ERR_UNSUPPORTED,
     "0:1: 'atom.add.u32': a space must be named"},
    {"atom.global.inc.u64 %rd2, [%rd1], 1;", TG_ERR_UNSUPPORTED,
     "0:1: 'atom.global.inc.u64' is not among"},
    {"red.global.exch.b32 [%rd1], 1;", TG_ERR_UNSUPPORTED,
     "0:1: 'red.global.exch.b32' is not among"},
    {"shfl.idx.b32 %r2, %r1, 0, 31;", TG_ERR_UNSUPPORTED, "0:1: 'shfl.idx.b32' is not among"},
    {"vote.sync.ballot.pred %p1, %p2, -1;", TG_ERR_UNSUPPORTED,
     "0:1: 'vote.sync.ballot.pred' is not among"},
    {"redux.sync.add.b32 %r2, %r1, -1;", TG_ERR_UNSUPPORTED,
     "0:1: 'redux.sync.add.b32' is not among"},
    {"activemask.u32 %r2;", TG_ERR_UNSUPPORTED, "0:1: 'activemask.u32' is not among"},
    {"cvta.to.param.u64 %rd2, %rd1;", TG_ERR_UNSUPPORTED, "0:1: 'cvta.to.param.u64' is not among"},
    {"fence.gpu;", TG_ERR_UNSUPPORTED, "0:1: 'fence.gpu' is not among"},
    {"@%r1 ret;", TG_ERR_TYPE, "0:2: '%r1' is a register of type .b32, but .pred is wanted"},
    {"@%p1 L: ret;", TG_ERR_SYNTAX, "0:7: expected an operand before ':'"},
    {"; ret;", TG_ERR_SYNTAX, "0:1: expected an instruction before ';'"},
    {"ret; \xc3\xa9", TG_ERR_SYNTAX, "0:6: a character that is not part of PTX"},
    {"ret; /* and", TG_ERR_SYNTAX, "0:6: a comment that does not end"},
    {"ret; .pragma \"nounroll", TG_ERR_SYNTAX, "0:23: a string that does not end"},
    {"ret; } }", TG_ERR_SYNTAX, "0:8: '}' is not among the directives"},
    {"{ ret;", TG_ERR_SYNTAX, "2:1: expected an instruction before the end of the text"},
};

Test(emulator_rejects, bodies)
{
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char message[256];
        int line = 0, used = 0;
        sscanf(bodies[i].message, "%d%n", &line, &used);
        snprintf(message, sizeof message, "%d%s", EMULATOR_BODY_LINE + line,
                 bodies[i].message + used);
        expect_rejected(emulator_text(bodies[i].text), &bodies[i], message);
    }
}

#define HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"

static const reject_case texts[] = {
    {"", TG_ERR_SYNTAX, "1:1: expected .version before the end of the text"},
    {".target sm_80", TG_ERR_SYNTAX, "1:1: expected .version before '.target'"},
    {".version 7", TG_ERR_SYNTAX, "1:10: a version is two numbers"},
    {".version 5.0", TG_ERR_UNSUPPORTED, "1:10: version 5"},
    {".version 7.8\n.target 80", TG_ERR_SYNTAX, "2:9: a target is named as in sm_80, not '80'"},
    {".version 7.8\n.target sm_80, debug", TG_ERR_UNSUPPORTED, "2:14: a target with options"},
    {".version 7.8\n.target sm_80\n.address_size 32", TG_ERR_UNSUPPORTED,
     "3:15: addresses have 64 bits"},
    {HEAD ".alias f, g;", TG_ERR_UNSUPPORTED, "4:1: '.alias' is not among the directives"},
    {HEAD ".visible .visible .entry k() {}", TG_ERR_SYNTAX, "4:10: a second directive of linkage"},
    {HEAD ".extern .global .u32 x;", TG_ERR_SYNTAX, "4:9: expected .shared before '.global'"},
    {HEAD ".extern .shared .b8 x[4];", TG_ERR_INVALID, "4:21: an array of shared memory is open"},
    {HEAD ".global .u8 x = 256;", TG_ERR_TYPE, "4:17: a number that does not fit .u8"},
    {HEAD ".global .f32 x = 1;", TG_ERR_TYPE, "4:18: an element of .f32 cannot be written so"},
    {HEAD ".global .u32 x[2] = {1, 2, 3};", TG_ERR_INVALID,
     "4:28: more elements than the array has"},
    {HEAD ".global .u32 x[];", TG_ERR_INVALID, "4:14: an array needs a size"},
    {HEAD ".global .u32 x; .const .u32 x;", TG_ERR_INVALID, "4:29: 'x' is declared twice"},
    {HEAD ".global .u32 5;", TG_ERR_SYNTAX, "4:14: expected a name before '5'"},
    {HEAD ".file 1 name", TG_ERR_SYNTAX, "4:9: expected the name of a file"},
    {HEAD ".section .text {}", TG_ERR_UNSUPPORTED, "4:10: only sections of .debug_*"},
    {HEAD ".section .debug_str {", TG_ERR_SYNTAX, "4:10: a section that does not end"},
    {HEAD ".entry k(.param .u64 .ptr .align 3 x) {}", TG_ERR_INVALID,
     "4:34: an alignment is a power of two"},
    {HEAD ".entry 5", TG_ERR_SYNTAX, "4:8: expected the name of an entry"},
    {HEAD ".entry k() {}\n.entry k() {}", TG_ERR_INVALID, "5:8: 'k' is declared twice"},
    {HEAD ".entry k(.reg .u32 x) {}", TG_ERR_SYNTAX, "4:10: expected .param"},
    {HEAD ".entry k(.param .b8 x[]) {}", TG_ERR_INVALID, "4:21: parameters of open size"},
    {HEAD ".entry k(.param .b8 x[40000]) {}", TG_ERR_INVALID,
     "4:21: parameters of more than 32,764 bytes"},
    {HEAD ".entry k() .minnctapersm 2 {}", TG_ERR_UNSUPPORTED,
     "4:12: only .reqntid, .maxntid, .explicitcluster"},
    {HEAD ".entry k() .reqntid 32 .maxntid 32 {}", TG_ERR_INVALID, "4:24: more than one of"},
    {HEAD ".entry k() .reqntid 0 {}", TG_ERR_INVALID, "4:21: a block of no threads"},
    {HEAD ".entry k() .reqntid 2048 {}", TG_ERR_INVALID, "4:21: 2048 is more than 1024"},
    {HEAD ".entry k() .reqntid 1, 1, 1, 1 {}", TG_ERR_SYNTAX, "4:30: more than three extents"},
    {HEAD ".entry k() ret;", TG_ERR_SYNTAX, "4:12: expected '{' before 'ret'"},
};

Test(emulator_rejects, texts)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_rejected(texts[i].text, &texts[i], texts[i].message);
}

Test(emulator_rejects, braces_without_end)
{
    char text[4096] = HEAD ".entry k() ";
    for (int i = 0; i < 200; i++) strcat(text, "{");
    const reject_case c = {"braces", TG_ERR_UNSUPPORTED, ""};
    expect_rejected(text, &c, "4:111: braces nested too deeply");
}

Test(emulator_rejects, an_instruction_set_that_is_not_there)
{
    tg_diags diags = {0};
    tg_emu_module *module;
    cr_assert_eq(tg_emu_module_load_for("mmx", "", 0, NULL, &module, &diags), TG_ERR_USAGE);
    cr_assert_str_eq(diags.list[0].message, "this machine has no instruction set mmx");
    tg_diags_free(&diags);
}
