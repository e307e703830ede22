/* The elements of a side of an op beside the threads as a dense block of carriers, and back. */
#ifndef TG_INTERP_SYNC_ASYNC_BLOCK_H
#define TG_INTERP_SYNC_ASYNC_BLOCK_H

#include "interp/state/room.h"
#include "interp/sync/async_side.h"
#include "ir/view.h"

/* Reads the elements of a side of `type`, in the carrier of `as`; those outside its array are
 * undefined.  Returns a block of the room; NULL if memory runs out. */
unsigned char *tg_async_block_read(const tg_machine *m, tg_room *room, const tg_async_side *side,
                                   const tg_type *type, tg_dtype as);

/* Returns the block converted from one dtype to another, in the room; NULL if memory runs out. */
unsigned char *tg_async_block_convert(const tg_machine *m, tg_room *room, unsigned char *block,
                                      size_t count, tg_dtype from, tg_dtype to);

/* Writes carriers of the type's dtype to the elements of the side that are inside its array.  Returns
 * false if memory runs out. */
bool tg_async_block_write(const tg_machine *m, tg_room *room, const tg_async_side *side,
                          const tg_type *type, const unsigned char *block);

/* If all elements of the side are inside its array and follow each other in each row, sets *rows to them
 * where they are, and returns true. */
bool tg_async_block_rows(const tg_async_side *side, const tg_type *type, tg_view *rows);

/* Writes a value as it is in memory, dense, to `to`.  Returns false if memory runs out. */
bool tg_async_block_keep(const tg_machine *m, const tg_view *value, tg_dtype dtype,
                         unsigned char *to);

#endif
