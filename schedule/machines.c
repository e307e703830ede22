#include "schedule/machines.h"

#include <stdlib.h>

#include "base/list.h"
#include "interp/exec/storage.h"

void tg_machines_free(tg_machines *machines)
{
    for (int i = 0; i < machines->count; i++) tg_machine_free(machines->list[i]);
    free(machines->list);
    *machines = (tg_machines){0};
}

bool tg_machines_add(tg_machines *machines, tg_machine *m)
{
    tg_machine **list =
        tg_list_grow(machines->list, (size_t)machines->count, &machines->capacity, sizeof *list);
    if (!list) return false;
    machines->list = list;
    list[machines->count++] = m;
    return true;
}
