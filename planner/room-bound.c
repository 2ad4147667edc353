/* room-bound.c: see room-bound.h.
 *
 * Weights of engines and of paths, all above 0, prove a bound: the least weighted sum over
 * what weights add up to (load.c). Here it is the least of what fits, which the solvers
 * within limits bound, of two devices or of more. Which weights is a game against the
 * placements met so far (load-weights.c), in which a path is as good as an engine. As what
 * is found is not what is least where memory is short, every second time weights are
 * halfway to those that proved most. */
#include "config.h"

#include "planner/room-bound.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/limit.h"
#include "planner/load-bound.h"
#include "planner/load-weights.h"
#include "planner/share.h"

#include <string.h>

#define MIN_CLIMBS 2          /* on three devices and more */
#define MAX_CLIMBS 8
#define CLIMB_OPS 600         /* in all of them */
#define FINE 1024             /* of all weights: less is no difference */
#define MAX_PATHS (TP_LOAD_MAX_COLUMNS - TP_LOAD_MAX_ENGINES)

void
tp_room_bound_init (TpRoomBound *it, const TpProblem *problem,
                    gboolean has_paths)
{
  *it = (TpRoomBound){ .problem = problem, .has_paths = has_paths };
  tp_load_model_init (&it->model, problem);
  it->paths = (TpPaths){ problem, it->model.group_of };
  it->list = tp_pointers_new ((GDestroyNotify) tp_path_free);
  it->met = tp_pointers_new (g_free);
}

void
tp_room_bound_clear (TpRoomBound *it)
{
  tp_load_model_clear (&it->model);
  g_clear_pointer (&it->list, tp_pointers_free);
  g_clear_pointer (&it->met, tp_pointers_free);
  g_clear_pointer (&it->proof, tp_room_proof_free);
}

/* ---- placements and paths --------------------------------------------------- */

static gboolean
has_path (const TpRoomBound *it, const TpPath *path)
{
  for (guint i = 0; i < it->list->len; i++)
    {
      const TpPath *other = it->list->pdata[i];

      if (other->n_tensors == path->n_tensors
          && memcmp (other->tensors, path->tensors,
                     sizeof (int) * (gsize) path->n_tensors) == 0)
        return TRUE;
    }
  return FALSE;
}

void
tp_room_bound_meet (TpRoomBound *it, const guint8 *devices)
{
  gsize n = (gsize) it->problem->graph->n_nodes + 1;
  g_autoptr (TpPath) path = NULL;

  tp_pointers_add (it->met, tp_memdup (devices, n));
  if (!it->has_paths || it->list->len == MAX_PATHS)
    return;
  path = tp_paths_find_longest (&it->paths, devices);
  if (path != NULL && !has_path (it, path))
    tp_pointers_add (it->list, g_steal_pointer (&path));
}

/* ---- weights --------------------------------------------------------------- */

/* Of paths no less than 0: a group saves more than some of its ops take. */
static void
fill_row (TpRoomBound *it, const guint8 *devices, TpLoadRow *row)
{
  tp_load_model_sum (&it->model, devices, row->loads);
  for (guint i = 0; i < it->list->len; i++)
    row->loads[it->model.n_engines + (int) i]
        = MAX (tp_paths_measure (&it->paths, it->list->pdata[i], devices), 0);
}

/* The best weights for placements met, engines first. */
static void
find_best (TpRoomBound *it, double *out)
{
  g_autoptr (TpArray) rows = tp_array_new (sizeof (TpLoadRow));

  for (guint i = 0; i < it->met->len; i++)
    {
      TpLoadRow row = { { 0 } };

      fill_row (it, it->met->pdata[i], &row);
      tp_array_append_val (rows, row);
    }
  tp_load_find_weights (rows, it->model.n_engines + (int) it->list->len, out);
}

/* Whole, those of engines at least 1: where nothing is gained no group is one kernel, and
 * what is between its ops is held. FALSE: they are those before. */
static gboolean
find_weights (TpRoomBound *it)
{
  gint64 total = tp_load_bound_get_total (it->problem) / 2;
  int n = it->model.n_engines;
  double best[TP_LOAD_MAX_COLUMNS];
  gboolean is_new = FALSE;

  find_best (it, best);
  if (it->n_climbs % 2 == 0 && it->proof != NULL && !it->has_paths)
    tp_load_pull_weights (&it->model, it->proof->weights, best);
  for (int e = 0; e < n; e++)
    {
      gint64 weight = MAX ((gint64) (best[e] * (double) total), 1);

      if (tp_costs_is_one_engine (it->problem->costs))
        weight = e == 0 ? MAX (weight, 1) : it->weights[0];
      is_new |= ABS (weight - it->weights[e]) > total / FINE;
      it->weights[e] = weight;
    }
  for (guint i = 0; i < it->list->len; i++)
    {
      TpPath *path = it->list->pdata[i];
      gint64 weight = (gint64) (best[n + (int) i] * (double) total);

      is_new |= weight != path->weight;
      path->weight = weight;
    }
  return is_new;
}

static gint64
sum_weights (const TpRoomBound *it)
{
  gint64 sum = tp_load_sum_weights (&it->model, it->weights);

  for (guint i = 0; i < it->list->len; i++)
    sum += ((const TpPath *) it->list->pdata[i])->weight;
  return sum;
}

/* ---- the bound ------------------------------------------------------------- */

/* What none that fits is below, as weighted; 0: nothing is known. */
static gint64
get_least (const TpPlan *plan)
{
  if (plan->memory_proof != NULL)
    return plan->memory_proof->bound_ns;
  return plan->share_proof != NULL && plan->share_proof->room != NULL
             ? plan->share_proof->room_ns
             : 0;
}

static TpRoomProof *
make_proof (const TpRoomBound *it, TpPlan *plan)
{
  int n = it->model.n_engines;
  g_autoptr (TpRoomProof) proof = tp_room_proof_new (n);

  memcpy (proof->weights, it->weights, sizeof (gint64) * (gsize) n);
  for (guint i = 0; i < it->list->len; i++)
    if (((const TpPath *) it->list->pdata[i])->weight > 0)
      tp_pointers_add (proof->paths, tp_path_copy (it->list->pdata[i]));
  proof->tree = g_steal_pointer (&plan->memory_proof);
  if (proof->tree != NULL)
    return g_steal_pointer (&proof);
  proof->shares = g_steal_pointer (&plan->share_proof);
  tp_pointers_cut (proof->shares->bounds, 0);
  tp_array_set_size (proof->shares->entries, 0);
  return g_steal_pointer (&proof);
}

int
tp_room_bound_count_climbs (const TpProblem *problem, int two)
{
  return problem->n_devices > 2
             ? CLAMP (CLIMB_OPS / (problem->graph->n_nodes + 1), MIN_CLIMBS,
                      MAX_CLIMBS)
             : two;
}

gboolean
tp_room_bound_climb (TpRoomBound *it, gint64 floor_ns, gint64 most_ns,
                     guint8 *devices)
{
  gsize n = (gsize) it->problem->graph->n_nodes + 1;
  const TpSolver *solver = it->problem->n_devices > 2 ? &tp_solver_share
                                                      : &tp_solver_limit;
  g_autofree guint8 *cheapest = tp_new0 (guint8, n);
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_auto (TpPassed) passed = { 0 };
  g_autoptr (TpProblem) weighed = NULL;
  gint64 sum, least, bound;

  if (!find_weights (it))
    return FALSE;
  tp_paths_count (&it->paths, it->list, &passed);
  weighed = tp_problem_weigh_passed (it->problem, it->weights, &passed);
  weighed->heeds_noise = FALSE;
  weighed->is_part = it->problem->n_devices > 2 && it->n_climbs > 0;
  it->n_climbs++;
  if (!solver->solve (weighed, plan, devices, cheapest, NULL))
    return FALSE;
  tp_room_bound_meet (it, devices);
  sum = sum_weights (it);
  least = get_least (plan);
  bound = MIN (least / sum + (least % sum > 0), most_ns);
  if (bound <= floor_ns || (it->proof != NULL && bound <= it->proof->bound_ns))
    return TRUE;
  tp_room_proof_free (it->proof);
  it->proof = make_proof (it, plan);
  it->proof->bound_ns = bound;
  return TRUE;
}
