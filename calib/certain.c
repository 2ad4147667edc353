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
  const TpKeys *keys;         /* NULL: all devices are simulated */
  const TpWorks *works;       /* NULL: none is */
  TpCosts *costs;
} Certain;

static TpCost
make_none (const char *reason)
{
  return (TpCost){ .time_ns = TP_COST_NONE, .reason = reason };
}

/* In the order of importance: what the graph says goes. */
static TpCost
find_node (const Certain *certain, int node, int device)
{
  const TpNodeCost *given = tp_node_find_cost (
      &certain->graph->nodes[node], certain->costs->devices[device]);
  const TpKey *key = &certain->keys->keys[node];
  const char *reason;

  if (given != NULL)
    return (TpCost){ .time_ns = given->time_ns };
  if (!tp_key_is_runnable (key, certain->costs->devices[device], &reason))
    return make_none (reason);
  return (TpCost){ .time_ns = key->is_free ? 0 : TP_COST_OPEN };
}

static TpCost
find_group (const Certain *certain, int group, int device)
{
  const TpKey *key = &certain->keys->keys[certain->graph->n_nodes + group];
  const char *name = certain->costs->devices[device], *reason;

  if (certain->groups->groups[group].is_claimed)
    return make_none (NULL);
  for (int i = 0; i < key->n_nodes; i++)
    if (tp_node_find_cost (&certain->graph->nodes[key->nodes[i]], name) != NULL
        || tp_costs_node (certain->costs, key->nodes[i], device)->time_ns
               == TP_COST_NONE)
      return make_none (NULL);
  return tp_key_is_runnable (key, name, &reason)
             ? (TpCost){ .time_ns = TP_COST_OPEN }
             : make_none (NULL);
}

/* Of constants every session has its own copy, made once. */
static void
open_copies (Certain *certain, int device)
{
  TpCosts *costs = certain->costs;

  for (int i = 0; i < costs->n_tensors && device != costs->host; i++)
    if (!tp_tensor_is_resident (&certain->graph->tensors[i]))
      {
        tp_costs_feed (costs, i, device)->time_ns = TP_COST_OPEN;
        tp_costs_fetch (costs, i, device)->time_ns = TP_COST_OPEN;
      }
}

static void
fill_real (Certain *certain, int device)
{
  TpCosts *costs = certain->costs;

  for (int i = 0; i < costs->n_nodes; i++)
    *tp_costs_node (costs, i, device) = find_node (certain, i, device);
  for (int i = 0; i < costs->n_groups; i++)
    *tp_costs_group (costs, i, device) = find_group (certain, i, device);
  open_copies (certain, device);
  tp_costs_take_given (costs, certain->graph, certain->groups, device);
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

TpCosts *
tp_costs_find_certain (const TpGraph *graph, const TpGroups *groups,
                       const char *const *devices, const gboolean *is_mapped,
                       GError **error)
{
  int n = (int) g_strv_length ((char **) devices);
  int n_real = 0;
  g_autoptr (TpKeys) keys = NULL;
  g_autoptr (TpWorks) works = NULL;
  g_autoptr (TpCosts) costs = NULL;
  Certain certain;

  if (!check_kinds (devices, &n_real, error))
    return NULL;
  keys = n_real > 0 ? tp_keys_new (graph, groups, FALSE) : NULL;
  works = n_real < n ? tp_works_new (graph, groups) : NULL;
  costs = tp_costs_new (n, devices, graph, groups);
  costs->host = tp_lookup_find_host (devices, n);
  if (is_mapped != NULL)
    costs->is_mapped = list_claimed (devices, n, is_mapped);
  costs->kernels = n_real > 0 ? tp_lookup_number_kernels (keys) : NULL;
  certain = (Certain){ graph, groups, keys, works, costs };
  for (int i = 0; i < n; i++)
    if (!tp_device_is_simulated (devices[i]))
      fill_real (&certain, i);
    else if (!fill_simulated (&certain, i, error))
      return NULL;
  return g_steal_pointer (&costs);
}
