/* pass-rank.c: what devices run of ArgMax, ArgMin and TopK: the same, told by a constant
 * which positions there are along the dimension.
 *
 *   ArgMax (x)    RankedArgMax (x, positions)
 *   TopK (x, k)   RankedTopK (x, k, positions)
 */
#include "config.h"

#include "graph/graph-draft-make.h"
#include "graph/pass.h"
#include "ir/guard.h"
#include "ops/op-util.h"
#include "ops/op.h"

#define MOST_EXACT (1 << 24)  /* of float32 */

static const struct
{
  const char *from, *to;
  int positions;              /* which input they are */
  gint64 axis;                /* where none is named */
} ranked[] = {
  { "ArgMax", "RankedArgMax", 1, 0 },
  { "ArgMin", "RankedArgMin", 1, 0 },
  { "TopK", "RankedTopK", 2, -1 },
};

static int
find_ranked (const TpNode *node)
{
  for (gsize i = 0; node->op != NULL && i < G_N_ELEMENTS (ranked); i++)
    if (tp_node_is (node, ranked[i].from))
      return (int) i;
  return -1;
}

static gboolean
is_ranking (const TpNode *node)
{
  return find_ranked (node) >= 0;
}

/* The constant 0 .. @n - 1; -1 on error. */
static int
add_positions (TpDraft *draft, const TpNode *node, gint64 n, GError **error)
{
  g_autofree double *values = g_try_new (double, n);
  TpTensor like = { .name = node->name, .dtype = TPLAN_DTYPE_FLOAT32, .rank = 1,
                    .dims = { n } };

  if (values == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                   "op '%s': no memory for %" G_GINT64_FORMAT " positions",
                   node->name, n);
      return -1;
    }
  for (gint64 i = 0; i < n; i++)
    values[i] = (double) i;
  return tp_draft_add_values (draft, &like, ":positions", values, error);
}

/* What is empty, or would need too much, stays as it is; and positions are reals,
 * which are exact to 2^24. */
static gboolean
rank_node (TpDraft *draft, int index, GError **error)
{
  TpNode node = *tp_draft_node (draft, index);
  int kind = find_ranked (&node);
  int axis = 0, n;
  int *inputs;
  const TpTensor *x;

  if (kind < 0)
    return TRUE;
  n = ranked[kind].positions;
  x = tp_draft_tensor (draft, node.inputs[0]);
  if (!tp_node_get_axis (&node, ranked[kind].axis, x->rank, &axis, error))
    return FALSE;
  if (x->count == 0 || x->dims[axis] > MOST_EXACT
      || !tp_draft_take_constants (draft, x->dims[axis]))
    return TRUE;
  inputs = tp_region_alloc (draft->region, n + 1, sizeof *inputs, error);
  if (inputs == NULL)
    return FALSE;
  for (int i = 0; i < n; i++)
    inputs[i] = i < node.n_inputs ? node.inputs[i] : -1;
  inputs[n] = add_positions (draft, &node, x->dims[axis], error);
  if (inputs[n] < 0)
    return FALSE;
  node.inputs = inputs;
  node.n_inputs = n + 1;
  node.type = ranked[kind].to;
  node.op = tp_op_find (node.type);
  *tp_draft_node (draft, index) = node;
  return TRUE;
}

static gboolean
rank_nodes (TpDraft *draft, GError **error)
{
  for (guint i = 0; i < draft->nodes->len; i++)
    if (!rank_node (draft, i, error))
      return FALSE;
  return TRUE;
}

const TpPass tp_pass_rank = {
  .name = "rank",
  .summary = "ArgMax, ArgMin and TopK: told which positions there are",
  .required = "no device has a kernel for an ArgMax or a TopK",
  .concerns = is_ranking,
  .run = rank_nodes,
};
