/* function.c: the bodies of ops that are other ops.
 *
 * Bodies are written so that they hold whatever the shapes and types are, which
 * nobody knows while a graph is being built. */
#include "config.h"

#include "graph/function.h"

#include "graph/function-body.h"
#include "graph/function-cache.h"
#include "graph/function-contrib.h"
#include "graph/function-experts.h"
#include "graph/function-flex.h"
#include "graph/function-fused.h"
#include "graph/function-gated.h"
#include "graph/function-heads.h"
#include "graph/function-loss.h"
#include "graph/function-narrow.h"
#include "graph/function-nbits.h"
#include "graph/function-random.h"
#include "graph/function-quantized.h"
#include "graph/function-sample.h"
#include "graph/function-shape.h"
#include "graph/function-signal.h"
#include "graph/function-training.h"
#include "graph/graph-builder.h"
#include "graph/graph-limit.h"
#include "ops/op.h"

#include <string.h>

#define RANGE_SIZE 32

/* ---- the table ----------------------------------------------------------- */

/* Each file has those of its kind. */
static const TpFunction *(*const lists[]) (gsize *) = {
  tp_function_list_cache,     tp_function_list_contrib,
  tp_function_list_experts,   tp_function_list_flex,
  tp_function_list_fused,     tp_function_list_gated,
  tp_function_list_heads,     tp_function_list_loss,
  tp_function_list_narrow,    tp_function_list_nbits,
  tp_function_list_quantized, tp_function_list_random,
  tp_function_list_sample,    tp_function_list_shape,
  tp_function_list_signal,    tp_function_list_training,
};

/* Of ops that have a record, which nodes are another op all the same. */
static const struct
{
  const char *type;
  gboolean (*is_meant) (const TpNode *node, TpNodeNames names);
} others[] = {
  { "BatchNormalization", tp_function_is_trained },
  { "Cast", tp_function_is_narrowed },
  { "Dropout", tp_function_may_drop },
};

static const TpFunction *
find_function (const char *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      gsize n = 0;
      const TpFunction *all = lists[i](&n);

      for (gsize k = 0; k < n; k++)
        if (strcmp (all[k].type, type) == 0)
          return &all[k];
    }
  return NULL;
}

gboolean
tp_function_is_known (const char *type)
{
  return tp_op_find (type) == NULL && find_function (type) != NULL;
}

gboolean
tp_function_is_meant (const TpNode *node, TpNodeNames names)
{
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (strcmp (others[i].type, node->type) == 0)
      return others[i].is_meant (node, names);
  return tp_function_is_known (node->type);
}

/* ---- checking ---------------------------------------------------------- */

static gboolean
check_attrs (const TpBody *self)
{
  const char *reduction = tp_node_get_string (self->node, "reduction", "mean");

  for (int i = 0; i < self->node->n_attrs; i++)
    if (!g_strv_contains (self->function->attrs, self->node->attrs[i].name))
      {
        g_autofree char *list =
            g_strjoinv (", ", (char **)self->function->attrs);

        tp_builder_set_error (self->builder, self->node->place, self->error,
                              "%s has no attribute '%s'; it has %s",
                              self->node->type, self->node->attrs[i].name,
                              *list != '\0' ? list : "none");
        return FALSE;
      }
  if (strcmp (reduction, "mean") == 0 || strcmp (reduction, "sum") == 0
      || strcmp (reduction, "none") == 0)
    return TRUE;
  tp_builder_set_error (self->builder, self->node->place, self->error,
                        "reduction '%s' is not known: 'mean', 'sum' or 'none'",
                        reduction);
  return FALSE;
}

/* "2 to 4", or "5 or more"; RANGE_SIZE bytes of @out. */
static const char *
name_range (int least, int most, char *out)
{
  if (most == G_MAXINT)
    g_snprintf (out, RANGE_SIZE, "%d or more", least);
  else
    g_snprintf (out, RANGE_SIZE, "%d to %d", least, most);
  return out;
}

static gboolean
check_arity (const TpBody *self)
{
  const TpFunction *function = self->function;
  char inputs[RANGE_SIZE], outputs[RANGE_SIZE];

  for (int i = 0; i < function->n_inputs_min; i++)
    if (tp_body_get_input (self, i) == NULL)
      {
        tp_builder_set_error (self->builder, self->node->place, self->error,
                              "%s needs input %d", self->node->type, i);
        return FALSE;
      }
  if (self->ends.n_inputs <= function->n_inputs_max && self->ends.n_outputs >= 1
      && self->ends.n_outputs <= function->n_outputs_max
      && self->ends.outputs[0] != NULL && *self->ends.outputs[0] != '\0')
    return TRUE;
  tp_builder_set_error (
      self->builder, self->node->place, self->error, "%s takes %s inputs and gives %s outputs",
      self->node->type, name_range (function->n_inputs_min, function->n_inputs_max, inputs),
      name_range (1, function->n_outputs_max, outputs));
  return FALSE;
}

gboolean
tp_function_expand (TpGraphBuilder *builder, const TpNode *node,
                    TpNodeNames names, GError **error)
{
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func (g_free);
  TpBody body = { .function = find_function (node->type),
                  .builder = builder,
                  .node = node,
                  .ends = names,
                  .names = made,
                  .error = error };

  if (!check_attrs (&body) || !check_arity (&body))
    return FALSE;
  body.function->add (&body);
  return !body.has_failed;
}
