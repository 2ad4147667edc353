/* nest-fuse.h: composes nests: the guest's expressions, over the host's axes. */
#ifndef TP_NEST_NEST_FUSE_H
#define TP_NEST_NEST_FUSE_H

#include "nest/nest.h"

/* Composes: @consumer is a map (no reduce axis) whose load of @operand reads
 * what @producer stores (all of it, or a part when an op has several nests).
 * Returns one nest that writes @consumer's output and never @operand; NULL when
 * they do not line up. Both number their operands by the same TpLowered. */
TpNest *tp_nest_fuse (const TpNest *producer, const TpNest *consumer,
                      int operand);

/* The other way round: @producer, a map, is computed where @consumer (of any
 * kind) loads @operand. Where guards of that load fail its fill is taken, as
 * before. NULL when they do not line up. */
TpNest *tp_nest_fuse_prologue (const TpNest *producer, const TpNest *consumer,
                               int operand);

#endif
