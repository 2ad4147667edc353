/* round-narrow.h: nests that round to reals of a byte or less. */
#ifndef TP_OPS_ROUND_NARROW_H
#define TP_OPS_ROUND_NARROW_H

#include "ir/narrow.h"
#include "nest/nest.h"

/* @value, a real, as tp_narrow_round () has it. */
int tp_nest_round_narrow (TpNest *nest, int value, const TpNarrow *narrow,
                          gboolean saturates);

#endif
