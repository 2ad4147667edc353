/* load-pieces.c: see load-pieces.h. */
#include "config.h"

#include "planner/load-pieces.h"

#include "ir/guard.h"

static void
end_piece (TpLoadPieces *pieces)
{
  int end = (int) pieces->ops->len;

  tp_array_append_val (pieces->ends, end);
}

/* @seen: [op]: the last piece that it was added to, counted from 1. */
static void
add_together (TpLoadPieces *pieces, const TpProblem *problem, const int *node,
              guint *seen)
{
  guint piece = pieces->ends->len + 1;
  int n;
  const int *nodes = tp_problem_get_together (problem, node, &n);

  if (seen[nodes[0]] == piece)
    return;
  seen[nodes[0]] = piece;
  tp_array_append_vals (pieces->ops, nodes, (guint) n);
}

void
tp_load_pieces_init (TpLoadPieces *pieces, const TpProblem *problem)
{
  int n_nodes = problem->graph->n_nodes;
  g_autofree guint *seen = tp_new0 (guint, (gsize) n_nodes + 1);

  pieces->ops = tp_array_new (sizeof (int));
  pieces->ends = tp_array_new (sizeof (int));
  for (int i = 0; i < n_nodes; i++)
    if (tp_problem_leads (problem, i))
      {
        add_together (pieces, problem, &i, seen);
        end_piece (pieces);
      }
  pieces->n_ops = (int) pieces->ends->len;
  for (int i = 0; i < problem->costs->n_groups; i++)
    {
      const TpGroup *group = &problem->groups->groups[i];

      for (int k = 0; k < group->n_nodes; k++)
        add_together (pieces, problem, &group->nodes[k], seen);
      end_piece (pieces);
    }
}

void
tp_load_pieces_clear (TpLoadPieces *pieces)
{
  g_clear_pointer (&pieces->ops, tp_array_unref);
  g_clear_pointer (&pieces->ends, tp_array_unref);
}

TpLoadPiece
tp_load_pieces_get_run (const TpLoadPieces *pieces, int first, int n)
{
  int start = first == 0 ? 0 : tp_array_index (pieces->ends, int, first - 1);
  int end = tp_array_index (pieces->ends, int, first + n - 1);

  return (TpLoadPiece){ &tp_array_index (pieces->ops, int, start),
                        end - start };
}

TpLoadPiece
tp_load_pieces_get (const TpLoadPieces *pieces, int index)
{
  return tp_load_pieces_get_run (pieces, index, 1);
}
