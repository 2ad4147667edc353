/* nest-canon.h: nests in canonical form, and what schedules ask about nests. */
#ifndef TP_SCHEDULE_NEST_CANON_H
#define TP_SCHEDULE_NEST_CANON_H

#include "nest/nest.h"

/* The same computation with as few axes as possible: axes of one point and
 * guards that always hold are dropped, axes that every access walks as one are
 * merged, stages over nothing are inlined. */
TpNest *tp_nest_canonicalize (const TpNest *nest);
/* Per load: is it used by the stages or the result? Caller frees. */
gboolean *tp_nest_find_used_loads (const TpNest *nest);
/* Per load: is it used by expression @root? Caller frees. */
gboolean *tp_nest_find_loads_of (const TpNest *nest, int root);
/* Does the index of @access depend on @axis? */
gboolean tp_nest_index_walks (const TpNest *nest, const TpAccess *access,
                              int axis);
/* Do neither the index nor the guards of @access depend on @axis: is it one stride from
 * point to point? */
gboolean tp_nest_is_plain_along (const TpNest *nest, const TpAccess *access,
                                 int axis);
/* Do two guards ask the same? */
gboolean tp_nest_is_same_guard (const TpNest *nest, const TpGuard *a,
                                const TpGuard *b);
/* The value @expr, a real, takes where guards fail: FALSE when it is not a constant, or
 * when its guarded loads differ in their guards. */
gboolean tp_nest_find_outside (const TpNest *nest, int expr, double *out_value);
/* Whether each spatial point of a nest without stages reaches elements of what it writes
 * that no other ever does, in any of so many iterations. */
gboolean tp_nest_is_apart (const TpNest *nest, gint64 n_iterations);
/* Whether its result is one for all points of the reduce axes, or for each of them apart. */
gboolean tp_nest_covers_all_or_none (const TpNest *nest);
/* Leaves @n stages, the first ones; what asks for others, and nobody uses, becomes 0. */
void tp_nest_keep_stages (TpNest *nest, int n);
/* Splits @axis into (outer, inner of @extent points), which replaces it; the
 * outer becomes the last axis. @extent divides. */
int tp_nest_split_axis (TpNest *nest, int axis, gint64 extent);

#endif
