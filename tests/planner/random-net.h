/* random-net.h: graphs of ops that are fused in many ways. */
#ifndef TP_TESTS_RANDOM_NET_H
#define TP_TESTS_RANDOM_NET_H

#include "ir/graph.h"

/* From GTest's random numbers. @is_chain: each op after the one before it, mostly
 * elementwise. */
TpGraph *random_net_new (gboolean is_chain, int n_ops);

#endif
