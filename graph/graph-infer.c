/* graph-infer.c: shapes and types of every tensor, in one walk.
 *
 * Constants are folded on the way, because the shapes of later ops may hang on
 * their values: exporters are full of Shape, Gather, Concat, Reshape chains. So may
 * which branch of an If is taken; what is in the other is passed over. And so may how
 * often the body of a Loop is computed, whose ops are inferred where it stands. */
#include "config.h"

#include "graph/graph-infer.h"

#include "graph/control.h"
#include "graph/cut-remedy.h"
#include "graph/graph-draft.h"
#include "graph/graph-empty.h"
#include "graph/graph-fold.h"
#include "graph/graph-node.h"
#include "graph/graph-taken.h"
#include "graph/unroll-sequence.h"
#include "graph/unroll.h"
#include "ir/guard.h"
#include "ir/op.h"

#include <string.h>

static void
set_error (TpDraft *draft, const TpNode *node, const char *what,
           GError **error)
{
  g_autofree char *prefix = tp_draft_dup_prefix (draft, node->place);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%sop '%s' (%s): %s",
               prefix, node->name, node->type, what);
}

static gboolean
is_same_shape (const TpTensor *tensor, const TpShape *shape)
{
  return tensor->dtype == shape->dtype && tensor->rank == shape->rank
         && memcmp (tensor->dims, shape->dims, shape->rank * sizeof (gint64))
                == 0;
}

static gboolean
set_shape (TpDraft *draft, const TpNode *node, int output,
           const TpShape *shape, GError **error)
{
  TpTensor *tensor = tp_draft_tensor (draft, node->outputs[output]);

  if (tensor->rank != TP_RANK_UNKNOWN && !is_same_shape (tensor, shape))
    set_error (draft, node, "an output has another shape or type than the file "
               "says: correct or drop what it says", error);
  else if (shape->rank > draft->limits.values[TP_LIMIT_RANK])
    {
      g_autofree char *prefix = tp_draft_dup_prefix (draft, node->place);
      tp_limit_set_error (TP_LIMIT_RANK, prefix, error,
                          "op '%s' (%s): output %d has rank %d", node->name,
                          node->type, output, shape->rank);
    }
  else if (!tp_draft_set_shape (draft, tensor, shape->dtype, shape->rank,
                                shape->dims))
    set_error (draft, node, "an output has too many elements: its size "
               "overflows 64 bits", error);
  else
    return TRUE;
  return FALSE;
}

static gboolean
check_declared (TpDraft *draft, const TpNode *node, GError **error)
{
  for (int i = 0; i < node->n_outputs; i++)
    if (tp_draft_tensor (draft, node->outputs[i])->rank == TP_RANK_UNKNOWN)
      {
        set_error (draft, node, "an op of unknown type must say the \"shapes\" "
                   "of its outputs", error);
        return FALSE;
      }
  return TRUE;
}

static gboolean
infer_node (TpDraft *draft, const TpNode *node, GError **error)
{
  g_autofree const TpTensor **inputs
      = tp_new (const TpTensor *, node->n_inputs + 1);
  g_autofree TpShape *outputs = tp_new0 (TpShape, node->n_outputs);

  if (node->op == NULL && node->n_costs == 0)
    return tp_node_refuse_unknown (draft, node, error);
  if (node->op == NULL)
    return check_declared (draft, node, error);
  for (int i = 0; i < node->n_inputs; i++)
    inputs[i] = node->inputs[i] < 0 ? NULL
                                    : tp_draft_tensor (draft, node->inputs[i]);
  if (!node->op->infer (node, inputs, outputs, error))
    {
      g_autofree char *prefix = tp_draft_dup_prefix (draft, node->place);
      g_prefix_error (error, "%s", prefix);
      return FALSE;
    }
  for (int i = 0; i < node->n_outputs; i++)
    if (!set_shape (draft, node, i, &outputs[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
check_not_empty (TpDraft *draft, const TpNode *node, GError **error)
{
  for (int i = 0; i < node->n_outputs; i++)
    if (tp_draft_tensor (draft, node->outputs[i])->count == 0)
      {
        g_autofree char *prefix = tp_draft_dup_prefix (draft, node->place);
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                     "%sop '%s' (%s): output %d has no elements; only "
                     "constants and inputs may be empty", prefix, node->name, node->type,
                     i);
        return FALSE;
      }
  return TRUE;
}

static gboolean
infer_and_fold (TpDraft *draft, TpNode *node, TpFold *fold, GError **error)
{
  tp_branch_choose (draft, node);
  if (!infer_node (draft, node, error))
    return FALSE;
  tp_draft_drop_empty (draft, node);
  if (node->type != NULL && !tp_fold_node (fold, draft, node, error))
    return FALSE;
  if (node->type == NULL)
    return TRUE;
  tp_branch_keep (node);
  return check_not_empty (draft, node, error);
}

typedef struct
{
  TpDraft *draft;
  TpFold fold;
  TpUnroll unroll;
} Walk;

static void
walk_clear (Walk *self)
{
  tp_unroll_clear (&self->unroll);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static gboolean
infer_or_expand (Walk *self, TpNode *node, GError **error)
{
  if (!tp_control_is_asked (&self->unroll, node))
    return infer_and_fold (self->draft, node, &self->fold, error);
  if (!tp_control_expand (&self->unroll, node, error))
    return FALSE;
  node->type = NULL;
  return TRUE;
}

static gboolean
walk_node (gpointer user, TpNode *node, GError **error)
{
  Walk *self = user;
  g_autoptr (GError) fault = NULL;

  if (!tp_branch_is_taken (self->draft, node))
    node->type = NULL;
  else if (!infer_or_expand (self, node, &fault))
    {
      tp_branch_explain (self->draft, node, fault);
      g_propagate_error (error, g_steal_pointer (&fault));
      return FALSE;
    }
  return TRUE;
}

static void
walk_init (Walk *self, TpDraft *draft)
{
  *self = (Walk){ .draft = draft, .fold = { .keeps_quantized = TRUE } };
  tp_unroll_init (&self->unroll, draft);
  self->unroll.user = self;
  self->unroll.infer = walk_node;
}

/* What was not to be done may not be wanted. */
static gboolean
walk_at (Walk *self, guint index, GError **error)
{
  g_autofree guint8 *fails = NULL;
  g_autoptr (GError) fault = NULL;

  if (walk_node (self, tp_draft_node (self->draft, index), &fault))
    return TRUE;
  if (g_error_matches (fault, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED))
    {
      fails = tp_new0 (guint8, self->draft->nodes->len);
      fails[index] = TRUE;
      tp_cut_remedy_explain (self->draft, fails, fault);
    }
  g_propagate_error (error, g_steal_pointer (&fault));
  return FALSE;
}

static gboolean
infer_with_control (TpDraft *draft, GError **error)
{
  g_autofree guint *starts = tp_new (guint, draft->nodes->len);
  g_auto (Walk) self = { 0 };

  walk_init (&self, draft);
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      starts[i] = self.unroll.made->len;
      if (!walk_at (&self, i, error))
        return FALSE;
    }
  if (!tp_unroll_spread_outputs (&self.unroll, error))
    return FALSE;
  tp_unroll_merge (&self.unroll, starts);
  return TRUE;
}

gboolean
tp_draft_infer (TpDraft *draft, GError **error)
{
  g_auto (Walk) self = { 0 };

  if (draft->has_control)
    return infer_with_control (draft, error);
  walk_init (&self, draft);
  for (guint i = 0; i < draft->nodes->len; i++)
    if (!walk_at (&self, i, error))
      return FALSE;
  return TRUE;
}

/* ---- as far as it goes ------------------------------------------------- */

static gboolean
has_shapes (TpDraft *draft, const TpNode *node)
{
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0
        && tp_draft_tensor (draft, node->inputs[i])->rank == TP_RANK_UNKNOWN)
      return FALSE;
  return TRUE;
}

static void
forget_outputs (TpDraft *draft, const TpNode *node)
{
  for (int i = 0; i < node->n_outputs; i++)
    tp_draft_tensor (draft, node->outputs[i])->rank = TP_RANK_UNKNOWN;
}

/* What cannot be told how often it is computed is kept as the file has it. */
static char *
survey_control (Walk *self, TpNode *node)
{
  guint n_made = self->unroll.made->len;
  g_autoptr (GError) error = NULL;

  if (tp_control_expand (&self->unroll, node, &error))
    {
      node->type = NULL;
      return NULL;
    }
  tp_array_set_size (self->unroll.made, n_made);
  node->op = NULL;
  return g_strdup (error->message);
}

/* Why @node cannot be planned, or NULL; shapes of its outputs where known. */
static char *
survey_node (TpDraft *draft, const TpNode *node)
{
  g_autoptr (GError) error = NULL;

  if (node->op == NULL)
    return node->n_costs > 0 ? NULL : g_strdup ("unknown type of op");
  if (!has_shapes (draft, node))
    forget_outputs (draft, node);
  else if (!infer_node (draft, node, &error)
           || !check_not_empty (draft, node, &error))
    {
      forget_outputs (draft, node);
      return g_strdup (error->message);
    }
  return NULL;
}

static gboolean
survey_any (Walk *self, TpNode *node, GHashTable *problems, GError **error)
{
  TpDraft *draft = self->draft;
  gboolean is_control = tp_control_is_asked (&self->unroll, node);
  const char *type = node->type;
  char *problem;

  if (!is_control)
    {
      tp_branch_choose (draft, node);
      node->type = type; /* as the file has it */
    }
  problem = is_control ? survey_control (self, node) : survey_node (draft, node);
  if (problem != NULL)
    g_hash_table_insert (problems, g_strdup (node->name), problem);
  return problem != NULL || is_control || node->op == NULL
         || !has_shapes (draft, node)
         || tp_fold_node (&self->fold, draft, node, error);
}

gboolean
tp_draft_survey (TpDraft *draft, GHashTable *problems, GError **error)
{
  g_autofree guint *starts = tp_new (guint, draft->nodes->len);
  g_auto (Walk) self = { 0 };

  walk_init (&self, draft);
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      TpNode *node = tp_draft_node (draft, i);

      starts[i] = self.unroll.made->len;
      if (!tp_branch_is_taken (draft, node))
        node->type = NULL;
      else if (!survey_any (&self, node, problems, error))
        return FALSE;
    }
  tp_unroll_spread_outputs (&self.unroll, NULL); /* or they are left as they are */
  tp_unroll_merge (&self.unroll, starts);
  return TRUE;
}
