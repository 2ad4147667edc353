/* fuse-parts.c: see fuse-parts.h. */
#include "config.h"

#include "planner/fuse-parts.h"

#include "planner/fuse-value.h"

typedef struct
{
  const TpGraph *graph;
  gboolean joins_maps;
  TpGroups *groups;
} Parts;

/* Where, from @at on, the next of the @n @nodes of a chain is neither a map nor a view;
 * @n: nowhere. */
static int
find_anchor (const Parts *parts, const int *nodes, int n, int at)
{
  const TpNode *all = parts->graph->nodes;
  TpOpKind kind;

  for (; at < n; at++)
    {
      kind = tp_fuse_get_kind (&all[nodes[at]]);
      if (kind != TP_OP_MAP && kind != TP_OP_VIEW)
        break;
    }
  return MIN (at, n);
}

static void
add_run (const Parts *parts, const int *nodes, int n)
{
  if (n > 1)
    tp_groups_add (parts->groups, nodes, n);
}

/* What comes before the anchor, and what it begins. */
static void
add_sides (const Parts *parts, const int *nodes, int n)
{
  int at = find_anchor (parts, nodes, n, 0);

  if (at == 0 || at == n)
    return;
  if (parts->joins_maps)
    add_run (parts, nodes, at);
  add_run (parts, nodes + at, n - at);
}

void
tp_fuse_add_parts (const TpGraph *graph, gboolean joins_maps, const int *nodes,
                   int n, TpGroups *groups)
{
  const Parts parts = { graph, joins_maps, groups };
  int first = find_anchor (&parts, nodes, n, 0);
  int between = find_anchor (&parts, nodes, n, first + 1), rest = between + 1;

  add_sides (&parts, nodes, between);
  if (between == n)
    return;
  add_run (&parts, nodes, between);
  add_sides (&parts, nodes + rest, n - rest);
  add_run (&parts, nodes + rest, n - rest);
}
