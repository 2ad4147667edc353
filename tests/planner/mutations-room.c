/* mutations-room.c: ways to spoil what a plan for several devices says of those that
 * keep to limits of memory. */
#include "config.h"

#include "ir/plan-memory.h"
#include "memory-case.h"
#include "mutations.h"

static TpMemoryPrice *
pick_price (const TpPlan *plan)
{
  TpArray *prices = plan->share_proof->prices;

  return &tp_array_index (prices, TpMemoryPrice, pick ((int) prices->len));
}

/* Some row; NULL: there is none. */
static TpShareRow *
pick_row (const TpPlan *plan)
{
  TpArray *rows = plan->share_proof->room->rows;

  return rows->len == 0
             ? NULL
             : &tp_array_index (rows, TpShareRow, pick ((int) rows->len));
}

/* Of bytes; NULL: there is none. */
static TpShareRow *
pick_held (const TpPlan *plan)
{
  TpArray *rows = plan->share_proof->room->rows;

  for (guint i = 0; i < rows->len; i++)
    if (tp_array_index (rows, TpShareRow, i).kind == 'm')
      return &tp_array_index (rows, TpShareRow, i);
  return NULL;
}

TP_TEST_SPOIL (raise_room, plan->share_proof->room_ns = plan->cost_ns + 1 + pick (5))

/* More than rows prove. */
static gboolean
claim_least (TpPlan *plan, const TpTestCase *test)
{
  gboolean is_gap = plan->share_proof->room_ns < plan->cost_ns;

  plan->share_proof->room_ns = plan->cost_ns;
  return is_gap;
}

TP_TEST_SPOIL (lower_room_price, pick_price (plan)->price = -1 - pick (1000))
TP_TEST_SPOIL (room_price_nowhere, pick_price (plan)->device = plan->n_devices + pick (3))
TP_TEST_SPOIL (room_price_never, pick_price (plan)->step = plan->n_placements + pick (3))
TP_TEST_SPOIL (price_without_room, plan->memory_limits[pick_price (plan)->device] = 0)

static gboolean
drop_room_prices (TpPlan *plan, const TpTestCase *test)
{
  tp_array_set_size (plan->share_proof->prices, 0);
  return pick_held (plan) != NULL;
}

static gboolean
row_of_nobody (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  if (row != NULL)
    row->op = plan->n_placements + pick (3);
  return row != NULL;
}

static gboolean
row_of_nothing (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  if (row != NULL)
    row->index += test->graph->n_tensors + test->groups->n_groups;
  return row != NULL;
}

static gboolean
held_at_no_price (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_held (plan);

  if (row != NULL)
    row->row += 100;
  return row != NULL;
}

static gboolean
repeat_room_row (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan), copy;

  if (row == NULL)
    return FALSE;
  copy = *row;
  tp_array_append_val (plan->share_proof->room->rows, copy);
  return TRUE;
}

static gboolean
lower_room_amount (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  if (row != NULL)
    tp_array_index (plan->share_proof->room->amounts, gint64,
                    row->first + pick (plan->n_devices))
        = -1;
  return row != NULL;
}

/* The same for all devices is nothing, and not written. */
static gboolean
raise_room_row (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  for (int d = 0; row != NULL && d < plan->n_devices; d++)
    tp_array_index (plan->share_proof->room->amounts, gint64, row->first + d)
        += 1 + pick (5);
  return row != NULL;
}

/* As if the bounds knew of what two have in common. */
static gboolean
map_within_limits (TpPlan *plan, const TpTestCase *test)
{
  TpCosts *costs = plan->costs;

  g_free (costs->is_mapped);
  costs->is_mapped = g_new0 (gboolean, costs->n_devices);
  return tp_costs_map (costs, costs->host == 0);
}

const TpTestMutation tp_test_room_mutations[] = {
  { "price-without-room", price_without_room },
  { "map-within-room", map_within_limits },
  { "raise-room", raise_room },
  { "claim-room-least", claim_least },
  { "lower-room-price", lower_room_price },
  { "room-price-nowhere", room_price_nowhere },
  { "room-price-never", room_price_never },
  { "drop-room-prices", drop_room_prices },
  { "room-row-of-nobody", row_of_nobody },
  { "room-row-of-nothing", row_of_nothing },
  { "held-at-no-price", held_at_no_price },
  { "repeat-room-row", repeat_room_row },
  { "lower-room-amount", lower_room_amount },
  { "raise-room-row", raise_room_row },
  { NULL, NULL },
};

TpTestCase *
tp_test_room_case_new (int round)
{
  int n_devices = 3 + round % 2;
  TpTestCase *test = round % 3 == 0
                         ? tp_memory_case_new_together (n_devices, 10)
                         : tp_memory_case_new_for (n_devices, 10);

  /* its figures are not those that the graph gives */
  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  return test;
}

TpPlan *
tp_test_place_in_room (const TpTestCase *test)
{
  gint64 bytes[TP_TEST_MAX_DEVICES], limits[TP_TEST_MAX_DEVICES + 1] = { 0 };
  g_autoptr (TpPlan) cheapest = tp_memory_case_place (test, NULL, 0);
  g_autofree guint8 *devices = tp_test_plan_devices (cheapest);
  g_autoptr (TpPlan) plan = NULL;

  tp_memory_case_count (test, devices, bytes);
  for (int d = 0; d < test->costs->n_devices; d++)
    limits[d] = bytes[d] * g_test_rand_int_range (60, 90) / 100;
  plan = tp_memory_case_place (test, limits, TP_MEMORY_CASE_CUTS);
  if (plan == NULL || plan->share_proof->room == NULL)
    return NULL;
  tp_plan_count_memory (plan, test->graph);
  return g_steal_pointer (&plan);
}
