/* nest-check.h: are nests well formed? */
#ifndef TP_NEST_NEST_CHECK_H
#define TP_NEST_NEST_CHECK_H

#include "nest/nest.h"

/* Every address within its operand in every iteration, expressions in order and
 * of the right class, stages in order. */
gboolean tp_lowered_check (const TpLowered *lowered, GError **error);

#endif
