/* pass.h: passes: each makes of a graph one that computes the same and is better
 * to run. A pass is one record in a file of its own; passes.def lists them.
 *
 * A pass finds the nodes of the draft sorted and linked, none removed. It may
 * leave removed nodes, dead ones and tensors that nobody reads: they are swept
 * out behind it. */
#ifndef TP_GRAPH_PASS_H
#define TP_GRAPH_PASS_H

#include "graph/graph-draft.h"

typedef struct
{
  const char *name;           /* in options and plans; never changes */
  const char *summary;        /* one line */
  const char *required;       /* (nullable) why it cannot be left out */
  gboolean is_layout;         /* chooses strides, which no file has: runs on no
                               * graph that is laid out already */
  gboolean (*concerns) (const TpNode *node); /* (nullable) where no node does, it
                               * finds nothing, and is not run */
  gboolean (*run) (TpDraft *draft, GError **error);
} TpPass;

/* All, in the order they run. */
const TpPass *const *tp_pass_list (int *out_n);

/* Which passes run; { 0 } is all. */
typedef struct
{
  const char *const *left_out;/* (nullable) names of passes */
  const char *last;           /* (nullable) the pass to stop after */
} TpPassOptions;

/* TPLAN_ERROR_USAGE: a name that no pass has, or one of a pass that cannot be
 * left out; says which can be, or why. */
gboolean tp_pass_check_options (const TpPassOptions *options, GError **error);

/**
 * tp_graph_prepare:
 *
 * A graph equal to @graph in what it computes, after all passes: what plans are
 * made for.
 */
TpGraph *tp_graph_prepare (const TpGraph *graph, GError **error);
/* The same after some of the passes; errors of tp_pass_check_options () too. */
TpGraph *tp_graph_prepare_with (const TpGraph *graph,
                                const TpPassOptions *options, GError **error);
/* The same of a @graph that is (transfer full): where nobody else has it, what is made
 * takes its place. */
TpGraph *tp_graph_prepare_taken (TpGraph *graph, const TpPassOptions *options,
                                 GError **error);
/* The passes that choose no strides, and those that do. */
TpGraph *tp_graph_simplify (const TpGraph *graph, GError **error);
TpGraph *tp_graph_assign_layout (const TpGraph *graph, GError **error);

#endif
