/* mix.h: plans of several graphs for one machine, each run at a rate of its own.
 *
 * In a *round* each graph is run a whole number of times, as its rate is to those of
 * the others, and no round is shorter. What engines carry in a round, and the proof
 * that no placement of all has a busiest engine that carries less, is that of one
 * graph of all ops, those of the first part first, in which what an op or a copy
 * takes counts as often as its part is run. docs/planner.md, "Several graphs". */
#ifndef TP_IR_MIX_H
#define TP_IR_MIX_H

#include "ir/mix-rate.h"
#include "ir/plan.h"

#define TP_MIX_MOST_PARTS 64
#define TP_MIX_MOST_RUNS (1 << 20) /* of a part in a round */

typedef struct
{
  char *name;                 /* unique in the mix */
  TpMixRate rate;
  gint64 n_runs;              /* in a round */
  TpPlan *plan;               /* for throughput; (nullable) until it is known, as
                               * is the graph */
  TpGraph *graph;
} TpMixPart;

typedef struct
{
  int n_parts;
  TpMixPart *parts;
  gint64 *memory_limits;      /* (nullable) [row] (ir/pools.h): what all plans together keep
                               * to: arenas and weights; 0: none */
  gint64 *memory_reserves;    /* (nullable) [row]: as in a plan */
  TpLoadProof *proof;         /* of a round: flows of a part are of the arcs of its
                               * graph, of all its runs */
} TpMix;

TpMix *tp_mix_new (int n_parts);
void tp_mix_free (TpMix *mix); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpMix, tp_mix_free)

/* Sets n_runs of every part by the rates. TPLAN_ERROR_LIMIT: one is above
 * TP_MIX_MOST_RUNS: give rates that are in a simpler proportion. */
gboolean tp_mix_count_runs (TpMix *mix, GError **error);
/* Sets low_ns and high_ns of its proof, once all plans are made: devices and ways are
 * wrong for all of them alike, by the errors of the first. */
void tp_mix_find_interval (TpMix *mix);
/* How long a round is, in ns. */
double tp_mix_get_round_ns (const TpMix *mix);
/* What part of each second an engine is busy that carries @load_ns in a round. */
double tp_mix_get_busy (const TpMix *mix, gint64 load_ns);
/* Whether that is at most all of it, exactly. */
gboolean tp_mix_can_carry (const TpMix *mix, gint64 load_ns);
/* Of engines, numbered as in load-proof.h, that which carries most. */
int tp_mix_find_busiest (const TpMix *mix);
/* "cpu", "to opencl:0"; g_free (). */
char *tp_mix_name_engine (const TpMix *mix, int engine);

#endif
