/* check-readings.c: what the rules make, read in one order and in the other.
 *
 * docs/planner.md, "Two readings". A bundle is walked through from its least op: from
 * each op to all groups that have it, and on to their ops. */
#include "config.h"

#include "planner/check/check-readings.h"

#include "ir/guard.h"
#include "planner/check/check-fusion.h"

#include <string.h>

/* ---- bundles ------------------------------------------------------------- */

static void
list_members (TpCheckerBundles *bundles)
{
  const TpGroups *family = bundles->family;
  int n_ops = bundles->n_ops;
  int *at = bundles->at = tp_new0 (int, (gsize) n_ops + 2);

  for (int i = 0; i < family->n_groups; i++)
    for (int k = 0; k < family->groups[i].n_nodes; k++)
      at[family->groups[i].nodes[k] + 2]++;
  for (int i = 2; i <= n_ops + 1; i++)
    at[i] += at[i - 1];
  bundles->members = tp_new (int, (gsize) at[n_ops + 1] + 1);
  for (int i = 0; i < family->n_groups; i++)
    for (int k = 0; k < family->groups[i].n_nodes; k++)
      bundles->members[at[family->groups[i].nodes[k] + 1]++] = i;
}

/* Calls all that hang together with @op by its name. @queue: room for all ops. */
static void
walk (TpCheckerBundles *bundles, int op, int *queue)
{
  int n = 1;

  queue[0] = op;
  bundles->bundle_of[op] = op;
  for (int i = 0; i < n; i++)
    for (int m = bundles->at[queue[i]]; m < bundles->at[queue[i] + 1]; m++)
      {
        const TpGroup *group = &bundles->family->groups[bundles->members[m]];

        for (int k = 0; k < group->n_nodes; k++)
          if (bundles->bundle_of[group->nodes[k]] < 0)
            {
              bundles->bundle_of[group->nodes[k]] = op;
              queue[n++] = group->nodes[k];
            }
      }
}

void
tp_checker_bundles_init (TpCheckerBundles *bundles, const TpGroups *family, int n_ops)
{
  g_autofree int *queue = tp_new (int, (gsize) n_ops + 1);

  *bundles = (TpCheckerBundles){ .family = family, .n_ops = n_ops };
  bundles->bundle_of = tp_new (int, (gsize) n_ops + 1);
  memset (bundles->bundle_of, -1, (gsize) n_ops * sizeof (int));
  list_members (bundles);
  for (int i = 0; i < n_ops; i++)
    if (bundles->bundle_of[i] < 0)
      walk (bundles, i, queue);
}

void
tp_checker_bundles_clear (TpCheckerBundles *bundles)
{
  g_clear_pointer (&bundles->at, g_free);
  g_clear_pointer (&bundles->members, g_free);
  g_clear_pointer (&bundles->bundle_of, g_free);
}

int
tp_checker_bundles_get (const TpCheckerBundles *bundles, const TpGroup *group)
{
  return bundles->bundle_of[group->nodes[0]];
}

static gboolean
have_same_ops (const TpGroup *a, const TpGroup *b)
{
  return a->n_nodes == b->n_nodes
         && memcmp (a->nodes, b->nodes, (gsize) a->n_nodes * sizeof (int)) == 0;
}

gboolean
tp_checker_bundles_have_first (const TpCheckerBundles *bundles, const TpGroup *group)
{
  int op = group->nodes[0];

  if (op >= bundles->n_ops)
    return FALSE;
  for (int m = bundles->at[op]; m < bundles->at[op + 1]; m++)
    {
      const TpGroup *it = &bundles->family->groups[bundles->members[m]];

      if (!it->is_second && have_same_ops (it, group))
        return TRUE;
    }
  return FALSE;
}

/* ---- both readings ------------------------------------------------------- */

/* [bundle]: whether it has an op of @is_torn and something new. */
static gboolean *
find_counting (const TpCheckerBundles *bundles, const gboolean *is_torn)
{
  const TpGroups *all = bundles->family;
  gsize n_ops = (gsize) bundles->n_ops;
  g_autofree gboolean *has_torn = tp_new0 (gboolean, n_ops + 1);
  g_autofree gboolean *counts = tp_new0 (gboolean, n_ops + 1);

  for (gsize i = 0; i < n_ops; i++)
    if (is_torn[i])
      has_torn[bundles->bundle_of[i]] = TRUE;
  for (int i = 0; i < all->n_groups; i++)
    {
      const TpGroup *group = &all->groups[i];
      int bundle = tp_checker_bundles_get (bundles, group);

      if (group->is_second && has_torn[bundle] && !counts[bundle])
        counts[bundle] = !tp_checker_bundles_have_first (bundles, group);
    }
  return g_steal_pointer (&counts);
}

/* Without those of the second reading that do not count. */
static TpGroups *
pick (const TpGroups *all, const gboolean *is_torn, int n_ops)
{
  g_autoptr (TpGroups) family = tp_groups_new ();
  g_auto (TpCheckerBundles) bundles = { NULL };
  g_autofree gboolean *counts = NULL;

  tp_checker_bundles_init (&bundles, all, n_ops);
  counts = find_counting (&bundles, is_torn);
  for (int i = 0; i < all->n_groups; i++)
    if (!all->groups[i].is_second
        || counts[tp_checker_bundles_get (&bundles, &all->groups[i])])
      tp_groups_add_copy (family, &all->groups[i]);
  return g_steal_pointer (&family);
}

TpGroups *
tp_checker_find_groups (const TpGraph *graph, const char *const *left_out,
                        const char *const *devices)
{
  g_auto (TpCheckerReadings) readings = { NULL };
  g_autoptr (TpGroups) family = NULL;

  tp_checker_read_rules (graph, left_out, devices, &readings);
  family = readings.has_second
               ? pick (readings.groups, readings.is_torn, graph->n_nodes)
               : g_steal_pointer (&readings.groups);
  for (int i = 0; i < readings.given->n_groups; i++)
    tp_groups_add_copy (family, &readings.given->groups[i]);
  return g_steal_pointer (&family);
}
