/* winograd-choose.c: blocks, tiles and panels that Winograd's filtering may
 * have. */
#include "config.h"

#include "schedule/winograd-choose.h"

#include "schedule/winograd-model.h"
#include "schedule/winograd-transform.h"

#define MAX_VECTORS 4

typedef enum
{
  STEP_BLOCKS,
  STEP_TILES,
  STEP_PANELS,
} Step;

/* ---- blocks ------------------------------------------------------------ */

static gboolean
is_scratch_there (const TpWinograd *w, const TpChoice *choice)
{
  TpWinogradPlan plan;

  tp_winograd_plan_init (&plan, w, choice);
  return plan.scratch * 4 <= w->c->target->local_bytes;
}

/* The smallest micro-kernels: whether a block has a way on. */
static gboolean
has_tiles (const TpWinograd *w, const TpChoice *blocks)
{
  TpChoice choice = *blocks;

  choice.values[TP_WINOGRAD_LANES] = w->c->target->lanes;
  choice.values[TP_WINOGRAD_VECTORS] = 1;
  choice.values[TP_WINOGRAD_TILES] = 1;
  choice.values[TP_WINOGRAD_BLOCK_PANELS] = 1;
  return is_scratch_there (w, &choice);
}

static gint64
next_block (gint64 block, gint64 all)
{
  return block >= all ? all + 1 : MIN (all, block + MAX (1, block / 4));
}

/* Columns are cut only within a row of tiles, so that the tiles of a block are
 * all next to each other. */
static void
list_blocks (const TpWinograd *w, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;
  gint64 *v = choice.values;
  TpWinogradPlan plan;

  v[TP_WINOGRAD_OUTPUT] = w->is_relaxed ? 4 : 2;
  tp_winograd_plan_init (&plan, w, &choice);
  for (gint64 rows = 1; rows <= plan.rows.n;
       rows = next_block (rows, plan.rows.n))
    for (gint64 cols = rows == 1 ? 1 : plan.cols.n; cols <= plan.cols.n;
         cols = next_block (cols, plan.cols.n))
      {
        v[TP_WINOGRAD_BLOCK_ROWS] = rows;
        v[TP_WINOGRAD_BLOCK_COLS] = cols;
        if (has_tiles (w, &choice))
          tp_array_append_val (out, choice);
      }
}

static const char *
find_block_fault (const TpWinograd *w, const gint64 *v)
{
  TpChoice choice = { 0 };
  TpWinogradPlan plan;

  if (tp_winograd_form_find (v[TP_WINOGRAD_OUTPUT]) == NULL)
    return "tiles of so many results are not known";
  choice.values[TP_WINOGRAD_OUTPUT] = v[TP_WINOGRAD_OUTPUT];
  tp_winograd_plan_init (&plan, w, &choice);
  if (v[TP_WINOGRAD_BLOCK_ROWS] > plan.rows.n
      || v[TP_WINOGRAD_BLOCK_COLS] > plan.cols.n)
    return "blocks of more tiles than there are";
  if (v[TP_WINOGRAD_BLOCK_ROWS] > 1 && v[TP_WINOGRAD_BLOCK_COLS] < plan.cols.n)
    return "blocks of several rows must have whole ones";
  return NULL;
}

/* ---- tiles and panels -------------------------------------------------- */

/* Tiles whose sums stay in registers beside @vectors of w and one of x. */
static gint64
count_tiles (const TpWinograd *w, gint64 vectors)
{
  return (w->c->target->n_registers - 1 - vectors) / vectors;
}

static void
list_tiles (const TpWinograd *w, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;
  gint64 *v = choice.values;
  gint64 block = v[TP_WINOGRAD_BLOCK_ROWS] * v[TP_WINOGRAD_BLOCK_COLS];

  v[TP_WINOGRAD_LANES] = w->c->target->lanes;
  for (int vectors = 1; vectors <= MAX_VECTORS; vectors++)
    for (gint64 tiles = 1; tiles <= MIN (count_tiles (w, vectors), block);
         tiles++)
      {
        v[TP_WINOGRAD_VECTORS] = vectors;
        v[TP_WINOGRAD_TILES] = tiles;
        v[TP_WINOGRAD_BLOCK_PANELS] = 1;
        if (is_scratch_there (w, &choice))
          {
            v[TP_WINOGRAD_BLOCK_PANELS] = 0;
            tp_array_append_val (out, choice);
          }
      }
}

static const char *
find_tile_fault (const TpWinograd *w, const gint64 *v)
{
  if (v[TP_WINOGRAD_LANES] == 1
      || !tp_target_has_lanes (w->c->target, v[TP_WINOGRAD_LANES], FALSE))
    return "the device has no vectors of so many lanes";
  if (v[TP_WINOGRAD_TILES] > count_tiles (w, v[TP_WINOGRAD_VECTORS]))
    return "more sums than registers";
  if (v[TP_WINOGRAD_TILES]
      > v[TP_WINOGRAD_BLOCK_ROWS] * v[TP_WINOGRAD_BLOCK_COLS])
    return "more tiles at once than in a block";
  return NULL;
}

static void
list_panels (const TpWinograd *w, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;
  TpWinogradPlan plan;

  tp_winograd_plan_init (&plan, w, partial);
  for (gint64 panels = 1; panels <= plan.n_panels;
       panels = next_block (panels, plan.n_panels))
    {
      choice.values[TP_WINOGRAD_BLOCK_PANELS] = panels;
      if (is_scratch_there (w, &choice))
        tp_array_append_val (out, choice);
    }
}

static const char *
find_panel_fault (const TpWinograd *w, const TpChoice *choice)
{
  TpWinogradPlan plan;

  tp_winograd_plan_init (&plan, w, choice);
  if (plan.block_panels > plan.n_panels)
    return "blocks of more panels than there are";
  return is_scratch_there (w, choice)
             ? NULL : "blocks need more local memory than there is";
}

/* ---- steps ------------------------------------------------------------- */

void
tp_winograd_enumerate (gconstpointer analysis, int step,
                       const TpChoice *partial, TpArray *out_choices)
{
  switch ((Step) step)
    {
    case STEP_BLOCKS:
      list_blocks (analysis, partial, out_choices);
      break;
    case STEP_TILES:
      list_tiles (analysis, partial, out_choices);
      break;
    case STEP_PANELS:
      list_panels (analysis, partial, out_choices);
      break;
    }
}

/* The model's time of the best of what @list makes of @choice. */
static double
cost_of_best (const TpWinograd *w, const TpChoice *choice,
              void (*list) (const TpWinograd *, const TpChoice *, TpArray *),
              double (*cost) (const TpWinograd *, const TpChoice *))
{
  g_autoptr (TpArray) choices = tp_array_new (sizeof (TpChoice));
  double best = G_MAXDOUBLE;

  list (w, choice, choices);
  for (guint i = 0; i < choices->len; i++)
    best = MIN (best, cost (w, &tp_array_index (choices, TpChoice, i)));
  return best;
}

/* All panels, half of them, or a quarter: enough to tell blocks and tiles apart. */
static void
list_shares (const TpWinograd *w, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;
  TpWinogradPlan plan;

  tp_winograd_plan_init (&plan, w, partial);
  for (int n = 1; n <= MIN (plan.n_panels, 4); n *= 2)
    {
      choice.values[TP_WINOGRAD_BLOCK_PANELS] = (plan.n_panels + n - 1) / n;
      tp_array_append_val (out, choice);
    }
}

/* As good as the best that can follow. Panels are weighed where units share them,
 * else all are taken. */
static double
cost_of_tiles (const TpWinograd *w, const TpChoice *choice)
{
  return w->c->target->n_units > 1
             ? cost_of_best (w, choice, list_shares, tp_winograd_model)
             : tp_winograd_model (w, choice);
}

double
tp_winograd_cost (gconstpointer analysis, int step, const TpChoice *choice)
{
  switch ((Step) step)
    {
    case STEP_BLOCKS:
      return cost_of_best (analysis, choice, list_tiles, cost_of_tiles);
    case STEP_TILES:
      return cost_of_tiles (analysis, choice);
    default:
      return tp_winograd_model (analysis, choice);
    }
}

const char *
tp_winograd_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const gint64 *v = choice->values;
  const char *fault = find_block_fault (analysis, v);

  if (fault == NULL)
    fault = find_tile_fault (analysis, v);
  return fault != NULL ? fault : find_panel_fault (analysis, choice);
}
