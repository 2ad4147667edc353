/* winograd-tiles-choose.c: choices of Winograd's filtering on GPUs, and a model of
 * the time they take, in the units of tiles-choose.c: the two are compared. */
#include "config.h"

#include "schedule/winograd-tiles-choose.h"

#include "schedule/tiles-model.h"
#include "schedule/winograd-tiles.h"

#define VECTOR TP_WINOGRAD_TILES_VECTOR
#define MAX_TILE TP_WINOGRAD_TILES_MAX_TILE
#define MAX_DEPTH 16
#define MAX_PARTS 64
#define WORD 4                /* bytes of an element in local memory */
#define MAX_REGISTERS 240     /* of an item */

/* ---- what is legal ----------------------------------------------------- */

static gint64
count_steps (const TpWinograd *w, gint64 depth)
{
  return (w->n_channels + depth - 1) / depth;
}

/* Does a plan keep to local memory and to the room for copies? */
static const char *
find_plan_fault (const TpWinogradTiles *plan)
{
  if (plan->n_local * WORD > plan->w->c->target->local_bytes)
    return "more local memory than a group has";
  if (plan->n_pairs > TP_WINOGRAD_TILES_MAX_PAIRS
      || plan->n_vectors > TP_WINOGRAD_TILES_MAX_VECTORS)
    return "too many elements for an item to copy";
  if (plan->n_vectors < 1)
    return "filters that are no vector per item";
  return NULL;
}

const char *
tp_winograd_tiles_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TpWinograd *w = analysis;
  const gint64 *v = choice->values;
  TpWinogradTiles plan;

  for (int i = 0; i <= TP_WINOGRAD_TILES_DEPTH; i++)
    if (!tp_choice_is_power_of_two (v[i]))
      return "sizes that are no powers of two";
  if (TP_WINOGRAD_POINTS * v[TP_WINOGRAD_TILES_ITEM_ROWS]
          * v[TP_WINOGRAD_TILES_ITEM_COLS]
      > w->c->target->local_size)
    return "groups of more work-items than the device likes";
  if (count_steps (w, v[TP_WINOGRAD_TILES_DEPTH]) % v[TP_WINOGRAD_TILES_PARTS]
      != 0)
    return "parts that do not divide the steps";
  tp_winograd_tiles_init (&plan, w, v);
  return find_plan_fault (&plan);
}

/* ---- the model --------------------------------------------------------- */

/* Sums, what is multiplied, what is on its way, and addresses. */
static int
count_registers (const TpWinogradTiles *plan)
{
  const TpWinogradTilesSide *s = plan->sides;

  return s[0].tile * s[1].tile + s[0].tile + s[1].tile
         + TP_WINOGRAD_POINTS * plan->n_pairs + VECTOR * plan->n_vectors + 40;
}

/* A step of an item: products, what is read for them, and what is fetched and
 * transformed for the next. A point of a tile is read, has a guard, takes two sums
 * and is stored; what neighbours read of it too is in the first cache. */
static double
step_cost (const TpWinogradTiles *plan)
{
  const TpWinogradTilesSide *s = plan->sides;
  double point = s[0].tile * s[1].tile
                 + TP_TILES_LOCAL_COST
                       * (s[0].tile + s[1].tile) / (double) VECTOR;
  double pairs = TP_WINOGRAD_POINTS * (TP_TILES_COPY_COST + 4.0) * plan->n_pairs;

  return point * plan->depth + pairs + TP_TILES_COPY_COST * plan->n_vectors
         + TP_TILES_WAIT_COST / 3.0;
}

/* Sums are exchanged, and a tile of results is made of each vector of them. */
static double
result_cost (const TpWinogradTiles *plan)
{
  double n = plan->sides[0].tile * plan->sides[1].tile / (VECTOR * VECTOR);
  double results = TP_WINOGRAD_OUT * TP_WINOGRAD_OUT * TP_TILES_STORE_COST;

  return n * (results + TP_WINOGRAD_POINTS * (TP_TILES_LOCAL_COST + 2.0)
              + TP_TILES_WAIT_COST / 3.0);
}

static double
model_time (const TpWinogradTiles *plan)
{
  const TpContract *c = plan->w->c;
  const TpTilesWork work = {
    .item = step_cost (plan) * plan->n_steps + result_cost (plan),
    .groups = (double) plan->n_parts * plan->sides[0].n_blocks
              * plan->sides[1].n_blocks,
    .points = (double) c->n_rows * c->n_cols * c->n_outer_points * c->n_total,
    .n_parts = plan->n_parts,
    .local_size = plan->local_size,
    .pressure = (double) count_registers (plan) / MAX_REGISTERS,
    /* a unit has a third more local memory than a group may have of it */
    .is_alone = tp_tiles_is_alone (c->target, count_registers (plan),
                                   plan->local_size,
                                   plan->n_local * WORD * 3 / 4),
  };

  return tp_tiles_model (c->target, &work);
}

static double
cost_of (const TpWinograd *w, const TpChoice *choice)
{
  TpWinogradTiles plan;

  tp_winograd_tiles_init (&plan, w, choice->values);
  return model_time (&plan);
}

/* Parts that divide the steps, and have some each. */
static void
list_parts (const TpWinograd *w, const TpChoice *partial, TpArray *out)
{
  gint64 n = count_steps (w, partial->values[TP_WINOGRAD_TILES_DEPTH]);
  TpChoice choice = *partial;

  for (gint64 parts = 1; parts <= MIN (n, MAX_PARTS); parts++)
    {
      choice.values[TP_WINOGRAD_TILES_PARTS] = parts;
      if (n % parts == 0 && (parts == 1 || n / parts >= 4))
        tp_array_append_val (out, choice);
    }
}

/* Of a choice as far as it is made: with the best parts. */
double
tp_winograd_tiles_cost (gconstpointer analysis, int step,
                        const TpChoice *choice)
{
  g_autoptr (TpArray) parts = NULL;
  double best = G_MAXDOUBLE;

  if (step == TP_WINOGRAD_TILES_N_STEPS - 1)
    return cost_of (analysis, choice);
  parts = tp_array_new (sizeof (TpChoice));
  list_parts (analysis, choice, parts);
  for (guint i = 0; i < parts->len; i++)
    best = MIN (best, cost_of (analysis, &tp_array_index (parts, TpChoice, i)));
  return best;
}

/* ---- lists ------------------------------------------------------------- */

/* Appends @choice with the greatest depth that there is room for, if any. */
static void
append_deepest (const TpWinograd *w, TpChoice *choice, TpArray *out)
{
  for (int depth = MAX_DEPTH; depth > 0; depth /= 2)
    {
      choice->values[TP_WINOGRAD_TILES_DEPTH] = depth;
      if (tp_winograd_tiles_find_fault (w, choice) != NULL)
        continue;
      tp_array_append_val (out, *choice);
      return;
    }
}

static void
list_items (const TpWinograd *w, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;
  int most = w->c->target->local_size / TP_WINOGRAD_POINTS;

  for (int rows = 1; rows <= most; rows *= 2)
    for (int cols = 1; rows * cols <= most; cols *= 2)
      {
        choice.values[TP_WINOGRAD_TILES_ITEM_ROWS] = rows;
        choice.values[TP_WINOGRAD_TILES_ITEM_COLS] = cols;
        append_deepest (w, &choice, out);
      }
}

static void
list_tiles (const TpWinograd *w, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;

  choice.values[TP_WINOGRAD_TILES_PARTS] = 1;
  for (int rows = MAX_TILE; rows >= VECTOR; rows /= 2)
    for (int cols = MAX_TILE; cols >= VECTOR; cols /= 2)
      {
        choice.values[TP_WINOGRAD_TILES_TILE_ROWS] = rows;
        choice.values[TP_WINOGRAD_TILES_TILE_COLS] = cols;
        list_items (w, &choice, out);
      }
}

static void
list_depths (const TpWinograd *w, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;

  for (int depth = MAX_DEPTH; depth > 0; depth /= 2)
    {
      choice.values[TP_WINOGRAD_TILES_DEPTH] = depth;
      if (tp_winograd_tiles_find_fault (w, &choice) == NULL)
        tp_array_append_val (out, choice);
    }
}

void
tp_winograd_tiles_enumerate (gconstpointer analysis, int step,
                             const TpChoice *partial, TpArray *out_choices)
{
  static void (*const steps[TP_WINOGRAD_TILES_N_STEPS]) (
      const TpWinograd *, const TpChoice *, TpArray *)
      = { list_tiles, list_depths, list_parts };

  steps[step] (analysis, partial, out_choices);
}
