/* session-recipes.c: see session-recipes.h. */
#include "config.h"

#include "runtime/session-recipes.h"

#include "ir/map.h"
#include "ir/recipe.h"
#include "runtime/devices.h"
#include "runtime/session-private.h"

#include <stdlib.h>

/* Whether the host is asked: where all devices run references, these are wanted. */
static gboolean
has_kernels (const TpSession *session)
{
  for (int i = 0; i < session->execution->n_devices; i++)
    if (session->devices[i].device != NULL
        && !session->devices[i].info.runs_nodes)
      return tp_device_find_host () != NULL;
  return FALSE;
}

static gboolean
hold (const TpSession *session, TpRecipe *recipe, const TpRecipeWay *way,
      GError **error)
{
  g_autoptr (GError) fault = NULL;

  if (!has_kernels (session))
    return tp_recipe_hold (recipe, NULL, NULL, error);
  if (tp_recipe_hold (recipe, way->make, way->data, &fault))
    return TRUE;
  /* What the host has no kernels for, references have. */
  if (!g_error_matches (fault, TPLAN_ERROR, TPLAN_ERROR_MEMORY))
    return tp_recipe_hold (recipe, NULL, NULL, error);
  g_propagate_error (error, g_steal_pointer (&fault));
  return FALSE;
}

/* @more_bytes: beside what the session has. */
static void
note_start (TpSession *session, gint64 more_bytes)
{
  int host = session->execution->host;
  const TpDevice *device = host < 0 ? NULL : session->devices[host].device;
  gint64 bytes = device == NULL ? 0 : device->used_bytes;

  if (!tp_size_add (bytes, session->held_bytes, &bytes)
      || !tp_size_add (bytes, more_bytes, &bytes))
    bytes = G_MAXINT64;
  session->start_bytes = MAX (session->start_bytes, bytes);
}

static void
count_held (TpSession *session, const TpSessionRecipe *it, int sign)
{
  const TpGraph *graph = tp_recipe_get_graph (it->recipe);

  session->held_bytes
      += sign * graph->tensors[graph->outputs[it->output]].size_bytes;
}

/* ---- holding them -------------------------------------------------------- */

/* All outputs of @recipe, to be let go one by one. There is a place for each before
 * there is something to lose. */
static gboolean
hold_all (TpSession *session, TpRecipe *recipe, const TpRecipeWay *way,
          GError **error)
{
  int n = tp_recipe_get_graph (recipe)->n_outputs;
  guint first = session->recipes->len;

  tp_array_set_size (session->recipes, first + n);
  if (!hold (session, recipe, way, error))
    return FALSE;
  for (int i = 0; i < n; i++)
    {
      TpSessionRecipe *it
          = &tp_array_index (session->recipes, TpSessionRecipe, first + i);

      *it = (TpSessionRecipe){ recipe, i, -1 };
      count_held (session, it, 1);
    }
  note_start (session, *way->used_bytes);
  return TRUE;
}

/* That node @node of unit @unit reads some. @first: of a recipe: 1 + where its outputs
 * begin. */
static void
note_reader (TpSession *session, const TpMap *first, int node, int unit)
{
  const TpNode *it = &session->graph->nodes[node];

  for (int i = 0; i < it->n_inputs; i++)
    {
      const TpInit *init
          = it->inputs[i] < 0 ? NULL
                              : &session->graph->tensors[it->inputs[i]].init;
      int at;

      if (init == NULL || init->kind != TP_INIT_RECIPE)
        continue;
      at = GPOINTER_TO_INT (tp_map_lookup (first, init->recipe)) - 1;
      tp_array_index (session->recipes, TpSessionRecipe, at + init->output)
          .last_unit = unit;
    }
}

/* Those needed longest come first. */
static int
compare_last_units (const void *a, const void *b)
{
  const TpSessionRecipe *x = a, *y = b;

  return (y->last_unit > x->last_unit) - (y->last_unit < x->last_unit);
}

static void
sort_recipes (TpSession *session, const TpMap *first)
{
  const TpUnits *units = session->execution->units;

  for (int i = 0; i < units->n; i++)
    for (int k = 0; k < units->units[i].n_nodes; k++)
      note_reader (session, first, units->units[i].nodes[k], i);
  qsort (session->recipes->data, session->recipes->len,
         sizeof (TpSessionRecipe), compare_last_units);
}

gboolean
tp_session_hold_recipes (TpSession *session, const TpRecipeWay *way,
                         GError **error)
{
  g_autoptr (TpArray) all = tp_graph_list_recipes (session->graph);
  g_autoptr (TpMap) first
      = tp_map_new (g_direct_hash, g_direct_equal, NULL, NULL);

  for (guint i = 0; i < all->len; i++)
    {
      TpRecipe *recipe = tp_array_index (all, TpRecipe *, i);

      tp_map_insert (first, recipe,
                     GINT_TO_POINTER ((int) session->recipes->len + 1));
      if (!hold_all (session, recipe, way, error))
        return FALSE;
    }
  if (all->len > 0)
    sort_recipes (session, first);
  return TRUE;
}

void
tp_session_note_start (TpSession *session)
{
  if (session->held_bytes > 0)
    note_start (session, 0);
}

void
tp_session_release_recipes (TpSession *session, int unit)
{
  TpArray *recipes = session->recipes;

  while (recipes != NULL && recipes->len > 0)
    {
      const TpSessionRecipe *it
          = &tp_array_index (recipes, TpSessionRecipe, recipes->len - 1);

      if (it->last_unit > unit)
        return;
      if (it->recipe != NULL)
        {
          count_held (session, it, -1);
          tp_recipe_release (it->recipe, it->output);
        }
      tp_array_set_size (recipes, recipes->len - 1);
    }
}
