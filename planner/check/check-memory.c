/* check-memory.c: does a tree of choices prove that what fits costs so much?
 *
 * Each branch has an op on the first device, then on the second, or a device
 * hold no more than so much but for constants, then more: so the ends of the
 * tree are all placements there are. Of each end one of these has to hold: a
 * bound of what is below it is no less than claimed; what its ops hold is above
 * a limit by itself; it is one placement, which costs enough, or whose arenas,
 * laid out as sessions do, do not fit; all its placements, op after op, cost enough.
 *
 * Of three and four devices there are but peaks, and ends of the last kind. */
#include "config.h"

#include "planner/check/check-memory.h"

#include "ir/array.h"
#include "ir/execution.h"
#include "ir/guard.h"
#include "ir/plan-memory.h"
#include "planner/check/check-costs.h"
#include "planner/check/check-proof.h"
#include "planner/check/check-room.h"
#include "planner/check/check-share.h"
#include "planner/check/check-sweep.h"
#include "planner/check/check-tie.h"

#include <string.h>

#define FREE (-1)
#define MAX_WORK (G_GINT64_CONSTANT (1) << 32) /* ops looked at: a minute */

typedef TpCheckerWide Wide;

/* An op that was branched on, and has been on its first device only or on both;
 * or a device whose peak was, and what its bounds were. */
typedef struct
{
  int op;                     /* -1: a peak */
  gboolean is_second;
  int device;
  gint64 low, high, bytes;
} Choice;

typedef struct
{
  TpChecker *checker;
  const TpMemoryProof *proof;
  TpCheckerRoom room;
  TpCheckerHeld held;
  TpCheckerLevels levels;
  int bound;                  /* whose levels they are; -1: of none */
  gint8 *devices;             /* [op]; FREE: any */
  TpArray *path;              /* Choice */
  TpCheckerBox box;
  TpCheckerSteps steps;       /* of what was fixed when it was last asked for */
} Walk;

/* ---- ends --------------------------------------------------------------- */

static Wide
find_least (const Walk *walk)
{
  Wide sum = walk->levels.offset - walk->levels.paid;

  for (int i = 0; i < walk->checker->plan->n_placements; i++)
    {
      const Wide *levels = &walk->levels.levels[2 * (gsize) i];

      sum += walk->devices[i] == FREE ? MIN (levels[0], levels[1])
                                      : levels[walk->devices[i]];
    }
  return sum;
}

static gboolean
check_bound (Walk *walk, int index)
{
  const TpMemoryBound *bound;
  Wide least;

  if (index < 0 || index >= (int) walk->proof->bounds->len)
    return FALSE;
  bound = walk->proof->bounds->pdata[index];
  if (walk->bound != index
      && !tp_checker_find_levels (&walk->held, index, &walk->levels))
    return FALSE;
  walk->bound = index;
  least = find_least (walk);
  return bound->has_costs ? least >= walk->proof->bound_ns : least > 0;
}

/* Of @root on @device when op @step begins, by what is fixed. */
static gint64
find_held (Walk *walk, int root, int device, int step)
{
  gint64 bytes = tp_checker_held_find (&walk->held, root, device, step);

  for (int i = 0; i < walk->held.n_ops; i++)
    if (walk->devices[walk->held.ops[i]] == device)
      return bytes;
  return 0;
}

static gboolean
check_full (Walk *walk, int device, int step)
{
  const TpPlan *plan = walk->checker->plan;
  Wide sum = 0;

  if (device < 0 || device > 1 || step < 0 || step >= plan->n_placements
      || walk->room.limits[device] <= 0)
    return FALSE;
  for (int i = 0; i < walk->checker->graph->n_tensors; i++)
    sum += find_held (walk, i, device, step);
  return sum > walk->room.limits[device];
}

static void
add_needed (const TpExecution *execution, int n_devices, TpCheckerBytes *bytes)
{
  for (int d = 0; d < n_devices; d++)
    bytes[d] += (Wide) execution->memory[d].arena_bytes
                + execution->memory[d].weight_bytes;
}

static gboolean
fits (const TpPlan *plan, const TpExecution *execution)
{
  g_autofree TpCheckerBytes *bytes
      = tp_new0 (TpCheckerBytes, plan->n_devices + 1);

  add_needed (execution, plan->n_devices, bytes);
  return tp_checker_is_within (plan->costs, plan->memory_limits, bytes);
}

static TpGroups *
find_groups (const TpChecker *checker, const gint8 *devices)
{
  const TpGroups *all = checker->plan->all_groups;
  TpGroups *groups = tp_groups_new ();
  gsize n = (gsize) checker->costs->n_devices;

  for (int i = 0; i < all->n_groups; i++)
    {
      const TpGroup *it = &all->groups[i];
      int device = it->n_nodes == 0 ? 0 : devices[it->nodes[0]];
      gboolean is_whole = checker->gains[(gsize) i * n + device] > 0
                          && !it->is_claimed;

      for (int k = 0; k < it->n_nodes; k++)
        is_whole = is_whole && devices[it->nodes[k]] == device;
      if (is_whole)
        tp_groups_add (groups, it->nodes, it->n_nodes);
    }
  return groups;
}

/* (nullable): it cannot be laid out. */
static TpExecution *
lay_out (const TpChecker *checker, const gint8 *devices)
{
  const TpGraph *graph = checker->graph;
  g_autofree int *places = tp_new (int, graph->n_nodes + 1);
  g_autoptr (TpGroups) groups = find_groups (checker, devices);
  TpPlaced placed = { checker->costs->n_devices, checker->costs->host, places, groups, NULL };

  for (int i = 0; i < graph->n_nodes; i++)
    places[i] = devices[i];
  return tp_execution_new (graph, &placed, NULL);
}

gboolean
tp_checker_is_too_large (const TpChecker *checker, const gint8 *devices)
{
  g_autoptr (TpExecution) execution = lay_out (checker, devices);

  return execution != NULL && !fits (checker->plan, execution);
}

gboolean
tp_checker_add_needed (const TpChecker *checker, const gint8 *devices,
                       TpCheckerBytes *bytes)
{
  g_autoptr (TpExecution) execution = lay_out (checker, devices);

  if (execution != NULL)
    add_needed (execution, checker->plan->n_devices, bytes);
  return execution != NULL;
}

/* Whether it would in any order: constants, and what takes most beside them. */
static gboolean
fits_unordered (Walk *walk)
{
  const TpPlan *plan = walk->checker->plan;
  const TpGraph *graph = walk->checker->graph;
  TpCheckerBytes bytes[2], most[2] = { 0, 0 };

  for (int i = 0; i < graph->n_nodes; i++)
    {
      int d = walk->devices[i];
      Wide own = tp_checker_held_find_own (&walk->held, d, i);

      most[d] = MAX (most[d], own);
    }
  for (int d = 0; d < 2; d++)
    {
      bytes[d] = most[d];
      for (int i = 0; i < graph->n_tensors; i++)
        if (tp_tensor_is_resident (&graph->tensors[i]))
          bytes[d] += find_held (walk, i, d, 0);
    }
  return tp_checker_is_within (plan->costs, plan->memory_limits, bytes);
}

static gboolean
check_placed (Walk *walk)
{
  for (int i = 0; i < walk->checker->graph->n_nodes; i++)
    if (walk->devices[i] == FREE)
      return FALSE;
  if (tp_checker_sum_cost (&walk->held, walk->devices)
      >= walk->proof->bound_ns)
    return TRUE;
  return walk->held.is_unordered
             ? !fits_unordered (walk)
             : tp_checker_is_too_large (walk->checker, walk->devices);
}

static gboolean
check_sweep (Walk *walk, const TpProofEntry *entry)
{
  gsize n = walk->checker->plan->n_placements;
  TpCheckerBox box = walk->box;

  for (int d = 0; d < walk->checker->costs->n_devices; d++)
    {
      box.prices[d] = entry->prices[d];
      if (entry->prices[d] < 0)
        return FALSE;
    }
  if (walk->steps.devices == NULL
      || memcmp (walk->steps.devices, walk->devices, n) != 0)
    {
      tp_checker_steps_clear (&walk->steps);
      if (!tp_checker_steps_init (&walk->steps, &walk->held, walk->devices))
        {
          tp_checker_steps_clear (&walk->steps);
          return FALSE;
        }
    }
  return tp_checker_sweep (&walk->steps, &box, walk->proof->bound_ns);
}

static gboolean
check_end (Walk *walk, const TpProofEntry *entry)
{
  switch (entry->kind)
    {
    case TP_PROOF_BOUND:
      return check_bound (walk, entry->index);
    case TP_PROOF_FULL:
      return check_full (walk, entry->index, entry->step);
    case TP_PROOF_PLACED:
      return check_placed (walk);
    case TP_PROOF_SWEEP:
      return check_sweep (walk, entry);
    default:
      return FALSE;
    }
}

/* ---- the tree ----------------------------------------------------------- */

/* What is to be on one device is there with @op. */
static void
set_device (Walk *walk, int op, int device)
{
  const TpGraph *graph = walk->checker->graph;
  int index = graph->colocation_of == NULL ? -1 : graph->colocation_of[op];
  const TpColocation *it = index < 0 ? NULL : &graph->colocations[index];

  walk->devices[op] = (gint8) device;
  for (int i = 0; it != NULL && i < it->n_nodes; i++)
    walk->devices[it->nodes[i]] = (gint8) device;
}

static gboolean
enter (Walk *walk, int op)
{
  Choice choice = { .op = op };

  if (op < 0 || op >= walk->checker->plan->n_placements
      || walk->devices[op] != FREE)
    return FALSE;
  set_device (walk, op, 0);
  tp_array_append_val (walk->path, choice);
  return TRUE;
}

static gboolean
enter_peak (Walk *walk, const TpProofEntry *entry)
{
  int d = entry->index;
  Choice choice = { .op = -1, .device = d, .bytes = entry->bytes };

  if (d < 0 || d >= walk->checker->costs->n_devices
      || walk->room.limits[d] <= 0
      || entry->bytes < walk->box.low[d] || entry->bytes >= walk->box.high[d])
    return FALSE;
  choice.low = walk->box.low[d];
  choice.high = walk->box.high[d];
  walk->box.high[d] = entry->bytes;
  tp_array_append_val (walk->path, choice);
  return TRUE;
}

/* The first of @choice is done with: the second. */
static void
turn_choice (Walk *walk, Choice *choice)
{
  choice->is_second = TRUE;
  if (choice->op >= 0)
    {
      set_device (walk, choice->op, 1);
      return;
    }
  walk->box.low[choice->device] = choice->bytes + 1;
  walk->box.high[choice->device] = choice->high;
}

static void
leave_choice (Walk *walk, const Choice *choice)
{
  if (choice->op >= 0)
    set_device (walk, choice->op, FREE);
  else
    walk->box.low[choice->device] = choice->low;
}

/* To the next end; FALSE: there is none left. */
static gboolean
turn (Walk *walk)
{
  while (walk->path->len > 0)
    {
      Choice *last = &tp_array_index (walk->path, Choice, walk->path->len - 1);

      if (!last->is_second)
        {
          turn_choice (walk, last);
          return TRUE;
        }
      leave_choice (walk, last);
      tp_array_set_size (walk->path, walk->path->len - 1);
    }
  return FALSE;
}

static void
check_tree (Walk *walk)
{
  const TpArray *entries = walk->proof->entries;
  gboolean is_left = TRUE;

  for (guint i = 0; i < entries->len; i++)
    {
      const TpProofEntry *it = &tp_array_index (entries, TpProofEntry, i);
      gboolean is_choice
          = it->kind == TP_PROOF_BRANCH || it->kind == TP_PROOF_PEAK;
      gboolean is_good
          = is_left
            && (it->kind == TP_PROOF_BRANCH ? enter (walk, it->index)
                : is_choice                 ? enter_peak (walk, it)
                                            : check_end (walk, it));

      if (!is_good)
        {
          tp_checker_fail (walk->checker,
                           "memory_tree[%u] does not prove that what fits "
                           "costs at least %" G_GINT64_FORMAT,
                           i, walk->proof->bound_ns);
          return;
        }
      if (!is_choice)
        is_left = turn (walk);
    }
  if (is_left)
    tp_checker_fail (walk->checker, "memory_tree has ends without a proof");
}

static void
walk_clear (Walk *walk)
{
  tp_checker_held_clear (&walk->held);
  tp_checker_steps_clear (&walk->steps);
  tp_array_unref (walk->path);
  g_free (walk->devices);
  g_free (walk->levels.levels);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

/* The one device that @op may be on; FREE: there are several. */
static gint8
find_only (const TpChecker *checker, int op)
{
  int only = FREE, n = 0;

  for (int d = 0; d < checker->costs->n_devices; d++)
    if (tp_checker_may_run (checker, op, d))
      {
        only = d;
        n++;
      }
  return (gint8) (n == 1 ? only : FREE);
}

static void
walk_tree (TpChecker *checker)
{
  int n = checker->plan->n_placements;
  g_auto (Walk) walk = { .checker = checker,
                         .proof = checker->plan->memory_proof,
                         .bound = -1,
                         .path = tp_array_new (sizeof (Choice)) };

  walk.devices = tp_new0 (gint8, n + 1);
  walk.levels.levels = tp_new0 (Wide, 2 * (gsize) n + 1);
  tp_checker_held_init (&walk.held, checker);
  walk.room = tp_checker_find_room (checker->plan->costs,
                                    checker->plan->memory_limits);
  for (int d = 0; d < checker->costs->n_devices; d++)
    walk.box.high[d] = walk.room.limits[d];
  for (int i = 0; i < n; i++)
    walk.devices[i] = find_only (checker, i);
  check_tree (&walk);
}

/* ---- the plan itself ---------------------------------------------------- */

void
tp_checker_check_limits (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  g_autoptr (TpExecution) execution
      = tp_plan_spell_out (plan, checker->graph, NULL);

  for (int i = 0; i < tp_checker_count_limits (plan->costs); i++)
    if (plan->memory_limits[i] < 0)
      tp_checker_fail (checker, "a limit of memory, number %d, is below 0", i);
  if (execution == NULL || !fits (plan, execution))
    tp_checker_fail (checker, "the plan takes more memory than its limits");
}

/* Whether what devices share is less than all of them could hold. */
static gboolean
has_tight_pool (const TpChecker *checker)
{
  const TpCosts *costs = checker->plan->costs;
  Wide all = 0;

  for (int i = 0; i < checker->graph->n_tensors; i++)
    all += MAX (checker->graph->tensors[i].size_bytes, 1);
  for (int i = costs->n_devices; i < tp_checker_count_limits (costs); i++)
    if (checker->plan->memory_limits[i] > 0
        && checker->plan->memory_limits[i] < all * costs->n_devices)
      return TRUE;
  return FALSE;
}

/* What a proof may have where it is of more than two devices. */
static gboolean
check_several (TpChecker *checker, const TpMemoryProof *proof)
{
  const TpCosts *costs = checker->plan->costs;

  if (costs->n_devices > TP_SWEEP_MAX_DEVICES)
    return tp_checker_fail (checker, "memory_tree: %d devices, of which no more "
                                     "than %d are swept",
                            costs->n_devices, TP_SWEEP_MAX_DEVICES);
  if (has_tight_pool (checker))
    return tp_checker_fail (checker, "memory_tree: some of %d devices share too "
                                     "little memory, which is swept of two alone",
                            costs->n_devices);
  if (proof->bounds->len > 0)
    return tp_checker_fail (checker, "memory_bounds are of two devices, not %d",
                            costs->n_devices);
  for (guint i = 0; i < proof->entries->len; i++)
    {
      TpProofKind kind
          = tp_array_index (proof->entries, TpProofEntry, i).kind;

      if (kind != TP_PROOF_PEAK && kind != TP_PROOF_SWEEP)
        return tp_checker_fail (checker,
                                "memory_tree[%u] is neither a peak nor a sweep, "
                                "as all are of %d devices",
                                i, costs->n_devices);
    }
  return TRUE;
}

static gboolean
check_parts (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  const TpMemoryProof *proof = plan->memory_proof;
  guint n_shares = 0;
  Wide n_items = checker->graph->n_nodes + checker->graph->n_tensors;

  if (proof == NULL || plan->memory_limits == NULL
      || checker->costs->n_devices < 2)
    return tp_checker_fail (checker, "there is no proof, or no limit");
  if (checker->costs->n_devices > 2 && !check_several (checker, proof))
    return FALSE;
  if (plan->tie_price_ns != 0 || proof->bound_ns < plan->bound_ns
      || proof->bound_ns > plan->cost_ns)
    return tp_checker_fail (checker, "memory_bound_ns is %" G_GINT64_FORMAT
                                     ": less than without limits, or more "
                                     "than the plan",
                            proof->bound_ns);
  for (guint i = 0; i < proof->bounds->len; i++)
    {
      const TpMemoryBound *bound = proof->bounds->pdata[i];

      n_shares = MAX (n_shares, bound->shares->len);
    }
  if (proof->entries->len * (n_items + n_shares) > MAX_WORK)
    return tp_checker_fail (checker, "the proof is too large to be checked");
  return TRUE;
}

void
tp_checker_check_memory_proof (TpChecker *checker)
{
  if (check_parts (checker))
    walk_tree (checker);
}

void
tp_checker_check_memory_tree (TpChecker *checker)
{
  if (!check_parts (checker))
    return;
  tp_checker_check_cut (checker);
  tp_checker_check_cheapest (checker);
  walk_tree (checker);
}
