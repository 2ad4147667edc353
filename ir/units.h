/* units.h: what is launched as one: a node, or a fused group at the place of its
 * last node. A view is none: its output is the bytes of its input. */
#ifndef TP_IR_UNITS_H
#define TP_IR_UNITS_H

#include "ir/costs.h"

typedef struct
{
  int device;
  int n_nodes;
  const int *nodes;           /* ascending */
  int n_read, n_written;
  const int *tensors;         /* those read, then those written: no constants,
                               * none left out, none that stays inside */
} TpPlacedUnit;

typedef struct
{
  int n;
  TpPlacedUnit *units;        /* in the order they run */
  int *nodes, *tensors;       /* what they point to */
} TpUnits;

/**
 * tp_units_new:
 * @places: device of each node; -1: it does not run
 * @groups: (nullable): those in effect
 *
 * TPLAN_ERROR_INPUT: a group has nodes out of order, twice or on several
 * devices.
 */
TpUnits *tp_units_new (const TpGraph *graph, const int *places,
                       const TpGroups *groups, GError **error);
void tp_units_free (TpUnits *units);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpUnits, tp_units_free)

/* Whether @node only gives the bytes of its first input another shape. */
gboolean tp_node_is_view (const TpNode *node);

#endif
