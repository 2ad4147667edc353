/* graph-write-costs.h: what a graph says things cost, as JSON. */
#ifndef TP_FORMAT_GRAPH_WRITE_COSTS_H
#define TP_FORMAT_GRAPH_WRITE_COSTS_H

#include "graph/graph-draft.h"

/* A member "cost" of @costs, which are some. */
void tp_graph_write_cost (GString *text, const TpNodeCost *costs, int n);
/* ,\n  "groups": ... and ,\n  "copies": ... of @draft; nothing where it has none. */
void tp_graph_write_groups (GString *text, TpDraft *draft);
void tp_graph_write_copies (GString *text, TpDraft *draft);

#endif
