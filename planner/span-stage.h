/* span-stage.h: how long a stage takes at least, from when the op that ends the one
 * before is done to when its own is, with some ops on known devices. */
#ifndef TP_PLANNER_SPAN_STAGE_H
#define TP_PLANNER_SPAN_STAGE_H

#include "ir/array.h"
#include "planner/span-stages.h"

typedef struct
{
  const TpProblem *problem;   /* (unowned) */
  const TpSpanStages *stages; /* (unowned) */
  int n_devices;
  gint64 *costs;              /* [node * n_devices + device] */
  gint64 *fused_costs;        /* [group * n_devices + device]: as one kernel, where that
                               * saves time; TP_COST_NONE: it does not */
  guint8 *may;                /* [node]: devices it may be on, a bit for each */
  int stage;                  /* that is looked at */
  gint64 *rests;              /* [node * n_devices + device]: from where it begins, as a kernel of
                               * its own or of its group, to the end */
  gint64 *ready, *ends, *tails; /* [node * n_devices + device]: when it can begin and end at
                               * the earliest; from there to the end of the stage */
  guint8 *fuses;              /* [group]: devices where it may be one kernel, a bit
                               * for each, and one that says it is */
  TpArray *jobs;              /* TpSpanJob: what engines have to do for sure */
  gint64 *copies;             /* [tensor]: from each place to each */
  int *by_ratio;              /* of each stage its ops; of two devices by the ratio of
                               * their costs */
  gint64 *sums;               /* of two devices: [place in that * 2 + device]: of what
                               * is before */
  gint64 *weights;            /* [node * n_devices + device]: with which it is as dear
                               * everywhere; 0: it cannot be */
  int *free, n_free;          /* ops of the stage that have a choice */
  int *fusable, n_fusable;    /* groups of it that could be one kernel */
} TpSpanStage;

/* All may be where they have a cost. */
void tp_span_stage_init (TpSpanStage *stage, const TpProblem *problem,
                         const TpSpanStages *stages);
void tp_span_stage_clear (TpSpanStage *stage);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpSpanStage, tp_span_stage_clear)

/* O(what its ops read, and tasks of an engine squared). */
gint64 tp_span_stage_find (TpSpanStage *stage, int index);

#endif
