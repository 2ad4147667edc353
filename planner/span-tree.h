/* span-tree.h: how long a run takes at least: the stages of the graph one after the
 * other, each from the device on which it starts to that on which it ends, with
 * branch and bound over its ops. */
#ifndef TP_PLANNER_SPAN_TREE_H
#define TP_PLANNER_SPAN_TREE_H

#include "ir/span-proof.h"
#include "planner/span-stage.h"

typedef struct
{
  const TpProblem *problem;   /* (unowned) */
  TpSpanStages *stages;
  TpSpanStage stage;
  guint8 *allowed;            /* [node]: what @stage has of it where nothing is fixed */
  TpArray *nodes;             /* of all trees */
  int *roots;                 /* [(stage * devices + from) * devices + to]: node; -1:
                               * none */
  int *lowest;                /* likewise: the end with the lowest bound */
  gint64 *reach;              /* [waist * devices + device]: it ends there no sooner */
  guint8 *via;                /* likewise: where the one before is then */
  guint8 *chosen;             /* [waist]: device on the way that ends first */
  gint64 bound_ns;
  gint64 work_left;           /* ops that may be looked at */
} TpSpanTree;

/* A root for each stage and its devices; bound_ns is 0 where there is too much of it,
 * or all engines are one. */
TpSpanTree *tp_span_tree_new (const TpProblem *problem);
void tp_span_tree_free (TpSpanTree *tree); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpSpanTree, tp_span_tree_free)

/* Fixes an op of each stage on the path. FALSE: it proves @target, or enough was
 * done. */
gboolean tp_span_tree_grow (TpSpanTree *tree, gint64 target);
/* Sets those of @devices ([node]) of which the bound is made. */
void tp_span_tree_fill_devices (const TpSpanTree *tree, guint8 *devices);
/* Sets the waists and the tree of @proof, and raises its bound. */
void tp_span_tree_fill_proof (TpSpanTree *tree, TpSpanProof *proof);

#endif
