/* pass.c: the table of passes, and the two stages they run in: rewriting, then
 * choosing strides. */
#include "config.h"

#include "graph/pass.h"

#include "ir/near-name.h"
#include "ir/room.h"
#include "ops/op.h"

#include <string.h>

#define TP_PASS(pass) extern const TpPass pass;
#include "graph/passes.def"
#undef TP_PASS

#define TP_PASS(pass) &pass,
static const TpPass *const passes[] = {
#include "graph/passes.def"
};
#undef TP_PASS

/* Of a node, its tensor and what passes keep of both, in a draft and its copy. */
#define DRAFT_NODE_BYTES (2 * (gint64) (sizeof (TpNode) + sizeof (TpTensor)))

static const TpPassOptions all_passes;

const TpPass *const *
tp_pass_list (int *out_n)
{
  *out_n = G_N_ELEMENTS (passes);
  return passes;
}

/* ---- running ------------------------------------------------------------ */

static gboolean
is_wanted (const TpPass *pass, const TpPassOptions *options)
{
  return options->left_out == NULL
         || !g_strv_contains (options->left_out, pass->name);
}

static gboolean
is_last (const TpPass *pass, const TpPassOptions *options)
{
  return options->last != NULL && strcmp (options->last, pass->name) == 0;
}

static gboolean
concerns_any (const TpPass *pass, const TpNode *nodes, int n)
{
  for (int i = 0; i < n && pass->concerns != NULL; i++)
    if (pass->concerns (&nodes[i]))
      return TRUE;
  return pass->concerns == NULL;
}

static gboolean
has_work (TpDraft *draft, const TpPass *pass)
{
  return concerns_any (pass, (const TpNode *) draft->nodes->data,
                       (int) draft->nodes->len);
}

/* Runs those of one stage; *out_stops: the last that is asked for is among
 * them. */
static gboolean
run_stage (TpDraft *draft, gboolean is_layout, const TpPassOptions *options,
           gboolean *out_stops, GError **error)
{
  gboolean is_swept = FALSE;

  *out_stops = FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (passes) && !*out_stops; i++)
    {
      gboolean is_idle;

      if (passes[i]->is_layout != is_layout)
        continue;
      *out_stops = is_last (passes[i], options);
      if (!is_wanted (passes[i], options))
        continue;
      is_idle = !has_work (draft, passes[i]);
      if (is_idle && is_swept)
        continue;
      if (!is_idle && !passes[i]->run (draft, error))
        return FALSE;
      tp_draft_sweep (draft);
      is_swept = TRUE;
    }
  return TRUE;
}

/* @graph: (transfer full), as of lay_out (). */
static TpGraph *
rewrite (TpGraph *graph, const TpPassOptions *options, gboolean *out_stops,
         GError **error)
{
  g_autoptr (TpDraft) draft = tp_draft_take_graph (graph);

  if (!run_stage (draft, FALSE, options, out_stops, error)
      || !tp_draft_remove_unused_tensors (draft, error))
    return NULL;
  return tp_draft_finish (draft, error);
}

/* Or need not be. */
static gboolean
is_laid_out (const TpGraph *graph)
{
  gboolean has_work = FALSE;

  for (int i = 0; i < graph->n_nodes; i++)
    if (tp_node_has_flag (&graph->nodes[i], TP_OP_LAYOUT))
      return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (passes); i++)
    has_work |= passes[i]->is_layout
                && concerns_any (passes[i], graph->nodes, graph->n_nodes);
  return !has_work;
}

static TpGraph *
lay_out (TpGraph *graph, const TpPassOptions *options, GError **error)
{
  g_autoptr (TpDraft) draft = NULL;
  gboolean stops;

  if (is_laid_out (graph))
    return graph;
  draft = tp_draft_take_graph (graph);
  return run_stage (draft, TRUE, options, &stops, error)
             ? tp_draft_finish (draft, error)
             : NULL;
}

TpGraph *
tp_graph_simplify (const TpGraph *graph, GError **error)
{
  gboolean stops;

  return rewrite (tp_graph_ref ((TpGraph *) graph), &all_passes, &stops,
                  error);
}

TpGraph *
tp_graph_assign_layout (const TpGraph *graph, GError **error)
{
  return lay_out (tp_graph_ref ((TpGraph *) graph), &all_passes, error);
}

TpGraph *
tp_graph_prepare_with (const TpGraph *graph, const TpPassOptions *options,
                       GError **error)
{
  return tp_graph_prepare_taken (tp_graph_ref ((TpGraph *) graph), options,
                                 error);
}

TpGraph *
tp_graph_prepare_taken (TpGraph *graph, const TpPassOptions *options,
                        GError **error)
{
  g_autoptr (TpGraph) taken = graph, simple = NULL;
  gboolean stops;

  if (!tp_pass_check_options (options, error)
      || !tp_room_check (graph->n_nodes * DRAFT_NODE_BYTES,
                         "to rewrite this model", error))
    return NULL;
  simple = rewrite (g_steal_pointer (&taken), options, &stops, error);
  if (simple == NULL || stops)
    return g_steal_pointer (&simple);
  return lay_out (g_steal_pointer (&simple), options, error);
}

TpGraph *
tp_graph_prepare (const TpGraph *graph, GError **error)
{
  return tp_graph_prepare_with (graph, &all_passes, error);
}

/* ---- options ------------------------------------------------------------ */

static const TpPass *
find_pass (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (passes); i++)
    if (strcmp (passes[i]->name, name) == 0)
      return passes[i];
  return NULL;
}

static gboolean
fail_unknown (const char *name, gboolean is_left_out, GError **error)
{
  const char *known[G_N_ELEMENTS (passes) + 1];
  g_autofree char *list = NULL, *near = NULL;
  int n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (passes); i++)
    if (!is_left_out || passes[i]->required == NULL)
      known[n++] = passes[i]->name;
  known[n] = NULL;
  list = g_strjoinv (", ", (char **) known);
  near = tp_near_name_ask (name, known);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "no pass '%s'%s: there are %s", name, near, list);
  return FALSE;
}

gboolean
tp_pass_check_options (const TpPassOptions *options, GError **error)
{
  const char *const *left_out = options->left_out;

  if (options->last != NULL && find_pass (options->last) == NULL)
    return fail_unknown (options->last, FALSE, error);
  for (int i = 0; left_out != NULL && left_out[i] != NULL; i++)
    {
      const TpPass *pass = find_pass (left_out[i]);

      if (pass == NULL)
        return fail_unknown (left_out[i], TRUE, error);
      if (pass->required == NULL)
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "pass '%s' cannot be left out: %s", pass->name,
                   pass->required);
      return FALSE;
    }
  return TRUE;
}
