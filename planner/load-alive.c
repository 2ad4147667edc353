/* load-alive.c: see load-alive.h. */
#include "config.h"

#include "planner/load-alive.h"

#include "ir/guard.h"
#include "ir/pools.h"

#include <string.h>

#define STEPS 16              /* steps that are looked at count as one tensor */

static const int *
get_readers (const TpLimitHeld *held, const TpLimitHolding *it)
{
  return (const int *) (void *) held->readers->data + it->first;
}

/* ---- what ops make and read --------------------------------------------------- */

static void
count_tensor (TpLoadAlive *alive, int op, int tensor)
{
  alive->firsts[op + 1]++;
}

/* Filled from the back, so that what is counted from comes out right. */
static void
take_tensor (TpLoadAlive *alive, int op, int tensor)
{
  alive->tensors[--alive->firsts[op + 1]] = tensor;
}

static void
visit_tensors (TpLoadAlive *alive,
               void (*visit) (TpLoadAlive *alive, int op, int tensor))
{
  const TpLimitHeld *held = alive->held;

  for (int i = 0; i < held->problem->graph->n_tensors; i++)
    {
      const TpLimitHolding *it = &held->items[i];

      if (it->size_bytes == 0)
        continue;
      if (it->maker >= 0)
        visit (alive, it->maker, i);
      for (int k = 0; k < it->n; k++)
        visit (alive, get_readers (held, it)[k], i);
    }
}

static void
list_tensors (TpLoadAlive *alive)
{
  int n = alive->held->problem->graph->n_nodes, all;

  alive->firsts = tp_new0 (int, (gsize) n + 2);
  visit_tensors (alive, count_tensor);
  for (int i = 0; i < n; i++)
    alive->firsts[i + 1] += alive->firsts[i];
  all = alive->firsts[n];
  alive->tensors = tp_new (int, (gsize) all + 1);
  visit_tensors (alive, take_tensor);
  memmove (alive->firsts, alive->firsts + 1, (gsize) n * sizeof (int));
  alive->firsts[n] = all;
}

/* ---- one tensor ----------------------------------------------------------------- */

/* From where it is made to where it is read last; a constant always. What a group keeps to
 * itself is nowhere. */
static TpLoadSpan
find_span (const TpLoadAlive *alive, const TpLimitHolding *it, int device)
{
  const int *readers = get_readers (alive->held, it);
  int first = it->maker < 0 ? 0 : alive->places[it->maker];
  int last = it->maker >= 0 && alive->devices[it->maker] == device ? first : -1;

  if (it->maker >= 0 && alive->places[it->maker] != it->maker)
    return (TpLoadSpan){ -1, -1 };
  for (int i = 0; i < it->n; i++)
    if (alive->devices[readers[i]] == device)
      last = MAX (last, alive->places[readers[i]]);
  if (last < 0)
    return (TpLoadSpan){ -1, -1 };
  return it->is_constant
             ? (TpLoadSpan){ 0, alive->held->problem->graph->n_nodes - 1 }
             : (TpLoadSpan){ first, last };
}

static void
add_span (TpLoadAlive *alive, int device, TpLoadSpan span, double bytes)
{
  gsize n = (gsize) alive->held->problem->graph->n_nodes + 1;

  if (span.first < 0)
    return;
  alive->changes[(gsize) device * n + (gsize) span.first] += bytes;
  alive->changes[(gsize) device * n + (gsize) span.last + 1] -= bytes;
  alive->most[device] = -1;
}

static void
update (TpLoadAlive *alive, int tensor)
{
  const TpLimitHeld *held = alive->held;
  const TpLimitHolding *it = &held->items[tensor];
  int n = held->problem->n_devices;

  for (int d = 0; d < n; d++)
    {
      TpLoadSpan *before = &alive->spans[(gsize) tensor * (gsize) n + (gsize) d];
      TpLoadSpan after = find_span (alive, it, d);

      if (tp_limit_held_is_kept (held, it, d)
          || (after.first == before->first && after.last == before->last))
        continue;
      add_span (alive, d, *before, -(double) it->size_bytes);
      add_span (alive, d, after, (double) it->size_bytes);
      *before = after;
    }
}

/* ---- what is to be looked at again ------------------------------------------------ */

static void
add_stale (TpLoadAlive *alive, int op)
{
  for (int i = alive->firsts[op]; i < alive->firsts[op + 1]; i++)
    {
      int tensor = alive->tensors[i];

      if (alive->is_stale[tensor])
        continue;
      alive->is_stale[tensor] = TRUE;
      tp_array_append_val (alive->stale, tensor);
    }
}

/* Ops of a group in effect run where it ends. */
static void
place_group (TpLoadAlive *alive, int index)
{
  const TpProblem *problem = alive->held->problem;
  const TpGroup *group = &problem->groups->groups[index];
  gboolean is_one = !group->is_claimed
                    && tp_problem_find_fused (problem, index, alive->devices) >= 0;

  for (int k = 0; k < group->n_nodes; k++)
    {
      int op = group->nodes[k];
      int place = is_one ? group->nodes[group->n_nodes - 1] : op;

      if (alive->places[op] != place)
        add_stale (alive, op);
      alive->places[op] = place;
    }
}

static void
move_all (TpLoadAlive *alive, const guint8 *devices)
{
  const TpLimitHeld *held = alive->held;
  int n = held->problem->graph->n_nodes;
  g_autofree guint8 *before = NULL;

  if (memcmp (alive->devices, devices, (gsize) n) == 0)
    return;
  before = tp_memdup (alive->devices, (gsize) n + 1);
  memcpy (alive->devices, devices, (gsize) n);
  for (int i = 0; i < n; i++)
    if (before[i] != devices[i])
      {
        add_stale (alive, i);
        if (held->group_of[i] >= 0)
          place_group (alive, held->group_of[i]);
      }
}

/* ---- all ---------------------------------------------------------------------------- */

void
tp_load_alive_init (TpLoadAlive *alive, const TpLimitHeld *held)
{
  gsize n = (gsize) held->problem->graph->n_nodes + 1;
  gsize n_tensors = (gsize) held->problem->graph->n_tensors + 1;
  gsize n_devices = (gsize) held->problem->n_devices;

  *alive = (TpLoadAlive){ .held = held };
  alive->devices = tp_new0 (guint8, n);
  alive->places = tp_new (int, n);
  alive->spans = tp_new (TpLoadSpan, n_tensors * n_devices);
  alive->changes = tp_new0 (double, n * n_devices);
  alive->most = tp_new0 (double, n_devices);
  alive->is_stale = tp_new0 (guint8, n_tensors);
  alive->stale = tp_array_new (sizeof (int));
  list_tensors (alive);
  memset (alive->spans, -1, sizeof (TpLoadSpan) * n_tensors * n_devices);
  for (int i = 0; i < held->problem->graph->n_nodes; i++)
    {
      alive->places[i] = i;
      add_stale (alive, i);
    }
  for (int g = 0; g < held->problem->costs->n_groups; g++)
    place_group (alive, g);
}

void
tp_load_alive_clear (TpLoadAlive *alive)
{
  g_clear_pointer (&alive->devices, g_free);
  g_clear_pointer (&alive->places, g_free);
  g_clear_pointer (&alive->spans, g_free);
  g_clear_pointer (&alive->changes, g_free);
  g_clear_pointer (&alive->most, g_free);
  g_clear_pointer (&alive->firsts, g_free);
  g_clear_pointer (&alive->tensors, g_free);
  g_clear_pointer (&alive->is_stale, g_free);
  g_clear_pointer (&alive->stale, tp_array_unref);
}

static double
find_most (TpLoadAlive *alive, int device)
{
  int n = alive->held->problem->graph->n_nodes;
  const double *changes = &alive->changes[(gsize) device * ((gsize) n + 1)];
  double sum = 0, most = 0;

  alive->n_met += 1 + n / STEPS;
  for (int i = 0; i < n; i++)
    {
      sum += changes[i];
      most = MAX (most, sum);
    }
  return most;
}

void
tp_load_alive_measure (TpLoadAlive *alive, const guint8 *devices, double *taken)
{
  const TpProblem *problem = alive->held->problem;

  move_all (alive, devices);
  for (guint i = 0; i < alive->stale->len; i++)
    {
      int tensor = tp_array_index (alive->stale, int, i);

      alive->is_stale[tensor] = FALSE;
      update (alive, tensor);
    }
  alive->n_met += alive->stale->len;
  tp_array_set_size (alive->stale, 0);
  for (int d = 0; d < problem->n_devices; d++)
    {
      gint64 limit = tp_pools_get_limit (problem->costs, problem->limits, d);

      if (limit <= 0 || limit >= alive->held->all_bytes)
        {
          taken[d] = 0;
          continue;
        }
      if (alive->most[d] < 0)
        alive->most[d] = find_most (alive, d);
      taken[d] = alive->most[d] / (double) limit;
    }
}
