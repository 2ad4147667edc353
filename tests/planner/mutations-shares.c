/* mutations-shares.c: ways to spoil the proof of a plan for three devices and
 * more. */
#include "config.h"

#include "mutations.h"

#define FAR (G_GINT64_CONSTANT (1) << 50) /* more than all costs together */

static TpShareBound *
get_bound (const TpPlan *plan)
{
  return plan->share_proof->bounds->pdata[0];
}

static TpShareRow *
pick_row (const TpPlan *plan)
{
  TpArray *rows = get_bound (plan)->rows;

  return rows->len == 0
             ? NULL
             : &tp_array_index (rows, TpShareRow, pick ((int) rows->len));
}

static gint64 *
get_amounts (const TpPlan *plan, const TpShareRow *row)
{
  return &tp_array_index (get_bound (plan)->amounts, gint64, row->first);
}

static gboolean
may_run (const TpPlan *plan, const TpTestCase *test, int op, int device)
{
  const char *const *pins = test->graph->nodes[op].pins;

  return tp_costs_node (test->costs, op, device)->time_ns != TP_COST_NONE
         && (pins == NULL || g_strv_contains (pins, plan->devices[device]));
}

static int
count_devices (const TpPlan *plan, const TpTestCase *test, int op)
{
  int n = 0;

  for (int d = 0; d < plan->n_devices; d++)
    n += may_run (plan, test, op, d);
  return n;
}

/* ---- amounts -------------------------------------------------------------- */

/* The op is elsewhere then, and the maker has lost that much; where all is for nothing
 * nothing need be proved. */
static gboolean
raise_amount (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  if (row == NULL || plan->bound_ns == 0 || plan->share_proof->entries->len > 1
      || count_devices (plan, test, row->op) < 2)
    return FALSE;
  for (int d = 0; d < plan->n_devices; d++)
    if (get_amounts (plan, row)[d] > 0)
      {
        get_amounts (plan, row)[d] += FAR;
        return TRUE;
      }
  return FALSE;
}

static gboolean
lower_amount (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  if (row == NULL)
    return FALSE;
  get_amounts (plan, row)[pick (plan->n_devices)] = -1;
  return TRUE;
}

/* The same proof, but not as proofs are written. */
static gboolean
shift_row (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  for (int d = 0; row != NULL && d < plan->n_devices; d++)
    get_amounts (plan, row)[d] += may_run (plan, test, row->op, d);
  return row != NULL;
}

static gboolean
pay_nowhere (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  for (int d = 0; row != NULL && d < plan->n_devices; d++)
    if (!may_run (plan, test, row->op, d))
      {
        get_amounts (plan, row)[d] = 1;
        return TRUE;
      }
  return FALSE;
}

/* ---- rows ----------------------------------------------------------------- */

static gboolean
change_op (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  if (row == NULL || row->kind != 't')
    return FALSE;
  row->op = test->graph->tensors[row->index].producer; /* reads it not */
  return row->op >= 0;
}

static gboolean
change_op_far (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  if (row != NULL)
    row->op += test->graph->n_nodes;
  return row != NULL;
}

static gboolean
change_index_far (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  if (row != NULL)
    row->index += test->graph->n_tensors + test->groups->n_groups;
  return row != NULL;
}

static gboolean
change_kind (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  if (row == NULL || row->kind != 't' || row->index < test->groups->n_groups)
    return FALSE;
  row->kind = 'g';
  return TRUE;
}

static gboolean
swap_rows (TpPlan *plan, const TpTestCase *test)
{
  TpArray *rows = get_bound (plan)->rows;
  TpShareRow *first = &tp_array_index (rows, TpShareRow, 0), kept;

  if (rows->len < 2)
    return FALSE;
  kept = first[0];
  first[0] = first[1];
  first[1] = kept;
  return TRUE;
}

static gboolean
double_row (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);
  TpShareRow copy;

  if (row == NULL)
    return FALSE;
  copy = *row;
  tp_array_append_val (get_bound (plan)->rows, copy);
  return TRUE;
}

static gboolean
change_first (TpPlan *plan, const TpTestCase *test)
{
  TpShareRow *row = pick_row (plan);

  if (row != NULL)
    row->first = G_MAXUINT - 1;
  return row != NULL;
}

/* Sets a field of a row, where there is one. */
#define SPOIL_ROW(name, field, value) \
  static gboolean name (TpPlan *plan, const TpTestCase *test) \
  { \
    TpShareRow *row = pick_row (plan); \
\
    if (row != NULL) \
      row->field = value; \
    return row != NULL; \
  }
SPOIL_ROW (row_of_no_op, op, -1)
SPOIL_ROW (row_of_nothing, index, -1)
SPOIL_ROW (row_of_no_kind, kind, 'x')

static gboolean
set_amount (TpPlan *plan, gint64 amount)
{
  TpShareRow *row = pick_row (plan);

  if (row != NULL)
    get_amounts (plan, row)[pick (plan->n_devices)] = amount;
  return row != NULL;
}
TP_TEST_SPOIL_IF (most_amount, set_amount (plan, G_MAXINT64))
TP_TEST_SPOIL_IF (least_amount, set_amount (plan, G_MININT64))

/* ---- the tree ------------------------------------------------------------- */

static TpShareEntry *
get_entry (const TpPlan *plan, guint index)
{
  return &tp_array_index (plan->share_proof->entries, TpShareEntry, index);
}

TP_TEST_SPOIL (drop_end,
               tp_array_set_size (plan->share_proof->entries,
                                  plan->share_proof->entries->len - 1))
TP_TEST_SPOIL (add_end,
               tp_array_set_size (plan->share_proof->entries,
                                  plan->share_proof->entries->len + 1))

/* Without what should be below. */
static gboolean
branch_at_end (TpPlan *plan, const TpTestCase *test)
{
  TpShareEntry *last
      = get_entry (plan, plan->share_proof->entries->len - 1);

  *last = (TpShareEntry){ TRUE, pick (plan->n_placements) };
  return TRUE;
}

static gboolean
branch_on_pinned (TpPlan *plan, const TpTestCase *test)
{
  for (int i = 0; i < plan->n_placements; i++)
    if (count_devices (plan, test, i) == 1)
      {
        TpShareEntry entry = { FALSE, 0 };

        *get_entry (plan, plan->share_proof->entries->len - 1)
            = (TpShareEntry){ TRUE, i };
        tp_array_append_val (plan->share_proof->entries, entry);
        return TRUE;
      }
  return FALSE;
}

static gboolean
branch_nowhere (TpPlan *plan, const TpTestCase *test)
{
  *get_entry (plan, 0) = (TpShareEntry){ TRUE, plan->n_placements };
  return TRUE;
}

static gboolean
end_nowhere (TpPlan *plan, const TpTestCase *test)
{
  *get_entry (plan, plan->share_proof->entries->len - 1)
      = (TpShareEntry){ FALSE, (int) plan->share_proof->bounds->len };
  return TRUE;
}

TP_TEST_SPOIL (branch_below,
               *get_entry (plan, 0) = ((TpShareEntry){ TRUE, -1 }))
TP_TEST_SPOIL (end_below, *get_entry (plan, plan->share_proof->entries->len - 1)
                          = ((TpShareEntry){ FALSE, -1 }))

/* One that proves as much, where there is none: an op is on each of its devices, and
 * the first bound holds there, too. */
static gboolean
grow_tree (TpPlan *plan, const TpTestCase *test)
{
  const TpShareEntry end = { FALSE, 0 };

  for (int i = 0; i < plan->n_placements && !get_entry (plan, 0)->is_branch;
       i++)
    {
      int n = count_devices (plan, test, i);

      if (n < 2 || test->graph->nodes[i].colocation != NULL)
        continue;
      *get_entry (plan, 0) = (TpShareEntry){ TRUE, i };
      for (int d = 0; d < n; d++)
        tp_array_append_val (plan->share_proof->entries, end);
    }
  return get_entry (plan, 0)->is_branch;
}

/* What is below it comes before a branch. */
static gboolean
turn_tree (TpPlan *plan, const TpTestCase *test)
{
  gboolean has_tree = grow_tree (plan, test);
  guint n = plan->share_proof->entries->len;
  TpShareEntry kept = *get_entry (plan, 0);

  if (!has_tree)
    return FALSE;
  tp_test_assert_checked (plan, test->graph);
  *get_entry (plan, 0) = *get_entry (plan, n - 1);
  *get_entry (plan, n - 1) = kept;
  return TRUE;
}

/* On an op that the branch above has put somewhere already. */
static gboolean
branch_again (TpPlan *plan, const TpTestCase *test)
{
  const TpShareEntry end = { FALSE, 0 };
  gboolean has_tree = grow_tree (plan, test);
  int op = get_entry (plan, 0)->index;

  if (!has_tree)
    return FALSE;
  *get_entry (plan, plan->share_proof->entries->len - 1)
      = (TpShareEntry){ TRUE, op };
  for (int d = 0; d < count_devices (plan, test, op); d++)
    tp_array_append_val (plan->share_proof->entries, end);
  return TRUE;
}

TP_TEST_SPOIL (drop_tree, tp_array_set_size (plan->share_proof->entries, 0))
TP_TEST_SPOIL (drop_bounds, tp_pointers_cut (plan->share_proof->bounds, 0))
TP_TEST_SPOIL (drop_shares, g_clear_pointer (&plan->share_proof, tp_share_proof_free))

/* ---- what is claimed ------------------------------------------------------ */

TP_TEST_SPOIL (raise_bound, plan->bound_ns++)
TP_TEST_SPOIL (drop_unit, plan->share_proof->unit = 0)
TP_TEST_SPOIL (turn_unit, plan->share_proof->unit = -plan->share_proof->unit)
TP_TEST_SPOIL (raise_unit, plan->share_proof->unit = G_GINT64_CONSTANT (1) << 40)

static gboolean
change_certificate (TpPlan *plan, const TpTestCase *test)
{
  g_free (plan->certificate);
  plan->certificate = g_strdup ("min-cut");
  return TRUE;
}

static gboolean
add_flows (TpPlan *plan, const TpTestCase *test)
{
  g_assert_cmpint (plan->n_flows, ==, 0);
  g_free (plan->flows);
  plan->flows = g_new0 (gint64, 1);
  plan->n_flows = 1;
  return TRUE;
}

TP_TEST_SPOIL (name_a_price, plan->tie_price_ns = 1)

static gboolean
move_cheapest (TpPlan *plan, const TpTestCase *test)
{
  int op = pick (plan->n_placements);
  int *cheapest = &plan->placements[op].cheapest;

  *cheapest = (*cheapest + 1) % plan->n_devices;
  return TRUE;
}

static gboolean
cheapen_figure (TpPlan *plan, const TpTestCase *test)
{
  for (int i = 0; i < plan->n_placements; i++)
    {
      TpCost *cost = tp_costs_node (plan->costs, i, plan->placements[i].device);

      if (cost->time_ns < 20)
        continue;
      cost->time_ns -= 10;
      return TRUE;
    }
  return FALSE;
}

static gboolean
make_figure_dear (TpPlan *plan, const TpTestCase *test)
{
  int op = pick (plan->n_placements);
  g_autofree int *groups = tp_plan_map_groups (plan, test->graph);

  tp_costs_node (plan->costs, op, plan->placements[op].device)->time_ns += 10;
  return groups[op] < 0;
}

const TpTestMutation tp_test_share_mutations[] = {
  { "raise-amount", raise_amount },
  { "lower-amount", lower_amount },
  { "shift-row", shift_row },
  { "pay-nowhere", pay_nowhere },
  { "change-row-op", change_op },
  { "change-row-op-far", change_op_far },
  { "change-row-index-far", change_index_far },
  { "change-row-kind", change_kind },
  { "swap-rows", swap_rows },
  { "double-row", double_row },
  { "change-row-first", change_first },
  { "drop-end", drop_end },
  { "add-end", add_end },
  { "branch-at-end", branch_at_end },
  { "branch-on-pinned", branch_on_pinned },
  { "branch-nowhere", branch_nowhere },
  { "end-nowhere", end_nowhere },
  { "drop-share-tree", drop_tree },
  { "drop-share-bounds", drop_bounds },
  { "drop-shares", drop_shares },
  { "raise-share-bound", raise_bound },
  { "drop-unit", drop_unit },
  { "raise-unit", raise_unit },
  { "change-share-certificate", change_certificate },
  { "add-flows", add_flows },
  { "name-a-price", name_a_price },
  { "move-share-cheapest", move_cheapest },
  { "cheapen-figure", cheapen_figure },
  { "make-figure-dear", make_figure_dear },
  { "row-of-no-op", row_of_no_op },
  { "row-of-nothing", row_of_nothing },
  { "row-of-no-kind", row_of_no_kind },
  { "most-amount", most_amount },
  { "least-amount", least_amount },
  { "branch-below", branch_below },
  { "end-below", end_below },
  { "turn-tree", turn_tree },
  { "branch-again", branch_again },
  { "turn-unit", turn_unit },
  { NULL, NULL },
};

TpTestCase *
tp_test_share_case_new (int round)
{
  TpTestSpec spec = { .n_ops = g_test_rand_int_range (2, 16),
                      .n_devices = 3 + round % 2, .max_cost = 60,
                      .has_pins = TRUE, .has_gaps = TRUE, .has_groups = TRUE,
                      .host = round % 5 - 1 < 3 ? round % 5 - 1 : 0,
                      .has_kernels = g_test_rand_bit (),
                      .has_together = round % 3 == 0 };
  TpTestCase *test = tp_test_case_new (&spec);

  /* its figures are not those that the graph gives */
  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  return test;
}
