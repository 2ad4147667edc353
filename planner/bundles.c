/* bundles.c: see bundles.h. */
#include "config.h"

#include "planner/bundles.h"

#include "ir/guard.h"

#include <string.h>

static int
find_root (int *above, int node)
{
  while (above[node] != node)
    {
      above[node] = above[above[node]];
      node = above[node];
    }
  return node;
}

int *
tp_bundles_find (const TpGroups *groups, int n_nodes)
{
  g_autofree int *above = tp_new (int, n_nodes + 1);

  for (int i = 0; i < n_nodes; i++)
    above[i] = i;
  for (int i = 0; i < groups->n_groups; i++)
    for (int k = 1; k < groups->groups[i].n_nodes; k++)
      {
        int a = find_root (above, groups->groups[i].nodes[0]);
        int b = find_root (above, groups->groups[i].nodes[k]);

        above[MAX (a, b)] = MIN (a, b);
      }
  for (int i = 0; i < n_nodes; i++)
    above[i] = find_root (above, i);
  return g_steal_pointer (&above);
}

/* ---- two readings ------------------------------------------------------ */

static gboolean
is_equal (const TpGroup *a, const TpGroup *b)
{
  return a->n_nodes == b->n_nodes
         && memcmp (a->nodes, b->nodes, a->n_nodes * sizeof (int)) == 0;
}

gboolean *
tp_bundles_find_own (const TpGroups *family, int n_nodes)
{
  int n = family->n_groups;
  g_autofree gboolean *is_own = tp_new0 (gboolean, n + 1);
  g_autofree int *at = tp_new (int, n_nodes + 1); /* [node]: the last group of the
                               * first reading that begins with it; -1: none */
  g_autofree int *before = tp_new (int, n + 1); /* [group]: likewise, before it */

  memset (at, -1, n_nodes * sizeof (int));
  for (int i = 0; i < n; i++)
    if (!family->groups[i].is_second)
      {
        int *last = &at[family->groups[i].nodes[0]];

        before[i] = *last;
        *last = i;
      }
  for (int i = 0; i < n; i++)
    {
      const TpGroup *it = &family->groups[i];
      int k = at[it->nodes[0]];

      while (k >= 0 && !is_equal (&family->groups[k], it))
        k = before[k];
      is_own[i] = it->is_second && k < 0;
    }
  return g_steal_pointer (&is_own);
}

#define TORN 1
#define OWN 2

TpGroups *
tp_bundles_join (const TpGroups *first, const TpGroups *second,
                 const guint8 *is_torn, int n_nodes)
{
  g_autoptr (TpGroups) all = tp_groups_new ();
  g_autoptr (TpGroups) family = tp_groups_new ();
  g_autofree int *bundles = NULL;
  g_autofree gboolean *is_own = NULL;
  g_autofree guint8 *marks = tp_new0 (guint8, n_nodes + 1); /* [bundle] */

  for (int i = 0; i < first->n_groups + second->n_groups; i++)
    {
      gboolean is_second = i >= first->n_groups;

      tp_groups_add_copy (all, is_second ? &second->groups[i - first->n_groups]
                                         : &first->groups[i]);
      all->groups[i].is_second = is_second;
    }
  bundles = tp_bundles_find (all, n_nodes);
  is_own = tp_bundles_find_own (all, n_nodes);
  for (int i = 0; i < n_nodes; i++)
    marks[bundles[i]] |= is_torn[i] ? TORN : 0;
  for (int i = 0; i < all->n_groups; i++)
    marks[bundles[all->groups[i].nodes[0]]] |= is_own[i] ? OWN : 0;
  for (int i = 0; i < all->n_groups; i++)
    if (!all->groups[i].is_second
        || marks[bundles[all->groups[i].nodes[0]]] == (TORN | OWN))
      tp_groups_add_copy (family, &all->groups[i]);
  return g_steal_pointer (&family);
}
