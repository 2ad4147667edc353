/* pass-rank.c: what devices run of ArgMax and ArgMin: the same, told by a constant which
 * positions there are along the dimension.
 *
 *   ArgMax (x)    RankedArgMax (x, positions)
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
} ranked[] = {
  { "ArgMax", "RankedArgMax" },
  { "ArgMin", "RankedArgMin" },
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
                    .dims = &n };

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
  int axis = 0;
  int *inputs;
  const TpTensor *x;

  if (kind < 0)
    return TRUE;
  x = tp_draft_tensor (draft, node.inputs[0]);
  if (!tp_node_get_axis (&node, 0, x->rank, &axis, error))
    return FALSE;
  if (x->count == 0 || x->dims[axis] > MOST_EXACT
      || !tp_draft_take_constants (draft, x->dims[axis]))
    return TRUE;
  inputs = tp_region_alloc (draft->region, 2, sizeof *inputs, error);
  if (inputs == NULL)
    return FALSE;
  inputs[0] = node.inputs[0];
  inputs[1] = add_positions (draft, &node, x->dims[axis], error);
  if (inputs[1] < 0)
    return FALSE;
  node.inputs = inputs;
  node.n_inputs = 2;
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
  .summary = "ArgMax and ArgMin: told which positions there are",
  .required = "no device has a kernel for an ArgMax",
  .concerns = is_ranking,
  .run = rank_nodes,
};
