/* onnx-flex.c: see onnx-flex.h. */
#include "config.h"

#include "format/onnx-flex.h"

#include "format/onnx-subgraph.h"
#include "graph/function-flex.h"
#include "graph/graph-expand.h"
#include "ir/array.h"

#include <string.h>

enum { SCORE, PROBABILITY, N_MODS };

typedef struct
{
  TpOnnx *onnx;
  const TpNode *node;
  const char *output;
  TpOnnxSubgraph mods[N_MODS];
  char *names[N_MODS];        /* made up: of scores, and of what a Softmax makes of them */
} Flex;

static void
flex_clear (Flex *self)
{
  for (int i = 0; i < N_MODS; i++)
    {
      tp_onnx_subgraph_clear (&self->mods[i]);
      g_free (self->names[i]);
    }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Flex, flex_clear)

gboolean
tp_onnx_is_flex (const char *type)
{
  return strcmp (type, TP_FLEX_ATTENTION) == 0;
}

/* Returns a name that is new. */
static const char *
make_name (Flex *self, int i, const char *suffix)
{
  g_autoptr (GString) name = g_string_new (self->output);

  g_string_append (name, suffix);
  while (tp_graph_builder_is_defined (self->onnx->builder, name->str))
    g_string_append_c (name, '_');
  return self->names[i] = g_string_free (g_steal_pointer (&name), FALSE);
}

static gboolean
add (const Flex *self, TpNode node, TpNodeNames names, GError **error)
{
  node.place = self->node->place;
  return tp_graph_builder_add_node (self->onnx->builder, &node, names, error);
}

/* *@name is what goes in, and then what comes out. */
static gboolean
add_mod (Flex *self, int i, const char **name, GError **error)
{
  TpOnnxSubgraph *mod = &self->mods[i];

  if (mod->graph.number == 0)
    return TRUE;
  if (!tp_onnx_subgraph_read_names (self->onnx, mod, "FlexAttention", TRUE, error))
    return FALSE;
  if (mod->inputs->len != 1 || mod->outputs->len != 1)
    {
      tp_wire_set_error (&mod->wire, mod->wire.pos, error, "%s has %u inputs and %u outputs, "
                         "must have one of each", mod->name, mod->inputs->len,
                         mod->outputs->len);
      return FALSE;
    }
  tp_map_insert (mod->names, g_strdup (tp_array_index (mod->inputs, const char *, 0)),
                 g_strdup (*name));
  if (!tp_onnx_subgraph_read_body (self->onnx, mod, error))
    return FALSE;
  *name = tp_array_index (mod->outputs, const char *, 0);
  return TRUE;
}

static gboolean
add_parts (Flex *self, TpNodeNames names, GError **error)
{
  const TpAttr axis = { .name = "axis", .kind = TP_ATTR_INT, .i = -1 };
  const TpNode scores = { .type = TP_FLEX_SCORES, .n_attrs = self->node->n_attrs,
                          .attrs = self->node->attrs };
  const TpNode softmax = { .type = "Softmax", .n_attrs = 1, .attrs = &axis };
  const TpNode last = { .type = TP_FLEX_OUTPUT, .name = self->node->name };
  const char *made = make_name (self, SCORE, ":scores"), *ends[2], *before;

  if (!add (self, scores, (TpNodeNames){ 2, names.inputs, 1, &made }, error)
      || !add_mod (self, SCORE, &made, error))
    return FALSE;
  before = made;
  made = make_name (self, PROBABILITY, ":probabilities");
  if (!add (self, softmax, (TpNodeNames){ 1, &before, 1, &made }, error)
      || !add_mod (self, PROBABILITY, &made, error))
    return FALSE;
  ends[0] = made;
  ends[1] = names.inputs[2];
  return add (self, last, (TpNodeNames){ 2, ends, names.n_outputs, names.outputs }, error);
}

gboolean
tp_onnx_add_flex (TpOnnx *onnx, const TpWire *wire, const TpNode *node, TpNodeNames names,
                  GError **error)
{
  static const char *const attrs[] = { "score_mod", "prob_mod" };
  g_auto (Flex) self = { .onnx = onnx, .node = node };
  TpOnnxSubgraphs all = { N_MODS, self.mods, NULL };

  for (int i = 0; i < N_MODS; i++)
    tp_onnx_subgraph_init (&self.mods[i], wire, attrs[i]);
  if (!tp_onnx_subgraph_check_depth (onnx, wire, "FlexAttention", error)
      || !tp_onnx_subgraphs_find (onnx, wire, &all, error))
    return FALSE;
  if (self.mods[SCORE].graph.number == 0 && self.mods[PROBABILITY].graph.number == 0)
    return tp_graph_builder_add_node (onnx->builder, node, names, error);
  if (names.n_inputs != 3 || names.n_outputs != 1)
    {
      tp_wire_set_error (wire, wire->pos, error, "FlexAttention has %d inputs and %d outputs, "
                         "must have 3 and 1", names.n_inputs, names.n_outputs);
      return FALSE;
    }
  self.output = names.outputs[0];
  return add_parts (&self, names, error);
}
