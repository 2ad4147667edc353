/* chain-time.h: a chain run, or timed kernel by kernel. */
#ifndef TP_CALIB_CHAIN_TIME_H
#define TP_CALIB_CHAIN_TIME_H

#include "calib/chain.h"

/* Feeds the inputs and runs those of @links that are compiled, all of one pass, as
 * a session would. */
gboolean tp_chain_run (TpChain *chain, const int *links, int n_links,
                       GError **error);

/* Feeds the inputs and runs those of @links that are compiled, all of one pass,
 * in order, each for its time: by the caller's clock on the host, by the
 * device's clock where it has one, else in bursts. @out_samples: per link of the
 * chain; others stay. Keeping times slows a queue down: chain->scale is what the
 * whole takes without, by the caller's clock, over the sum of the times; 1 for
 * the other ways. */
gboolean tp_chain_time (TpChain *chain, const int *links, int n_links,
                        TpSample *out_samples, GError **error);

#endif
