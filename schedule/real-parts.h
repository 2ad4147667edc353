/* real-parts.h: sums of products of bytes on GPUs, as such of reals by parts. */
#ifndef TP_SCHEDULE_REAL_PARTS_H
#define TP_SCHEDULE_REAL_PARTS_H

#include "schedule/build.h"

/* Whether all of the products of the canonical @nest make a sum that float32 holds,
 * whatever they are. */
gboolean tp_real_parts_is_one (const TpBuild *build, const TpNest *nest);

/* The two nests that @nest, which is canonical, is cut to: sums of parts, in a workspace,
 * and what adds these up and does the rest. FALSE: it is none of bytes, needs no parts, or
 * their sums take too much memory. The caller owns both. */
gboolean tp_real_parts_cut (TpBuild *build, const TpNest *nest, TpNest **out_part,
                            TpNest **out_sum);

#endif
