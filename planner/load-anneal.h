/* load-anneal.h: placements whose busiest engine carries less, by way of some whose
 * carries more. */
#ifndef TP_PLANNER_LOAD_ANNEAL_H
#define TP_PLANNER_LOAD_ANNEAL_H

#include "planner/load-move.h"

/* Offers what it meets on its way from the best. What is done is counted, and what is drawn is
 * the same each time. */
void tp_load_best_anneal (TpLoadBest *best);

#endif
