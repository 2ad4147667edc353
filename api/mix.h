/* mix.h: plans of several graphs for one machine. */
#ifndef TP_API_MIX_H
#define TP_API_MIX_H

#include "api/memory-limit.h"
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
/* Takes the plans, also where it fails. Errors as of tplan_mix_optimize (). */
TplanMix *tp_api_mix_plans (TpMixAsked *asked, int n,
                            const TpMemoryTexts *memory, GError **error);

/* Owned by @mix. */
const TpMix *tp_api_get_mix (const TplanMix *mix);
/* (transfer full): the plan of part @part, which @mix has no more: it is good for
 * nothing but to be freed. */
TplanPlan *tp_api_steal_part (TplanMix *mix, int part);
/* tplan_mix_check () with each reason apart: @reasons gets char *. */
gboolean tp_api_check_mix (const TplanMix *mix, GPtrArray *reasons);
/* What the busiest engine carries in a round with all ops on @device; -1: one cannot
 * be there. */
gint64 tp_api_find_alone_ns (const TplanMix *mix, int device);
/* How long its sessions had engine @engine, numbered as in ir/load-proof.h. */
gint64 tp_api_get_busy_ns (const TplanMix *mix, int engine);

#endif
