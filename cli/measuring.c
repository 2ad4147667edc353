/* measuring.c: see measuring.h. */
#include "config.h"

#include "cli/measuring.h"

#include "cli/accuracy.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/progress.h"

gboolean
tp_cli_measure (TpCli *cli, const TplanGraph *graph, const TpWatch *asked,
                TpMeasured *out_measured, GError **error)
{
  TpWatch watch = { .time_limit_ns = asked->time_limit_ns,
                    .is_tuning = asked->is_tuning,
                    .wants_watts = asked->wants_watts,
                    .is_brief = asked->is_brief,
                    .cancelled = tp_cli_get_cancelled (),
                    .progress = tp_cli_progress,
                    .user_data = cli };
  TplanCosts *costs = tp_cli_get_costs (cli, error);
  gboolean is_good
      = costs != NULL
        && tp_cli_parse_accuracy (tp_cli_planning.accuracy, &watch.is_relaxed,
                                  error)
        && tp_road_measure (costs, graph, &watch, out_measured, error);

  tp_cli_progress_end (cli);
  for (guint i = 0;
       out_measured->warnings != NULL && i < out_measured->warnings->len; i++)
    tp_cli_warn (cli, "%s", (const char *) out_measured->warnings->pdata[i]);
  return is_good;
}
