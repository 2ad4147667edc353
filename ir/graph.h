/* graph.h: an immutable tensor graph.
 *
 * Nodes are stored in topological order. Tensors and nodes are named by index.
 * Built by a TpGraphBuilder (both readers use it), changed only by passes
 * that return a new graph. */
#ifndef TP_IR_GRAPH_H
#define TP_IR_GRAPH_H

#include "ir/limit.h"
#include "ir/types.h"

typedef struct TpOp TpOp;
typedef struct TpGraph TpGraph;
typedef struct TpGraphBuilder TpGraphBuilder;

/* Where the value of a constant comes from; made real only when asked for, so
 * that planning never touches weights. */
typedef enum
{
  TP_INIT_NONE,   /* computed or an input */
  TP_INIT_DATA,   /* row-major bytes, borrowed from a file kept by the graph;
                   * aligned only by luck */
  TP_INIT_RANDOM, /* seed, std */
  TP_INIT_FILL,   /* one value */
} TpInitKind;

typedef struct
{
  TpInitKind kind;
  const void *data;           /* DATA: (owned by the graph) */
  guint64 seed;               /* RANDOM */
  double value;               /* RANDOM: std; FILL: the value */
  const gint64 *steps;        /* NULL, or how far each dimension steps in the
                               * source (a folded Transpose); (owned by the
                               * graph) */
  const double *scale;        /* NULL, or one factor per index of dimension 0
                               * (a folded BatchNormalization); (owned by the
                               * graph) */
} TpInit;

typedef struct
{
  const char *name;           /* (owned by the graph), unique */
  TpDtype dtype;
  int rank;
  gint64 dims[TP_MAX_RANK];
  gint64 strides[TP_MAX_RANK];/* elements; row-major except where the layout
                               * pass chose channels-last */
  gint64 count;               /* elements */
  gint64 size_bytes;
  TpInit init;
  int producer;               /* node, or -1: input or constant */
  int n_consumers;
  const int *consumers;       /* nodes, ascending, each once */
  gboolean is_input;
  gboolean is_output;
} TpTensor;

typedef enum
{
  TP_ATTR_INT,
  TP_ATTR_FLOAT,
  TP_ATTR_STRING,
  TP_ATTR_INTS,
  TP_ATTR_FLOATS,
  TP_ATTR_TENSOR, /* an initializer of its own: index of a tensor */
  TP_ATTR_STRINGS,
} TpAttrKind;

typedef struct
{
  const char *name;
  TpAttrKind kind;
  gint64 i;                   /* INT; TENSOR: tensor index */
  double f;                   /* FLOAT; TENSOR: its value if n is 1 */
  const char *s;
  int n;                      /* of a list; TENSOR: elements, 2: or more */
  TpDtype dtype;              /* TENSOR */
  const gint64 *ints;
  const double *floats;
  const char *const *strings;
} TpAttr;

typedef struct
{
  const char *device;
  gint64 time_ns;
} TpNodeCost;

typedef struct
{
  const char *name;           /* unique; made up if the file has none */
  const char *type;           /* as written, such as "Conv" */
  const TpOp *op;             /* NULL: opaque, has costs only */
  int opset;                  /* of the graph: rules differ between versions;
                               * set by the builder */
  int n_inputs;
  const int *inputs;          /* tensors; -1: optional input left out */
  int n_outputs;
  const int *outputs;
  int n_attrs;
  const TpAttr *attrs;
  const char *const *pins;    /* NULL: any device; else NULL-terminated names */
  int n_costs;                /* given in the file */
  const TpNodeCost *costs;
  const char *place;          /* in the source, such as "ops[3]" */
} TpNode;

struct TpGraph
{
  int ref_count;
  const char *name;
  const char *source;         /* file it came from, or NULL */
  int opset;
  int n_tensors;
  TpTensor *tensors;
  int n_nodes;
  TpNode *nodes;
  int n_inputs;
  const int *inputs;          /* tensors fed by the caller */
  int n_outputs;
  const int *outputs;
  struct TpRegion *region;     /* everything above lives here */
};

TpGraph *tp_graph_ref (TpGraph *graph);
void tp_graph_unref (TpGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpGraph, tp_graph_unref)

/* Names to values for symbolic dims; NULL: none. */
typedef GHashTable TpDims; /* char* -> gint64* */

/* The value of an input, row-major; it may be empty. */
typedef struct
{
  TpDtype dtype;
  int rank;
  gint64 dims[TP_MAX_RANK];
  const void *data;           /* (borrowed) copied when bound */
} TpInputValue;

/* Names to values of inputs, which are constants from then on: a graph has
 * shapes when it is loaded, and some hang on what an input holds. */
typedef GHashTable TpInputValues; /* char* -> TpInputValue* */

/* How to read a file; { 0 } is good. */
typedef struct
{
  TpDims *dims;               /* (nullable): values for symbolic dimensions; the
                               * file's own "dims" are defaults */
  const TpLimits *limits;     /* (nullable): the defaults */
  TpInputValues *values;      /* (nullable): they name dimensions too */
  gboolean follow_links;      /* files a model names may be links */
  gboolean keep_unknown;      /* ops of unknown type are no error before shapes
                               * are inferred: for tp_graph_open () */
  gboolean skip_unknown_attrs;/* and what attributes they have does not matter */
} TpLoadOptions;

/**
 * tp_graph_read:
 * @path: a .json (tplan-graph/1) or .onnx file; told apart by content
 *
 * Reads, binds dims and values, sorts, infers shapes and folds constants.
 * TPLAN_ERROR_INPUT names file and place; TPLAN_ERROR_UNSUPPORTED the op;
 * TPLAN_ERROR_LIMIT what the file has too much of; TPLAN_ERROR_USAGE the binding
 * of what the graph has not.
 */
TpGraph *tp_graph_read (const char *path, const TpLoadOptions *options,
                        GError **error);
TpGraph *tp_graph_read_json (const char *path, const char *text, gsize size,
                             const TpLoadOptions *options, GError **error);
TpGraph *tp_graph_read_onnx (const char *path, GBytes *bytes,
                             const TpLoadOptions *options, GError **error);
/* The same, with no options but @dims. */
TpGraph *tp_graph_load (const char *path, TpDims *dims, GError **error);
TpGraph *tp_graph_load_json (const char *path, const char *text, gsize size,
                             TpDims *dims, GError **error);
TpGraph *tp_graph_load_onnx (const char *path, GBytes *bytes, TpDims *dims,
                             GError **error);

/* Passes: each returns a new graph and leaves its argument alone. */
TpGraph *tp_graph_simplify (const TpGraph *graph, GError **error);
  /* drops Identity and dead ops; folds BatchNormalization into Conv */
TpGraph *tp_graph_assign_layout (const TpGraph *graph, GError **error);
  /* rank-4 float activations become channels-last; "Relayout" ops are put
   * where a consumer (Reshape, graph output) needs row-major */
TpGraph *tp_graph_prepare (const TpGraph *graph, GError **error);
  /* simplify + assign_layout: what plans are made for */

/* Hex SHA-256 over structure, names of ops, shapes, layouts, attributes, and the
 * values of single numbers and of integers up to 4 KiB; of other constants shape
 * and type only: a retrained model keeps its plan. Caller frees. */
char *tp_graph_digest (const TpGraph *graph);

/* Writes the value of a constant, row-major, @tensor->size_bytes. */
void tp_tensor_write_value (const TpTensor *tensor, void *dst);
/* The same as doubles, @tensor->count of them. */
void tp_tensor_write_doubles (const TpTensor *tensor, double *dst);
static inline gboolean
tp_tensor_is_constant (const TpTensor *tensor)
{
  return tensor->init.kind != TP_INIT_NONE;
}

const TpAttr *tp_node_find_attr (const TpNode *node, const char *name);
gint64 tp_node_get_int (const TpNode *node, const char *name, gint64 fallback);
double tp_node_get_float (const TpNode *node, const char *name,
                          double fallback);
const char *tp_node_get_string (const TpNode *node, const char *name,
                                const char *fallback);
/* Borrowed; *out_n = 0 and NULL when absent. */
const gint64 *tp_node_get_ints (const TpNode *node, const char *name,
                                int *out_n);
const double *tp_node_get_floats (const TpNode *node, const char *name,
                                  int *out_n);
const char *const *tp_node_get_strings (const TpNode *node, const char *name,
                                        int *out_n);

/* ---- building ---------------------------------------------------------- */

/* A dimension while building: a number, or a name to bind. */
typedef struct
{
  gint64 value;               /* >= 0, or -1 when @name is set */
  const char *name;
} TpDimSpec;

TpGraphBuilder *tp_graph_builder_new (const char *name, int opset);
void tp_graph_builder_free (TpGraphBuilder *builder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpGraphBuilder, tp_graph_builder_free)

/* Keeps @bytes alive as long as the graph: DATA inits may point into it. */
void tp_graph_builder_keep (TpGraphBuilder *builder, GBytes *bytes);
void tp_graph_builder_set_source (TpGraphBuilder *builder, const char *path);
void tp_graph_builder_set_dim (TpGraphBuilder *builder, const char *name,
                               gint64 value);

/* All strings are copied. Errors: duplicate names, limits; @place goes into the
 * message. Tensors may be named before they are produced (ONNX orders nodes
 * topologically; the builder reports cycles and use of unknown names). */
gboolean tp_graph_builder_add_input (TpGraphBuilder *builder, const char *name,
                                     TpDtype dtype, int rank,
                                     const TpDimSpec *dims, const char *place,
                                     GError **error);
gboolean tp_graph_builder_add_constant (TpGraphBuilder *builder,
                                        const char *name, TpDtype dtype,
                                        int rank, const gint64 *dims,
                                        const TpInit *init, const char *place,
                                        GError **error);
gboolean tp_graph_builder_add_output (TpGraphBuilder *builder, const char *name,
                                      const char *place, GError **error);

/* Says what a tensor yet to be produced is: the only way to give the outputs of
 * an op that has costs only a shape; for others it is compared with what is
 * inferred. Before or after the node that produces it. */
gboolean tp_graph_builder_declare (TpGraphBuilder *builder, const char *name,
                                   TpDtype dtype, int rank,
                                   const TpDimSpec *dims, const char *place,
                                   GError **error);
/* For a file of @size_bytes: how much may be made of it. No limit on memory
 * before. @limits: (nullable): the defaults */
void tp_graph_builder_set_limits (TpGraphBuilder *builder,
                                  const TpLimits *limits, gint64 size_bytes);
/* Another file of @size_bytes belongs to it. */
void tp_graph_builder_allow (TpGraphBuilder *builder, gint64 size_bytes);
gboolean tp_graph_builder_has_node (TpGraphBuilder *builder, const char *name);
/* Whether a tensor is an input, a constant or the output of a node so far. */
gboolean tp_graph_builder_is_defined (TpGraphBuilder *builder,
                                      const char *tensor);

/* @node: name, type, attrs, pins, costs, place are read and copied; inputs and
 * outputs are given by tensor name ("" or NULL: left out). TENSOR attributes
 * name a constant added before, by index in order of add_constant (). */
gboolean tp_graph_builder_add_node (TpGraphBuilder *builder, const TpNode *node,
                                    int n_inputs, const char *const *inputs,
                                    int n_outputs, const char *const *outputs,
                                    GError **error);

/* Makes inputs constant, by name; they name the dimensions they have, where
 * @dims does not. */
gboolean tp_graph_builder_bind (TpGraphBuilder *builder, TpInputValues *values,
                                TpDims *dims, GError **error);

/* Binds dims, sorts, checks, infers shapes, folds constants; frees nothing. */
TpGraph *tp_graph_builder_finish (TpGraphBuilder *builder, TpDims *dims,
                                  GError **error);

#endif
