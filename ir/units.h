/* units.h: what is launched as one: a node, or a fused group at the place of its
 * last node. A view is none: its output is the bytes of its input. */
#ifndef TP_IR_UNITS_H
#define TP_IR_UNITS_H

#include "ir/costs.h"
#include "ir/outline.h"
#include "ir/scratch.h"

typedef struct
{
  int device;
  int n_nodes;
  const int *nodes;           /* ascending */
  int n_read, n_written;
  const int *tensors;         /* those read, then those written: no constants,
                               * none left out, none that stays inside */
} TpPlacedUnit;

/* What is spelled out. All borrowed. */
typedef struct
{
  int n_devices;
  int host;                   /* the device that works in host memory, where the
                               * caller's arrays are; TP_COSTS_HOST: none */
  const int *places;          /* device of each node; -1: it does not run, and
                               * what it makes is there when it is first read */
  const TpGroups *groups;     /* (nullable): those in effect */
  const gboolean *is_mapped;  /* (nullable): as in TpCosts */
} TpPlaced;

typedef struct
{
  int n;
  TpPlacedUnit *units;        /* in the order they run */
  int *nodes, *tensors;       /* what they point to */
  const TpOutline *outline;   /* of the graph */
  /* Of the graph, close together: tensors themselves are large. */
  int *makers;                /* [tensor]: the op that makes it; or TP_UNITS_... */
  guint8 *are_resident;       /* [tensor]: tp_tensor_is_resident () */
  gboolean has_streams;       /* some op is one */
} TpUnits;

#define TP_UNITS_INPUT (-1)
#define TP_UNITS_CONSTANT (-2)

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
/* Room for those of any placement of @graph, and none yet. */
TpUnits *tp_units_new_empty (const TpGraph *graph);
/* Those of another placement, instead of what @units were; errors as above. */
gboolean tp_units_set (TpUnits *units, const TpGraph *graph,
                       const TpPlaced *placed, TpScratch *scratch,
                       GError **error);
void tp_units_free (TpUnits *units);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpUnits, tp_units_free)

#endif
