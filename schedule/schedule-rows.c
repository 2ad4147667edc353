/* schedule-rows.c: the family "rows": products whose rows are reduced and
 * multiplied again, a block of rows after the other. */
#include "config.h"

#include "schedule/contract-analyze.h"
#include "schedule/contract-pack.h"
#include "schedule/rows.h"
#include "schedule/schedule-contract.h"
#include "schedule/schedule-reduce.h"

#define MOST_ROWS 48            /* w is walked once per block: that is enough */
#define LEAST_ROWS 8

/* The values of a choice. */
enum
{
  BLOCK,                        /* rows */
};

static const TpParam params[] = {
  { "block", 1, 1, G_MAXINT64 / 4, 0 },
  { NULL },
};

static gpointer
rows_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  return tp_rows_new (build, nests, n);
}

static void
rows_free (gpointer analysis)
{
  tp_rows_free (analysis);
}

/* ---- products ---------------------------------------------------------- */

/* A product with what the model of contractions makes of it, in one block. */
typedef struct
{
  TpContract *c;
  TpNest *nest;
  TpContractPlan plan;
  gboolean is_packed;
  int scratch;                /* of staged x, or -1 */
} Product;

static void
product_clear (Product *product)
{
  tp_contract_free (product->c);
  tp_nest_free (product->nest);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Product, product_clear)

static gboolean
product_init (Product *self, const TpRowsProduct *product, gint64 block)
{
  TpChoice choice, all;
  gint64 *v = choice.values;

  *self = (Product) { .c = tp_rows_product_dup (product, block) };
  if (!tp_family_choose (&tp_schedule_contract, self->c, &choice)
      || !tp_family_choose (&tp_schedule_contract, product->c, &all))
    return FALSE;
  self->is_packed = all.values[TP_CONTRACT_PACK]; /* it serves all blocks */
  v[TP_CONTRACT_PACK] = self->is_packed;
  v[TP_CONTRACT_BLOCK_ROWS] = 1;
  v[TP_CONTRACT_BLOCK_COLS] = block;
  tp_contract_plan_init (&self->plan, self->c, &choice);
  v[TP_CONTRACT_BLOCK_PANELS] = tp_contract_plan_count_panels (&self->plan);
  tp_contract_plan_init (&self->plan, self->c, &choice);
  return tp_schedule_contract.find_fault (self->c, &choice) == NULL;
}

/* ---- choices ----------------------------------------------------------- */

static gboolean
is_scratch_there (const TpRows *rows, gint64 block)
{
  gint64 most = MIN (rows->target->local_bytes, rows->target->l2_bytes / 2);

  return block <= most / 4 / rows->pitch;
}

static const char *
rows_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const TpRows *rows = analysis;
  gint64 block = choice->values[BLOCK];

  if (block > rows->n_rows)
    return "blocks of more rows than there are";
  if (!is_scratch_there (rows, block))
    return "blocks need more local memory than there is";
  for (int i = 0; i < 2; i++)
    {
      g_auto (Product) product = { NULL };

      if (!product_init (&product, &rows->products[i], block))
        return "a product cannot be made of such blocks";
    }
  return NULL;
}

/* Blocks of at most @most rows, as equal as they can be. */
static void
list_block (const TpRows *rows, const TpChoice *partial, gint64 most,
            TpArray *out)
{
  gint64 n = (rows->n_rows + most - 1) / most;
  TpChoice choice = *partial;

  choice.values[BLOCK] = (rows->n_rows + n - 1) / n;
  if (rows_find_fault (rows, &choice) == NULL)
    tp_array_append_val (out, choice);
}

/* Half of what scratch may be, few enough that all units have some. */
static gint64
choose_most (const TpRows *rows)
{
  gint64 most = MOST_ROWS, wanted = 4 * rows->target->n_units;

  while (most > LEAST_ROWS && !is_scratch_there (rows, 2 * most))
    most -= 2;
  while (most > LEAST_ROWS
         && rows->n_outer_points * ((rows->n_rows + most - 1) / most) < wanted
         && rows->target->n_units > 1)
    most -= 2;
  return most;
}

static void
rows_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                TpArray *out)
{
  const TpRows *rows = analysis;
  gint64 most = choose_most (rows);

  if (!is_scratch_there (rows, MIN (LEAST_ROWS, rows->n_rows)))
    return;
  list_block (rows, partial, most, out);
  list_block (rows, partial, most / 2, out);
  list_block (rows, partial, most * 2, out);
}

/* ---- kernels ----------------------------------------------------------- */

typedef struct
{
  const TpRows *rows;
  TpEmit *emit;
  TpValue start;              /* row; -1: 0 */
  TpValue outer;              /* point */
  gint64 block;
} State;

static void
decode_group (State *state)
{
  const TpRows *rows = state->rows;
  TpEmit *e = state->emit;
  gint64 n_blocks = (rows->n_rows + state->block - 1) / state->block;
  TpValue block;

  state->outer = tp_k_group (e->kernel);
  e->kernel->n_groups = 1;
  block = tp_emit_take_digit (e, &state->outer, n_blocks);
  e->kernel->n_groups = n_blocks * rows->n_outer_points;
  state->start = tp_emit_min_const (e, tp_emit_mul_const (e, block, state->block),
                                    rows->n_rows - state->block);
}

static void
emit_product (const State *state, const TpRowsProduct *product,
              const Product *chosen)
{
  TpEmit *e = state->emit;
  gint64 n_groups = e->kernel->n_groups;
  TpValue rest = state->outer;

  tp_emit_set_nest (e, chosen->nest);
  tp_emit_set_axis (e, product->start_axis, state->start, 0,
                    state->rows->n_rows - state->block);
  for (int i = 0; i < product->n_outer; i++)
    {
      int axis = product->outer[i];
      gint64 extent = chosen->nest->axes[axis].extent;

      tp_emit_set_axis (e, axis, tp_emit_take_digit (e, &rest, extent), 0,
                        extent - 1);
    }
  e->kernel->n_groups = n_groups;
  tp_schedule_contract_emit_block (&chosen->plan, e, chosen->scratch);
}

static void
emit_reduce (const State *state, const TpReducePlan *plan)
{
  TpEmit *e = state->emit;

  tp_emit_set_nest (e, plan->a->nest);
  tp_emit_set_axis (e, state->rows->reduce_row_axis,
                    tp_emit_for_const (e, 0, state->block, 1), 0,
                    state->block - 1);
  tp_reduce_emit_point (plan, e);
  tp_emit_end_for (e, NULL, 0, NULL);
}

static void
emit_kernel (TpBuild *build, const TpRows *rows, Product *const *products,
             const TpChoice *reduce, gint64 block)
{
  TpNest *nests[] = { products[0]->nest, rows->reduce->nest,
                      products[1]->nest };
  g_autoptr (TpEmit) emit
      = tp_emit_new_joint (build, nests, G_N_ELEMENTS (nests), rows->scratch,
                           block * rows->pitch);
  State state = { .rows = rows, .emit = emit, .block = block };
  TpReducePlan plan;

  for (int i = 0; i < 2; i++)
    products[i]->scratch
        = tp_schedule_contract_add_scratch (&products[i]->plan, emit->kernel);
  tp_reduce_plan_init (&plan, rows->reduce, reduce, emit->kernel);
  decode_group (&state);
  emit_product (&state, &rows->products[0], products[0]);
  emit_reduce (&state, &plan);
  emit_product (&state, &rows->products[1], products[1]);
  tp_emit_finish (emit, "rows");
}

static void
rows_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const TpRows *rows = analysis;
  gint64 block = choice->values[BLOCK];
  g_auto (Product) scores = { NULL };
  g_auto (Product) result = { NULL };
  Product *const products[] = { &scores, &result };
  TpChoice reduce;

  for (int i = 0; i < 2; i++)
    {
      Product *product = products[i];

      if (!product_init (product, &rows->products[i], block))
        g_assert_not_reached ();  /* it had no fault */
      product->plan.nest = product->nest = tp_nest_copy (product->c->nest);
      tp_contract_pack (&product->plan, build, product->is_packed);
    }
  if (!tp_family_choose (&tp_schedule_reduce, rows->reduce, &reduce))
    g_assert_not_reached ();  /* it has one for each of its own */
  emit_kernel (build, rows, products, &reduce, block);
}

const TpFamily tp_schedule_rows = {
  .form = { "rows", params },
  .n_steps = 1,
  .is_for = tp_target_has_vectors,
  .analyze = rows_analyze,
  .free = rows_free,
  .enumerate = rows_enumerate,
  .find_fault = rows_find_fault,
  .emit = rows_emit,
};
