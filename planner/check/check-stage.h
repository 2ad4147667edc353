/* check-stage.h: how long one stage of a run takes at least. */
#ifndef TP_PLANNER_CHECK_STAGE_H
#define TP_PLANNER_CHECK_STAGE_H

#include "ir/array.h"
#include "planner/check/check-private.h"

#define TP_CHECKER_MOST_STAGED 6 /* devices */

/* Ops @first to @end - 1, between op @start, which is done at 0 (-1: the run begins
 * then), and the end of the last of them, or of the run. */
typedef struct
{
  const TpChecker *checker;
  int n_devices;
  guint8 *at;                 /* [node]: devices it may be on, a bit for each */
  int first, end, start;
  gboolean is_last;           /* what the caller wants is to be in host memory */
  gint64 *begins, *ends;      /* [node * n_devices + device]: at the earliest */
  gint64 *rests;              /* likewise: from its end to that of the stage */
  TpArray *jobs;              /* that engines have whatever is still open */
} TpCheckerStage;

void tp_checker_stage_init (TpCheckerStage *stage, const TpChecker *checker);
void tp_checker_stage_clear (TpCheckerStage *stage);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerStage, tp_checker_stage_clear)

gint64 tp_checker_stage_find (TpCheckerStage *stage);

#endif
