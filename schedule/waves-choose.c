/* waves-choose.c: see waves-choose.h. */
#include "config.h"

#include "schedule/waves-choose.h"

#include "kernel/kernel.h"
#include "schedule/tiles-choose.h"
#include "schedule/tiles-model.h"

#define MAX_WAVES 8
#define MOST_DEPTH 32
#define REGISTERS 128         /* of an item, that leave room for others */
#define MMA_COST 4.0          /* of an item, in multiply-adds: its 64 take 16 times as long */

/* Of K both have the same values, so tiles-choose.h lists its parts. */
G_STATIC_ASSERT ((int) TP_WAVES_DEPTH == (int) TP_TILES_DEPTH
                 && (int) TP_WAVES_PARTS == (int) TP_TILES_PARTS);

/* ---- what is legal ----------------------------------------------------- */

const char *
tp_waves_find_fault (gconstpointer tiles, const TpChoice *choice)
{
  const TpTiles *t = tiles;
  const gint64 *v = choice->values;
  TpWavePlan plan;

  for (int i = 0; i <= TP_WAVES_DEPTH; i++)
    if (!tp_choice_is_power_of_two (v[i]))
      return "sizes that are no powers of two";
  if (v[TP_WAVES_SQUARE_ROWS] * v[TP_WAVES_SQUARE_COLS] > TP_WAVES_MAX_SQUARES)
    return "more sums than an item has registers";
  if (v[TP_WAVES_ROWS] * v[TP_WAVES_COLS] * TP_MMA_WAVE > t->target->local_size)
    return "groups of more work-items than the device likes";
  tp_wave_plan_init (&plan, t, v);
  return tp_tile_plan_find_fault (&plan.tiles);
}

/* ---- the model --------------------------------------------------------- */

/* Sums, those of a step, what is multiplied (compilers fetch it early, of two depths of
 * the instruction), and what is on its way. ptxas takes as many, or a tenth more or less. */
static int
count_registers (const TpWavePlan *plan)
{
  int n = TP_MMA_LANES * (plan->squares[0] * plan->squares[1] + 1) + 12;
  int ahead = MIN (plan->tiles.depth / TP_MMA_DEPTH, 2);

  for (int i = 0; i < 2; i++)
    n += 4 * plan->tiles.n_digits * plan->squares[i] * ahead
         + plan->tiles.sides[i].n_copies * plan->tiles.sides[i].width;
  return n;
}

/* Of a step of K, for one item. */
static double
step_cost (const TpWavePlan *plan)
{
  const TpTilePlan *p = &plan->tiles;
  double squares = plan->squares[0] * plan->squares[1];
  double products = p->n_digits == 1 ? 1 : 3, depth = p->depth;
  double cost = squares * (depth / TP_MMA_DEPTH * products * MMA_COST + TP_MMA_LANES);

  for (int i = 0; i < 2; i++)
    cost += p->n_digits
            * (TP_TILES_LOCAL_COST * plan->squares[i] * 4 * depth / TP_MMA_DEPTH
               + TP_TILES_COPY_COST * p->sides[i].n_copies);
  return cost + TP_TILES_WAIT_COST / (p->n_buffers > 1 ? 6.0 : 1.0);
}

static double
cost_of (const TpTiles *t, const TpChoice *choice)
{
  TpWavePlan plan;
  TpTilePlan *p = &plan.tiles;
  TpTilesWork work = { 0 };

  tp_wave_plan_init (&plan, t, choice->values);
  work = (TpTilesWork){
    .item = step_cost (&plan) * p->n_steps
            + TP_TILES_STORE_COST * TP_MMA_LANES * plan.squares[0] * plan.squares[1],
    .groups = (double) p->n_parts * t->outer.extent
              * tp_tile_plan_count_blocks (p, 0) * tp_tile_plan_count_blocks (p, 1),
    .points = (double) t->outer.extent * t->sides[0].extent * t->sides[1].extent,
    .n_parts = p->n_parts,
    .local_size = p->local_size,
    .pressure = (double) count_registers (&plan) / REGISTERS,
    .is_alone = tp_tiles_is_alone (t->target, count_registers (&plan), p->local_size,
                                   tp_tile_plan_local_bytes (p)),
  };
  return tp_tiles_model (t->target, &work);
}

/* ---- lists ------------------------------------------------------------- */

static void
append_legal (const TpTiles *t, const TpChoice *choice, TpArray *out)
{
  if (tp_waves_find_fault (t, choice) == NULL)
    tp_array_append_val (out, *choice);
}

/* Blocks at most twice as long as a side. */
static gboolean
is_too_long (const TpTiles *t, const TpChoice *choice, int side)
{
  gint64 squares = choice->values[TP_WAVES_SQUARE_ROWS + side]
                   * choice->values[TP_WAVES_ROWS + side];

  return squares > 1 && squares * TP_MMA_SIDE >= 2 * t->sides[side].extent;
}

static void
list_waves (const TpTiles *t, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;

  for (int rows = MAX_WAVES; rows > 0; rows /= 2)
    for (int cols = MAX_WAVES / rows; cols > 0; cols /= 2)
      {
        choice.values[TP_WAVES_ROWS] = rows;
        choice.values[TP_WAVES_COLS] = cols;
        if (!is_too_long (t, &choice, 0) && !is_too_long (t, &choice, 1))
          append_legal (t, &choice, out);
      }
}

static void
list_squares (const TpTiles *t, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;

  choice.values[TP_WAVES_DEPTH] = TP_MMA_DEPTH;
  choice.values[TP_WAVES_BUFFERS] = choice.values[TP_WAVES_PARTS] = 1;
  for (int rows = 4; rows > 0; rows /= 2)
    for (int cols = 4; cols > 0; cols /= 2)
      {
        choice.values[TP_WAVES_SQUARE_ROWS] = rows;
        choice.values[TP_WAVES_SQUARE_COLS] = cols;
        list_waves (t, &choice, out);
      }
}

static void
list_depths (const TpTiles *t, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;

  for (int buffers = 2; buffers > 0; buffers--)
    for (int depth = MOST_DEPTH; depth >= TP_MMA_DEPTH; depth /= 2)
      {
        choice.values[TP_WAVES_DEPTH] = depth;
        choice.values[TP_WAVES_BUFFERS] = buffers;
        append_legal (t, &choice, out);
      }
}

void
tp_waves_enumerate (gconstpointer tiles, int step, const TpChoice *partial,
                    TpArray *out_choices)
{
  static void (*const steps[TP_WAVES_N_STEPS]) (
      const TpTiles *, const TpChoice *, TpArray *)
      = { list_squares, list_depths, tp_tiles_list_parts };

  steps[step](tiles, partial, out_choices);
}

double
tp_waves_cost (gconstpointer tiles, int step, const TpChoice *choice)
{
  return step == TP_WAVES_N_STEPS - 1
             ? cost_of (tiles, choice)
             : tp_tiles_find_least (tiles, choice, cost_of);
}
