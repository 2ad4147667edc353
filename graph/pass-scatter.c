/* pass-scatter.c: Scatters whose indices are constant, without scattering.
 *
 * Where each element of the data comes from is known beforehand: a table names the
 * update, a mask says whether there is one.
 *
 *   Where (mask, Gather (Reshape (updates), table), data)
 *
 * Gathers and Wheres run anywhere and fuse; exporters write a ScatterND for each
 * assignment to a slice. */
#include "config.h"

#include "graph/graph-draft-make.h"
#include "graph/graph-sort.h"
#include "graph/pass.h"
#include "ir/array.h"
#include "ir/graph-value.h"
#include "ops/op-scatter.h"
#include "ops/op.h"
#include "ops/scatter.h"

#include <string.h>

typedef struct
{
  TpDraft *draft;
  TpNode node;                /* as it was */
  TpScatter scatter;
  gboolean is_all;            /* nothing of the data is left */
} Split;

/* A node to be: what it does and to what (-1: no more). */
typedef struct
{
  const char *type;
  int inputs[3];
} Step;

static gboolean
is_scatter (const TpNode *node)
{
  return node->op != NULL && (tp_node_is (node, "ScatterND")
                              || tp_node_is (node, "ScatterElements")
                              || tp_node_is (node, "Scatter"));
}

/* Nobody has said what it costs, and what is to be unpacked is small. */
static gboolean
split_init (Split *split, TpDraft *draft, int index)
{
  const TpNode *node = tp_draft_node (draft, index);
  const TpTensor *x, *indices;
  gint64 n;

  *split = (Split){ .draft = draft, .node = *node };
  if (!is_scatter (node) || node->n_costs > 0 || !tp_scatter_replaces (node))
    return FALSE;
  x = tp_draft_tensor (draft, node->inputs[0]);
  indices = tp_draft_tensor (draft, node->inputs[1]);
  if (!tp_tensor_is_constant (indices) || indices->count == 0 || x->count == 0)
    return FALSE;
  split->scatter = tp_scatter_new (node, x->rank, x->dims, indices->rank,
                                   indices->dims);
  return tp_size_mul (split->scatter.n_blocks, 2, &n)
         && tp_size_add (n, indices->count, &n)
         && tp_draft_take_constants (draft, n);
}

/* The constants @table and @mask. The last of several updates of one block
 * counts. */
static gboolean
add_tables (Split *split, int *table, int *mask, GError **error)
{
  const TpScatter *scatter = &split->scatter;
  TpDraft *draft = split->draft;
  const TpTensor *indices = tp_draft_tensor (draft, split->node.inputs[1]);
  g_autofree double *named = g_try_new (double, indices->count + 1);
  g_autofree double *from = g_try_new0 (double, scatter->n_blocks + 1);
  g_autofree double *is_new = g_try_new0 (double, scatter->n_blocks + 1);
  gint64 dims[TP_MAX_RANK];
  TpTensor like = { .name = split->node.name, .dims = dims };
  gint64 n_new = 0;

  if (named == NULL || from == NULL || is_new == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                   "op '%s': no memory for %" G_GINT64_FORMAT
                   " indices and %" G_GINT64_FORMAT
                   " blocks of 8 and 16 bytes", split->node.name,
                   indices->count, scatter->n_blocks);
      return FALSE;
    }
  tp_tensor_write_doubles (indices, named);
  for (gint64 i = 0; i < scatter->n_updates; i++)
    {
      gint64 block = tp_scatter_find (scatter, named, i);

      if (block < 0)
        continue;
      n_new += is_new[block] == 0.0;
      from[block] = i;
      is_new[block] = 1.0;
    }
  split->is_all = n_new == scatter->n_blocks;
  for (int i = 0; i < scatter->rank; i++)
    dims[i] = i < scatter->n_named ? scatter->dims[i] : 1;
  like.dtype = TPLAN_DTYPE_INT64;
  like.rank = scatter->n_named;
  *table = tp_draft_add_values (draft, &like, ":table", from, error);
  like.dtype = TPLAN_DTYPE_BOOL;
  like.rank = scatter->rank;
  *mask = *table < 0
              ? -1
              : tp_draft_add_values (draft, &like, ":mask", is_new, error);
  return *mask >= 0;
}

/* Fills in @node, of one output. */
static gboolean
set_node (Split *split, TpNode *node, const Step *step, int output,
          GError **error)
{
  int *ends = tp_region_alloc (split->draft->region, 4, sizeof *ends, error);

  if (ends == NULL)
    return FALSE;
  node->n_inputs = 0;
  while (node->n_inputs < 3 && step->inputs[node->n_inputs] >= 0)
    {
      ends[node->n_inputs] = step->inputs[node->n_inputs];
      node->n_inputs++;
    }
  ends[3] = output;
  node->type = step->type;
  node->op = tp_op_find (step->type);
  node->inputs = ends;
  node->outputs = ends + 3;
  node->n_attrs = 0;
  return TRUE;
}

/* Appends a node; its output of shape @dims, or -1 on error. */
static int
append_node (Split *split, const Step *step, int rank, const gint64 *dims,
             GError **error)
{
  TpDraft *draft = split->draft;
  TpNode node = split->node;
  TpTensor stage = { .name = node.name, .rank = rank, .dims = dims };
  int to;

  stage.dtype = tp_draft_tensor (draft, node.inputs[0])->dtype;
  to = tp_draft_add_stage (draft, &stage, error);
  node.name
      = to < 0 ? NULL
               : tp_draft_make_node_name (draft, node.name, ":step", error);
  if (node.name == NULL || !set_node (split, &node, step, to, error))
    return -1;
  tp_array_append_val (draft->nodes, node);
  return to;
}

/* The updates, one block after the other; -1 on error. */
static int
append_reshape (Split *split, GError **error)
{
  const TpScatter *scatter = &split->scatter;
  int rank = 1 + scatter->rank - scatter->n_named;
  TpTensor like = { .name = split->node.name,
                    .dtype = TPLAN_DTYPE_INT64,
                    .rank = 1,
                    .dims = (gint64[]){ rank } };
  gint64 dims[TP_MAX_RANK];
  double shape[TP_MAX_RANK];
  Step step = { "Reshape", { split->node.inputs[2], -1, -1 } };

  dims[0] = scatter->n_updates;
  memcpy (dims + 1, scatter->dims + scatter->n_named,
          (rank - 1) * sizeof dims[0]);
  for (int i = 0; i < rank; i++)
    shape[i] = dims[i];
  step.inputs[1]
      = tp_draft_add_values (split->draft, &like, ":shape", shape, error);
  return step.inputs[1] < 0 ? -1
                            : append_node (split, &step, rank, dims, error);
}

/* The last node takes the place and the name of the Scatter. */
static gboolean
split_scatter (Split *split, int index, GError **error)
{
  const TpScatter *scatter = &split->scatter;
  TpNode node = split->node;
  int mask = -1, table = -1;
  int updates = append_reshape (split, error);

  if (updates < 0 || !add_tables (split, &table, &mask, error))
    return FALSE;
  if (split->is_all)
    {
      Step gather = { "Gather", { updates, table, -1 } };

      if (!set_node (split, &node, &gather, node.outputs[0], error))
        return FALSE;
    }
  else
    {
      Step gather = { "Gather", { updates, table, -1 } };
      Step where = { "Where", { mask, -1, split->node.inputs[0] } };

      where.inputs[1]
          = append_node (split, &gather, scatter->rank, scatter->dims, error);
      if (where.inputs[1] < 0
          || !set_node (split, &node, &where, node.outputs[0], error))
        return FALSE;
    }
  *tp_draft_node (split->draft, index) = node;
  return TRUE;
}

static gboolean
split_scatters (TpDraft *draft, GError **error)
{
  guint n = draft->nodes->len;

  for (guint i = 0; i < n; i++)
    {
      Split split;

      if (split_init (&split, draft, i) && !split_scatter (&split, i, error))
        return FALSE;
    }
  return draft->nodes->len == n || tp_draft_sort (draft, error);
}

const TpPass tp_pass_scatter = {
  .name = "scatter",
  .summary = "Scatters by constant indices: Gather and Where",
  .concerns = is_scatter,
  .run = split_scatters,
};
