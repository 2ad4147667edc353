/* roots.h: whose bytes a tensor has: its own, or, of a view, those of what it views. */
#ifndef TP_IR_ROOTS_H
#define TP_IR_ROOTS_H

#include "ir/graph.h"

/* [tensor]; g_free (). */
int *tp_roots_find (const TpGraph *graph);
/* [tensor]: whether its bytes are somewhere else, too: with the caller, an input or an
 * output of @graph, or on the host, which sends a weight to who reads it; g_free (). */
gboolean *tp_roots_find_ends (const TpGraph *graph);

#endif
