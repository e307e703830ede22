/* Elements are converted from their carrier to memory.  Those of less than 8 bits have a byte each
 * there; they are packed, lowest bits first, or bytes are unpacked.  Then they are converted to the
 * other carrier. */
#include "interp/exec/bitcast.h"

#include <string.h>

#include "interp/state/handlers.h"
#include "interp/state/operand.h"

static int64_t element_count(const tg_operand *o)
{
    int64_t count = 1;
    for (int d = 0; d < o->rank; d++) count *= o->shape[d];
    return count;
}

/* Bytes of `count` packed elements. */
static size_t packed_bytes(int64_t count, tg_dtype dtype)
{
    return ((size_t)count * tg_dtypes[dtype].bits + 7) / 8;
}

/* Bytes for the elements in memory; enough for unpacked elements as well as packed ones. */
static size_t memory_bytes(const tg_operand *o)
{
    return ((size_t)element_count(o) * tg_dtypes[o->dtype].bytes + 63) / 64 * 64;
}

size_t tg_bitcast_workspace(const struct tg_inst_bitcast *cast)
{
    return memory_bytes(&cast->in) + memory_bytes(&cast->out);
}

/* Packs from the front, so that it works in place: a byte is written after all that it holds has
 * been read. */
static void pack(unsigned char *bytes, int64_t count, int bits)
{
    const int in_byte = 8 / bits, ones = (1 << bits) - 1;
    for (int64_t first = 0; first < count; first += in_byte) {
        int packed = 0;
        for (int i = 0; i < in_byte && first + i < count; i++)
            packed |= (bytes[first + i] & ones) << (i * bits);
        bytes[first / in_byte] = (unsigned char)packed;
    }
}

/* Inlined where `bits` is a constant, so that there is no division. */
static inline void unpack_by(unsigned char *to, const unsigned char *bytes, int64_t count, int bits)
{
    const int in_byte = 8 / bits, ones = (1 << bits) - 1;
    const int64_t whole = count / in_byte;
    for (int64_t b = 0; b < whole; b++)
        for (int i = 0; i < in_byte; i++)
            to[b * in_byte + i] = (unsigned char)(bytes[b] >> (i * bits) & ones);
    for (int64_t i = whole * in_byte; i < count; i++)
        to[i] = (unsigned char)(bytes[whole] >> (int)(i % in_byte) * bits & ones);
}

static void unpack(unsigned char *to, const unsigned char *bytes, int64_t count, int bits)
{
    if (bits == 4)
        unpack_by(to, bytes, count, 4);
    else
        unpack_by(to, bytes, count, bits);
}

void tg_exec_bitcast(tg_machine *m, const tg_inst *inst)
{
    const struct tg_inst_bitcast *cast = inst->as.bitcast;
    const tg_elementwise *lanes = m->launch->elementwise;
    const tg_dtype in = cast->in.dtype, out = cast->out.dtype;
    const int64_t in_count = element_count(&cast->in), out_count = element_count(&cast->out);
    const void *carrier = tg_operand_at(m, &cast->in);
    unsigned char *memory = m->extra, *unpacked = memory + memory_bytes(&cast->in);
    void *to = tg_operand_at(m, &cast->out);
    if (tg_elementwise_store(lanes, in))
        tg_elementwise_store(lanes, in)(memory, &carrier, 0, (size_t)in_count, 0);
    else
        memcpy(memory, carrier, (size_t)in_count * tg_dtypes[in].bytes);
    if (tg_dtypes[in].bits < 8) pack(memory, in_count, tg_dtypes[in].bits);
    const void *bytes = memory;
    if (tg_dtypes[out].bits < 8) {
        unpack(unpacked, memory, out_count, tg_dtypes[out].bits);
        bytes = unpacked;
    }
    if (tg_elementwise_load(lanes, out))
        tg_elementwise_load(lanes, out)(to, &bytes, 0, (size_t)out_count, 0);
    else
        memcpy(to, bytes, packed_bytes(out_count, out));
}
