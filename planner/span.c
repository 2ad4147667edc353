/* span.c: see span.h. Candidates are the cheapest plan, that of the least load, each
 * device alone, and cuts in which one device or the copies count for more; moves make
 * of the best a better one. No placement ends before its busiest engine has done what
 * it carries, nor before the longest way through the graph is gone. */
#include "config.h"

#include "planner/span.h"

#include "ir/guard.h"
#include "planner/cut.h"
#include "planner/load.h"
#include "planner/load-model.h"
#include "planner/network.h"
#include "planner/span-best.h"
#include "planner/span-path.h"
#include "planner/span-tasks.h"

#include <string.h>

#define WORK (1 << 22)        /* a quarter of a second's */
#define CUT_NODES (1 << 20)   /* over all cuts */
#define MAX_WEIGHT 8

static void
offer_alone (TpSpanBest *best, guint8 *devices)
{
  int n = best->problem->graph->n_nodes;

  for (int d = 0; d < best->problem->n_devices; d++)
    {
      for (int i = 0; i < n; i++)
        devices[i] = (guint8) (tp_problem_node_cost (best->problem, i, d)
                                       != TP_COST_NONE
                                   ? d
                                   : 1 - d);
      tp_span_best_offer (best, devices);
    }
}

static void
offer_cut (TpSpanBest *best, const gint64 *weights, guint8 *devices)
{
  g_autoptr (TpProblem) weighed = tp_problem_weigh (best->problem, weights);
  g_autoptr (TpNetwork) network = tp_network_new (weighed);

  tp_network_solve (network);
  for (int i = 0; i < best->problem->graph->n_nodes; i++)
    devices[i] = (guint8) tp_network_get_device (network, i);
  tp_span_best_offer (best, devices);
}

/* { first device, second device, copies } */
static void
offer_cuts (TpSpanBest *best, guint8 *devices)
{
  static const gint64 rows[][3]
      = { { 4, 4, 2 }, { 4, 4, 1 }, { 4, 5, 4 }, { 5, 4, 4 }, { 4, 6, 2 },
          { 6, 4, 2 }, { 4, 8, 4 }, { 8, 4, 4 }, { 4, 8, 1 }, { 8, 4, 1 } };
  gsize most = CUT_NODES / ((gsize) best->problem->graph->n_nodes + 1);

  if (best->problem->sum > TP_PROBLEM_LIMIT / (MAX_WEIGHT + 1))
    return;
  for (gsize i = 0; i < MIN (most, G_N_ELEMENTS (rows)); i++)
    {
      const gint64 weights[] = { rows[i][0], rows[i][1], rows[i][2],
                                 rows[i][2], rows[i][2], rows[i][2] };

      offer_cut (best, weights, devices);
    }
}

static void
search (TpSpanBest *best, guint8 *devices)
{
  offer_alone (best, devices);
  if (best->problem->n_devices == 2)
    {
      offer_cuts (best, devices);
      tp_span_best_improve (best);
    }
}

TpSpanProof *
tp_span_solve (const TpProblem *problem, gint64 load_bound_ns,
               guint8 *devices)
{
  gsize n = (gsize) problem->graph->n_nodes + 1;
  g_autofree guint8 *found = tp_memdup (devices, n);
  g_autofree guint8 *tried = tp_memdup (devices, n);
  TpSpanBest best = { .problem = problem, .devices = found,
                      .span_ns = G_MAXINT64, .work_left = WORK };
  g_autoptr (TpSpanTasks) tasks = NULL;
  g_autoptr (TpSpanProof) proof = NULL;

  best.bound_ns = MAX (load_bound_ns, tp_span_path_find (problem));
  tp_span_best_offer (&best, devices);
  search (&best, tried);
  memcpy (devices, found, n - 1);
  tasks = tp_span_tasks_new (problem, devices);
  tp_span_tasks_schedule (tasks);
  proof = tp_span_tasks_dup_proof (tasks);
  proof->bound_ns = best.bound_ns;
  return g_steal_pointer (&proof);
}

/* What engines carry by @devices. */
static void
fill_loads (const TpProblem *problem, const guint8 *devices, TpLoadProof *load)
{
  g_auto (TpLoadModel) model = { 0 };

  memset (load->loads, 0, sizeof (gint64) * load->n_engines);
  tp_load_model_init (&model, problem);
  tp_load_model_sum (&model, devices, load->loads);
  load->load_ns
      = load->loads[tp_load_model_find_busiest (&model, load->loads)];
}

/* Begins with the cheapest plan and with that of the least load. The proof of the
 * cheapest goes with the plan, as it does for throughput. */
static gboolean
span_solve (const TpProblem *problem, TpPlan *plan, guint8 *devices,
            guint8 *cheapest, GError **error)
{
  gsize n = (gsize) problem->graph->n_nodes + 1;
  TpProblem exact = *problem;
  g_autofree guint8 *least = tp_new0 (guint8, n);
  g_autoptr (TpSpanProof) other = NULL;

  exact.heeds_noise = FALSE;
  plan->load_proof = tp_load_solve (problem, least, error);
  if (plan->load_proof == NULL
      || !tp_solver_cut.solve (&exact, plan, cheapest, cheapest, error))
    return FALSE;
  memcpy (devices, cheapest, n - 1);
  plan->span_proof
      = tp_span_solve (problem, plan->load_proof->bound_ns, devices);
  other = tp_span_solve (problem, plan->load_proof->bound_ns, least);
  if (other->span_ns < plan->span_proof->span_ns)
    {
      tp_span_proof_free (plan->span_proof);
      plan->span_proof = g_steal_pointer (&other);
      memcpy (devices, least, n - 1);
    }
  fill_loads (problem, devices, plan->load_proof);
  return TRUE;
}

const TpSolver tp_solver_span = {
  .name = "list-schedules",
  .max_devices = 2,
  .kinds = TP_OBJECTIVE_SPAN,
  .certificate = TP_PLAN_SCHEDULE,
  .solve = span_solve,
};
