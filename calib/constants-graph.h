/* constants-graph.h: a small graph of known work: a MatMul for the peak ("peak"), one
 * with few outputs for how wide a device is ("narrow"), a map over more than the
 * caches hold for the bandwidth ("stream"), a row of maps with nothing to do for the
 * cost of a launch ("t1" and so on). */
#ifndef TP_CALIB_CONSTANTS_GRAPH_H
#define TP_CALIB_CONSTANTS_GRAPH_H

#include "ir/graph.h"
#include "runtime/device.h"

typedef struct
{
  gint64 n_side;              /* of the square MatMul */
  gint64 n_narrow;            /* side of the output of the small one */
  gint64 n_stream;            /* elements of the large map */
} TpConstantsSizes;

TpConstantsSizes tp_constants_choose_sizes (const TpDeviceInfo *info);
TpGraph *tp_constants_build_graph (const TpConstantsSizes *sizes,
                                   GError **error);

#endif
