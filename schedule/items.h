/* items.h: what the work-items of a GPU read at once, and again. */
#ifndef TP_SCHEDULE_ITEMS_H
#define TP_SCHEDULE_ITEMS_H

#include "nest/nest.h"

#define TP_ITEMS_VECTOR 4     /* floats that an item reads at once */
#define TP_ITEMS_BUSY 256     /* of a unit: with fewer, latencies show */
#define TP_ITEMS_MAX_TILE 8   /* points of an item next to each other */

/* The axis along which results are contiguous; -1: none. */
int tp_items_find_inner_axis (const TpNest *nest);
/* That axis, if vectors divide it and are such, or one for all lanes, to every load;
 * else -1. */
int tp_items_find_vector_axis (const TpNest *nest);
/* Whether vectors along @vaxis are aligned in every buffer. */
gboolean tp_items_is_aligned (const TpNest *nest, int vaxis);
gint64 tp_items_count_points (const TpNest *nest);
/* How many points along @axis lie between two that read the same in some of the @used
 * loads, a step along reduce axis @reduce apart or several; 0: none do within a tile. */
gint64 tp_items_find_overlap (const TpNest *nest, const gboolean *used, int axis,
                              int reduce);
gboolean tp_items_has_overlaps (const TpNest *nest);

#endif
