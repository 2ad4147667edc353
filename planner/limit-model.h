/* limit-model.h: what placements cost and hold, as sums of like terms.
 *
 * A term has a device, a maker and readers: its price is paid where the maker is
 * not on that device and any reader is. A copy is one; a gain of a group on one
 * device is lost where any member is on the other; bytes are held where any that
 * reads them is. What depends on one op alone is its own cost. */
#ifndef TP_PLANNER_LIMIT_MODEL_H
#define TP_PLANNER_LIMIT_MODEL_H

#include "ir/array.h"
#include "ir/memory-proof.h"
#include "planner/limit-held.h"

typedef struct
{
  char kind;                  /* as in TpMemoryShare */
  int index, row;
  int device;
  int maker;                  /* -1: none: paid wherever a reader is there */
  gint64 price;
  int first, n;               /* readers: ascending ops */
} TpLimitTerm;

typedef struct
{
  TpArray *terms;             /* TpLimitTerm */
  TpArray *readers;           /* int */
  gint64 *own;                /* [op * 2 + device]; TP_COST_NONE: not there */
  int n_ops;
} TpLimitTerms;

typedef struct
{
  const TpProblem *problem;   /* (unowned) */
  gint64 limits[2];           /* [device], 0: none; no more than the pool has */
  gint64 pool;                /* for both together; 0: no limit, or no pool */
  TpLimitTerms *costs;
  int *first_term, *term_of;  /* [op], into the other: terms it is in */
  gint64 constant;            /* gains of groups: what is paid, less this */
  gint64 sum;                 /* of all prices and own costs */
  int n_ops;
  TpLimitHeld held;
} TpLimitModel;

/* Two devices. */
TpLimitModel *tp_limit_model_new (const TpProblem *problem);
void tp_limit_model_free (TpLimitModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpLimitModel, tp_limit_model_free)

static inline gboolean
tp_limit_model_may_move (const TpLimitModel *model, int op)
{
  return model->costs->own[2 * (gsize) op] != TP_COST_NONE
         && model->costs->own[2 * (gsize) op + 1] != TP_COST_NONE;
}

/* The ops that are to be on the device of @op, which are one choice: @op alone, or its
 * colocation; ascending. */
static inline TpColocation
tp_limit_model_get_unit (const TpLimitModel *model, const int *op)
{
  const TpGraph *graph = model->problem->graph;
  int index = graph->colocation_of == NULL ? -1 : graph->colocation_of[*op];

  return index < 0 ? (TpColocation){ 1, op } : graph->colocations[index];
}

/* Whether choices of @op are those of its unit: it is its first op, and may be on
 * either device. */
static inline gboolean
tp_limit_model_is_choice (const TpLimitModel *model, int op)
{
  return tp_limit_model_may_move (model, op)
         && tp_limit_model_get_unit (model, &op).nodes[0] == op;
}

/* @devices: of its unit: @device, or TP_LIMIT_FREE. */
static inline void
tp_limit_model_set (const TpLimitModel *model, gint8 *devices, int op,
                    int device)
{
  TpColocation unit = tp_limit_model_get_unit (model, &op);

  for (int i = 0; i < unit.n_nodes; i++)
    devices[unit.nodes[i]] = (gint8) device;
}

/* Whether both devices can take too much of what they share. */
static inline gboolean
tp_limit_model_has_pool (const TpLimitModel *model)
{
  return model->pool > 0 && (model->pool + 1) / 2 < model->held.all_bytes;
}

/* With @prices (TpMemoryPrice) on memory. @has_costs: besides what all else
 * costs. */
TpLimitTerms *tp_limit_terms_new (const TpLimitModel *model,
                                  const TpArray *prices, gboolean has_costs);
void tp_limit_terms_free (TpLimitTerms *terms);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpLimitTerms, tp_limit_terms_free)

static inline const int *
tp_limit_term_readers (const TpLimitTerms *terms, const TpLimitTerm *term)
{
  return (const int *) (void *) terms->readers->data + term->first;
}

#endif
