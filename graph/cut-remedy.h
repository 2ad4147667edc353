/* cut-remedy.h: what to name with --outputs where ops are in the way. */
#ifndef TP_GRAPH_CUT_REMEDY_H
#define TP_GRAPH_CUT_REMEDY_H

#include "graph/graph-draft.h"

/* Appends ", or plan up to it, with --outputs=A,B" to the message of @error: all that
 * is computed without the ops @fails ([node]), as far as an output is or something
 * that needs them reads it. Where that is too long for a line, what the first of them
 * reads; nothing where that is too long too, or no op makes any of it. Nodes are
 * sorted. */
void tp_cut_remedy_explain (TpDraft *draft, const guint8 *fails, GError *error);

#endif
