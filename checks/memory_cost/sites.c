#include "checks/memory_cost/sites.h"

/* Whether the worst instruction of an access makes it the witness, in whatever order programs come. */
static bool is_witness(const tg_cost_site *site, const tg_instruction_cost *worst,
                       int64_t program_index)
{
    if (site->accesses == 0 || tg_instruction_is_worse(worst, &site->worst)) return true;
    if (tg_instruction_is_worse(&site->worst, worst)) return false;
    return program_index < site->program_index;
}

bool tg_cost_site_add(tg_cost_site *site, const tg_access_cost *cost, bool is_assumed,
                      int64_t program_index)
{
    if (cost->instructions == 0) return false;
    const bool is_new = is_witness(site, &cost->worst, program_index);
    if (is_new) {
        site->worst = cost->worst;
        site->program_index = program_index;
    }
    if (!site->narrowest || cost->width < site->narrowest) site->narrowest = cost->width;
    if (cost->width > site->widest) site->widest = cost->width;
    site->is_assumed = site->is_assumed || is_assumed;
    site->accesses++;
    site->costly += cost->cost > cost->least;
    site->instructions += cost->instructions;
    site->cost += cost->cost;
    site->least += cost->least;
    site->bytes += cost->bytes;
    return is_new;
}
