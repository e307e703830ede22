/* Linear layouts and encodings as text. */
#include <stdlib.h>
#include <string.h>

#include "layout/linear/encoded.h"
#include "layout/linear/print.h"
#include "layout/linear/read.h"
#include "layouts/law.h"
#include "layouts/linear_model.h"

typedef void prints(const tg_linear *linear, tg_text *out);

static bool same(const tg_linear *a, const tg_linear *b)
{
    if (a->in.count != b->in.count || a->out.count != b->out.count) return false;
    for (int i = 0; i < a->in.count; i++)
        if (strcmp(a->in.list[i].name, b->in.list[i].name) != 0 ||
            a->in.list[i].bits != b->in.list[i].bits)
            return false;
    for (int i = 0; i < a->out.count; i++)
        if (strcmp(a->out.list[i].name, b->out.list[i].name) != 0 ||
            a->out.list[i].bits != b->out.list[i].bits)
            return false;
    for (int i = 0; i < dims_bits(&a->in); i++)
        if (a->columns[i] != b->columns[i]) return false;
    return true;
}

/* Changes some bytes of a text. */
static void spoil(chance *c, char *text)
{
    static const char bytes[] = "[]{}<>()=,-#0123456789 ablo\"\n";
    const size_t length = strlen(text);
    for (int64_t times = pick(c, 1, 3); times > 0 && length; times--)
        text[pick(c, 0, (int64_t)length - 1)] = bytes[pick(c, 0, (int64_t)sizeof bytes - 2)];
}

static bool reads_back(chance *c, prints *print, const tg_linear *linear)
{
    tg_text text = {0};
    tg_linear got;
    print(linear, &text);
    char *printed = tg_text_finish(&text);
    const bool is_same = printed && tg_linear_read(printed, strlen(printed), &got, NULL) == TG_OK &&
                         same(linear, &got);
    if (printed) spoil(c, printed);
    if (printed) tg_linear_read(printed, strlen(printed), &got, NULL);
    free(printed);
    return is_same;
}

outcome law_linear_text(chance *c, tg_axe *shown)
{
    tg_linear linear;
    (void)shown;
    random_linear(c, &(dims_wish){"abc", 0, 3, 8}, &(dims_wish){"xyz", 0, 3, 8}, &linear);
    if (one_in(c, 2))
        for (int i = 0; i < linear.out.count; i++) {
            strcpy(linear.out.list[i].name, "dim0");
            linear.out.list[i].name[3] = (char)('0' + i);
        }
    return reads_back(c, tg_linear_print, &linear) && reads_back(c, tg_linear_print_lines, &linear)
               ? KEPT
               : BROKEN;
}

/* ---- encodings ---- */

static const char *const seeds[] = {
    "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 2], order = "
    "[1, "
    "0], CGALayout = [[1, 0]]}>",
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, "
    "8]}>",
    "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, "
    "16, "
    "8]}>",
    "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
    "warpsPerCTA "
    "= [2, 2], instrShape = [16, 8]}>, kWidth = 2}>",
    "#ttg.dot_op<{opIdx = 1, parent = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, "
    "4], "
    "warpsPerCTA = [2, 2], order = [1, 0]}>}>",
    "#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 2, 1], threadsPerWarp = [8, "
    "2, "
    "2], warpsPerCTA = [2, 2, 1], order = [1, 0, 2]}>}>",
    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = "
    "false, tilesPerWarp = [2, 2]}>",
    "#ttg.dot_op<{opIdx = 1, parent = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape "
    "= "
    "[64, 4, 16], isTransposed = true}>, kWidth = 4}>",
    "#ttg.amd_wmma<{version = 2, isTranspose = true, ctaLayout = {register = [[0, 1]], warp = [[1, "
    "0]]}}>",
    "#ttg.dot_op<{opIdx = 0, parent = #ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = "
    "{warp = [[0, 1], [1, 0]]}}>, kWidth = 8}>",
    "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>",
    "#ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 16}>",
    "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8, "
    "fp4Padded = "
    "true}>",
    "#ttng.tensor_memory_encoding<blockM = 64, blockN = 32, colStride = 2, twoCTAs = true>",
    "#ttng.tensor_memory_scales_encoding<>",
    "#ttg.linear<{register = [[0, 1]], lane = [[1, 0], [0, 2]], warp = [], block = []}>",
};

/* The layout of an encoding is one of the shape.  Blocks may be more than the tensor; then tensor memory is
 * larger. */
outcome law_encoding(chance *c, tg_axe *shown)
{
    static tg_encoding encoding;
    char text[512];
    tg_shape shape = {.rank = one_in(c, 8) ? (int)pick(c, 0, 3) : 2};
    tg_linear linear;
    (void)shown;
    strcpy(text, seeds[pick(c, 0, (int64_t)(sizeof seeds / sizeof *seeds) - 1)]);
    for (int i = 0; i < shape.rank; i++) shape.extent[i] = INT64_C(1) << pick(c, 0, 8);
    if (one_in(c, 16)) shape.extent[0] = pick(c, -1, 100);
    if (one_in(c, 2)) spoil(c, text);
    if (tg_encoding_read(text, strlen(text), &encoding, NULL) != TG_OK) return REFUSED;
    if (tg_encoding_to_linear(&encoding, &shape, &linear, NULL) != TG_OK) return REFUSED;
    if (linear.out.count != shape.rank) return BROKEN;
    const uint64_t size = UINT64_C(1) << dims_bits(&linear.out);
    for (int i = 0; i < dims_bits(&linear.in); i++)
        if (linear.columns[i] >= size) return BROKEN;
    const bool is_tensor_memory = strncmp(text, "#ttng", 5) == 0;
    for (int i = 0; i < shape.rank && !is_tensor_memory; i++)
        if (INT64_C(1) << linear.out.list[i].bits != shape.extent[i]) return BROKEN;
    return KEPT;
}
