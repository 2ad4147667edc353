/* graph-stream.h: weights that stay in host memory, and are sent to who reads them
 * in every run.
 *
 * Between such a weight and each of its readers there is an op of its own, Stream,
 * which is on the device of host memory: so a copy of what it makes is paid for like
 * any other, and its bytes are on the other device only while the reader runs. */
#ifndef TP_GRAPH_GRAPH_STREAM_H
#define TP_GRAPH_GRAPH_STREAM_H

#include "ir/graph.h"

/* Whether @tensor is a constant of floats that ops read, and no view, by a name that
 * a plan can keep. */
gboolean tp_graph_can_stream (const TpGraph *graph, int tensor);

/**
 * tp_graph_stream:
 * @names: (nullable): weights to stream, NULL-terminated
 * @host: the device they are sent from
 *
 * A graph equal to @graph but for the ops that stream. Names and order follow from
 * @graph and @names alone.
 * TPLAN_ERROR_USAGE: a name that no weight has that can be streamed, or one named
 * twice; an op that can only be planned with its weights at hand.
 */
TpGraph *tp_graph_stream (TpGraph *graph, const char *const *names,
                          const char *host, GError **error);

#endif
