/* tiles-choose.c: choices of tiles, and what tiles-model.h has to know of them. */
#include "config.h"

#include "schedule/tiles-choose.h"

#include "schedule/tiles-model.h"

#define REGISTERS 128 /* of an item, that leave room for others: a double takes two */
#define MORE 16       /* that compilers take of large tiles, for what they fetch early */

/* ---- what is legal ----------------------------------------------------- */

static gint64
count_steps (const TpTiles *t, gint64 depth)
{
  return (t->k.extent + depth - 1) / depth;
}

const char *
tp_tile_plan_find_fault (const TpTilePlan *plan)
{
  const TpTiles *t = plan->t;

  if (count_steps (t, plan->depth) % plan->n_parts != 0)
    return "parts that do not divide the steps";
  if (tp_tile_plan_local_bytes (plan) > t->target->local_bytes)
    return "more local memory than a group has";
  for (int i = 0; i < 2; i++)
    if (plan->sides[i].n_copies > TP_TILES_MAX_COPIES)
      return "too many elements for an item to copy";
  return NULL;
}

const char *
tp_tiles_find_fault (gconstpointer tiles, const TpChoice *choice)
{
  const TpTiles *t = tiles;
  const gint64 *v = choice->values;
  gint64 items = v[TP_TILES_ITEM_ROWS] * v[TP_TILES_ITEM_COLS];
  TpTilePlan plan;

  for (int i = 0; i <= TP_TILES_DEPTH; i++)
    if (!tp_choice_is_power_of_two (v[i]))
      return "sizes that are no powers of two";
  if (v[TP_TILES_TILE_COLS] < 4)
    return "columns that fill no vector";
  if (items < 2)
    return "groups of a single item";
  if (items > t->target->local_size)
    return "groups of more work-items than the device likes";
  tp_tile_plan_init (&plan, t, v);
  return tp_tile_plan_find_fault (&plan);
}

/* ---- the model --------------------------------------------------------- */

/* Sums, what is multiplied, what is on its way with its addresses and conditions, and
 * some. */
static int
count_registers (const TpTilePlan *plan)
{
  int n = plan->sides[0].tile * plan->sides[1].tile + 16;

  for (int i = 0; i < 2; i++)
    {
      const TpTileSide *s = &plan->sides[i];

      n += s->tile + s->n_copies * (s->width + (s->width == 1 ? 2 : 1));
      n += s->is_partial ? 4 : 0;
    }
  return n;
}

/* Of a point of K, for one item. */
static double
point_cost (const TpTilePlan *plan)
{
  double cost = plan->sides[0].tile * plan->sides[1].tile;

  for (int i = 0; i < 2; i++)
    {
      const TpTileSide *s = &plan->sides[i];

      cost += TP_TILES_LOCAL_COST * MAX (s->tile / 4.0, 1.0);
      cost += TP_TILES_COPY_COST * s->n_copies / plan->depth;
    }
  return cost
         + TP_TILES_WAIT_COST / plan->depth / (plan->n_buffers > 1 ? 6.0 : 1.0);
}

static double
model_time (const TpTilePlan *plan)
{
  const TpTiles *t = plan->t;
  double points = (double)plan->n_steps * plan->depth;
  double sums = plan->sides[0].tile * plan->sides[1].tile;
  int n_registers = count_registers (plan) * (int) tp_dtype_get_size (t->dtype) / 4;
  const TpTilesWork work = {
    .item = point_cost (plan) * points + TP_TILES_STORE_COST * sums,
    .groups = (double)plan->n_parts * t->outer.extent
              * tp_tile_plan_count_blocks (plan, 0)
              * tp_tile_plan_count_blocks (plan, 1),
    .points = (double)t->outer.extent * t->sides[0].extent * t->sides[1].extent,
    .n_parts = plan->n_parts,
    .local_size = plan->local_size,
    .pressure = (double)n_registers / REGISTERS,
    .is_alone = tp_tiles_is_alone (t->target, n_registers + MORE, plan->local_size,
                                   tp_tile_plan_local_bytes (plan)),
  };

  return tp_tiles_model (t->target, &work);
}

static double
cost_of (const TpTiles *t, const TpChoice *choice)
{
  TpTilePlan plan;

  tp_tile_plan_init (&plan, t, choice->values);
  return model_time (&plan);
}

/* As many as are sensible. */
void
tp_tiles_list_parts (const TpTiles *t, const TpChoice *partial, TpArray *out)
{
  gint64 n = count_steps (t, partial->values[TP_TILES_DEPTH]);
  TpChoice choice = *partial;

  for (gint64 parts = 1; parts <= MIN (n, 64); parts++)
    {
      choice.values[TP_TILES_PARTS] = parts;
      if (n % parts == 0 && (parts == 1 || n / parts >= 4))
        tp_array_append_val (out, choice);
    }
}

double
tp_tiles_find_least (const TpTiles *t, const TpChoice *choice,
                     TpTilesCostFunc cost)
{
  g_autoptr (TpArray) parts = tp_array_new (sizeof (TpChoice));
  double best = 0.0;

  tp_tiles_list_parts (t, choice, parts);
  for (guint i = 0; i < parts->len; i++)
    {
      double with = cost (t, &tp_array_index (parts, TpChoice, i));

      best = i == 0 ? with : MIN (best, with);
    }
  return best;
}

double
tp_tiles_cost (gconstpointer tiles, int step, const TpChoice *choice)
{
  return step == TP_TILES_N_STEPS - 1
             ? cost_of (tiles, choice)
             : tp_tiles_find_least (tiles, choice, cost_of);
}

/* ---- lists ------------------------------------------------------------- */

/* Appends @choice if some depth and buffers go with it: the least ones do. */
static void
append_legal (const TpTiles *t, const TpChoice *choice, TpArray *out)
{
  if (tp_tiles_find_fault (t, choice) == NULL)
    tp_array_append_val (out, *choice);
}

/* Blocks at most twice as long as a side. */
static gboolean
is_too_long (const TpTiles *t, const TpChoice *choice, int side)
{
  gint64 tile = choice->values[TP_TILES_TILE_ROWS + side];
  gint64 items = choice->values[TP_TILES_ITEM_ROWS + side];

  return items > 1 && tile * items >= 2 * t->sides[side].extent;
}

static void
list_items (const TpTiles *t, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;
  int most = t->target->local_size;

  for (int items = 1 << g_bit_nth_msf (most, -1);
       items >= 2 && items * 16 >= most; items /= 2)
    for (int cols = items; cols > 0; cols /= 2)
      {
        choice.values[TP_TILES_ITEM_ROWS] = items / cols;
        choice.values[TP_TILES_ITEM_COLS] = cols;
        if (!is_too_long (t, &choice, 0) && !is_too_long (t, &choice, 1))
          append_legal (t, &choice, out);
      }
}

static void
list_tiles (const TpTiles *t, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;

  choice.values[TP_TILES_DEPTH] = 8;
  choice.values[TP_TILES_BUFFERS] = 1;
  choice.values[TP_TILES_PARTS] = 1;
  for (int rows = TP_TILES_MAX_TILE; rows > 0; rows /= 2)
    for (int cols = TP_TILES_MAX_TILE; cols >= 4; cols /= 2)
      {
        choice.values[TP_TILES_TILE_ROWS] = rows;
        choice.values[TP_TILES_TILE_COLS] = cols;
        list_items (t, &choice, out);
      }
}

static void
list_depths (const TpTiles *t, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;

  for (int buffers = 2; buffers > 0; buffers--)
    for (int depth = 16; depth >= 4; depth /= 2)
      {
        choice.values[TP_TILES_DEPTH] = depth;
        choice.values[TP_TILES_BUFFERS] = buffers;
        append_legal (t, &choice, out);
      }
}

void
tp_tiles_enumerate (gconstpointer tiles, int step, const TpChoice *partial,
                    TpArray *out_choices)
{
  static void (*const steps[TP_TILES_N_STEPS]) (
      const TpTiles *, const TpChoice *, TpArray *) = { list_tiles, list_depths,
                                                       tp_tiles_list_parts };

  steps[step](tiles, partial, out_choices);
}
