/* onnx-load.c: ModelProto and GraphProto.
 *
 * Fields come in any order, so the graph is walked once for each thing: first
 * initializers, then inputs (old files list initializers there again), nodes
 * and outputs. A walk only hops over lengths. Graphs inside attributes are
 * entered for an If alone (onnx-if.c). */
#include "config.h"

#include "format/onnx-load.h"

#include "format/load-options.h"
#include "format/onnx-function.h"
#include "format/onnx-items.h"
#include "format/onnx-node.h"
#include "format/onnx-opset.h"
#include "format/onnx-scope.h"
#include "format/onnx-tensor.h"
#include "format/onnx-value.h"
#include "format/onnx.h"
#include "graph/graph-limit.h"
#include "ir/name-hash.h"

#include <string.h>

#define MAX_OPSET 1000

enum { MODEL_GRAPH = 7, MODEL_OPSET_IMPORT = 8, MODEL_METADATA = 14,
       MODEL_FUNCTIONS = 25 };
enum { METADATA_KEY = 1, METADATA_VALUE = 2 };
enum
{
  GRAPH_NODE = 1,
  GRAPH_NAME = 2,
  GRAPH_INITIALIZER = 5,
  GRAPH_INPUT = 11,
  GRAPH_OUTPUT = 12,
  GRAPH_SPARSE_INITIALIZER = 15,
};

typedef struct
{
  TpOnnx *onnx;
  TpWireField graph;          /* number 0: none */
  gint64 opset;               /* 0: none for ONNX's own ops */
  gboolean has_opset;         /* for any ops */
  const char *name;
} Model;

/* ---- the model --------------------------------------------------------- */

static gboolean
add_opset (Model *model, TpWire wire, GError **error)
{
  TpOnnxOpset opset = { .strings = model->onnx->strings };

  if (!tp_onnx_opset_read (&opset, wire, error))
    return FALSE;
  model->has_opset = TRUE;
  if (!tp_onnx_domain_is_own (opset.domain))
    return TRUE;
  if (opset.version < 1 || opset.version > MAX_OPSET)
    {
      tp_wire_set_error (&wire, wire.pos, error, "opset version %"
                         G_GINT64_FORMAT ", must be 1 to %d: save it anew",
                         opset.version, MAX_OPSET);
      return FALSE;
    }
  model->opset = opset.version;
  return TRUE;
}

static gboolean
read_model (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Model *model = user;
  TpWirePath path = { NULL, "opset_import", -1 };

  if (field->number == MODEL_OPSET_IMPORT)
    return tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
           && add_opset (model, tp_wire_enter (wire, field, &path), error);
  if (field->number == MODEL_FUNCTIONS)
    return tp_onnx_add_function (model->onnx, wire, field, error);
  if (field->number != MODEL_GRAPH)
    return TRUE;
  if (model->graph.number != 0)
    {
      tp_wire_set_error (wire, field->data, error, "a second graph: the file is "
                         "damaged or no ONNX model");
      return FALSE;
    }
  model->graph = *field;
  return tp_wire_expect (wire, field, TP_WIRE_BYTES, error);
}

static gboolean
check_model (const Model *model, const TpWire *wire, GError **error)
{
  if (model->graph.number == 0)
    tp_wire_set_error (wire, wire->end, error,
                       "no graph by the end: the file is cut short or no ONNX "
                       "model");
  else if (!model->has_opset)
    tp_wire_set_error (wire, wire->end, error,
                       "no opset_import: the file is cut short, or save it "
                       "anew");
  else
    return TRUE;
  return FALSE;
}

/* ---- metadata ---------------------------------------------------------- */

typedef struct
{
  TpOnnx *onnx;
  const char *key, *value;
} Metadata;

static gboolean
read_entry (const TpWire *wire, const TpWireField *field, gpointer user,
            GError **error)
{
  Metadata *entry = user;

  if (field->number == METADATA_KEY)
    return tp_wire_get_string (wire, field, entry->onnx->strings, &entry->key,
                               error);
  return field->number != METADATA_VALUE
         || tp_wire_get_string (wire, field, entry->onnx->strings,
                                &entry->value, error);
}

/* Values of dimensions, as tp_graph_write_onnx () keeps them. */
static gboolean
read_metadata (const TpWire *wire, const TpWireField *field, gpointer user,
               GError **error)
{
  TpOnnx *onnx = user;
  TpWirePath path = { NULL, "metadata_props", -1 };
  Metadata entry = { onnx, "", "" };
  guint64 value;

  if (field->number != MODEL_METADATA)
    return TRUE;
  tp_region_clear (onnx->strings);
  if (!tp_wire_expect (wire, field, TP_WIRE_BYTES, error)
      || !tp_wire_read (tp_wire_enter (wire, field, &path), read_entry, &entry,
                        error))
    return FALSE;
  if (!g_str_has_prefix (entry.key, TP_ONNX_DIM_PREFIX))
    return TRUE;
  if (g_ascii_string_to_unsigned (entry.value, 10, 1, G_MAXINT64, &value, NULL))
    {
      tp_graph_builder_set_dim (onnx->builder,
                                entry.key + strlen (TP_ONNX_DIM_PREFIX), value);
      return TRUE;
    }
  tp_wire_set_error (wire, field->data, error, "metadata '%s' is '%s', must be "
                     "an integer above 0", entry.key, entry.value);
  return FALSE;
}

/* ---- the graph --------------------------------------------------------- */

static gboolean
add_initializer (TpOnnx *onnx, TpWire wire, GError **error)
{
  tp_region_clear (onnx->strings);
  return tp_onnx_add_tensor (onnx, wire, NULL, TRUE, error);
}

static gboolean
refuse_sparse (TpOnnx *onnx, TpWire wire, GError **error)
{
  tp_wire_set_unsupported (&wire, error, "sparse tensors: save dense ones");
  return FALSE;
}

static gboolean
add_graph (TpOnnx *onnx, TpWire wire, GError **error)
{
  static const TpOnnxItems all[] = {
    { GRAPH_SPARSE_INITIALIZER, "sparse_initializer", refuse_sparse },
    { GRAPH_INITIALIZER, "initializer", add_initializer },
    { GRAPH_INPUT, "input", tp_onnx_add_input },
    { GRAPH_NODE, "node", tp_onnx_add_node },
    { GRAPH_OUTPUT, "output", tp_onnx_add_output },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    if (!tp_onnx_read_items (onnx, wire, all[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
read_graph_name (const TpWire *wire, const TpWireField *field, gpointer user,
                 GError **error)
{
  Model *model = user;

  return field->number != GRAPH_NAME
         || tp_wire_get_string (wire, field, model->onnx->strings,
                                &model->name, error);
}

static gboolean
load (TpOnnx *onnx, TpWire wire, GError **error)
{
  TpWirePath path = { NULL, "graph", -1 };
  Model model = { .onnx = onnx, .name = "" };
  TpWire graph;

  if (!tp_wire_read (wire, read_model, &model, error)
      || !check_model (&model, &wire, error))
    return FALSE;
  graph = tp_wire_enter (&wire, &model.graph, &path);
  if (!tp_wire_read (graph, read_graph_name, &model, error))
    return FALSE;
  onnx->builder = tp_graph_builder_new (
      model.name, model.opset > 0 ? model.opset : MAX_OPSET);
  onnx->region = onnx->builder->draft->region;
  tp_graph_builder_set_source (onnx->builder, onnx->path);
  tp_graph_builder_keep (onnx->builder, onnx->bytes);
  tp_graph_builder_set_limits (onnx->builder, onnx->options->limits,
                               g_bytes_get_size (onnx->bytes));
  tp_graph_builder_expect (onnx->builder, onnx->options->numbers);
  onnx->builder->is_to_be_cut = tp_load_options_is_cut (onnx->options);
  return tp_wire_read (wire, read_metadata, onnx, error)
         && add_graph (onnx, graph, error);
}

static void
onnx_clear (TpOnnx *onnx)
{
  g_clear_pointer (&onnx->builder, tp_graph_builder_free);
  tp_map_free (onnx->files);
  tp_map_free (onnx->narrow);
  tp_map_free (onnx->functions);
  tp_map_free (onnx->constants);
  tp_map_free (onnx->values);
  tp_region_free (onnx->strings);
  tp_region_free (onnx->kept);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpOnnx, onnx_clear)

TpGraphBuilder *
tp_graph_open_onnx (const char *path, GBytes *bytes,
                    const TpLoadOptions *options, GError **error)
{
  TpWire wire = tp_wire_open (bytes, path ? path : "model", NULL);
  g_auto (TpOnnx) onnx = {
    .path = path,
    .bytes = bytes,
    .options = options,
    .strings = tp_region_new (TP_REGION_NO_BUDGET),
    .kept = tp_region_new (TP_REGION_NO_BUDGET),
    .files = tp_map_new (tp_name_hash, g_str_equal, g_free,
                         (GDestroyNotify) g_bytes_unref),
    .narrow = tp_map_new (tp_name_hash, g_str_equal, g_free, NULL),
    .functions = tp_onnx_functions_new (),
    .constants = tp_onnx_constants_new (),
    .values = tp_onnx_values_new (),
  };

  return load (&onnx, wire, error) ? g_steal_pointer (&onnx.builder) : NULL;
}
