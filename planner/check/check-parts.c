/* check-parts.c: see check-parts.h. */
#include "config.h"

#include "planner/check/check-parts.h"

#include "ir/op.h"

/* What a view is within a chain, too. */
#define ELEMENTWISE (1u << TP_OP_MAP | 1u << TP_OP_VIEW)

typedef struct
{
  const guint8 *kinds;
  gboolean pairs_elementwise;
  TpGroups *groups;
} Parts;

static void
add_run (const Parts *parts, const int *nodes, int n)
{
  if (n > 1)
    tp_groups_add (parts->groups, nodes, n);
}

/* What comes before the one op that is not elementwise, and that with the rest. */
static void
add_halves (const Parts *parts, const int *nodes, int n)
{
  int at = 0;

  while (at < n && (parts->kinds[nodes[at]] & ELEMENTWISE))
    at++;
  if (at == 0 || at == n)
    return;
  if (parts->pairs_elementwise)
    add_run (parts, nodes, at);
  add_run (parts, nodes + at, n - at);
}

/* A reduction that comes after a contraction is that of attention. */
void
tp_checker_add_parts (const guint8 *kinds, gboolean pairs_elementwise,
                      const int *nodes, int n, TpGroups *groups)
{
  const Parts parts = { kinds, pairs_elementwise, groups };
  gboolean is_multiplied = FALSE;
  int cut = n;

  for (int i = 0; i < n; i++)
    {
      guint kind = kinds[nodes[i]];

      if (is_multiplied && kind == 1u << TP_OP_REDUCE)
        cut = i;
      is_multiplied |= kind == 1u << TP_OP_CONTRACT;
    }
  add_halves (&parts, nodes, cut);
  if (cut == n)
    return;
  add_run (&parts, nodes, cut);
  add_halves (&parts, nodes + cut + 1, n - cut - 1);
  add_run (&parts, nodes + cut + 1, n - cut - 1);
}
