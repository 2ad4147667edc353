/* pass-layout.c: chooses strides.
 *
 * Activations of image networks are channels-last: a 1x1 convolution is then a
 * plain matrix product, and every vector runs along the channels. The layout
 * starts at convolutions, of lines and volumes too, and at pools of images, and
 * spreads over the ops between them; a graph without any stays row-major. A
 * convolution of one filter per channel is as fast in rows, where nothing around it
 * wants another layout, and so is what looks at places of an image of few channels. Where bytes are taken as they are (a view)
 * or leave the graph, a Relayout op puts them in rows. Where an op looks at places of an
 * image that came in rows (a graph input, a view), one turns it: all channels of a place
 * are then found, and weighed, at once. */
#include "config.h"

#include "graph/graph-draft-make.h"
#include "graph/pass.h"
#include "ir/array.h"
#include "ir/guard.h"
#include "ir/op.h"
#include "ops/op-quantize.h"
#include "ops/op.h"

#include <string.h>

#define LEAST_COLUMNS 14      /* of planes that are worth staying in rows */
#define MOST_STEP 2
#define LEAST_CHANNELS 8      /* of an image that is worth turning */

typedef struct
{
  TpDraft *draft;
  TpArray *nodes;             /* TpNode: the new list */
  guint8 *is_last;            /* per tensor there was: channels-last */
  guint8 *needs_rows;         /* its row-major bytes are needed */
  int *last, *rows;           /* its channels-last and row-major tensors; the
                               * same where there is one only */
  int *turned;                /* a channels-last copy of what came in rows; -1 */
} Pass;

/* Ops that take or give bytes as they lie in rows. */
static gboolean
is_rigid (const TpNode *node)
{
  return node->op == NULL || node->op->kind == TP_OP_VIEW
         || node->op->kind == TP_OP_OPAQUE;
}

/* Whether channels-last differs from row-major, and may be had. */
static gboolean
has_channels (const TpTensor *tensor)
{
  return tensor->rank >= 3 && tensor->rank <= 5
         && !tp_tensor_is_constant (tensor)
         && (!tp_dtype_is_integer (tensor->dtype)
             || tp_dtype_is_quantized (tensor->dtype))
         && tensor->dims[1] > 1
         && tp_dims_product (tensor->dims, 2, tensor->rank) > 1;
}

/* And the choice is ours. */
static gboolean
may_be_channels_last (TpDraft *draft, const TpTensor *tensor)
{
  return has_channels (tensor) && tensor->producer >= 0
         && !is_rigid (tp_draft_node (draft, tensor->producer));
}

/* Ops that read and write alike, so that layout goes through them. */
static gboolean
is_conductor (const TpNode *node)
{
  return node->op != NULL
         && (node->op->kind == TP_OP_MAP
             || (node->op->kind == TP_OP_MOVE
                 && !tp_node_has_flag (node, TP_OP_TURNS)));
}

static gboolean
is_at_most (const TpNode *node, const char *name, gint64 most)
{
  int n = 0;
  const gint64 *values = tp_node_get_ints (node, name, &n);

  for (int i = 0; i < n; i++)
    if (values[i] > most)
      return FALSE;
  return TRUE;
}

/* A convolution of one filter per channel that kernels for planes in rows take, and
 * rows that fill a vector or so. */
static gboolean
is_fast_in_rows (TpDraft *draft, const TpNode *node)
{
  const TpTensor *x, *y;
  gint64 n_groups = tp_node_get_int (node, "group", 1);

  if (!tp_node_is (node, "Conv") || n_groups == 1)
    return FALSE;
  x = tp_draft_tensor (draft, node->inputs[0]);
  y = tp_draft_tensor (draft, node->outputs[0]);
  return n_groups == x->dims[1] && n_groups == y->dims[1]
         && y->dims[y->rank - 1] >= LEAST_COLUMNS
         && is_at_most (node, "strides",
                        is_at_most (node, "dilations", 1) ? MOST_STEP : 1);
}

/* Looks at an image of few channels: vectors run along the points instead, which are
 * found and weighed at once. */
static gboolean
sees_few_channels (TpDraft *draft, const TpNode *node)
{
  const TpTensor *x;

  if (!tp_node_has_flag (node, TP_OP_SAMPLES))
    return FALSE;
  x = tp_draft_tensor (draft, node->inputs[0]);
  return x->rank == 4 && x->dims[1] < LEAST_CHANNELS;
}

/* Where the layout starts. */
static gboolean
is_origin (TpDraft *draft, const TpNode *node)
{
  return tp_node_has_flag (node, TP_OP_CHANNELS_LAST)
         && (node->op->kind == TP_OP_CONTRACT
             || tp_draft_tensor (draft, node->inputs[0])->rank == 4)
         && !is_fast_in_rows (draft, node) && !sees_few_channels (draft, node);
}

/* Of what an op reads and writes, what has another rank has its channels elsewhere. */
static gboolean
mark (Pass *pass, int tensor, int rank)
{
  const TpTensor *it;

  if (tensor < 0 || pass->is_last[tensor])
    return FALSE;
  it = tp_draft_tensor (pass->draft, tensor);
  if (it->rank != rank || !may_be_channels_last (pass->draft, it))
    return FALSE;
  pass->is_last[tensor] = TRUE;
  return TRUE;
}

static gboolean
mark_all (Pass *pass, const int *tensors, int n, int rank)
{
  gboolean changed = FALSE;

  for (int i = 0; i < n; i++)
    changed |= mark (pass, tensors[i], rank);
  return changed;
}

static gboolean
has_marked (const Pass *pass, const TpNode *node)
{
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0 && pass->is_last[node->inputs[i]])
      return TRUE;
  for (int i = 0; i < node->n_outputs; i++)
    if (pass->is_last[node->outputs[i]])
      return TRUE;
  return FALSE;
}

static gboolean
spread (Pass *pass, const TpNode *node)
{
  gboolean is_eager = tp_node_has_flag (node, TP_OP_CHANNELS_LAST);
  int rank;

  if (!is_origin (pass->draft, node)
      && !((is_eager || is_conductor (node)) && has_marked (pass, node)))
    return FALSE;
  rank = tp_draft_tensor (pass->draft, node->outputs[0])->rank;
  return mark_all (pass, node->inputs,
                   tp_node_has_flag (node, TP_OP_SAMPLES) ? 1 : node->n_inputs,
                   rank)
         | mark_all (pass, node->outputs, node->n_outputs, rank);
}

/* Sweeps down and up until nothing changes; two rounds do for nearly all
 * graphs, and a limit keeps strange ones linear: any layout is right. */
static void
choose (Pass *pass)
{
  TpDraft *draft = pass->draft;
  gboolean changed = TRUE;

  for (int round = 0; changed && round < 8; round++)
    {
      changed = FALSE;
      for (guint i = 0; i < draft->nodes->len; i++)
        changed |= spread (pass, tp_draft_node (draft, i));
      for (guint i = draft->nodes->len; i > 0; i--)
        changed |= spread (pass, tp_draft_node (draft, i - 1));
    }
}

static void
set_channels_last (TpDraft *draft, int tensor)
{
  TpTensor *it = tp_draft_tensor (draft, tensor);
  const gint64 *dims = it->dims;
  gint64 strides[TP_MAX_RANK], stride = dims[1];

  for (int i = it->rank - 1; i >= 2; i--)
    {
      strides[i] = stride;
      stride *= dims[i];
    }
  strides[1] = 1;
  strides[0] = stride;
  tp_draft_set_form (draft, it, dims, strides);
}

static void
mark_rows (Pass *pass)
{
  TpDraft *draft = pass->draft;

  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      for (int j = 0; is_rigid (node) && j < node->n_inputs; j++)
        if (node->inputs[j] >= 0)
          pass->needs_rows[node->inputs[j]] = TRUE;
    }
  for (guint i = 0; i < draft->outputs->len; i++)
    pass->needs_rows[tp_array_index (draft->outputs, int, i)] = TRUE;
}

/* ---- Relayout ---------------------------------------------------------- */

/* A tensor like @tensor; -1 on error. */
static int
add_twin (Pass *pass, int tensor, const char *suffix, GError **error)
{
  TpTensor twin = *tp_draft_tensor (pass->draft, tensor);

  twin.state = 0;
  twin.name = tp_draft_make_tensor_name (pass->draft, twin.name, suffix, error);
  return twin.name == NULL ? -1 : tp_draft_add_tensor (pass->draft, &twin);
}

/* Of what leaves a group of @producer nothing more is made in it. */
static const TpGroupFigures *
find_group (const Pass *pass, const TpNode *producer, int tensor)
{
  const TpTensor *it = tp_draft_tensor (pass->draft, tensor);

  for (int i = 0; i < it->n_consumers; i++)
    if (tp_draft_node (pass->draft, it->consumers[i])->group
        != producer->group)
      return NULL;
  return it->is_output || it->state > 0 ? NULL : producer->group;
}

/* Copies tensor @from to @to, near @near. */
static gboolean
append_relayout (Pass *pass, const TpNode *near, int from, int to, GError **error)
{
  TpDraft *draft = pass->draft;
  int *ends = tp_region_alloc (draft->region, 2, sizeof (int), error);
  TpNode node = { .type = "Relayout", .opset = near->opset,
                  .op = tp_op_find ("Relayout"), .n_inputs = 1,
                  .n_outputs = 1, .place = near->place };

  g_assert (node.op != NULL);
  if (ends == NULL)
    return FALSE;
  node.name = tp_draft_make_node_name (
      draft, tp_draft_tensor (draft, from)->name, ":relayout", error);
  ends[0] = from;
  ends[1] = to;
  node.inputs = &ends[0];
  node.outputs = &ends[1];
  tp_array_append_val (pass->nodes, node);
  return node.name != NULL;
}

/* Gives output @j of @node, just appended, its layout, and rows if needed. The
 * name of a graph output is known outside: it stays with the rows. */
static gboolean
lay_out (Pass *pass, const TpNode *node, int j, GError **error)
{
  int tensor = node->outputs[j];

  if (!pass->is_last[tensor])
    return TRUE;
  if (tp_draft_tensor (pass->draft, tensor)->is_output
      || tp_draft_tensor (pass->draft, tensor)->state > 0)
    pass->last[tensor] = add_twin (pass, tensor, ":channels_last", error);
  else if (pass->needs_rows[tensor])
    pass->rows[tensor] = add_twin (pass, tensor, ":rows", error);
  if (pass->last[tensor] < 0 || pass->rows[tensor] < 0)
    return FALSE;
  set_channels_last (pass->draft, pass->last[tensor]);
  tp_node_edit (node->outputs)[j] = pass->last[tensor];
  if (pass->last[tensor] == pass->rows[tensor])
    return TRUE;
  if (!append_relayout (pass, node, pass->last[tensor], pass->rows[tensor], error))
    return FALSE;
  tp_array_index (pass->nodes, TpNode, pass->nodes->len - 1).group
      = find_group (pass, node, tensor);
  return TRUE;
}

/* Does @node look at places of an image that came in rows? */
static gboolean
wants_turned (const Pass *pass, const TpNode *node)
{
  return tp_node_has_flag (node, TP_OP_SAMPLES) && !is_rigid (node)
         && !pass->is_last[node->inputs[0]]
         && has_channels (tp_draft_tensor (pass->draft, node->inputs[0]))
         && !sees_few_channels (pass->draft, node);
}

/* The image of @node, channels-last. */
static gboolean
turn (Pass *pass, const TpNode *node, GError **error)
{
  int image = node->inputs[0];

  if (pass->turned[image] < 0)
    {
      int twin = add_twin (pass, image, ":channels_last", error);

      if (twin < 0)
        return FALSE;
      set_channels_last (pass->draft, twin);
      if (!append_relayout (pass, node, image, twin, error))
        return FALSE;
      pass->turned[image] = twin;
    }
  tp_node_edit (node->inputs)[0] = pass->turned[image];
  return TRUE;
}

static gboolean
append_node (Pass *pass, TpNode node, GError **error)
{
  const int *map = is_rigid (&node) ? pass->rows : pass->last;
  gboolean is_turned = wants_turned (pass, &node);

  for (int j = is_turned; j < node.n_inputs; j++)
    if (node.inputs[j] >= 0)
      tp_node_edit (node.inputs)[j] = map[node.inputs[j]];
  if (is_turned && !turn (pass, &node, error))
    return FALSE;
  tp_array_append_val (pass->nodes, node);
  for (int j = 0; j < node.n_outputs; j++)
    if (!lay_out (pass, &node, j, error))
      return FALSE;
  return TRUE;
}

static gboolean
apply (Pass *pass, GError **error)
{
  g_autoptr (TpArray) nodes = tp_array_new (sizeof (TpNode));

  pass->nodes = nodes;
  for (guint i = 0; i < pass->draft->nodes->len; i++)
    if (!append_node (pass, *tp_draft_node (pass->draft, i), error))
      return FALSE;
  tp_array_unref (pass->draft->nodes);
  pass->draft->nodes = g_steal_pointer (&nodes);
  return TRUE;
}

static gboolean
is_eager (const TpNode *node)
{
  return tp_node_has_flag (node, TP_OP_CHANNELS_LAST);
}

static gboolean
assign_layout (TpDraft *draft, GError **error)
{
  int n = draft->tensors->len;
  g_autofree guint8 *is_last = tp_new0 (guint8, n + 1);
  g_autofree guint8 *needs_rows = tp_new0 (guint8, n + 1);
  g_autofree int *last = tp_new (int, n + 1);
  g_autofree int *rows = tp_new (int, n + 1);
  g_autofree int *turned = tp_new (int, n + 1);
  Pass pass = { draft, NULL, is_last, needs_rows, last, rows, turned };

  for (int i = 0; i < n; i++)
    {
      last[i] = rows[i] = i;
      turned[i] = -1;
    }
  mark_rows (&pass);
  choose (&pass);
  return memchr (is_last, TRUE, n) == NULL || apply (&pass, error);
}

const TpPass tp_pass_layout = {
  .name = "layout",
  .summary = "image networks run channels-last",
  .is_layout = TRUE,
  .concerns = is_eager,
  .run = assign_layout,
};
