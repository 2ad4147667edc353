/* cut-remedy.h: what to name with --outputs where an op is in the way. */
#ifndef TP_GRAPH_CUT_REMEDY_H
#define TP_GRAPH_CUT_REMEDY_H

#include "graph/graph-draft.h"

/* ", or plan up to what it reads, with --outputs=A,B", or "" where that is nothing or
 * too much to say. @names: [n], of which some are NULL. */
char *tp_cut_remedy_new (const char *const *names, int n);
/* The name of @tensor if an op of the graph itself, of no branch and no body, makes it;
 * else NULL. Producers are known. */
const char *tp_cut_remedy_get_name (TpDraft *draft, int tensor);

#endif
