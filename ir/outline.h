/* outline.h: what walks over a graph ask of its tensors and ops, close together.
 *
 * A TpTensor takes some 150 bytes and a TpNode 120: in a large graph a walk over
 * them waits for memory at every one. */
#ifndef TP_IR_OUTLINE_H
#define TP_IR_OUTLINE_H

#include "ir/graph.h"

typedef struct
{
  int producer;               /* node, or -1 */
  int n_readers;
  const int *readers;         /* (unowned): nodes, ascending, each once */
  gint64 size_bytes;
  int form;                   /* a tensor of the same type, dimensions and strides.
                               * Those with one number are alike; others may be */
  guint dtype : 8;            /* TpDtype */
  guint is_constant : 1;
  guint is_resident : 1;      /* tp_tensor_is_resident () */
  guint is_state : 1;         /* or the next value of one */
  guint is_output : 1;
} TpTensorOutline;

typedef struct
{
  const int *inputs, *outputs; /* tensors; -1: left out */
  const TpOp *op;             /* (nullable) */
  int n_inputs, n_outputs;
  int opset;
  guint kind : 8;             /* TpOpKind; of no op: OPAQUE */
  guint has_attrs : 1;
  guint has_small_sums : 1;
  guint is_pinned : 1;        /* may not be everywhere */
  guint is_view : 1;          /* tp_node_is_view () */
  guint is_stream : 1;        /* tp_node_is_stream () */
} TpNodeOutline;

typedef struct TpOutline
{
  const TpTensorOutline *tensors;
  const TpNodeOutline *nodes;
  gboolean gives_times;       /* the graph says what some ops cost, or groups of them, */
  gboolean gives_copies;      /* or copies */
} TpOutline;

/* Made when it is first asked for, and kept with @graph: (transfer none). */
const TpOutline *tp_graph_get_outline (const TpGraph *graph);

/* Whether @node only gives the bytes of its first input another shape. */
gboolean tp_node_is_view (const TpNode *node);
/* Whether @node sends a constant of the host to where it is read, in every run. It
 * is no unit, and no view. */
gboolean tp_node_is_stream (const TpNode *node);
/* The constant that @tensor is sent of; -1: it is not sent. */
int tp_graph_find_streamed (const TpGraph *graph, int tensor);

#endif
