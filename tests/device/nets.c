/* nets.c: see nets.h. */
#include "config.h"

#include "graph/pass.h"
#include "nets.h"
#include "ops/reference.h"
#include "runtime/devices.h"
#include "runtime/strided.h"
#include "tests/ir/quoted-graph.h"

#include <math.h>
#include <string.h>

const char net_mlp[]
    = "{'format': 'tplan-graph/1', 'name': 'mlp', 'opset': 17,"
      " 'inputs': [{'name': 'x', 'dtype': 'float32', 'shape': [5, 37]}],"
      " 'outputs': ['probs'],"
      " 'initializers': ["
      "  {'name': 'w1', 'dtype': 'float32', 'shape': [37, 48],"
      "   'random': {'seed': 1, 'std': 0.2}},"
      "  {'name': 'b1', 'dtype': 'float32', 'shape': [48],"
      "   'random': {'seed': 2, 'std': 0.2}},"
      "  {'name': 'w2', 'dtype': 'float32', 'shape': [11, 48],"
      "   'random': {'seed': 3, 'std': 0.2}}],"
      " 'ops': ["
      "  {'name': 'fc1', 'type': 'Gemm', 'inputs': ['x', 'w1', 'b1'],"
      "   'outputs': ['h0']},"
      "  {'name': 'relu', 'type': 'Relu', 'inputs': ['h0'],"
      "   'outputs': ['h']},"
      "  {'name': 'fc2', 'type': 'Gemm', 'inputs': ['h', 'w2'],"
      "   'outputs': ['logits'], 'attrs': {'transB': 1}},"
      "  {'name': 'soft', 'type': 'Softmax', 'inputs': ['logits'],"
      "   'outputs': ['probs'], 'attrs': {'axis': -1}}]}";

/* Convolutions, a concatenation, a residual, pools and a view. */
const char net_image[]
    = "{'format': 'tplan-graph/1', 'name': 'image', 'opset': 17,"
      " 'inputs': [{'name': 'x', 'dtype': 'float32', 'shape': [2, 3, 11, 9]}],"
      " 'outputs': ['y'],"
      " 'initializers': ["
      "  {'name': 'w1', 'dtype': 'float32', 'shape': [8, 3, 3, 3],"
      "   'random': {'seed': 1, 'std': 0.2}},"
      "  {'name': 'b1', 'dtype': 'float32', 'shape': [8],"
      "   'random': {'seed': 2, 'std': 0.2}},"
      "  {'name': 'w2', 'dtype': 'float32', 'shape': [8, 1, 3, 3],"
      "   'random': {'seed': 3, 'std': 0.2}},"
      "  {'name': 'w3', 'dtype': 'float32', 'shape': [8, 16, 1, 1],"
      "   'random': {'seed': 4, 'std': 0.2}},"
      "  {'name': 'w4', 'dtype': 'float32', 'shape': [80, 10],"
      "   'random': {'seed': 5, 'std': 0.2}}],"
      " 'ops': ["
      "  {'name': 'conv1', 'type': 'Conv', 'inputs': ['x', 'w1', 'b1'],"
      "   'outputs': ['a'], 'attrs': {'pads': [1, 1, 1, 1]}},"
      "  {'name': 'relu1', 'type': 'Relu', 'inputs': ['a'],"
      "   'outputs': ['b']},"
      "  {'name': 'conv2', 'type': 'Conv', 'inputs': ['b', 'w2'],"
      "   'outputs': ['c'], 'attrs': {'pads': [1, 1, 1, 1], 'group': 8}},"
      "  {'name': 'cat', 'type': 'Concat', 'inputs': ['b', 'c'],"
      "   'outputs': ['d'], 'attrs': {'axis': 1}},"
      "  {'name': 'conv3', 'type': 'Conv', 'inputs': ['d', 'w3'],"
      "   'outputs': ['e']},"
      "  {'name': 'add', 'type': 'Add', 'inputs': ['e', 'b'],"
      "   'outputs': ['f']},"
      "  {'name': 'pool', 'type': 'MaxPool', 'inputs': ['f'],"
      "   'outputs': ['g'], 'attrs': {'kernel_shape': [3, 3],"
      "   'strides': [2, 2]}},"
      "  {'name': 'mean', 'type': 'AveragePool', 'inputs': ['g'],"
      "   'outputs': ['h'], 'attrs': {'kernel_shape': [1, 3],"
      "   'strides': [1, 1], 'pads': [0, 0, 0, 0]}},"
      "  {'name': 'flat', 'type': 'Flatten', 'inputs': ['h'],"
      "   'outputs': ['i'], 'attrs': {'axis': 1}},"
      "  {'name': 'fc', 'type': 'MatMul', 'inputs': ['i', 'w4'],"
      "   'outputs': ['y']}]}";

/* One value read often, views of views, several outputs. */
const char net_branches[]
    = "{'format': 'tplan-graph/1', 'name': 'branches', 'opset': 17,"
      " 'inputs': [{'name': 'x', 'dtype': 'float32', 'shape': [4, 6]},"
      "            {'name': 'z', 'dtype': 'float32', 'shape': [4, 6]}],"
      " 'outputs': ['p', 'q', 'b'],"
      " 'initializers': ["
      "  {'name': 's1', 'dtype': 'int64', 'shape': [2], 'data': [3, 8]},"
      "  {'name': 's2', 'dtype': 'int64', 'shape': [2], 'data': [6, 4]}],"
      " 'ops': ["
      "  {'name': 'add', 'type': 'Add', 'inputs': ['x', 'z'],"
      "   'outputs': ['a']},"
      "  {'name': 'view1', 'type': 'Reshape', 'inputs': ['a', 's1'],"
      "   'outputs': ['v1']},"
      "  {'name': 'view2', 'type': 'Reshape', 'inputs': ['v1', 's2'],"
      "   'outputs': ['v2']},"
      "  {'name': 'tanh', 'type': 'Tanh', 'inputs': ['v2'],"
      "   'outputs': ['t']},"
      "  {'name': 'turn', 'type': 'Transpose', 'inputs': ['t'],"
      "   'outputs': ['u'], 'attrs': {'perm': [1, 0]}},"
      "  {'name': 'mul', 'type': 'Mul', 'inputs': ['a', 'u'],"
      "   'outputs': ['b']},"
      "  {'name': 'sub', 'type': 'Sub', 'inputs': ['b', 'z'],"
      "   'outputs': ['p']},"
      "  {'name': 'relu', 'type': 'Relu', 'inputs': ['v1'],"
      "   'outputs': ['q']}]}";

/* Outputs that are inputs, constants and views. */
const char net_ends[]
    = "{'format': 'tplan-graph/1', 'name': 'ends', 'opset': 17,"
      " 'inputs': [{'name': 'x', 'dtype': 'float32', 'shape': [4, 6]}],"
      " 'outputs': ['x', 'c', 'v', 'r', 'w'],"
      " 'initializers': ["
      "  {'name': 'c', 'dtype': 'float32', 'shape': [2],"
      "   'data': [3, 8]},"
      "  {'name': 's', 'dtype': 'int64', 'shape': [1], 'data': [24]}],"
      " 'ops': ["
      "  {'name': 'view', 'type': 'Reshape', 'inputs': ['x', 's'],"
      "   'outputs': ['v']},"
      "  {'name': 'relu', 'type': 'Relu', 'inputs': ['x'],"
      "   'outputs': ['r']},"
      "  {'name': 'again', 'type': 'Reshape', 'inputs': ['r', 's'],"
      "   'outputs': ['w']}]}";

/* "read" and "next" read what "a.next" is stored over, but one of them does so whenever
 * what is made elsewhere has come; "b" is read after its next value is made, so that lies elsewhere. */
const char net_states[]
    = "{'format': 'tplan-graph/1', 'name': 'states', 'opset': 17,"
      " 'inputs': [{'name': 'x', 'dtype': 'float32', 'shape': [4, 6]}],"
      " 'outputs': ['r', 'p', 'q'],"
      " 'state': [{'name': 'a', 'shape': [4, 6], 'next': 'a.next'},"
      "           {'name': 'b', 'shape': [4, 6], 'next': 'b.next'}],"
      " 'ops': ["
      "  {'name': 'far', 'type': 'Sigmoid', 'inputs': ['x'],"
      "   'outputs': ['w']},"
      "  {'name': 'read', 'type': 'Sub', 'inputs': ['a', 'w'],"
      "   'outputs': ['t']},"
      "  {'name': 'tell', 'type': 'Neg', 'inputs': ['t'], 'outputs': ['r']},"
      "  {'name': 'next', 'type': 'Add', 'inputs': ['a', 'x'],"
      "   'outputs': ['a.next']},"
      "  {'name': 'last', 'type': 'Sub', 'inputs': ['b', 'x'],"
      "   'outputs': ['b.next']},"
      "  {'name': 'mul', 'type': 'Mul', 'inputs': ['b', 'b.next'],"
      "   'outputs': ['m']},"
      "  {'name': 'sum', 'type': 'Add', 'inputs': ['m', 't'],"
      "   'outputs': ['p']},"
      "  {'name': 'relu', 'type': 'Relu', 'inputs': ['a.next'],"
      "   'outputs': ['q']}]}";

const char *const net_all[NET_N_ALL]
    = { net_mlp, net_image, net_branches, net_ends };

const char *const net_pairs[NET_N_PAIRS]
    = { "cpu opencl:0", "cpu ref",      "ref opencl:0",    "opencl:0 cpu",
        "ref ref",      "cpu sim:laptop-gpu",
        "opencl:0 sim:laptop-gpu", "cpu opencl:0 sim:server-gpu ref" };

TpGraph *
net_load (const char *text)
{
  return test_load_quoted (text);
}

TpGraph *
net_load_prepared (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = net_load (text);
  TpGraph *prepared = tp_graph_prepare (graph, &error);

  g_assert_no_error (error);
  return prepared;
}

TpDevice *
net_try_device (const char *name, char **out_reason)
{
  g_autoptr (GError) error = NULL;
  TpDevice *device = tp_device_open (name, NULL, &error);

  *out_reason = device == NULL ? g_strdup (error->message) : NULL;
  return device;
}

gboolean
net_need_devices (const char *devices)
{
  g_auto (GStrv) names = g_strsplit (devices, " ", -1);

  for (int i = 0; names[i] != NULL; i++)
    {
      g_autofree char *reason = NULL;
      g_autoptr (TpDevice) device = net_try_device (names[i], &reason);

      if (device == NULL)
        {
          g_test_skip (reason);
          return FALSE;
        }
    }
  return TRUE;
}

static TpPlan *
plan_new (const TpGraph *graph, const char *devices)
{
  TpPlan *plan = tp_plan_new ();

  plan->devices = g_strsplit (devices, " ", -1);
  plan->n_devices = g_strv_length (plan->devices);
  plan->groups = tp_groups_new ();
  plan->n_placements = graph->n_nodes;
  plan->placements = g_new0 (TpPlacement, graph->n_nodes + 1);
  for (int i = 0; i < graph->n_nodes; i++)
    plan->placements[i].node = i;
  return plan;
}

TpPlan *
net_plan (const TpGraph *graph, const char *devices, const char *places)
{
  TpPlan *plan = plan_new (graph, devices);

  for (int i = 0; i < graph->n_nodes; i++)
    plan->placements[i].device = places[i % strlen (places)] - '0';
  return plan;
}

TpPlan *
net_plan_random (const TpGraph *graph, const char *devices)
{
  TpPlan *plan = plan_new (graph, devices);

  for (int i = 0; i < graph->n_nodes; i++)
    plan->placements[i].device = g_test_rand_int_range (0, plan->n_devices);
  for (int i = 0; i < graph->n_colocations; i++)
    for (int k = 1; k < graph->colocations[i].n_nodes; k++)
      plan->placements[graph->colocations[i].nodes[k]].device
          = plan->placements[graph->colocations[i].nodes[0]].device;
  return plan;
}

/* ---- runs ----------------------------------------------------------------- */

/* About normal: the sum of some uniform values. Integers are small. */
static double
pick_value (TpDtype dtype, TpDomain domain)
{
  double value = 0;

  if (dtype != TPLAN_DTYPE_FLOAT32 && dtype != TPLAN_DTYPE_FLOAT64)
    return g_test_rand_int_range (0, 2);
  for (int i = 0; i < 4; i++)
    value += g_test_rand_double_range (-0.87, 0.87);
  return domain == TP_DOMAIN_POSITIVE ? 0.1 + fabs (value) : value;
}

NetRun *
net_run_new (const TpGraph *graph, TpDomain domain)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) found = NULL;
  int n_states;
  g_autofree int *states = tp_graph_list_states (graph, &n_states);
  g_autofree double **values
      = g_new0 (double *, graph->n_inputs + n_states + 1);
  NetRun *run = g_new0 (NetRun, 1);

  run->graph = graph;
  run->inputs = g_new0 (void *, graph->n_inputs + 1);
  run->outputs = g_new0 (void *, graph->n_outputs + 1);
  run->expected = g_new0 (double *, graph->n_outputs + 1);
  for (int i = 0; i < graph->n_inputs; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->inputs[i]];

      values[i] = g_new0 (double, tensor->count + 1);
      for (gint64 j = 0; j < tensor->count; j++)
        values[i][j] = (float) pick_value (tensor->dtype, domain);
      run->inputs[i] = g_malloc0 (tensor->size_bytes + 1);
      tp_strided_from_doubles (tensor, values[i], run->inputs[i]);
    }
  for (int i = 0; i < n_states; i++)
    values[graph->n_inputs + i]
        = g_new0 (double, graph->tensors[states[i]].count + 1);
  found = tp_graph_run_reference (graph, (const double *const *) values, FALSE,
                                  &error);
  g_assert_no_error (error);
  for (int i = 0; i < graph->n_inputs + n_states; i++)
    g_free (values[i]);
  for (int i = 0; i < graph->n_outputs; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->outputs[i]];

      run->outputs[i] = g_malloc0 (tensor->size_bytes + 1);
      run->expected[i] = g_memdup2 (found->pdata[i],
                                    tensor->count * sizeof (double));
    }
  net_run_clear_outputs (run);
  return run;
}

void
net_run_free (NetRun *run)
{
  for (int i = 0; i < run->graph->n_inputs; i++)
    g_free (run->inputs[i]);
  for (int i = 0; i < run->graph->n_outputs; i++)
    {
      g_free (run->outputs[i]);
      g_free (run->expected[i]);
    }
  g_free (run->inputs);
  g_free (run->outputs);
  g_free (run->expected);
  g_free (run);
}

/* All bits set: NaN in floats. */
void
net_run_clear_outputs (NetRun *run)
{
  for (int i = 0; i < run->graph->n_outputs; i++)
    memset (run->outputs[i], 0xff,
            run->graph->tensors[run->graph->outputs[i]].size_bytes);
}

static double
get_output_error (const TpTensor *tensor, const double *expected,
                  const void *output)
{
  g_autofree double *found = g_new0 (double, tensor->count + 1);
  double square = 0, most = 0;

  tp_strided_to_doubles (tensor, output, found);
  for (gint64 i = 0; i < tensor->count; i++)
    square += expected[i] * expected[i] / tensor->count;
  for (gint64 i = 0; i < tensor->count; i++)
    {
      double scale = MAX (fabs (expected[i]), sqrt (square));
      double wrong = fabs (found[i] - expected[i]);

      if (isnan (wrong) && !(isnan (found[i]) && isnan (expected[i])))
        return G_MAXDOUBLE;
      if (wrong > 0)
        most = MAX (most, wrong / MAX (scale, 1e-30));
    }
  return most;
}

double
net_run_get_error (const NetRun *run)
{
  double most = 0;

  for (int i = 0; i < run->graph->n_outputs; i++)
    most = MAX (most, get_output_error (
                          &run->graph->tensors[run->graph->outputs[i]],
                          run->expected[i], run->outputs[i]));
  return most;
}

void
net_job_init (NetJob *job, TpSession *session, const TpGraph *graph)
{
  g_autoptr (GError) error = NULL;

  job->run = net_run_new (graph, TP_DOMAIN_ANY);
  job->expected = g_new0 (void *, graph->n_outputs + 1);
  net_run_clear_outputs (job->run);
  tp_session_run (session, (const void *const *) job->run->inputs,
                  job->run->outputs, &error);
  g_assert_no_error (error);
  for (int i = 0; i < graph->n_outputs; i++)
    job->expected[i]
        = g_memdup2 (job->run->outputs[i],
                     graph->tensors[graph->outputs[i]].size_bytes + 1);
}

void
net_job_clear (NetJob *job)
{
  for (int i = 0; i < job->run->graph->n_outputs; i++)
    g_free (job->expected[i]);
  g_free (job->expected);
  net_run_free (job->run);
}

void
net_job_check (const NetJob *job)
{
  const TpGraph *graph = job->run->graph;

  for (int i = 0; i < graph->n_outputs; i++)
    {
      gint64 size = graph->tensors[graph->outputs[i]].size_bytes;

      g_assert_cmpmem (job->run->outputs[i], size, job->expected[i], size);
    }
}

void
net_check (TpGraph *graph, TpPlan *plan, double tolerance)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (NetRun) run = net_run_new (graph, TP_DOMAIN_ANY);
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, &error);

  g_assert_no_error (error);
  for (int i = 0; i < 2; i++)
    {
      net_run_clear_outputs (run);
      g_assert_true (tp_session_run (session, (const void *const *) run->inputs,
                                     run->outputs, &error));
      g_assert_no_error (error);
      g_assert_cmpfloat (net_run_get_error (run), <=, tolerance);
    }
}
