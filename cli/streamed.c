/* streamed.c: see streamed.h. */
#include "config.h"

#include "cli/streamed.h"

#include "api/graph.h"
#include "api/plan.h"
#include "cli/output.h"
#include "cli/text.h"
#include "ir/units.h"

typedef struct
{
  int n_weights;
  gint64 size_bytes;          /* of the weights */
  int n_copies;               /* of a run */
  gint64 time_ns;             /* of these */
} Totals;

static void
find_totals (const TplanPlan *handle, Totals *out)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  const TpGraph *graph = tp_api_get_graph (tplan_plan_get_graph (handle));

  *out = (Totals){ (int) g_strv_length (plan->streamed), 0, 0, 0 };
  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensor *tensor = &graph->tensors[i];

      if (tensor->n_consumers > 0
          && tp_node_is_stream (&graph->nodes[tensor->consumers[0]]))
        out->size_bytes += tensor->size_bytes;
    }
  for (int i = 0; i < plan->n_transfers; i++)
    if (tp_graph_find_streamed (graph, plan->transfers[i].tensor) >= 0)
      {
        out->n_copies++;
        out->time_ns += plan->transfers[i].time_ns;
      }
}

char *
tp_cli_format_streamed (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  g_autofree char *bytes = NULL, *time = NULL;
  Totals totals;

  if (plan->streamed == NULL)
    return NULL;
  find_totals (handle, &totals);
  bytes = tp_cli_format_bytes (totals.size_bytes);
  time = tp_cli_format_time (totals.time_ns);
  return g_strdup_printf ("%d weight%s, %s, stay%s on %s: %d cop%s a run, %s",
                          totals.n_weights, totals.n_weights == 1 ? "" : "s",
                          bytes, totals.n_weights == 1 ? "s" : "",
                          plan->streamed_from, totals.n_copies,
                          totals.n_copies == 1 ? "y" : "ies", time);
}

json_t *
tp_cli_streamed_to_json (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  json_t *weights;
  Totals totals;

  if (plan->streamed == NULL)
    return json_null ();
  find_totals (handle, &totals);
  weights = json_array ();
  for (int i = 0; plan->streamed[i] != NULL; i++)
    json_array_append_new (weights, tp_cli_string (plan->streamed[i]));
  return json_pack ("{s:o, s:o, s:I, s:i, s:I}", "from",
                    tp_cli_string (plan->streamed_from), "weights", weights,
                    "bytes", (json_int_t) totals.size_bytes, "copies",
                    totals.n_copies, "copied_ns", (json_int_t) totals.time_ns);
}
