/* session-units.c: what runs where: the devices of a plan, and its nodes made
 * into units in the order they run. */
#include "config.h"

#include "nest/nest.h"
#include "ops/lower.h"
#include "runtime/session-private.h"

#include <string.h>

static gboolean
check_placements (const TpSession *session, int *device_of, GError **error)
{
  const TpPlan *plan = session->plan;
  int n_nodes = session->graph->n_nodes;

  if (plan->n_placements != n_nodes)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "plan: places %d ops, graph '%s' has %d; make the plan anew",
                   plan->n_placements, session->graph->name, n_nodes);
      return FALSE;
    }
  for (int i = 0; i < n_nodes; i++)
    device_of[i] = -1;
  for (int i = 0; i < n_nodes; i++)
    {
      const TpPlacement *place = &plan->placements[i];

      if (place->node < 0 || place->node >= n_nodes || place->device < 0
          || place->device >= session->n_devices
          || device_of[place->node] >= 0)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                       "plan: placement %d puts op %d on device %d, which "
                       "cannot be; make the plan anew", i, place->node,
                       place->device);
          return FALSE;
        }
      device_of[place->node] = place->device;
    }
  return TRUE;
}

static gboolean
is_view (const TpGraph *graph, int node)
{
  const TpOp *op = graph->nodes[node].op;

  return op != NULL && op->kind == TP_OP_VIEW;
}

/* Only those that run something; the cpu too where it does not. */
gboolean
tp_session_open_devices (TpSession *session, const TpDeviceOptions *options,
                         GError **error)
{
  g_autofree int *device_of = g_new (int, session->graph->n_nodes + 1);

  if (!check_placements (session, device_of, error))
    return FALSE;
  for (int i = 0; i < session->graph->n_nodes; i++)
    {
      TpSessionDevice *there = &session->devices[device_of[i]];
      TpDeviceOptions its
          = options != NULL ? *options : (TpDeviceOptions){ 0 };

      its.is_guest = device_of[i] != session->host;
      if (there->device != NULL || is_view (session->graph, i))
        continue;
      there->device = tp_device_open (session->plan->devices[device_of[i]],
                                      &its, error);
      if (there->device == NULL)
        return FALSE;
      there->device->ops->describe (there->device, &there->info);
      session->is_simulated |= there->info.is_simulated;
    }
  return TRUE;
}

/* ---- units -------------------------------------------------------------- */

static gboolean
check_group (const TpSession *session, const TpGroup *group,
             const int *device_of, const int *group_of, GError **error)
{
  int n_nodes = session->graph->n_nodes;

  for (int i = 0; i < group->n_nodes; i++)
    {
      int node = group->nodes[i];

      if (node >= 0 && node < n_nodes && group_of[node] < 0
          && (i == 0 || node > group->nodes[i - 1])
          && device_of[node] == device_of[group->nodes[0]])
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "plan: a group has op %d out of order, twice or on another "
                   "device; make the plan anew", node);
      return FALSE;
    }
  return TRUE;
}

/* The group of each node; devices that run nodes break groups up. */
static gboolean
assign_groups (const TpSession *session, const int *device_of, int *group_of,
               GError **error)
{
  const TpGroups *groups = session->plan->groups;

  for (int i = 0; i < session->graph->n_nodes; i++)
    group_of[i] = -1;
  for (int i = 0; groups != NULL && i < groups->n_groups; i++)
    {
      const TpGroup *group = &groups->groups[i];

      if (!check_group (session, group, device_of, group_of, error))
        return FALSE;
      for (int j = 0; j < group->n_nodes; j++)
        if (!session->devices[device_of[group->nodes[j]]].info.runs_nodes)
          group_of[group->nodes[j]] = i;
    }
  return TRUE;
}

static void
take_operands_of_node (const TpGraph *graph, TpSessionUnit *unit)
{
  const TpNode *node = &graph->nodes[unit->nodes[0]];

  unit->n_operands = node->n_inputs + node->n_outputs;
  unit->tensors = g_new (int, unit->n_operands);
  unit->is_output = g_new0 (gboolean, unit->n_operands);
  for (int i = 0; i < unit->n_operands; i++)
    {
      unit->is_output[i] = i >= node->n_inputs;
      unit->tensors[i] = i < node->n_inputs
                           ? node->inputs[i]
                           : node->outputs[i - node->n_inputs];
    }
}

static gboolean
take_operands_of_lowered (const TpGraph *graph, TpSessionUnit *unit,
                          GError **error)
{
  unit->lowered = tp_lower_nodes (graph, unit->nodes, unit->n_nodes, error);
  if (unit->lowered == NULL)
    return FALSE;
  unit->n_operands = unit->lowered->n_operands;
  unit->tensors = g_new (int, unit->n_operands);
  unit->is_output = g_new0 (gboolean, unit->n_operands);
  for (int i = 0; i < unit->n_operands; i++)
    {
      unit->tensors[i] = unit->lowered->operands[i].tensor;
      unit->is_output[i] = unit->lowered->operands[i].is_output;
    }
  return TRUE;
}

static gboolean
add_unit (TpSession *session, int device, const int *nodes, int n_nodes,
          GError **error)
{
  TpSessionUnit unit = { .device = device, .n_nodes = n_nodes };
  gboolean is_good = TRUE;

  unit.nodes = g_memdup2 (nodes, n_nodes * sizeof nodes[0]);
  if (session->devices[device].info.runs_nodes)
    take_operands_of_node (session->graph, &unit);
  else
    is_good = take_operands_of_lowered (session->graph, &unit, error);
  g_array_append_val (session->units, unit); /* freed with the session */
  return is_good;
}

gboolean
tp_session_make_units (TpSession *session, GError **error)
{
  int n_nodes = session->graph->n_nodes;
  g_autofree int *device_of = g_new (int, n_nodes + 1);
  g_autofree int *group_of = g_new (int, n_nodes + 1);

  if (!check_placements (session, device_of, error)
      || !assign_groups (session, device_of, group_of, error))
    return FALSE;
  for (int i = 0; i < n_nodes; i++)
    {
      const TpGroup *group
          = group_of[i] >= 0 ? &session->plan->groups->groups[group_of[i]]
                             : NULL;

      if (group == NULL && is_view (session->graph, i))
        continue;
      if (group == NULL)
        {
          if (!add_unit (session, device_of[i], &i, 1, error))
            return FALSE;
        }
      else if (group->nodes[group->n_nodes - 1] == i
               && !add_unit (session, device_of[i], group->nodes,
                             group->n_nodes, error))
        return FALSE;
    }
  return TRUE;
}
