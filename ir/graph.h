/* graph.h: an immutable tensor graph.
 *
 * Nodes are stored in topological order. Tensors and nodes are named by index.
 * Built by a TpGraphBuilder (both readers use it), changed only by passes
 * that return a new graph. */
#ifndef TP_IR_GRAPH_H
#define TP_IR_GRAPH_H

#include "ir/array.h"
#include "ir/dims.h"
#include "ir/limit.h"
#include "ir/region.h"
#include "ir/types.h"

typedef struct TpOp TpOp;
typedef struct TpGraph TpGraph;
typedef struct TpRecipe TpRecipe;

/* Where the value of a constant comes from; made real only when asked for, so
 * that planning never touches weights. */
typedef enum
{
  TP_INIT_NONE,   /* computed or an input */
  TP_INIT_DATA,   /* row-major bytes, borrowed from a file kept by the graph;
                   * aligned only by luck */
  TP_INIT_RANDOM, /* seed, std */
  TP_INIT_FILL,   /* one value */
  TP_INIT_RECIPE, /* computed from other constants: see recipe.h */
} TpInitKind;

typedef struct
{
  TpInitKind kind;
  const void *data;           /* DATA: (owned by the graph) */
  guint64 seed;               /* RANDOM */
  double value;               /* RANDOM: std; FILL: the value */
  TpRecipe *recipe;           /* RECIPE: (owned by the graph) */
  int output;                 /* RECIPE: which of its values */
  const gint64 *steps;        /* NULL, or how far each dimension steps in the
                               * source (a folded Transpose); (owned by the
                               * graph) */
  const double *scale;        /* NULL, or one factor per index of dimension 0
                               * (a folded BatchNormalization); (owned by the
                               * graph) */
} TpInit;

/* What copying a tensor costs, as the graph has it. */
typedef struct
{
  const char *device;
  gint64 to_ns, from_ns;      /* from host memory to it, and back */
  gint64 to_spread_ns, from_spread_ns; /* halves of 95 % intervals */
} TpGivenCopy;

typedef struct
{
  const char *name;           /* (owned by the graph), unique */
  TpDtype dtype;
  int rank;
  const gint64 *dims;         /* [rank] (owned by the graph): most tensors of one
                               * form have them in common, so they are not written */
  const gint64 *strides;      /* likewise: elements; row-major except where the layout
                               * pass chose channels-last */
  gint64 count;               /* elements */
  gint64 size_bytes;
  TpInit init;
  int producer;               /* node, or -1: input or constant */
  int n_consumers;
  const int *consumers;       /* nodes, ascending, each once */
  gboolean is_input;
  gboolean is_output;
  int state;                  /* 0: none; else 1 + the tensor whose bytes stay on
                               * a device from run to run: this one, or one that
                               * this is the next value of, stored in its place */
  int n_copies;               /* given in the file */
  const TpGivenCopy *copies;
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
  gint64 spread_ns;           /* half of the 95 % interval */
} TpNodeCost;

/* What the graph says that some ops cost where they run as one kernel. */
typedef struct
{
  const char *place;          /* in the source, such as "groups[0]" */
  int n_costs;
  const TpNodeCost *costs;
} TpGroupFigures;

typedef struct
{
  const char *name;           /* unique; made up if the file has none */
  const char *type;           /* as written, such as "Conv" */
  const TpOp *op;             /* NULL: opaque, has costs only */
  int opset;                  /* of the graph: rules differ between versions;
                               * set by the builder */
  int n_inputs, n_outputs;
  gboolean has_small_sums;    /* of products of small integers: none of some of them
                               * is above 2^24 in magnitude; set by a pass */
  const int *inputs;          /* tensors; -1: optional input left out */
  const int *outputs;
  int branch;                 /* of drafts: 1 + the branch of an If it is in; 0: of
                               * none, as in every graph */
  int body;                   /* of drafts: 1 + what it computes again and again, as a
                               * Loop does; 0: nothing, as in every graph */
  int n_attrs;
  int n_costs;                /* given in the file */
  const TpAttr *attrs;
  const char *const *pins;    /* NULL: any device; else NULL-terminated names */
  const TpNodeCost *costs;
  const char *colocation;     /* (nullable): all ops that name it are on one
                               * device */
  const TpGroupFigures *group; /* (nullable): all ops that have this are one kernel
                               * where it has a figure */
  const char *place;          /* in the source, such as "ops[3]" */
} TpNode;

/* Ops that are on one device, wherever that is. */
typedef struct
{
  int n_nodes;                /* two or more */
  const int *nodes;           /* ascending */
} TpColocation;

/* Ops of which the graph says what they cost as one kernel. Others that read what these
 * make stand after the last of them. */
typedef struct
{
  int n_nodes;                /* two or more */
  const int *nodes;           /* ascending */
  const TpGroupFigures *figures;
} TpGivenGroup;

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
  int n_colocations;
  const TpColocation *colocations; /* disjoint, by their first nodes */
  const int *colocation_of;   /* [node]: which of them, or -1; NULL: there are
                               * none */
  int n_groups;
  const TpGivenGroup *groups; /* disjoint, by their first nodes */
  const int *group_of;        /* [node]: which of them, or -1; NULL: there are
                               * none */
  struct TpRegion *region;     /* everything above lives here, but for */
  TpArray *tables[2];          /* (nullable): @tensors and @nodes; graphs made of
                                * this one hold @region, and have their own */
  char *digest;                /* kept by tp_graph_digest (); NULL: not yet */
  struct TpOutline *outline;   /* likewise by tp_graph_get_outline () */
};

TpGraph *tp_graph_ref (TpGraph *graph);
void tp_graph_unref (TpGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpGraph, tp_graph_unref)

static inline gboolean
tp_tensor_is_constant (const TpTensor *tensor)
{
  return tensor->init.kind != TP_INIT_NONE;
}

/* Whether its elements lie in the order of its dimensions, without gaps. */
gboolean tp_tensor_is_row_major (const TpTensor *tensor);

/* What devices have already when a run begins, or keep when it ends: never copied. */
static inline gboolean
tp_tensor_is_resident (const TpTensor *tensor)
{
  return tp_tensor_is_constant (tensor) || tensor->state > 0;
}

/* Of a tensor that is resident, where it is read. What is the next value of a state
 * has no bytes of its own. */
static inline gint64
tp_tensor_get_resident_bytes (const TpTensor *tensor)
{
  return tensor->state > 0 && tensor->producer >= 0 ? 0 : tensor->size_bytes;
}

/* Those that are states themselves, in their order. Free it. */
int *tp_graph_list_states (const TpGraph *graph, int *out_n);

/* Whether @node is still there and of the type that a pass is about. What a pass
 * asks of ops that it does not rewrite is no matter of names: see TpOpFlags. */
gboolean tp_node_is (const TpNode *node, const char *type);
const TpAttr *tp_node_find_attr (const TpNode *node, const char *name);
/* Whether the graph says where @node is to be or what it costs: then passes do not
 * make it part of something else. */
gboolean tp_node_is_told (const TpNode *node);
/* What the graph itself says @node costs on @device, or NULL. */
const TpNodeCost *tp_node_find_cost (const TpNode *node, const char *device);
/* Of @costs that on @device, or NULL. */
const TpNodeCost *tp_node_cost_find (const TpNodeCost *costs, int n,
                                     const char *device);
/* What the graph gives of just these @nodes, ascending, as one; or NULL. */
const TpGivenGroup *tp_graph_find_group (const TpGraph *graph,
                                         const int *nodes, int n_nodes);
/* Of that on @device, or NULL. */
const TpNodeCost *tp_given_group_find_cost (const TpGivenGroup *group,
                                            const char *device);
/* Whether one of @devices has a figure of @group: NULL-terminated. */
gboolean tp_given_group_counts (const TpGivenGroup *group,
                                const char *const *devices);
/* tp_near_name_ask () of the names of its ops. */
char *tp_graph_ask_op (const TpGraph *graph, const char *typed);
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

#endif
