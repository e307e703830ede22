#include "emulator/order.h"

tg_emu_order tg_emu_order_of(uint64_t count, uint64_t seed)
{
    tg_emu_order order = {.count = count};
    if (seed == 0 || count < 2) return order;
    while (order.half_bits < 32 && UINT64_C(1) << 2 * order.half_bits < count) order.half_bits++;
    for (int i = 0; i < 4; i++) order.keys[i] = tg_emu_random(&seed);
    return order;
}

uint64_t tg_emu_order_at(const tg_emu_order *order, uint64_t index)
{
    if (order->half_bits == 0) return index;
    uint64_t half = (UINT64_C(1) << order->half_bits) - 1;
    do {
        uint64_t left = index >> order->half_bits, right = index & half;
        for (int i = 0; i < 4; i++) {
            uint64_t state = order->keys[i] ^ right, next = left ^ (tg_emu_random(&state) & half);
            left = right;
            right = next;
        }
        index = left << order->half_bits | right;
    } while (index >= order->count);
    return index;
}
