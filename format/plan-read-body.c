/* plan-read-body.c: placements, groups, transfers and most proofs. */
#include "config.h"

#include "format/plan-read-body.h"

#include "format/plan-read-load.h"
#include "format/plan-read-span.h"
#include "format/plan-read-memory.h"
#include "format/plan-read-rated.h"
#include "format/plan-read-shares.h"
#include "format/plan-read-costs.h"
#include "format/plan-read.h"
#include "ir/guard.h"
#include "ir/pools.h"

#include <string.h>

#define GROUP_WINDOW 256      /* ops among which the next of a group is looked for */

/* One that is absent is not known. */
static gboolean
read_schedule (TpPlanPlace place, TpPlacement *out, GError **error)
{
  const json_t *value = json_object_get (place.json, "schedule");

  if (value == NULL)
    return TRUE;
  if (!json_is_string (value))
    return tp_plan_read_fail (place.reader, error, place.path,
                              "the schedule is not a string");
  out->schedule = g_strdup (json_string_value (value));
  return TRUE;
}

/* What @names has at @key of the object at @place. */
static gboolean
read_name (TpPlanPlace place, const char *key, const TpMap *names,
           int *out_index, GError **error)
{
  return tp_plan_read_name (
      tp_plan_place_enter (place, json_object_get (place.json, key)), names,
      out_index, error);
}

/* Where nothing else is said, the cheapest plan has it there too. */
static gboolean
read_cheapest (TpPlanPlace place, TpPlacement *out, GError **error)
{
  out->cheapest = out->device;
  return json_object_get (place.json, "cheapest") == NULL
         || read_name (place, "cheapest", place.reader->devices,
                       &out->cheapest, error);
}

static gboolean
read_margin (TpPlanPlace place, TpPlacement *out, GError **error)
{
  const json_t *margin = json_object_get (place.json, "margin_ns");
  const json_t *least = json_object_get (place.json, "margin_at_least");

  out->is_margin_least = json_is_true (least);
  if (least != NULL && !json_is_true (least))
    return tp_plan_read_fail (place.reader, error, place.path,
                              "margin_at_least is not true");
  return tp_plan_read_integer (tp_plan_place_enter (place, margin), -1,
                               &out->margin_ns, error);
}

static gboolean
read_placement (TpPlanPlace place, TpPlacement *out, GError **error)
{
  const TpPlanReader *reader = place.reader;

  return read_name (place, "op", tp_plan_reader_get_nodes (reader),
                    &out->node, error)
         && read_name (place, "device", reader->devices, &out->device, error)
         && tp_plan_read_number (place, "time_ns", &out->time_ns, error)
         && tp_plan_read_number (place, "spread_ns", &out->spread_ns, error)
         && read_margin (place, out, error)
         && read_cheapest (place, out, error)
         && read_schedule (place, out, error);
}

/* The next of @rows, that of @node, where it is as most are: without a schedule.
 * What stands behind is the graph's. */
static gboolean
scan_placement (const TpPlan *plan, const TpNode *node, TpPlanRows *rows,
                TpPlacement *out)
{
  TpPlanScan line;

  if (!tp_plan_rows_take (rows, &line))
    return FALSE;
  if (!tp_plan_scan_text (&line, "  {\"op\": ")
      || !tp_plan_scan_name (&line, node->name)
      || !tp_plan_scan_text (&line, ", \"device\": ")
      || !tp_plan_scan_any (&line, plan->devices, plan->n_devices,
                            &out->device)
      || !tp_plan_scan_member (&line, "time_ns", 0, &out->time_ns)
      || !tp_plan_scan_member (&line, "spread_ns", 0, &out->spread_ns)
      || !tp_plan_scan_member (&line, "margin_ns", -1, &out->margin_ns))
    return tp_plan_rows_put_back (rows, &line);
  out->is_margin_least
      = tp_plan_scan_text (&line, ", \"margin_at_least\": true");
  out->cheapest = out->device;
  if (tp_plan_scan_text (&line, ", \"schedule\"")
      || (tp_plan_scan_text (&line, ", \"cheapest\": ")
          && !tp_plan_scan_any (&line, plan->devices, plan->n_devices,
                                &out->cheapest)))
    return tp_plan_rows_put_back (rows, &line);
  return TRUE;
}

static gboolean
read_placements (TpPlanPlace root, TpPlan *plan, GError **error)
{
  const TpPlanReader *reader = root.reader;
  int n = reader->graph->n_nodes;
  g_autofree guint8 *seen = tp_new0 (guint8, n + 1);
  g_auto (TpPlanRows) rows = { 0 };
  char path[64];

  if (!tp_plan_read_rows (root, "ops", n, &rows, error))
    return FALSE;
  plan->placements = tp_new0 (TpPlacement, n + 1);
  plan->n_placements = n;
  for (int i = 0; i < n; i++)
    {
      TpPlacement *it = &plan->placements[i];
      TpPlanPlace place = { reader, path, NULL };

      it->node = i;
      if (scan_placement (plan, &reader->graph->nodes[i], &rows, it)
          && seen[i]++ == 0)
        continue;
      place.json = tp_plan_rows_next (&rows);
      g_snprintf (path, sizeof path, "ops[%d]", i);
      if (!read_placement (place, it, error))
        return FALSE;
      if (it->node != i)
        return tp_plan_read_fail (reader, error, path,
                                  "op '%s', where the graph has '%s'",
                                  reader->graph->nodes[it->node].name,
                                  reader->graph->nodes[i].name);
      if (seen[it->node]++ > 0)
        return tp_plan_read_fail (reader, error, path,
                                  "op '%s' is placed twice",
                                  reader->graph->nodes[it->node].name);
    }
  return TRUE;
}

/* The op from @from on, before @end, whose name comes next; -1: none of them. */
static int
scan_node (const TpGraph *graph, int from, int end, TpPlanScan *line)
{
  for (int i = from; i < end; i++)
    if (tp_plan_scan_name (line, graph->nodes[i].name))
      return i;
  return -1;
}

/* The next of @rows into @nodes, where it begins with an op that is not before @from,
 * and its ops are not far from each other. Returns how many they are; 0: another. */
static int
scan_group (const TpGraph *graph, int from, TpPlanRows *rows, int *nodes)
{
  TpPlanScan line;
  int n = 1;

  if (from == graph->n_nodes || !tp_plan_rows_take (rows, &line))
    return 0;
  nodes[0] = tp_plan_scan_text (&line, "  [")
                 ? scan_node (graph, from, graph->n_nodes, &line)
                 : -1;
  for (; nodes[n - 1] >= 0 && tp_plan_scan_text (&line, ", "); n++)
    nodes[n] = scan_node (graph, nodes[n - 1] + 1,
                          MIN (nodes[n - 1] + GROUP_WINDOW, graph->n_nodes),
                          &line);
  if (nodes[n - 1] >= 0 && tp_plan_scan_text (&line, "]"))
    return n;
  tp_plan_rows_put_back (rows, &line);
  return 0;
}

static int
read_group (TpPlanPlace place, int *nodes, GError **error)
{
  int n_nodes = place.reader->graph->n_nodes;
  int n = (int) MIN (json_array_size (place.json), (gsize) n_nodes + 1);

  if (n < 1 || n > n_nodes)
    {
      tp_plan_read_fail (place.reader, error, place.path, "not a list of ops");
      return 0;
    }
  for (int k = 0; k < n; k++)
    if (!tp_plan_read_name (
            tp_plan_place_enter (place, json_array_get (place.json, k)),
            tp_plan_reader_get_nodes (place.reader), &nodes[k], error))
      return 0;
  return n;
}

static TpGroups *
read_groups (TpPlanPlace root, const char *key, GError **error)
{
  const TpPlanReader *reader = root.reader;
  g_autoptr (TpGroups) groups = tp_groups_new ();
  g_autofree int *nodes = tp_new (int, reader->graph->n_nodes + 1);
  g_auto (TpPlanRows) rows = { 0 };
  int from = 0;

  if (!tp_plan_read_rows (root, key, -1, &rows, error))
    return NULL;
  for (int i = 0; i < rows.n; i++)
    {
      int n = scan_group (reader->graph, from, &rows, nodes);
      char path[64];

      from = n > 0 ? nodes[0] : reader->graph->n_nodes; /* never searched twice */
      if (n == 0)
        {
          g_snprintf (path, sizeof path, "%s[%d]", key, i);
          n = read_group ((TpPlanPlace){ reader, path,
                                         tp_plan_rows_next (&rows) },
                          nodes, error);
        }
      if (n == 0)
        return NULL;
      tp_groups_add (groups, nodes, n);
    }
  return g_steal_pointer (&groups);
}

/* A device, or host memory. */
static gboolean
read_end (TpPlanPlace place, const char *key, int *out_end, GError **error)
{
  const char *name = json_string_value (json_object_get (place.json, key));

  *out_end = TP_COSTS_HOST;
  return g_strcmp0 (name, TP_PLAN_HOST) == 0
         || read_name (place, key, place.reader->devices, out_end, error);
}

/* They stand in the order of their tensors, of which @it is not before @from. */
static gboolean
scan_transfer (const TpPlan *plan, const TpGraph *graph, int from,
               TpPlanRows *rows, TpTransfer *it)
{
  TpPlanScan line;

  if (from == graph->n_tensors || !tp_plan_rows_take (rows, &line))
    return FALSE;
  if (!tp_plan_scan_text (&line, "  {\"tensor\": "))
    return tp_plan_rows_put_back (rows, &line);
  it->tensor = from;
  while (it->tensor < graph->n_tensors
         && !tp_plan_scan_name (&line, graph->tensors[it->tensor].name))
    it->tensor++;
  return (it->tensor < graph->n_tensors
          && tp_plan_scan_text (&line, ", \"from\": ")
          && tp_plan_scan_any (&line, plan->devices, plan->n_devices,
                               &it->from)
          && tp_plan_scan_text (&line, ", \"to\": ")
          && tp_plan_scan_any (&line, plan->devices, plan->n_devices, &it->to)
          && tp_plan_scan_member (&line, "bytes", 0, &it->size_bytes)
          && tp_plan_scan_member (&line, "time_ns", 0, &it->time_ns)
          && it->size_bytes == graph->tensors[it->tensor].size_bytes)
         || tp_plan_rows_put_back (rows, &line);
}

static gboolean
read_transfers (TpPlanPlace root, TpPlan *plan, GError **error)
{
  const TpPlanReader *reader = root.reader;
  g_auto (TpPlanRows) rows = { 0 };
  int from = 0;

  if (!tp_plan_read_rows (root, "transfers", -1, &rows, error))
    return FALSE;
  plan->n_transfers = rows.n;
  plan->transfers = tp_new0 (TpTransfer, plan->n_transfers + 1);
  for (int i = 0; i < plan->n_transfers; i++)
    {
      TpTransfer *it = &plan->transfers[i];
      char path[64];
      TpPlanPlace place = { reader, path, NULL };

      if (scan_transfer (plan, reader->graph, from, &rows, it))
        {
          from = it->tensor;
          continue;
        }
      from = reader->graph->n_tensors; /* never searched twice */
      place.json = tp_plan_rows_next (&rows);
      g_snprintf (path, sizeof path, "transfers[%d]", i);
      if (!read_name (place, "tensor", tp_plan_reader_get_tensors (reader),
                      &it->tensor, error)
          || !read_end (place, "from", &it->from, error)
          || !read_end (place, "to", &it->to, error)
          || !tp_plan_read_number (place, "bytes", &it->size_bytes, error)
          || !tp_plan_read_number (place, "time_ns", &it->time_ns, error))
        return FALSE;
      if (it->size_bytes != reader->graph->tensors[it->tensor].size_bytes)
        return tp_plan_read_fail (reader, error, path,
                                  "%" G_GINT64_FORMAT
                                  " bytes is not the size of the tensor",
                                  it->size_bytes);
    }
  return TRUE;
}

static gboolean
read_totals (TpPlanPlace root, TpPlan *plan, GError **error)
{
  const TpPlanReader *reader = root.reader;
  TpPlanPlace single
      = { reader, "best_single", json_object_get (root.json, "best_single") };
  gint64 n_estimated = 0;

  if (json_object_get (root.json, "tie_price_ns") != NULL
      && !tp_plan_read_number (root, "tie_price_ns", &plan->tie_price_ns,
                               error))
    return FALSE;
  if (!tp_plan_read_number (root, "cost_ns", &plan->cost_ns, error)
      || !tp_plan_read_interval (root, "cost", &plan->cost_low_ns,
                                 &plan->cost_high_ns, error)
      || !tp_plan_read_number (root, "bound_ns", &plan->bound_ns, error)
      || !tp_plan_read_number (root, "constant_ns", &plan->constant_ns, error)
      || !tp_plan_read_number (root, "estimated_ops", &n_estimated, error))
    return FALSE;
  plan->n_estimated = (int) MIN (n_estimated, reader->graph->n_nodes);
  plan->best_single = -1;
  return (json_is_null (single.json)
          || tp_plan_read_name (single, reader->devices, &plan->best_single,
                                error))
         && tp_plan_read_number (root, "best_single_ns", &plan->best_single_ns,
                                 error);
}

/* One number per device, or row of limits. */
static gint64 *
read_bytes (TpPlanPlace root, const char *key, int n, GError **error)
{
  g_autofree gint64 *bytes = tp_new0 (gint64, n + 1);
  json_t *list;

  if (!tp_plan_read_list (root, key, n, &list, error))
    return NULL;
  for (int i = 0; i < n; i++)
    {
      TpPlanPlace place = { root.reader, key, json_array_get (list, i) };

      if (!tp_plan_read_integer (place, 0, &bytes[i], error))
        return NULL;
    }
  return g_steal_pointer (&bytes);
}

/* Likewise, where there is such a key. */
static gboolean
read_optional (TpPlanPlace root, const char *key, int n, gint64 **out,
               GError **error)
{
  if (json_object_get (root.json, key) == NULL)
    return TRUE;
  *out = read_bytes (root, key, n, error);
  return *out != NULL;
}

/* How many limits there are, also where the costs are read later. */
static int
count_rows (TpPlanPlace root, const TpPlan *plan, GError **error)
{
  g_autoptr (TpCosts) costs
      = tp_costs_new_sized (plan->n_devices,
                            (const char *const *) plan->devices,
                            &(TpCostRows){ 0, 0, 0 });

  return tp_plan_read_pools (root, plan->n_devices, costs->pools, error)
             ? tp_pools_count_rows (costs) : -1;
}

gboolean
tp_plan_read_limits (TpPlanPlace root, int n_rows, gint64 **out_limits,
                     gint64 **out_reserves, GError **error)
{
  static const char key[] = "memory_reserves";

  if (!read_optional (root, "memory_limits", n_rows, out_limits, error)
      || !read_optional (root, key, n_rows, out_reserves, error))
    return FALSE;
  for (int row = 0; *out_reserves != NULL && row < n_rows; row++)
    if ((*out_reserves)[row] > 0
        && (*out_limits == NULL || (*out_limits)[row] == 0))
      return tp_plan_read_fail (root.reader, error, key,
                                "number %d has no limit to be of", row);
  return TRUE;
}

/* A plan may do without. */
static gboolean
read_memory (TpPlanPlace root, TpPlan *plan, GError **error)
{
  int n = plan->n_devices, n_rows = count_rows (root, plan, error);

  return n_rows >= 0
         && read_optional (root, "peak_bytes", n, &plan->peak_bytes, error)
         && read_optional (root, "weight_bytes", n, &plan->weight_bytes, error)
         && tp_plan_read_limits (root, n_rows, &plan->memory_limits,
                                 &plan->memory_reserves, error);
}

/* Marks those of @groups that @claimed has, too, in its order; returns how many. */
static int
mark_claimed (TpGroups *groups, const TpGroups *claimed)
{
  int n = 0;

  for (int i = 0; i < groups->n_groups && n < claimed->n_groups; i++)
    {
      TpGroup *it = &groups->groups[i];
      const TpGroup *next = &claimed->groups[n];

      it->is_claimed = it->n_nodes == next->n_nodes
                       && memcmp (it->nodes, next->nodes,
                                  sizeof (int) * (gsize) it->n_nodes) == 0;
      n += it->is_claimed;
    }
  return n;
}

/* Of those in effect, too. */
static void
mark_in_effect (TpPlan *plan, int n_nodes)
{
  g_autofree gboolean *starts_claimed = tp_new0 (gboolean, n_nodes + 1);

  for (int i = 0; i < plan->all_groups->n_groups; i++)
    if (plan->all_groups->groups[i].is_claimed)
      starts_claimed[plan->all_groups->groups[i].nodes[0]] = TRUE;
  for (int i = 0; i < plan->groups->n_groups; i++)
    plan->groups->groups[i].is_claimed
        = starts_claimed[plan->groups->groups[i].nodes[0]];
}

/* A plan may have none. */
static gboolean
read_claimed (TpPlanPlace root, TpPlan *plan, GError **error)
{
  static const char key[] = "claimed_groups";
  g_autoptr (TpGroups) claimed = NULL;

  if (json_object_get (root.json, key) == NULL)
    return TRUE;
  claimed = read_groups (root, key, error);
  if (claimed == NULL)
    return FALSE;
  if (mark_claimed (plan->all_groups, claimed) < claimed->n_groups)
    return tp_plan_read_fail (root.reader, error, key,
                              "not some of \"all_groups\", in their order");
  mark_in_effect (plan, root.reader->graph->n_nodes);
  return TRUE;
}

gboolean
tp_plan_read_places (TpPlanPlace root, TpPlan *plan, GError **error)
{
  if (!read_totals (root, plan, error) || !read_memory (root, plan, error)
      || !read_placements (root, plan, error)
      || !read_transfers (root, plan, error))
    return FALSE;
  plan->groups = read_groups (root, "groups", error);
  if (plan->groups == NULL)
    return FALSE;
  plan->all_groups = read_groups (root, "all_groups", error);
  return plan->all_groups != NULL && read_claimed (root, plan, error);
}

gboolean
tp_plan_read_proofs (TpPlanPlace root, TpPlan *plan, GError **error)
{
  return tp_plan_read_load_proof (root, plan, error)
         && tp_plan_read_rate_proof (root, plan, error)
         && tp_plan_read_span_proof (root, plan, error)
         && tp_plan_read_room (root, plan, error)
         && tp_plan_read_memory_proof (root, plan, error)
         && tp_plan_read_shares (root, plan, error);
}
