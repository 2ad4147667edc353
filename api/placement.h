/* placement.h: placements that were made elsewhere. */
#ifndef TP_API_PLACEMENT_H
#define TP_API_PLACEMENT_H

#include "include/tplan.h"
#include "ir/judgement.h"

/**
 * tp_api_judge:
 * @plan: of the same model, by the figures that are to count
 * @path: the placement: CSV, JSON, or ONNX with metadata
 * @options: how the model of @plan was read
 * @n_moves: as many are told of
 *
 * TPLAN_ERROR_INPUT: the file does not fit the model; TPLAN_ERROR_INFEASIBLE: a
 * device in it cannot run what it is to.
 */
TpJudgement *tp_api_judge (const TplanPlan *plan, const char *path,
                           const TplanLoadOptions *options, int n_moves,
                           GError **error);

#endif
