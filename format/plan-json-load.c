/* plan-json-load.c: see plan-json-load.h. */
#include "config.h"

#include "format/plan-json-load.h"

#include "format/plan-json-flows.h"
#include "format/plan-json-memory.h"
#include "format/plan-json-shares.h"
#include "ir/text.h"

/* Of three devices and more: for each end, for each part. */
static void
write_shares (const TpLoadProof *proof, GString *out)
{
  if (proof->shares == NULL)
    return;
  tp_plan_write_numbers (out, "load_share_units", proof->share_units,
                         proof->n_bounds);
  tp_text_append (out, " \"load_shares\": [");
  for (guint i = 0; i < proof->shares->len; i++)
    {
      tp_text_append (out, i == 0 ? "[" : ",\n  [");
      tp_plan_write_share_bound (proof->shares->pdata[i], proof->n_engines / 3,
                                 out);
      tp_text_append_c (out, ']');
    }
  tp_text_append (out, "],\n");
}

void
tp_plan_write_loads (const TpLoadProof *proof, TpPlanText *out)
{
  tp_text_append_printf (out->text,
                         " \"load_ns\": %" G_GINT64_FORMAT
                         ",\n \"load_bound_ns\": %" G_GINT64_FORMAT ",\n",
                         proof->load_ns, proof->bound_ns);
  tp_plan_write_interval (out->text, "load", proof->low_ns, proof->high_ns);
  tp_plan_write_numbers (out->text, "loads", proof->loads, proof->n_engines);
  tp_plan_write_indices (out->text, "load_tree", proof->tree, proof->n_entries);
  tp_plan_write_numbers (out->text, "load_weights", proof->weights,
                         proof->n_bounds * proof->n_engines);
  tp_plan_write_flows (out, "load_flows", proof->flows, proof->n_flows);
  write_shares (proof, out->text);
}

void
tp_plan_write_fitting (const TpRoomProof *room, int n_devices,
                       const TpGraph *graph, GString *out)
{
  if (room->tree != NULL)
    tp_plan_write_memory_tree (room->tree, n_devices, graph, out);
  if (room->shares == NULL)
    return;
  tp_text_append_printf (out, " \"share_unit\": %" G_GINT64_FORMAT ",\n",
                         room->shares->unit);
  tp_plan_write_share_room (room->shares, n_devices, graph, out);
}

static void
write_end (const TpRoomEnds *ends, int end, int n_engines, GString *out)
{
  gboolean is_shared = ends->shares->len > 0;
  const TpPointers *bounds = is_shared ? ends->shares : ends->bounds;
  int n_parts = (int) bounds->len / ends->n_ends;

  tp_text_append (out, "{");
  tp_plan_write_numbers (out, "weights", &ends->weights[end * n_engines],
                         n_engines);
  tp_text_append (out, " \"bounds\": [");
  for (int i = 0; i < n_parts; i++)
    {
      tp_text_append (out, i == 0 ? "\n  " : ",\n  ");
      if (is_shared)
        tp_plan_write_priced (bounds->pdata[end * n_parts + i], n_engines / 3,
                              out);
      else
        tp_plan_write_bound (bounds->pdata[end * n_parts + i], out);
    }
  tp_text_append (out, "]}");
}

void
tp_plan_write_ends (const TpRoomProof *room, int n_engines,
                    const TpGraph *const *graphs, int n_parts, GString *out)
{
  const TpRoomEnds *ends = room->ends;

  tp_text_append (out, " \"load_room\": {\n \"views\": [");
  for (int i = 0; i < n_parts; i++)
    {
      tp_text_append (out, i == 0 ? "" : ",\n  ");
      tp_plan_write_view_list (graphs[i], out);
    }
  tp_text_append (out, "],\n");
  tp_plan_write_indices (out, "tree", ends->tree, ends->n_entries);
  tp_text_append (out, " \"ends\": [");
  for (int i = 0; i < ends->n_ends; i++)
    {
      tp_text_append (out, i == 0 ? "\n  " : ",\n  ");
      write_end (ends, i, n_engines, out);
    }
  tp_text_append_printf (out, "],\n \"load_ns\": %" G_GINT64_FORMAT "},\n",
                         room->bound_ns);
}

static void
write_paths (const TpPointers *paths, GString *out)
{
  tp_text_append (out, " \"paths\": [");
  for (guint i = 0; i < paths->len; i++)
    {
      const TpPath *path = paths->pdata[i];

      tp_text_append_printf (out, "%s\n  [%" G_GINT64_FORMAT, i == 0 ? "" : ",",
                             path->weight);
      for (int k = 0; k < path->n_tensors; k++)
        tp_text_append_printf (out, ", %d", path->tensors[k]);
      tp_text_append (out, "]");
    }
  tp_text_append (out, "],\n");
}

/* Of what fits into limits of memory: of loads, or of how long a run takes. */
static void
write_room (const TpPlan *plan, const TpGraph *graph, GString *out)
{
  const TpRoomProof *room = plan->span_proof == NULL ? plan->load_proof->room
                                                     : plan->span_proof->room;
  int n_engines = plan->load_proof->n_engines;
  const char *what = plan->span_proof == NULL ? "load" : "span";

  if (room == NULL)
    return;
  if (room->ends != NULL)
    {
      tp_plan_write_ends (room, n_engines, &graph, 1, out);
      return;
    }
  tp_text_append_printf (out, " \"%s_room\": {\n", what);
  tp_plan_write_numbers (out, "weights", room->weights, n_engines);
  if (plan->span_proof != NULL)
    write_paths (room->paths, out);
  tp_plan_write_fitting (room, plan->n_devices, graph, out);
  tp_text_append_printf (out, " \"%s_ns\": %" G_GINT64_FORMAT "},\n", what,
                         room->bound_ns);
}

void
tp_plan_write_load_proof (const TpPlan *plan, const TpGraph *graph,
                          TpPlanText *out)
{
  if (plan->load_proof == NULL)
    return;
  tp_plan_write_loads (plan->load_proof, out);
  write_room (plan, graph, out->text);
}
