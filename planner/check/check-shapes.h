/* check-shapes.h: what the fusion rules ask of two tensors, or of two ops. */
#ifndef TP_PLANNER_CHECK_SHAPES_H
#define TP_PLANNER_CHECK_SHAPES_H

#include "ir/graph.h"

/* Whether tensors @one and @other have the same dimensions. */
gboolean tp_checker_are_of_shape (const TpGraph *graph, int one, int other);
/* Whether each dimension of tensor @after is a product of some that follow each other
 * in @before; those of 1 may stand anywhere. */
gboolean tp_checker_merges (const TpGraph *graph, int before, int after);
/* Whether ops @one and @other may be on one device, by their pins. */
gboolean tp_checker_have_common_device (const TpGraph *graph, int one,
                                        int other);

#endif
