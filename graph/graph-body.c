/* graph-body.c: see graph-body.h. */
#include "config.h"

#include "graph/graph-body.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-node.h"
#include "graph/graph-sort.h"
#include "ir/guard.h"

/* ---- adding ------------------------------------------------------------- */

int
tp_graph_builder_enter_body (TpGraphBuilder *builder, const char *prefix,
                             GError **error)
{
  TpDraft *draft = builder->draft;
  int number = (int) draft->bodies->len + 1;
  TpBranch branch = { -1, FALSE, builder->branch, number };
  const char *kept = tp_region_strdup (draft->region, prefix, error);
  TpDraftBody *body;

  if (kept == NULL)
    return 0;
  tp_array_append_val (draft->branches, branch);
  builder->branch = (int) draft->branches->len;
  tp_array_set_size (draft->bodies, draft->bodies->len + 1);
  body = tp_draft_body (draft, number);
  body->prefix = kept;
  body->branch = builder->branch;
  body->nodes = tp_array_new (sizeof (TpNode));
  body->inputs = tp_array_new (sizeof (int));
  body->outputs = tp_array_new (sizeof (int));
  body->branches = tp_array_new (sizeof (int));
  return number;
}

void
tp_graph_builder_leave_body (TpGraphBuilder *builder)
{
  builder->branch = tp_draft_branch (builder->draft, builder->branch)->parent;
}

gboolean
tp_graph_builder_add_body_input (TpGraphBuilder *builder, int body,
                                 const char *name, const char *place,
                                 GError **error)
{
  int tensor = tp_builder_define_tensor (builder, name, place, error);

  if (tensor >= 0)
    tp_array_append_val (tp_draft_body (builder->draft, body)->inputs, tensor);
  return tensor >= 0;
}

gboolean
tp_graph_builder_add_body_output (TpGraphBuilder *builder, int body,
                                  const char *name, const char *place,
                                  GError **error)
{
  int tensor = tp_builder_get_tensor (builder, name, place, error);

  if (tensor >= 0)
    tp_array_append_val (tp_draft_body (builder->draft, body)->outputs, tensor);
  return tensor >= 0;
}

gboolean
tp_graph_builder_add_node_with_body (TpGraphBuilder *builder, int body,
                                     const TpNode *node, TpNodeNames names,
                                     GError **error)
{
  TpNode own = *node;

  own.body = body;
  tp_draft_body (builder->draft, body)->n_own = names.n_inputs;
  return tp_builder_add_plain_node (builder, &own, names, error);
}

/* ---- what a body names --------------------------------------------------- */

typedef struct
{
  TpDraft *draft;
  int *of_branch;             /* [branch]: the body that it is in; 0: none */
  int *owner;                 /* [tensor]: the body that it is made in */
  guint8 *is_made;            /* [tensor]: by an op */
  int *seen;                  /* [tensor]: the last body that named it */
  int *op;                    /* [body]: the node that it is of */
  int *first, *next;          /* [body], [node]: 1 + nodes of each; 0: no more */
} Parts;

static void
parts_clear (Parts *self)
{
  g_free (self->of_branch);
  g_free (self->owner);
  g_free (self->is_made);
  g_free (self->seen);
  g_free (self->op);
  g_free (self->first);
  g_free (self->next);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parts, parts_clear)

static void
init_branches (Parts *self)
{
  for (guint i = 0; i < self->draft->branches->len; i++)
    {
      const TpBranch *branch = tp_draft_branch (self->draft, i + 1);
      int number = (int) i + 1, body = self->of_branch[branch->parent];

      self->of_branch[number] = branch->body != 0 ? branch->body : body;
      if (branch->body == 0 && body != 0)
        tp_array_append_val (tp_draft_body (self->draft, body)->branches,
                             number);
    }
}

static void
init_nodes (Parts *self)
{
  for (guint i = self->draft->nodes->len; i-- > 0;)
    {
      const TpNode *node = tp_draft_node (self->draft, i);
      int body = self->of_branch[node->branch];

      self->next[i] = self->first[body];
      self->first[body] = (int) i + 1;
      if (node->body != 0)
        self->op[node->body] = i;
      for (int j = 0; j < node->n_outputs; j++)
        {
          self->owner[node->outputs[j]] = body;
          self->is_made[node->outputs[j]] = TRUE;
        }
    }
}

static void
init_inputs (Parts *self)
{
  for (int body = 1; body <= (int) self->draft->bodies->len; body++)
    {
      const TpArray *inputs = tp_draft_body (self->draft, body)->inputs;

      for (guint i = 0; i < inputs->len; i++)
        {
          self->owner[tp_array_index (inputs, int, i)] = body;
          self->is_made[tp_array_index (inputs, int, i)] = TRUE;
        }
    }
}

static void
parts_init (Parts *self, TpDraft *draft)
{
  guint n_bodies = draft->bodies->len + 1;

  self->draft = draft;
  self->of_branch = tp_new0 (int, draft->branches->len + 1);
  self->owner = tp_new0 (int, draft->tensors->len + 1);
  self->is_made = tp_new0 (guint8, draft->tensors->len + 1);
  self->seen = tp_new0 (int, draft->tensors->len + 1);
  self->op = tp_new0 (int, n_bodies);
  self->first = tp_new0 (int, n_bodies);
  self->next = tp_new0 (int, draft->nodes->len + 1);
  init_branches (self);
  init_nodes (self);
  init_inputs (self);
}

/* What others make. */
static void
note (Parts *self, int body, int tensor, TpArray *named)
{
  if (tensor < 0 || !self->is_made[tensor] || self->owner[tensor] == body
      || self->seen[tensor] == body)
    return;
  self->seen[tensor] = body;
  tp_array_append_val (named, tensor);
}

static void
note_node (Parts *self, int body, const TpNode *node, TpArray *named)
{
  const TpBranch *branch = tp_draft_branch (self->draft, node->branch);

  for (int j = 0; j < node->n_inputs; j++)
    note (self, body, node->inputs[j], named);
  for (; branch != NULL && branch->body == 0;
       branch = tp_draft_branch (self->draft, branch->parent))
    note (self, body, branch->condition, named);
}

/* The op of @body needs what its body names. */
static gboolean
extend_op (Parts *self, int body, GError **error)
{
  const TpArray *outputs = tp_draft_body (self->draft, body)->outputs;
  TpNode *op = tp_draft_node (self->draft, self->op[body]);
  g_autoptr (TpArray) named = tp_array_new (sizeof (int));
  const int *inputs;

  tp_array_append_vals (named, op->inputs, op->n_inputs);
  for (int i = self->first[body]; i != 0; i = self->next[i - 1])
    note_node (self, body, tp_draft_node (self->draft, i - 1), named);
  for (guint i = 0; i < outputs->len; i++)
    note (self, body, tp_array_index (outputs, int, i), named);
  inputs = tp_region_dup (self->draft->region, named->data, named->len,
                          sizeof (int), error);
  if (inputs == NULL)
    return FALSE;
  op->inputs = inputs;
  op->n_inputs = (int) named->len;
  return TRUE;
}

/* ---- what is outside ------------------------------------------------------ */

static gboolean
check_outside (Parts *self, int tensor, const char *place, GError **error)
{
  g_autofree char *prefix = NULL;

  if (tensor < 0 || self->owner[tensor] == 0)
    return TRUE;
  prefix = tp_draft_dup_prefix (self->draft, place);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%stensor '%s' is of the "
               "body of an op, and is named outside of it: make it an output of "
               "the body", prefix, tp_draft_tensor (self->draft, tensor)->name);
  return FALSE;
}

static gboolean
check_node (Parts *self, const TpNode *node, GError **error)
{
  const TpBranch *branch = tp_draft_branch (self->draft, node->branch);

  for (int j = 0; j < node->n_inputs; j++)
    if (!check_outside (self, node->inputs[j], node->place, error))
      return FALSE;
  for (; branch != NULL; branch = tp_draft_branch (self->draft, branch->parent))
    if (!check_outside (self, branch->condition, node->place, error))
      return FALSE;
  return TRUE;
}

static gboolean
check_all (Parts *self, GError **error)
{
  const TpArray *outputs = self->draft->outputs;

  for (int i = self->first[0]; i != 0; i = self->next[i - 1])
    if (!check_node (self, tp_draft_node (self->draft, i - 1), error))
      return FALSE;
  for (guint i = 0; i < outputs->len; i++)
    if (!check_outside (self, tp_array_index (outputs, int, i), "outputs", error))
      return FALSE;
  for (guint i = 0; i < self->draft->tensors->len; i++)
    if (tp_draft_tensor (self->draft, i)->state > 0
        && !check_outside (self, (int) i, "states", error))
      return FALSE;
  return TRUE;
}

/* ---- parting --------------------------------------------------------------- */

static void
part (Parts *self)
{
  TpDraft *draft = self->draft;
  guint n = 0;

  for (guint i = 0; i < draft->nodes->len; i++)
    {
      TpNode *node = tp_draft_node (draft, i);
      int body = self->of_branch[node->branch];

      if (body != 0)
        tp_array_append_val (tp_draft_body (draft, body)->nodes, *node);
      else
        *tp_draft_node (draft, n++) = *node;
    }
  tp_array_set_size (draft->nodes, n);
  tp_draft_link (draft);
}

gboolean
tp_draft_part_bodies (TpDraft *draft, GError **error)
{
  g_auto (Parts) self = { 0 };

  if (draft->bodies->len == 0 || draft->is_parted)
    return tp_draft_sort (draft, error);
  parts_init (&self, draft);
  /* Those inside come after those around them. */
  for (int body = (int) draft->bodies->len; body > 0; body--)
    if (!extend_op (&self, body, error))
      return FALSE;
  if (!check_all (&self, error) || !tp_draft_sort (draft, error))
    return FALSE;
  part (&self);
  draft->is_parted = TRUE;
  return TRUE;
}
