/* between.c: see between.h. */
#include "config.h"

#include "planner/between.h"

#include "ir/array.h"
#include "ir/guard.h"

#include <string.h>

#define NO_GROUP (-1)

/* A group of both: its number at each end, or NO_GROUP. */
typedef struct
{
  int at[2];
} Common;

void
tp_between_clear (TpBetween *between)
{
  tp_lines_clear (&between->lines);
  g_clear_pointer (&between->groups, tp_groups_free);
}

/* ---- whether both are of the same ops ------------------------------------- */

static gboolean
are_same_ints (const int *a, int n_a, const int *b, int n_b)
{
  return n_a == n_b && (n_a == 0 || memcmp (a, b, n_a * sizeof *a) == 0);
}

static gboolean
are_same_tensors (const TpTensor *a, const TpTensor *b)
{
  return a->producer == b->producer && !a->is_output == !b->is_output
         && tp_tensor_is_resident (a) == tp_tensor_is_resident (b)
         && are_same_ints (a->consumers, a->n_consumers, b->consumers,
                           b->n_consumers);
}

static gboolean
are_same_graphs (const TpGraph *a, const TpGraph *b)
{
  if (a->n_nodes != b->n_nodes || a->n_tensors != b->n_tensors)
    return FALSE;
  for (int i = 0; i < a->n_nodes; i++)
    if (strcmp (a->nodes[i].type, b->nodes[i].type) != 0
        || !are_same_ints (a->nodes[i].outputs, a->nodes[i].n_outputs,
                           b->nodes[i].outputs, b->nodes[i].n_outputs))
      return FALSE;
  for (int i = 0; i < a->n_tensors; i++)
    if (!are_same_tensors (&a->tensors[i], &b->tensors[i]))
      return FALSE;
  return TRUE;
}

static gboolean
can_same (const TpCosts *a, const TpCosts *b)
{
  for (int i = 0; i < a->n_nodes; i++)
    for (int d = 0; d < a->n_devices; d++)
      if ((tp_costs_node (a, i, d)->time_ns == TP_COST_NONE)
          != (tp_costs_node (b, i, d)->time_ns == TP_COST_NONE))
        return FALSE;
  return TRUE;
}

/* ---- groups of both ------------------------------------------------------- */

/* [node]: its group, or NO_GROUP. */
static int *
list_owners (const TpBetweenEnd *end)
{
  int n = end->graph->n_nodes;
  int *owners = tp_new (int, (gsize) n + 1);

  for (int i = 0; i < n; i++)
    owners[i] = NO_GROUP;
  for (int i = 0; i < end->groups->n_groups; i++)
    for (int k = 0; k < end->groups->groups[i].n_nodes; k++)
      owners[end->groups->groups[i].nodes[k]] = i;
  return owners;
}

/* The one of @others that is @group, or NO_GROUP; FALSE: it shares ops with one that is
 * not. */
static gboolean
find_twin (const TpGroup *group, const TpBetweenEnd *other, const int *owners,
           int *out)
{
  const TpGroup *twin;

  *out = owners[group->nodes[0]];
  for (int k = 0; k < group->n_nodes; k++)
    if (owners[group->nodes[k]] != *out)
      return FALSE;
  twin = *out == NO_GROUP ? group : &other->groups->groups[*out];
  return are_same_ints (group->nodes, group->n_nodes, twin->nodes,
                        twin->n_nodes);
}

/* Those of end @index, with what they are at the other; of @index 1 only those that the
 * first has not. */
static gboolean
add_groups (TpBetween *between, const TpBetweenEnd *const *ends, int index,
            TpArray *commons)
{
  const TpBetweenEnd *end = ends[index], *other = ends[!index];
  g_autofree int *owners = list_owners (other);

  for (int i = 0; i < end->groups->n_groups; i++)
    {
      const TpGroup *group = &end->groups->groups[i];
      Common common;

      common.at[index] = i;
      if (!find_twin (group, other, owners, &common.at[!index]))
        return FALSE;
      if (index == 1 && common.at[0] != NO_GROUP)
        continue;
      tp_groups_add_copy (between->groups, group);
      tp_array_append_val (commons, common);
    }
  return TRUE;
}

/* ---- lines ---------------------------------------------------------------- */

static void
draw_line (TpLines *lines, TpCostsGet get, int row, int device,
           const gint64 *times_ns)
{
  get (lines->fixed, row, device)->time_ns = times_ns[0];
  get (lines->scaled, row, device)->time_ns = times_ns[1] - times_ns[0];
}

static void
draw_lines (TpLines *lines, const TpBetweenEnd *const *ends, TpCostsGet get,
            int n_rows)
{
  for (int i = 0; i < n_rows; i++)
    for (int d = 0; d < ends[0]->costs->n_devices; d++)
      {
        const gint64 times_ns[] = { get (ends[0]->costs, i, d)->time_ns,
                                    get (ends[1]->costs, i, d)->time_ns };

        if (times_ns[0] != TP_COST_NONE)
          draw_line (lines, get, i, d, times_ns);
      }
}

/* TP_COST_NONE: not as one. */
static gint64
get_whole (const TpBetweenEnd *end, int group, int device)
{
  return group == NO_GROUP ? TP_COST_NONE
                           : tp_costs_group (end->costs, group, device)->time_ns;
}

/* TP_COST_NONE: one of them cannot be there. */
static gint64
sum_apart (const TpBetweenEnd *end, const TpGroup *group, int device)
{
  gint64 sum = 0;

  for (int k = 0; k < group->n_nodes; k++)
    {
      const TpCost *cost = tp_costs_node (end->costs, group->nodes[k], device);

      if (cost->time_ns == TP_COST_NONE
          || __builtin_add_overflow (sum, cost->time_ns, &sum))
        return TP_COST_NONE;
    }
  return sum;
}

static void
draw_group (TpBetween *between, const TpBetweenEnd *const *ends, int index,
            const Common *common)
{
  const TpGroup *group = &between->groups->groups[index];

  for (int d = 0; d < ends[0]->costs->n_devices; d++)
    {
      gint64 times_ns[2];
      gboolean is_whole = FALSE, can_be = TRUE;

      for (int k = 0; k < 2; k++)
        {
          gint64 apart_ns = sum_apart (ends[k], group, d);

          times_ns[k] = get_whole (ends[k], common->at[k], d);
          is_whole = is_whole || times_ns[k] != TP_COST_NONE;
          can_be = can_be && apart_ns != TP_COST_NONE;
          if (times_ns[k] == TP_COST_NONE)
            times_ns[k] = apart_ns;
        }
      if (is_whole && can_be)
        draw_line (&between->lines, tp_costs_group, index, d, times_ns);
    }
}

const char *
tp_between_init (TpBetween *between, const TpBetweenEnd *low,
                 const TpBetweenEnd *high)
{
  const TpBetweenEnd *const ends[] = { low, high };
  g_autoptr (TpArray) commons = tp_array_new (sizeof (Common));
  TpLines *lines = &between->lines;

  if (!are_same_graphs (low->graph, high->graph))
    return "its ops are not the same";
  if (!can_same (low->costs, high->costs))
    return "a device cannot run the same ops";
  between->groups = tp_groups_new ();
  if (!add_groups (between, ends, 0, commons)
      || !add_groups (between, ends, 1, commons))
    return "other ops run as one kernel";
  lines->graph = low->graph;
  lines->groups = between->groups;
  lines->objective = "time";
  tp_lines_init_times (lines, low->costs);
  draw_lines (lines, ends, tp_costs_node, low->graph->n_nodes);
  draw_lines (lines, ends, tp_costs_feed, low->graph->n_tensors);
  draw_lines (lines, ends, tp_costs_fetch, low->graph->n_tensors);
  for (guint i = 0; i < commons->len; i++)
    draw_group (between, ends, (int) i,
                &tp_array_index (commons, Common, i));
  return NULL;
}
