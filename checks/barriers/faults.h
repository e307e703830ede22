/* What is wrong with the barriers of a parameter: at most one finding of each kind, which is that of
 * the first program and instruction, so that it is the same in every order. */
#ifndef TG_CHECKS_BARRIERS_FAULTS_H
#define TG_CHECKS_BARRIERS_FAULTS_H

#include "checks/barriers/phases.h"
#include "report/finding.h"

/* Of the faults of a parameter only the first one is reported, from which the others may follow; and only
 * overruns if any barrier has one, as phases then depend on the order. */
typedef enum tg_barrier_fault_kind {
    TG_FAULT_OVERRUN,
    TG_FAULT_MISSED,
    TG_FAULT_UNOBSERVED,
    TG_FAULT_ARRIVALS_LEFT,
    TG_FAULT_PHASES_LEFT,
    TG_FAULT_KINDS
} tg_barrier_fault_kind;

typedef struct tg_barrier_fault {
    bool is_there;
    tg_barrier_act at, other;
    tg_found found;
} tg_barrier_fault;

typedef struct tg_barrier_faults {
    tg_barrier_fault *list; /* per parameter, one of each kind */
    uint32_t param_count;
} tg_barrier_faults;

/* Returns false if memory runs out. */
bool tg_barrier_faults_init(tg_barrier_faults *faults, uint32_t param_count);
void tg_barrier_faults_free(tg_barrier_faults *faults);
void tg_barrier_faults_clear(tg_barrier_faults *faults);

/* Each of these adds a fault, located at an act, in relation to another one.
 *   overrun         nothing orders two acts that are in different phases, or a copy and the completion
 *                   of its phase
 *   missed          a wait for `phase` is not ordered before the completion of the next one
 *   unobserved      nobody has waited for phase `before`, and `now` is complete
 *   arrivals_left   the memory of the barrier ends in a phase of which some arrivals have come, or
 *                   some bytes, of which it still lacks others
 *   phases_left     the memory of the barrier ends, and a thread has waited for some phases only */
void tg_barrier_overrun(tg_barrier_faults *faults, const tg_machine *m, const tg_barrier_use *use,
                        const tg_barrier_act *one, const tg_barrier_act *two);
void tg_barrier_missed(tg_barrier_faults *faults, const tg_machine *m, const tg_barrier_use *use,
                       const tg_barrier_act *at, uint32_t phase, const tg_barrier_act *other);
void tg_barrier_unobserved(tg_barrier_faults *faults, const tg_machine *m,
                           const tg_barrier_use *use);
void tg_barrier_arrivals_left(tg_barrier_faults *faults, const tg_machine *m,
                              const tg_barrier_use *use, int64_t lacks);
void tg_barrier_phases_left(tg_barrier_faults *faults, const tg_machine *m,
                            const tg_barrier_use *use, const tg_barrier_thread *thread);

void tg_barrier_faults_report(const tg_barrier_faults *faults, tg_findings *findings);

#endif
