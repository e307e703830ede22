#include "gpu_backend/emit/uniform.h"

#include <inttypes.h>

tg_ptx_uniform tg_ptx_known(int64_t value)
{
    return (tg_ptx_uniform){.is_known = true, .known = value};
}

bool tg_ptx_is_known(tg_ptx_uniform v, int64_t value) { return v.is_known && v.known == value; }

tg_ptx_uniform tg_ptx_held(tg_ptx_reg reg) { return (tg_ptx_uniform){.reg = reg}; }

tg_ptx_uniform tg_ptx_held_multiple(tg_ptx_reg reg, int64_t multiple)
{
    return (tg_ptx_uniform){.reg = reg, .multiple = multiple};
}

int64_t tg_ptx_divisor(int64_t number)
{
    int64_t d = 1;
    while (d < TG_PTX_MOST_MULTIPLE && number % (2 * d) == 0) d *= 2;
    return d;
}

int64_t tg_ptx_multiple_of(tg_ptx_uniform v)
{
    return v.is_known ? tg_ptx_divisor(v.known) : v.multiple ? v.multiple : 1;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

tg_ptx_reg tg_ptx_uniform_reg(tg_ptx_emitter *em, tg_ptx_uniform v)
{
    if (!v.is_known) return v.reg;
    tg_ptx_reg reg = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "mov.b64 %s, %" PRId64 ";", reg.name, v.known);
    return reg;
}

/* A row "op r, a, b"; b becomes an immediate if it is known. */
static tg_ptx_uniform two(tg_ptx_emitter *em, const char *op, tg_ptx_uniform a, tg_ptx_uniform b)
{
    tg_ptx_reg left = tg_ptx_uniform_reg(em, a), r = tg_ptx_new(&em->w, TG_PTX_B64);
    if (b.is_known)
        tg_ptx_row(&em->w, "%s %s, %s, %" PRId64 ";", op, r.name, left.name, b.known);
    else
        tg_ptx_row(&em->w, "%s %s, %s, %s;", op, r.name, left.name, b.reg.name);
    return tg_ptx_held(r);
}

static int64_t wrapped_sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

tg_ptx_uniform tg_ptx_add(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b)
{
    if (a.is_known && b.is_known) return tg_ptx_known(wrapped_sum(a.known, b.known));
    if (tg_ptx_is_known(a, 0)) return b;
    if (tg_ptx_is_known(b, 0)) return a;
    tg_ptx_uniform sum = a.is_known ? two(em, "add.s64", b, a) : two(em, "add.s64", a, b);
    sum.multiple = least(tg_ptx_multiple_of(a), tg_ptx_multiple_of(b));
    return sum;
}

tg_ptx_uniform tg_ptx_sub(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b)
{
    if (b.is_known) return tg_ptx_add(em, a, tg_ptx_known((int64_t)(0 - (uint64_t)b.known)));
    return two(em, "sub.s64", a, b);
}

tg_ptx_uniform tg_ptx_mul(tg_ptx_emitter *em, tg_ptx_uniform a, int64_t factor)
{
    if (a.is_known) return tg_ptx_known((int64_t)((uint64_t)a.known * (uint64_t)factor));
    if (factor == 1) return a;
    if (factor == 0) return tg_ptx_known(0);
    tg_ptx_uniform product = two(em, "mul.lo.s64", a, tg_ptx_known(factor));
    product.multiple = least(tg_ptx_multiple_of(a) * tg_ptx_divisor(factor), TG_PTX_MOST_MULTIPLE);
    return product;
}

tg_ptx_uniform tg_ptx_min(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b)
{
    if (a.is_known && b.is_known) return a.known < b.known ? a : b;
    return a.is_known ? two(em, "min.s64", b, a) : two(em, "min.s64", a, b);
}

tg_ptx_uniform tg_ptx_max(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b)
{
    if (a.is_known && b.is_known) return a.known > b.known ? a : b;
    return a.is_known ? two(em, "max.s64", b, a) : two(em, "max.s64", a, b);
}

tg_ptx_uniform tg_ptx_within(tg_ptx_emitter *em, tg_ptx_uniform v, tg_ptx_uniform low,
                             tg_ptx_uniform high)
{
    return tg_ptx_min(em, tg_ptx_max(em, v, low), high);
}

tg_ptx_uniform tg_ptx_product(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b)
{
    if (b.is_known) return tg_ptx_mul(em, a, b.known);
    return a.is_known ? tg_ptx_mul(em, b, a.known) : two(em, "mul.lo.s64", a, b);
}

tg_ptx_uniform tg_ptx_mul_add(tg_ptx_emitter *em, tg_ptx_uniform a, int64_t factor,
                              tg_ptx_uniform b)
{
    if (a.is_known || factor == 1 || factor == 0 || tg_ptx_is_known(b, 0))
        return tg_ptx_add(em, tg_ptx_mul(em, a, factor), b);
    const tg_ptx_reg to_add = tg_ptx_uniform_reg(em, b), r = tg_ptx_new(&em->w, TG_PTX_B64);
    const int64_t multiple = tg_ptx_multiple_of(a) * tg_ptx_divisor(factor);
    tg_ptx_row(&em->w, "mad.lo.s64 %s, %s, %" PRId64 ", %s;", r.name, a.reg.name, factor,
               to_add.name);
    return tg_ptx_held_multiple(
        r, least(least(multiple, TG_PTX_MOST_MULTIPLE), tg_ptx_multiple_of(b)));
}

/* Whether the number is known, and a power of two. */
static bool is_power(tg_ptx_uniform by)
{
    return by.is_known && by.known > 0 && (by.known & (by.known - 1)) == 0;
}

tg_ptx_uniform tg_ptx_div(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform by)
{
    if (tg_ptx_is_known(by, 1)) return a;
    if (a.is_known && by.is_known && by.known > 0) return tg_ptx_known(a.known / by.known);
    if (is_power(by))
        return two(em, "shr.u64", a, tg_ptx_known(__builtin_ctzll((uint64_t)by.known)));
    return two(em, "div.u64", a, by);
}

tg_ptx_uniform tg_ptx_rem(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform by)
{
    if (tg_ptx_is_known(by, 1)) return tg_ptx_known(0);
    if (a.is_known && by.is_known && by.known > 0) return tg_ptx_known(a.known % by.known);
    if (is_power(by)) return two(em, "and.b64", a, tg_ptx_known(by.known - 1));
    return two(em, "rem.u64", a, by);
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0); }

tg_ptx_uniform tg_ptx_floor_div(tg_ptx_emitter *em, tg_ptx_uniform a, int64_t by)
{
    if (a.is_known) return tg_ptx_known(floor_div(a.known, by));
    if (by == 1) return a;
    if ((by & (by - 1)) == 0) {
        tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
        tg_ptx_row(&em->w, "shr.s64 %s, %s, %d;", r.name, a.reg.name,
                   __builtin_ctzll((unsigned long long)by));
        return tg_ptx_held(r);
    }
    /* (a - (a mod by)) / by is exact, and a mod by = rem + (rem < 0 ? by : 0) */
    tg_ptx_uniform rem = two(em, "rem.s64", a, tg_ptx_known(by));
    tg_ptx_uniform sign = two(em, "shr.s64", rem, tg_ptx_known(63));
    tg_ptx_uniform mod = tg_ptx_add(em, rem, two(em, "and.b64", sign, tg_ptx_known(by)));
    return two(em, "div.s64", tg_ptx_sub(em, a, mod), tg_ptx_known(by));
}

static tg_ptx_uniform of_predicate(tg_ptx_emitter *em, tg_ptx_reg p)
{
    tg_ptx_reg r = tg_ptx_new(&em->w, TG_PTX_B64);
    tg_ptx_row(&em->w, "selp.b64 %s, 1, 0, %s;", r.name, p.name);
    return tg_ptx_held(r);
}

tg_ptx_uniform tg_ptx_is_less(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b)
{
    if (a.is_known && b.is_known) return tg_ptx_known(a.known < b.known);
    tg_ptx_reg left = tg_ptx_uniform_reg(em, a), right = tg_ptx_uniform_reg(em, b);
    tg_ptx_reg p = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.lt.s64 %s, %s, %s;", p.name, left.name, right.name);
    return of_predicate(em, p);
}

tg_ptx_uniform tg_ptx_are_equal(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b)
{
    if (a.is_known && b.is_known) return tg_ptx_known(a.known == b.known);
    const tg_ptx_reg left = tg_ptx_uniform_reg(em, a), right = tg_ptx_uniform_reg(em, b),
                     p = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.eq.s64 %s, %s, %s;", p.name, left.name, right.name);
    return of_predicate(em, p);
}

tg_ptx_uniform tg_ptx_both(tg_ptx_emitter *em, tg_ptx_uniform a, tg_ptx_uniform b)
{
    if (a.is_known) return a.known ? b : a;
    if (b.is_known) return b.known ? a : b;
    return two(em, "and.b64", a, b);
}

tg_ptx_uniform tg_ptx_choose(tg_ptx_emitter *em, tg_ptx_uniform first, tg_ptx_uniform a,
                             tg_ptx_uniform b)
{
    if (first.is_known) return first.known ? a : b;
    tg_ptx_reg p = tg_ptx_is_set(em, first), x = tg_ptx_uniform_reg(em, a),
               y = tg_ptx_uniform_reg(em, b);
    return tg_ptx_held(tg_ptx_selp(&em->w, p, x, y));
}

tg_ptx_reg tg_ptx_is_set(tg_ptx_emitter *em, tg_ptx_uniform v)
{
    tg_ptx_reg reg = tg_ptx_uniform_reg(em, v), p = tg_ptx_new(&em->w, TG_PTX_PRED);
    tg_ptx_row(&em->w, "setp.ne.s64 %s, %s, 0;", p.name, reg.name);
    return p;
}
