/* graph-draft.h: a graph that can still be changed; for builder and passes.
 *
 * A pass copies a graph into a draft, changes nodes and tensors in place, and
 * finishes it into a new graph. Links (producer, consumers) are made by
 * tp_draft_link () and tp_draft_finish (), never by hand. */
#ifndef TP_GRAPH_GRAPH_DRAFT_H
#define TP_GRAPH_GRAPH_DRAFT_H

#include "ir/array.h"
#include "ir/map.h"
#include "ir/graph.h"
#include "ir/region.h"

#define TP_RANK_UNKNOWN (-1)
#define TP_DRAFT_FORMS 64     /* a power of two */

/* What is computed if a condition has a value, until it is known which it has; or
 * what an op computes again and again. */
typedef struct
{
  int condition;              /* tensor; -1: it is a body */
  gboolean value;
  int parent;                 /* 1 + the branch that this one is in; 0: none */
  int body;                   /* 1 + that body; 0: it is of an If */
} TpBranch;

/* What a Loop, Scan or SequenceMap computes again and again: ops that are made anew
 * for each round, of tensors that are. All else that they name is what it is
 * outside. */
typedef struct
{
  const char *prefix;         /* of the names of its tensors */
  int branch;                 /* 1 + the one that stands for it */
  int n_own;                  /* inputs of its op; what it names besides of what other
                               * ops make follows there */
  TpArray *nodes;             /* (owned) TpNode, sorted */
  TpArray *inputs, *outputs;  /* (owned) int: tensors */
  TpArray *branches;          /* (owned) int: 1 + those right in it, parents first */
} TpDraftBody;

typedef struct
{
  TpRegion *region;           /* (owned) */
  const char *name;
  const char *source;
  int opset;
  TpLimits limits;
  TpArray *tensors;           /* TpTensor; strings and arrays in @region */
  TpArray *nodes;             /* TpNode; a NULL type marks one removed */
  TpArray *inputs, *outputs;  /* int: tensors */
  TpArray *branches;          /* TpBranch; none once shapes are inferred */
  TpArray *bodies;            /* TpDraftBody; likewise */
  gboolean has_control;       /* ops that are gone once shapes are inferred */
  gboolean is_parted;         /* ops of bodies are in these, not in @nodes */
  TpMap *names[2];            /* of tensors and of nodes, with how often a new
                               * one was made from each; made when asked for */
  gint64 n_constants;         /* elements of those made by passes */
  const gint64 *forms[TP_DRAFT_FORMS]; /* (nullable) each: the last one met there of
                               * rank, dimensions and strides, in @region */
} TpDraft;

TpDraft *tp_draft_new (gint64 budget_bytes);
/* Keeps @graph alive as long as the draft or what it becomes. */
TpDraft *tp_draft_new_from_graph (const TpGraph *graph);
/* The same of a graph that is (transfer full): where nobody else has it, nothing is
 * copied. */
TpDraft *tp_draft_take_graph (TpGraph *graph);
void tp_draft_free (TpDraft *draft);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpDraft, tp_draft_free)

/* Valid until the next tensor or node is added. */
static inline TpTensor *
tp_draft_tensor (TpDraft *draft, int tensor)
{
  return &tp_array_index (draft->tensors, TpTensor, tensor);
}

static inline TpNode *
tp_draft_node (TpDraft *draft, int node)
{
  return &tp_array_index (draft->nodes, TpNode, node);
}

static inline TpDraftBody *
tp_draft_body (TpDraft *draft, int body)
{
  return &tp_array_index (draft->bodies, TpDraftBody, body - 1);
}

/* NULL: 0, which is none. */
static inline const TpBranch *
tp_draft_branch (TpDraft *draft, int branch)
{
  return branch == 0 ? NULL
                     : &tp_array_index (draft->branches, TpBranch, branch - 1);
}

/* Node inputs and outputs live in the region, so they may be written. */
static inline int *
tp_node_edit (const int *tensors)
{
  return (int *) tensors;
}

int tp_draft_add_tensor (TpDraft *draft, const TpTensor *tensor);
/* Sets rank, dims, row-major strides, count and size of @tensor, which is or will be
 * of @draft; FALSE on overflow. */
gboolean tp_draft_set_shape (TpDraft *draft, TpTensor *tensor, TpDtype dtype,
                             int rank, const gint64 *dims);
/* Sets these alone: of a tensor that has a rank. */
void tp_draft_set_form (TpDraft *draft, TpTensor *tensor, const gint64 *dims,
                        const gint64 *strides);

/* Sets the producer of every tensor. */
void tp_draft_link (TpDraft *draft);
/* Adds to @n_uses, one per tensor, how often nodes, outputs and states name it. */
void tp_draft_count_uses (TpDraft *draft, int *n_uses);
/* How many products a contraction sums up, G_MAXINT64 if nobody can tell; 0 of all other
 * ops, which go over what they read and write. */
gint64 tp_draft_count_products (TpDraft *draft, const TpNode *node);
/* Forgets tensors that no node, input or output names. */
gboolean tp_draft_remove_unused_tensors (TpDraft *draft, GError **error);
/* Drops nodes that are removed or dead, and links the rest; nodes must be
 * sorted. */
void tp_draft_sweep (TpDraft *draft);
/* Drops removed nodes and makes the graph; @draft is left empty. */
TpGraph *tp_draft_finish (TpDraft *draft, GError **error);

/* "file: place: " for messages; @place may be NULL. */
char *tp_draft_dup_prefix (const TpDraft *draft, const char *place);

#endif
