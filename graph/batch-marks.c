/* batch-marks.c: see batch-marks.h. */
#include "config.h"

#include "graph/batch-marks.h"

#include "ir/guard.h"

static gboolean
fail (const char *kind, const char *name, const char *what, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "the batch cannot be split: %s '%.100s' %s", kind, name, what);
  return FALSE;
}

static void
fail_of_none (gint64 batch, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "the batch cannot be split: the first input has none of %"
               G_GINT64_FORMAT, MAX (batch, 2));
}

/* ---- dimensions ---------------------------------------------------------- */

int
tp_batch_find_part (const TpTensor *tensor, gint64 batch, gint64 step)
{
  for (int i = 0; i < tensor->rank; i++)
    {
      gint64 stride = tensor->strides[i];
      gint64 within = stride > 0 && step % stride == 0 ? step / stride : 0;

      if (within > 0 && tensor->dims[i] % within == 0
          && tensor->dims[i] / within % batch == 0)
        return i;
    }
  return -1;
}

int
tp_batch_find_dim (const TpTensor *tensor, gint64 batch, gint64 step)
{
  int dim = tp_batch_find_part (tensor, batch, step);

  return dim >= 0 && tensor->dims[dim] / batch * tensor->strides[dim] == step
             ? dim
             : -1;
}

/* ---- what is batched ----------------------------------------------------- */

/* What nobody can tell of a part. */
static gboolean
check_tensor (const TpBatchMarks *self, int tensor, GError **error)
{
  const TpTensor *it = &self->graph->tensors[tensor];

  if (it->state > 0)
    return fail ("tensor", it->name, "is kept from run to run", error);
  if (it->n_copies > 0)
    return fail ("tensor", it->name, "has given costs, of the whole batch",
                 error);
  if (tp_batch_find_part (it, self->parts.n_parts, self->parts.steps[tensor])
      < 0)
    return fail ("tensor", it->name, "has no dimension that is it", error);
  return TRUE;
}

static gboolean
mark_inputs (TpBatchMarks *self, GError **error)
{
  const TpGraph *graph = self->graph;

  for (int i = 0; i < graph->n_inputs; i++)
    {
      const TpTensor *it = &graph->tensors[graph->inputs[i]];

      if (it->state > 0 || it->rank <= self->dim || it->count == 0
          || it->dims[self->dim] != self->parts.n_parts)
        continue;
      self->parts.steps[graph->inputs[i]] = it->strides[self->dim];
      if (!check_tensor (self, graph->inputs[i], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
reads_batched (const TpBatchMarks *self, const TpNode *node)
{
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0 && self->parts.steps[node->inputs[i]] > 0)
      return TRUE;
  return FALSE;
}

/* Inputs that have no parts, and are to have them, have to be cut: in one way. */
static gboolean
check_cuts (TpBatchMarks *self, const TpNode *node, const gint64 *reads,
            GError **error)
{
  for (int i = 0; i < node->n_inputs; i++)
    {
      int tensor = node->inputs[i];
      const TpTensor *it;

      if (tensor < 0 || reads[i] == self->parts.steps[tensor])
        continue;
      it = &self->graph->tensors[tensor];
      if (tp_batch_find_dim (it, self->parts.n_parts, reads[i]) < 0
          || (self->cuts[tensor] != 0 && self->cuts[tensor] != reads[i]))
        return fail ("tensor", it->name, "cannot be cut as it is read", error);
      self->cuts[tensor] = reads[i];
    }
  return TRUE;
}

static gboolean
follow (TpBatchMarks *self, int index, GError **error)
{
  const TpNode *node = &self->graph->nodes[index];
  g_autoptr (GError) local = NULL;

  self->reads[index] = tp_new0 (gint64, node->n_inputs + 1);
  if (tp_parts_follow (&self->parts, self->graph, index, self->reads[index],
                       &local))
    return check_cuts (self, node, self->reads[index], error);
  if (g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED))
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "the batch cannot be split: %s", local->message);
  else
    g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

static gboolean
mark_node (TpBatchMarks *self, int index, GError **error)
{
  const TpNode *node = &self->graph->nodes[index];

  if (!reads_batched (self, node))
    return TRUE;
  if (node->n_costs > 0)
    return fail ("op", node->name, "has a given cost, of the whole batch",
                 error);
  if (node->group != NULL)
    return fail ("op", node->name, "is of a group with a given cost, of the "
                 "whole batch", error);
  if (!follow (self, index, error))
    return FALSE;
  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0 && self->parts.steps[node->outputs[i]] > 0
        && !check_tensor (self, node->outputs[i], error))
      return FALSE;
  return TRUE;
}

/* They are put together again. */
static gboolean
check_outputs (const TpBatchMarks *self, GError **error)
{
  const TpGraph *graph = self->graph;

  for (int i = 0; i < graph->n_outputs; i++)
    {
      const TpTensor *it = &graph->tensors[graph->outputs[i]];
      gint64 step = self->parts.steps[graph->outputs[i]];

      if (step > 0 && it->producer >= 0
          && tp_batch_find_dim (it, self->parts.n_parts, step) < 0)
        return fail ("output", it->name, "has it and more in one dimension",
                     error);
    }
  return TRUE;
}

static gboolean
check_any (const TpBatchMarks *self, GError **error)
{
  for (int i = 0; i < self->graph->n_nodes; i++)
    if (self->reads[i] != NULL)
      return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "the batch cannot be split: no op depends on it");
  return FALSE;
}

static gboolean
mark_all (TpBatchMarks *self, GError **error)
{
  if (!mark_inputs (self, error))
    return FALSE;
  for (int i = 0; i < self->graph->n_nodes; i++)
    if (!mark_node (self, i, error))
      return FALSE;
  return check_any (self, error) && check_outputs (self, error);
}

gint64
tp_batch_get_extent (const TpGraph *graph, int dim)
{
  for (int i = 0; i < graph->n_inputs; i++)
    {
      const TpTensor *it = &graph->tensors[graph->inputs[i]];

      if (it->rank > 0)
        return it->rank > dim ? it->dims[dim] : 0;
    }
  return 0;
}

static TpBatchMarks *
mark_along (const TpGraph *graph, int dim, GError **error)
{
  g_autoptr (TpBatchMarks) self = g_new0 (TpBatchMarks, 1);

  self->graph = graph;
  self->dim = dim;
  self->parts.n_parts = tp_batch_get_extent (graph, dim);
  self->parts.steps = tp_new0 (gint64, graph->n_tensors + 1);
  self->cuts = tp_new0 (gint64, graph->n_tensors + 1);
  self->reads = tp_new0 (gint64 *, graph->n_nodes + 1);
  return mark_all (self, error) ? g_steal_pointer (&self) : NULL;
}

TpBatchMarks *
tp_batch_marks_new (const TpGraph *graph, gint64 batch, GError **error)
{
  g_autoptr (GError) first = NULL;

  for (int dim = 0; dim < TP_BATCH_N_DIMS; dim++)
    {
      gint64 extent = tp_batch_get_extent (graph, dim);
      g_autoptr (GError) local = NULL;
      TpBatchMarks *marks = NULL;

      if (extent < 2 || (batch != 0 && extent != batch))
        continue;
      marks = mark_along (graph, dim, &local);
      if (marks != NULL)
        return marks;
      if (first == NULL)
        first = g_steal_pointer (&local);
    }
  if (first == NULL)
    fail_of_none (batch, &first);
  g_propagate_error (error, g_steal_pointer (&first));
  return NULL;
}

void
tp_batch_marks_free (TpBatchMarks *self)
{
  if (self == NULL)
    return;
  for (int i = 0; self->reads != NULL && i < self->graph->n_nodes; i++)
    g_free (self->reads[i]);
  g_free (self->reads);
  g_free (self->parts.steps);
  g_free (self->cuts);
  g_free (self);
}
