/* window-analyze.h: what a nest is to the family "window". */
#ifndef TP_SCHEDULE_WINDOW_ANALYZE_H
#define TP_SCHEDULE_WINDOW_ANALYZE_H

#include "schedule/window.h"

typedef struct
{
  const TpTarget *target;
  TpWindowPlan single;        /* the nest as it is */
  TpWindowPlan wide;          /* with constants turned for vectors along vaxis */
  int vaxis;                  /* -1: none */
  gint64 n_before, n_after;   /* its points at borders, where guards may fail */
  int load_axis, store_axis;  /* contiguous ones of a copy; -1: none */
  gboolean shares_index;      /* vectors share what finds the places they read */
  int tile_axis;              /* whose neighbours share what they read; -1 */
  gint64 tile_lo, tile_hi;    /* where guards hold for the whole window */
  gboolean is_repeated;       /* by its kernel, turn by turn */
  gint64 n_points, n_terms;   /* spatial points; of the reduce axes, for each */
} TpWindowAnalysis;

TpWindowAnalysis *tp_window_analysis_new (const TpBuild *build,
                                        const TpNest *nest);
void tp_window_analysis_free (TpWindowAnalysis *a); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpWindowAnalysis, tp_window_analysis_free)

#endif
