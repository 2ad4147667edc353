/* check-mix.h: are plans that run side by side what they say they are? */
#ifndef TP_PLANNER_CHECK_MIX_H
#define TP_PLANNER_CHECK_MIX_H

#include "ir/mix.h"

/* Checks each plan as tp_check () does; then that all are for one machine, how often
 * each is run in a round, that they fit into the limits of memory, that the rates can
 * be kept, what engines carry, and the proof that no placements have a busiest engine
 * that carries less. @reasons gets one string per fault, which names the part. */
gboolean tp_check_mix (const TpMix *mix, GPtrArray *reasons);

#endif
