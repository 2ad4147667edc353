/* recipe.h: constants that are computed from others: once, when somebody is about to
 * read them.
 *
 * A recipe is a graph without inputs whose outputs are the values of constants of
 * another graph. They are there while somebody holds them: a session makes them by the
 * kernels of its host, and lets each go once it has its own copy of it. */
#ifndef TP_IR_RECIPE_H
#define TP_IR_RECIPE_H

#include "ir/graph.h"

/* Writes every output of @graph, row-major, into @values, one each. FALSE: error. */
typedef gboolean (*TpRecipeMake) (TpGraph *graph, void *const *values,
                                  gpointer data, GError **error);

/**
 * tp_recipe_new:
 * @graph: (transfer full): of constants and ops of them
 * @reference: makes its values wherever there is no better way
 *
 * Nothing is computed.
 */
TpRecipe *tp_recipe_new (TpGraph *graph, TpRecipeMake reference);
void tp_recipe_free (TpRecipe *recipe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpRecipe, tp_recipe_free)

TpGraph *tp_recipe_get_graph (const TpRecipe *recipe);

/* Those that constants of @graph are of, TpRecipe *, each once. */
TpArray *tp_graph_list_recipes (const TpGraph *graph);
/* How many ops they have. */
int tp_graph_count_precomputed (const TpGraph *graph);
/* Whether one of them is called @name. */
gboolean tp_graph_has_precomputed (const TpGraph *graph, const char *name);

/**
 * tp_recipe_hold:
 * @make: (nullable): makes the values where they are not there; %NULL: the reference
 * @data: for @make
 *
 * Keeps the values of all outputs in memory, until tp_recipe_release () of each.
 * Who holds them at the same time shares them.
 *
 * Returns: %FALSE with %TPLAN_ERROR_MEMORY, or what @make says.
 *
 * Thread: any.
 */
gboolean tp_recipe_hold (TpRecipe *recipe, TpRecipeMake make, gpointer data,
                         GError **error);
void tp_recipe_release (TpRecipe *recipe, int output);

/* Of an output that is held. */
const void *tp_recipe_get_value (const TpRecipe *recipe, int output);

/* The value of a constant while it is read; of any but a recipe's it is nothing. */
typedef struct
{
  TpRecipe *recipe;           /* NULL: nothing is held */
  int output;
} TpReading;

/* By the reference unless it is there already; then it stays as long as the graph, for
 * who reads it piece by piece. Without memory a guarded call is left (ir/guard.h). */
TpReading tp_tensor_begin_reading (const TpTensor *tensor);
void tp_reading_end (TpReading *reading);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpReading, tp_reading_end)

#endif
