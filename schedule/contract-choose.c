/* contract-choose.c: tiles, accesses and blocks that a contraction may have. */
#include "config.h"

#include "schedule/contract-choose.h"

#include "schedule/contract-bytes.h"
#include "schedule/contract-model.h"

#define MAX_VECTORS 8
#define NEAR_ROWS 256         /* elements between rows of w that lie close */

const TpParam tp_contract_params[] = {
  { "lanes", 1, 1, 16, 0 },
  { "vectors", 1, 1, 8, 0 },
  { "tile", 2, 1, 64, 0 },
  { "stage", 1, 0, 1, 0 },
  { "pack", 1, 0, 1, 0 },
  { "block", 3, 1, G_MAXINT64 / 4, 0 },
  { "unroll", 1, 1, 8, 0 },
  { NULL },
};

typedef enum
{
  STEP_TILE,
  STEP_ACCESS,
  STEP_BLOCKS,
  STEP_UNROLL,
} Step;

/* ---- register tiles ---------------------------------------------------- */

static int
choose_lanes (const TpContract *c)
{
  int lanes = c->lanes;

  while (lanes > 4 && lanes / 2 >= c->n_total)
    lanes /= 2;
  return lanes;
}

/* Points whose sums stay in registers beside @vectors of w and one of x, and beside what
 * dot products of bytes want; one point alone uses what it reads of w once, and so from
 * where it is. */
static gint64
count_points (const TpContract *c, int vectors)
{
  gint64 sums = vectors + tp_contract_bytes_sums_x (c);
  gint64 most = (c->n_registers - 1 - vectors
                 - tp_contract_bytes_count_numbers (c))
                / sums;

  if (vectors + 2 <= c->n_registers)
    most = MAX (most, 1);
  /* Vectors that are stored lane by lane make much code. */
  if (c->nest->store.stride[c->n_axis] != 1)
    most = CLAMP (most, 1, MAX (1, MAX_VECTORS / vectors));
  return most;
}

/* Are panels of so many vectors worth trying? */
static gboolean
is_width_sensible (const TpContract *c, int lanes, int vectors)
{
  /* One row: panels are all there is to share out. */
  if (c->n_rows * c->n_cols == 1 && c->target->n_units > 1 && vectors > 2
      && c->n_total < 8 * c->target->n_units * vectors * lanes)
    return FALSE;
  return vectors == 1 || (vectors - 1) * (gint64) lanes < c->n_total;
}

static const char *
find_tile_fault (const TpContract *c, const gint64 *v)
{
  gint64 rows = v[TP_CONTRACT_ROWS], cols = v[TP_CONTRACT_COLS];

  if (v[TP_CONTRACT_LANES] == 1 || v[TP_CONTRACT_LANES] > c->lanes
      || !tp_target_has_lanes (c->target, v[TP_CONTRACT_LANES], FALSE))
    return "the device has no vectors of so many lanes";
  if (cols > c->n_cols || rows > c->n_rows)
    return "a tile larger than all there is";
  if (rows > 1 && cols < c->n_cols)
    return "a tile of several rows must have whole ones";
  if (rows * cols > count_points (c, v[TP_CONTRACT_VECTORS]))
    return "a tile of more sums than registers";
  return NULL;
}

static void
list_tiles_of (const TpContract *c, TpChoice *choice, TpArray *out)
{
  gint64 *v = choice->values;
  gint64 most = count_points (c, v[TP_CONTRACT_VECTORS]);

  for (gint64 cols = 1; cols <= MIN (most, c->n_cols); cols++)
    for (gint64 rows = 1; rows * cols <= most; rows++)
      {
        if (rows > 1 && (cols < c->n_cols || rows > c->n_rows))
          break;
        v[TP_CONTRACT_COLS] = cols;
        v[TP_CONTRACT_ROWS] = rows;
        tp_array_append_val (out, *choice);
      }
}

static void
list_tiles (const TpContract *c, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;
  int lanes = choose_lanes (c);

  choice.values[TP_CONTRACT_LANES] = lanes;
  for (int vectors = 1; vectors <= MAX_VECTORS; vectors++)
    {
      choice.values[TP_CONTRACT_VECTORS] = vectors;
      if (is_width_sensible (c, lanes, vectors))
        list_tiles_of (c, &choice, out);
    }
}

/* ---- blocks ------------------------------------------------------------ */

/* x is read once per panel, so it is to stay in the second cache. */
static gboolean
is_scratch_there (const TpContract *c, const TpChoice *choice)
{
  gint64 most = MIN (c->target->local_bytes, c->target->l2_bytes / 2);
  TpContractPlan plan;

  tp_contract_plan_init (&plan, c, choice);
  return tp_contract_plan_get_scratch_bytes (&plan) <= most;
}

/* Next larger number of tiles to try: all of them last. */
static gint64
next_tiles (gint64 tiles, gint64 all)
{
  if (tiles >= all)
    return all + 1;
  return MIN (all, tiles + MAX (1, tiles / 3));
}

/* With blocks of @rows x @cols tiles. */
static void
list_panels (const TpContract *c, const TpChoice *partial, gint64 rows,
             gint64 cols, TpArray *out)
{
  TpChoice choice = *partial;
  gint64 *v = choice.values;
  TpContractPlan plan;
  gint64 all;

  tp_contract_plan_init (&plan, c, partial);
  all = tp_contract_plan_count_panels (&plan);
  v[TP_CONTRACT_BLOCK_ROWS] = MIN (rows * plan.rows.tile, c->n_rows);
  v[TP_CONTRACT_BLOCK_COLS] = MIN (cols * plan.cols.tile, c->n_cols);
  if (!is_scratch_there (c, &choice))
    return;
  for (gint64 panels = 1; panels <= all; panels = next_tiles (panels, all))
    {
      v[TP_CONTRACT_BLOCK_PANELS] = panels;
      tp_array_append_val (out, choice);
    }
}

static void
list_blocks (const TpContract *c, const TpChoice *partial, TpArray *out)
{
  gint64 row_tile = partial->values[TP_CONTRACT_ROWS];
  gint64 col_tile = partial->values[TP_CONTRACT_COLS];
  gint64 all_rows = (c->n_rows + row_tile - 1) / row_tile;
  gint64 all_cols = (c->n_cols + col_tile - 1) / col_tile;

  for (gint64 rows = 1; rows <= all_rows; rows = next_tiles (rows, all_rows))
    for (gint64 cols = 1; cols <= all_cols; cols = next_tiles (cols, all_cols))
      /* cut columns only within a row of tiles */
      if (cols == all_cols || rows == 1)
        list_panels (c, partial, rows, cols, out);
}

static gboolean
is_whole (gint64 block, gint64 tile, gint64 extent)
{
  return block <= extent && (block % tile == 0 || block == extent);
}

static const char *
find_block_fault (const TpContract *c, const TpChoice *choice)
{
  const gint64 *v = choice->values;
  TpContractPlan plan;

  tp_contract_plan_init (&plan, c, choice);
  if (!is_whole (v[TP_CONTRACT_BLOCK_ROWS], v[TP_CONTRACT_ROWS], c->n_rows)
      || !is_whole (v[TP_CONTRACT_BLOCK_COLS], v[TP_CONTRACT_COLS], c->n_cols))
    return "blocks are not of whole tiles";
  if (v[TP_CONTRACT_BLOCK_PANELS] > tp_contract_plan_count_panels (&plan))
    return "blocks of more panels than there are";
  if (!is_scratch_there (c, choice))
    return "blocks need more local memory than there is";
  return NULL;
}

/* ---- access ------------------------------------------------------------ */

/* How far w goes along K, as the micro-kernel walks it. */
static gint64
step_of_w (const TpContract *c)
{
  return c->n_k == 0
             ? 0 : c->nest->loads[c->w_load].stride[c->k_axes[c->n_k - 1]];
}

/* Few rows do not pay for packing, nor does w whose rows lie close together: it is
 * read where it is if its rows are contiguous. */
static gboolean
is_packing_better (const TpContract *c, const gint64 *v)
{
  if (c->is_w_constant || c->nest->loads[c->w_load].stride[c->n_axis] != 1)
    return TRUE;
  if (c->n_rows * c->n_cols <= 32)
    return FALSE;
  return c->n_total % v[TP_CONTRACT_LANES] != 0 || step_of_w (c) > NEAR_ROWS;
}

static const char *
find_access_fault (const TpContract *c, const gint64 *v)
{
  if (v[TP_CONTRACT_STAGE] ? !c->is_stageable : !c->is_plain)
    return v[TP_CONTRACT_STAGE] ? "x cannot be staged"
                                : "x cannot be read in place";
  if (!v[TP_CONTRACT_PACK] && c->is_bytes)
    return "dot products of bytes want w packed";
  if (!v[TP_CONTRACT_PACK] && c->nest->loads[c->w_load].stride[c->n_axis] != 1)
    return "w cannot be read in place";
  return NULL;
}

/* Staging that leaves no blocks is none. */
static gboolean
has_blocks (const TpContract *c, const TpChoice *choice)
{
  g_autoptr (TpArray) blocks = tp_array_new (sizeof (TpChoice));

  list_blocks (c, choice, blocks);
  return blocks->len > 0;
}

static void
list_accesses (const TpContract *c, const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;
  gint64 *v = choice.values;
  int stage, pack = is_packing_better (c, v);
  TpContractPlan plan;

  tp_contract_plan_init (&plan, c, partial);
  stage = tp_contract_plan_prefers_stage (&plan);
  for (int i = 0; i < 4; i++)
    {
      v[TP_CONTRACT_STAGE] = i / 2 == 0 ? stage : !stage;
      v[TP_CONTRACT_PACK] = i % 2 == 0 ? pack : !pack;
      if (find_access_fault (c, v) == NULL && has_blocks (c, &choice))
        tp_array_append_val (out, choice);
    }
}

/* ---- steps ------------------------------------------------------------- */

static void
list_unrolls (const TpChoice *partial, TpArray *out)
{
  TpChoice choice = *partial;

  for (int unroll = 8; unroll > 0; unroll /= 2)
    {
      choice.values[TP_CONTRACT_UNROLL] = unroll;
      tp_array_append_val (out, choice);
    }
}

void
tp_contract_enumerate (gconstpointer analysis, int step,
                       const TpChoice *partial, TpArray *out_choices)
{
  switch ((Step) step)
    {
    case STEP_TILE:
      list_tiles (analysis, partial, out_choices);
      break;
    case STEP_ACCESS:
      list_accesses (analysis, partial, out_choices);
      break;
    case STEP_BLOCKS:
      list_blocks (analysis, partial, out_choices);
      break;
    case STEP_UNROLL:
      list_unrolls (partial, out_choices);
      break;
    }
}

double
tp_contract_cost (gconstpointer analysis, int step, const TpChoice *choice)
{
  TpContractPlan plan;

  tp_contract_plan_init (&plan, analysis, choice);
  switch ((Step) step)
    {
    case STEP_TILE:
      return tp_contract_model_tiles (&plan);
    case STEP_BLOCKS:
      return tp_contract_model_blocks (&plan);
    case STEP_ACCESS:
    case STEP_UNROLL:
      break;                  /* the order says all */
    }
  return 0.0;
}

const char *
tp_contract_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const char *fault = find_tile_fault (analysis, choice->values);

  if (fault == NULL)
    fault = find_access_fault (analysis, choice->values);
  return fault != NULL ? fault : find_block_fault (analysis, choice);
}
