/* Decodes the barrier of a cluster. */
#ifndef TG_EMULATOR_DECODE_CLUSTER_H
#define TG_EMULATOR_DECODE_CLUSTER_H

#include "emulator/parser.h"

/* barrier.cluster.arrive{.release, .relaxed}{.aligned} and barrier.cluster.wait{.acquire}{.aligned},
 * of which the first two words have been taken. */
tg_status tg_emu_decode_cluster_barrier(tg_emu_parser *parser, tg_emu_statement *statement,
                                        tg_emu_inst *inst);

#endif
