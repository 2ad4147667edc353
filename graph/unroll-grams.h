/* unroll-grams.h: TfIdfVectorizer: how often each of some n-grams is there. */
#ifndef TP_GRAPH_UNROLL_GRAMS_H
#define TP_GRAPH_UNROLL_GRAMS_H

#include "graph/unroll.h"

gboolean tp_unroll_tf_idf (TpUnroll *self, const TpNode *node, GError **error);

#endif
