/* room-shares.c: see room-shares.h. Weights and prices differ little from one try to the next,
 * so messages begin as they were in one before; what is spent on a try is a counted number of
 * sweeps. */
#include "config.h"

#include "planner/room-shares.h"

#include "ir/guard.h"
#include "planner/share-climb.h"
#include "planner/share-move.h"
#include "planner/share-tree.h"

#define ROUNDS 6              /* of sweeps, while they gain */
#define SWEEPS 4              /* of a round */
#define DEAREST 2             /* a part of what a price may be where fewer rows have one */
#define GAIN 4096             /* a part of the bound that is less is nothing */

/* Those of @prices, none so high that sums overflow. */
static void
set_prices (TpShareModel *model, const TpArray *prices, TpShareProof *proof)
{
  for (guint i = 0; i < prices->len; i++)
    {
      TpMemoryPrice price = tp_array_index (prices, TpMemoryPrice, i);

      price.price = MIN (price.price, model->max_price / DEAREST);
      tp_share_model_set_price (model, (int) i, &price);
      tp_array_append_val (proof->prices, price);
    }
}

static TpShareModel *
make_model (const TpProblem *weighed, const TpLimitHeld *held,
            const TpArray *prices, TpShareProof *proof)
{
  g_autoptr (TpArray) zeros = tp_array_new (sizeof (TpMemoryPrice));
  g_autoptr (TpShareModel) model = NULL;

  for (guint i = 0; i < prices->len; i++)
    {
      TpMemoryPrice price = tp_array_index (prices, TpMemoryPrice, i);

      price.price = 0;
      tp_array_append_val (zeros, price);
    }
  /* weights are fine enough, and memory may be dear */
  model = tp_share_model_new_priced (weighed, held, zeros, 1, NULL);
  g_assert (model != NULL);   /* sums are below the limit */
  set_prices (model, prices, proof);
  proof->unit = model->unit;
  return g_steal_pointer (&model);
}

/* Sweeps while they gain, and what is cheap then. */
static gint64
climb (TpShareState *state, guint8 *devices)
{
  TpShareModel *model = state->model;
  g_autofree int *all = tp_new (int, (gsize) model->n_ops + 1);
  gint64 bound = tp_share_state_bound (state), before, cost;

  for (int i = 0; i < model->n_ops; i++)
    all[i] = i;
  for (int n = ROUNDS; n > 0; n--)
    {
      before = bound;
      for (int i = 0; i < SWEEPS; i++)
        tp_share_state_sweep (state, all, model->n_ops);
      bound = tp_share_state_bound (state);
      if (bound - before <= ABS (bound) / GAIN)
        break;
    }
  for (int i = 0; i < model->n_ops; i++)
    devices[i] = (guint8) tp_share_state_choose (state, i);
  tp_share_model_spread (model, devices);
  cost = tp_share_model_cost (model, devices);
  if (bound < cost)
    tp_share_move_improve (model, devices, &cost);
  tp_share_model_spread (model, devices);
  return bound;
}

TpShareProof *
tp_room_shares_find (const TpProblem *weighed, const TpLimitHeld *held,
                     const TpArray *prices, const TpShareProof *near,
                     guint8 *devices)
{
  g_autoptr (TpShareProof) proof = tp_share_proof_new ();
  g_autoptr (TpShareModel) model = make_model (weighed, held, prices, proof);
  g_auto (TpShareState) state = { 0 };

  tp_share_state_init (&state, model);
  if (near != NULL)
    tp_share_tree_recall (near->room, near->unit, &state);
  proof->room_ns = climb (&state, devices);
  proof->room = tp_share_tree_write (&state, NULL);
  return g_steal_pointer (&proof);
}
