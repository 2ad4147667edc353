/* mix.h: plans of several graphs for one machine. */
#ifndef TP_API_MIX_H
#define TP_API_MIX_H

#include "include/tplan.h"
#include "ir/mix.h"

/* A graph that was planned as if alone, for throughput and without limits of
 * memory. */
typedef struct
{
  const char *name;
  const char *rate;           /* as in TplanMixGraph */
  TplanPlan *plan;
} TpMixAsked;

/* What can be told before anything was planned: as tplan_mix_optimize (), of @asked
 * without plans. */
gboolean tp_api_check_asked (const TpMixAsked *asked, int n, GError **error);
/* Takes the plans, also where it fails. @memory_limits: (nullable): as in
 * TplanOptimizeOptions. Errors as of tplan_mix_optimize (). */
TplanMix *tp_api_mix_plans (TpMixAsked *asked, int n,
                            const char *const *memory_limits, GError **error);

/* Owned by @mix. */
const TpMix *tp_api_get_mix (const TplanMix *mix);
/* tplan_mix_check () with each reason apart: @reasons gets char *. */
gboolean tp_api_check_mix (const TplanMix *mix, GPtrArray *reasons);
/* How long its sessions had engine @engine, numbered as in ir/load-proof.h. */
gint64 tp_api_get_busy_ns (const TplanMix *mix, int engine);

#endif
