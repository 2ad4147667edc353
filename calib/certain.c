/* certain.c: see certain.h.
 *
 * A plan carries the figures it was made from, and proves things about those.
 * What they should be is for the cost table to say, which few who check a plan
 * have; but much of it follows without. */
#include "config.h"

#include "calib/certain.h"

#include "calib/lookup.h"
#include "ir/guard.h"
#include "ir/outline.h"
#include "machine/machine-costs.h"
#include "runtime/device.h"
#include "runtime/devices.h"

#include <string.h>

typedef struct
{
  const TpGraph *graph;
  const TpGroups *groups;
  const char *const *devices;
  const gboolean *is_mapped;  /* (nullable) [device]: what is said of it */
  gboolean is_to_read;        /* its rows are not to be changed */
  const TpNames *names;       /* NULL: all devices are simulated */
  const TpWorks *works;       /* NULL: none is */
  TpCosts *costs;
  const int *first_of;        /* (nullable) [key of names]: the first row of ops, then
                               * of groups, that has it; those share one */
  const TpCost *kernels;      /* [key of names]: on the device being filled */
} Certain;

static TpCost
make_none (const char *reason)
{
  return (TpCost){ .time_ns = TP_COST_NONE, .reason = reason };
}

/* What a kernel of its own says of @device, before the graph does. */
static TpCost
find_kernel (const TpKey *key, const char *device)
{
  const char *reason;

  if (!tp_key_is_runnable (key, device, &reason))
    return make_none (reason);
  return (TpCost){ .time_ns = key->is_free ? 0 : TP_COST_OPEN };
}

/* In the order of importance: what the graph says goes. */
static TpCost
find_node (const Certain *certain, int node, int device)
{
  const TpNodeCost *given = tp_node_find_cost (
      &certain->graph->nodes[node], certain->costs->devices[device]);

  if (given != NULL)
    return (TpCost){ .time_ns = given->time_ns };
  return certain->kernels[certain->names->key_of[node]];
}

static TpCost
find_group (const Certain *certain, int group, int device)
{
  const TpGroup *its = &certain->groups->groups[group];
  const char *name = certain->costs->devices[device];
  int key = certain->names->key_of[certain->graph->n_nodes + group];

  if (its->is_claimed)
    return make_none (NULL);
  for (int i = 0; i < its->n_nodes; i++)
    if (tp_node_find_cost (&certain->graph->nodes[its->nodes[i]], name) != NULL
        || tp_costs_node (certain->costs, its->nodes[i], device)->time_ns
               == TP_COST_NONE)
      return make_none (NULL);
  return certain->kernels[key].time_ns == TP_COST_NONE
             ? make_none (NULL)
             : (TpCost){ .time_ns = TP_COST_OPEN };
}

static void
fill_rows (const Certain *certain, int device)
{
  TpCosts *costs = certain->costs;

  for (int i = 0; i < costs->n_nodes; i++)
    *tp_costs_node (costs, i, device) = find_node (certain, i, device);
  for (int i = 0; i < costs->n_groups; i++)
    *tp_costs_group (costs, i, device) = find_group (certain, i, device);
  /* of constants every session has its own copy, made once */
  for (int i = 0; i < costs->n_tensors && device != costs->host; i++)
    if (!tp_tensor_is_resident (&certain->graph->tensors[i]))
      {
        tp_costs_feed (costs, i, device)->time_ns = TP_COST_OPEN;
        tp_costs_fetch (costs, i, device)->time_ns = TP_COST_OPEN;
      }
  tp_costs_take_given (costs, certain->graph, certain->groups, device);
}

/* Ops first, on which groups depend. */
static void
fill_shared_rows (const Certain *certain, int device)
{
  TpCosts *costs = certain->costs;

  for (guint i = 0; i < certain->names->keys->len; i++)
    {
      int row = certain->first_of[i], group = row - costs->n_nodes;

      if (group < 0)
        *tp_costs_node (costs, row, device) = find_node (certain, row, device);
      else
        *tp_costs_group (costs, group, device)
            = find_group (certain, group, device);
    }
  if (device != costs->host)
    costs->feeds[device].time_ns = costs->fetches[device].time_ns
        = TP_COST_OPEN;
}

static void
fill_real (Certain *certain, int device)
{
  const TpArray *keys = certain->names->keys;
  g_autofree TpCost *kernels = tp_new (TpCost, (gsize) keys->len + 1);

  for (guint i = 0; i < keys->len; i++)
    kernels[i] = find_kernel (&tp_array_index (keys, TpKey, i),
                              certain->costs->devices[device]);
  certain->kernels = kernels;
  if (certain->first_of != NULL)
    fill_shared_rows (certain, device);
  else
    fill_rows (certain, device);
  certain->kernels = NULL;
}

static gboolean
fill_simulated (Certain *certain, int device, GError **error)
{
  const char *name = certain->costs->devices[device];
  g_autoptr (TpMachine) machine
      = tp_machine_parse (name + strcspn (name, ":") + 1, error);

  if (machine == NULL)
    return FALSE;
  tp_machine_fill_costs (machine, device, certain->works, certain->costs);
  return TRUE;
}

static gboolean
check_kinds (const char *const *devices, int *out_n_real, GError **error)
{
  for (int i = 0; devices[i] != NULL; i++)
    {
      const TpDeviceOps *kind = tp_device_find_kind (devices[i], error);

      if (kind == NULL)
        return FALSE;
      *out_n_real += !kind->is_simulated;
    }
  return TRUE;
}

/* Of simulated devices their figures tell, of others only a table. */
static gboolean *
list_claimed (const char *const *devices, int n, const gboolean *is_mapped)
{
  gboolean *claimed = tp_new0 (gboolean, n + 1);

  for (int i = 0; i < n; i++)
    claimed[i] = is_mapped[i] && !tp_device_is_simulated (devices[i]);
  return claimed;
}

/* ---- rows that are there once --------------------------------------------- */

/* Of real devices no copies are known: all tensors have one row, constants the other. */
static int *
share_copies (const TpOutline *outline, int n_tensors)
{
  int *rows = tp_new (int, n_tensors + 1);

  for (int i = 0; i < n_tensors; i++)
    rows[i] = outline->tensors[i].is_resident;
  return rows;
}

/* Where the graph gives nothing: what is alike costs the same. Else NULL. */
static TpCosts *
new_shared (const Certain *certain, int n)
{
  const TpGraph *graph = certain->graph;
  const TpNames *names = certain->names;
  const TpCostRows rows = { (int) names->keys->len, 0, 2 };
  const TpOutline *outline = tp_graph_get_outline (graph);
  g_autoptr (TpCosts) costs = NULL;

  if (outline->gives_times || outline->gives_copies)
    return NULL;
  costs = tp_costs_new_sized (n, certain->devices, &rows);
  costs->unit_rows = tp_memdup (names->key_of, names->n * sizeof (int));
  costs->copy_rows = share_copies (outline, graph->n_tensors);
  costs->n_nodes = graph->n_nodes;
  costs->n_groups = names->n - graph->n_nodes;
  costs->n_tensors = graph->n_tensors;
  return g_steal_pointer (&costs);
}

static int *
list_firsts (const TpNames *names)
{
  int *first_of = tp_new (int, names->keys->len + 1);

  for (int i = names->n - 1; i >= 0; i--)
    first_of[names->key_of[i]] = i;
  return first_of;
}

/* ---- all ------------------------------------------------------------------ */

static gboolean
fill (Certain *certain, GError **error)
{
  for (int i = 0; certain->devices[i] != NULL; i++)
    if (!tp_device_is_simulated (certain->devices[i]))
      fill_real (certain, i);
    else if (!fill_simulated (certain, i, error))
      return FALSE;
  return TRUE;
}

static TpCosts *
find (Certain *certain, GError **error)
{
  const TpGraph *graph = certain->graph;
  const char *const *devices = certain->devices;
  int n = (int) g_strv_length ((char **) devices);
  int n_real = 0;
  g_autoptr (TpNames) names = NULL;
  g_autoptr (TpWorks) works = NULL;
  g_autoptr (TpCosts) costs = NULL;
  g_autofree int *first_of = NULL;

  if (!check_kinds (devices, &n_real, error))
    return NULL;
  names = n_real > 0 ? tp_names_new (graph, certain->groups) : NULL;
  works = n_real < n ? tp_works_new (graph, certain->groups) : NULL;
  certain->names = names;
  certain->works = works;
  costs = certain->is_to_read && n_real == n ? new_shared (certain, n) : NULL;
  if (costs != NULL)
    certain->first_of = first_of = list_firsts (names);
  else
    costs = tp_costs_new (n, devices, graph, certain->groups);
  certain->costs = costs;
  costs->host = tp_lookup_find_host (devices, n);
  if (certain->is_mapped != NULL)
    costs->is_mapped = list_claimed (devices, n, certain->is_mapped);
  costs->kernels = n_real > 0 ? tp_names_number_kernels (names) : NULL;
  return fill (certain, error) ? g_steal_pointer (&costs) : NULL;
}

TpCosts *
tp_costs_find_certain (const TpGraph *graph, const TpGroups *groups,
                       const char *const *devices, const gboolean *is_mapped,
                       GError **error)
{
  Certain certain = { .graph = graph, .groups = groups, .devices = devices,
                      .is_mapped = is_mapped };

  return find (&certain, error);
}

TpCosts *
tp_costs_find_certain_to_read (const TpGraph *graph, const TpGroups *groups,
                               const char *const *devices,
                               const gboolean *is_mapped, GError **error)
{
  Certain certain = { .graph = graph, .groups = groups, .devices = devices,
                      .is_mapped = is_mapped, .is_to_read = TRUE };

  return find (&certain, error);
}
