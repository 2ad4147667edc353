/* recipe.c: see recipe.h. */
#include "config.h"

#include "ir/recipe.h"

#include "ir/guard.h"
#include "ir/map.h"

#include <string.h>

typedef struct
{
  void *data;                 /* NULL: it is not there */
  int n_holders;
} Value;

struct TpRecipe
{
  TpGraph *graph;
  TpRecipeMake reference;
  GMutex lock;                /* of all below */
  Value *values;              /* per output */
};

TpRecipe *
tp_recipe_new (TpGraph *graph, TpRecipeMake reference)
{
  g_autoptr (TpGraph) owned = graph;
  g_autofree Value *values = tp_new0 (Value, graph->n_outputs + 1);
  TpRecipe *recipe = g_new0 (TpRecipe, 1);

  recipe->graph = g_steal_pointer (&owned);
  recipe->reference = reference;
  recipe->values = g_steal_pointer (&values);
  g_mutex_init (&recipe->lock);
  return recipe;
}

void
tp_recipe_free (TpRecipe *recipe)
{
  if (recipe == NULL)
    return;
  for (int i = 0; i < recipe->graph->n_outputs; i++)
    g_free (recipe->values[i].data);
  g_free (recipe->values);
  g_mutex_clear (&recipe->lock);
  tp_graph_unref (recipe->graph);
  g_free (recipe);
}

TpGraph *
tp_recipe_get_graph (const TpRecipe *recipe)
{
  return recipe->graph;
}

/* ---- what they are of ---------------------------------------------------- */

TpArray *
tp_graph_list_recipes (const TpGraph *graph)
{
  g_autoptr (TpArray) recipes = tp_array_new (sizeof (TpRecipe *));
  g_autoptr (TpMap) seen
      = tp_map_new (g_direct_hash, g_direct_equal, NULL, NULL);

  for (int i = 0; i < graph->n_tensors; i++)
    {
      TpRecipe *recipe = graph->tensors[i].init.recipe;

      if (graph->tensors[i].init.kind != TP_INIT_RECIPE
          || tp_map_lookup (seen, recipe) != NULL)
        continue;
      tp_map_insert (seen, recipe, recipe);
      tp_array_append_val (recipes, recipe);
    }
  return g_steal_pointer (&recipes);
}

int
tp_graph_count_precomputed (const TpGraph *graph)
{
  g_autoptr (TpArray) recipes = tp_graph_list_recipes (graph);
  int n = 0;

  for (guint i = 0; i < recipes->len; i++)
    n += tp_array_index (recipes, TpRecipe *, i)->graph->n_nodes;
  return n;
}

gboolean
tp_graph_has_precomputed (const TpGraph *graph, const char *name)
{
  g_autoptr (TpArray) recipes = tp_graph_list_recipes (graph);

  for (guint i = 0; i < recipes->len; i++)
    {
      const TpGraph *it = tp_array_index (recipes, TpRecipe *, i)->graph;

      for (int k = 0; k < it->n_nodes; k++)
        if (strcmp (it->nodes[k].name, name) == 0)
          return TRUE;
    }
  return FALSE;
}

/* ---- making them --------------------------------------------------------- */

/* Of all outputs, until each is in its place. */
typedef struct
{
  int n;
  void **data;
} Made;

static void
made_clear (Made *made)
{
  for (int i = 0; made->data != NULL && i < made->n; i++)
    g_free (made->data[i]);
  g_free (made->data);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Made, made_clear)

static gint64
get_bytes (const TpGraph *graph, int output)
{
  return graph->tensors[graph->outputs[output]].size_bytes;
}

static gboolean
alloc_all (const TpGraph *graph, Made *made, GError **error)
{
  made->data = tp_new0 (void *, graph->n_outputs + 1);
  made->n = graph->n_outputs;
  for (int i = 0; i < made->n; i++)
    {
      gint64 size_bytes = get_bytes (graph, i);

      made->data[i] = g_try_malloc (MAX (size_bytes, 1));
      if (made->data[i] != NULL)
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                   "constant '%s': cannot have %" G_GINT64_FORMAT
                   " bytes to compute it",
                   graph->tensors[graph->outputs[i]].name, size_bytes);
      return FALSE;
    }
  return TRUE;
}

static gboolean
is_whole (const TpRecipe *recipe)
{
  for (int i = 0; i < recipe->graph->n_outputs; i++)
    if (recipe->values[i].data == NULL)
      return FALSE;
  return TRUE;
}

/* Those that are there stay as they are: somebody may be reading them. */
static gboolean
make_missing (TpRecipe *recipe, TpRecipeMake make, gpointer data,
              GError **error)
{
  g_auto (Made) made = { 0, NULL };

  if (is_whole (recipe))
    return TRUE;
  if (!alloc_all (recipe->graph, &made, error)
      || !make (recipe->graph, made.data, data, error))
    return FALSE;
  for (int i = 0; i < made.n; i++)
    if (recipe->values[i].data == NULL)
      recipe->values[i].data = g_steal_pointer (&made.data[i]);
  return TRUE;
}

gboolean
tp_recipe_hold (TpRecipe *recipe, TpRecipeMake make, gpointer data,
                GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&recipe->lock);

  if (!make_missing (recipe, make != NULL ? make : recipe->reference, data,
                     error))
    return FALSE;
  for (int i = 0; i < recipe->graph->n_outputs; i++)
    recipe->values[i].n_holders++;
  return TRUE;
}

void
tp_recipe_release (TpRecipe *recipe, int output)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&recipe->lock);
  Value *value = &recipe->values[output];

  g_assert (value->n_holders > 0);
  value->n_holders--;
  if (value->n_holders == 0)
    g_clear_pointer (&value->data, g_free);
}

const void *
tp_recipe_get_value (const TpRecipe *recipe, int output)
{
  return recipe->values[output].data;
}

/* ---- reading ------------------------------------------------------------- */

/* Holds @output alone; FALSE: it is not there. */
static gboolean
try_hold (TpRecipe *recipe, int output)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&recipe->lock);

  if (recipe->values[output].data == NULL)
    return FALSE;
  recipe->values[output].n_holders++;
  return TRUE;
}

TpReading
tp_tensor_begin_reading (const TpTensor *tensor)
{
  TpReading reading = { tensor->init.recipe, tensor->init.output };

  if (tensor->init.kind != TP_INIT_RECIPE)
    return (TpReading){ NULL, 0 };
  /* What is made here is never released: the graph holds it. */
  while (!try_hold (reading.recipe, reading.output))
    if (!tp_recipe_hold (reading.recipe, NULL, NULL, NULL))
      tp_guard_leave (tensor->size_bytes);
  return reading;
}

void
tp_reading_end (TpReading *reading)
{
  if (reading->recipe != NULL)
    tp_recipe_release (reading->recipe, reading->output);
}
