/* plan-read-body.c: placements, groups, transfers and the proof. */
#include "config.h"

#include "format/plan-read-body.h"

#include "format/plan-json.h"
#include "format/plan-read-costs.h"
#include "format/plan-read.h"

#include <string.h>

/* One that is absent is not known. */
static gboolean
read_schedule (const TpPlanReader *reader, const json_t *at, const char *place,
               TpPlacement *out, GError **error)
{
  const json_t *value = json_object_get (at, "schedule");

  if (value == NULL)
    return TRUE;
  if (!json_is_string (value))
    return tp_plan_read_fail (reader, error, place,
                              "the schedule is not a string");
  out->schedule = g_strdup (json_string_value (value));
  return TRUE;
}

static gboolean
read_placement (const TpPlanReader *reader, const json_t *at,
                const char *place, TpPlacement *out, GError **error)
{
  return tp_plan_read_name (reader, json_object_get (at, "op"), reader->nodes,
                            place, &out->node, error)
         && tp_plan_read_name (reader, json_object_get (at, "device"),
                               reader->devices, place, &out->device, error)
         && tp_plan_read_number (reader, at, place, "time_ns", &out->time_ns,
                                 error)
         && tp_plan_read_number (reader, at, place, "spread_ns",
                                 &out->spread_ns, error)
         && tp_plan_read_integer (reader, json_object_get (at, "margin_ns"),
                                  -1, place, &out->margin_ns, error)
         && read_schedule (reader, at, place, out, error);
}

static gboolean
read_placements (const TpPlanReader *reader, const json_t *root, TpPlan *plan,
                 GError **error)
{
  int n = reader->graph->n_nodes;
  g_autofree guint8 *seen = g_new0 (guint8, n + 1);
  json_t *list;
  char place[64];

  if (!tp_plan_read_list (reader, root, "ops", n, &list, error))
    return FALSE;
  plan->n_placements = n;
  plan->placements = g_new0 (TpPlacement, n + 1);
  for (int i = 0; i < n; i++)
    {
      TpPlacement *it = &plan->placements[i];

      g_snprintf (place, sizeof place, "ops[%d]", i);
      if (!read_placement (reader, json_array_get (list, i), place, it, error))
        return FALSE;
      if (seen[it->node]++ > 0)
        return tp_plan_read_fail (reader, error, place,
                                  "op '%s' is placed twice",
                                  reader->graph->nodes[it->node].name);
    }
  return TRUE;
}

static TpGroups *
read_groups (const TpPlanReader *reader, const json_t *root, const char *key,
             GError **error)
{
  g_autoptr (TpGroups) groups = tp_groups_new ();
  g_autofree int *nodes = g_new (int, reader->graph->n_nodes + 1);
  json_t *list;

  if (!tp_plan_read_list (reader, root, key, -1, &list, error))
    return NULL;
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      const json_t *group = json_array_get (list, i);
      int n = (int) MIN (json_array_size (group),
                         (gsize) reader->graph->n_nodes + 1);
      g_autofree char *place
          = g_strdup_printf ("%s[%" G_GSIZE_FORMAT "]", key, i);

      if (n < 1 || n > reader->graph->n_nodes)
        {
          tp_plan_read_fail (reader, error, place, "not a list of ops");
          return NULL;
        }
      for (int k = 0; k < n; k++)
        if (!tp_plan_read_name (reader, json_array_get (group, k),
                                reader->nodes, place, &nodes[k], error))
          return NULL;
      tp_groups_add (groups, nodes, n);
    }
  return g_steal_pointer (&groups);
}

/* A device, or host memory. */
static gboolean
read_end (const TpPlanReader *reader, const json_t *value, const char *place,
          int *out_end, GError **error)
{
  *out_end = TP_COSTS_HOST;
  return g_strcmp0 (json_string_value (value), TP_PLAN_HOST) == 0
         || tp_plan_read_name (reader, value, reader->devices, place, out_end,
                               error);
}

static gboolean
read_transfers (const TpPlanReader *reader, const json_t *root, TpPlan *plan,
                GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (reader, root, "transfers", -1, &list, error))
    return FALSE;
  plan->n_transfers = (int) json_array_size (list);
  plan->transfers = g_new0 (TpTransfer, plan->n_transfers + 1);
  for (int i = 0; i < plan->n_transfers; i++)
    {
      const json_t *at = json_array_get (list, i);
      TpTransfer *it = &plan->transfers[i];
      char place[64];

      g_snprintf (place, sizeof place, "transfers[%d]", i);
      if (!tp_plan_read_name (reader, json_object_get (at, "tensor"),
                              reader->tensors, place, &it->tensor, error)
          || !read_end (reader, json_object_get (at, "from"), place,
                        &it->from, error)
          || !read_end (reader, json_object_get (at, "to"), place, &it->to,
                        error)
          || !tp_plan_read_number (reader, at, place, "bytes",
                                   &it->size_bytes, error)
          || !tp_plan_read_number (reader, at, place, "time_ns", &it->time_ns,
                                   error))
        return FALSE;
      if (it->size_bytes != reader->graph->tensors[it->tensor].size_bytes)
        return tp_plan_read_fail (reader, error, place,
                                  "%" G_GINT64_FORMAT
                                  " bytes is not the size of the tensor",
                                  it->size_bytes);
    }
  return TRUE;
}

/* "s", "t", "n3", "h3", "d3", "g3c", "g3d" with the number in range. */
static gboolean
read_vertex (const TpPlanReader *reader, const TpPlan *plan,
             const json_t *value, char **out_name)
{
  const char *name = json_string_value (value);
  const char *kinds = "nhdg";
  const int limits[] = { reader->graph->n_nodes, reader->graph->n_tensors,
                         reader->graph->n_tensors, plan->all_groups->n_groups };
  const char *kind;
  char *end = NULL;
  guint64 number;

  if (name == NULL || name[0] == 0)
    return FALSE;
  *out_name = g_strdup (name);
  if (strcmp (name, "s") == 0 || strcmp (name, "t") == 0)
    return TRUE;
  kind = strchr (kinds, name[0]);
  if (kind == NULL || !g_ascii_isdigit (name[1]) || strlen (name) > 14)
    return FALSE;
  number = g_ascii_strtoull (name + 1, &end, 10);
  if (name[0] == 'g' && (*end == 'c' || *end == 'd'))
    end++;
  else if (name[0] == 'g')
    return FALSE;
  return *end == 0 && number < (guint64) limits[kind - kinds]
         && (name[1] != '0' || !g_ascii_isdigit (name[2]));
}

/* Of whatever kind: whether it proves anything is for tp_check () to say. */
static gboolean
read_certificate (const TpPlanReader *reader, const json_t *root,
                  TpPlan *plan, GError **error)
{
  const char *kind = TP_PLAN_FIRST_CERTIFICATE;

  if (json_object_get (root, "certificate") != NULL
      && !tp_plan_read_string (reader, root, "certificate", TRUE, &kind,
                               error))
    return FALSE;
  plan->certificate = g_strdup (kind);
  return TRUE;
}

static gboolean
read_arcs (const TpPlanReader *reader, const json_t *root, TpPlan *plan,
           GError **error)
{
  json_t *list;

  if (!tp_plan_read_list (reader, root, "arcs", -1, &list, error))
    return FALSE;
  plan->arcs = g_new0 (TpArc, json_array_size (list) + 1);
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      const json_t *at = json_array_get (list, i);
      TpArc *arc = &plan->arcs[plan->n_arcs++];
      char place[64];

      g_snprintf (place, sizeof place, "arcs[%" G_GSIZE_FORMAT "]", i);
      if (json_array_size (at) != 4
          || !read_vertex (reader, plan, json_array_get (at, 0), &arc->from)
          || !read_vertex (reader, plan, json_array_get (at, 1), &arc->to))
        return tp_plan_read_fail (reader, error, place,
                                  "not [from, to, capacity, flow]");
      if (!tp_plan_read_integer (reader, json_array_get (at, 2), -1, place,
                                 &arc->capacity, error)
          || !tp_plan_read_integer (reader, json_array_get (at, 3), 0, place,
                                    &arc->flow, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_totals (const TpPlanReader *reader, const json_t *root, TpPlan *plan,
             GError **error)
{
  const json_t *single = json_object_get (root, "best_single");
  gint64 n_estimated = 0;

  if (!tp_plan_read_number (reader, root, "", "cost_ns", &plan->cost_ns, error)
      || !tp_plan_read_number (reader, root, "", "bound_ns", &plan->bound_ns,
                               error)
      || !tp_plan_read_number (reader, root, "", "constant_ns",
                               &plan->constant_ns, error)
      || !tp_plan_read_number (reader, root, "", "estimated_ops",
                               &n_estimated, error))
    return FALSE;
  plan->n_estimated = (int) MIN (n_estimated, reader->graph->n_nodes);
  plan->best_single = -1;
  return (json_is_null (single)
          || tp_plan_read_name (reader, single, reader->devices,
                                "best_single", &plan->best_single, error))
         && tp_plan_read_number (reader, root, "", "best_single_ns",
                                 &plan->best_single_ns, error);
}

/* One number per device. */
static gint64 *
read_bytes (const TpPlanReader *reader, const json_t *root, const char *key,
            int n, GError **error)
{
  g_autofree gint64 *bytes = g_new0 (gint64, n + 1);
  json_t *list;

  if (!tp_plan_read_list (reader, root, key, n, &list, error))
    return NULL;
  for (int i = 0; i < n; i++)
    if (!tp_plan_read_integer (reader, json_array_get (list, i), 0, key,
                               &bytes[i], error))
      return NULL;
  return g_steal_pointer (&bytes);
}

/* A plan may do without. */
static gboolean
read_memory (const TpPlanReader *reader, const json_t *root, TpPlan *plan,
             GError **error)
{
  const struct
  {
    const char *key;
    gint64 **bytes;
  } lists[] = { { "peak_bytes", &plan->peak_bytes },
                { "weight_bytes", &plan->weight_bytes } };

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      if (json_object_get (root, lists[i].key) == NULL)
        continue;
      *lists[i].bytes = read_bytes (reader, root, lists[i].key,
                                    plan->n_devices, error);
      if (*lists[i].bytes == NULL)
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_plan_read_body (const TpPlanReader *reader, const json_t *root,
                   TpPlan *plan, GError **error)
{
  if (!read_totals (reader, root, plan, error)
      || !read_memory (reader, root, plan, error)
      || !read_placements (reader, root, plan, error)
      || !read_transfers (reader, root, plan, error))
    return FALSE;
  plan->groups = read_groups (reader, root, "groups", error);
  if (plan->groups == NULL)
    return FALSE;
  plan->all_groups = read_groups (reader, root, "all_groups", error);
  return plan->all_groups != NULL
         && tp_plan_read_costs (reader, root, plan, error)
         && read_certificate (reader, root, plan, error)
         && read_arcs (reader, root, plan, error);
}
