/* plan-read-graph.c: see plan-read-graph.h. */
#include "config.h"

#include "format/plan-read-graph.h"

#include "format/graph-load.h"
#include "format/plan-load.h"
#include "graph/graph-batch.h"
#include "graph/graph-stream.h"
#include "graph/pass.h"
#include "ir/graph-digest.h"

#include <string.h>

/* The path as written, or beside the plan when only that exists. */
static char *
find_graph (const TpPlanReader *reader, const TpPlan *plan,
                 GError **error)
{
  const char *graph_path = reader->source->graph_path;
  g_autofree char *folder = g_path_get_dirname (reader->path);
  g_autofree char *beside = NULL;

  if (graph_path != NULL)
    return g_strdup (graph_path);
  if (plan->graph_path == NULL)
    {
      tp_plan_read_fail (reader, error, "graph", "names no file");
      return NULL;
    }
  beside = g_path_is_absolute (plan->graph_path)
               ? g_strdup (plan->graph_path)
               : g_build_filename (folder, plan->graph_path, NULL);
  /* A plan may not make us read pipes and devices; only the user may. */
  if (g_file_test (plan->graph_path, G_FILE_TEST_IS_REGULAR))
    return g_strdup (plan->graph_path);
  if (g_file_test (beside, G_FILE_TEST_IS_REGULAR))
    return g_steal_pointer (&beside);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: graph: neither '%s' nor '%s' is a file: name the graph "
               "with --graph FILE",
               reader->path, plan->graph_path, beside);
  return NULL;
}

/* As the plan says of its key @key, where @local is no matter of memory. */
static TpGraph *
fail_told (const TpPlanReader *reader, const char *key, GError *local,
           GError **error)
{
  if (g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_MEMORY))
    g_propagate_error (error, g_error_copy (local));
  else
    tp_plan_read_fail (reader, error, key, "%s", local->message);
  return NULL;
}

/* Pinned, split and streamed as @plan has it; takes @prepared. */
static TpGraph *
tell (const TpPlanReader *reader, const TpPlan *plan, TpGraph *prepared,
      GError **error)
{
  g_autoptr (TpGraph) graph = prepared;
  g_autoptr (TpGraph) pinned = NULL, split = NULL;
  g_autoptr (GError) local = NULL;
  TpGraph *streamed;

  pinned = tp_graph_pin (graph, (const char *const *) plan->pins, &local);
  if (pinned == NULL)
    return fail_told (reader, "pins", local, error);
  split = tp_graph_split_batch (pinned, plan->micro_batches.sizes,
                                plan->micro_batches.n, &local);
  if (split == NULL)
    return fail_told (reader, "micro_batches", local, error);
  streamed = tp_graph_stream (split, (const char *const *) plan->streamed,
                              plan->streamed_from, &local);
  return streamed != NULL ? streamed
                          : fail_told (reader, "streamed", local, error);
}

/* The graph as the planner saw it: its digest covers what it was told too. */
static TpGraph *
read_told (const TpPlanReader *reader, const TpPlan *plan, const char *path,
             GError **error)
{
  TpLoadOptions options = *reader->options;
  const TpPassOptions passes
      = { .left_out = (const char *const *) plan->no_pass };
  g_autoptr (TpGraph) raw = NULL;
  g_autoptr (GError) local = NULL;
  const char *part = "dims";
  TpGraph *prepared;

  options.out_part = &part;
  options.dims = plan->dims;
  options.ties = (const char *const *) plan->ties;
  options.numbers = (const char *const *) plan->numbers;
  options.outputs = (const char *const *) plan->cut;
  options.is_in_memory = reader->source->graph != NULL;
  raw = options.is_in_memory
            ? tp_graph_read_bytes (path, reader->source->graph, &options,
                                   &local)
            : tp_graph_read (path, &options, &local);
  if (g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_USAGE))
    tp_plan_read_fail (reader, error, part, "%s", local->message);
  else if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  prepared = raw == NULL ? NULL
                         : tp_graph_prepare_taken (g_steal_pointer (&raw),
                                                   &passes, error);
  return prepared == NULL ? NULL : tell (reader, plan, prepared, error);
}

static char *
find_path (const TpPlanReader *reader, const TpPlan *plan, GError **error)
{
  return reader->source->graph != NULL ? g_strdup (TP_MODEL_IN_MEMORY)
                                       : find_graph (reader, plan, error);
}

TpGraph *
tp_plan_read_graph (const TpPlanReader *reader, const TpPlan *plan,
                    GError **error)
{
  g_autofree char *path = find_path (reader, plan, error);

  return path == NULL ? NULL : read_told (reader, plan, path, error);
}

gboolean
tp_plan_check_graph (const TpPlanReader *reader, const TpPlan *plan,
                     const TpGraph *graph, GError **error)
{
  g_autofree char *digest = tp_graph_digest (graph);
  g_autofree char *path = NULL;

  if (strcmp (digest, plan->graph_digest) == 0)
    return TRUE;
  path = find_path (reader, plan, error);
  if (path != NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s: graph_sha256: the plan is for graph %s, but %s is graph "
                 "%s: it changed, or this tplan prepares it otherwise than the "
                 "one that planned: make a plan for it with `tplan optimize`",
                 reader->path, plan->graph_digest, path, digest);
  return FALSE;
}
