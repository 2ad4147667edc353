/* plan-read-arcs.c: see plan-read-arcs.h. */
#include "config.h"

#include "format/plan-read-arcs.h"

#include "ir/guard.h"

/* Whether @plan has that vertex; of NULL, several plans, any will do: who checks the
 * proof asks which there are. */
static gboolean
check_vertex (const TpPlanReader *reader, const TpPlan *plan,
              const TpCutVertex *vertex)
{
  int n_nodes = plan == NULL ? G_MAXINT : reader->graph->n_nodes;
  int n_tensors = plan == NULL ? G_MAXINT : reader->graph->n_tensors;
  int n_groups = plan == NULL ? G_MAXINT : plan->all_groups->n_groups;
  int n_together = plan == NULL ? G_MAXINT : reader->graph->n_colocations;
  const int limits[] = { 1, 1, n_nodes, n_tensors, n_tensors, n_groups,
                         n_groups, n_together };

  G_STATIC_ASSERT (G_N_ELEMENTS (limits) == TP_N_CUT_VERTICES);
  return vertex->index < limits[vertex->kind];
}

gboolean
tp_plan_check_arcs (const TpPlanReader *reader, const TpPlan *plan)
{
  for (int i = 0; i < plan->n_arcs; i++)
    if (!check_vertex (reader, plan, &plan->arcs[i].from)
        || !check_vertex (reader, plan, &plan->arcs[i].to))
      return FALSE;
  return TRUE;
}

static gboolean
read_vertex (const TpPlanReader *reader, const TpPlan *plan,
             const json_t *value, TpCutVertex *out)
{
  const char *name = json_string_value (value);

  return name != NULL && tp_cut_vertex_read (name, out)
         && check_vertex (reader, plan, out);
}

/* The next of @rows, where it is a line as they are written. */
static gboolean
scan_arc (const TpPlanReader *reader, const TpPlan *plan, gboolean is_tied,
          TpPlanRows *rows, TpArc *arc)
{
  TpPlanScan line;

  if (!tp_plan_rows_take (rows, &line))
    return FALSE;
  return (tp_plan_scan_text (&line, "  [")
          && tp_plan_scan_vertex (&line, &arc->from)
          && tp_plan_scan_text (&line, ", ")
          && tp_plan_scan_vertex (&line, &arc->to)
          && tp_plan_scan_text (&line, ", ")
          && tp_plan_scan_number (&line, -1, &arc->capacity)
          && tp_plan_scan_text (&line, ", ")
          && tp_plan_scan_number (&line, 0, &arc->flow)
          && (!is_tied
              || (tp_plan_scan_text (&line, ", ")
                  && tp_plan_scan_number (&line, 0, &arc->tie_flow)))
          && check_vertex (reader, plan, &arc->from)
          && check_vertex (reader, plan, &arc->to))
         || tp_plan_rows_put_back (rows, &line);
}

/* [from, to, capacity, flow], and the flow of the tie where one was broken. */
static gboolean
read_arc (TpPlanPlace place, const TpPlan *plan, gboolean is_tied, TpArc *arc,
          GError **error)
{
  const TpPlanReader *reader = place.reader;
  const json_t *at = place.json;

  if (json_array_size (at) != (is_tied ? 5 : 4)
      || !read_vertex (reader, plan, json_array_get (at, 0), &arc->from)
      || !read_vertex (reader, plan, json_array_get (at, 1), &arc->to))
    return tp_plan_read_fail (reader, error, place.path,
                              "not [from, to, capacity, flow%s]",
                              is_tied ? ", flow of the tie" : "");
  return tp_plan_read_integer (
             tp_plan_place_enter (place, json_array_get (at, 2)), -1,
             &arc->capacity, error)
         && tp_plan_read_integer (
             tp_plan_place_enter (place, json_array_get (at, 3)), 0,
             &arc->flow, error)
         && (!is_tied
             || tp_plan_read_integer (
                 tp_plan_place_enter (place, json_array_get (at, 4)), 0,
                 &arc->tie_flow, error));
}

gboolean
tp_plan_read_arcs (TpPlanPlace root, const char *key, const TpPlan *plan,
                   TpPlanArcList *list, GError **error)
{
  g_auto (TpPlanRows) rows = { 0 };
  g_autofree TpArc *arcs = NULL;

  if (!tp_plan_read_rows (root, key, -1, &rows, error))
    return FALSE;
  arcs = tp_new0 (TpArc, rows.n + 1);
  for (int i = 0; i < rows.n; i++)
    {
      char path[64];
      TpPlanPlace place = { root.reader, path, NULL };

      if (scan_arc (root.reader, plan, list->is_tied, &rows, &arcs[i]))
        continue;
      place.json = tp_plan_rows_next (&rows);
      g_snprintf (path, sizeof path, "%s[%d]", key, i);
      if (!read_arc (place, plan, list->is_tied, &arcs[i], error))
        return FALSE;
    }
  list->arcs = g_steal_pointer (&arcs);
  list->n_arcs = rows.n;
  return TRUE;
}
