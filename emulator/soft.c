#include "emulator/soft.h"

typedef unsigned __int128 wide;

const tg_emu_format tg_emu_f16 = {10, 5, 0x7fff, true, 0}, tg_emu_bf16 = {7, 8, 0x7fff, true, 0},
                    tg_emu_f32 = {23, 8, 0x7fffffff, true, 0},
                    tg_emu_f64 = {52, 11, UINT64_C(0x7ff8000000000000), true, 0},
                    tg_emu_tf32 = {10, 8, 0x7fffffff, true, 13},
                    tg_emu_e4m3 = {3, 4, 0x7f, false, 0}, tg_emu_e5m2 = {2, 5, 0x7f, true, 0};

static int bias_of(const tg_emu_format *f) { return (1 << (f->exponent - 1)) - 1; }
static uint64_t sign_of(const tg_emu_format *f)
{
    return UINT64_C(1) << (f->fraction + f->exponent + f->unused);
}

/* The first pattern, without sign and unused bits, that is not a finite value: inf, or the NaN of
 * e4m3. */
static uint64_t end_of(const tg_emu_format *f)
{
    uint64_t top = UINT64_C(1) << (f->fraction + f->exponent);
    return f->has_inf ? top - (UINT64_C(1) << f->fraction) : top - 1;
}

static int top_bit(wide value)
{
    uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
}

tg_emu_soft tg_emu_unpack(const tg_emu_format *f, uint64_t bits)
{
    tg_emu_soft out = {.sign = (bits & sign_of(f)) != 0};
    uint64_t magnitude = (bits & (sign_of(f) - 1)) >> f->unused, field = magnitude >> f->fraction;
    uint64_t fraction = magnitude & ((UINT64_C(1) << f->fraction) - 1);
    if (magnitude >= end_of(f)) {
        out.class = f->has_inf && magnitude == end_of(f) ? TG_EMU_INF : TG_EMU_NAN;
        return out;
    }
    if (magnitude == 0) return out;
    out.class = TG_EMU_FINITE;
    out.significand = field ? fraction | UINT64_C(1) << f->fraction : fraction;
    out.exponent = (int)(field ? field : 1) - bias_of(f) - (int)f->fraction;
    return out;
}

tg_emu_soft tg_emu_soft_of_int(bool sign, uint64_t magnitude)
{
    return (tg_emu_soft){magnitude ? TG_EMU_FINITE : TG_EMU_ZERO, sign, 0, magnitude};
}

/* value >> shift, rounded. */
static wide round_shift(wide value, int shift, bool sign, tg_emu_rounding rounding)
{
    if (shift <= 0) return value << -shift;
    wide kept = shift > 127 ? 0 : value >> shift;
    wide rest = shift > 127 ? value : value & (((wide)1 << shift) - 1);
    wide half = shift > 127 ? 0 : (wide)1 << (shift - 1);
    bool is_half = shift <= 127 && rest == half, is_more = shift <= 127 && rest > half;
    switch (rounding) {
    case TG_EMU_RN: return kept + (is_more || (is_half && kept & 1));
    case TG_EMU_RNA: return kept + (is_more || is_half);
    case TG_EMU_RM: return kept + (rest && sign);
    case TG_EMU_RP: return kept + (rest && !sign);
    default: return kept;
    }
}

static uint64_t overflow(const tg_emu_format *f, bool sign, tg_emu_rounding rounding,
                         bool is_finite)
{
    bool to_greatest = is_finite || rounding == TG_EMU_RZ || (rounding == TG_EMU_RM && !sign) ||
                       (rounding == TG_EMU_RP && sign);
    return to_greatest || !f->has_inf ? end_of(f) - 1 : end_of(f);
}

uint64_t tg_emu_pack(const tg_emu_format *f, const tg_emu_soft *v, tg_emu_rounding rounding,
                     bool is_finite)
{
    uint64_t sign = v->sign ? sign_of(f) : 0;
    if (v->class == TG_EMU_NAN) return f->nan;
    if (v->class == TG_EMU_ZERO) return sign;
    if (v->class == TG_EMU_INF)
        return sign | (f->has_inf && !is_finite ? end_of(f) : end_of(f) - 1) << f->unused;
    /* exponent of the last bit of a subnormal number */
    int least = 1 - bias_of(f) - (int)f->fraction;
    int last = v->exponent + top_bit(v->significand) - (int)f->fraction;
    if (last < least) last = least;
    uint64_t rounded = (uint64_t)round_shift(v->significand, last - v->exponent, v->sign, rounding);
    /* The leading bit of the significand adds one to the exponent field, and so does a carry out of
     * it. */
    int field = last - least;
    bool is_beyond = field >= 1 << f->exponent;
    uint64_t bits = is_beyond ? 0 : ((uint64_t)field << f->fraction) + rounded;
    if (is_beyond || bits >= end_of(f)) bits = overflow(f, v->sign, rounding, is_finite);
    return sign | bits << f->unused;
}

tg_emu_soft tg_emu_soft_integral(const tg_emu_soft *v, tg_emu_rounding rounding)
{
    if (v->class != TG_EMU_FINITE || v->exponent >= 0) return *v;
    wide rounded = round_shift(v->significand, -v->exponent, v->sign, rounding);
    return (tg_emu_soft){rounded ? TG_EMU_FINITE : TG_EMU_ZERO, v->sign, 0, rounded};
}

/* Moves the leading bit to bit 125, which leaves room for a carry. */
static void normalise(tg_emu_soft *v)
{
    int shift = 125 - top_bit(v->significand);
    v->significand <<= shift;
    v->exponent -= shift;
}

static wide shift_down(wide value, int shift)
{
    if (shift > 127) return value != 0;
    wide kept = value >> shift;
    return kept << shift != value ? kept | 1 : kept;
}

/* An exact zero has the sign of both addends.  If these differ it is positive, except toward minus
 * infinity. */
static tg_emu_soft zero_sum(bool a, bool b, tg_emu_rounding rounding)
{
    return (tg_emu_soft){.sign = a == b ? a : rounding == TG_EMU_RM};
}

static tg_emu_soft sum(tg_emu_soft a, tg_emu_soft b, tg_emu_rounding rounding)
{
    if (a.class == TG_EMU_NAN || b.class == TG_EMU_NAN ||
        (a.class == TG_EMU_INF && b.class == TG_EMU_INF && a.sign != b.sign))
        return (tg_emu_soft){.class = TG_EMU_NAN};
    if (a.class == TG_EMU_INF || b.class == TG_EMU_INF) return a.class == TG_EMU_INF ? a : b;
    if (a.class == TG_EMU_ZERO && b.class == TG_EMU_ZERO) return zero_sum(a.sign, b.sign, rounding);
    if (a.class == TG_EMU_ZERO || b.class == TG_EMU_ZERO) return a.class == TG_EMU_ZERO ? b : a;
    normalise(&a);
    normalise(&b);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
        tg_emu_soft swapped = a;
        a = b;
        b = swapped;
    }
    b.significand = shift_down(b.significand, a.exponent - b.exponent);
    if (a.sign == b.sign)
        a.significand += b.significand;
    else
        a.significand -= b.significand;
    return a.significand ? a : zero_sum(a.sign, b.sign, rounding);
}

static tg_emu_soft product(const tg_emu_soft *a, const tg_emu_soft *b)
{
    tg_emu_soft out = {.class = TG_EMU_NAN, .sign = a->sign != b->sign};
    bool has_inf = a->class == TG_EMU_INF || b->class == TG_EMU_INF;
    bool has_zero = a->class == TG_EMU_ZERO || b->class == TG_EMU_ZERO;
    if (a->class == TG_EMU_NAN || b->class == TG_EMU_NAN || (has_inf && has_zero)) return out;
    out.class = has_inf ? TG_EMU_INF : has_zero ? TG_EMU_ZERO : TG_EMU_FINITE;
    out.significand = a->significand * b->significand;
    out.exponent = a->exponent + b->exponent;
    return out;
}

static uint64_t finish(const tg_emu_format *f, tg_emu_soft value, tg_emu_rounding rounding)
{
    return tg_emu_pack(f, &value, rounding, false);
}

uint64_t tg_emu_soft_fma(const tg_emu_format *f, tg_emu_rounding rounding, uint64_t a, uint64_t b,
                         uint64_t c)
{
    tg_emu_soft va = tg_emu_unpack(f, a), vb = tg_emu_unpack(f, b);
    return finish(f, sum(product(&va, &vb), tg_emu_unpack(f, c), rounding), rounding);
}

uint64_t tg_emu_soft_add(const tg_emu_format *f, tg_emu_rounding rounding, uint64_t a, uint64_t b)
{
    return finish(f, sum(tg_emu_unpack(f, a), tg_emu_unpack(f, b), rounding), rounding);
}

uint64_t tg_emu_soft_sub(const tg_emu_format *f, tg_emu_rounding rounding, uint64_t a, uint64_t b)
{
    return tg_emu_soft_add(f, rounding, a, b ^ sign_of(f));
}

uint64_t tg_emu_soft_mul(const tg_emu_format *f, tg_emu_rounding rounding, uint64_t a, uint64_t b)
{
    tg_emu_soft va = tg_emu_unpack(f, a), vb = tg_emu_unpack(f, b);
    return finish(f, product(&va, &vb), rounding);
}

uint64_t tg_emu_soft_div(const tg_emu_format *f, tg_emu_rounding rounding, uint64_t a, uint64_t b)
{
    tg_emu_soft va = tg_emu_unpack(f, a), vb = tg_emu_unpack(f, b);
    tg_emu_soft out = {.class = TG_EMU_NAN, .sign = va.sign != vb.sign};
    if (va.class == TG_EMU_NAN || vb.class == TG_EMU_NAN ||
        (va.class == vb.class && (va.class == TG_EMU_INF || va.class == TG_EMU_ZERO)))
        return finish(f, out, rounding);
    if (va.class == TG_EMU_INF || vb.class == TG_EMU_ZERO)
        out.class = TG_EMU_INF;
    else if (va.class == TG_EMU_ZERO || vb.class == TG_EMU_INF)
        out.class = TG_EMU_ZERO;
    else {
        normalise(&va);
        wide quotient = va.significand / vb.significand;
        out.class = TG_EMU_FINITE;
        out.significand = quotient | (quotient * vb.significand != va.significand);
        out.exponent = va.exponent - vb.exponent;
    }
    return finish(f, out, rounding);
}

uint64_t tg_emu_soft_rcp(const tg_emu_format *f, tg_emu_rounding rounding, uint64_t a)
{
    return tg_emu_soft_div(f, rounding, (uint64_t)bias_of(f) << f->fraction, a);
}

/* Computes the 63 bits one by one. */
static uint64_t root_of(wide value)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 63; bit; bit >>= 1)
        if ((wide)(root | bit) * (root | bit) <= value) root |= bit;
    return root;
}

uint64_t tg_emu_soft_sqrt(const tg_emu_format *f, tg_emu_rounding rounding, uint64_t a)
{
    tg_emu_soft v = tg_emu_unpack(f, a);
    if (v.class == TG_EMU_NAN || (v.sign && v.class != TG_EMU_ZERO)) return f->nan;
    if (v.class != TG_EMU_FINITE) return a;
    normalise(&v);
    if (v.exponent & 1) {
        v.significand <<= 1;
        v.exponent--;
    }
    uint64_t root = root_of(v.significand);
    tg_emu_soft out = {TG_EMU_FINITE, false, v.exponent / 2 - 1, (wide)root << 1};
    if ((wide)root * root != v.significand) out.significand |= 1;
    return finish(f, out, rounding);
}
