/* remedies.c: see remedies.h. */
#include "config.h"

#include "cli/remedies.h"

#include "api/graph.h"
#include "api/load.h"
#include "api/plan.h"
#include "cli/hint-words.h"
#include "cli/micro-batches.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/text.h"
#include "cli/values.h"
#include "format/graph-load.h"
#include "graph/graph-order.h"
#include "graph/pass.h"
#include "ir/pools.h"
#include "ir/types.h"

#include <string.h>

#define MAX_HALVES 8          /* of one dimension */

/* (nullable) The model with @dims, by the options but for @how. */
static TplanPlan *
plan_again (TpCli *cli, const GArray *dims, TpAgain how)
{
  const TplanLoadOptions load = tp_cli_load_options (cli, dims);
  g_autoptr (TplanGraph) graph
      = tplan_graph_load_full (cli->args[0], &load, NULL);

  return graph == NULL
             ? NULL : tp_cli_plan_again (cli, graph, how, NULL);
}

/* What a run takes; or, for throughput, what that is to be little of. The caller frees. */
static char *
describe_run (const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  gboolean is_load = plan->load_proof != NULL && plan->span_proof == NULL;
  g_autofree char *time
      = tp_cli_format_time (is_load ? plan->load_proof->load_ns
                                    : tplan_plan_get_run_ns (handle));

  return g_strconcat (time, " a run", is_load ? " on the busiest engine" : "",
                      tp_cli_simulated (handle), NULL);
}

/* ---- more memory ---------------------------------------------------------- */

/* [device]: what @plan takes. */
static gint64 *
sum_bytes (const TpPlan *plan)
{
  gint64 *bytes = g_new0 (gint64, plan->n_devices + 1);

  for (int d = 0; d < plan->n_devices; d++)
    if (!tp_size_add (plan->peak_bytes[d], plan->weight_bytes[d], &bytes[d]))
      bytes[d] = G_MAXINT64;
  return bytes;
}

/* Options that give @plan, which takes @bytes, what it needs; NULL: there is not so
 * much, or that is not what it wants. */
static char *
list_limits (const TpPlan *plan, const gint64 *bytes)
{
  const TpCosts *costs = plan->costs;
  const TpMemoryTexts texts = tp_cli_get_memory ();
  g_auto (TpMemoryLimits) limits = { NULL, NULL, NULL };
  g_autofree gint64 *memory = tp_pools_list_memory (costs);
  g_autoptr (GString) out = g_string_new (NULL);
  int n = tp_memory_limits_init (&limits, costs, &texts, NULL)
              ? tp_pools_count_rows (costs) : 0;

  for (int row = 0; row < n; row++)
    {
      gint64 missing = tp_pools_find_missing (costs, limits.asked, row, bytes);
      gint64 reserve = limits.reserves == NULL ? 0 : limits.reserves[row];

      memory[row] = memory[row] == 0 ? 0 : memory[row] - reserve;
      if (tp_pools_find_missing (costs, memory, row, bytes) > 0)
        return NULL;
      if (missing > 0)
        g_string_append_printf (out, " --mem-limit=%s=%" G_GINT64_FORMAT,
                                tp_pools_get_name (costs, row),
                                limits.asked[row] + missing + reserve);
    }
  return out->len == 0 ? NULL : g_string_free (g_steal_pointer (&out), FALSE);
}

static void
note_memory (const TpCli *cli, const TplanPlan *handle)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  g_autofree gint64 *bytes = sum_bytes (plan);
  g_autofree char *limits = list_limits (plan, bytes);
  g_autofree char *run = describe_run (handle);

  if (limits != NULL)
    tp_cli_note (cli, "note: with more memory the cheapest plan fits, %s: "
                      "`tplan optimize%s`",
                 run, limits);
}

/* ---- parts of the batch ---------------------------------------------------- */

static void
note_micro_batches (TpCli *cli, const GArray *dims)
{
  g_autoptr (TplanPlan) plan
      = tp_cli_planning.micro_batches == NULL
            ? plan_again (cli, dims, TP_AGAIN_SPLIT) : NULL;
  g_autofree char *run = NULL, *sizes = NULL;

  if (plan == NULL)
    return;
  run = describe_run (plan);
  sizes = tp_cli_format_micro_batches (tp_api_get_plan (plan));
  tp_cli_note (cli, "note: in micro-batches (%s) it fits, %s: `tplan optimize "
                    "--micro-batches=auto`",
               sizes, run);
}

/* ---- weights that stay where they are ------------------------------------- */

static void
note_streams (TpCli *cli, const GArray *dims)
{
  g_autoptr (TplanPlan) plan
      = tp_cli_planning.streams_weights
            ? NULL : plan_again (cli, dims, TP_AGAIN_STREAMED);
  g_autofree char *run = NULL;

  if (plan == NULL)
    return;
  run = describe_run (plan);
  tp_cli_note (cli, "note: with weights sent from host memory in every run it "
                    "fits, %s: `tplan optimize --stream-weights`",
               run);
}

/* ---- in another order ----------------------------------------------------- */

/* (nullable) The model as `convert --order` writes it. */
static TplanGraph *
load_ordered (TpCli *cli, const GArray *dims)
{
  const TplanLoadOptions options = tp_cli_load_options (cli, dims);
  g_auto (TpLoad) load = { 0 };
  g_autoptr (TpGraph) raw = NULL;
  TpGraph *graph;

  if (!tp_load_init (&load, &options, NULL))
    return NULL;
  raw = tp_graph_read (cli->args[0], &load.options, NULL);
  graph = raw == NULL ? NULL : tp_graph_order (raw, NULL);
  graph = graph == NULL ? NULL
                        : tp_graph_prepare_taken (graph, &load.passes, NULL);
  return graph == NULL ? NULL
                       : tp_api_wrap_graph (graph, cli->args[0], load.dims,
                                            load.passes.left_out);
}

static void
note_order (TpCli *cli, const GArray *dims)
{
  g_autoptr (TplanGraph) graph = load_ordered (cli, dims);
  g_autoptr (TplanPlan) plan
      = graph == NULL ? NULL : tp_cli_plan_again (cli, graph, TP_AGAIN_AS_ASKED, NULL);
  const char *model = cli->args[0];
  g_autofree char *run = NULL, *word = NULL;

  if (plan == NULL)
    return;
  run = describe_run (plan);
  word = tp_hint_quote (model);
  tp_cli_note (cli, "note: in another order of its ops it fits, %s: `tplan "
                    "convert %s --order=memory -o ordered%s`",
               run, word,
               g_str_has_suffix (model, ".onnx") ? ".onnx" : ".json");
}

/* ---- less at a time ------------------------------------------------------- */

static void
note_dim (const TpCli *cli, const TplanPlan *handle, const char *name,
          gint64 whole)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  gint64 part = *tp_dims_find (plan->dims, name);
  gint64 n_runs = (whole + part - 1) / part;
  g_autofree char *time = tp_cli_format_time (plan->cost_ns);
  g_autofree char *all = tp_cli_format_time (
      plan->cost_ns > G_MAXINT64 / n_runs ? G_MAXINT64
                                          : plan->cost_ns * n_runs);
  g_autofree char *option
      = g_strdup_printf ("--dim=%s=%" G_GINT64_FORMAT, name, part);
  g_autofree char *word = tp_hint_quote (option);

  tp_cli_note (cli, "note: with %s=%" G_GINT64_FORMAT " it fits, %s a run%s, %s "
                    "for %" G_GINT64_FORMAT " runs: `tplan optimize %s`",
               name, part, time, tp_cli_simulated (handle), all, n_runs, word);
}

/* Half of what was given for it, a quarter, and so on, until a plan fits. */
static void
halve_dim (TpCli *cli, const GArray *dims, const char *name, gint64 whole)
{
  g_autoptr (GArray) fewer = tp_cli_values_new ();
  gint64 value = whole;

  for (guint i = 0; dims != NULL && i < dims->len; i++)
    {
      const TplanDim *it = &g_array_index (dims, TplanDim, i);

      tp_cli_values_set (fewer, it->name, it->value);
    }
  for (int i = 0; i < MAX_HALVES && value > 1; i++)
    {
      g_autoptr (TplanPlan) plan = NULL;

      value = (value + 1) / 2;
      tp_cli_values_set (fewer, name, value);
      plan = plan_again (cli, fewer, TP_AGAIN_AS_ASKED);
      if (plan == NULL)
        continue;
      note_dim (cli, plan, name, whole);
      return;
    }
}

void
tp_cli_note_remedies (TpCli *cli, const GArray *dims)
{
  g_autoptr (TplanPlan) free_plan
      = cli->is_quiet ? NULL : plan_again (cli, dims, TP_AGAIN_FREE);
  const TpDims *had
      = free_plan == NULL ? NULL : tp_api_get_plan (free_plan)->dims;

  if (free_plan == NULL)
    return;
  note_memory (cli, free_plan);
  note_micro_batches (cli, dims);
  note_streams (cli, dims);
  note_order (cli, dims);
  for (int i = 0; had != NULL && i < tp_dims_size (had); i++)
    {
      const char *name = tp_dims_get_name (had, i);

      halve_dim (cli, dims, name, *tp_dims_find (had, name));
    }
}
