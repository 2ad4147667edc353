/* pass-precompute.c: ops of constants alone that were too large to be folded become
 * recipes (ir/recipe.h): weights that are standardized, normalized, cut or put
 * together. To all that comes after they are constants; sessions compute them once,
 * before the first run.
 *
 * A file of strangers gets no more by that than a run would take, and little memory
 * beside its own: see the limits below. */
#include "config.h"

#include "graph/pass.h"
#include "ir/guard.h"
#include "ir/map.h"
#include "ir/op.h"
#include "ir/recipe.h"
#include "ops/reference.h"

#include <string.h>

#define LEAST_COUNT 64        /* elements: of fewer, plans may depend on the values */
#define MOST_SPREAD 4         /* times the bytes that it is made of has what is in
                               * between; what comes out has no more than these */
#define MOST_RESULTS 2        /* times the bytes of all constants have all results */
#define MOST_WORK 64          /* times the bytes of all constants are read and
                               * written in all; a product counts as one */
#define NOT_CONSTANT (-1)

typedef struct
{
  TpDraft *draft;
  gint64 *made_of;            /* [tensor]: bytes of constants, or NOT_CONSTANT */
  int *seen_by;               /* [tensor]: 1 + the last node that counted it */
  gint64 all_bytes;           /* of constants that ops read */
  gint64 left_bytes;          /* that results may still have */
  gint64 left_work;           /* bytes to read and write */
  guint8 *is_taken;           /* [node] */
  guint8 *is_read;            /* [tensor]: by an op that stays, or as an output */
  guint8 *is_needed;          /* [tensor]: by an op that is taken */
  int n_results;
} Pass;

static void
pass_clear (Pass *self)
{
  g_free (self->made_of);
  g_free (self->seen_by);
  g_free (self->is_taken);
  g_free (self->is_read);
  g_free (self->is_needed);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pass, pass_clear)

/* @a + @b, at most what all constants have. */
static gint64
add_held (const Pass *self, gint64 a, gint64 b)
{
  return b >= self->all_bytes - a ? self->all_bytes : a + b;
}

/* Of what a file has, or is asked to draw; one value that fills a tensor is none. */
static gint64
count_bytes (const TpTensor *tensor)
{
  if (!tp_tensor_is_constant (tensor) || tensor->state > 0)
    return NOT_CONSTANT;
  return tensor->init.kind == TP_INIT_FILL ? 0 : tensor->size_bytes;
}

/* Whether its values are not those of one in @seen, of another shape maybe; puts them
 * there. What is drawn by one seed is one thing. */
static gboolean
is_new (TpMap *seen, const TpTensor *tensor)
{
  const TpInit *init = &tensor->init;
  gpointer key = init->kind == TP_INIT_DATA
                     ? (gpointer) init->data
                     : GSIZE_TO_POINTER ((gsize) init->seed * 2 + 1);

  if (tp_map_lookup (seen, key) != NULL)
    return FALSE;
  tp_map_insert (seen, key, key);
  return TRUE;
}

/* Each constant once, however many read it or a view of it. */
static void
count_constants (Pass *self)
{
  TpDraft *draft = self->draft;
  g_autoptr (TpMap) seen
      = tp_map_new (g_direct_hash, g_direct_equal, NULL, NULL);

  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      for (int j = 0; node->type != NULL && j < node->n_inputs; j++)
        {
          int tensor = node->inputs[j];
          gint64 n = tensor < 0 ? 0 : self->made_of[tensor];

          if (n > 0 && is_new (seen, tp_draft_tensor (draft, tensor))
              && !tp_size_add (self->all_bytes, n, &self->all_bytes))
            self->all_bytes = G_MAXINT64 / (2 * MOST_WORK);
        }
    }
  self->all_bytes = MIN (self->all_bytes, G_MAXINT64 / (2 * MOST_WORK));
}

static void
pass_init (Pass *self, TpDraft *draft)
{
  guint n = draft->tensors->len + 1;

  self->draft = draft;
  self->made_of = tp_new (gint64, n);
  self->seen_by = tp_new0 (int, n);
  self->is_taken = tp_new0 (guint8, draft->nodes->len + 1);
  self->is_read = tp_new0 (guint8, n);
  self->is_needed = tp_new0 (guint8, n);
  for (guint i = 0; i < draft->tensors->len; i++)
    self->made_of[i] = count_bytes (tp_draft_tensor (draft, i));
  for (guint i = 0; i < draft->outputs->len; i++)
    self->is_read[tp_array_index (draft->outputs, int, i)] = TRUE;
  count_constants (self);
  self->left_bytes = MOST_RESULTS * self->all_bytes;
  self->left_work = MOST_WORK * self->all_bytes;
}

/* ---- what can be taken, forwards ----------------------------------------- */

/* Windows may do any work, as contractions may of which nobody can tell, and integers that
 * are dequantized are kept because they are small. */
static gboolean
is_kind_taken (const TpNode *node)
{
  static const TpOpFlags kept = TP_OP_DEQUANTIZES | TP_OP_STREAMS | TP_OP_LAYOUT;

  if (node->op == NULL || node->op->reference == NULL || tp_node_is_told (node)
      || (node->op->flags & kept) != 0)
    return FALSE;
  for (int i = 0; i < node->n_attrs; i++)
    if (node->attrs[i].kind == TP_ATTR_TENSOR)
      return FALSE;
  return node->op->kind == TP_OP_MAP || node->op->kind == TP_OP_REDUCE
         || node->op->kind == TP_OP_MOVE || node->op->kind == TP_OP_VIEW
         || node->op->count_products != NULL;
}

/* What the inputs of node @index are made of, each counted once; NOT_CONSTANT: one is
 * computed in every run. *@out_bytes: of these inputs. */
static gint64
count_sources (const Pass *self, int index, gint64 *out_bytes)
{
  const TpNode *node = tp_draft_node (self->draft, index);
  gint64 made_of = 0;
  gboolean has_any = FALSE;

  *out_bytes = 0;
  for (int i = 0; i < node->n_inputs; i++)
    {
      int tensor = node->inputs[i];

      if (tensor < 0)
        continue;
      if (self->made_of[tensor] == NOT_CONSTANT)
        return NOT_CONSTANT;
      if (self->seen_by[tensor] != index + 1)
        made_of = add_held (self, made_of, self->made_of[tensor]);
      self->seen_by[tensor] = index + 1;
      if (!tp_size_add (*out_bytes,
                        tp_draft_tensor (self->draft, tensor)->size_bytes,
                        out_bytes))
        return NOT_CONSTANT;
      has_any = TRUE;
    }
  return has_any ? made_of : NOT_CONSTANT;
}

/* A view of what is not computed costs nothing as it is. */
static gboolean
is_idle_view (const Pass *self, const TpNode *node)
{
  return node->op->kind == TP_OP_VIEW && node->inputs[0] >= 0
         && tp_tensor_is_constant (tp_draft_tensor (self->draft,
                                                    node->inputs[0]));
}

static gboolean
can_take (Pass *self, int index, gint64 *out_made_of)
{
  const TpNode *node = tp_draft_node (self->draft, index);
  gint64 bytes, made = 0;

  if (node->type == NULL || node->n_inputs == 0 || !is_kind_taken (node))
    return FALSE;
  *out_made_of = count_sources (self, index, &bytes);
  if (*out_made_of <= 0 || is_idle_view (self, node))
    return FALSE;
  for (int i = 0; i < node->n_outputs; i++)
    {
      const TpTensor *output = tp_draft_tensor (self->draft, node->outputs[i]);

      if (output->state > 0
          || !tp_size_add (made, output->size_bytes, &made))
        return FALSE;
    }
  if (made / MOST_SPREAD > *out_made_of
      || !tp_size_add (bytes, made, &bytes)
      || !tp_size_add (bytes, tp_draft_count_products (self->draft, node), &bytes)
      || bytes > self->left_work)
    return FALSE;
  self->left_work -= bytes;
  return TRUE;
}

static void
take_nodes (Pass *self)
{
  for (guint i = 0; i < self->draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (self->draft, i);
      gint64 made_of;

      if (!can_take (self, (int) i, &made_of))
        continue;
      self->is_taken[i] = TRUE;
      for (int j = 0; j < node->n_outputs; j++)
        self->made_of[node->outputs[j]] = made_of;
    }
}

/* ---- what comes of it, backwards ----------------------------------------- */

/* Whether what others read of @node can be constants. Takes their room. */
static gboolean
can_give (Pass *self, const TpNode *node)
{
  gint64 bytes = 0;
  gboolean is_asked = FALSE;

  for (int i = 0; i < node->n_outputs; i++)
    {
      int index = node->outputs[i];
      const TpTensor *output = tp_draft_tensor (self->draft, index);

      is_asked |= self->is_read[index] || self->is_needed[index];
      if (!self->is_read[index])
        continue;
      if (tp_dtype_get (output->dtype)->class != TP_CLASS_REAL
          || output->count < LEAST_COUNT
          || !tp_size_add (bytes, output->size_bytes, &bytes))
        return FALSE;
    }
  if (!is_asked || bytes > self->left_bytes
      || bytes > self->made_of[node->outputs[0]])
    return FALSE;
  self->left_bytes -= bytes;
  return TRUE;
}

/* An op that cannot give what is asked of it stays, and asks for its inputs. */
static void
leave_nodes (Pass *self)
{
  for (guint i = self->draft->nodes->len; i-- > 0;)
    {
      const TpNode *node = tp_draft_node (self->draft, i);
      guint8 *marks;

      if (node->type == NULL)
        continue;
      self->is_taken[i] = self->is_taken[i] && can_give (self, node);
      marks = self->is_taken[i] ? self->is_needed : self->is_read;
      for (int j = 0; j < node->n_inputs; j++)
        if (node->inputs[j] >= 0)
          marks[node->inputs[j]] = TRUE;
      for (int j = 0; self->is_taken[i] && j < node->n_outputs; j++)
        self->n_results += self->is_read[node->outputs[j]];
    }
}

/* ---- the recipe ---------------------------------------------------------- */

typedef struct
{
  const Pass *pass;
  TpDraft *draft;             /* of the recipe */
  int *map;                   /* [tensor] there; -1: not yet */
} Copying;

static void
copying_clear (Copying *self)
{
  tp_draft_free (self->draft);
  g_free (self->map);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Copying, copying_clear)

static int
copy_tensor (Copying *self, int tensor)
{
  TpTensor copy;

  if (tensor < 0 || self->map[tensor] >= 0)
    return tensor < 0 ? -1 : self->map[tensor];
  copy = *tp_draft_tensor (self->pass->draft, tensor);
  copy.n_copies = 0;
  copy.copies = NULL;
  return self->map[tensor] = tp_draft_add_tensor (self->draft, &copy);
}

/* @tensors, there; NULL on error. */
static const int *
copy_tensors (Copying *self, const int *tensors, int n, GError **error)
{
  int *copies = tp_region_alloc (self->draft->region, n, sizeof (int), error);

  for (int i = 0; copies != NULL && i < n; i++)
    copies[i] = copy_tensor (self, tensors[i]);
  return copies;
}

static gboolean
copy_node (Copying *self, const TpNode *node, GError **error)
{
  TpNode copy = *node;

  copy.inputs = copy_tensors (self, node->inputs, node->n_inputs, error);
  copy.outputs = copy.inputs == NULL
                     ? NULL
                     : copy_tensors (self, node->outputs, node->n_outputs,
                                     error);
  if (copy.outputs == NULL)
    return FALSE;
  tp_array_append_val (self->draft->nodes, copy);
  for (int i = 0; i < node->n_outputs; i++)
    if (self->pass->is_read[node->outputs[i]])
      tp_array_append_val (self->draft->outputs, copy.outputs[i]);
  return TRUE;
}

/* What is taken, as a graph of its own: strings, attributes and data are those of the
 * draft, which outlives it. */
static TpGraph *
copy_taken (const Pass *pass, GError **error)
{
  guint n = pass->draft->tensors->len + 1;
  g_auto (Copying) self = { pass, tp_draft_new (TP_REGION_NO_BUDGET),
                            tp_new (int, n) };

  memset (self.map, -1, n * sizeof (int));
  self.draft->name = pass->draft->name;
  self.draft->source = pass->draft->source;
  self.draft->opset = pass->draft->opset;
  for (guint i = 0; i < pass->draft->nodes->len; i++)
    if (pass->is_taken[i]
        && !copy_node (&self, tp_draft_node (pass->draft, i), error))
      return NULL;
  return tp_draft_finish (self.draft, error);
}

/* Writes the value of @tensor, computed in double. */
static void
store (const TpTensor *tensor, const double *values, void *dst)
{
  tp_dtype_store_doubles (tensor->dtype, values, tensor->count, dst);
}

static gboolean
make_by_references (TpGraph *graph, void *const *values, gpointer data,
                    GError **error)
{
  g_autoptr (GPtrArray) made
      = tp_graph_run_reference (graph, NULL, FALSE, error);

  for (int i = 0; made != NULL && i < graph->n_outputs; i++)
    store (&graph->tensors[graph->outputs[i]], g_ptr_array_index (made, i),
           values[i]);
  return made != NULL;
}

static void
free_recipe (gpointer recipe)
{
  tp_recipe_free (recipe);
}

/* In the order in which the recipe has its outputs. */
static void
put_recipe (const Pass *self, TpRecipe *recipe)
{
  int n = 0;

  for (guint i = 0; i < self->draft->nodes->len; i++)
    {
      TpNode *node = tp_draft_node (self->draft, i);

      for (int j = 0; self->is_taken[i] && j < node->n_outputs; j++)
        if (self->is_read[node->outputs[j]])
          tp_draft_tensor (self->draft, node->outputs[j])->init
              = (TpInit){ .kind = TP_INIT_RECIPE, .recipe = recipe,
                          .output = n++ };
      if (self->is_taken[i])
        node->type = NULL;
    }
}

static gboolean
precompute (TpDraft *draft, GError **error)
{
  g_auto (Pass) self = { 0 };
  TpGraph *graph;
  TpRecipe *recipe;

  pass_init (&self, draft);
  take_nodes (&self);
  leave_nodes (&self);
  if (self.n_results == 0)
    return TRUE;
  graph = copy_taken (&self, error);
  if (graph == NULL)
    return FALSE;
  recipe = tp_recipe_new (graph, make_by_references);
  tp_region_own (draft->region, recipe, free_recipe);
  put_recipe (&self, recipe);
  return TRUE;
}

const TpPass tp_pass_precompute = {
  .name = "precompute",
  .summary = "Ops of constants alone are computed once, before the first run",
  .run = precompute,
};
