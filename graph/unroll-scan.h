/* unroll-scan.h: Scan, whose rounds are as many as what it reads is long. */
#ifndef TP_GRAPH_UNROLL_SCAN_H
#define TP_GRAPH_UNROLL_SCAN_H

#include "graph/unroll.h"

/* Ops of all rounds of @node in its place. */
gboolean tp_unroll_scan (TpUnroll *self, const TpNode *node, GError **error);

#endif
