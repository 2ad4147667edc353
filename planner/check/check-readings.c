/* check-readings.c: what the rules make, read in one order and in the other.
 *
 * docs/planner.md, "Two readings". A bundle is walked through from its least op: from
 * each op to all groups that have it, and on to their ops. */
#include "config.h"

#include "planner/check/check-readings.h"

#include "ir/guard.h"
#include "planner/check/check-fusion.h"

#include <stdlib.h>
#include <string.h>

/* ---- bundles ------------------------------------------------------------- */

/* Which groups have an op: those from at[op] to at[op + 1]. */
typedef struct
{
  int *at;
  int *groups;
} Members;

static void
members_clear (Members *members)
{
  g_free (members->at);
  g_free (members->groups);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Members, members_clear)

static void
members_init (Members *members, const TpGroups *family, int n_ops)
{
  int *at = members->at = tp_new0 (int, (gsize) n_ops + 2);

  for (int i = 0; i < family->n_groups; i++)
    for (int k = 0; k < family->groups[i].n_nodes; k++)
      at[family->groups[i].nodes[k] + 2]++;
  for (int i = 2; i <= n_ops + 1; i++)
    at[i] += at[i - 1];
  members->groups = tp_new (int, (gsize) at[n_ops + 1] + 1);
  for (int i = 0; i < family->n_groups; i++)
    for (int k = 0; k < family->groups[i].n_nodes; k++)
      members->groups[at[family->groups[i].nodes[k] + 1]++] = i;
}

/* Calls all that hang together with @op by its name. @queue: room for all ops. */
static void
walk (const TpGroups *family, const Members *members, int op, int *bundle_of,
      int *queue)
{
  int n = 1;

  queue[0] = op;
  bundle_of[op] = op;
  for (int i = 0; i < n; i++)
    for (int m = members->at[queue[i]]; m < members->at[queue[i] + 1]; m++)
      {
        const TpGroup *group = &family->groups[members->groups[m]];

        for (int k = 0; k < group->n_nodes; k++)
          if (bundle_of[group->nodes[k]] < 0)
            {
              bundle_of[group->nodes[k]] = op;
              queue[n++] = group->nodes[k];
            }
      }
}

int *
tp_checker_find_bundles (const TpGroups *family, int n_ops)
{
  g_auto (Members) members = { NULL };
  g_autofree int *bundle_of = tp_new (int, (gsize) n_ops + 1);
  g_autofree int *queue = tp_new (int, (gsize) n_ops + 1);

  members_init (&members, family, n_ops);
  memset (bundle_of, -1, (gsize) n_ops * sizeof (int));
  for (int i = 0; i < n_ops; i++)
    if (bundle_of[i] < 0)
      walk (family, &members, i, bundle_of, queue);
  return g_steal_pointer (&bundle_of);
}

/* ---- what is new --------------------------------------------------------- */

typedef struct
{
  const TpGroup *group;
  int index;
} Listed;

/* By their ops, and of equal ones what is of the first reading first. */
static int
compare_listed (const void *a, const void *b)
{
  const Listed *one = a, *two = b;
  int n = MIN (one->group->n_nodes, two->group->n_nodes);

  for (int i = 0; i < n; i++)
    if (one->group->nodes[i] != two->group->nodes[i])
      return one->group->nodes[i] < two->group->nodes[i] ? -1 : 1;
  if (one->group->n_nodes != two->group->n_nodes)
    return one->group->n_nodes - two->group->n_nodes;
  return one->group->is_second - two->group->is_second;
}

static gboolean
have_same_ops (const TpGroup *a, const TpGroup *b)
{
  return a->n_nodes == b->n_nodes
         && memcmp (a->nodes, b->nodes, (gsize) a->n_nodes * sizeof (int)) == 0;
}

gboolean *
tp_checker_find_new (const TpGroups *family)
{
  int n = family->n_groups;
  g_autofree gboolean *is_new = tp_new0 (gboolean, (gsize) n + 1);
  g_autofree Listed *listed = tp_new (Listed, (gsize) n + 1);

  for (int i = 0; i < n; i++)
    listed[i] = (Listed){ &family->groups[i], i };
  qsort (listed, (gsize) n, sizeof *listed, compare_listed);
  for (int i = 0; i < n; i++)
    is_new[listed[i].index]
        = listed[i].group->is_second
          && (i == 0 || !have_same_ops (listed[i].group, listed[i - 1].group)
              || is_new[listed[i - 1].index]);
  return g_steal_pointer (&is_new);
}

/* ---- both readings ------------------------------------------------------- */

static void
add_all (TpGroups *family, const TpGroups *groups, gboolean is_second)
{
  for (int i = 0; i < groups->n_groups; i++)
    {
      tp_groups_add_copy (family, &groups->groups[i]);
      family->groups[family->n_groups - 1].is_second = is_second;
    }
}

/* [bundle]: whether it has an op of @is_torn and something new. */
static gboolean *
find_counting (const TpGroups *all, const int *bundle_of, const gboolean *is_torn,
               int n_ops)
{
  g_autofree gboolean *has_torn = tp_new0 (gboolean, (gsize) n_ops + 1);
  g_autofree gboolean *counts = tp_new0 (gboolean, (gsize) n_ops + 1);
  g_autofree gboolean *is_new = tp_checker_find_new (all);

  for (int i = 0; i < n_ops; i++)
    if (is_torn[i])
      has_torn[bundle_of[i]] = TRUE;
  for (int i = 0; i < all->n_groups; i++)
    {
      int bundle = bundle_of[all->groups[i].nodes[0]];

      counts[bundle] |= is_new[i] && has_torn[bundle];
    }
  return g_steal_pointer (&counts);
}

static TpGroups *
join (const TpCheckerReading *first, const TpCheckerReading *second, int n_ops)
{
  g_autoptr (TpGroups) all = tp_groups_new ();
  g_autoptr (TpGroups) family = tp_groups_new ();
  g_autofree int *bundle_of = NULL;
  g_autofree gboolean *counts = NULL;

  add_all (all, first->groups, FALSE);
  add_all (all, second->groups, TRUE);
  bundle_of = tp_checker_find_bundles (all, n_ops);
  counts = find_counting (all, bundle_of, first->is_torn, n_ops);
  for (int i = 0; i < all->n_groups; i++)
    if (!all->groups[i].is_second || counts[bundle_of[all->groups[i].nodes[0]]])
      tp_groups_add_copy (family, &all->groups[i]);
  return g_steal_pointer (&family);
}

TpGroups *
tp_checker_find_groups (const TpGraph *graph, const char *const *left_out,
                        const char *const *devices)
{
  g_auto (TpCheckerReading) first = { FALSE };
  g_autoptr (TpGroups) family = NULL;
  gboolean has_torn = FALSE;

  tp_checker_read_rules (graph, left_out, devices, &first);
  for (int i = 0; i < graph->n_nodes; i++)
    has_torn |= first.is_torn[i];
  if (has_torn)
    {
      g_auto (TpCheckerReading) second = { .is_second = TRUE };

      tp_checker_read_rules (graph, left_out, devices, &second);
      family = join (&first, &second, graph->n_nodes);
    }
  else
    family = g_steal_pointer (&first.groups);
  for (int i = 0; i < first.given->n_groups; i++)
    tp_groups_add_copy (family, &first.given->groups[i]);
  return g_steal_pointer (&family);
}
