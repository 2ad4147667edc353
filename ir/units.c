/* units.c: see units.h. */
#include "config.h"

#include "ir/units.h"

#include <string.h>

#include "ir/guard.h"

/* ---- groups ------------------------------------------------------------- */

typedef struct
{
  const TpGraph *graph;
  const TpNodeOutline *nodes;
  const int *makers;          /* those of the units */
  const int *places;
  int *group_of;              /* per node; -1: none */
} Placing;

static gboolean
check_group (const Placing *placing, const TpGroup *group, GError **error)
{
  int n_nodes = placing->graph->n_nodes;

  for (int i = 0; i < group->n_nodes; i++)
    {
      int node = group->nodes[i];

      if (node >= 0 && node < n_nodes && placing->group_of[node] < 0
          && (i == 0 || node > group->nodes[i - 1])
          && placing->places[node] == placing->places[group->nodes[0]])
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "plan: a group has op %d out of order, twice or on another "
                   "device; make the plan anew", node);
      return FALSE;
    }
  return TRUE;
}

static gboolean
assign_groups (const Placing *placing, const TpGroups *groups, GError **error)
{
  for (int i = 0; i < placing->graph->n_nodes; i++)
    placing->group_of[i] = -1;
  for (int i = 0; groups != NULL && i < groups->n_groups; i++)
    {
      const TpGroup *group = &groups->groups[i];

      if (!check_group (placing, group, error))
        return FALSE;
      for (int k = 0; k < group->n_nodes; k++)
        placing->group_of[group->nodes[k]] = i;
    }
  return TRUE;
}

/* ---- units -------------------------------------------------------------- */

/* Appends @tensor to those of @unit, if it has bytes for it to read or write. */
static void
add_tensor (const Placing *placing, TpPlacedUnit *unit, int tensor, int *n)
{
  int *tensors = (int *) unit->tensors;

  if (tensor < 0 || placing->makers[tensor] == TP_UNITS_CONSTANT)
    return;
  tensors[unit->n_read + unit->n_written] = tensor;
  (*n)++;
}

/* All that nodes of @unit read, but what others of it made. */
static void
add_reads (const Placing *placing, TpPlacedUnit *unit)
{
  int group = placing->group_of[unit->nodes[0]];

  for (int i = 0; i < unit->n_nodes; i++)
    {
      const TpNodeOutline *node = &placing->nodes[unit->nodes[i]];

      for (int k = 0; k < node->n_inputs; k++)
        {
          int maker = group < 0 || node->inputs[k] < 0
                          ? -1
                          : placing->makers[node->inputs[k]];

          if (maker < 0 || placing->group_of[maker] != group)
            add_tensor (placing, unit, node->inputs[k], &unit->n_read);
        }
    }
}

/* Only what the last node makes leaves a group. */
static void
add_writes (const Placing *placing, TpPlacedUnit *unit)
{
  const TpNodeOutline *last = &placing->nodes[unit->nodes[unit->n_nodes - 1]];

  for (int i = 0; i < last->n_outputs; i++)
    add_tensor (placing, unit, last->outputs[i], &unit->n_written);
}

static void
add_unit (const Placing *placing, TpUnits *units, const int *nodes,
          int n_nodes)
{
  TpPlacedUnit *unit = &units->units[units->n];
  int *its_nodes = units->nodes;

  *unit = (TpPlacedUnit){ .device = placing->places[nodes[0]],
                          .n_nodes = n_nodes,
                          .tensors = units->tensors };
  if (units->n > 0)
    {
      const TpPlacedUnit *before = unit - 1;

      its_nodes = (int *) before->nodes + before->n_nodes;
      unit->tensors = before->tensors + before->n_read + before->n_written;
    }
  memcpy (its_nodes, nodes, n_nodes * sizeof nodes[0]);
  unit->nodes = its_nodes;
  add_reads (placing, unit);
  add_writes (placing, unit);
  units->n++;
}

static void
add_units (const Placing *placing, const TpGroups *groups, TpUnits *units)
{
  for (int i = 0; i < placing->graph->n_nodes; i++)
    {
      const TpGroup *group = placing->group_of[i] < 0
                               ? NULL
                               : &groups->groups[placing->group_of[i]];

      if (placing->places[i] < 0)
        continue;
      if (group != NULL && group->nodes[group->n_nodes - 1] == i)
        add_unit (placing, units, group->nodes, group->n_nodes);
      if (group == NULL && !placing->nodes[i].is_view
          && !placing->nodes[i].is_stream)
        add_unit (placing, units, &i, 1);
    }
}

static void
look_at_tensors (TpUnits *units, const TpGraph *graph)
{
  units->makers = tp_new (int, graph->n_tensors + 1);
  units->are_resident = tp_new (guint8, graph->n_tensors + 1);
  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensorOutline *it = &units->outline->tensors[i];

      units->makers[i] = it->is_constant    ? TP_UNITS_CONSTANT
                         : it->producer < 0 ? TP_UNITS_INPUT
                                            : it->producer;
      units->are_resident[i] = it->is_resident;
    }
}

TpUnits *
tp_units_new_empty (const TpGraph *graph)
{
  g_autoptr (TpUnits) units = g_new0 (TpUnits, 1);
  gsize n_tensors = 0;

  units->outline = tp_graph_get_outline (graph);
  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpNodeOutline *it = &units->outline->nodes[i];

      n_tensors += (gsize) it->n_inputs + (gsize) it->n_outputs;
      units->has_streams |= it->is_stream;
    }
  look_at_tensors (units, graph);
  units->units = tp_new (TpPlacedUnit, graph->n_nodes + 1);
  units->nodes = tp_new (int, graph->n_nodes + 1);
  units->tensors = tp_new (int, n_tensors + 1);
  return g_steal_pointer (&units);
}

gboolean
tp_units_set (TpUnits *units, const TpGraph *graph, const TpPlaced *placed,
              TpScratch *scratch, GError **error)
{
  const Placing placing
      = { graph, units->outline->nodes, units->makers, placed->places,
          tp_scratch_new (scratch, int, graph->n_nodes + 1) };

  units->n = 0;
  if (!assign_groups (&placing, placed->groups, error))
    return FALSE;
  add_units (&placing, placed->groups, units);
  return TRUE;
}

TpUnits *
tp_units_new (const TpGraph *graph, const int *places, const TpGroups *groups,
              GError **error)
{
  const TpPlaced placed = { .places = places, .groups = groups };
  g_auto (TpScratch) scratch = { 0 };
  g_autoptr (TpUnits) units = tp_units_new_empty (graph);

  return tp_units_set (units, graph, &placed, &scratch, error)
             ? g_steal_pointer (&units)
             : NULL;
}

void
tp_units_free (TpUnits *units)
{
  g_free (units->units);
  g_free (units->nodes);
  g_free (units->tensors);
  g_free (units->makers);
  g_free (units->are_resident);
  g_free (units);
}
