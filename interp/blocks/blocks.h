/* Work on whole blocks: copies, reductions, scans, products.  Operands are strided views of
 * elements in carriers; results are dense unless a stride is given.  No function here allocates:
 * each has a function for the size of its workspace.  All give the same bits on every instruction
 * set. */
#ifndef TG_INTERP_BLOCKS_BLOCKS_H
#define TG_INTERP_BLOCKS_BLOCKS_H

#include "interp/blocks/arg_reduce.h"
#include "interp/blocks/copy.h"
#include "interp/blocks/dot.h"
#include "interp/blocks/gather.h"
#include "interp/blocks/reduce.h"
#include "interp/blocks/scan.h"
#include "interp/blocks/scatter.h"
#include "interp/blocks/sort.h"

#endif
