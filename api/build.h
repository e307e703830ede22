/* The builder of the public interface, which checks what verify/ takes
 * for granted: that names and values exist, and that each call comes where it may. */
#ifndef TG_API_BUILD_H
#define TG_API_BUILD_H

#include "base/diag.h"
#include "ir/build.h"
#include "tilegrind/build.h"

/* A region that was closed inside the open region number `owner`. */
typedef struct tg_api_region {
    tg_region region;
    uint32_t owner;
    bool is_used;
} tg_api_region;

/* An open region, and what has been added to its next op. */
typedef struct tg_api_level {
    uint32_t serial; /* each open region has a number of its own */
    uint32_t first;  /* value: those from here on end with the region */
    bool has_attr[TG_ATTR_COUNT];
    tg_dtype data_dtype; /* of attributes of kind DATA; TG_DT_COUNT: there are none */
    int64_t data_count;
    tg_index_dim index[TG_MAX_RANK];
    int index_rank;
    uint32_t region_count;
} tg_api_level;

struct tg_builder {
    tg_build build;
    tg_status status;     /* of the first thing that was wrong */
    char wrong[256];      /* what it was */
    int64_t wrong_kernel; /* where; -1: in none */
    bool in_body;
    bool *visible; /* of each value of the open kernel */
    size_t visible_room;
    tg_api_region *regions; /* of the open kernel */
    size_t region_count, region_room;
    tg_api_level levels[TG_MAX_NESTING + 1]; /* the first: the body */
    int depth;                               /* open ones */
    uint32_t next_serial;
};

/* Whether calls still do something. */
bool tg_api_builds(tg_builder *b);

/* Notes what is wrong, about the open kernel; false. */
TG_PRINTF(2, 3) bool tg_api_wrong(tg_builder *b, const char *format, ...);

/* Whether the text is there and UTF-8; noted where not.  `what` it is. */
bool tg_api_is_text(tg_builder *b, const char *text, const char *what);
bool tg_api_is_text_or_null(tg_builder *b, const char *text, const char *what);

/* Whether a kernel is open, and its body has begun or not, as `call` needs it; noted where not. */
bool tg_api_is_in_place(tg_builder *b, bool in_body, const char *call);

/* Reads a type, or notes what is wrong with it. */
bool tg_api_type(tg_builder *b, const char *text, tg_type *out);

/* Reads a layout, which lives as long as the module; notes what is wrong with it. */
bool tg_api_layout(tg_builder *b, const char *text, const tg_axe **out);

/* A new value, visible from here on. */
tg_value_id tg_api_new_value(tg_builder *b, const tg_type *type);

/* Whether there is such a value here; noted where not. */
bool tg_api_sees(tg_builder *b, tg_value_id value);

/* Opens the bookkeeping of a region. */
bool tg_api_enter(tg_builder *b);

/* Takes a closed region, which belongs to the innermost open one, out of what may be used; noted
 * where it may not. */
bool tg_api_take_region(tg_builder *b, tg_region_id id, tg_region *out);

#endif
