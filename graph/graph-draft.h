/* graph-draft.h: a graph that can still be changed; for builder and passes.
 *
 * A pass copies a graph into a draft, changes nodes and tensors in place, and
 * finishes it into a new graph. Links (producer, consumers) are made by
 * tp_draft_link () and tp_draft_finish (), never by hand. */
#ifndef TP_GRAPH_GRAPH_DRAFT_H
#define TP_GRAPH_GRAPH_DRAFT_H

#include "ir/graph.h"
#include "ir/region.h"

#define TP_RANK_UNKNOWN (-1)

typedef struct
{
  TpRegion *region;           /* (owned) */
  const char *name;
  const char *source;
  int opset;
  TpLimits limits;
  GArray *tensors;            /* TpTensor; strings and arrays in @region */
  GArray *nodes;              /* TpNode; a NULL type marks one removed */
  GArray *inputs, *outputs;   /* int: tensors */
  GHashTable *names[2];       /* of tensors and of nodes, with how often a new
                               * one was made from each; made when asked for */
  gint64 n_constants;         /* elements of those made by passes */
} TpDraft;

TpDraft *tp_draft_new (gint64 budget_bytes);
/* Keeps @graph alive as long as the draft or what it becomes. */
TpDraft *tp_draft_new_from_graph (const TpGraph *graph);
void tp_draft_free (TpDraft *draft);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpDraft, tp_draft_free)

/* Valid until the next tensor or node is added. */
static inline TpTensor *
tp_draft_tensor (TpDraft *draft, int tensor)
{
  return &g_array_index (draft->tensors, TpTensor, tensor);
}

static inline TpNode *
tp_draft_node (TpDraft *draft, int node)
{
  return &g_array_index (draft->nodes, TpNode, node);
}

/* Node inputs and outputs live in the region, so they may be written. */
static inline int *
tp_node_edit (const int *tensors)
{
  return (int *) tensors;
}

int tp_draft_add_tensor (TpDraft *draft, const TpTensor *tensor);
/* A name that no other tensor, or node, has: @stem, @suffix, and more if need
 * be. */
const char *tp_draft_make_tensor_name (TpDraft *draft, const char *stem,
                                       const char *suffix, GError **error);
const char *tp_draft_make_node_name (TpDraft *draft, const char *stem,
                                     const char *suffix, GError **error);
/* Sets rank, dims, row-major strides, count and size; FALSE on overflow. */
gboolean tp_tensor_set_shape (TpTensor *tensor, TpDtype dtype, int rank,
                              const gint64 *dims);

/* A constant that a pass makes, named after @stem; -1 on error. */
int tp_draft_add_values (TpDraft *draft, const char *stem, const char *suffix,
                         TpDtype dtype, int rank, const gint64 *dims,
                         const double *values, GError **error);
/* A tensor between two nodes that a pass makes of one; -1 on error. */
int tp_draft_add_stage (TpDraft *draft, const char *stem, TpDtype dtype,
                        int rank, const gint64 *dims, GError **error);

/* Sets the producer of every tensor. */
void tp_draft_link (TpDraft *draft);
/* Adds to @n_uses, one per tensor, how often nodes and outputs name it. */
void tp_draft_count_uses (TpDraft *draft, int *n_uses);
/* Topological order, kept as it is where it is right already.
 * TPLAN_ERROR_INPUT names the ops of a cycle. */
gboolean tp_draft_sort (TpDraft *draft, GError **error);
/* Marks nodes removed that no output needs; nodes must be sorted. */
void tp_draft_remove_dead (TpDraft *draft);
/* Forgets tensors that no node, input or output names. */
gboolean tp_draft_remove_unused_tensors (TpDraft *draft, GError **error);
/* Drops removed nodes and makes the graph; @draft is left empty. */
TpGraph *tp_draft_finish (TpDraft *draft, GError **error);

/* Infers shapes of sorted nodes and folds what is constant. */
gboolean tp_draft_infer (TpDraft *draft, GError **error);

/* Whether a pass may make constants of @n elements more: a small file must not
 * ask for gigabytes. Counts them. */
gboolean tp_draft_take_constants (TpDraft *draft, gint64 n);
/* BatchNormalizations of constants become ScaleShifts: no root and no division
 * per element. */
gboolean tp_draft_split_norms (TpDraft *draft, GError **error);

/* Resizes and Upsamples become Gathers and Interpolates, an op for each dimension
 * that changes. */
gboolean tp_draft_split_resizes (TpDraft *draft, GError **error);

/* Scatters by constant indices become Gathers and Wheres. */
gboolean tp_draft_split_scatters (TpDraft *draft, GError **error);

/* Transposes of constants become constants. */
gboolean tp_draft_fold_transposes (TpDraft *draft, GError **error);
/* Transposes that need no copy become views; after layouts are chosen. */
void tp_draft_permute (TpDraft *draft);
/* What exporters spell out becomes one node: Gelu, LayerNormalization, ... */
gboolean tp_draft_recognise (TpDraft *draft, GError **error);

/* "file: place: " for messages; @place may be NULL. */
char *tp_draft_dup_prefix (const TpDraft *draft, const char *place);

#endif
