/* road.h: the one road from a model to a plan:
 *
 *   tplan_graph_load ()     reads it and prepares it
 *   tplan_costs_open ()     says what it is to run on
 *   tp_road_plan ()         pins, fuses, looks up costs, places, counts memory
 *
 * tplan_graph_optimize () and tplan_costs_calibrate () are these calls with the
 * defaults; the program gives them what its user asked for. */
#ifndef TP_API_ROAD_H
#define TP_API_ROAD_H

#include "api/memory-limit.h"
#include "api/rates.h"
#include "api/road-notes.h"
#include "calib/calib.h"
#include "include/tplan.h"

/* Of measuring, which takes its time; all zero is good. */
typedef struct
{
  gint64 time_limit_ns;       /* 0: none */
  gboolean is_tuning;         /* of tp_road_measure (): TP_LEVEL_TUNE */
  gboolean wants_watts;       /* likewise: as TpCalibOptions */
  gboolean is_relaxed;        /* of planning as well: as TpCalibOptions */
  gboolean is_brief;          /* of tp_road_measure (): as TpCalibOptions */
  const volatile gint *cancelled; /* (nullable) */
  TpCalibProgress progress;   /* (nullable) */
  gpointer user_data;
} TpWatch;

/* All zero: what tplan_graph_optimize () does. */
typedef struct
{
  const char *const *pins;    /* (nullable) "GLOB=DEVICE" */
  const char *const *no_fuse; /* (nullable) fusion rules to leave out */
  TpMemoryTexts memory;       /* what a device has is a limit besides */
  gboolean ignores_memory;    /* no limits are kept: who asks looks at them */
  int n_cuts;                 /* to make where those bind; 0: some two seconds'
                               * worth */
  const gint64 *micro_batches; /* (nullable) sizes of those that the batch is run in */
  int n_micro_batches;        /* 0: it is whole; without sizes, as equal as can be */
  gboolean tries_micro_batches; /* they are found: what limits of memory allow, a cache
                               * holds, or devices do side by side */
  gboolean streams_weights;   /* where limits make the plan dear */
  TpStatedRates rates;
  gboolean knows_rates;       /* what is known is used, stated or not; so it is for
                               * objectives that want it */
  const char *objective;      /* (nullable): "time" */
  const gint64 *aims;         /* (nullable): [TP_N_AIMS]: of "weighted" */
  gboolean is_exact;          /* the cheapest plan for figures as measured, as if
                               * they carried no noise */
  gboolean is_apart;          /* what could be mapped is copied (TpCosts.is_mapped) */
  gboolean is_measured;       /* first measure what the table lacks */
  TpCalibReport *report;      /* (nullable): to which is added how that went */
  gboolean asks_drivers;      /* whether devices are there, see api/devices.h */
  gboolean trusts_estimates;  /* they may win ops from measured times */
  gboolean is_stale_error;    /* TPLAN_ERROR_STALE unless all is measured */
  TpWatch watch;
  TpCalibProgress tell;       /* (nullable): called with watch.user_data as each
                               * stage begins */
} TpRoadOptions;

/**
 * tp_road_plan:
 * @out_notes: (nullable): set also where placing failed
 *
 * The plan, complete but for margins. Errors are those of
 * tplan_graph_optimize (), or:
 *   TPLAN_ERROR_USAGE: no such objective or fusion rule, weights streamed or
 *     micro-batches looked for with an objective that has nothing of it, or a batch
 *     that cannot be split as asked.
 *   TPLAN_ERROR_INFEASIBLE: nothing fits into the memory there is, or nothing was
 *     found that does.
 *   TPLAN_ERROR_STALE: as @options wants it.
 *   TPLAN_ERROR_INTERRUPTED: the watch stopped it between two stages.
 *   those of tplan_costs_calibrate (), where it is to measure.
 */
TplanPlan *tp_road_plan (const TplanGraph *graph, const TplanCosts *costs,
                         const TpRoadOptions *options, TpRoadNotes *out_notes,
                         GError **error);

/* Names of the fusion rules that options may leave out; NULL-terminated. */
const char *const *tp_road_list_rules (void);

/* What the table has of a model once it was measured. */
typedef struct
{
  GPtrArray *warnings;        /* of char *, for people; NULL: none */
  int n_groups;
  int n_measured, n_estimated; /* times, of ops and groups on all devices
                               * that are real */
  TpCalibReport report;       /* how good they are, in what company */
} TpMeasured;
void tp_measured_clear (TpMeasured *measured);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpMeasured, tp_measured_clear)

/* As tplan_costs_calibrate (). @out_measured: (nullable): its warnings are set
 * also on failure. */
gboolean tp_road_measure (const TplanCosts *costs, const TplanGraph *graph,
                          const TpWatch *watch, TpMeasured *out_measured,
                          GError **error);

#endif
