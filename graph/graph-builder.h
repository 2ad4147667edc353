/* graph-builder.h: graphs from the names and shapes that files have. */
#ifndef TP_GRAPH_GRAPH_BUILDER_H
#define TP_GRAPH_GRAPH_BUILDER_H

#include "ir/graph.h"

typedef struct TpGraphBuilder TpGraphBuilder;

/* A dimension while building: a number, or a name to bind. */
typedef struct
{
  gint64 value;               /* >= 0, or -1 when @name is set */
  const char *name;
} TpDimSpec;

/* What a file says of a tensor. */
typedef struct
{
  const char *name;
  TpDtype dtype;
  int rank;
  const TpDimSpec *dims;
  const char *place;          /* (nullable): in the file, for messages */
} TpTensorSpec;

/* The tensors of a node; "" or NULL: left out. */
typedef struct
{
  int n_inputs;
  const char *const *inputs;
  int n_outputs;
  const char *const *outputs;
} TpNodeNames;

TpGraphBuilder *tp_graph_builder_new (const char *name, int opset);
void tp_graph_builder_free (TpGraphBuilder *builder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpGraphBuilder, tp_graph_builder_free)

/* Keeps @bytes alive as long as the graph: DATA inits may point into it. */
void tp_graph_builder_keep (TpGraphBuilder *builder, GBytes *bytes);
void tp_graph_builder_set_source (TpGraphBuilder *builder, const char *path);
void tp_graph_builder_set_dim (TpGraphBuilder *builder, const char *name,
                               gint64 value);

/* All strings are copied. Errors: duplicate names, limits; the place goes into
 * the message. Tensors may be named before they are produced (ONNX orders nodes
 * topologically; the builder reports cycles and use of unknown names). */
gboolean tp_graph_builder_add_input (TpGraphBuilder *builder,
                                     const TpTensorSpec *spec, GError **error);
/* @constant: its name, type, rank, dims and init are read. */
gboolean tp_graph_builder_add_constant (TpGraphBuilder *builder,
                                        const TpTensor *constant,
                                        const char *place, GError **error);
/* Bytes that stay on a device from run to run; @next: (nullable): the tensor that
 * is stored in their place, made by some op. */
gboolean tp_graph_builder_add_state (TpGraphBuilder *builder,
                                     const TpTensorSpec *spec,
                                     const char *next, GError **error);
/* What copies of the tensor called @name cost; it is defined. */
gboolean tp_graph_builder_give_copies (TpGraphBuilder *builder,
                                       const char *name,
                                       const TpGivenCopy *copies, int n,
                                       GError **error);
gboolean tp_graph_builder_add_output (TpGraphBuilder *builder, const char *name,
                                      const char *place, GError **error);

/* Says what a tensor yet to be produced is: the only way to give the outputs of
 * an op that has costs only a shape; for others it is compared with what is
 * inferred. Before or after the node that produces it. */
gboolean tp_graph_builder_declare (TpGraphBuilder *builder,
                                   const TpTensorSpec *spec, GError **error);

gboolean tp_graph_builder_has_node (TpGraphBuilder *builder, const char *name);

/* Whether a tensor is an input, a constant or the output of a node so far. */
gboolean tp_graph_builder_is_defined (TpGraphBuilder *builder,
                                      const char *tensor);

#endif
