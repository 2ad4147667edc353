/* bars.h: when each engine is at work in a run, as predicted and as measured. */
#ifndef TP_CLI_BARS_H
#define TP_CLI_BARS_H

#include "ir/plan.h"
#include "runtime/session.h"

typedef enum
{
  TP_BARS_PREDICTED,
  TP_BARS_MEASURED,
  TP_N_BARS,
} TpBarsKind;

/* What is drawn of a step, all of it or half. */
typedef struct
{
  const TpSessionStep *step;
  int row;
  gint64 begin_ns, time_ns;   /* since the run began */
} TpBar;

/* A row for the kernels of each device. Where a run does one thing after the other,
 * copies are in the row of the device they go to; where engines work at once, each
 * direction of the copies of a device has its own. What the caller gets is in one of
 * its own, unless a device works in host memory. */
typedef struct
{
  const TpPlan *plan;
  gboolean is_scheduled;      /* engines work at once */
  int n_rows;
  GArray *bars[TP_N_BARS];    /* TpBar */
} TpBars;

/* Of the last run of @session that was profiled, while that and @plan live. */
void tp_bars_init (TpBars *bars, const TpPlan *plan, const TpSession *session);
void tp_bars_clear (TpBars *bars);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpBars, tp_bars_clear)

/* "opencl:0", "to opencl:0", "from opencl:0", "host"; NULL: nothing can be in that
 * row. g_free (). */
char *tp_bars_name_row (const TpBars *bars, int row);

#endif
