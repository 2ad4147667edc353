/* parts.h: which parts of what an op reads make up a part of what it writes.
 *
 * A tensor that has parts has as many as all others, along some dimension: with S the
 * elements of memory from one part to the next, the element at address a is of part
 * (a / S) mod n_parts. So a batch is, whatever its place among the dimensions and
 * whatever the layout. */
#ifndef TP_OPS_PARTS_H
#define TP_OPS_PARTS_H

#include "ir/graph.h"

typedef struct
{
  gint64 n_parts;             /* at least 2 */
  gint64 *steps;              /* [tensor]: elements from one part to the next; 0: it
                               * has no parts */
} TpParts;

/**
 * tp_parts_follow:
 * @parts: knows what @node reads; gets the steps of what it writes
 * @out_steps: of each input: the step of the parts of which the op reads but that of
 *   the number of the part that it writes; 0: it reads the same for each part, or
 *   nothing. It is not that of @parts where that has none: then parts have to be cut.
 *
 * Read off the nests of @node, whatever op it is.
 * TPLAN_ERROR_UNSUPPORTED: what is read for one part is of several, or it cannot be
 * told that it is not; what lowering it says.
 */
gboolean tp_parts_follow (TpParts *parts, const TpGraph *graph, int node,
                          gint64 *out_steps, GError **error);

#endif
