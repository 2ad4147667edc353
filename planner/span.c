/* span.c: see span.h. Candidates are the cheapest plan, that of the least load, each
 * device alone, and cuts in which one device or the copies count for more; moves make
 * of the best a better one. No placement ends before its busiest engine has done what
 * it carries, nor before the longest way through the graph is gone.
 *
 * Where memory is limited what does not fit is not taken. What overlaps takes more than
 * the same one after the other, which is what is left if nothing else fits. */
#include "config.h"

#include "planner/span.h"

#include "ir/guard.h"
#include "planner/cut.h"
#include "planner/heft.h"
#include "planner/limit.h"
#include "planner/load-model.h"
#include "planner/load.h"
#include "planner/network.h"
#include "planner/room-bound.h"
#include "planner/share-tree.h"
#include "planner/share.h"
#include "planner/span-best.h"
#include "planner/span-path.h"
#include "planner/span-tasks.h"
#include "planner/span-tree.h"

#include <string.h>

#define WORK (5 << 19)        /* of all searches: a quarter of a second's */
#define CUT_NODES (1 << 20)   /* over all cuts */
#define SHARE_NODES (1 << 13) /* on three devices and more, where it is none */
#define HEFT_STEPS (1 << 21)
#define ROOM_WORK (1 << 17)   /* as of TpSpanRoom, for each search */
#define CLIMBS 6              /* of what fits, on two devices */
#define PLAIN 4               /* the weight of what counts as it is */
#define MAX_WEIGHT 8

static void
offer_alone (TpSpanBest *best, guint8 *devices)
{
  for (int d = 0; d < best->problem->n_devices; d++)
    {
      tp_problem_gather (best->problem, d, devices);
      tp_span_best_offer (best, devices);
    }
}

/* The least of what weights make of times; FALSE: there is too much of that. */
static gboolean
find_weighted (const TpProblem *problem, const gint64 *weights, guint8 *devices)
{
  g_autoptr (TpProblem) weighed = tp_problem_weigh (problem, weights);
  g_autoptr (TpNetwork) network = NULL;
  g_autoptr (TpShareModel) model = NULL;
  gint64 cost, bound;

  if (problem->n_devices > 2)
    {
      model = tp_share_model_new (weighed, NULL);
      if (model != NULL)
        tp_share_proof_free (tp_share_tree_climb (model, devices, &cost, &bound));
      return model != NULL;
    }
  network = tp_network_new (weighed);
  tp_network_solve (network);
  for (int i = 0; i < problem->graph->n_nodes; i++)
    devices[i] = (guint8) tp_network_get_device (network, i);
  return TRUE;
}

/* Engines of @dear count @weight, copies @copies, and other kernels PLAIN. */
static void
offer_weighted (TpSpanBest *best, int dear, gint64 weight, gint64 copies,
                guint8 *devices)
{
  gint64 weights[TP_LOAD_MAX_ENGINES];
  int n = best->problem->n_devices;

  for (int e = 0; e < 3 * n; e++)
    weights[e] = e >= n ? copies : e == dear ? weight : PLAIN;
  if (find_weighted (best->problem, weights, devices))
    tp_span_best_offer (best, devices);
}

static void
offer_cuts (TpSpanBest *best, guint8 *devices)
{
  static const gint64 rows[][2] /* { one device, copies } */
      = { { 4, 2 }, { 4, 1 }, { 5, 4 }, { 6, 2 }, { 8, 4 }, { 8, 1 } };
  int n = best->problem->n_devices;
  int left = (n > 2 ? SHARE_NODES : CUT_NODES)
             / (best->problem->graph->n_nodes + 1);

  if (best->problem->sum > TP_PROBLEM_LIMIT / (MAX_WEIGHT + 1))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    for (int d = rows[i][0] == PLAIN ? 0 : n - 1; d >= 0 && left > 0; d--, left--)
      offer_weighted (best, d, rows[i][0], rows[i][1], devices);
}

static void
offer_heft (TpSpanBest *best, guint8 *devices)
{
  if (tp_heft_place (best->problem, HEFT_STEPS, devices))
    tp_span_best_offer (best, devices);
}

/* The best of all searches. */
typedef struct
{
  const TpProblem *problem;
  guint8 *devices;            /* caller's */
  gint64 span_ns, bound_ns;
  TpSpanOrder order;
  gint64 work_left;           /* half of it goes to each search */
  TpSpanRoom *room;           /* (nullable) (unowned) */
} Found;

/* One by itself, from @start; @wants_cuts: and from others. If no run by that fits, what
 * is found is at least to be better than what was. */
static void
search (Found *found, const guint8 *start, gboolean wants_cuts)
{
  gsize n = (gsize) found->problem->graph->n_nodes + 1;
  gboolean has_choice = found->problem->n_devices > 1;
  g_autofree guint8 *own = tp_memdup (start, n);
  g_autofree guint8 *tried = tp_memdup (start, n);
  TpSpanBest best = { .problem = found->problem, .devices = own,
                      .span_ns = G_MAXINT64, .bound_ns = found->bound_ns,
                      .work_left = found->work_left / 2,
                      .room = found->room };

  if (found->room != NULL)
    found->room->work_left = ROOM_WORK;
  if (!tp_span_best_offer (&best, start))
    best.span_ns = found->span_ns;
  if (wants_cuts)
    offer_alone (&best, tried);
  if (wants_cuts && has_choice)
    {
      offer_cuts (&best, tried);
      offer_heft (&best, tried);
    }
  if (has_choice)
    tp_span_best_improve (&best);
  found->work_left += best.work_left - found->work_left / 2;
  if (best.span_ns >= found->span_ns)
    return;
  found->span_ns = best.span_ns;
  found->order = best.order;
  memcpy (found->devices, own, n - 1);
}

/* Bounds may part what is to be together: it goes where the first of it is. */
static void
bring_together (const TpProblem *problem, guint8 *devices)
{
  for (int i = 0; i < problem->graph->n_colocations; i++)
    {
      const int *first = problem->graph->colocations[i].nodes;

      tp_problem_move (problem, first, devices[*first], devices);
    }
}

/* Stage by stage, as @other has it. */
static void
cross (Found *found, const TpSpanStages *stages, const guint8 *other)
{
  gsize n = (gsize) found->problem->graph->n_nodes + 1;
  g_autofree guint8 *tried = tp_memdup (found->devices, n);
  TpSpanBest best = { .problem = found->problem, .devices = found->devices,
                      .span_ns = found->span_ns, .order = found->order,
                      .bound_ns = found->bound_ns,
                      .work_left = found->work_left / 2,
                      .room = found->room };

  for (int i = 0; i <= stages->n_waists && best.work_left > 0; i++)
    {
      int first = stages->first_op[i], end = stages->first_op[i + 1];
      gsize size = (gsize) (end - first);

      if (memcmp (&tried[first], &other[first], size) == 0)
        continue;
      memcpy (&tried[first], &other[first], size);
      bring_together (found->problem, tried);
      tp_span_best_offer (&best, tried);
      memcpy (tried, found->devices, n - 1);
    }
  found->work_left += best.work_left - found->work_left / 2;
  found->span_ns = best.span_ns;
  found->order = best.order;
}

/* Placements of which bounds are made on the way, and those that moves make of the
 * best of them. */
static void
grow_tree (Found *found, TpSpanTree *tree)
{
  gsize n = (gsize) found->problem->graph->n_nodes + 1;
  g_autofree guint8 *tried = tp_memdup (found->devices, n);
  g_autofree guint8 *own = tp_memdup (found->devices, n);
  TpSpanBest best = { .problem = found->problem, .devices = own,
                      .span_ns = G_MAXINT64, .work_left = WORK,
                      .room = found->room };
  Found after = *found;

  if (found->span_ns <= found->bound_ns)
    return;
  while (tp_span_tree_grow (tree, MIN (found->span_ns, best.span_ns))
         && best.work_left > 0)
    {
      memcpy (tried, found->devices, n - 1);
      tp_span_tree_fill_devices (tree, tried);
      bring_together (found->problem, tried);
      tp_span_best_offer (&best, tried);
    }
  after.bound_ns = MAX (found->bound_ns, tree->bound_ns);
  if (best.span_ns < G_MAXINT64 && after.span_ns > after.bound_ns)
    {
      search (&after, own, FALSE);
      search (&after, tried, FALSE);
      cross (&after, tree->stages, own);
      cross (&after, tree->stages, tried);
    }
  found->span_ns = after.span_ns;
  found->order = after.order;
}

/* Begins with one thing after the other by the placement there is, which fits so: what
 * comes is to end sooner. FALSE: it does not fit. */
static gboolean
take_turns (Found *found, GError **error)
{
  g_autoptr (TpSpanTasks) tasks
      = tp_span_tasks_new (found->problem, found->devices);

  found->span_ns = tp_span_tasks_schedule_as (tasks, TP_SPAN_IN_TURN);
  found->order = TP_SPAN_IN_TURN;
  return tp_span_room_fits (found->room, tasks)
         || tp_limit_fail (found->problem, (const gint8 *) found->devices,
                           FALSE, error);
}

static TpSpanProof *
dup_proof (const Found *found, TpSpanTree *tree)
{
  g_autoptr (TpSpanTasks) tasks
      = tp_span_tasks_new (found->problem, found->devices);
  g_autoptr (TpSpanProof) proof = NULL;

  tp_span_tasks_schedule_as (tasks, found->order);
  proof = tp_span_tasks_dup_proof (tasks);
  proof->bound_ns = found->bound_ns;
  tp_span_tree_fill_proof (tree, proof);
  return g_steal_pointer (&proof);
}

TpSpanProof *
tp_span_solve (const TpProblem *problem, gint64 load_bound_ns,
               const guint8 *other, guint8 *devices, GError **error)
{
  gsize n = (gsize) problem->graph->n_nodes + 1;
  g_autofree guint8 *start = tp_memdup (devices, n);
  g_autoptr (TpSpanTree) tree = tp_span_tree_new (problem);
  TpSpanRoom room = { ROOM_WORK };
  Found found = { .problem = problem, .devices = devices,
                  .span_ns = G_MAXINT64, .work_left = WORK,
                  .room = problem->limits == NULL ? NULL : &room };

  found.bound_ns = MAX (load_bound_ns, tp_span_path_find (problem));
  if (found.room != NULL && !take_turns (&found, error))
    return NULL;
  search (&found, start, TRUE);
  if (other != NULL && found.span_ns > found.bound_ns)
    search (&found, other, FALSE);
  grow_tree (&found, tree);
  return dup_proof (&found, tree);
}

/* That no run of what fits ends before so much, in whatever order ops run: by what
 * engines carry and the paths of what was met. */
static void
bound_fitting (const TpProblem *problem, const guint8 *devices, TpPlan *plan)
{
  gsize n = (gsize) problem->graph->n_nodes + 1;
  TpSpanProof *proof = plan->span_proof;
  TpProblem unordered = *problem;
  g_autofree guint8 *fitting = tp_new0 (guint8, n);
  g_auto (TpRoomBound) bound = { 0 };

  unordered.is_unordered = TRUE;
  tp_room_bound_init (&bound, &unordered, TRUE);
  tp_room_bound_meet (&bound, devices);
  for (int n_left = tp_room_bound_count_climbs (problem, CLIMBS); n_left > 0;
       n_left--)
    if (proof->bound_ns >= proof->span_ns
        || !tp_room_bound_climb (&bound, proof->bound_ns, proof->span_ns, fitting))
      break;
  proof->room = g_steal_pointer (&bound.proof);
  if (proof->room != NULL)
    proof->bound_ns = proof->room->bound_ns;
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

/* With its proof; noise breaks no ties. */
static gboolean
find_cheapest (const TpProblem *problem, TpPlan *plan, guint8 *cheapest,
               GError **error)
{
  const TpSolver *solver
      = problem->n_devices > 2 ? &tp_solver_share : &tp_solver_cut;
  TpProblem exact = *problem;

  exact.heeds_noise = FALSE;
  exact.limits = NULL;
  return solver->solve (&exact, plan, cheapest, cheapest, error);
}

/* -1: nothing that is not of group @index reads @tensor before the group's last op. */
static int
find_early_reader (const TpProblem *problem, const int *group_of, int index,
                   int tensor)
{
  const TpGroup *group = &problem->groups->groups[index];
  const TpTensor *it = tensor < 0 ? NULL : &problem->graph->tensors[tensor];

  for (int c = 0; it != NULL && c < it->n_consumers; c++)
    if (group_of[it->consumers[c]] != index
        && it->consumers[c] < group->nodes[group->n_nodes - 1])
      return it->consumers[c];
  return -1;
}

/* A group runs where its last op stands; else two could wait for each other. */
static gboolean
check_group (const TpProblem *problem, const int *group_of, int index,
             GError **error)
{
  const TpGroup *group = &problem->groups->groups[index];
  const TpNode *nodes = problem->graph->nodes;

  for (int i = 0; i < group->n_nodes; i++)
    for (int k = 0; k < nodes[group->nodes[i]].n_outputs; k++)
      {
        int reader = find_early_reader (problem, group_of, index,
                                        nodes[group->nodes[i]].outputs[k]);

        if (reader < 0)
          continue;
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                     "fusion group %d: op '%s', which is not of it, reads what op "
                     "'%s' makes and stands before the last op of the group: put "
                     "it after that, or leave the group out",
                     index, nodes[reader].name, nodes[group->nodes[i]].name);
        return FALSE;
      }
  return TRUE;
}

static gboolean
check_groups (const TpProblem *problem, GError **error)
{
  gsize n = (gsize) problem->graph->n_nodes;
  g_autofree int *group_of = tp_new (int, n + 1);

  memset (group_of, -1, n * sizeof (int));
  for (int i = 0; i < problem->costs->n_groups; i++)
    for (int k = 0; k < problem->groups->groups[i].n_nodes; k++)
      group_of[problem->groups->groups[i].nodes[k]] = i;
  for (int i = 0; i < problem->costs->n_groups; i++)
    if (!check_group (problem, group_of, i, error))
      return FALSE;
  return TRUE;
}

/* Begins with the cheapest plan and with that of the least load, or with what is
 * cheapest of what fits. The proof of the cheapest goes with the plan, as it does for
 * throughput. */
static gboolean
span_solve (const TpProblem *problem, TpPlan *plan, guint8 *devices,
            guint8 *cheapest, GError **error)
{
  gsize n = (gsize) problem->graph->n_nodes + 1;
  g_autofree guint8 *least = tp_new0 (guint8, n);

  if (!check_groups (problem, error))
    return FALSE;
  plan->load_proof = tp_load_solve (problem, least, error);
  if (plan->load_proof == NULL
      || !find_cheapest (problem, plan, cheapest, error))
    return FALSE;
  if (problem->limits == NULL)
    memcpy (devices, cheapest, n - 1);
  else if (!tp_span_room_find (problem, devices, least, error))
    return FALSE;
  plan->span_proof = tp_span_solve (problem, plan->load_proof->bound_ns, least,
                                    devices, error);
  if (plan->span_proof == NULL)
    return FALSE;
  fill_loads (problem, devices, plan->load_proof);
  if (problem->limits != NULL)
    bound_fitting (problem, devices, plan);
  return TRUE;
}

const TpSolver tp_solver_span = {
  .name = "list-schedules",
  .max_devices = TP_SHARE_MAX_DEVICES,
  .kinds = TP_OBJECTIVE_SPAN,
  .keeps_limits = TRUE,
  .allows_changes = TRUE,
  .certificate = TP_PLAN_SCHEDULE,
  .solve = span_solve,
};
