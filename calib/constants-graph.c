/* constants-graph.c: see constants-graph.h. */
#include "config.h"

#include "calib/constants-graph.h"

#include "calib/probe.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"

#define N_TINY 16
#define WIDE 64               /* units of a GPU that is */

/* Small where nodes are run by their reference. */
static const TpConstantsSizes full_sizes = { 1024, 32, 16 << 20 };
static const TpConstantsSizes small_sizes = { 96, 8, 1 << 18 };

/* What is read and written is four times the caches of processors; of others these
 * are not known. A MatMul of 1024 leaves a wide GPU half idle: 132 units made 27
 * TFLOP/s of it, and 43 of one of 4096. */
TpConstantsSizes
tp_constants_choose_sizes (const TpDeviceInfo *info)
{
  TpConstantsSizes sizes = info->runs_nodes ? small_sizes : full_sizes;
  int n_units = info->is_apart ? info->target.n_units : 0;

  if (n_units >= WIDE)
    return (TpConstantsSizes){ 4 * sizes.n_side, sizes.n_narrow, 2 * sizes.n_stream };
  if (n_units >= WIDE / 4)
    sizes.n_side *= 2;
  if (!info->runs_nodes && !info->is_apart)
    sizes.n_stream = MAX (sizes.n_stream, tp_probe_get_cache_bytes () / 2);
  return sizes;
}

static gboolean
add_input (TpGraphBuilder *builder, const char *name, gint64 rows,
           gint64 columns, GError **error)
{
  const TpDimSpec dims[] = { { rows, NULL }, { columns, NULL } };
  const TpTensorSpec input = { name, TPLAN_DTYPE_FLOAT32, 2, dims, name };

  return tp_graph_builder_add_input (builder, &input, error);
}

static gboolean
add_weights (TpGraphBuilder *builder, const char *name, gint64 rows,
             gint64 columns, GError **error)
{
  const TpTensor weights
      = { .name = name,
          .dtype = TPLAN_DTYPE_FLOAT32,
          .rank = 2,
          .dims = (gint64[]){ rows, columns },
          .init = { .kind = TP_INIT_RANDOM, .seed = 1, .value = 0.03 } };

  return tp_graph_builder_add_constant (builder, &weights, name, error);
}

static gboolean
add_relu (TpGraphBuilder *builder, const char *input, const char *output,
          GError **error)
{
  const TpNode node = { .name = output, .type = "Relu", .place = output };
  const TpNodeNames names = { 1, &input, 1, &output };

  return tp_graph_builder_add_node (builder, &node, names, error);
}

static gboolean
add_matmul (TpGraphBuilder *builder, const char *input, const char *weights,
            const char *output, GError **error)
{
  const char *const inputs[] = { input, weights };
  const TpNode node = { .name = output, .type = "MatMul", .place = output };
  const TpNodeNames names = { 2, inputs, 1, &output };

  return tp_graph_builder_add_node (builder, &node, names, error);
}

static gboolean
add_tiny (TpGraphBuilder *builder, GError **error)
{
  if (!add_input (builder, "t0", 1, 16, error))
    return FALSE;
  for (int i = 0; i < N_TINY; i++)
    {
      g_autofree char *from = g_strdup_printf ("t%d", i);
      g_autofree char *to = g_strdup_printf ("t%d", i + 1);

      if (!add_relu (builder, from, to, error))
        return FALSE;
    }
  return TRUE;
}

TpGraph *
tp_constants_build_graph (const TpConstantsSizes *sizes, GError **error)
{
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("constants", 17);
  g_autofree char *last = g_strdup_printf ("t%d", N_TINY);
  gint64 side = sizes->n_side, narrow = sizes->n_narrow;

  if (!add_input (builder, "a", side, side, error)
      || !add_input (builder, "b", narrow, side, error)
      || !add_input (builder, "c", sizes->n_stream / 1024, 1024, error)
      || !add_weights (builder, "v", side, side, error)
      || !add_weights (builder, "w", side, narrow, error)
      || !add_tiny (builder, error)
      || !add_matmul (builder, "a", "v", "peak", error)
      || !add_matmul (builder, "b", "w", "narrow", error)
      || !add_relu (builder, "c", "stream", error)
      || !tp_graph_builder_add_output (builder, last, last, error)
      || !tp_graph_builder_add_output (builder, "peak", "peak", error)
      || !tp_graph_builder_add_output (builder, "narrow", "narrow", error)
      || !tp_graph_builder_add_output (builder, "stream", "stream", error))
    return NULL;
  return tp_graph_builder_finish (builder, NULL, error);
}
