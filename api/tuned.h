/* tuned.h: what tuning has found of a model. */
#ifndef TP_API_TUNED_H
#define TP_API_TUNED_H

#include "calib/tuned.h"
#include "include/tplan.h"

/* As in TpTunedScope. */
typedef struct
{
  gboolean is_all, is_relaxed;
  const char *kernel;
} TpTunedAsked;

/* A TpTuned for each device of @costs that kernels are made for, as
 * tp_tuned_read () has it. Measures nothing. */
TpPointers *tp_api_read_tuned (const TplanCosts *costs,
                               const TplanGraph *graph,
                               const TpTunedAsked *asked, GError **error);

#endif
