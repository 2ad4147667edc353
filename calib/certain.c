/* certain.c: see certain.h.
 *
 * A plan carries the figures it was made from, and proves things about those.
 * What they should be is for the cost table to say, which few who check a plan
 * have; but much of it follows without. */
#include "config.h"

#include "calib/certain.h"

#include "calib/lookup.h"
#include "ir/guard.h"
#include "machine/machine-costs.h"
#include "runtime/device.h"
#include "runtime/devices.h"

#include <string.h>

typedef struct
{
  const TpGraph *graph;
  const TpGroups *groups;
  const TpNames *names;       /* NULL: all devices are simulated */
  const TpWorks *works;       /* NULL: none is */
  TpCosts *costs;
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

/* Of constants every session has its own copy, made once. */
static void
open_copies (Certain *certain, int device)
{
  TpCosts *costs = certain->costs;

  for (int i = 0; i < costs->n_tensors && device != costs->host; i++)
    if ((costs->copy_rows == NULL || costs->copy_rows[i] == i)
        && !tp_tensor_is_resident (&certain->graph->tensors[i]))
      {
        tp_costs_feed (costs, i, device)->time_ns = TP_COST_OPEN;
        tp_costs_fetch (costs, i, device)->time_ns = TP_COST_OPEN;
      }
}

static void
fill_real (Certain *certain, int device)
{
  TpCosts *costs = certain->costs;
  const TpArray *keys = certain->names->keys;
  g_autofree TpCost *kernels = tp_new (TpCost, (gsize) keys->len + 1);

  for (guint i = 0; i < keys->len; i++)
    kernels[i] = find_kernel (&tp_array_index (keys, TpKey, i),
                              costs->devices[device]);
  certain->kernels = kernels;
  for (int i = 0; i < costs->n_nodes; i++)
    *tp_costs_node (costs, i, device) = find_node (certain, i, device);
  for (int i = 0; i < costs->n_groups; i++)
    *tp_costs_group (costs, i, device) = find_group (certain, i, device);
  open_copies (certain, device);
  tp_costs_take_given (costs, certain->graph, certain->groups, device);
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

/* Of real devices no copies are known but those that the graph gives: all others have
 * one row, or one of constants. */
static int *
share_copies (const TpGraph *graph)
{
  int *rows = tp_new (int, graph->n_tensors + 1);
  int firsts[2] = { -1, -1 };

  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensor *tensor = &graph->tensors[i];
      int *first = &firsts[tp_tensor_is_resident (tensor) ? 1 : 0];

      rows[i] = i;
      if (tensor->n_copies > 0)
        continue;
      if (*first < 0)
        *first = i;
      rows[i] = *first;
    }
  return rows;
}

/* The tables have room for all rows. */
static void
part_copies (TpCosts *costs)
{
  g_autofree int *rows = g_steal_pointer (&costs->copy_rows);
  gsize n = (gsize) costs->n_devices;

  for (int i = 0; rows != NULL && i < costs->n_tensors; i++)
    if (rows[i] != i)
      {
        memcpy (&costs->feeds[i * n], &costs->feeds[rows[i] * n],
                n * sizeof (TpCost));
        memcpy (&costs->fetches[i * n], &costs->fetches[rows[i] * n],
                n * sizeof (TpCost));
      }
}

TpCosts *
tp_costs_find_certain_to_read (const TpGraph *graph, const TpGroups *groups,
                               const char *const *devices,
                               const gboolean *is_mapped, GError **error)
{
  int n = (int) g_strv_length ((char **) devices);
  int n_real = 0;
  g_autoptr (TpNames) names = NULL;
  g_autoptr (TpWorks) works = NULL;
  g_autoptr (TpCosts) costs = NULL;
  Certain certain;

  if (!check_kinds (devices, &n_real, error))
    return NULL;
  names = n_real > 0 ? tp_names_new (graph, groups) : NULL;
  works = n_real < n ? tp_works_new (graph, groups) : NULL;
  costs = tp_costs_new (n, devices, graph, groups);
  costs->host = tp_lookup_find_host (devices, n);
  if (is_mapped != NULL)
    costs->is_mapped = list_claimed (devices, n, is_mapped);
  costs->kernels = n_real > 0 ? tp_names_number_kernels (names) : NULL;
  if (n_real == n)
    costs->copy_rows = share_copies (graph);
  certain = (Certain){ graph, groups, names, works, costs, NULL };
  for (int i = 0; i < n; i++)
    if (!tp_device_is_simulated (devices[i]))
      fill_real (&certain, i);
    else if (!fill_simulated (&certain, i, error))
      return NULL;
  return g_steal_pointer (&costs);
}

TpCosts *
tp_costs_find_certain (const TpGraph *graph, const TpGroups *groups,
                       const char *const *devices, const gboolean *is_mapped,
                       GError **error)
{
  g_autoptr (TpCosts) costs = tp_costs_find_certain_to_read (
      graph, groups, devices, is_mapped, error);

  if (costs != NULL)
    part_copies (costs);
  return g_steal_pointer (&costs);
}
