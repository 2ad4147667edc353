/* load-weights.h: the weights of engines with which the least weighted mean of loads
 * over some placements is the most. */
#ifndef TP_PLANNER_LOAD_WEIGHTS_H
#define TP_PLANNER_LOAD_WEIGHTS_H

#include "ir/array.h"
#include "ir/load-proof.h"
#include "planner/load-model.h"

/* What a placement makes engines carry, and paths take where these count, too. */
#define TP_LOAD_MAX_COLUMNS (2 * TP_LOAD_MAX_ENGINES)
typedef struct
{
  gint64 loads[TP_LOAD_MAX_COLUMNS];
} TpLoadRow;

/* @rows: TpLoadRow, at least one. @out: [engine], add up to one. They are as good as
 * doubles are: what they prove is for a cut to say. Returns that least mean. */
double tp_load_find_weights (const TpArray *rows, int n_engines, double *out);

/* In whole numbers that add up to @total, rounding apart. Engines that are one have one
 * weight. */
void tp_load_round_weights (const TpLoadModel *model, const double *weights,
                            gint64 total, gint64 *out);
/* By which a weighted sum of loads is divided. */
gint64 tp_load_sum_weights (const TpLoadModel *model, const gint64 *weights);
/* Halfway to @best. */
void tp_load_pull_weights (const TpLoadModel *model, const gint64 *best,
                           double *weights);

#endif
