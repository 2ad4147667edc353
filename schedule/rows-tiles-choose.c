/* rows-tiles-choose.c: choices of rows-tiles, and a model of the time they take in the
 * units of tiles-model.h. */
#include "config.h"

#include "schedule/rows-tiles-choose.h"

#include "schedule/tiles-model.h"

#define VECTOR TP_ROWS_TILES_VECTOR
#define MAX_TILE TP_ROWS_TILES_MAX_TILE
#define LEAST_ITEMS 32
#define MAX_REGISTERS 240     /* of an item */
#define BUSY_ITEMS 256.0      /* of a unit: with fewer, latencies show */
#define POWER_COST 24.0       /* of a score: what is fused to it, and its power */

const char *
tp_rows_tiles_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TpRowsTiles *a = analysis;
  const TpTarget *target = a->rows->target;
  const gint64 *v = choice->values;
  TpRowsTilesPlan plan;

  for (int i = 0; i <= TP_ROWS_TILES_ITEM_COLS; i++)
    if (!tp_choice_is_power_of_two (v[i]))
      return "sizes that are no powers of two";
  if (v[TP_ROWS_TILES_ITEM_COLS] < VECTOR)
    return "rows of few items";
  if (v[TP_ROWS_TILES_ITEM_ROWS] * v[TP_ROWS_TILES_ITEM_COLS]
      > target->local_size)
    return "groups of more work-items than the device likes";
  tp_rows_tiles_plan_init (&plan, a, v);
  if (plan.n_vectors > TP_ROWS_TILES_MAX_VECTORS)
    return "too many results for an item";
  return plan.n_local * 4 > target->local_bytes
             ? "more local memory than a group has" : NULL;
}

/* ---- the model --------------------------------------------------------- */

/* Scores, results, what is multiplied, and three numbers of each row. */
static int
count_registers (const TpRowsTilesPlan *plan)
{
  int scores = plan->tile_rows * plan->tile_cols;
  int results = plan->tile_rows * plan->n_vectors * VECTOR;

  return scores + results
         + VECTOR * (plan->tile_rows + MAX (plan->tile_cols, plan->n_vectors))
         + 3 * plan->tile_rows + 24;
}

/* Both products, powers between them, and copies, of a block of columns. */
static double
block_cost (const TpRowsTilesPlan *plan)
{
  double rows = plan->tile_rows, cols = plan->tile_cols;
  double results = rows * plan->n_vectors;
  double scores = plan->depth * (rows * cols
                                 + TP_TILES_LOCAL_COST * (rows + cols) / VECTOR);
  double values
      = plan->cols * (results * VECTOR
                      + TP_TILES_LOCAL_COST * (rows / VECTOR + plan->n_vectors));
  double copies = plan->cols * (double) (plan->depth + plan->a->width) / VECTOR
                  / plan->local_size;
  double joined = rows * (plan->item_cols + POWER_COST);

  return scores + values + TP_TILES_COPY_COST * copies + joined
         + POWER_COST * rows * cols + results * VECTOR + TP_TILES_WAIT_COST;
}

/* Groups that a unit, with a third more local memory than a group may have, holds. */
static gint64
count_resident (const TpRowsTilesPlan *plan)
{
  gint64 local = plan->a->rows->target->local_bytes * 4 / 3;
  gint64 registers = (gint64) count_registers (plan) * plan->local_size;

  return MAX (MIN (local / (plan->n_local * 4), TP_TILES_UNIT_REGISTERS / registers), 1);
}

double
tp_rows_tiles_cost (gconstpointer analysis, int step, const TpChoice *choice)
{
  const TpRowsTiles *a = analysis;
  TpRowsTilesPlan plan;
  TpTilesWork work = { .n_parts = 1 };
  double n_resident;

  (void) step;
  tp_rows_tiles_plan_init (&plan, a, choice->values);
  n_resident = count_resident (&plan);
  work.item = block_cost (&plan) * plan.n_col_blocks
              + TP_TILES_STORE_COST * plan.tile_rows * plan.n_vectors;
  work.item *= MAX (1.0, BUSY_ITEMS / (n_resident * plan.local_size));
  work.groups = (double) plan.n_row_blocks * a->rows->n_outer_points;
  work.local_size = plan.local_size;
  work.pressure = (double) count_registers (&plan) / MAX_REGISTERS;
  work.is_alone = n_resident < 2;
  return tp_tiles_model (a->rows->target, &work);
}

/* ---- the list ---------------------------------------------------------- */

static void
list_items (const TpRowsTiles *a, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;
  int most = a->rows->target->local_size;

  for (int rows = 1; rows * VECTOR <= most; rows *= 2)
    for (int cols = VECTOR; rows * cols <= most; cols *= 2)
      {
        choice.values[TP_ROWS_TILES_ITEM_ROWS] = rows;
        choice.values[TP_ROWS_TILES_ITEM_COLS] = cols;
        if (rows * cols >= MIN (LEAST_ITEMS, most)
            && tp_rows_tiles_find_fault (a, &choice) == NULL)
          tp_array_append_val (out, choice);
      }
}

void
tp_rows_tiles_enumerate (gconstpointer analysis, int step,
                         const TpChoice *partial, TpArray *out_choices)
{
  TpChoice choice = *partial;

  (void) step;
  for (int rows = MAX_TILE; rows > 0; rows /= 2)
    for (int cols = MAX_TILE; cols > 1; cols /= 2)
      {
        choice.values[TP_ROWS_TILES_TILE_ROWS] = rows;
        choice.values[TP_ROWS_TILES_TILE_COLS] = cols;
        list_items (analysis, &choice, out_choices);
      }
}
