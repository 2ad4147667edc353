/* load-model.c: see load-model.h. */
#include "config.h"

#include "planner/load-model.h"

#include "ir/guard.h"

#include <string.h>

/* What moves ask for again and again. */
static void
fill_costs (TpLoadModel *model)
{
  const TpProblem *problem = model->problem;
  gsize k = (gsize) problem->n_devices;
  gsize n_nodes = (gsize) problem->graph->n_nodes;
  gsize n_tensors = (gsize) problem->graph->n_tensors;

  model->kernels = tp_new (gint64, n_nodes * k + 1);
  model->copies = tp_new0 (gint64, n_tensors * 2 * k + 1);
  for (gsize i = 0; i < n_nodes * k; i++)
    model->kernels[i]
        = tp_problem_node_cost (problem, (int) (i / k), (int) (i % k));
  for (gsize i = 0; i < n_tensors; i++)
    for (gsize d = 0; d < k; d++)
      {
        if (tp_tensor_is_resident (&problem->graph->tensors[i]))
          continue;
        model->copies[i * 2 * k + d]
            = tp_problem_edge_cost (problem, (int) i, TP_COSTS_HOST, (int) d);
        model->copies[(i * 2 + 1) * k + d]
            = tp_problem_edge_cost (problem, (int) i, (int) d, TP_COSTS_HOST);
      }
}

void
tp_load_model_init (TpLoadModel *model, const TpProblem *problem)
{
  gsize n_nodes = (gsize) problem->graph->n_nodes + 1;
  int n_groups = problem->costs->n_groups;

  *model = (TpLoadModel){ .problem = problem,
                          .n_engines = 3 * problem->n_devices };
  model->group_of = tp_new (int, n_nodes);
  memset (model->group_of, -1, sizeof (int) * n_nodes);
  for (int i = 0; i < n_groups; i++)
    for (int k = 0; k < problem->groups->groups[i].n_nodes; k++)
      model->group_of[problem->groups->groups[i].nodes[k]] = i;
  model->to = tp_new0 (guint8, n_nodes);
  model->seen_groups = tp_new0 (guint, (gsize) n_groups + 1);
  model->seen_tensors
      = tp_new0 (guint, (gsize) problem->graph->n_tensors + 1);
  fill_costs (model);
}

void
tp_load_model_clear (TpLoadModel *model)
{
  g_clear_pointer (&model->kernels, g_free);
  g_clear_pointer (&model->copies, g_free);
  g_clear_pointer (&model->group_of, g_free);
  g_clear_pointer (&model->to, g_free);
  g_clear_pointer (&model->seen_groups, g_free);
  g_clear_pointer (&model->seen_tensors, g_free);
}

static gint64
get_kernel (const TpLoadModel *model, int node, int device)
{
  return model->kernels[(gsize) node * model->problem->n_devices + device];
}

/* What is added to. */
typedef struct
{
  TpLoadModel *model;
  const guint8 *devices;
  int sign;                   /* 1, or -1: is taken off */
  gint64 *loads;
} Sum;

static void
add (const Sum *sum, int engine, gint64 amount)
{
  gboolean is_one = tp_costs_is_one_engine (sum->model->problem->costs);

  sum->loads[is_one ? 0 : engine] += sum->sign * amount;
}

static void
add_node (const Sum *sum, int node)
{
  int device = sum->devices[node];

  add (sum, device, get_kernel (sum->model, node, device));
}

/* What @group saves; its ops are added one by one. */
static void
add_gain (const Sum *sum, int group)
{
  const TpProblem *problem = sum->model->problem;
  int device = tp_problem_find_fused (problem, group, sum->devices);

  if (device >= 0)
    add (sum, device, -tp_problem_get_gain (problem, group, device));
}

static void
add_copy (const Sum *sum, int tensor, int from, int to)
{
  int n = sum->model->problem->n_devices;
  const gint64 *copies = &sum->model->copies[(gsize) tensor * 2 * n];

  if (from != TP_COSTS_HOST)
    add (sum, 2 * n + from, copies[n + from]);
  if (to != TP_COSTS_HOST)
    add (sum, n + to, copies[to]);
}

/* Where @tensor is read: a bit for each device, after one for host memory. */
static guint
find_places (const Sum *sum, const TpTensor *tensor)
{
  guint places = 0;

  if (tensor->is_output)
    places = 1u << (sum->model->problem->costs->host - TP_COSTS_HOST);
  for (int k = 0; k < tensor->n_consumers; k++)
    places |= 2u << sum->devices[tensor->consumers[k]];
  return places;
}

/* All copies of @index. */
static void
add_tensor (const Sum *sum, int index)
{
  const TpProblem *problem = sum->model->problem;
  const TpTensor *tensor = &problem->graph->tensors[index];
  int home = tensor->producer < 0 ? problem->costs->host
                                  : sum->devices[tensor->producer];
  guint places;

  if (tp_tensor_is_resident (tensor))
    return;
  places = find_places (sum, tensor) & ~(1u << (home - TP_COSTS_HOST));
  for (int to = TP_COSTS_HOST; places != 0; to++, places >>= 1)
    if (places & 1)
      add_copy (sum, index, home, to);
}

void
tp_load_model_sum (TpLoadModel *model, const guint8 *devices,
                   gint64 *out_loads)
{
  const TpGraph *graph = model->problem->graph;
  const Sum sum = { model, devices, 1, out_loads };

  memset (out_loads, 0, sizeof (gint64) * model->n_engines);
  for (int i = 0; i < graph->n_nodes; i++)
    add_node (&sum, i);
  for (int i = 0; i < model->problem->costs->n_groups; i++)
    add_gain (&sum, i);
  for (int i = 0; i < graph->n_tensors; i++)
    add_tensor (&sum, i);
}

/* Those of @tensors that were not met in this turn. */
static void
add_near (const Sum *sum, const int *tensors, int n_tensors)
{
  guint *seen = sum->model->seen_tensors;

  for (int i = 0; i < n_tensors; i++)
    {
      if (tensors[i] < 0 || seen[tensors[i]] == sum->model->turn)
        continue;
      seen[tensors[i]] = sum->model->turn;
      sum->model->n_met++;
      add_tensor (sum, tensors[i]);
    }
}

/* All that depends on where the ops of @piece are, each once. */
static void
add_piece (const Sum *sum, TpLoadPiece piece)
{
  TpLoadModel *model = sum->model;

  model->turn++;
  for (int i = 0; i < piece.n_ops; i++)
    {
      const TpNode *node = &model->problem->graph->nodes[piece.ops[i]];
      int group = model->group_of[piece.ops[i]];

      add_node (sum, piece.ops[i]);
      add_near (sum, node->inputs, node->n_inputs);
      add_near (sum, node->outputs, node->n_outputs);
      if (group < 0 || model->seen_groups[group] == model->turn)
        continue;
      model->seen_groups[group] = model->turn;
      add_gain (sum, group);
    }
}

gboolean
tp_load_model_put (TpLoadModel *model, guint8 *devices, gint64 *loads,
                   TpLoadPiece piece, const guint8 *to)
{
  const Sum before = { model, devices, -1, loads };
  const Sum after = { model, devices, 1, loads };

  for (int i = 0; i < piece.n_ops; i++)
    if (get_kernel (model, piece.ops[i], to[i]) == TP_COST_NONE)
      return FALSE;
  add_piece (&before, piece);
  for (int i = 0; i < piece.n_ops; i++)
    devices[piece.ops[i]] = to[i];
  add_piece (&after, piece);
  return TRUE;
}

gboolean
tp_load_model_move (TpLoadModel *model, guint8 *devices, gint64 *loads,
                    TpLoadPiece piece, int device)
{
  memset (model->to, device, (gsize) piece.n_ops);
  return tp_load_model_put (model, devices, loads, piece, model->to);
}

int
tp_load_model_find_busiest (const TpLoadModel *model, const gint64 *loads)
{
  int busiest = 0;

  for (int i = 1; i < model->n_engines; i++)
    if (loads[i] > loads[busiest])
      busiest = i;
  return busiest;
}
